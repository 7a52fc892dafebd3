"""LanceDB used directly, as its documentation shows: a table, an index of vectors, one of words, one of the filter."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS, Bitmap, IvfPq

from benchmarks.store.corpus import DIMENSIONS, Corpus, Question, shelf_of

_BATCH = 10_000
_PROBES = 20
_REFINE = 10
"""Both are what the documentation advises for a good recall."""


def build(corpus: Corpus, place: str) -> dict[str, float]:
    """Write all chunks and index them; seconds of CPU and of the clock."""
    cpu, wall = time.process_time(), time.perf_counter()
    table = lancedb.connect(place).create_table("chunks", schema=_schema())
    for first in range(0, corpus.size, _BATCH):
        table.add(_rows(corpus, first, min(first + _BATCH, corpus.size)))
    written = time.process_time(), time.perf_counter()
    if corpus.size > 256:
        table.create_index("vector", config=IvfPq(distance_type="cosine"))
    table.create_index("text", config=FTS())
    table.create_index("shelf", config=Bitmap())
    table.optimize()
    return {
        "write_cpu": written[0] - cpu,
        "write_wall": written[1] - wall,
        "tidy_cpu": time.process_time() - written[0],
        "tidy_wall": time.perf_counter() - written[1],
    }


def _schema() -> pa.Schema:
    texts = [pa.field(name, pa.string()) for name in ("doc", "shelf", "text")]
    return pa.schema([pa.field("id", pa.int64()), *texts, pa.field("vector", pa.list_(pa.float32(), DIMENSIONS))])


def _rows(corpus: Corpus, first: int, last: int) -> pa.Table:
    numbers = range(first, last)
    values = pa.array(corpus.vectors[first:last].ravel())
    columns = [
        pa.array(numbers, pa.int64()),
        pa.array([f"docs/{n // 20}.md" for n in numbers]),
        pa.array([shelf_of(n) for n in numbers]),
        pa.array(corpus.texts(first, last)),
        pa.FixedSizeListArray.from_arrays(values, DIMENSIONS),
    ]
    return pa.table(columns, schema=_schema())


class Asker:
    """Answers questions, each kind its own way; ids are numbers of chunks."""

    def __init__(self, place: str, questions: Sequence[Question]) -> None:
        self._table: Any = lancedb.connect(place).open_table("chunks")

    def dense(self, question: Question, k: int) -> list[int]:
        return _ids(self._near(question).limit(k).select(["id", "_distance"]))

    def bm25(self, question: Question, k: int) -> list[int]:
        return _ids(self._table.search(question.text, query_type="fts").limit(k).select(["id", "_score"]))

    def filtered(self, question: Question, k: int) -> list[int]:
        return _ids(self._near(question).where(f"shelf = '{question.shelf}'").limit(k).select(["id", "_distance"]))

    def hybrid(self, question: Question, k: int) -> list[int]:
        return _ids(self._both(question).limit(k).select(["id", "text"]))

    def hybrid_filtered(self, question: Question, k: int) -> list[int]:
        return _ids(self._both(question).where(f"shelf = '{question.shelf}'").limit(k).select(["id", "text"]))

    def close(self) -> None:
        self._table = None

    def _near(self, question: Question) -> Any:
        query = self._table.search(question.vector, vector_column_name="vector")
        return query.distance_type("cosine").nprobes(_PROBES).refine_factor(_REFINE)

    def _both(self, question: Question) -> Any:
        query = self._table.search(query_type="hybrid", vector_column_name="vector", fts_columns="text")
        query = query.vector(question.vector).text(question.text)
        return query.distance_type("cosine").nprobes(_PROBES).refine_factor(_REFINE)


def _ids(query: Any) -> list[int]:
    return [row["id"] for row in query.to_list()]
