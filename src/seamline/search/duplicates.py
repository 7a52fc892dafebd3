"""Texts that say almost the same: collapsed among candidates, and reported for a whole index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from seamline.filters.tree import Test
from seamline.protocols import Reader
from seamline.search.candidates import Candidate

BITS = 64
NEAR = 3
"""Differing bits up to which two sketches are near: texts that differ in one word of a hundred."""
_BANDS = NEAR + 1
_FEW = 32
"""So many sketches are compared pair by pair."""


def collapse(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without those that say almost the same as a better one, which lists them.

    They do where their bodies are equal but for white space, or their sketches near.
    """
    kept: list[Candidate] = []
    bodies: dict[tuple[int, str], int] = {}  # place among the kept, by level and content
    sketches: dict[int, list[tuple[int, int]]] = defaultdict(list)  # per level, sketches with their places
    for one in candidates:
        entry, others = one.entry, sketches[one.entry.level]
        twin = bodies.get((entry.level, entry.content_hash))
        if twin is None and (sketch := entry.sketch & _ALL):
            # Every pair is compared, so without a call for each.
            twin = next((place for other, place in others if (sketch ^ other).bit_count() <= NEAR), None)
            if twin is None:
                others.append((sketch, len(kept)))
        if twin is None:
            bodies[entry.level, entry.content_hash] = len(kept)
            kept.append(one)
        else:
            kept[twin] = replace(kept[twin], twins=(*kept[twin].twins, entry, *one.twins))
    return kept


def near(left: int, right: int) -> bool:
    """Whether two sketches differ in at most three bits. An empty sketch is near nothing: it says nothing."""
    return bool(left and right) and ((left ^ right) & _ALL).bit_count() <= NEAR


_ALL = (1 << BITS) - 1


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Chunks of an index that say almost the same."""

    groups: tuple[tuple[str, ...], ...]
    """Ids of two or more chunks each, in the order of documents; the largest group first."""
    chunks: int
    """How many chunks were looked at."""

    @property
    def rate(self) -> float:
        """The share of chunks that would not be missed: all but one of each group."""
        spare = sum(len(group) - 1 for group in self.groups)
        return spare / self.chunks if self.chunks else 0.0


def duplicates(reader: Reader) -> Duplicates:
    """The near-duplicates of a whole index. Only chunks whose sketches agree in many bits are compared."""
    groups = _Groups()
    order: dict[str, int] = {}
    sketches: dict[int, str] = {}  # per sketch, the first chunk that has it
    bodies: dict[str, str] = {}  # per content, likewise
    for entry in reader.select(Test("level", "=", 0.0)):
        order[entry.id] = len(order)
        groups.join(bodies.setdefault(entry.content_hash, entry.id), entry.id)
        if entry.sketch:
            groups.join(sketches.setdefault(entry.sketch & _ALL, entry.id), entry.id)
    _join_near(list(sketches), _ALL, sketches, groups)
    found: dict[str, list[str]] = defaultdict(list)
    for id in order:
        found[groups.root(id)].append(id)
    several = sorted((group for group in found.values() if len(group) > 1), key=lambda g: (-len(g), order[g[0]]))
    return Duplicates(tuple(tuple(group) for group in several), len(order))


def _join_near(distinct: Sequence[int], bits: int, ids: Mapping[int, str], groups: _Groups) -> None:
    """Join all near ones among sketches that agree outside of `bits`.

    Two that differ in three bits agree in one of four bands, so only those of one band are compared. Where many agree
    in a band, the bits that are left are banded again; sketches that are already together are not looked at again.
    """
    if len({groups.root(ids[sketch]) for sketch in distinct}) < 2:
        return
    if len(distinct) <= _FEW or bits.bit_count() < _BANDS:
        for left, right in combinations(distinct, 2):
            if near(left, right):
                groups.join(ids[left], ids[right])
        return
    for band in bands(bits):
        buckets: dict[int, list[int]] = defaultdict(list)
        for sketch in distinct:
            buckets[sketch & band].append(sketch)
        for bucket in buckets.values():
            _join_near(bucket, bits & ~band, ids, groups)


def bands(bits: int) -> list[int]:
    """The set bits of a mask in four masks of about as many each."""
    places = [1 << n for n in range(BITS) if bits >> n & 1]
    edges = [len(places) * n // _BANDS for n in range(_BANDS + 1)]
    return [sum(places[start:end]) for start, end in pairwise(edges)]


class _Groups:
    """Which ids belong together, each found by the root of its group."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, id: str) -> str:
        while (above := self._above.get(id, id)) != id:
            self._above[id] = self._above.get(above, above)  # halves the path for the next time
            id = above
        return id

    def join(self, one: str, other: str) -> None:
        self._above[self.root(other)] = self.root(one)
