"""How alike the units of every short run are, from one pass over their vectors.

All that the semantic methods ask - how coherent a run is, how alike two neighbouring runs are - follows from one
number for each run: the squared length of the sum of its vectors. The numbers come from cosines between near
neighbours, so the cost grows with the units times the longest run, and not with its square.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from seamline.native import VECTORS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Vector

    Places = NDArray[np.int_]

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
    if VECTORS is not None and vectors.dtype == np.float32:
        return float(VECTORS.spread(np.ascontiguousarray(vectors)))
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
