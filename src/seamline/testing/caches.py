"""Vectors and answers that are kept in memory, for tests of those who use such caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seamline.records import Vector


class MemoryVectors:
    """Vectors by embedder and text."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Vector] = {}

    def get(self, fingerprint: str, texts: Sequence[str], dimensions: int) -> dict[str, Vector]:
        """The vectors of those texts that are known."""
        found = {text: self._kept[fingerprint, text] for text in texts if (fingerprint, text) in self._kept}
        return {text: vector for text, vector in found.items() if len(vector) == dimensions}

    def put(self, fingerprint: str, texts: Sequence[str], vectors: Vector) -> None:
        """Keep the vectors of these texts."""
        self._kept.update({(fingerprint, text): vector for text, vector in zip(texts, vectors, strict=True)})
