"""Rechunk: neighbouring blocks stay together only where they are alike."""

from __future__ import annotations

from seamline.cut.scores import Signal
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.types import Document


def alike(document: Document, recipe: Recipe, parts: Parts) -> Signal:
    """A cut is forced between neighbouring blocks whose cosine is below the recipe's."""
    blocks = [document.blocks[top] for top in document.tops]
    texts = [document.text[block.start : block.end] for block in blocks]
    if len(texts) < 2:
        return Signal()
    vectors = parts.embedder.embed(texts)
    cosines = (vectors[:-1] * vectors[1:]).sum(axis=1)
    floor = recipe.rechunk.similarity
    apart = [block.start for block, cosine in zip(blocks[1:], cosines.tolist(), strict=True) if cosine < floor]
    return Signal(forced=frozenset(apart), firm=True)
