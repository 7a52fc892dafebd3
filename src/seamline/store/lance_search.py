"""How the embedded store finds entries by vector and by words, and when it does so exactly.

Vectors: below `Limits.exact` rows each one is compared. Above that an index of partitions with 4-bit codes proposes
candidates and their own vectors decide; on a million vectors of 256 dimensions it found 99.3-100% of the ten nearest in
5-9 ms of CPU, and of the ten nearest among 1% of them in 9-19 ms. A filter that lets few through is compared exactly.

Words: below `Limits.count` rows they are counted here, exactly and in 64 bits. Above that the engine's index counts, in
32 bits: right to six digits once `tidy` has been there, and until then off by about the share of what is new (entries
that came or went since are counted in one place and not yet in another: 12% off when a third of all is new).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.records import Scored
from seamline.store import bm25
from seamline.store.lance_filter import TRUE
from seamline.store.lance_rows import id_of

if TYPE_CHECKING:
    from seamline.records import Vector

_SPARE = 8
"""How many more than asked for are fetched: where the last are equal, the engine chooses among them, not the id."""
_REFINE = 3
"""How many candidates per result have their own vectors compared; two gave a recall of .995 for 50 results."""
_ALIKE_COSINE = 5e-7
"""Cosines in 32 bits that are closer than this are taken for equal, and stand by id."""
_ALIKE_BM25 = 2e-6
"""The same for BM25, as a share of the score."""
_CHAIN = 10
"""How many times that the first and the last of a row of equals may be apart."""
_PAGE = 4096
_PARTITION = 1000
"""Vectors per partition. 500 need as many comparisons for the same recall, and twice the time to be trained."""


@dataclass(frozen=True, slots=True)
class Limits:
    """From which sizes on the store uses which means."""

    count: int = 2_000
    """Rows up to which words are counted in memory, and nothing is indexed: 10 ms for the first query."""
    exact: int = 20_000
    """Rows up to which vectors are compared one by one: 15 ms of CPU at 256 dimensions."""
    few: int = 500
    """Rows that a filter may leave for an exact comparison of their vectors: 30 microseconds each."""


class Found(NamedTuple):
    """A hit and where it stands in the table."""

    key: str
    score: float
    row: int


def near(table: Any, vector: Vector, column: str, k: int, where: str, plan: Plan) -> list[Found]:
    """The rows with the nearest vectors, best first; `where` is a condition."""

    def fetch(limit: int) -> list[Found]:
        query = plan.apply(table.search(vector, vector_column_name=column).distance_type("cosine"))
        found = _fetched(query if where == TRUE else query.where(where), "_distance", limit)
        return [Found(key, 1.0 - distance, row) for key, distance, row in found]

    return _settled(fetch, k, lambda _: _ALIKE_COSINE)


@dataclass(frozen=True, slots=True)
class Plan:
    """How vectors are compared: with an index, in so many partitions of it, or one by one."""

    probes: int = 0
    """0: exactly."""

    def apply(self, query: Any) -> Any:
        if not self.probes:
            return query.bypass_vector_index()
        # More partitions than that only where these hold fewer than asked for.
        return query.minimum_nprobes(self.probes).maximum_nprobes(0).refine_factor(_REFINE)


def plan(partitions: int, rows: int, through: int, limits: Limits) -> Plan:
    """The plan for a column whose index has so many partitions (0: none), and a filter that lets some rows through.

    The nearest of a few stand further apart than the nearest of all: they are looked for in more partitions. For 1%
    of a million rows 4 times as many gave a recall of 1.0, for 1 in 1,000 of 300,000 rows 8 times as many.
    """
    if not partitions or through <= limits.few:
        return Plan()
    share = max(through, 1) / max(rows, 1)
    return Plan(min(partitions, ceil((24 + partitions / 16) * min(1.0, share) ** -0.3)))


def partitions_for(rows: int) -> int:
    """How many partitions an index of so many vectors gets."""
    return max(2, rows // _PARTITION)


def matching(table: Any, asked: Sequence[str], k: int, where: str) -> list[Found]:
    """The rows with the highest BM25 score by the engine's index, best first."""
    from lancedb.query import MatchQuery

    def fetch(limit: int) -> list[Found]:
        query = table.search(MatchQuery(" ".join(asked), "words"), query_type="fts")
        found = _fetched(query if where == TRUE else query.where(where), "_score", limit)
        return [Found(key, score, row) for key, score, row in found if score > 0]

    return _settled(fetch, k, lambda score: _ALIKE_BM25 * abs(score))


def _fetched(query: Any, score: str, limit: int) -> Iterator[tuple[str, float, int]]:
    found = query.select(["key", score]).with_row_id(True).limit(limit).to_arrow()
    return zip(found["key"].to_pylist(), found[score].to_pylist(), found["_rowid"].to_pylist(), strict=True)


def _settled(fetch: Callable[[int], list[Found]], k: int, alike: Callable[[float], float]) -> list[Found]:
    """The best `k`, equal ones by id. Fetches more while some that were not fetched may be equal to the last."""
    limit = k + _SPARE
    while True:
        found = sorted(fetch(limit), key=lambda hit: -hit.score)
        if len(found) < limit or found[k - 1].score - found[-1].score > alike(found[k - 1].score):
            return _by_id(found, alike)[:k]
        limit *= 4


def _by_id(found: Sequence[Found], alike: Callable[[float], float]) -> list[Found]:
    """Hits whose scores are as good as equal, by id; each gets the same score, so that nobody sees a difference."""
    ordered: list[Found] = []
    group: list[Found] = []
    for hit in found:
        alone = alike(hit.score)
        if group and (group[-1].score - hit.score > alone or group[0].score - hit.score > _CHAIN * alone):
            ordered += _evened(group)
            group = []
        group.append(hit)
    return ordered + _evened(group)


def _evened(group: Sequence[Found]) -> list[Found]:
    return sorted((hit._replace(score=group[0].score) for hit in group), key=lambda hit: id_of(hit.key))


class Bags:
    """The words of a table, counted here: exact, and slow where there are many rows."""

    def __init__(self, table: Any, keep: bool) -> None:
        self._table = table
        self._kept = list(self._read()) if keep else None

    def matching(self, asked: Sequence[str], k: int, through: Collection[str] | None) -> list[Found]:
        """The rows with the highest BM25 score, best first; among those let through, None for all."""
        total, length, holding = 0, 0, Counter[str]()
        hits: list[tuple[str, int, Counter[str]]] = []
        for key, row, bag in self._kept if self._kept is not None else self._read():
            held = [word for word in asked if word in bag]
            total, length = total + 1, length + bag.total()
            holding.update(held)
            if held and (through is None or key in through):
                hits.append((key, row, bag))
        worth = {word: bm25.idf(total, count) for word, count in holding.items()}
        average = length / max(1, total)
        found = [Found(key, _score(bag, asked, worth, average), row) for key, row, bag in hits]
        return sorted(found, key=lambda hit: (-hit.score, id_of(hit.key)))[:k]

    def _read(self) -> Iterator[tuple[str, int, Counter[str]]]:
        query = self._table.search().where("words IS NOT NULL").select(["key", "words"]).with_row_id(True)
        for batch in query.to_batches(_PAGE):
            rows = zip(*(batch.column(name).to_pylist() for name in ("key", "_rowid", "words")), strict=True)
            yield from ((key, row, Counter(words.split(" "))) for key, row, words in rows)


def _score(bag: Counter[str], asked: Iterable[str], worth: Mapping[str, float], average: float) -> float:
    length = bag.total()
    return sum(worth[word] * bm25.weight(bag[word], length, average) for word in asked if word in bag)


def scored(found: Iterable[Found]) -> list[Scored]:
    return [Scored(id_of(hit.key), hit.score) for hit in found]
