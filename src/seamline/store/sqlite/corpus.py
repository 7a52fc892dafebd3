"""All entries of one state, as a search sees them: segments, and in memory what is in none yet."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from seamline.store import bm25
from seamline.store.sqlite import clusters, words
from seamline.store.sqlite.clusters import Bounds, Codes, join_codes
from seamline.store.sqlite.segments import Loose, Segment, read_codes, read_loose, read_postings, read_segments
from seamline.store.sqlite.structures import Made, read_centroids
from seamline.store.sqlite.truth import removed_since, rows_after
from seamline.store.sqlite.words import Postings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Levels, Vector
    from seamline.store.sqlite.database import Database

_POSTINGS = 128 << 20
"""Bytes of postings that are kept in memory: as they are stored, and of all segments, each."""
_CODES = 448 << 20
"""Bytes of codes: those of a million vectors of 384 dimensions."""

T = TypeVar("T")


class CorpusMatches(NamedTuple):
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
        taken = size(value)
        with self._lock:
            if key in self._values:  # another thread was faster
                return self._values[key][0]
            self._values[key] = value, taken
            self._held += taken
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
        self.starts = np.cumsum([0, *(len(segment.rows) for segment in segments)])
        """Where the entries of each segment start among all of them, and where those in no segment do."""
        self._postings: Recent[Postings | None] = Recent(_POSTINGS)
        self._codes: Recent[Codes | None] = Recent(_CODES)

    @classmethod
    def read(cls, db: Database, made: Made) -> Arranged:
        """All but postings and codes, which are read when they are asked for."""
        return cls(db.path, made, read_segments(db), read_centroids(db))

    def postings(self, db: Database | None, at: int, word: str) -> Postings | None:
        """Which entries of a segment hold a word."""
        assert db is not None

        def read() -> Postings | None:
            return read_postings(db, self.segments[at], word)

        return self._postings.get((at, word), read, lambda part: 200 + (5 * len(part.docs) if part else 0))

    def codes(self, db: Database | None, column: str, cluster: int) -> Codes | None:
        """The vectors in a cluster, of all segments."""
        if db is None:
            return None

        def read() -> Codes | None:
            found = [read_codes(db, segment, column, cluster) for segment in self.segments]
            parts = [(codes, start) for codes, start in zip(found, self.starts, strict=False) if codes is not None]
            return join_codes([codes._replace(docs=codes.docs + start) for codes, start in parts]) if parts else None

        return self._codes.get((column, cluster), read, lambda codes: 200 + (codes.codes.nbytes if codes else 0))


class Corpus:
    """The entries of one state. Threads may share it; each call brings a connection to the structures."""

    def __init__(self, arranged: Arranged, loose: Loose, removed: NDArray[np.int64]) -> None:
        """`loose`: entries that are in no segment. `removed`: rows that were removed since segments were made."""
        self._arranged = arranged
        self._loose = loose
        segments = arranged.segments
        parts: list[Segment | Loose] = [*segments, loose]
        self._rows: NDArray[np.int64] = np.concatenate([part.rows for part in parts])
        self._levels = np.concatenate([part.levels for part in parts])
        lengths = np.concatenate([part.lengths for part in parts])
        dead = np.concatenate([*(segment.dead for segment in segments), np.zeros(len(loose.rows), bool)])
        self._alive = ~(dead | np.isin(self._rows, removed))
        self._whole = bool(self._alive.all())
        worded = int((self._alive & (lengths > 0)).sum())
        average = float(lengths[self._alive].sum()) / worded if worded else 1.0
        norms = bm25.norms(lengths, average)
        singles = ((bm25.K1 + 1) / (1 + norms)).astype(np.float32)
        self._collection = words.Collection(worded, norms, singles)
        self._held: Recent[Postings] = Recent(_POSTINGS)
        self._masks: dict[frozenset[int] | None, NDArray[np.bool_] | None] = {}

    @classmethod
    def read(cls, arranged: Arranged, truth: Database, stemming: str) -> Corpus:
        """The entries of the present state of the truth."""
        made = arranged.made
        loose = read_loose(truth, rows_after(truth, made.last_row).tolist(), stemming)
        return cls(arranged, loose, removed_since(truth, made.counter))

    def matching(
        self,
        db: Database | None,
        asked: Sequence[str],
        k: int,
        levels: Levels,
        through: NDArray[np.int64] | None,
        *,
        typed: Sequence[str] | None = None,
    ) -> CorpusMatches:
        """The `k` best by words and those that equal the last of them; of these levels and among these rows, which are
        ascending, None for all; with the words of a query as it was `typed`, of those that may hold it."""
        allowed, among = self._allowed(levels, through), self._collection

        def holding(word: str) -> Postings:
            return self._holding(db, word)

        if typed is None:
            docs, scores = words.find_best(asked, k, holding, among, allowed)
        else:
            docs, scores = words.find_every(asked, k, holding, among, allowed, words.pair_keys(typed))
        return CorpusMatches(self._rows[docs], scores)

    def near(
        self,
        db: Database | None,
        vector: Vector,
        column: str,
        k: int,
        levels: Levels,
        through: NDArray[np.int64] | None,
    ) -> CorpusMatches:
        """Rows that may be among the `k` nearest; their scores are not worked out yet."""
        allowed = self._allowed(levels, through)
        share = 1.0 if allowed is None else float(allowed.mean()) if len(allowed) else 0.0
        found = [self._arranged.codes(db, column, cluster) for cluster in self._probed(vector, column, share)]
        parts = [clusters.estimate([codes for codes in found if codes is not None], vector, allowed)]
        parts.append(self._near_loose(vector, column, allowed))
        left = clusters.undecided(clusters.join(parts), k)
        return CorpusMatches(self._rows[left.docs], left.high)

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
        docs = docs + self._arranged.starts[-1]
        near = (vectors * vector).sum(axis=1, dtype=np.float64)
        kept = slice(None) if allowed is None else allowed[docs]
        return Bounds(docs[kept], near[kept], near[kept])

    def _holding(self, db: Database | None, word: str) -> Postings:
        """The living entries that hold a word."""
        return self._held.get(word, lambda: self._read_holding(db, word), lambda part: 200 + 5 * len(part.docs))

    def _read_holding(self, db: Database | None, word: str) -> Postings:
        found = [self._arranged.postings(db, at, word) for at in range(len(self._arranged.segments))]
        found.append(self._loose.postings.get(word))
        there = [(part, start) for part, start in zip(found, self._arranged.starts, strict=True) if part is not None]
        if not there:
            return Postings(np.empty(0, np.int32), np.empty(0, np.uint8))
        docs = np.concatenate([part.docs + np.int32(start) for part, start in there])
        counts = np.concatenate([part.counts for part, _ in there])
        kept = slice(None) if self._whole else self._alive[docs]
        return Postings(docs[kept], counts[kept])

    def _allowed(self, levels: Levels, through: NDArray[np.int64] | None) -> NDArray[np.bool_] | None:
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
