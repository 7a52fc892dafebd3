"""Runs of three words as hashes: what two texts share of them says how much of one stands in the other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

SHINGLE = 3
"""Words hashed together: single words would make all texts about one subject alike."""
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Odd and unlike, one for each place in a run: the same words in another order are another run."""
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
"""Shifts and factors that let every bit of a sum reach every bit of its hash."""
_REMEMBERED = 1 << 14
"""Words whose hashes are remembered: 3 MB."""


def shingles(words: Sequence[str]) -> Hashes:
    """The distinct hashes of all runs of three words, ascending; of all words together where there are fewer."""
    import numpy as np

    runs = np.sort(_runs(np.fromiter(map(_hash, words), np.uint64, len(words))))
    is_new = np.ones(len(runs), bool)  # not np.unique, which loads masked arrays at its first call
    np.not_equal(runs[1:], runs[:-1], out=is_new[1:])
    return runs[is_new]


def similarity(left: Hashes, right: Hashes) -> float:
    """The share of two sets of shingles that both have, 0-1 (Jaccard). Two empty sets are not alike."""
    import numpy as np

    shorter, longer = sorted((left, right), key=len)
    if not len(shorter):
        return 0.0
    places = np.minimum(np.searchsorted(longer, shorter), len(longer) - 1)
    both = int(np.count_nonzero(longer[places] == shorter))
    return both / (len(left) + len(right) - both)


def _runs(words: Hashes) -> Hashes:
    """The hash of every run of three words; of all of them where there are fewer. Sums and products wrap around."""
    import numpy as np

    width = min(SHINGLE, len(words))
    count = len(words) - width + 1 if width else 0
    runs = np.zeros(count, np.uint64)
    for place, factor in enumerate(_FACTORS[:width]):
        runs += words[place : place + count] * np.uint64(factor)
    for shift, factor in _MIX:
        runs = (runs ^ (runs >> np.uint64(shift))) * np.uint64(factor)
    return runs


@lru_cache(_REMEMBERED)
def _hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
