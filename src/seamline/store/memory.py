"""A store in memory: exact, by looking at everything. Small indexes live in it, and other stores are measured by it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from seamline.errors import IndexMissing, StoreError
from seamline.filters import tree as filters
from seamline.filters.tree import Filter
from seamline.records import (
    Change,
    Entry,
    EntryVectors,
    Head,
    Levels,
    Problem,
    Scored,
    Settings,
    VectorKind,
    Version,
    lacks_vectors,
    without_vectors,
)
from seamline.store import bm25, codec
from seamline.store.changes import Current, check_changes, check_query, check_vectors, fill_vectors
from seamline.store.verify import verify_reader
from seamline.text.words import asked_words, typed_words, words
from seamline.types import Notice

if TYPE_CHECKING:
    from seamline.records import Parts, Vector


@dataclass(frozen=True)
class _Document:
    """A document of one state: what it is, what it has, what it was."""

    head: Head
    entries: Mapping[str, _Kept]
    versions: Mapping[int, tuple[Version, str]]
    """With their seals."""
    owned: frozenset[str]
    """Ids it has, or ever had."""


@dataclass(frozen=True)
class _Kept:
    """An entry with what was worked out when it was written."""

    entry: Entry
    digest: str
    checksum: str
    counts: Mapping[str, int]
    """How often each word occurs."""
    length: int
    """How many words there are."""
    lacking: bool
    """Whether it has yet to get a vector."""


class _Rows(NamedTuple):
    """Vectors as a matrix."""

    places: Mapping[str, int]
    """The row of an id; entries without a vector have none."""
    matrix: Vector


@dataclass(frozen=True)
class _State:
    """One state of the store; never changed, so whoever holds it has a snapshot."""

    documents: Mapping[str, _Document] = field(default_factory=dict)
    generation: int = 0

    @cached_property
    def kept(self) -> Mapping[str, _Kept]:
        """All current entries by id, in the order of their ids."""
        found = {id: kept for document in self.documents.values() for id, kept in document.entries.items()}
        return dict(sorted(found.items()))

    @cached_property
    def owners(self) -> Mapping[str, str]:
        return {id: name for name, document in self.documents.items() for id in document.owned}

    @cached_property
    def text_rows(self) -> _Rows:
        return _rows({id: kept.entry.vector for id, kept in self.kept.items()})

    @cached_property
    def summary_rows(self) -> _Rows:
        return _rows({id: kept.entry.summary_vector for id, kept in self.kept.items()})

    @cached_property
    def worded(self) -> list[_Kept]:
        """The entries that BM25 counts: those with words."""
        return [kept for kept in self.kept.values() if kept.length]

    @cached_property
    def average(self) -> float:
        return sum(kept.length for kept in self.worded) / len(self.worded)


class MemoryStore:
    """An index that ends with its process. Any number of threads may read; one at a time may write."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._state = _State()
        self._lock = threading.Lock()
        self._holder = ""

    @classmethod
    def open(cls, url: str) -> MemoryStore:
        raise IndexMissing("an index in memory ends with its process: make it anew")

    @classmethod
    def create(cls, url: str, settings: Settings, *, root: str = "") -> MemoryStore:
        """A new one. It has no folder, and so no `root`."""
        return cls(settings)

    @property
    def url(self) -> str:
        return "memory:"

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def root(self) -> str:
        return ""

    @contextmanager
    def reader(self) -> Iterator[MemoryReader]:
        """The present state, until it is closed."""
        yield MemoryReader(self._state, self._settings)

    @contextmanager
    def writer(self) -> Iterator[MemoryWriter]:
        """The right to write, until it is given back."""
        if not self._lock.acquire(blocking=False):
            raise StoreError(f"thread {self._holder} is writing to this index: wait until it is done")
        self._holder = threading.current_thread().name
        writer = MemoryWriter(self)
        try:
            yield writer
        finally:
            writer.close()
            self._lock.release()

    def generation(self) -> str:
        return str(self._state.generation)

    def verify(self) -> Iterator[Problem]:
        """Read everything, and compare it with the checksums it was written with."""
        with self.reader() as reader:
            yield from verify_reader(reader)

    def size(self) -> int:
        """0: nothing is on disk."""
        return 0

    def forget(self, docs: Sequence[str]) -> list[str]:
        """Erase documents with every version of them."""
        with self.writer():
            state = self._state
            erased = sorted(set(docs) & state.documents.keys())
            left = {doc: _unmoved(held, erased) for doc, held in state.documents.items() if doc not in erased}
            self._replace(_State(left, state.generation + 1))
        return erased

    def vectors(self) -> None:
        """None: vectors are not kept apart from their entries."""

    def answers(self) -> None:
        """None: answers are not kept."""

    def remarks(self) -> list[Notice]:
        """Nothing happens here that a user should know."""
        return []

    def close(self) -> None:
        """Nothing to give back; the index ends with the last reference to it."""

    def _replace(self, state: _State) -> None:
        self._state = state


class MemoryWriter:
    """The right to change a MemoryStore."""

    def __init__(self, store: MemoryStore) -> None:
        self._store: MemoryStore | None = store

    def apply(self, changes: Sequence[Change]) -> None:
        """Write all changes or, where one is refused, none."""
        store = self._open()
        state = store._state
        check_changes(changes, lambda doc: _current(state, doc), store.settings)
        if changes:
            settings, known = store.settings, state.documents
            new = {change.head.doc: _changed(known.get(change.head.doc), change, settings) for change in changes}
            store._replace(_State({**known, **new}, state.generation + 1))

    def add_vectors(self, entries: Sequence[Entry]) -> int:
        """Give entries the vectors that they lack; how many were given something."""
        store = self._open()
        check_vectors(entries, store.settings)
        state, dual = store._state, store.settings.dual
        filled: dict[str, dict[str, _Kept]] = {}
        for given in entries:
            kept = state.kept.get(given.id)
            if kept and (entry := fill_vectors(kept.entry, kept.digest, given, dual=dual)):
                filled.setdefault(entry.doc, {})[entry.id] = _keep(entry, store.settings)
        if filled:
            known = state.documents
            new = {doc: replace(known[doc], entries={**known[doc].entries, **put}) for doc, put in filled.items()}
            store._replace(_State({**known, **new}, state.generation + 1))
        return sum(map(len, filled.values()))

    def tidy(self) -> None:
        """Nothing to do: nothing is kept that a search does not need."""
        self._open()

    def close(self) -> None:
        """Give the right back; another call of this writer is refused."""
        self._store = None

    def _open(self) -> MemoryStore:
        if self._store is None:
            raise StoreError("this writer was given back: take a new one from the store")
        return self._store


class MemoryReader:
    """One state of a MemoryStore."""

    def __init__(self, state: _State, settings: Settings) -> None:
        self._state = state
        self._settings = settings

    def near(
        self, vector: Vector, k: int, *, where: Filter | None = None, levels: Levels = (0,), of: VectorKind = "text"
    ) -> list[Scored]:
        """The `k` entries with the highest cosine similarity, exactly."""
        check_query(vector, self._settings)
        places, matrix = self._state.text_rows if of == "text" else self._state.summary_rows
        found = [id for kept in self._through(where, levels) if (id := kept.entry.id) in places]
        if not found:
            return []
        # Row by row and not as one product: equal vectors get equal scores, wherever they stand in the matrix.
        scores = (matrix[[places[id] for id in found]] * vector).sum(axis=1, dtype=np.float64)
        return _best([Scored(id, float(score)) for id, score in zip(found, scores, strict=True)], k)

    def matching(
        self, query: str, k: int, *, where: Filter | None = None, levels: Levels = (0,), every: bool = False
    ) -> list[Scored]:
        """The `k` entries with the highest BM25 score above 0, exactly; with `every`, of those that hold all words, and
        those side by side that the query has side by side."""
        asked = asked_words(query, self._settings.stemming, every=every)
        pairs = {*pairwise(typed_words(query))}
        worth = self._worth(asked)
        found = []
        for kept in self._through(where, levels) if worth else ():
            if every and not _holds(kept, asked, pairs):
                continue
            score = sum(
                worth[word] * bm25.weight(kept.counts[word], kept.length, self._state.average)
                for word in worth
                if word in kept.counts
            )
            found.append(Scored(kept.entry.id, score))
        return _best([scored for scored in found if scored.score > 0], k)

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        """The entries of these ids that exist."""
        kept = self._state.kept
        return {id: _lent(kept[id].entry, vectors) for id in ids if id in kept}

    def vectors(self, ids: Iterable[str]) -> dict[str, EntryVectors]:
        """What of these entries that exist was embedded."""
        found = {id: self._state.kept[id].entry for id in ids if id in self._state.kept}
        return {id: EntryVectors(entry.vector, entry.summary_vector, entry.parts) for id, entry in found.items()}

    def parts(self, ids: Iterable[str]) -> dict[str, Parts]:
        """The parts of those of these entries that have any."""
        kept = self._state.kept
        return {id: parts for id in ids if id in kept and (parts := kept[id].entry.parts) is not None}

    def select(self, where: Filter | None = None, *, vectors: bool = False) -> Iterator[Entry]:
        """Every entry of any level that the filter lets through, by document and id."""
        found = sorted(self._through(where, None), key=lambda kept: (kept.entry.doc, kept.entry.id))
        return (_lent(kept.entry, vectors) for kept in found)

    def count(self, where: Filter | None = None, *, levels: Levels = (0,)) -> int:
        return sum(1 for _ in self._through(where, levels))

    def missing_vectors(self) -> Iterator[str]:
        """The ids of entries that have yet to get a vector."""
        return (id for id, kept in self._state.kept.items() if kept.lacking)

    def count_missing_vectors(self, *, levels: Levels = (0,)) -> int:
        """How many those are."""
        return sum(kept.lacking for kept in self._through(None, levels))

    def head(self, doc: str) -> Head | None:
        document = self._state.documents.get(doc)
        return document.head if document else None

    def heads(self) -> Iterator[Head]:
        """All documents ever indexed, by name."""
        return (document.head for _, document in sorted(self._state.documents.items()))

    def version(self, doc: str, number: int, *, text: bool = True) -> Version | None:
        document = self._state.documents.get(doc)
        if document is None or number not in document.versions:
            return None
        version, _ = document.versions[number]
        return version if text else replace(version, text="")

    def layouts(self, docs: Iterable[str]) -> dict[str, Version]:
        """The current version of each of these documents that is there now, without its text."""
        known = self._state.documents
        heads = {doc: known[doc].head for doc in docs if doc in known}
        return {
            doc: replace(known[doc].versions[head.version][0], text="")
            for doc, head in heads.items()
            if not head.deleted
        }

    def versions(self, doc: str) -> list[int]:
        return sorted(self.seals(doc))

    def owner(self, id: str) -> str | None:
        return self._state.owners.get(id)

    def digests(self, doc: str) -> Mapping[str, str]:
        return {id: kept.digest for id, kept in self._entries(doc).items()}

    def checksums(self, doc: str) -> Mapping[str, str]:
        return {id: kept.checksum for id, kept in self._entries(doc).items()}

    def seals(self, doc: str) -> Mapping[int, str]:
        document = self._state.documents.get(doc)
        return {number: seal for number, (_, seal) in document.versions.items()} if document else {}

    def _entries(self, doc: str) -> Mapping[str, _Kept]:
        document = self._state.documents.get(doc)
        return document.entries if document else {}

    def _through(self, where: Filter | None, levels: Levels) -> Iterator[_Kept]:
        """The entries that level and filter let through, by id."""
        for kept in self._state.kept.values():
            entry = kept.entry
            if (levels is None or entry.level in levels) and (where is None or filters.matches(where, entry)):
                yield kept

    def _worth(self, asked: list[str]) -> dict[str, float]:
        total = len(self._state.worded)
        holding = {word: sum(word in kept.counts for kept in self._state.worded) for word in asked}
        return {word: bm25.idf(total, count) for word, count in holding.items() if count}


def _current(state: _State, doc: str) -> Current:
    document = state.documents.get(doc)
    return Current(document.head, document.entries.keys()) if document else Current(None, ())


def _unmoved(document: _Document, erased: Collection[str]) -> _Document:
    """A document that was not moved to one that is erased."""
    moved = document.head.moved_to in erased
    return replace(document, head=replace(document.head, moved_to="")) if moved else document


def _changed(old: _Document | None, change: Change, settings: Settings) -> _Document:
    dropped = frozenset(change.drop)
    entries = {id: kept for id, kept in old.entries.items() if id not in dropped} if old else {}
    put = {entry.id: _keep(entry, settings) for entry in change.put}
    versions = dict(old.versions) if old else {}
    if change.version is not None:
        versions[change.version.number] = (change.version, codec.seal(change.version))
    return _Document(change.head, {**entries, **put}, versions, (old.owned if old else frozenset()) | put.keys())


def _keep(entry: Entry, settings: Settings) -> _Kept:
    own = replace(
        entry,
        meta=MappingProxyType(dict(entry.meta)),
        vector=_frozen(entry.vector),
        summary_vector=_frozen(entry.summary_vector),
        parts=_frozen_parts(entry.parts),
    )
    found = words(own.counted, settings.stemming)
    lacking = lacks_vectors(own, dual=settings.dual)
    return _Kept(own, codec.digest(own), codec.checksum(own), Counter(found), len(found), lacking)


def _frozen(vector: Vector | None) -> Vector | None:
    """A copy that nobody can write to."""
    if vector is None:
        return None
    own = np.array(vector, dtype=np.float32)
    own.setflags(write=False)
    return own


def _frozen_parts(parts: Parts | None) -> Parts | None:
    """The same."""
    if parts is None:
        return None
    own = parts.copy()
    own.setflags(write=False)
    return own


def _lent(entry: Entry, vectors: bool) -> Entry:
    return entry if vectors else without_vectors(entry)


def _rows(vectors: Mapping[str, Vector | None]) -> _Rows:
    rows = {id: vector for id, vector in vectors.items() if vector is not None}
    matrix = np.stack(list(rows.values())) if rows else np.zeros((0, 0), dtype=np.float32)
    return _Rows({id: n for n, id in enumerate(rows)}, matrix)


def _holds(kept: _Kept, asked: Sequence[str], pairs: Set[tuple[str, str]]) -> bool:
    """Whether an entry holds all words, and all pairs side by side."""
    if not kept.counts.keys() >= {*asked}:
        return False
    return not pairs or pairs <= {*pairwise(typed_words(kept.entry.searched))}


def _best(found: list[Scored], k: int) -> list[Scored]:
    return sorted(found, key=lambda scored: (-scored.score, scored.id))[: max(0, k)]
