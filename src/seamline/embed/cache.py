"""Vectors that were computed once, on disk: one SQLite file that several processes may use at a time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from seamline.sealed import Layout, SealedRows

if TYPE_CHECKING:
    from seamline.records import Vector

LAYOUT = Layout("vector cache", "vectors", "vector", 0x5EA3CAC8)


class VectorCache:
    """Vectors by embedder and text. A row whose checksum is wrong counts as missing, and is written anew.

    Nothing here is worth a backup: deleting the file costs the time to compute its vectors again.
    """

    def __init__(self, path: str | os.PathLike[str], *, most_bytes: int | None = None) -> None:
        """`most_bytes`: about how large the file may grow before its oldest rows make room; None for no bound."""
        self._rows = SealedRows(path, LAYOUT, most_bytes)
        self.path = self._rows.path

    def get(self, fingerprint: str, texts: Sequence[str], dimensions: int) -> dict[str, Vector]:
        """The vectors of those texts that are known, whole and of this many dimensions."""
        keys = {_key(fingerprint, text): text for text in texts}
        return {
            keys[key]: np.frombuffer(data, "<f4").astype(np.float32)
            for key, data in self._rows.get(list(keys)).items()
            if len(data) == 4 * dimensions
        }

    def put(self, fingerprint: str, texts: Sequence[str], vectors: Vector) -> None:
        """Keep the vectors of these texts, all of them or, where this fails, none."""
        pairs = zip(texts, vectors, strict=True)
        self._rows.put({_key(fingerprint, text): vector.astype("<f4").tobytes() for text, vector in pairs})

    def count(self) -> int:
        """How many vectors are kept, of all embedders."""
        return self._rows.count()

    def close(self) -> None:
        """Give the file back; the cache cannot be used after."""
        self._rows.close()

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _key(fingerprint: str, text: str) -> bytes:
    content = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return sha256(fingerprint.encode() + b"\0" + content).digest()
