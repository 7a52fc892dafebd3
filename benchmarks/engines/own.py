"""Seamline's own structures as the SQLite store uses them: segments of postings and codes, without a truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines.vectors import Array, Matrix
from benchmarks.engines.words import Texts, batches
from seamline.store.sqlite import clusters, segments
from seamline.store.sqlite.corpus import Arranged, Corpus
from seamline.store.sqlite.database import Database
from seamline.store.sqlite.segments import Loose
from seamline.store.sqlite.structures import Made
from seamline.store.sqlite.words import count_words

_BLOCK = 20_000
_NOTHING = np.empty(0, np.int64)


def _database(folder: Path, create: bool = False) -> Database:
    folder.mkdir(parents=True, exist_ok=True)
    db = Database(folder / "search.db", durable=False, create=create)
    if create:
        for statement in segments.SCHEMA.split(";"):
            db.run(statement)
    return db


def _loose(rows: range, postings: Any, lengths: Array, vectors: Any) -> Loose:
    numbers = np.arange(rows.start, rows.stop, dtype=np.int64)
    return Loose(numbers, lengths, np.zeros(len(numbers), np.int64), postings, vectors)


class _Own:
    packages = ("apsw",)

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self) -> None:
        self._db = _database(self._folder)
        made = Made(1, b"", 1 << 60)
        found = {name: self._centroids(name) for name in ("vector",) if self._centroids(name) is not None}
        arranged = Arranged(self._db.path, made, segments.read_segments(self._db), found)
        self._corpus = Corpus(arranged, _loose(range(0), {}, _NOTHING, {}), _NOTHING)

    def _centroids(self, name: str) -> Any:
        path = self._folder / f"{name}.npy"
        return np.load(path) if path.exists() else None


class OwnWords(_Own):
    """Postings with MaxScore, exact."""

    def build(self, size: int, texts: Texts) -> None:
        db = _database(self._folder, create=True)
        for number, (rows, some) in enumerate(batches(size, texts, _BLOCK)):
            split = [text.split() for text in some]
            lengths = np.array([len(text) for text in split], np.int64)
            with db.transaction():
                segments.write_segment(db, 1000 * (number + 1), _loose(rows, count_words(split), lengths, {}), {})
                segments.merge_small(db)
        db.close()

    def ask(self, words: Sequence[str], k: int) -> tuple[list[int], list[float]]:
        return self._ask(words, k, None)

    def filtered(self, words: Sequence[str], shelf: int, rows: Array, k: int) -> list[int]:
        return self._ask(words, k, np.asarray(rows, np.int64))[0]

    def _ask(self, words: Sequence[str], k: int, through: Array | None) -> tuple[list[int], list[float]]:
        found = self._corpus.matching(self._db, list(dict.fromkeys(words)), k, None, through)
        order = np.lexsort((found.rows, -found.scores))[:k]
        return found.rows[order].tolist(), found.scores[order].tolist()


class OwnVectors(_Own):
    """Clusters of int8 codes; what codes leave undecided is scored with the vectors themselves."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._matrix = Matrix(folder)

    def build(self, vectors: Array) -> None:
        self._matrix.build(vectors)
        db = _database(self._folder, create=True)
        centroids = None
        if len(vectors) > clusters.EXACT:
            wanted = clusters.centroids_for(len(vectors))
            sample = np.ascontiguousarray(vectors[:: max(1, len(vectors) // (wanted * clusters.PER_CENTROID))])
            centroids = clusters.train(sample, wanted)
            np.save(self._folder / "vector.npy", centroids)
        known = {} if centroids is None else {"vector": centroids}
        for number, first in enumerate(range(0, len(vectors), _BLOCK)):
            rows = range(first, min(first + _BLOCK, len(vectors)))
            some = np.ascontiguousarray(vectors[rows.start : rows.stop])
            lengths = np.zeros(len(some), np.int64)
            with db.transaction():
                loose = _loose(rows, {}, lengths, {"vector": (np.arange(len(some)), some)})
                segments.write_segment(db, 1000 * (number + 1), loose, known)
                segments.merge_small(db)
        db.close()

    def open(self) -> None:
        super().open()
        self._matrix.open()

    def ask(self, vector: Array, k: int) -> Array:
        return self._score(self._corpus.near(self._db, vector, "vector", k, None, None).rows, vector, k)

    def filtered(self, vector: Array, shelf: int, rows: Array, k: int) -> Array:
        if len(rows) > 4096:
            rows = self._corpus.near(self._db, vector, "vector", k, None, np.asarray(rows, np.int64)).rows
        return self._score(np.asarray(rows), vector, k)

    def _score(self, rows: Array, vector: Array, k: int) -> Array:
        scores = (self._matrix.rows[rows] * vector).sum(axis=1, dtype=np.float64)
        return rows[np.lexsort((rows, -scores))[:k]]
