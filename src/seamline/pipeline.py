"""The steps in order, read top to bottom."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seamline.cut import cut
from seamline.protocols import AnswerCache, Embedder, LanguageModel
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.tokens import TokenizerLike, load
from seamline.trust.access import Access
from seamline.types import Chunk, Document

if TYPE_CHECKING:
    from seamline.derived import Derived
    from seamline.protocols import Usage
    from seamline.types import Notice


class DocumentChunks(NamedTuple):
    """All that a recipe makes of a document."""

    recipe: Recipe
    """With the strategy that was chosen for it."""
    reasons: tuple[str, ...]
    """Why that one; empty where the recipe itself names it."""
    chunks: list[Chunk]
    about: list[Derived]
    """Texts about the chunks."""
    notices: tuple[Notice, ...] = ()
    """Of what was derived; the document has its own."""
    usage: Usage | None = None
    """What language models were asked; None where none was."""


def make(
    document: Document, recipe: Recipe, parts: Runtime | None = None, *, now: datetime | None = None
) -> DocumentChunks:
    """Cut one parsed document, and write what the recipe wants written about its chunks. `now` is what age is counted
    from."""
    parts = parts or named_parts(recipe)
    settled, reasons = chosen(document, recipe)
    chunks = _chunks(document, settled, parts, now)
    if not settled.derived:
        return DocumentChunks(settled, reasons, chunks, [])
    from seamline.enrich.derive import derive

    found = derive(document, chunks, settled, parts)
    return DocumentChunks(settled, reasons, chunks, found.texts, found.notices, found.usage if parts.llm else None)


def chunk_document(
    document: Document, recipe: Recipe, parts: Runtime | None = None, *, now: datetime | None = None
) -> list[Chunk]:
    """Cut one parsed document; parts that are not given are those the recipe names. `now` is for the age of chunks."""
    return _chunks(document, chosen(document, recipe)[0], parts or named_parts(recipe), now)


def _chunks(document: Document, recipe: Recipe, parts: Runtime, now: datetime | None) -> list[Chunk]:
    chunks = cut(document, recipe, parts)
    if not recipe.enrich:
        return chunks
    from seamline.enrich.facts import enrich
    from seamline.text.sentences import sentence_starts

    return enrich(chunks, recipe, parts, now=now, starts=sentence_starts)


def chosen(document: Document, recipe: Recipe) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe with the strategy of this document, and why."""
    if recipe.strategy != "auto" and not recipe.strategies:
        return recipe, ()
    from seamline.recipe.choose import choose

    choice = choose(document, recipe)
    return choice.recipe, choice.reasons


def make_runtime(
    recipe: Recipe,
    *,
    tokenizer: TokenizerLike | None = None,
    embedder: str | Embedder | None = None,
    llm: str | LanguageModel | None = None,
    answers: Path | AnswerCache | None = None,
    access: Access | None = None,
) -> Runtime:
    """The live objects that a recipe names, or those given in their place.

    `answers` keeps what a language model answered: a file, or a cache; `access` says which models may be loaded, and
    with which keys: all, without keys, where there is none.
    """
    model = recipe.llm if llm is None else llm
    about = recipe.signal if embedder is None else embedder
    allowed = access or Access()

    def signal() -> Embedder:
        from seamline.embed import load as load_embedder  # only where a strategy asks what texts are about

        return load_embedder(about, key=allowed.key(about) if isinstance(about, str) else "")

    def writer() -> LanguageModel:
        from seamline.llm import load as load_model

        loaded = load_model(model, key=allowed.key(model) if isinstance(model, str) else "")
        if answers is None:
            return loaded
        from seamline.llm.cache import AnswerFile, CachedModel

        return CachedModel(loaded, AnswerFile(answers) if isinstance(answers, Path) else answers)

    if tokenizer is None:
        allowed.require(recipe.tokenizer)
    counts = load(recipe.tokenizer if tokenizer is None else tokenizer, recipe.bias)
    return Runtime(counts, signal, writer if model else None)


@lru_cache(4)
def named_parts(recipe: Recipe) -> Runtime:
    """The parts that a recipe names, made once for many documents."""
    return make_runtime(recipe)
