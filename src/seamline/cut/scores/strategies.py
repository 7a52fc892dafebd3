"""Strategies as a table: what each tells the one engine. None has rules about sizes of its own.

Multimodal: speech by its pauses, pictures with what is said of them, tables by their rows.

Semantic: where the subject of a document changes, by the method that the recipe names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import cast

from seamline import registry
from seamline.cut.scores import NO_SIGNAL, Signal
from seamline.cut.scores.media import forbidden_gaps
from seamline.cut.scores.tables import rows
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.text.questions import questions
from seamline.types import Document

_ANSWERS = 0.8
"""What a question says of the gap before it, against structure."""
MakeSignal = Callable[[Document, Recipe, Runtime], Signal]


def leaf_strategy(recipe: Recipe) -> str:
    """How the lowest level is cut."""
    return recipe.hierarchy.below if recipe.strategy == "hierarchical" else recipe.strategy


def signal_of(document: Document, recipe: Recipe, runtime: Runtime) -> Signal:
    """What the recipe's strategy says about the gaps of a document."""
    strategy = leaf_strategy(recipe)
    make = cast(MakeSignal | None, registry.find(registry.STRATEGIES, strategy))
    if make is None:
        return _conversation(document, recipe, runtime) or _answers(document)
    plugin = registry.plugin_named(registry.STRATEGIES, strategy)
    with registry.blame(plugin):
        signal = make(document, recipe, runtime)
        if plugin is not None:
            _check(signal, len(document.text))
    return signal


def _conversation(document: Document, recipe: Recipe, runtime: Runtime) -> Signal | None:
    """What a document says about its gaps if most of what it has at the top are turns; None where that is not so."""
    blocks, tops = document.blocks, document.tops
    if 2 * sum([blocks[top][0] == "turn" for top in tops]) <= len(tops):
        return None
    from seamline.cut.scores.conversation import conversation

    return conversation(document, recipe, runtime)


def _answers(document: Document) -> Signal:
    """A question stays with its answer, and the best cut is before the next question; nothing where there are none."""
    asked = frozenset(questions(document))
    if not asked:
        return NO_SIGNAL
    blocks = [document.blocks[top] for top in document.tops]
    forbidden = frozenset(
        after.start
        for before, after in pairwise(blocks)
        if before.kind == "paragraph" and before.start in asked and after.start not in asked and after.kind != "heading"
    )
    starts = {block.start for block in blocks[1:]}
    return Signal(dict.fromkeys(asked & starts, 1.0), weight=_ANSWERS, forbidden=forbidden)


def _check(signal: object, length: int) -> None:
    """Refuse what a plugin may not say: packers rely on scores of 0 to 1 at gaps inside of the text."""
    if not isinstance(signal, Signal):
        raise TypeError(f"expected a Signal, got {type(signal).__name__}")
    for offset in (*signal.score, *signal.forced, *signal.forbidden):
        if not (isinstance(offset, int) and 0 <= offset <= length):
            raise ValueError(f"expected offsets of 0..{length}, got {offset!r}")
    for number in (signal.weight, *signal.score.values()):
        if not 0 <= number <= 1:
            raise ValueError(f"expected a weight and scores of 0..1, got {number!r}")


def multimodal(document: Document, recipe: Recipe, runtime: Runtime) -> Signal:
    """All that is known of the gaps of a document that is more than running text."""
    if signal := _conversation(document, recipe, runtime):
        return signal
    return replace(rows(document, recipe, runtime), forbidden=forbidden_gaps(document))


_BY_VECTORS = ("objective", "ensemble", "dip")


def subject(document: Document, recipe: Recipe, runtime: Runtime) -> Signal:
    """What the method says about the gaps of a document."""
    method = recipe.semantic.method
    if method in _BY_VECTORS:
        _ = runtime.embedder  # first: it says what to install where numpy is missing
    make = cast(MakeSignal, registry.find(registry.METHODS, method))
    return make(document, recipe, runtime)
