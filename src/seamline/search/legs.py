"""The ways an index is searched: by the nearest vectors, and by words with BM25."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seamline.protocols import Embedder, QueryEmbedder, Reader
from seamline.records import Entry, Levels, Scored
from seamline.search.fuse import best_scores, sort_scores
from seamline.search.hits import LegScore

if TYPE_CHECKING:
    from seamline.filters.tree import Filter
    from seamline.records import Vector


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Which entries a leg may find."""

    where: Filter | None = None
    levels: Levels = (0,)
    """None for all."""


@dataclass(frozen=True, slots=True)
class Legs:
    """What each leg found, best first."""

    dense: tuple[Scored, ...] = ()
    sparse: tuple[Scored, ...] = ()
    filled: Mapping[str, float] | None = None
    """Dense scores of what only BM25 found, where they were worked out."""
    without: frozenset[str] = frozenset()
    """Those of them that have no vector yet."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Everything any leg found."""
        return tuple(dict.fromkeys(id for id, _ in (*self.dense, *self.sparse)))

    @property
    def dense_scores(self) -> dict[str, float]:
        return {**(self.filled or {}), **dict(self.dense)}

    def sparse_scores(self, depth: int) -> dict[str, float]:
        """BM25 of everything any leg found. What BM25 did not find has no word of the query or, where it found as many
        as it looked for, no more than the last of them."""
        below = self.sparse[-1].score if len(self.sparse) >= depth else 0.0
        known = dict(self.sparse)
        return {id: known.get(id, below) for id in self.ids} if known else {}

    def parts(self, ids: Collection[str]) -> dict[str, tuple[LegScore | None, LegScore | None]]:
        """For each of these ids its dense and its BM25 part."""
        dense, sparse = _ranks(self.dense, ids), _ranks(self.sparse, ids)
        for id, score in (self.filled or {}).items():
            dense.setdefault(id, LegScore(0, score))
        return {id: (dense.get(id), sparse.get(id)) for id in ids}


def _ranks(found: Sequence[Scored], ids: Collection[str]) -> dict[str, LegScore]:
    return {id: LegScore(rank, score) for rank, (id, score) in enumerate(found, start=1) if id in ids}


def query_vectors(embedder: Embedder, queries: Sequence[str]) -> Vector:
    """One row per query, by the rules that the model has for queries."""
    ask = embedder.embed_queries if isinstance(embedder, QueryEmbedder) else embedder.embed
    return ask(queries)


def find(
    reader: Reader,
    vector: Vector | None,
    query: str,
    depths: tuple[int, int],
    scope: SearchScope,
    *,
    dual: bool = False,
) -> Legs:
    """Run the legs: the dense one where there is a vector, BM25 where there is a query; each finds up to its depth."""
    dense = near(reader, vector, depths[0], scope, dual=dual) if vector is not None else ()
    sparse = reader.matching(query, depths[1], where=scope.where, levels=scope.levels) if query else ()
    return Legs(tuple(dense), tuple(sparse))


def near(reader: Reader, vector: Vector, depth: int, scope: SearchScope, *, dual: bool = False) -> list[Scored]:
    """The nearest texts; in a dual index, the nearest by text or by summary, whichever is nearer.

    The best `depth` of both are the best `depth` by the higher score: what neither list holds is below all of one.
    """
    by_text = reader.near(vector, depth, where=scope.where, levels=scope.levels)
    if not dual:
        return by_text
    by_summary = reader.near(vector, depth, where=scope.where, levels=scope.levels, of="summary")
    return sort_scores(best_scores((by_text, by_summary)))[:depth]


def similarities(vector: Vector, entries: Iterable[Entry]) -> dict[str, float]:
    """Cosine similarity of every entry that carries a vector: to its text, or its summary where that is nearer."""
    import numpy as np

    owners, rows = [], []
    for entry in entries:
        for row in (entry.vector, entry.summary_vector):
            if row is not None:
                owners.append(entry.id)
                rows.append(row)
    # Row by row and not as one product: equal vectors get equal scores, wherever they stand.
    scores = (np.stack(rows) * vector).sum(axis=1, dtype=np.float64) if rows else ()
    return best_scores([[Scored(id, float(score)) for id, score in zip(owners, scores, strict=True)]])
