"""Which texts about chunks are made, and by whom: the kinds as a table, rules and language models behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from seamline.enrich.prose import Passage, passages
from seamline.enrich.written import Written, plain_prefixes, plain_summaries, prefixes, questions, summaries
from seamline.errors import ConfigError
from seamline.facts import Derived
from seamline.protocols import Usage
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.text.sentences import sentence_starts
from seamline.types import Chunk, Document, Notice

SUMMARY = 50
"""Tokens of a summary, at most."""
PREFIX = 60
"""Tokens of a prefix, at most."""


class Derivation(NamedTuple):
    """The texts about the chunks of one document, and how they came about."""

    texts: list[Derived]
    notices: tuple[Notice, ...] = ()
    usage: Usage = Usage()
    """What language models were asked, and what that cost in tokens."""
    rejected: Mapping[str, int] = {}
    """Texts that were not kept, by reason."""


def derive(document: Document, chunks: Sequence[Chunk], recipe: Recipe, runtime: Runtime) -> Derivation:
    """All texts about the chunks of a document that a recipe names."""
    made = [_KINDS[kind](_Work(document, chunks, recipe, runtime)) for kind in recipe.derived]
    rejected: dict[str, int] = {}
    for one in made:
        for reason, count in one.rejected.items():
            rejected[reason] = rejected.get(reason, 0) + count
    return Derivation(
        [text for one in made for text in one.texts],
        tuple(notice for one in made for notice in one.notices),
        sum((one.usage for one in made), Usage()),
        rejected,
    )


class _Work(NamedTuple):
    """What texts are made from."""

    document: Document
    chunks: Sequence[Chunk]
    """Of all levels."""
    recipe: Recipe
    runtime: Runtime

    @property
    def leaves(self) -> list[Chunk]:
        return [chunk for chunk in self.chunks if not chunk.level]

    @property
    def passages(self) -> list[Passage]:
        return passages(self.leaves, sentence_starts)

    @property
    def count(self) -> Callable[[str], int]:
        return self.runtime.tokenizer.count


def _summaries(work: _Work) -> Derivation:
    """Of the larger chunks where there are levels; of the chunks themselves where that is asked for."""
    wanted = [chunk for chunk in work.chunks if chunk.level or "summary" in work.recipe.derive]
    found = passages(wanted, sentence_starts)
    if work.runtime.llm:
        return _from_written(summaries(found, work.count, work.runtime.llm, most_tokens=SUMMARY))
    return Derivation(plain_summaries(found, work.count, most_tokens=SUMMARY))


def _prefixes(work: _Work) -> Derivation:
    if work.runtime.llm:
        return _from_written(prefixes(work.passages, work.count, work.runtime.llm, most_tokens=PREFIX))
    return Derivation(plain_prefixes(work.passages, work.count, most_tokens=PREFIX))


def _questions(work: _Work) -> Derivation:
    if not work.runtime.llm:
        remedy = "name one by --llm or derive.llm, such as openai:MODEL@URL"
        raise ConfigError(f"questions are written by a language model, and none was given: {remedy}", "$.derive.llm")
    return _from_written(questions(work.passages, work.count, work.runtime.llm))


def _propositions(work: _Work) -> Derivation:
    from seamline.enrich.propositions.claims import Rules
    from seamline.enrich.propositions.run import extract

    settings = work.recipe.propositions
    model = work.runtime.llm if settings.extractor == "llm" or work.recipe.llm else None
    if settings.extractor == "llm" and model is None:
        raise ConfigError(
            'extractor = "llm" needs a language model: name one by --llm or derive.llm', "$.propositions.extractor"
        )
    rules = Rules(confidence=settings.confidence)
    found = extract(work.passages, work.count, model=model, language=_language(work.document), rules=rules)
    texts = found.derived
    if settings.dedup <= 1:
        from seamline.enrich.propositions.claims import dedup

        texts = dedup(texts, work.runtime.embedder, settings.dedup).kept
    if settings.topics:
        from seamline.enrich.propositions.run import with_topics

        texts = with_topics(texts, work.runtime.embedder)
    return Derivation(list(texts), tuple(found.notices), found.report.usage, found.report.rejected)


def _language(document: Document) -> str:
    from seamline.enrich.language import language

    return language(document)


def _rows(work: _Work) -> Derivation:
    from seamline.enrich.tables.rows import rows_text

    return Derivation(rows_text(work.document, work.leaves, work.recipe, work.runtime.tokenizer))


def _pivot(work: _Work) -> Derivation:
    from seamline.enrich.tables.summary import pivot

    return Derivation(pivot(work.document, work.leaves, work.recipe, work.runtime.tokenizer))


def _table_summary(work: _Work) -> Derivation:
    from seamline.enrich.tables.summary import table_summary

    return Derivation(table_summary(work.document, work.leaves, work.recipe, work.runtime.tokenizer))


def _file_summary(work: _Work) -> Derivation:
    from seamline.enrich.code import file_summary

    return Derivation(file_summary(work.document, work.leaves, work.runtime.tokenizer))


def _scopes(work: _Work) -> Derivation:
    from seamline.enrich.code import scopes

    return Derivation(scopes(work.document, work.leaves, work.recipe, work.runtime.tokenizer))


def _image_descriptions(work: _Work) -> Derivation:
    from seamline.enrich.vision import describe_images

    return _from_written(describe_images(work.document, work.leaves, work.count, work.runtime.llm))


def _from_written(written: Written) -> Derivation:
    return Derivation(written.derived, tuple(written.notices), written.usage, written.rejected)


_KINDS: Mapping[str, Callable[[_Work], Derivation]] = {
    "summary": _summaries,
    "proposition": _propositions,
    "question": _questions,
    "prefix": _prefixes,
    "rows": _rows,
    "pivot": _pivot,
    "table-summary": _table_summary,
    "file-summary": _file_summary,
    "scope": _scopes,
    "image-description": _image_descriptions,
}
