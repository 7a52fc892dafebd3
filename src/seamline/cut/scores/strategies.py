"""Strategies as a table: what each tells the one engine. None has rules about sizes of its own.

Multimodal: speech by its pauses, pictures with what is said of them, tables by their rows.

Semantic: where the subject of a document changes, by the method that the recipe names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module

from seamline.cut.scores import NO_SIGNAL, Signal
from seamline.cut.scores.media import kept_gaps, turns
from seamline.cut.scores.tables import rows
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.types import Document

MakeSignal = Callable[[Document, Recipe, Runtime], Signal]

SIGNALS: Mapping[str, str] = {
    "rechunk": "seamline.cut.scores.alike:alike",
    "semantic": "seamline.cut.scores.strategies:subject",
    "tabular": "seamline.cut.scores.tables:rows",
    "multimodal": "seamline.cut.scores.strategies:multimodal",
    "code": "seamline.cut.scores.code:scopes",
}
"""Per strategy, `module:function` of its `MakeSignal`, imported when it is used. The others go by structure alone."""


def leaf_strategy(recipe: Recipe) -> str:
    """How the lowest level is cut."""
    return recipe.hierarchy.below if recipe.strategy == "hierarchical" else recipe.strategy


def signal_of(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """What the recipe's strategy says about the gaps of a document."""
    strategy = leaf_strategy(recipe)
    if strategy not in SIGNALS:
        return NO_SIGNAL
    module, _, name = SIGNALS[strategy].partition(":")
    make: MakeSignal = getattr(import_module(module), name)
    return make(document, recipe, parts)


def multimodal(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """All that is known of the gaps of a document that is more than running text."""
    speech = turns(document, recipe, parts)
    tables = rows(document, recipe, parts)
    return replace(tables, score={**tables.score, **speech.score}, weight=speech.weight, kept=kept_gaps(document))


METHODS: Mapping[str, str] = {
    "objective": "seamline.cut.scores.semantic:objective",
    "dip": "seamline.cut.scores.semantic:dip",
    "texttiling": "seamline.cut.scores.lexical:texttiling",
    "bayes": "seamline.cut.scores.lexical:bayes",
}
"""Per method, `module:function`, imported when it is used: the last two need no numpy."""
_BY_VECTORS = ("objective", "dip")


def subject(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """What the method says about the gaps of a document."""
    method = recipe.semantic.method
    if method in _BY_VECTORS:
        _ = parts.embedder  # first: it says what to install where numpy is missing
    module, _, name = METHODS[method].partition(":")
    signal: Signal = getattr(import_module(module), name)(document, recipe, parts)
    return signal
