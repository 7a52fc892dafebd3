"""Our own contestants: the default recipe, one change of it at a time, and every strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from benchmarks.engine import target_of
from benchmarks.quality.questions import QuestionSet, Ref
from benchmarks.strategies.measures import Passage
from seamline.enrich.propositions.run import extract
from seamline.enrich.prose import passages
from seamline.enrich.tables.rows import rows_text
from seamline.enrich.written import plain_prefixes
from seamline.facts import Derived
from seamline.parse import parse_text
from seamline.pipeline import chunk_document
from seamline.recipe.recipe import Overlap, Recipe
from seamline.recipe.strategies import Code, Hierarchy, Semantic, Tabular
from seamline.runtime import Runtime
from seamline.text.headings import with_headings
from seamline.text.sentences import sentence_starts
from seamline.tokens import load
from seamline.types import Budget, Chunk, Document

DEFAULT = "structural (default)"
_MEDIA = {"codebase": "text/x-source"}


class Ours(NamedTuple):
    """A recipe, and what of its chunks is searched."""

    recipe: Recipe
    searched: str = "embed"
    """One of `VIEWS`."""
    is_paid: bool = False
    """Whether what is searched is shown too, and so counts."""
    level: int = 0
    floor: float = 0.0
    """As a share of the target."""
    derived: str = ""
    """Texts about chunks that are searched beside them, one of `DERIVED`."""
    sets: tuple[str, ...] = ()
    """Which sets it is for; empty for all."""


VIEWS: Mapping[str, Callable[[Chunk], str]] = {
    "embed": lambda chunk: chunk.render("embed"),
    "prompt": lambda chunk: chunk.text,
    "body": lambda chunk: chunk.render("body"),
    "title": lambda chunk: with_headings(chunk.document.title, (), chunk.text),
    "path": lambda chunk: with_headings("", chunk.path, chunk.text),
}
"""What may be searched of a chunk. Headings above it that stand in the text as well count twice."""


def _semantic(**settings: Any) -> Ours:
    return Ours(Recipe(strategy="semantic", semantic=Semantic(**settings)))


About = dict[str, list[str]]
"""By chunk, the texts about it."""


def _about(derived: Iterable[Derived]) -> About:
    out: About = {}
    for one in derived:
        for chunk in one.of:
            out.setdefault(chunk, []).append(one.text)
    return out


def _propositions(document: Document, chunks: Sequence[Chunk], recipe: Recipe) -> About:
    return _about(extract(passages(chunks, sentence_starts), _parts().tokenizer.count).derived)


def _prefixes(document: Document, chunks: Sequence[Chunk], recipe: Recipe) -> About:
    return _about(plain_prefixes(passages(chunks, sentence_starts), _parts().tokenizer.count))


def _rows(document: Document, chunks: Sequence[Chunk], recipe: Recipe) -> About:
    return _about(rows_text(document, chunks, recipe, _parts().tokenizer))


DERIVED: Mapping[str, Callable[[Document, Sequence[Chunk], Recipe], About]] = {
    "": lambda document, chunks, recipe: {},
    "propositions": _propositions,
    "prefix": _prefixes,
    "rows": _rows,
}
TABLES = ("structmd", "fetaqa_long")

STRATEGIES: Mapping[str, Ours] = {
    DEFAULT: Ours(Recipe()),
    "semantic, objective": _semantic(method="objective"),
    "semantic, dip": _semantic(method="dip"),
    "semantic, texttiling": _semantic(method="texttiling"),
    "semantic, bayes": _semantic(method="bayes"),
    "rechunk": Ours(Recipe(strategy="rechunk")),
    "hierarchical, parents": Ours(Recipe(strategy="hierarchical"), level=1),
    "code, by function": Ours(Recipe(strategy="code"), sets=("codebase",)),
    "code, by class": Ours(Recipe(strategy="code", code=Code(granularity="class")), sets=("codebase",)),
    "code, by module": Ours(Recipe(strategy="code", code=Code(granularity="module")), sets=("codebase",)),
    "code, by module, no imports": Ours(
        Recipe(strategy="code", code=Code(granularity="module", imports=False)), sets=("codebase",)
    ),
    "tabular": Ours(Recipe(strategy="tabular"), sets=TABLES),
    "tabular, rows as sentences": Ours(
        Recipe(strategy="tabular", tabular=Tabular(rows="sentence")), derived="rows", sets=TABLES
    ),
    "propositions by rules": Ours(Recipe(), derived="propositions", sets=("chroma", "xquad_en", "structmd")),
    "prefixes by rules": Ours(Recipe(), derived="prefix", sets=("chroma", "xquad_en", "structmd")),
    "auto": Ours(Recipe(strategy="auto")),
}

CHANGES: Mapping[str, Ours] = {
    "searched without title and path": Ours(Recipe(), "prompt"),
    "searched with the title alone": Ours(Recipe(), "title"),
    "searched with the path alone": Ours(Recipe(), "path"),
    "title and path shown": Ours(Recipe(), is_paid=True),
    "searched without what it borrows": Ours(Recipe(), "body"),
    "no headings repeated": Ours(Recipe(breadcrumb=False)),
    "sections hybrid": Ours(Recipe(sections="hybrid")),
    "sections hybrid, floor 1/2": Ours(Recipe(sections="hybrid"), floor=0.5),
    "sections paragraph": Ours(Recipe(sections="paragraph")),
    "packer fill": Ours(Recipe(packer="fill")),
    "packer decay": Ours(Recipe(packer="decay")),
    "balance 0.3": Ours(Recipe(balance=0.3)),
    "balance 3": Ours(Recipe(balance=3.0)),
    "balance 10": Ours(Recipe(balance=10.0)),
    "overlap sentences": Ours(Recipe(overlap=Overlap("sentences"))),
    "overlap blocks": Ours(Recipe(overlap=Overlap("blocks"))),
}


def cut(ours: Ours, data: QuestionSet, limit: int) -> list[Passage]:
    """All documents of a set by one of our recipes."""
    recipe = sized(ours, limit)
    found: list[Passage] = []
    for doc, text in data.docs.items():
        document = _document(doc, text, media_type(data))
        chunks = chunk_document(document, recipe, _parts())
        about = DERIVED[ours.derived](document, chunks, recipe)
        found += [_passage(ours, chunk, about.get(chunk.id, ())) for chunk in chunks if chunk.level == ours.level]
    return found


def _passage(ours: Ours, chunk: Chunk, about: Sequence[str]) -> Passage:
    searched = VIEWS[ours.searched](chunk)
    shown = searched if ours.is_paid else chunk.text
    return Passage(Ref(chunk.doc_id, chunk.start, chunk.end), shown, searched, tuple(about))


def sized(ours: Ours, limit: int) -> Recipe:
    """A recipe at a limit, all else in proportion; of a hierarchy the limit of its parents."""
    if ours.recipe.strategy == "hierarchical":
        leaf = max(32, limit // 4)
        return replace(ours.recipe, budget=Budget(target_of(leaf), leaf), hierarchy=Hierarchy(limits=(limit,)))
    target = target_of(limit)
    return replace(ours.recipe, budget=Budget(target, limit, int(target * ours.floor)))


def media_type(data: QuestionSet) -> str:
    return _MEDIA.get(data.name) or data.media_type("")


@cache
def _document(doc: str, text: str, media: str) -> Document:
    document = parse_text(text, id=doc, media_type=media)
    assert document.text == text  # so that spans are those of the answers
    return document


@cache
def _parts() -> Runtime:
    from seamline.embed import load as load_embedder

    embedder = load_embedder("static")
    return Runtime(load("o200k_base"), lambda: embedder)
