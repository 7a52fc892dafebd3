"""64 bits that near-duplicates almost share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from seamline.native import KERNELS
from seamline.text.words import WORD_KERNEL, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

_SHINGLE = 3
"""Words hashed together: single words would make all texts about one subject alike."""
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Odd and unlike, one for each place in a run: the same words in another order are another run."""
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
"""Shifts and factors that let every bit of a sum reach every bit of its hash."""
_REMEMBERED = 1 << 16


def text_sketch(text: str) -> int:
    """The sketch of a text's words."""
    if KERNELS is None:
        return sketch(words(text))
    found: int | None = WORD_KERNEL.sketch(text)
    return int(KERNELS.sketch_words(words(text))) if found is None else found


def sketch(words: Sequence[str]) -> int:
    """SimHash of the runs of three words, as a signed integer.

    Texts that differ in one word of a hundred differ in about 3 of the bits; unrelated ones in about 32.
    """
    import numpy as np

    if not words:
        return 0
    runs = np.unique(_runs(np.fromiter(map(_hash, words), np.uint64, len(words))))
    bits = np.unpackbits(runs.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1)
    majority = np.packbits(bits.sum(axis=0) * 2 > len(runs))
    return int.from_bytes(majority.tobytes(), "big", signed=True)


def _runs(words: Hashes) -> Hashes:
    """The hash of every run of three words; of all of them where there are fewer. Sums and products wrap around."""
    import numpy as np

    width = min(_SHINGLE, len(words))
    count = len(words) - width + 1
    runs = np.zeros(count, np.uint64)
    for place, factor in enumerate(_FACTORS[:width]):
        runs += words[place : place + count] * np.uint64(factor)
    for shift, factor in _MIX:
        runs = (runs ^ (runs >> np.uint64(shift))) * np.uint64(factor)
    return runs


@lru_cache(_REMEMBERED)
def _hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
