"""Engines of vectors behind one protocol: build from a matrix, open, ask the nearest rows, replace rows."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PER_DOCUMENT, SHELVES = 10, 100
_BATCH = 50_000

Array = np.ndarray[Any, Any]


class Matrix:
    """The vectors themselves beside an index, as float32 that is mapped: what re-scoring and filtered scans read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "matrix.npy"

    def build(self, vectors: Array) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        np.save(self._path, vectors)

    def open(self) -> None:
        self.rows = np.load(self._path, mmap_mode="r")

    def ask(self, vector: Array, k: int) -> Array:
        return _best(self.rows @ vector, k)

    def filtered(self, vector: Array, shelf: int, rows: Array, k: int) -> Array:
        return rows[_best(self.rows[rows] @ vector, k)]

    def edit(self, rows: Sequence[int], vectors: Array) -> None:
        matrix = np.load(self._path, mmap_mode="r+")
        matrix[list(rows)] = vectors
        matrix.flush()


def _best(scores: Array, k: int) -> Array:
    found = np.argpartition(-scores, k)[:k] if len(scores) > k else np.arange(len(scores))
    return found[np.argsort(-scores[found], kind="stable")]


class Bits(Matrix):
    """One bit per dimension of vectors that are centred and turned; the nearest by differing bits, scored again.

    Turned by a random rotation, or else dimensions that are nearly always positive say nothing: of 60,000 real texts
    1,000 candidates hold .94 of the ten nearest without it and .99 with it. Bits lie in columns of 64, as rows of six
    words take six times as long to count.
    """

    candidates = 1000

    def build(self, vectors: Array) -> None:
        super().build(vectors)
        size = vectors.shape[1]
        turn = np.linalg.qr(np.random.default_rng(1).normal(size=(size, size)))[0].astype(np.float32)
        mean = np.asarray(vectors[:: max(1, len(vectors) // 50_000)]).mean(axis=0)
        np.savez(self._folder / "turn.npz", turn=turn, mean=mean)
        parts = [_signs((vectors[at : at + _BATCH] - mean) @ turn) for at in range(0, len(vectors), _BATCH)]
        np.save(self._folder / "bits.npy", np.ascontiguousarray(np.concatenate(parts).T))

    def open(self) -> None:
        super().open()
        about = np.load(self._folder / "turn.npz")
        self._turn, self._mean = about["turn"], about["mean"]
        self.bits = np.load(self._folder / "bits.npy", mmap_mode="r")

    def ask(self, vector: Array, k: int) -> Array:
        found = self._near(vector, max(self.candidates, k))
        return found[_best(self.rows[found] @ vector, k)]

    def _near(self, vector: Array, count: int) -> Array:
        """At least `count` rows, those with the fewest bits that differ."""
        differ = np.zeros(self.bits.shape[1], np.uint16)
        for column, word in zip(self.bits, _signs((vector - self._mean) @ self._turn), strict=True):
            differ += np.bitwise_count(column ^ word)
        step = max(1, len(differ) // 65_536)  # how distances are spread is seen on a part of them
        bar = np.searchsorted(np.cumsum(np.bincount(differ[::step])) * step, count)
        return np.flatnonzero(differ <= bar)

    def edit(self, rows: Sequence[int], vectors: Array) -> None:
        super().edit(rows, vectors)
        about = np.load(self._folder / "turn.npz")
        bits = np.load(self._folder / "bits.npy", mmap_mode="r+")
        bits[:, list(rows)] = _signs((vectors - about["mean"]) @ about["turn"]).T
        bits.flush()


def _signs(vectors: Array) -> Array:
    return np.packbits(vectors > 0, axis=-1).view(np.uint64)


class Bits3000(Bits):
    """The same files, with more candidates."""

    candidates = 3000


class Usearch:
    """A graph (HNSW) over vectors of 8 bits, mapped for reading; one file."""

    dtype, exact = "i8", False

    def __init__(self, folder: Path) -> None:
        from usearch.index import Index

        self._index, self._path = Index, folder / f"vectors.{self.dtype}"

    def build(self, vectors: Array) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        made = self._index(
            ndim=vectors.shape[1], metric="cos", dtype=self.dtype,
            connectivity=16, expansion_add=96, expansion_search=96,
        )  # fmt: skip
        for first in range(0, len(vectors), _BATCH):
            some = np.ascontiguousarray(vectors[first : first + _BATCH])
            made.add(np.arange(first, first + len(some), dtype=np.uint64), some, threads=1)
        made.save(self._path)

    def open(self) -> None:
        self.opened = self._index.restore(self._path, view=True, expansion_search=96)

    def ask(self, vector: Array, k: int) -> Array:
        return self.opened.search(vector, k, threads=1, exact=self.exact).keys.astype(np.int64)

    def filtered(self, vector: Array, shelf: int, rows: Array, k: int) -> Array:
        """usearch has no filter: the vectors of the rows are taken out and scanned."""
        among = np.stack(self.opened.get(rows.astype(np.uint64))).astype(np.float32)
        return rows[_best(among @ vector, k)]

    def edit(self, rows: Sequence[int], vectors: Array) -> None:
        loaded = self._index.restore(self._path)
        keys = np.array(rows, np.uint64)
        loaded.remove(keys)
        loaded.add(keys, vectors, threads=1)
        loaded.save(str(self._path) + ".new")
        os.replace(str(self._path) + ".new", self._path)


class UsearchF16(Usearch):
    dtype = "f16"


class UsearchExact(Usearch):
    """The same file, scanned instead of walked."""

    exact = True


class Lance:
    """LanceDB with one of its indexes, and a bitmap for the filter."""

    index = "IvfRq"

    def __init__(self, folder: Path) -> None:
        os.environ["LANCEDB_LOG"] = "error"
        import lancedb
        import pyarrow as pa

        self._lancedb, self._pa, self._folder = lancedb, pa, folder

    def build(self, vectors: Array) -> None:
        import lancedb.index as kinds

        table = None
        for first in range(0, len(vectors), _BATCH):
            batch = self._rows(range(first, min(first + _BATCH, len(vectors))), vectors[first : first + _BATCH])
            if table is None:
                table = self._lancedb.connect(str(self._folder)).create_table("vectors", batch)
            else:
                table.add(batch)
        table.create_index("vector", config=getattr(kinds, self.index)(distance_type="cosine"))
        table.create_index("shelf", config=kinds.Bitmap())
        table.create_index("row", config=kinds.BTree())

    def _rows(self, rows: Sequence[int], vectors: Array) -> Any:
        pa = self._pa
        flat = pa.array(np.ascontiguousarray(vectors).ravel())
        shelves = pa.array([row // PER_DOCUMENT % SHELVES for row in rows], pa.int32())
        columns = {"row": pa.array(rows, pa.int64()), "shelf": shelves}
        return pa.table({**columns, "vector": pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])})

    def open(self) -> None:
        self._table = self._lancedb.connect(str(self._folder)).open_table("vectors")

    def _near(self, vector: Array) -> Any:
        return self._table.search(vector).distance_type("cosine").nprobes(20).select(["row", "_distance"])

    def ask(self, vector: Array, k: int) -> Array:
        return self._near(vector).limit(k).to_arrow()["row"].to_numpy()

    def filtered(self, vector: Array, shelf: int, rows: Array, k: int) -> Array:
        near = self._near(vector).where(f"shelf = {shelf}", prefilter=True)
        return near.limit(k).to_arrow()["row"].to_numpy()

    def edit(self, rows: Sequence[int], vectors: Array) -> None:
        self.open()
        self._table.delete(f"row IN ({', '.join(map(str, rows))})")
        self._table.add(self._rows(list(rows), vectors))


class LanceHnsw(Lance):
    index = "HnswSq"


class Zvec:
    """zvec's graph (HNSW) over vectors of 8 bits, with an inverted index for the filter."""

    def __init__(self, folder: Path) -> None:
        import zvec

        self._zvec, self._folder = zvec, folder
        zvec.init(log_level=zvec.LogLevel.ERROR, query_threads=1, optimize_threads=1)

    def build(self, vectors: Array) -> None:
        z = self._zvec
        graph = z.HnswIndexParam(z.MetricType.COSINE, 16, 100, z.QuantizeType.INT8)
        fields = [
            z.FieldSchema("row", z.DataType.INT64),
            z.FieldSchema("shelf", z.DataType.INT64, index_param=z.InvertIndexParam()),
        ]
        vector = z.VectorSchema("vector", z.DataType.VECTOR_FP32, vectors.shape[1], index_param=graph)
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        table = z.create_and_open(str(self._folder), z.CollectionSchema("vectors", fields=fields, vectors=[vector]))
        for first in range(0, len(vectors), 1000):
            table.insert([self._doc(first + n, vector) for n, vector in enumerate(vectors[first : first + 1000])])
        table.flush()
        table.optimize()
        table.close()

    def _doc(self, row: int, vector: Array) -> Any:
        fields = {"row": row, "shelf": row // PER_DOCUMENT % SHELVES}
        return self._zvec.Doc(id=str(row), fields=fields, vectors={"vector": vector})

    def open(self) -> None:
        self._table = self._zvec.open(str(self._folder), self._zvec.CollectionOption(read_only=True))

    def _query(self, vector: Array, k: int) -> Any:
        return self._zvec.Query("vector", vector=vector, param=self._zvec.HnswQueryParam(ef=max(96, k)))

    def ask(self, vector: Array, k: int) -> Array:
        found = self._table.query(self._query(vector, k), topk=k, output_fields=[])
        return np.array([int(doc.id) for doc in found], np.int64)

    def filtered(self, vector: Array, shelf: int, rows: Array, k: int) -> Array:
        found = self._table.query(self._query(vector, k), topk=k, filter=f"shelf = {shelf}", output_fields=[])
        return np.array([int(doc.id) for doc in found], np.int64)

    def edit(self, rows: Sequence[int], vectors: Array) -> None:
        table = self._zvec.open(str(self._folder))
        table.upsert([self._doc(row, vector) for row, vector in zip(rows, vectors, strict=True)])
        table.flush()
        table.close()


ENGINES = {
    "numpy f32": Matrix,
    "numpy bits": Bits,
    "numpy bits 3000": Bits3000,
    "usearch i8": Usearch,
    "usearch i8 exact": UsearchExact,
    "usearch f16": UsearchF16,
    "lancedb ivf-rq": Lance,
    "lancedb hnsw-sq": LanceHnsw,
    "zvec hnsw i8": Zvec,
}


def cold(name: str, folder: str, question: str) -> dict[str, float]:
    """What one search of a command costs from nothing: CPU seconds of import, and of all."""
    vector = np.array(json.loads(Path(question).read_text())["vector"], np.float32)
    before = time.process_time()
    engine = ENGINES[name](Path(folder))
    imported = time.process_time()
    engine.open()
    engine.ask(vector, 10)
    return {"import": imported - before, "all": time.process_time()}
