"""Where the subject changes: sentences are turned into vectors, and neighbours that differ are cut apart.

Where a curve of similarities has its valleys, and which of them are deep enough to cut at.

A curve has one number for each gap between two units: how alike its two sides are. Pure numbers, no text, no model.

What is compared when a strategy asks what a document is about, piece by piece.

A unit is a sentence of a paragraph or of a turn of speech that stands at the top level; any other block is one unit.
Headings belong to what follows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import sqrt
from typing import NamedTuple

import numpy as np

from seamline.cut.scores import Signal
from seamline.cut.scores.objective import Runs, Sizes, best_segments, spread
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Semantic
from seamline.runtime import Runtime
from seamline.text.sentences import sentence_starts
from seamline.types import Document

_LEAN = 2.5
"""What a leaning is worth in a curve, in its standard deviations, for the share of a price that it is elsewhere."""
_STEP = 32
"""A price is a multiple of one part in so many, so that an edit seldom changes it for the whole document."""


def dip(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
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


def objective(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """A cut is forced between the segments that are the best of all under the recipe's sizes.

    No segment is larger than the target: the rest of the limit is for headings and overlap. So there is nothing left
    to score: what does not fit a chunk is one unit, and goes by structure.
    """
    found = units(document)
    if len(found) < 2:
        return Signal()
    settings, budget = recipe.semantic, recipe.budget
    tokens = sizes(document, found, parts.tokenizer)
    at_headings = recipe.sections != "paragraph" and not recipe.depth  # a chunk starts there anyway
    seams = [seam for _, _, seam in found]
    apart = frozenset([n for n, seam in enumerate(seams) if seam == HEADING] if at_headings else ())
    allowed = Sizes(tokens, budget.target, budget.floor, apart)
    vectors = parts.embedder.embed(texts(document, found))
    base = round(_STEP * spread(vectors)) / _STEP
    leaning = leaning_by_seam(seams[1:], CHEAPEST_BREAK)
    dear = {seam: settings.price * base * max(0.0, 1 + settings.blocks * lean) for seam, lean in leaning.items()}
    price = [0.0, *[dear[seam] for seam in seams[1:]]]
    cuts = best_segments(vectors, price, allowed, settings.distinct * base)
    return Signal(forced=frozenset([found[at].start for at in cuts]))


def _curve(runs: Runs, window: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """For each gap, how alike the units on both sides are, `window` of them where there are so many."""
    middles = np.arange(1, runs.count)
    return runs.likeness(np.maximum(0, middles - window), middles, np.minimum(runs.count, middles + window))


def _signal(found: Sequence[Unit], curve: Sequence[float], cuts: Sequence[int], weight: float) -> Signal:
    """Scores by how deep the curve dips at each gap, and the cuts."""
    deep = zip(found[1:], depths(curve), strict=True)
    score = {unit.start: min(1.0, max(0.0, depth)) for unit, depth in deep}
    return Signal(score, frozenset([found[at].start for at in cuts]), weight)


_DIGITS = 6
"""Decimals of a threshold. Sums of many numbers differ in later ones."""


def depths(curve: Sequence[float]) -> list[float]:
    """How far each point lies below the hills around it: the sum of the climbs to the left and to the right."""
    left = list(_hills(curve))
    right = list(_hills(curve[::-1]))[::-1]
    return [a + b - 2 * here for a, b, here in zip(left, right, curve, strict=True)]


def _hills(curve: Sequence[float]) -> Iterator[float]:
    """The height that is reached from each point when one walks back as long as it goes up."""
    hill = last = float("-inf")
    for here in curve:
        hill = hill if here <= last else here
        last = here
        yield hill


def minima(curve: Sequence[float]) -> Iterator[int]:
    """The points lower than those around them; of a flat bottom, the first. The two ends of a curve count."""
    fell = True
    start = 0
    for at in range(1, len(curve) + 1):
        if at < len(curve) and curve[at] == curve[at - 1]:
            continue
        rises = at == len(curve) or curve[at] > curve[at - 1]
        if fell and rises:
            yield start
        fell = not rises
        start = at


def chosen(curve: Sequence[float], settings: Semantic) -> list[int]:
    """The minima that are low enough, by the threshold of the settings."""
    if len(curve) == 0 or min(curve) == max(curve):
        return []
    if settings.threshold == "gradient":
        steep = [-value for value in _steepness(curve)]
        highest = _percentile(steep, settings.percentile)
        return [at for at in minima(curve) if steep[at] <= highest and steep[at] < 0]
    if settings.threshold == "percentile":
        highest = _percentile(curve, settings.percentile)
        return [at for at in minima(curve) if curve[at] <= highest]
    below = _deviations(curve, settings.alpha, settings.sliding)
    return [at for at in minima(curve) if curve[at] < below[at]]


def _steepness(curve: Sequence[float]) -> list[float]:
    """How steeply the curve falls to each point and rises after it."""
    before = [curve[0], *curve[:-1]]
    after = [*curve[1:], curve[-1]]
    return [a + b - 2 * here for a, b, here in zip(before, after, curve, strict=True)]


def _percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` per cent of the others are not above, by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share / 100))]


def _deviations(curve: Sequence[float], alpha: float, sliding: int) -> list[float]:
    """Mean less alpha times the standard deviation, of all of the curve or of so many points around each."""
    count = len(curve)
    sums = list(accumulate(curve, initial=0.0))
    squares = list(accumulate((value * value for value in curve), initial=0.0))

    def below(low: int, high: int) -> float:
        mean = (sums[high] - sums[low]) / (high - low)
        variance = (squares[high] - squares[low]) / (high - low) - mean * mean
        return round(mean - alpha * sqrt(max(0.0, variance)), _DIGITS)

    if not sliding:
        return [below(0, count)] * count
    half = max(1, sliding // 2)
    return [below(max(0, at - half), min(count, at + half + 1)) for at in range(count)]


LONGEST = 500
"""Characters of a unit that are looked at: the start of a long listing says what it is about."""
SENTENCE, BLOCK, HEADING = 1, 0, -1
_OPENED = frozenset(("paragraph", "turn"))
_STEPS = 16


class Unit(NamedTuple):
    """A span of the document that is compared as a whole. A cut before it is possible."""

    start: int
    end: int
    seam: int
    """What it starts with: a heading, a block, or a sentence inside a block. The lower, the likelier a new subject."""


def units(document: Document) -> list[Unit]:
    """The units of a document, in order. Headings with nothing under them are none."""
    out: list[Unit] = []
    headed = -1  # where the headings above the next block start
    for top in document.tops:
        block = document.blocks[top]
        if block.kind == "heading":
            headed = block.start if headed < 0 else headed
            continue
        seam = BLOCK if headed < 0 else HEADING
        start = block.start if headed < 0 else headed
        headed = -1
        inner = sentence_starts(document.text, block.start, block.end)[1:] if block.kind in _OPENED else []
        for at, until in pairwise((start, *inner, block.end)):
            out.append(Unit(at, until, seam))
            seam = SENTENCE
    return out


def texts(document: Document, found: Sequence[Unit]) -> list[str]:
    """What each unit says, a very long one cut short."""
    text = document.text
    return [text[start : end if end - start < LONGEST else start + LONGEST] for start, end, _ in found]


def sizes(document: Document, found: Sequence[Unit], tokenizer: Tokenizer) -> list[int]:
    """The tokens of each unit."""
    text = document.text
    return [tokenizer.count(text[start:end]) for start, end, _ in found]


def leanings(found: Sequence[Unit]) -> list[float]:
    """For the gap before each unit but the first, how much less likely a change of subject is there than at most
    others of the document, by the seam alone: -2 to 2. All are 0 where the document has one kind of gap."""
    seams = [seam for _, _, seam in found[1:]]
    leaning = leaning_by_seam(seams)
    return [leaning[seam] for seam in seams]


_LIKELIEST = 0.5
"""How much likelier a change of subject is between paragraphs than elsewhere, at most. Without a bound, documents of
long paragraphs were cut at nearly every one of them."""
CHEAPEST_BREAK = 0.3
"""The same where a cut has a price. At 0.5, the price that finds changes in text without paragraphs cut articles too
often: .83 of the cuts in the dev half were right, instead of .88."""


def leaning_by_seam(seams: Sequence[int], likeliest: float = _LIKELIEST) -> dict[int, float]:
    """The same for each kind of gap; `seams` are those of all units but the first."""
    usual = round(_STEPS * sum(seams) / len(seams)) / _STEPS if seams else 0.0  # in steps: an edit seldom moves it
    return {HEADING: HEADING - usual, BLOCK: max(BLOCK - usual, -likeliest), SENTENCE: SENTENCE - usual}
