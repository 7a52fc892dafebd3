"""The steps in order, read top to bottom."""

from __future__ import annotations

from seamline.cut import cut
from seamline.protocols import Tokenizer
from seamline.recipe import Recipe
from seamline.tokens import TokenizerLike, load
from seamline.types import Chunk, Document


def chunk_document(document: Document, recipe: Recipe, tokenizer: TokenizerLike | None = None) -> list[Chunk]:
    """Cut one parsed document."""
    return cut(document, recipe, parts(recipe, tokenizer))


def parts(recipe: Recipe, tokenizer: TokenizerLike | None = None) -> Tokenizer:
    """The live objects a recipe names: for now, its tokenizer."""
    return load(recipe.tokenizer if tokenizer is None else tokenizer, recipe.bias)
