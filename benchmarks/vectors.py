"""Vectors that a benchmark has made, kept in a file: a second run only ranks."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from seamline.records import Embedding


class VectorFile:
    """Vectors by embedder and text, as `seamline.protocols.VectorCache` asks for them."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path)
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS made (key BLOB PRIMARY KEY, vector BLOB, parts BLOB) WITHOUT ROWID"
        )

    def get(self, fingerprint: str, texts: Sequence[str], dimensions: int) -> dict[str, Embedding]:
        """What is known of those texts."""
        found: dict[str, Embedding] = {}
        for text in texts:
            sql = "SELECT vector, parts FROM made WHERE key = ?"
            row = self._db.execute(sql, (_key(fingerprint, text),)).fetchone()
            if row and len(row[0]) == 4 * dimensions:
                parts = None if row[1] is None else np.frombuffer(row[1], np.int8).reshape(-1, dimensions)
                found[text] = Embedding(np.frombuffer(row[0], np.float32), parts)
        return found

    def put(self, fingerprint: str, texts: Sequence[str], made: Sequence[Embedding]) -> None:
        """Keep what was made of these texts."""
        rows = [
            (_key(fingerprint, text), vector.tobytes(), None if parts is None else parts.tobytes())
            for text, (vector, parts) in zip(texts, made, strict=True)
        ]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO made VALUES (?, ?, ?)", rows)


def _key(fingerprint: str, text: str) -> bytes:
    return sha256(fingerprint.encode() + b"\0" + text.encode("utf-8", "surrogatepass")).digest()
