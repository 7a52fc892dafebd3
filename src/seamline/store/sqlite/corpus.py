"""All entries of one state, as a search sees them: segments, and in memory what is in none yet."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from seamline.store.sqlite import clusters, words
from seamline.store.sqlite.clusters import Bounds, Codes
from seamline.store.sqlite.segments import Loose, Segment, read_codes, read_loose, read_postings, read_segments
from seamline.store.sqlite.structures import Made, read_centroids
from seamline.store.sqlite.truth import removed_since, rows_after
from seamline.store.sqlite.words import Postings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Vector
    from seamline.store.sqlite.database import Database

_REMEMBERED = 256 << 20
"""Bytes of postings and of codes that are kept in memory, each."""

T = TypeVar("T")


class Found(NamedTuple):
    """Rows of entries with their scores, in any order."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]


class Recent(Generic[T]):
    """Values that were asked for lately, up to a number of bytes."""

    def __init__(self, most: int) -> None:
        self._most, self._held = most, 0
        self._values: OrderedDict[object, tuple[T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """The value of a key, made where it is not known."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()
        with self._lock:
            self._values[key] = value, size(value)
            self._held += size(value)
            while self._held > self._most and len(self._values) > 1:
                self._held -= self._values.popitem(last=False)[1][1]
        return value


class Arranged:
    """The structures of one file as they were made: segments, and what was read of them lately."""

    def __init__(
        self, file: str, made: Made, segments: Sequence[Segment] = (), centroids: Mapping[str, Vector] | None = None
    ) -> None:
        self.file = file
        self.made = made
        self.segments = segments
        self.centroids = centroids or {}
        self._postings: Recent[Postings | None] = Recent(_REMEMBERED)
        self._codes: Recent[list[tuple[int, Codes]]] = Recent(_REMEMBERED)

    @classmethod
    def read(cls, db: Database, made: Made) -> Arranged:
        """All but postings and codes, which are read when they are asked for."""
        return cls(db.path, made, read_segments(db), read_centroids(db))

    def postings(self, db: Database | None, at: int, word: str) -> Postings | None:
        """Which entries of a segment hold a word."""
        assert db is not None

        def read() -> Postings | None:
            return read_postings(db, self.segments[at], word)

        return self._postings.get((at, word), read, lambda part: 100 + (16 * len(part.docs) if part else 0))

    def codes(self, db: Database | None, column: str, cluster: int) -> list[tuple[int, Codes]]:
        """The vectors in a cluster, by segment."""
        if db is None:
            return []

        def read() -> list[tuple[int, Codes]]:
            found = [read_codes(db, segment, column, cluster) for segment in self.segments]
            return [(at, codes) for at, codes in enumerate(found) if codes is not None]

        return self._codes.get((column, cluster), read, lambda found: 100 + sum(c.codes.nbytes for _, c in found))


class Corpus:
    """The entries of one state. Threads may share it; each call brings a connection to the structures."""

    def __init__(self, arranged: Arranged, loose: Loose, removed: NDArray[np.int64]) -> None:
        """`loose`: entries that are in no segment. `removed`: rows that were removed since segments were made."""
        self._arranged = arranged
        self._loose = loose
        segments = arranged.segments
        parts: list[Segment | Loose] = [*segments, loose]
        self._starts = np.cumsum([0, *(len(part.rows) for part in parts)])
        self._rows: NDArray[np.int64] = np.concatenate([part.rows for part in parts])
        self._levels = np.concatenate([part.levels for part in parts])
        lengths = np.concatenate([part.lengths for part in parts])
        dead = np.concatenate([*(segment.dead for segment in segments), np.zeros(len(loose.rows), bool)])
        self._alive = ~(dead | np.isin(self._rows, removed))
        self._whole = bool(self._alive.all())
        worded = int((self._alive & (lengths > 0)).sum())
        average = float(lengths[self._alive].sum()) / worded if worded else 1.0
        self._collection = words.Collection(worded, average, lengths)
        self._masks: dict[frozenset[int] | None, NDArray[np.bool_] | None] = {}

    @classmethod
    def read(cls, arranged: Arranged, truth: Database) -> Corpus:
        """The entries of the present state of the truth."""
        made = arranged.made
        loose = read_loose(truth, rows_after(truth, made.last_row).tolist())
        return cls(arranged, loose, removed_since(truth, made.counter))

    def matching(
        self,
        db: Database | None,
        asked: Sequence[str],
        k: int,
        levels: Collection[int] | None,
        through: NDArray[np.int64] | None,
    ) -> Found:
        """The `k` best by words and those that equal the last of them; of these levels and among these rows, which are
        ascending, None for all."""
        allowed = self._allowed(levels, through)
        docs, scores = words.find_best(asked, k, lambda word: self._holding(db, word), self._collection, allowed)
        return Found(self._rows[docs], scores)

    def near(
        self,
        db: Database | None,
        vector: Vector,
        column: str,
        k: int,
        levels: Collection[int] | None,
        through: NDArray[np.int64] | None,
    ) -> Found:
        """Rows that may be among the `k` nearest; their scores are not worked out yet."""
        allowed = self._allowed(levels, through)
        share = 1.0 if allowed is None else float(allowed.mean()) if len(allowed) else 0.0
        parts = []
        for start, size, codes in self._near_codes(db, vector, column, share):
            found = clusters.estimate(codes, vector, None if allowed is None else allowed[start : start + size])
            parts.append(found._replace(docs=found.docs + start))
        parts.append(self._near_loose(vector, column, allowed))
        left = clusters.undecided(clusters.join(parts), k)
        return Found(self._rows[left.docs], left.high)

    def _near_codes(
        self, db: Database | None, vector: Vector, column: str, share: float
    ) -> Iterator[tuple[int, int, Codes]]:
        """Start and size of a segment with its codes, for every cluster that is looked into."""
        for cluster in self._probed(vector, column, share):
            for at, codes in self._arranged.codes(db, column, cluster):
                yield int(self._starts[at]), len(self._arranged.segments[at].rows), codes

    def _probed(self, vector: Vector, column: str, share: float) -> list[int]:
        centroids = self._arranged.centroids.get(column)
        if centroids is None:
            return [0]
        probes = clusters.probes_for(len(centroids), share)
        near = centroids @ vector
        return [int(cluster) for cluster in np.argpartition(-near, min(probes, len(near) - 1))[:probes]]

    def _near_loose(self, vector: Vector, column: str, allowed: NDArray[np.bool_] | None) -> Bounds:
        docs, vectors = self._loose.vectors.get(column, (np.empty(0, np.int64), None))
        if not len(docs) or vectors is None:
            return clusters.join([])
        docs = docs + self._starts[-2]
        near = (vectors * vector).sum(axis=1, dtype=np.float64)
        kept = slice(None) if allowed is None else allowed[docs]
        return Bounds(docs[kept], near[kept], near[kept])

    def _holding(self, db: Database | None, word: str) -> Postings:
        """The living entries that hold a word."""
        found = [self._arranged.postings(db, at, word) for at in range(len(self._arranged.segments))]
        found.append(self._loose.postings.get(word))
        there = [(part, start) for part, start in zip(found, self._starts, strict=False) if part is not None]
        if not there:
            return Postings(np.empty(0, np.int64), np.empty(0, np.int64))
        docs = np.concatenate([part.docs + start for part, start in there])
        counts = np.concatenate([part.counts for part, _ in there])
        kept = slice(None) if self._whole else self._alive[docs]
        return Postings(docs[kept], counts[kept])

    def _allowed(self, levels: Collection[int] | None, through: NDArray[np.int64] | None) -> NDArray[np.bool_] | None:
        """Which entries may be found; None for all."""
        key = None if levels is None else frozenset(levels)
        if key not in self._masks:
            mask = self._alive if key is None else self._alive & np.isin(self._levels, [*key])
            self._masks[key] = None if mask.all() else mask
        mask_of_levels = self._masks[key]
        if through is None:
            return mask_of_levels
        at = np.searchsorted(self._rows, through)
        allowed = np.zeros(len(self._rows), bool)
        at = at[at < len(self._rows)]
        allowed[at[np.isin(self._rows[at], through)]] = True
        return allowed if mask_of_levels is None else allowed & mask_of_levels
