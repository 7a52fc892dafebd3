"""Vectors and words together: the segments that are coherent by their meaning and likely by their words.

Vectors say what sentences are about and overlook the name that one passage keeps and the next never has; words see
that name and overlook that two passages say the same in other words. One exact search weighs both: the coherence of
the objective, in units of the price of a cut, and the likelihood of the Bayesian segmenter, in nats.
"""

from __future__ import annotations

import numpy as np

from seamline.cut.scores import Signal
from seamline.cut.scores.lexical import LEAN, Likelihoods, bags_of, cut_odds, likelihoods
from seamline.cut.scores.objective import Sizes, longest_starts, reach, run_worth, runs_of, search_ends, spread
from seamline.cut.scores.semantic import HEADING, leanings, sizes, texts, units
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.types import Document

NATS = 14.0
"""What the price of a cut is worth beside the likelihood of words; from 4 to 24, F1 of the dev half is within .02."""
_NEVER = -1e9


def ensemble(document: Document, recipe: Recipe, runtime: Runtime) -> Signal:
    """A cut is forced between the segments that are best by both."""
    found = units(document)
    if len(found) < 2:
        return Signal()
    settings, budget = recipe.semantic, recipe.budget
    tokens = sizes(document, found, runtime.tokenizer)
    at_headings = recipe.sections != "paragraph" and not recipe.depth  # a chunk starts there anyway
    apart = frozenset(n for n, unit in enumerate(found) if unit.seam == HEADING) if at_headings else frozenset[int]()
    allowed = Sizes(tokens, budget.target, budget.floor, apart)
    vectors = runtime.embedder.embed(texts(document, found))
    runs = runs_of(vectors, allowed)
    firsts = longest_starts(allowed)
    base = max(spread(vectors), _LEAST)
    worth = NATS * run_worth(runs, allowed, reach(firsts)) / (max(settings.price, _CHEAPEST) * base)
    worth += _by_words(likelihoods(bags_of(document, found), tokens, budget.target), worth.shape)
    odds = cut_odds(tokens, budget.target)
    price = [0.0, *(NATS * max(0.0, 1 + settings.blocks * lean) - odds + LEAN * settings.blocks * lean
                    for lean in leanings(found))]  # fmt: skip
    cuts = search_ends([round(value, 6) for value in price], firsts, worth)
    return Signal(forced=frozenset(found[at].start for at in cuts))


_LEAST = 0.05
"""The spread of a document whose sentences are all alike."""
_CHEAPEST = 0.01
"""The price of a cut below which only coherence counts, and likelihoods no longer add to it."""


def _by_words(seen: Likelihoods, shape: tuple[int, ...]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The likelihoods at [end, size]; what words cannot be asked about is never taken."""
    out = np.full((shape[0], shape[1]), _NEVER)
    for end, row in enumerate(seen):
        size = min(len(row), shape[1] - 1)
        out[end, 1 : size + 1] = row[:size]
    return out
