"""The steps in order, read top to bottom."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from seamline.cut import cut
from seamline.parts import Parts
from seamline.protocols import Embedder
from seamline.recipe import Recipe
from seamline.tokens import TokenizerLike, load
from seamline.types import Chunk, Document


def chunk_document(
    document: Document, recipe: Recipe, parts: Parts | None = None, *, now: datetime | None = None
) -> list[Chunk]:
    """Cut one parsed document; parts that are not given are those the recipe names. `now` is for its freshness."""
    parts = parts or named_parts(recipe)
    if recipe.strategy == "auto" or recipe.strategies:
        from seamline.choose import choose

        recipe = choose(document, recipe).recipe
    chunks = cut(document, recipe, parts)
    if recipe.enrich:
        from seamline.cut.sentences import sentence_starts
        from seamline.enrich.facts import enrich

        chunks = enrich(chunks, recipe, parts, now=now, starts=sentence_starts)
    return chunks


def make_parts(
    recipe: Recipe, *, tokenizer: TokenizerLike | None = None, embedder: str | Embedder | None = None
) -> Parts:
    """The live objects that a recipe names, or those given in their place."""

    def signal() -> Embedder:
        from seamline.embed import load as load_embedder  # only where a strategy asks what texts are about

        return load_embedder(recipe.signal if embedder is None else embedder)

    return Parts(load(recipe.tokenizer if tokenizer is None else tokenizer, recipe.bias), signal)


@lru_cache(4)
def named_parts(recipe: Recipe) -> Parts:
    """The parts that a recipe names, made once for many documents."""
    return make_parts(recipe)
