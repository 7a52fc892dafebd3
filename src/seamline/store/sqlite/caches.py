"""What an embedded index remembers of models: vectors by text, and answers by question.

Both are in the truth, so that they are written, proved and moved with it; losing one costs the time to make it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from seamline.store.sqlite.database import Damaged, ReaderPool, seal, unseal
from seamline.store.sqlite.truth import marks, pages, prove_vector
from seamline.store.sqlite.writer import store_vector

if TYPE_CHECKING:
    from seamline.records import Vector


class SqliteVectors:
    """Vectors by embedder and text."""

    def __init__(self, truths: ReaderPool) -> None:
        self._truths = truths

    def get(self, fingerprint: str, texts: Sequence[str], dimensions: int) -> dict[str, Vector]:
        """The vectors of those texts that are known, whole and of this many dimensions."""
        keys = {_key(fingerprint, text): text for text in texts}
        rows: list[tuple[bytes, bytes, bytes]] = []
        with self._truths.lend() as truth:
            for page in pages(keys):
                rows += truth.rows(
                    "SELECT e.key, v.digest, v.vector FROM embeddings e JOIN vectors v ON v.number = e.vector"  # noqa: S608
                    f" WHERE e.key IN ({marks(page)})",
                    page,
                )
        whole = [(key, prove_vector(digest, data)) for key, digest, data in rows if len(data) == 4 * dimensions]
        return {keys[key]: np.frombuffer(data, "<f4").astype(np.float32) for key, data in whole}

    def put(self, fingerprint: str, texts: Sequence[str], vectors: Vector) -> None:
        """Keep the vectors of these texts, all of them or, where this fails, none."""
        with self._truths.lend() as truth, truth.transaction():
            rows = [(_key(fingerprint, text), store_vector(truth, v)) for text, v in zip(texts, vectors, strict=True)]
            truth.run_many("INSERT OR REPLACE INTO embeddings (key, vector) VALUES (?, ?)", rows)


class SqliteAnswers:
    """Answers of language models by key."""

    def __init__(self, truths: ReaderPool) -> None:
        self._truths = truths

    def get(self, key: bytes) -> bytes | None:
        """A known answer; None for one that is missing or damaged."""
        with self._truths.lend() as truth:
            found = truth.value("SELECT answer FROM answers WHERE key = ?", (key,))
        try:
            return None if found is None else unseal(found, "an answer", key)
        except Damaged:
            return None  # asked again, and written anew

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer."""
        with self._truths.lend() as truth, truth.transaction():
            values = (key, seal(answer, key))
            truth.run("INSERT OR REPLACE INTO answers (key, answer) VALUES (?, ?)", values)


def _key(fingerprint: str, text: str) -> bytes:
    content = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return sha256(fingerprint.encode() + b"\0" + content).digest()
