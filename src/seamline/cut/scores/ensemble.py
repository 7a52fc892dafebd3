"""Vectors and words together: the segments that are coherent by their meaning and likely by their words.

Vectors say what sentences are about and overlook the name that one passage keeps and the next never has; words see
that name and overlook that two passages say the same in other words. One exact search weighs both: the coherence of
the objective, in units of the price of a cut, and the likelihood of the Bayesian segmenter, in nats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from seamline.cut.scores import Signal
from seamline.cut.scores.lexical import LEAN, MOST, WordTerms, add_terms, bags_of, cut_odds, word_terms
from seamline.cut.scores.objective import Sizes, flags, longest_starts, reach, run_worth, runs_of, search_ends, spread
from seamline.cut.scores.semantic import CHEAPEST_BREAK, HEADING, leaning_by_seam, sizes, texts, units
from seamline.native import KERNELS
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.types import Document

if TYPE_CHECKING:
    from seamline.records import Vector

NATS = 14.0
"""What the price of a cut is worth beside the likelihood of words; from 10 to 24, F1 of the dev half is within .01."""
_LEAST = 0.05
"""The spread of a document whose sentences are all alike."""
_CHEAPEST = 0.01
"""The price of a cut below which only coherence counts, and likelihoods no longer add to it."""
_DIGITS = 6


def ensemble(document: Document, recipe: Recipe, runtime: Runtime) -> Signal:
    """A cut is forced between the segments that are best by both."""
    found = units(document)
    if len(found) < 2:
        return Signal()
    settings, budget = recipe.semantic, recipe.budget
    tokens = sizes(document, found, runtime.tokenizer)
    at_headings = recipe.sections != "paragraph" and not recipe.depth  # a chunk starts there anyway
    seams = [seam for _, _, seam in found]
    apart = frozenset([n for n, seam in enumerate(seams) if seam == HEADING] if at_headings else ())
    said = texts(document, found)
    vectors = runtime.embedder.embed(said)
    unit = max(settings.price, _CHEAPEST) * max(spread(vectors), _LEAST)
    odds = cut_odds(tokens, budget.target)
    dear = {
        seam: round(NATS * max(0.0, 1 + settings.blocks * lean) - odds + LEAN * settings.blocks * lean, _DIGITS)
        for seam, lean in leaning_by_seam(seams[1:], CHEAPEST_BREAK).items()
    }
    price = [0.0, *[dear[seam] for seam in seams[1:]]]
    allowed = Sizes(tokens, budget.target, budget.floor, apart)
    cuts = best_by_both(vectors, word_terms(bags_of(said)), price, allowed, unit)
    return Signal(forced=frozenset([found[at].start for at in cuts]))


def best_by_both(vectors: Vector, terms: WordTerms, price: Sequence[float], sizes: Sizes, unit: float) -> list[int]:
    """The units that start a segment, by the compiled search where there is one. `unit` is the coherence that is worth
    `NATS`."""
    if KERNELS is None or vectors.dtype != np.float32:
        return plain_best(vectors, terms, price, sizes, unit)
    rows, tokens, limits = np.ascontiguousarray(vectors), list(sizes.tokens), (sizes.most, sizes.least, MOST)
    cuts: list[int] = KERNELS.segments(rows, tokens, *limits, flags(sizes), list(price), NATS, unit, *terms)
    return cuts


def plain_best(vectors: Vector, terms: WordTerms, price: Sequence[float], sizes: Sizes, unit: float) -> list[int]:
    """The same in Python: what the compiled core is compared with."""
    firsts = longest_starts(sizes, MOST)
    worth = NATS * run_worth(runs_of(vectors, sizes, most=MOST), sizes, reach(firsts)) / unit
    for end, row in enumerate(add_terms(terms, sizes.tokens, sizes.most)):
        size = min(len(row), worth.shape[1] - 1)  # a heading may forbid the longer ones
        worth[end, 1 : size + 1] += row[:size]
    return search_ends(price, firsts, worth)
