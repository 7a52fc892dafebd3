"""The best segments of all: coherent in themselves, unlike their neighbours, within the limits.

Among all ways to cut a row of units it finds the one with the largest

    sum over segments of size * c(segment)  -  sum over cuts of price  +  distinct * sum over cuts of d(left, right)

where c is the mean cosine of all pairs of a segment's units, each with itself included, and d is 1 less the cosine of
the means of the two segments at a cut. Taking a segment apart always raises the first sum, by the squared distance of
the means of the parts: a difference must be worth the price. The search is exact, and linear in the number of units:
no segment is larger than the room, or has more than `MOST` units.

How alike the units of every short run are, from one pass over their vectors.

All that the semantic methods ask - how coherent a run is, how alike two neighbouring runs are - follows from one
number for each run: the squared length of the sum of its vectors. The numbers come from cosines between near
neighbours, so the cost grows with the units times the longest run, and not with its square.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from seamline.native import KERNELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Vector

    Places = NDArray[np.int_]


MOST = 96
"""Units of one segment."""


class Sizes(NamedTuple):
    """What a segment may measure."""

    tokens: Sequence[int]
    """Of each unit."""
    most: int
    """Of a segment, unless one unit alone has more."""
    least: int = 0
    """A segment with fewer is taken only where there is no other way."""
    apart: frozenset[int] = frozenset()
    """Units that start a segment whatever the price, as under a heading."""


def best_segments(vectors: Vector, price: Sequence[float], sizes: Sizes, distinct: float = 0.0) -> list[int]:
    """The units that start a segment, by the compiled search where it can: the difference of neighbours counts in
    Python only."""
    if KERNELS is None or distinct or vectors.dtype != np.float32:
        return segments(runs_of(vectors, sizes, distinct), price, sizes, distinct)
    cuts: list[int] = KERNELS.segments(
        np.ascontiguousarray(vectors), list(sizes.tokens), sizes.most, sizes.least, MOST, flags(sizes), list(price)
    )
    return cuts


def flags(sizes: Sizes) -> bytes:
    """For each unit, 1 where a segment must start."""
    apart = bytearray(len(sizes.tokens))
    for unit in sizes.apart:
        apart[unit] = 1
    return bytes(apart)


def runs_of(vectors: Vector, sizes: Sizes, distinct: float = 0.0, most: int = MOST) -> Runs:
    """All runs of units that are compared: those that can be a segment, and two of them side by side."""
    longest = reach(longest_starts(sizes, most))
    return Runs(vectors, 2 * longest if distinct else longest)


def segments(runs: Runs, price: Sequence[float], sizes: Sizes, distinct: float = 0.0) -> list[int]:
    """The units that start a segment, the first one excluded. `price` is that of a cut before each unit."""
    if runs.count < 2:
        return []
    firsts = longest_starts(sizes)
    worth = run_worth(runs, sizes, reach(firsts))
    return _by_pairs(runs, price, firsts, worth, distinct) if distinct else search_ends(price, firsts, worth)


def longest_starts(sizes: Sizes, most: int = MOST) -> list[int]:
    """For each end, from 0 to the last, where the longest segment that ends there starts; it has `most` units at
    most."""
    sums = list(accumulate(sizes.tokens, initial=0))
    starts = [0]
    start = 0
    for end in range(1, len(sums)):
        if end - 1 in sizes.apart:
            start = end - 1
        while start < end - 1 and (sums[end] - sums[start] > sizes.most or end - start > most):
            start += 1
        starts.append(start)
    return starts


def reach(firsts: Sequence[int]) -> int:
    """How many units the longest possible segment has."""
    return max(end - first for end, first in enumerate(firsts))


def run_worth(runs: Runs, sizes: Sizes, longest: int) -> NDArray[np.float64]:
    """What the segment of n units that ends at a unit adds, at [end, n]."""
    count = runs.count
    sums = np.array(list(accumulate(sizes.tokens, initial=0)), np.float64)
    worth = np.zeros((count + 1, longest + 1))
    for size in range(1, longest + 1):
        worth[size:, size] = runs.square[size, : count + 1 - size] / size
        if sizes.least:
            short = sums[size:] - sums[: count + 1 - size] < sizes.least
            worth[size:, size] -= np.where(short, float(count), 0.0)  # more than any segments can make up for
    return worth


def search_ends(price: Sequence[float], firsts: Sequence[int], worth: NDArray[np.float64]) -> list[int]:
    """The best way to each end, from the best ways to the ends before; ties go to the longer segment."""
    count = len(firsts) - 1
    paid = [0.0]  # the best up to each unit, less the price of a cut before it
    came = [0]
    for end in range(1, count + 1):
        first = firsts[end]
        added = worth[end, end - first : 0 : -1].tolist()  # lists: most are shorter than numpy is worth
        ways = [before + value for before, value in zip(paid[first:], added, strict=True)]
        best = max(ways)
        came.append(first + ways.index(best))
        paid.append(best - (price[end] if end < count else 0.0))
    cuts: list[int] = []
    at = came[count]
    while at > 0:
        cuts.append(at)
        at = came[at]
    return cuts[::-1]


def _by_pairs(
    runs: Runs, price: Sequence[float], firsts: Sequence[int], worth: NDArray[np.float64], distinct: float
) -> list[int]:
    """As above, where a segment's worth also hangs on the one before: the best way to each pair of start and end."""
    count = len(firsts) - 1
    lasts = [bisect_right(firsts, start) - 1 for start in range(count)]  # where the longest from each start ends
    best = np.full(worth.shape, -np.inf)  # [end, size] of the last segment
    came = np.zeros(worth.shape, np.int64)  # where the segment before it starts
    sizes = np.arange(1, lasts[0] + 1)
    best[sizes, sizes] = worth[sizes, sizes]
    for middle in range(1, count):
        starts = np.arange(firsts[middle], middle)
        ends = np.arange(middle + 1, lasts[middle] + 1)
        unlike = 1.0 - runs.likeness(starts[:, None], np.array([[middle]]), ends[None, :])
        total = best[middle, middle - starts][:, None] + distinct * unlike
        at = total.argmax(axis=0)
        sizes = ends - middle
        best[ends, sizes] = total[at, np.arange(len(ends))] + worth[ends, sizes] - price[middle]
        came[ends, sizes] = starts[at]
    end, size = count, int(best[count, count - firsts[count] : 0 : -1].argmax())
    start = firsts[count] + size
    cuts: list[int] = []
    while start > 0:
        cuts.append(start)
        start, end = int(came[end, end - start]), start
    return cuts[::-1]


_BLOCK = 64
"""Units whose cosines are taken at once: in a larger square, most pairs are too far apart to matter."""
_DIGITS = 5
"""Decimals of a cosine that count: what machines add up differently is in later ones."""
_NOTHING = 1e-9
"""Squared length of a sum that has no direction."""


class Runs:
    """The runs of up to `longest` units: `square[n, i]` is the squared length of the sum of the units i to i + n."""

    def __init__(self, vectors: Vector, longest: int) -> None:
        count = len(vectors)
        self.count = count
        self.longest = max(1, min(longest, count))
        shared = _cosines(vectors, self.longest - 1)
        np.cumsum(shared, axis=1, out=shared)
        self.square: NDArray[np.float64] = np.zeros((self.longest + 1, count))
        self.square[1] = 1.0
        for size in range(1, self.longest):
            starts = count - size
            grown = self.square[size, :starts] + 2 * shared[size:, size - 1] + 1
            self.square[size + 1, :starts] = np.maximum(grown, 0.0)

    def likeness(
        self, starts: NDArray[np.int_], middles: NDArray[np.int_], ends: NDArray[np.int_]
    ) -> NDArray[np.float64]:
        """Cosine of the means of each run [start, middle) and the next, [middle, end); 0 where one has no direction."""
        left = self.square[middles - starts, starts]
        right = self.square[ends - middles, middles]
        both = self.square[ends - starts, starts]
        size = np.sqrt(left * right)
        cosine = (both - left - right) / 2 / np.where(size > _NOTHING, size, 1.0)
        return np.clip(np.where(size > _NOTHING, cosine, 0.0), -1.0, 1.0)


def spread(vectors: Vector) -> float:
    """How much the units of a document differ: 1 less the mean cosine of all pairs, 0 to 2."""
    if KERNELS is not None and vectors.dtype == np.float32:
        return float(KERNELS.spread(np.ascontiguousarray(vectors)))
    return plain_spread(vectors)


def plain_spread(vectors: Vector) -> float:
    """The same in Python: what the compiled core is compared with, but for the last digits."""
    count = len(vectors)
    total = vectors.sum(axis=0, dtype=np.float64)
    return 1.0 - float(total @ total - count) / (count * (count - 1))


def _cosines(vectors: Vector, reach: int) -> NDArray[np.float64]:
    """One row for each unit: its cosine to the unit before it, the one before that, and so on; 0 before the first."""
    count = len(vectors)
    out = np.zeros((count, max(1, reach)))
    back = np.arange(1, reach + 1)
    for low in range(0, count, _BLOCK):
        high = min(low + _BLOCK, count)
        first = max(0, low - reach)
        near = vectors[low:high] @ vectors[first:high].T
        rows = np.arange(low, high)[:, None]
        columns = rows - back - first
        found = np.take_along_axis(near, np.maximum(columns, 0), axis=1)
        out[low:high, :reach] = np.where(rows >= back, found, 0.0)
    return np.round(out, _DIGITS, out=out)
