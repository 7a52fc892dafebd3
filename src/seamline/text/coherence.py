"""How well pieces of text hold together, and how much neighbours differ, by their vectors of length 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seamline.records import Vector


def coherence(vectors: Vector) -> float:
    """The mean cosine of all pairs, -1 to 1. A single piece is as coherent as can be; so is none.

    The pairs come from the length of the sum, so that the cost is that of one pass.
    """
    count = len(vectors)
    if count < 2:
        return 1.0
    total = vectors.sum(axis=0, dtype="float64")
    own = (vectors.astype("float64") ** 2).sum()
    return float(min(1.0, max(-1.0, (total @ total - own) / (count * (count - 1)))))


def distinctiveness(left: Vector, right: Vector) -> float:
    """How much two neighbours differ, 0 to 2: 1 less the cosine of their means. Nothing differs from nothing."""
    a, b = (part.sum(axis=0, dtype="float64") for part in (left, right))
    size = float((a @ a) * (b @ b)) ** 0.5
    return float(min(2.0, max(0.0, 1.0 - float(a @ b) / size))) if size > 0 else 0.0
