"""The ways an index is searched: by the nearest vectors, and by words with BM25."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seamline.protocols import Embedder, QueryEmbedder, Reader
from seamline.records import Levels, Scored
from seamline.search.fuse import best_scores, sort_scores
from seamline.search.hits import LegScore

if TYPE_CHECKING:
    from seamline.filters.tree import Filter
    from seamline.records import EntryVectors, Parts, Vector


PART = 0.5
"""What the nearest part counts beside the whole text."""


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
    """The nearest texts by their vectors, in the order of their similarity by vector and nearest part; in a dual index,
    the nearest by text or by summary, whichever is nearer. To look at the parts of more texts than are wanted changes
    no ranking.

    The best `depth` of both are the best `depth` by the higher score: what neither list holds is below all of one.
    """
    found = reader.near(vector, depth, where=scope.where, levels=scope.levels)
    nearest = nearest_parts(vector, reader.parts([id for id, _ in found]))
    by_text = sort_scores({id: _similarity(score, nearest.get(id)) for id, score in found})
    if not dual:
        return by_text
    by_summary = reader.near(vector, depth, where=scope.where, levels=scope.levels, of="summary")
    return sort_scores(best_scores((by_text, by_summary)))[:depth]


def similarities(vector: Vector, embedded: Mapping[str, EntryVectors]) -> dict[str, float]:
    """How near every entry is that has a vector: its text, or its summary where that is nearer."""
    nearest = nearest_parts(vector, {id: one.parts for id, one in embedded.items() if one.parts is not None})
    of_texts = _cosines(vector, {id: one.vector for id, one in embedded.items() if one.vector is not None})
    of_summaries = _cosines(
        vector, {id: one.summary_vector for id, one in embedded.items() if one.summary_vector is not None}
    )
    by_text = [Scored(id, _similarity(score, nearest.get(id))) for id, score in of_texts]
    return best_scores((by_text, of_summaries))


def nearest_parts(vector: Vector, parts: Mapping[str, Parts]) -> dict[str, float]:
    """The cosine similarity of the nearest part of each text."""
    import numpy as np

    if not parts:
        return {}
    rows = np.concatenate([*parts.values()]).astype(np.float32)
    lengths = np.sqrt((rows * rows).sum(axis=1))
    # Row by row and not as one product: equal parts get equal scores, wherever they stand.
    near = (rows * vector).sum(axis=1, dtype=np.float64) / np.maximum(lengths, 1.0)
    starts = np.cumsum([0, *map(len, parts.values())])[:-1]
    return dict(zip(parts, np.maximum.reduceat(near, starts).tolist(), strict=True))


def _cosines(vector: Vector, rows: Mapping[str, Vector]) -> list[Scored]:
    import numpy as np

    # Row by row here as well.
    scores = (np.stack([*rows.values()]) * vector).sum(axis=1, dtype=np.float64).tolist() if rows else []
    return [Scored(id, score) for id, score in zip(rows, scores, strict=True)]


def _similarity(whole: float, nearest: float | None) -> float:
    """Of a text, by its own vector and by that of its nearest part."""
    return whole if nearest is None else whole + PART * max(0.0, nearest - whole)
