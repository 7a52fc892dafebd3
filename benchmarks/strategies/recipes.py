"""Our own contestants: the default recipe, one change of it at a time, and every strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from benchmarks.engine import target_of
from benchmarks.quality.questions import QuestionSet, Ref
from benchmarks.strategies.measures import Passage
from seamline.parse import parse_text
from seamline.parts import Parts
from seamline.pipeline import chunk_document
from seamline.recipe import Overlap, Recipe
from seamline.strategies import Code, Hierarchy, Semantic
from seamline.tokens import load
from seamline.types import Budget, Document, View

DEFAULT = "structural (default)"
_MEDIA = {"codebase": "text/x-source"}


class Ours(NamedTuple):
    """A recipe, and what of its chunks is searched."""

    recipe: Recipe
    view: View = "prompt"
    level: int = 0
    floor: float = 0.0
    """As a share of the target."""
    sets: tuple[str, ...] = ()
    """Which sets it is for; empty for all."""


def _semantic(**settings: Any) -> Ours:
    return Ours(Recipe(strategy="semantic", semantic=Semantic(**settings)))


STRATEGIES: Mapping[str, Ours] = {
    DEFAULT: Ours(Recipe()),
    "semantic, dip": _semantic(),
    "semantic, objective": _semantic(method="objective"),
    "semantic, texttiling": _semantic(method="texttiling"),
    "semantic, bayes": _semantic(method="bayes"),
    "rechunk": Ours(Recipe(strategy="rechunk")),
    "hierarchical, parents": Ours(Recipe(strategy="hierarchical"), level=1),
    "code, by function": Ours(Recipe(strategy="code"), sets=("codebase",)),
    "code, by module": Ours(Recipe(strategy="code", code=Code(granularity="module")), sets=("codebase",)),
    "tabular": Ours(Recipe(strategy="tabular"), sets=("structmd", "fetaqa_long")),
    "auto": Ours(Recipe(strategy="auto")),
}

CHANGES: Mapping[str, Ours] = {
    "searched without what it borrows": Ours(Recipe(), view="body"),
    "no headings repeated": Ours(Recipe(breadcrumb=False)),
    "only the nearest heading": Ours(Recipe(breadcrumb_depth=1)),
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
    parts = _parts()
    return [
        Passage(Ref(doc, chunk.start, chunk.end), chunk.render(ours.view))
        for doc, text in data.docs.items()
        for chunk in chunk_document(_document(doc, text, media_type(data)), recipe, parts)
        if chunk.level == ours.level
    ]


def sized(ours: Ours, limit: int) -> Recipe:
    """A recipe at a limit, all else in proportion; of a hierarchy the limit of its parents."""
    if ours.recipe.strategy == "hierarchical":
        leaf = max(32, limit // 4)
        return replace(
            ours.recipe, budget=Budget(target_of(leaf), leaf), hierarchy=Hierarchy(limits=(limit,))
        )
    target = target_of(limit)
    return replace(ours.recipe, budget=Budget(target, limit, int(target * ours.floor)))


def media_type(data: QuestionSet) -> str:
    return _MEDIA.get(data.name, data.media_type)


@cache
def _document(doc: str, text: str, media: str) -> Document:
    document = parse_text(text, id=doc, media_type=media)
    assert document.text == text  # so that spans are those of the answers
    return document


@cache
def _parts() -> Parts:
    from seamline.embed import load as load_embedder

    embedder = load_embedder("static")
    return Parts(load("o200k_base"), lambda: embedder)
