"""BM25 as every store counts it.

N entries have words, on all levels and whatever a filter lets through; `average` is their mean number of words. A
score is the sum over the distinct words of the query.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
"""How soon another occurrence of a word stops to matter."""
B = 0.75
"""How much a long text is held against it."""


def idf(total: int, holding: int) -> float:
    """What a word is worth that `holding` of `total` entries hold; never below 0."""
    return log(1 + (total - holding + 0.5) / (holding + 0.5))


def weight(occurrences: int, length: int, average: float) -> float:
    """The share of a word's worth that an entry of `length` words earns by its occurrences; below K1 + 1."""
    return occurrences * (K1 + 1) / (occurrences + K1 * (1 - B + B * length / average))


def norms(lengths: NDArray[np.integer], average: float) -> NDArray[np.float64]:
    """What of `weight` depends on the length of an entry, for many at once."""
    import numpy as np

    return np.asarray(K1 * (1 - B + B * lengths / average), np.float64)


def weights(occurrences: NDArray[np.integer], norms: NDArray[np.float64]) -> NDArray[np.float64]:
    """`weight` of many at once, to the last bit, by the norms of their lengths."""
    found: NDArray[np.float64] = occurrences * (K1 + 1) / (occurrences + norms)
    return found
