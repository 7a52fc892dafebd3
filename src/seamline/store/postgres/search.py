"""Both legs of a search in PostgreSQL, and which way each goes.

Cosines are exact where there is no HNSW index, which `tidy` builds for a large index only, and where a filter lets few
entries through: their keys are looked up first. Under a wide filter HNSW is asked for more until enough pass. What
the server's own planner would choose under a filter found 1 in 10 of the best entries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from psycopg import sql

from seamline.filters.tree import Filter
from seamline.records import Levels, Scored, VectorKind
from seamline.store.postgres.connect import Connection, unsafe
from seamline.store.postgres.filter import TRUE, PostgresCondition, both, condition
from seamline.store.postgres.rows import Reals, bigints, reals
from seamline.store.postgres.schema import PostgresLimits
from seamline.store.postgres.words import Keys, Scores, Totals, score

if TYPE_CHECKING:
    from seamline.records import Vector

TABLES: dict[VectorKind, str] = {"text": "vectors", "summary": "summary_vectors"}
HALVES = {"leaf": sql.SQL("= 0"), "upper": sql.SQL("> 0")}
"""Levels. Chunks and sections have an HNSW index each: most searches are for chunks alone."""
INDEXES = [f"{table}_{half}" for table in TABLES.values() for half in HALVES]
_MORE = 8
"""How much more is looked at in the next round, where a filter left too few."""
_SPARE = 2
"""How many more entries than wanted are fetched: where the last are equal, more have to be looked at."""
WIDTHS = (400, 80, 250)
"""How many candidates HNSW keeps in view (`ef_search`) where the entries wanted need no more: at most, at least, and
one for so many entries. Whole clusters are out of reach of a narrow search in a large index: of 200 questions to
100,000 entries 4 found none of the nearest with 40, and 1 with 200. Recall@10 was 0.970, 0.990 (0.972 in another build)
and, with 400, 0.996; with 10,000 entries it was 1.0 with 40."""
_VIEW = 2
"""Candidates in view for each entry that is wanted and that a filter lets through: the first look should find them all.
What a second one finds may be nearer."""

_EXACT = sql.SQL(
    "SELECT e.id, 1 - found.distance FROM (SELECT v.key, (v.vector <=> %s::vector) + 0 AS distance"
    " FROM {table} v {narrowed} ORDER BY distance FETCH FIRST %s ROWS WITH TIES) AS found"
    " JOIN entries e USING (key) ORDER BY found.distance, e.id LIMIT %s"
)
_NEAREST = sql.SQL(
    "SELECT e.id, 1 - (v.vector <=> %s::vector) FROM {table} v JOIN entries e USING (key)"
    " WHERE v.level {half} AND {where} ORDER BY v.vector <=> %s::vector LIMIT %s"
)
_LOOK_UP = sql.SQL(
    "SELECT string_agg(int8send(key), ''::bytea) FROM (SELECT e.key FROM entries e WHERE {where} LIMIT %s) AS hits"
)
_SAMPLE = sql.SQL(
    "SELECT share, set_config('hnsw.ef_search', least(%s, greatest(%s, ceil(%s / greatest(share, 0.001))))::text, true)"
    " FROM (SELECT count(*) FILTER (WHERE {each})::float8 / greatest(1, count(*)) AS share"
    " FROM unnest(%s) AS sample (key) JOIN entries e USING (key)) AS found"
)
"""The share of entries that a filter lets through, and a look as wide as that needs. A sample of the server's own would
be of whole pages, whose entries are much alike."""
_SPREAD = np.arange(1, 65) * 0.6180339887498949 % 1
"""Where the entries stand by which that is judged: no two near each other, and in no step with anything."""
_SURE = 0.06
"""A share that is not by chance: 4 of these 64."""


class _Level(NamedTuple):
    entries: int
    worded: int
    words: int


class Searcher:
    """Searches in the snapshot of one transaction."""

    def __init__(
        self,
        connection: Connection,
        limits: PostgresLimits,
        indexes: Collection[str],
        levels: Iterable[Sequence[int]],
        next_key: int,
        width: int,
    ) -> None:
        """`indexes` are those of INDEXES that there are, `levels` the rows of `levels`, `next_key` is above all keys,
        `width` the present width of a search by HNSW."""
        self._connection = connection
        self._limits = limits
        self._indexes = indexes
        self._levels = {level: _Level(*numbers) for level, *numbers in levels}
        self._next_key = next_key
        self._width = width
        self._narrow: dict[tuple[Filter, frozenset[int] | None], Keys | None] = {}

    def near(self, vector: Vector, k: int, where: Filter | None, levels: Levels, of: VectorKind) -> list[Scored]:
        """The nearest by cosine, best first."""
        asked = reals(vector)
        among = self._among(levels)
        indexed = {half for half in HALVES if f"{TABLES[of]}_{half}" in self._indexes} & _halves(among)
        keys = self._passing(where, levels, k) if where is not None and indexed else None
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

    def matching(
        self, asked: list[str], k: int, where: Filter | None, levels: Levels, *, every: bool = False
    ) -> list[Scored]:
        """The best by BM25, best first; with `every`, of those that hold all words."""
        totals = Totals(
            sum(level.worded for level in self._levels.values()), sum(level.words for level in self._levels.values())
        )
        keys, scores = score(self._connection, asked, levels, totals, every=every)
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
        text, values = both(
            PostgresCondition(sql.SQL("e.key = ANY(%s)"), (keys.tolist(),)), condition(where, alone=True)
        )
        rows = self._connection.execute(sql.SQL("SELECT e.key, e.id FROM entries e WHERE {}").format(text), values)
        by_key = dict(zip(keys.tolist(), scores.tolist(), strict=True))
        return [Scored(unsafe(id), by_key[key]) for key, id in rows]

    def _exact(self, asked: Reals, k: int, of: VectorKind, narrowed: PostgresCondition) -> list[Scored]:
        query = _EXACT.format(table=sql.Identifier(TABLES[of]), narrowed=narrowed.text)
        rows = self._connection.execute(query, (asked, *narrowed.values, k, k))
        return [Scored(unsafe(id), similarity) for id, similarity in rows]

    def _nearest(
        self, asked: Reals, k: int, of: VectorKind, half: str, levels: list[int], where: Filter | None
    ) -> list[Scored]:
        """By HNSW; exactly, where that finds too few, or more equal ones than it was asked for."""
        text, values = both(condition(where, alone=True), TRUE if half == "leaf" else on_levels(levels))
        query = _NEAREST.format(table=sql.Identifier(TABLES[of]), half=HALVES[half], where=text)
        for most in (k + _SPARE, (k + _SPARE) * _MORE):
            self._widen(most * _VIEW)
            rows = self._connection.execute(query, (asked, *values, asked, most)).fetchall()
            found = _best([Scored(unsafe(id), similarity) for id, similarity in rows], most)
            if len(found) < k:
                break
            if found[k - 1].score > found[-1].score:
                return found[:k]
        return self._exact(asked, k, of, _of_filter(where, levels))

    def _widen(self, width: int) -> None:
        """Keep so many candidates in view at least."""
        if min(width, WIDTHS[0]) > self._width:
            self._width = min(width, WIDTHS[0])
            self._connection.execute("SELECT set_config('hnsw.ef_search', %s, true)", (str(self._width),))

    def _passing(self, where: Filter, levels: Levels, k: int = 0) -> Keys | None:
        """Keys of the entries that a narrow filter lets through; None for a wide one.

        A look at some entries comes first: to look up 50,000 of 100,000 took 100 ms, and 10,000 of them 14.
        """
        name = (where, None if levels is None else frozenset(levels))
        if name not in self._narrow:
            entries = sum(level.entries for level in self._levels.values())
            most = self._limits.few * isqrt(entries)
            wide = self._share(where, levels, k) > max(_SURE, most / max(1, entries))
            self._narrow[name] = None if wide else self._look_up(where, levels, most)
        return self._narrow[name]

    def _share(self, where: Filter, levels: Levels, k: int) -> float:
        text, values = both(condition(where, alone=True), on_levels(levels))
        sample = np.unique((_SPREAD * self._next_key).astype(np.int64))
        widths = (WIDTHS[0], self._width, k * _VIEW)
        row = self._connection.execute(_SAMPLE.format(each=text), (*widths, *values, bigints(sample))).fetchone()
        share, width = row or (0.0, self._width)
        self._width = int(width)
        return float(share)

    def _look_up(self, where: Filter, levels: Levels, most: int) -> Keys | None:
        text, values = both(condition(where), on_levels(levels))
        row = self._connection.execute(_LOOK_UP.format(where=text), (*values, most + 1)).fetchone()
        keys = np.frombuffer((row[0] if row else None) or b"", dtype=">i8").astype(np.int64)
        return keys if len(keys) <= most else None

    def _among(self, levels: Levels) -> list[int]:
        """The levels that are asked for and have entries."""
        return [level for level, now in self._levels.items() if now.entries and (levels is None or level in levels)]


def on_levels(levels: Levels) -> PostgresCondition:
    """Entries of these levels; of all, where there are none given."""
    return TRUE if levels is None else PostgresCondition(sql.SQL("e.level = ANY(%s::integer[])"), (list(levels),))


def _halves(levels: Collection[int]) -> set[str]:
    return {"leaf" if level == 0 else "upper" for level in levels}


def _of_keys(keys: Keys) -> PostgresCondition:
    return PostgresCondition(sql.SQL("JOIN unnest(%s) AS hits (key) USING (key)"), (bigints(keys),))


def _of_filter(where: Filter | None, levels: list[int]) -> PostgresCondition:
    if where is None:
        return PostgresCondition(sql.SQL("WHERE v.level = ANY(%s::integer[])"), (levels,))
    text, values = both(condition(where), on_levels(levels))
    return PostgresCondition(sql.SQL("JOIN entries e USING (key) WHERE {}").format(text), values)


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
