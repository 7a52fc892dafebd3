"""What every embedder does to texts before the model, and to vectors after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Vector


def readable(text: str) -> str:
    """The text without lone surrogates, which no tokenizer and no server reads: each becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def unit(rows: NDArray[np.floating]) -> Vector:
    """Rows scaled to length 1. A row of zeros has no direction and must not come here."""
    wide = rows.astype(np.float64)
    # First by the largest number, so that the squares of tiny and of huge ones stay within range.
    wide /= np.abs(wide).max(axis=-1, keepdims=True)
    wide /= np.linalg.norm(wide, axis=-1, keepdims=True)
    return wide.astype(np.float32)
