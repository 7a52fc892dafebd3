"""Vectors that a benchmark has made, kept in a file: a second run only ranks."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from seamline.records import Vector


class VectorFile:
    """Vectors by embedder and text, as `seamline.protocols.VectorCache` asks for them."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path)
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def get(self, fingerprint: str, texts: Sequence[str], dimensions: int) -> dict[str, Vector]:
        """The vectors of those texts that are known."""
        found: dict[str, Vector] = {}
        for text in texts:
            row = self._db.execute("SELECT vector FROM vectors WHERE key = ?", (_key(fingerprint, text),)).fetchone()
            if row and len(row[0]) == 4 * dimensions:
                found[text] = np.frombuffer(row[0], np.float32)
        return found

    def put(self, fingerprint: str, texts: Sequence[str], vectors: Vector) -> None:
        """Keep the vectors of these texts."""
        rows = [(_key(fingerprint, text), row.tobytes()) for text, row in zip(texts, vectors, strict=True)]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)


def _key(fingerprint: str, text: str) -> bytes:
    return sha256(fingerprint.encode() + b"\0" + text.encode("utf-8", "surrogatepass")).digest()
