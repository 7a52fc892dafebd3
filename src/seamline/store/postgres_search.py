"""Both legs of a search in PostgreSQL, and which way each goes.

Cosines are exact where there is no HNSW index, which `tidy` builds for a large index only, and where a filter lets few
entries through: their keys are looked up first. Under a wide filter HNSW is asked for more until enough pass. What
the server's own planner would choose under a filter found 1 in 10 of the best entries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from psycopg import sql

from seamline.filters import Filter
from seamline.records import Scored, VectorKind
from seamline.store.postgres_connect import Connection
from seamline.store.postgres_filter import TRUE, Condition, both, condition
from seamline.store.postgres_limits import Limits
from seamline.store.postgres_rows import vector_text
from seamline.store.postgres_text import unsafe
from seamline.store.postgres_words import Keys, Scores, Totals, score

if TYPE_CHECKING:
    from seamline.records import Vector

TABLES: dict[VectorKind, str] = {"text": "vectors", "summary": "summary_vectors"}
HALVES = {"leaf": sql.SQL("= 0"), "upper": sql.SQL("> 0")}
"""Levels. Chunks and sections have an HNSW index each: most searches are for chunks alone."""
INDEXES = [f"{table}_{half}" for table in TABLES.values() for half in HALVES]
_MORE = 8
"""How much more is looked at in the next round, where a filter left too few."""
_WIDER = 2
"""HNSW is asked for so many times the entries wanted: what it finds comes in rough order only."""

_EXACT = sql.SQL(
    "SELECT e.id, 1 - found.distance FROM (SELECT v.key, (v.vector <=> %s::vector) + 0 AS distance"
    " FROM {table} v {narrowed} ORDER BY distance FETCH FIRST %s ROWS WITH TIES) AS found"
    " JOIN entries e USING (key) ORDER BY found.distance, e.id LIMIT %s"
)
_NEAREST = sql.SQL(
    "SELECT e.id, 1 - (v.vector <=> %s::vector) FROM {table} v JOIN entries e USING (key)"
    " WHERE v.level {half} AND {where} ORDER BY v.vector <=> %s::vector LIMIT %s"
)


class _Level(NamedTuple):
    entries: int
    worded: int
    words: int


class Searcher:
    """Searches in the snapshot of one transaction."""

    def __init__(
        self, connection: Connection, limits: Limits, indexes: Collection[str], levels: Iterable[Sequence[int]]
    ) -> None:
        """`indexes` are those of INDEXES that there are, `levels` the rows of `levels`."""
        self._connection = connection
        self._limits = limits
        self._indexes = indexes
        self._levels = {level: _Level(*numbers) for level, *numbers in levels}
        self._narrow: dict[tuple[Filter, frozenset[int] | None], Keys | None] = {}

    def near(
        self, vector: Vector, k: int, where: Filter | None, levels: Collection[int] | None, of: VectorKind
    ) -> list[Scored]:
        """The nearest by cosine, best first."""
        asked = vector_text(vector)
        among = self._among(levels)
        indexed = {half for half in HALVES if f"{TABLES[of]}_{half}" in self._indexes} & _halves(among)
        keys = self._passing(where, levels) if where is not None and indexed else None
        if keys is not None:
            return self._exact(asked, k, of, _of_keys(keys))
        found = []
        for half in sorted(_halves(among)):
            inside = [level for level in among if (level == 0) == (half == "leaf")]
            if half in indexed:
                found += self._nearest(asked, k, of, half, inside, where)
            else:
                found += self._exact(asked, k, of, _of_filter(where, inside))
        return _best(found, k)

    def matching(self, asked: list[str], k: int, where: Filter | None, levels: Collection[int] | None) -> list[Scored]:
        """The best by BM25, best first."""
        totals = Totals(
            sum(level.worded for level in self._levels.values()), sum(level.words for level in self._levels.values())
        )
        keys, scores = score(self._connection, asked, levels, totals)
        allowed = self._passing(where, levels) if where is not None and len(keys) > k else None
        if allowed is not None:
            kept = np.isin(keys, allowed)
            keys, scores, where = keys[kept], scores[kept], None
        found: list[Scored] = []
        for some, theirs in _rounds(keys, scores, k):
            found += self._named(some, theirs, where)
            if len(found) >= k:
                break
        return _best(found, k)

    def _named(self, keys: Keys, scores: Scores, where: Filter | None) -> list[Scored]:
        """Those of these entries that the filter lets through."""
        text, values = both(Condition(sql.SQL("e.key = ANY(%s)"), (keys.tolist(),)), condition(where))
        rows = self._connection.execute(sql.SQL("SELECT e.key, e.id FROM entries e WHERE {}").format(text), values)
        by_key = dict(zip(keys.tolist(), scores.tolist(), strict=True))
        return [Scored(unsafe(id), by_key[key]) for key, id in rows]

    def _exact(self, asked: str, k: int, of: VectorKind, narrowed: Condition) -> list[Scored]:
        query = _EXACT.format(table=sql.Identifier(TABLES[of]), narrowed=narrowed.text)
        rows = self._connection.execute(query, (asked, *narrowed.values, k, k))
        return [Scored(unsafe(id), similarity) for id, similarity in rows]

    def _nearest(
        self, asked: str, k: int, of: VectorKind, half: str, levels: list[int], where: Filter | None
    ) -> list[Scored]:
        """By HNSW; exactly, where that finds too few, or more equal ones than it was asked for."""
        text, values = both(condition(where), TRUE if half == "leaf" else on_levels(levels))
        query = _NEAREST.format(table=sql.Identifier(TABLES[of]), half=HALVES[half], where=text)
        for most in (k * _WIDER, k * _WIDER * _MORE):
            rows = self._connection.execute(query, (asked, *values, asked, most)).fetchall()
            found = _best([Scored(unsafe(id), similarity) for id, similarity in rows], most)
            if len(found) < k:
                break
            if found[k - 1].score > found[-1].score:
                return found[:k]
        return self._exact(asked, k, of, _of_filter(where, levels))

    def _passing(self, where: Filter, levels: Collection[int] | None) -> Keys | None:
        """Keys of the entries that a narrow filter lets through; None for a wide one."""
        name = (where, None if levels is None else frozenset(levels))
        if name not in self._narrow:
            self._narrow[name] = self._look_up(where, levels)
        return self._narrow[name]

    def _look_up(self, where: Filter, levels: Collection[int] | None) -> Keys | None:
        entries = sum(level.entries for level in self._levels.values())
        most = max(self._limits.few, entries // self._limits.narrow)
        text, values = both(condition(where), on_levels(levels))
        query = sql.SQL(
            "SELECT string_agg(int8send(key), ''::bytea) FROM (SELECT e.key FROM entries e WHERE {} LIMIT %s) AS hits"
        )
        row = self._connection.execute(query.format(text), (*values, most + 1)).fetchone()
        keys = np.frombuffer((row[0] if row else None) or b"", dtype=">i8").astype(np.int64)
        return keys if len(keys) <= most else None

    def _among(self, levels: Collection[int] | None) -> list[int]:
        """The levels that are asked for and have entries."""
        return [level for level, now in self._levels.items() if now.entries and (levels is None or level in levels)]


def on_levels(levels: Collection[int] | None) -> Condition:
    """Entries of these levels; of all, where there are none given."""
    return TRUE if levels is None else Condition(sql.SQL("e.level = ANY(%s::integer[])"), (list(levels),))


def _halves(levels: Collection[int]) -> set[str]:
    return {"leaf" if level == 0 else "upper" for level in levels}


def _of_keys(keys: Keys) -> Condition:
    listed = "{" + ",".join(map(str, keys.tolist())) + "}"
    return Condition(sql.SQL("JOIN unnest(%s::bigint[]) AS hits (key) USING (key)"), (listed,))


def _of_filter(where: Filter | None, levels: list[int]) -> Condition:
    if where is None:
        return Condition(sql.SQL("WHERE v.level = ANY(%s::integer[])"), (levels,))
    text, values = both(condition(where), on_levels(levels))
    return Condition(sql.SQL("JOIN entries e USING (key) WHERE {}").format(text), values)


def _rounds(keys: Keys, scores: Scores, k: int) -> Iterator[tuple[Keys, Scores]]:
    """All entries, the best first, in growing parts; equal scores are in the same part."""
    while len(keys):
        take = min(k, len(keys))
        least = np.partition(scores, len(scores) - take)[len(scores) - take]
        now = scores >= least
        yield keys[now], scores[now]
        keys, scores, k = keys[~now], scores[~now], k * _MORE


def _best(found: list[Scored], k: int) -> list[Scored]:
    return sorted(found, key=lambda scored: (-scored.score, scored.id))[:k]
