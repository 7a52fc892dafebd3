"""Strategies as a table: what each tells the one engine. None has rules about sizes of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from seamline.cut.scores import NO_SIGNAL, Signal
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.types import Document

MakeSignal = Callable[[Document, Recipe, Parts], Signal]

SIGNALS: Mapping[str, str] = {
    "rechunk": "seamline.cut.scores.alike:alike",
    "semantic": "seamline.cut.scores.subject:subject",
    "tabular": "seamline.cut.scores.tables:rows",
    "multimodal": "seamline.cut.scores.multimodal:multimodal",
    "code": "seamline.cut.scores.code:scopes",
}
"""Per strategy, `module:function` of its `MakeSignal`, imported when it is used. The others go by structure alone."""


def leaf_strategy(recipe: Recipe) -> str:
    """How the lowest level is cut."""
    return recipe.hierarchy.below if recipe.strategy == "hierarchical" else recipe.strategy


def signal_of(document: Document, recipe: Recipe, parts: Parts) -> Signal:
    """What the recipe's strategy says about the gaps of a document."""
    strategy = leaf_strategy(recipe)
    if strategy not in SIGNALS:
        return NO_SIGNAL
    module, _, name = SIGNALS[strategy].partition(":")
    make: MakeSignal = getattr(import_module(module), name)
    return make(document, recipe, parts)
