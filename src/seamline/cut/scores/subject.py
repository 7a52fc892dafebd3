"""Semantic: where the subject of a document changes, by the method that the recipe names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from seamline.cut.scores import Signal
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.types import Document

METHODS: Mapping[str, str] = {
    "objective": "seamline.cut.scores.semantic:objective",
    "dip": "seamline.cut.scores.semantic:dip",
    "texttiling": "seamline.cut.scores.lexical:texttiling",
    "bayes": "seamline.cut.scores.bayes:bayes",
}
"""Per method, `module:function`, imported when it is used: the last two need no numpy."""
_BY_VECTORS = ("objective", "dip")


def subject(document: Document, recipe: Recipe, parts: Parts) -> Signal:
    """What the method says about the gaps of a document."""
    method = recipe.semantic.method
    if method in _BY_VECTORS:
        _ = parts.embedder  # first: it says what to install where numpy is missing
    module, _, name = METHODS[method].partition(":")
    signal: Signal = getattr(import_module(module), name)(document, recipe, parts)
    return signal
