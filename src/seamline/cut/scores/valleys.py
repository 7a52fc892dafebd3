"""Where a curve of similarities has its valleys, and which of them are deep enough to cut at.

A curve has one number for each gap between two units: how alike its two sides are. Pure numbers, no text, no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import sqrt

from seamline.strategies import Semantic

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
