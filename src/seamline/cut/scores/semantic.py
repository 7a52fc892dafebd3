"""Where the subject changes: sentences are turned into vectors, and neighbours that differ are cut apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seamline.cut.scores import Signal
from seamline.cut.scores.objective import Sizes, best_segments
from seamline.cut.scores.runs import Runs, spread
from seamline.cut.scores.units import HEADING, Unit, leaning_by_seam, leanings, measure, sizes, texts, units
from seamline.cut.scores.valleys import chosen, depths
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.types import Document

_LEAN = 2.5
"""What a leaning is worth in a curve, in its standard deviations, for the share of a price that it is elsewhere."""
_STEP = 32
"""A price is a multiple of one part in so many, so that an edit seldom changes it for the whole document."""


def dip(document: Document, recipe: Recipe, parts: Parts) -> Signal:
    """A cut is forced where the sentences on both sides of a gap are less alike than at the gaps around it."""
    found = units(document)
    if len(found) < 2:
        return Signal()
    settings = recipe.semantic
    runs = Runs(parts.embedder.embed(texts(document, found)), 2 * settings.window)
    curve = _curve(runs, settings.window)
    unlikely = settings.blocks * _LEAN * float(curve.std()) * np.array(leanings(found))
    low = chosen(np.round(curve + unlikely, 6).tolist(), settings)
    return _signal(found, curve.tolist(), [at + 1 for at in low], settings.weight)


def objective(document: Document, recipe: Recipe, parts: Parts) -> Signal:
    """A cut is forced between the segments that are the best of all under the recipe's sizes.

    No segment is larger than the target: the rest of the limit is for headings and overlap. So there is nothing left
    to score: what does not fit a chunk is one unit, and goes by structure.
    """
    found = units(document)
    if len(found) < 2:
        return Signal()
    settings, budget = recipe.semantic, recipe.budget
    measured = measure(document, parts.tokenizer)
    tokens = sizes(document, found, parts.tokenizer, measured)
    at_headings = recipe.sections != "paragraph" and not recipe.depth  # a chunk starts there anyway
    seams = [seam for _, _, seam in found]
    apart = frozenset([n for n, seam in enumerate(seams) if seam == HEADING] if at_headings else ())
    allowed = Sizes(tokens, budget.target, budget.floor, apart)
    vectors = parts.embedder.embed(texts(document, found))
    base = round(_STEP * spread(vectors)) / _STEP
    leaning = leaning_by_seam(seams[1:])
    dear = {seam: settings.price * base * max(0.0, 1 + settings.blocks * lean) for seam, lean in leaning.items()}
    price = [0.0, *[dear[seam] for seam in seams[1:]]]
    cuts = best_segments(vectors, price, allowed, settings.distinct * base)
    return Signal(forced=frozenset([found[at].start for at in cuts]), measure=measured)


def _curve(runs: Runs, window: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """For each gap, how alike the units on both sides are, `window` of them where there are so many."""
    middles = np.arange(1, runs.count)
    return runs.likeness(np.maximum(0, middles - window), middles, np.minimum(runs.count, middles + window))


def _signal(found: Sequence[Unit], curve: Sequence[float], cuts: Sequence[int], weight: float) -> Signal:
    """Scores by how deep the curve dips at each gap, and the cuts."""
    deep = zip(found[1:], depths(curve), strict=True)
    score = {unit.start: min(1.0, max(0.0, depth)) for unit, depth in deep}
    return Signal(score, frozenset([found[at].start for at in cuts]), weight)
