"""Texts that say almost the same: collapsed among candidates, and reported for a whole index.

Two texts are near-duplicates where they share 78% of their runs of three words. One changed word breaks three runs, so
texts of 35 words may differ in one, and longer ones in about one of 30.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from seamline.filters.tree import Test
from seamline.protocols import Reader
from seamline.records import Entry
from seamline.search.candidates import Candidate
from seamline.text.shingles import shingles, similarity
from seamline.text.words import words

if TYPE_CHECKING:
    from seamline.text.shingles import Hashes

SIMILAR = 0.78
"""The share of their runs of three words that near-duplicates have in common. With 0.75, four of a hundred pairs that
were found among passages of books, manuals and code were none."""
_ALL = (1 << 64) - 1
_FAR = 20
"""Differing bits above which two sketches are not of near-duplicates: those differ in about 10, others in about 32."""


class _Texts:
    """Compares entries by their bodies, each read once."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._runs: dict[str, Hashes] = {}
        self._words: dict[str, frozenset[str]] = {}
        self.add(entries)

    def add(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if entry.id not in self._runs:
                found = words(entry.body)
                self._runs[entry.id] = shingles(found)
                self._words[entry.id] = frozenset(found)

    def __contains__(self, id: str) -> bool:
        return id in self._runs

    def are_alike(self, left: str, right: str) -> bool:
        return similarity(self._runs[left], self._runs[right]) >= SIMILAR

    def agree_on(self, left: str, right: str, asked: frozenset[str]) -> bool:
        """Whether two texts have the same of the words that were asked for."""
        return asked.isdisjoint(self._words[left] ^ self._words[right])


def collapse(candidates: Sequence[Candidate], asked: frozenset[str] = frozenset()) -> list[Candidate]:
    """The candidates without those that say almost the same as a better one, which lists them.

    They do where their bodies are equal but for white space, or alike and with the same of the words that were asked
    for: a question about version 3 does not lose the page about it to that about version 2.
    """
    kept: list[Candidate] = []
    bodies: dict[tuple[int, str], int] = {}  # place among the kept, by level and content
    sketches: dict[int, list[tuple[int, int]]] = defaultdict(list)  # per level, sketches with their places
    texts = _Texts()

    def is_twin(place: int, entry: Entry) -> bool:
        other = kept[place].entry
        texts.add((entry, other))
        return texts.are_alike(entry.id, other.id) and texts.agree_on(entry.id, other.id, asked)

    for one in candidates:
        entry, others = one.entry, sketches[one.entry.level]
        twin = bodies.get((entry.level, entry.content_hash))
        if twin is None and (sketch := entry.sketch & _ALL):
            # Every pair is compared, so without a call for each.
            near = (place for other, place in others if (sketch ^ other).bit_count() <= _FAR)
            twin = next((place for place in near if is_twin(place, entry)), None)
            if twin is None:
                others.append((sketch, len(kept)))
        if twin is None:
            bodies[entry.level, entry.content_hash] = len(kept)
            kept.append(one)
        else:
            kept[twin] = replace(kept[twin], twins=(*kept[twin].twins, entry, *one.twins))
    return kept


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
    """The near-duplicates of a whole index, across documents. Only chunks whose signatures meet are compared."""
    groups = _Groups()
    order: dict[str, int] = {}
    bodies: dict[str, str] = {}  # per content, the first chunk that has it
    signatures: dict[str, Hashes] = {}  # of those
    for entry in reader.select(Test("level", "=", 0.0)):
        order[entry.id] = len(order)
        first = bodies.setdefault(entry.content_hash, entry.id)
        groups.join(first, entry.id)
        if first == entry.id and len(found := shingles(words(entry.body))):
            signatures[entry.id] = _signature(found)
    _join_alike(signatures, reader, groups)
    found_groups: dict[str, list[str]] = defaultdict(list)
    for id in order:
        found_groups[groups.root(id)].append(id)
    several = sorted((group for group in found_groups.values() if len(group) > 1), key=lambda g: (-len(g), order[g[0]]))
    return Duplicates(tuple(tuple(group) for group in several), len(order))


_BINS = 48
_BAND = 4
"""Bins that must agree for two texts to be compared: of two that share 78%, one of the twelve bands does in 996
of 1,000 cases; of two that share a third, in one of ten."""
_AGREE = 0.5
"""Share of the bins of near-duplicates that agree, at the least."""


def _signature(runs: Hashes) -> Hashes:
    """The least hash of each of 48 ranges; of the next range that has one, where it has none. As many of two
    signatures agree as the texts share runs (one permutation hashing)."""
    import numpy as np

    step = _ALL // _BINS
    edges = np.array([step * n for n in range(_BINS)], np.uint64)
    return runs[np.searchsorted(runs, edges) % len(runs)]


def _join_alike(signatures: dict[str, Hashes], reader: Reader, groups: _Groups) -> None:
    """Join the chunks that are alike: those that agree in a band and in half of all bins, and then by their texts."""
    import numpy as np

    if len(signatures) < 2:
        return
    ids = list(signatures)
    table = np.stack([signatures[id] for id in ids])
    refused: set[tuple[int, int]] = set()
    for first in range(0, _BINS, _BAND):
        buckets: dict[bytes, list[int]] = defaultdict(list)
        for number, band in enumerate(np.ascontiguousarray(table[:, first : first + _BAND])):
            buckets[band.tobytes()].append(number)
        for bucket in buckets.values():
            if len({groups.root(ids[number]) for number in bucket}) > 1:
                _join_bucket(bucket, ids, table, refused, reader, groups)


def _join_bucket(
    bucket: Sequence[int],
    ids: Sequence[str],
    table: Hashes,
    refused: set[tuple[int, int]],
    reader: Reader,
    groups: _Groups,
) -> None:
    """Join those of a bucket that are alike. Each is compared with one of every group that the bucket has."""
    import numpy as np

    texts = _Texts()
    heads: list[int] = []
    for number in bucket:
        close = np.flatnonzero((table[heads] == table[number]).mean(axis=1) >= _AGREE) if heads else ()
        for head in (heads[at] for at in close):
            left, right = ids[head], ids[number]
            if (head, number) in refused or groups.root(left) == groups.root(right):
                continue
            texts.add(reader.entries([id for id in (left, right) if id not in texts]).values())
            if texts.are_alike(left, right):
                groups.join(left, right)
            else:
                refused.add((head, number))
        if all(groups.root(ids[head]) != groups.root(ids[number]) for head in (heads[at] for at in close)):
            heads.append(number)


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
