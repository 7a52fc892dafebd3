"""64 bits that near-duplicates almost share."""

from __future__ import annotations

from collections.abc import Sequence

from seamline.text.shingles import shingles
from seamline.text.words import words


def text_sketch(text: str) -> int:
    """The sketch of a text's words."""
    return sketch(words(text))


def sketch(words: Sequence[str]) -> int:
    """SimHash of the runs of three words, as a signed integer.

    Texts that differ in one word of a hundred differ in about 3 of the bits; unrelated ones in about 32.
    """
    import numpy as np

    if not words:
        return 0
    runs = shingles(words)
    bits = np.unpackbits(runs.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1)
    majority = np.packbits(bits.sum(axis=0) * 2 > len(runs))
    return int.from_bytes(majority.tobytes(), "big", signed=True)
