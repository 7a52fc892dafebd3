"""Many documents by one recipe: live objects that are made once, and all that comes of each document."""

from __future__ import annotations

from seamline.api import clock
from seamline.pipeline import DocumentChunks, chunk, make_runtime
from seamline.protocols import Usage
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.types import Document

__all__ = ["DocumentChunks", "Runtime", "Usage", "chunk_fully", "make_runtime"]


def chunk_fully(document: Document, recipe: Recipe, runtime: Runtime, *, derives: bool = True) -> DocumentChunks:
    """The strategy that was chosen, chunks with their facts, and texts about them unless `derives` is off."""
    return chunk(document, recipe, runtime, derives=derives, now=clock(recipe))
