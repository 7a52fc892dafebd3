"""How the LanceDB store finds entries by vector and by words, and when it does so exactly.

Vectors: below `LanceLimits.exact` rows each one is compared. Above that an index of partitions with 4-bit codes
proposes candidates and their own vectors decide; on a million vectors of 384 dimensions it found 99-100% of the ten
nearest in 8-11 ms of CPU, and of the ten nearest among 1% of them in 11-18 ms. A filter that lets few through is
compared exactly.

Words: below `LanceLimits.count` rows they are counted here, exactly and in 64 bits. Above that the engine's index
counts, in 32 bits: right to six digits once `tidy` has been there, and until then off by about the share of what is
new (entries that came or went since are counted in one place and not yet in another: 12% off when a third of all is
new).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.records import Scored
from seamline.store import bm25
from seamline.store.lance.rows import id_of

if TYPE_CHECKING:
    from seamline.records import Vector
    from seamline.store.lance.engine import TableVersion

_SPARE_NEAR, _SPARE_WORDS = 2, 8
"""How many more than asked for are fetched: where the last are equal, the engine chooses among them, not the id. Equal
vectors are rare, and where these are equal too, more are fetched; equal BM25 is found in every fifth question."""
_REFINE = 2
_REFINE_MORE = 30
"""How many candidates per result, and beside, have their own vectors compared: two gave a recall of .995 for 50."""
_ALIKE_COSINE = 5e-7
"""Cosines in 32 bits that are closer than this are taken for equal, and stand by id."""
_ALIKE_BM25 = 2e-6
"""The same for BM25, as a share of the score."""
_CHAIN = 10
"""How many times that the first and the last of a row of equals may be apart."""
_MARKS = ("key", "level")
"""What is read of the rows that a search finds."""
_PAGE = 4096
_PARTITION = 1000
"""Vectors per partition. 500 need as many comparisons for the same recall, and twice the time to be trained."""


@dataclass(frozen=True, slots=True)
class LanceLimits:
    """From which sizes on the store uses which means."""

    count: int = 2_000
    """Rows up to which words are counted at every question, and nothing is indexed."""
    exact: int = 4_000
    """Rows up to which vectors are compared one by one: 4 ms of CPU at 384 dimensions."""
    few: int = 2_000
    """Rows that a filter may leave for an exact comparison of their vectors: 2 microseconds each."""
    kept: timedelta = timedelta(days=1)
    """On object storage: how long a state stays readable after another one took its place."""
    lease: timedelta = timedelta(seconds=60)
    """On object storage: how long a writer that is not heard of keeps others out."""


class LanceMatches(NamedTuple):
    """A hit."""

    key: str
    score: float
    level: int = 0


@dataclass(frozen=True, slots=True)
class LanceScope:
    """Which rows are wanted. In a large table the engine takes 11 ms to hand over all rows of a level, so a level that
    most rows have is asked of the hits: some more are fetched, and the others left out."""

    where: str
    """A condition for all of it."""
    loose: str = ""
    """The condition without the levels."""
    levels: frozenset[int] = frozenset()
    """What is asked of hits that were found with the loose condition; empty where that is no good."""
    spread: float = 1.0
    """How many rows are fetched for one that is wanted."""

    @property
    def first(self) -> str:
        """The condition that is tried first."""
        return self.loose if self.levels else self.where


@dataclass(frozen=True)
class NearLeg:
    """A search by vector, in so many partitions of the index, or exactly where that is 0."""

    table: TableVersion
    vector: Vector
    column: str
    probes: int
    partitions: int
    """All there are; 0 where nothing else than an exact comparison is possible."""

    def best(self, k: int, scope: LanceScope) -> list[LanceMatches]:
        """The rows with the nearest vectors, best first."""
        return _best(self._fetch, k, scope, _SPARE_NEAR, lambda _: _ALIKE_COSINE)

    def _fetch(self, limit: int, where: str) -> list[LanceMatches]:
        found = self._near(limit, where, self.probes)
        if 0 < self.probes < self.partitions and len(found) < limit:
            # Not left to the engine: where it may, it looks into all partitions under any filter, for 25 ms more.
            found = self._near(limit, where, self.partitions)
        return _found(found, [1.0 - distance for distance in found["_distance"].to_pylist()])

    def _near(self, limit: int, where: str, probes: int) -> Any:
        refine = ceil((_REFINE * limit + _REFINE_MORE) / limit)
        return self.table.near(self.vector, self.column, limit, where, probes=probes, refine=refine, columns=_MARKS)


@dataclass(frozen=True)
class WordLeg:
    """A search by words, by the engine's index."""

    table: TableVersion
    words: Sequence[str]
    every: bool = False
    """Whether rows have to hold all of them."""

    def best(self, k: int, scope: LanceScope) -> list[LanceMatches]:
        """The rows with the highest BM25 score, best first."""
        return _best(self._fetch, k, scope, _SPARE_WORDS, lambda score: _ALIKE_BM25 * abs(score))

    def _fetch(self, limit: int, where: str) -> list[LanceMatches]:
        found = self.table.matching(self.words, "words", limit, where, columns=_MARKS, every=self.every)
        return [hit for hit in _found(found, found["_score"].to_pylist()) if hit.score > 0]


def _found(rows: Any, scores: Iterable[float]) -> list[LanceMatches]:
    return [*map(LanceMatches, rows["key"].to_pylist(), scores, rows["level"].to_pylist())]


def probes_for(partitions: int, rows: int, through: int, limits: LanceLimits) -> int:
    """In how many partitions of an index (0: there is none) to look, where a filter lets some of all rows through; 0 to
    compare these one by one.

    The nearest of a few stand further apart than the nearest of all: they are looked for in more partitions. Of a
    thousand partitions 8, 32 and 87 gave a recall of .990, .995 and .998; for 1% of the rows 20, 40, 130 and 200 gave
    .990, .993, .998 and 1.0.
    """
    through = min(through, rows)  # a condition that asks for no level also lets through what is not an entry
    if not partitions or through <= limits.few:
        return 0
    wider: float = (rows / through) ** 0.2
    return min(partitions, ceil((24 + partitions / 32) * wider))


def partitions_for(rows: int) -> int:
    """How many partitions an index of so many vectors gets."""
    return max(2, rows // _PARTITION)


def _best(
    fetch: Callable[[int, str], list[LanceMatches]],
    k: int,
    scope: LanceScope,
    spare: int,
    alike: Callable[[float], float],
) -> list[LanceMatches]:
    """The best `k`, equal ones by id."""
    if scope.levels:
        limit = ceil((k + spare) * scope.spread)
        found = sorted(fetch(limit, scope.loose), key=lambda hit: -hit.score)
        kept = [hit for hit in found if hit.level in scope.levels]
        if len(found) < limit or (len(kept) >= k and kept[k - 1].score - found[-1].score > alike(kept[k - 1].score)):
            return _order(kept, alike)[:k]
    return _settled(lambda limit: fetch(limit, scope.where), k, spare, alike)


def _settled(
    fetch: Callable[[int], list[LanceMatches]], k: int, spare: int, alike: Callable[[float], float]
) -> list[LanceMatches]:
    """Fetches more while some that were not fetched may be equal to the last."""
    limit = k + spare
    while True:
        found = sorted(fetch(limit), key=lambda hit: -hit.score)
        if len(found) < limit or found[k - 1].score - found[-1].score > alike(found[k - 1].score):
            return _order(found, alike)[:k]
        limit *= 4


def _order(found: Sequence[LanceMatches], alike: Callable[[float], float]) -> list[LanceMatches]:
    """Hits whose scores are as good as equal, by id; each gets the same score, so that nobody sees a difference."""
    ordered: list[LanceMatches] = []
    group: list[LanceMatches] = []
    for hit in found:
        alone = alike(hit.score)
        if group and (group[-1].score - hit.score > alone or group[0].score - hit.score > _CHAIN * alone):
            ordered += _evened(group)
            group = []
        group.append(hit)
    return ordered + _evened(group)


def _evened(group: Sequence[LanceMatches]) -> list[LanceMatches]:
    return sorted((hit._replace(score=group[0].score) for hit in group), key=lambda hit: id_of(hit.key))


class Bags:
    """The words of a large table that has no index yet, counted at every question: exact, and slow."""

    def __init__(self, table: TableVersion) -> None:
        self._table = table

    def matching(
        self, asked: Sequence[str], k: int, through: Collection[str] | None, *, every: bool = False
    ) -> list[LanceMatches]:
        """The rows with the highest BM25 score, best first; among those let through, None for all; with `every`, of
        those that hold all words."""
        total, length, holding = 0, 0, Counter[str]()
        hits: list[tuple[str, Counter[str]]] = []
        for key, bag in self._read():
            held = [word for word in asked if word in bag]
            total, length = total + 1, length + bag.total()
            holding.update(held)
            if held and (not every or len(held) == len(asked)) and (through is None or key in through):
                hits.append((key, bag))
        worth = {word: bm25.idf(total, count) for word, count in holding.items()}
        average = length / max(1, total)
        found = [LanceMatches(key, _score(bag, asked, worth, average)) for key, bag in hits]
        return sorted(found, key=lambda hit: (-hit.score, id_of(hit.key)))[:k]

    def _read(self) -> Iterator[tuple[str, Counter[str]]]:
        for batch in self._table.batches("words IS NOT NULL", ["key", "words"], _PAGE):
            rows = zip(batch.column("key").to_pylist(), batch.column("words").to_pylist(), strict=True)
            yield from ((key, Counter(words.split(" "))) for key, words in rows)


def _score(bag: Counter[str], asked: Iterable[str], worth: Mapping[str, float], average: float) -> float:
    length = bag.total()
    return sum(worth[word] * bm25.weight(bag[word], length, average) for word in asked if word in bag)


def scored(found: Iterable[LanceMatches]) -> list[Scored]:
    return [Scored(id_of(hit.key), hit.score) for hit in found]
