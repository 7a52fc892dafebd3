"""A small table in memory: what searches need of its rows, without a trip to the engine.

A trip takes 3 to 10 ms of CPU, however little is asked, and every row that comes back some more to be unpacked. Of the
vectors of 2,000 entries the nearest are found here in 0.3 ms, and their words are counted in as much.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from seamline.store import bm25
from seamline.store.lance_rows import VECTORS, id_of, unpack_entry
from seamline.store.lance_search import ALIKE_COSINE, Found, by_id

if TYPE_CHECKING:
    from seamline.records import Entry, Vector
    from seamline.store.lance_table import Table

_ROUGH = 1e-5
"""How far a product in 32 bits may be off, and more than that: what is that near to the last is compared in 64."""


class _Matrix(NamedTuple):
    """Vectors, and the rows of the table that they are of."""

    at: NDArray[np.int64]
    vectors: NDArray[np.float32]
    norms: NDArray[np.float32]


class Held:
    """The entries of one state of a table."""

    def __init__(self, table: Table, where: str) -> None:
        """`where` is the condition for an entry."""
        rows = table.rows(where, ["key", "level", "body", *VECTORS.values()])
        self._keys: list[str] = rows["key"].to_pylist()
        self._levels = rows["level"].to_numpy()
        self._bodies: list[bytes] = rows["body"].to_pylist()
        self._matrices = {name: _matrix(rows[name]) for name in VECTORS.values()}

    def near(
        self, vector: Vector, column: str, k: int, levels: Collection[int] | None, through: Collection[str] | None
    ) -> list[Found]:
        """The rows with the nearest vectors, best first, equal ones by id; on these levels and among those let through,
        None for all."""
        at, vectors, norms = self._matrices[column]
        rough = np.vecdot(vectors, vector) / norms  # a product of matrices may start threads, whose wait costs more
        if levels is not None:
            rough[~np.isin(self._levels[at], [*levels])] = -np.inf
        if through is not None:
            rows = np.zeros(len(self._keys), bool)
            rows[[self._places[key] for key in through if key in self._places]] = True
            rough[~rows[at]] = -np.inf
        most = min(k, int(np.isfinite(rough).sum()))
        if not most:
            return []
        size = float(np.linalg.norm(vector.astype(np.float64))) or 1.0
        close = np.flatnonzero(rough >= np.partition(rough, len(rough) - most)[len(rough) - most] - _ROUGH * size)
        # Row by row: equal vectors get equal scores, wherever they stand.
        scores = (vectors[close] * vector).sum(axis=1, dtype=np.float64) / (norms[close] * size)
        order = np.argsort(-scores, kind="stable")
        found = [Found(self._keys[at[close[n]]], float(scores[n])) for n in order]
        return by_id(found, lambda _: ALIKE_COSINE)[:k]

    def entries(self, keys: Sequence[str], *, vectors: bool) -> list[Entry]:
        """The entries of those of the keys that are there."""
        rows = [self._places[key] for key in keys if key in self._places]
        return [unpack_entry(self._bodies[row], *(self._vectors(row) if vectors else ())) for row in rows]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self._keys)}

    def _vectors(self, row: int) -> list[Vector | None]:
        found: list[Vector | None] = []
        for at, vectors, _ in self._matrices.values():
            place = int(np.searchsorted(at, row))
            found.append(vectors[place] if place < len(at) and at[place] == row else None)
        return found


class Words:
    """Which rows of a table hold which words, and how often."""

    def __init__(self, table: Table) -> None:
        rows = table.rows("words IS NOT NULL", ["key", "level", "words"])
        self._keys: list[str] = rows["key"].to_pylist()
        self._levels = rows["level"].to_numpy()
        split = pc.split_pattern(pa.chunked_array(rows["words"]).combine_chunks(), " ")
        self._lengths = pc.list_value_length(split).to_numpy(zero_copy_only=False).astype(np.int64)
        coded = split.flatten().dictionary_encode()
        self._codes = {word: code for code, word in enumerate(coded.dictionary.to_pylist())}
        count = max(1, len(self._keys))
        pairs = coded.indices.to_numpy().astype(np.int64) * count + np.repeat(np.arange(len(self._keys)), self._lengths)
        unique, self._times = np.unique(pairs, return_counts=True)
        self._rows = unique % count
        self._edges = np.searchsorted(unique // count, np.arange(len(self._codes) + 1))

    def matching(
        self, asked: Sequence[str], k: int, levels: Collection[int] | None, through: Collection[str] | None
    ) -> list[Found]:
        """The rows with the highest BM25 score, best first; on these levels and among those let through, None for
        all."""
        scores = np.zeros(len(self._keys))
        average = self._lengths.sum() / max(1, len(self._keys))
        for code in (self._codes[word] for word in asked if word in self._codes):
            part = slice(self._edges[code], self._edges[code + 1])
            rows = self._rows[part]
            worth = bm25.idf(len(self._keys), len(rows))
            scores[rows] += worth * bm25.weights(self._times[part], self._lengths[rows], average)
        if levels is not None:
            scores[~np.isin(self._levels, [*levels])] = 0
        hits = np.flatnonzero(scores)
        if through is not None:
            hits = hits[[self._keys[row] in through for row in hits]] if len(hits) else hits
        if len(hits) > k:
            hits = hits[scores[hits] >= np.partition(scores[hits], len(hits) - k)[len(hits) - k]]
        found = [Found(self._keys[row], float(scores[row])) for row in hits]
        return sorted(found, key=lambda hit: (-hit.score, id_of(hit.key)))[:k]


def _matrix(column: Any) -> _Matrix:
    """A column of vectors, without the rows that have none."""
    array = column.combine_chunks()
    at = np.flatnonzero(array.is_valid().to_numpy(zero_copy_only=False))
    vectors = array.values.to_numpy(zero_copy_only=False).reshape(-1, array.type.list_size)
    own = np.ascontiguousarray(vectors[array.offset : array.offset + len(array)][at])
    norms = np.sqrt((own * own).sum(axis=1, dtype=np.float64)).astype(np.float32)
    return _Matrix(at, own, np.where(norms > 0, norms, np.float32(1)))
