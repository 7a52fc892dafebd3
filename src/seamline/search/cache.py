"""What a search need not work out twice. Entries end with their time, and with the state of the index they are of."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from seamline.protocols import Embedder, Reader, Reranker, TokenCounter
from seamline.records import Entry, Head, Levels, Scored, VectorKind, Version, without_vectors
from seamline.search.documents import Layout
from seamline.search.legs import query_vectors
from seamline.search.rerank import weight_of

if TYPE_CHECKING:
    from seamline.filters.tree import Filter
    from seamline.records import EntryVectors, Parts, Vector
    from seamline.search.hits import Results

V = TypeVar("V")

HOUR = 3600.0


class Cache(Generic[V]):
    """Values that are kept for some seconds, the least recently used leaving first. Safe for threads."""

    def __init__(
        self, clock: Callable[[], float], seconds: float, size: int, weigh: Callable[[V], int] | None = None
    ) -> None:
        """`size` is the most that all values may weigh together."""
        self._clock = clock
        self._seconds = seconds
        self._size = size
        self._weigh = weigh or _one
        self._weight = 0
        self._kept: OrderedDict[Hashable, tuple[float, V]] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = self._asked = 0

    def get(self, key: Hashable) -> V | None:
        """The value under a key, unless its time is over."""
        with self._lock:
            self._asked += 1
            found = self._kept.get(key)
            if found is None:
                return None
            if self._clock() >= found[0]:
                self._remove(key)
                return None
            self._hits += 1
            self._kept.move_to_end(key)
            return found[1]

    def put(self, key: Hashable, value: V) -> None:
        """Keep a value from now on."""
        with self._lock:
            if key in self._kept:
                self._remove(key)
            self._kept[key] = (self._clock() + self._seconds, value)
            self._weight += self._weigh(value)
            while self._weight > self._size:
                self._remove(next(iter(self._kept)))

    def _remove(self, key: Hashable) -> None:
        self._weight -= self._weigh(self._kept.pop(key)[1])

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def asked(self) -> int:
        """How often a key was looked up."""
        return self._asked

    @property
    def hits(self) -> int:
        """How often it was there."""
        return self._hits


@dataclass(frozen=True)
class Caches:
    """The caches of one index, and what each is keyed by."""

    clock: Callable[[], float]
    """Seconds that never go back, such as `time.monotonic`."""
    queries: Cache[Vector] = field(init=False)
    """Vectors of queries, one hour, by embedder and text."""
    results: Cache[Results] = field(init=False)
    """Results, five minutes, by generation of the index and everything that was asked."""
    chunks: Cache[Entry] = field(init=False)
    """Entries, one day, by generation and id."""
    layouts: Cache[Layout] = field(init=False)
    """Where the entries of a document stand now, one day, by generation and document."""
    reranks: Cache[float] = field(init=False)
    """Scores of a reranker, one hour, by model, query and text."""

    def __post_init__(self) -> None:
        for name, (seconds, size) in _KEPT.items():
            weigh = _hits if name == "results" else _one
            object.__setattr__(self, name, Cache(self.clock, seconds, size, weigh))

    def hit_rates(self) -> dict[str, float]:
        """The share of look-ups that found something, per cache; 0 where nothing was looked up."""
        caches: dict[str, Cache[Any]] = {name: getattr(self, name) for name in _KEPT}
        return {name: cache.hits / cache.asked if cache.asked else 0.0 for name, cache in caches.items()}


_KEPT = {
    "queries": (HOUR, 4096),
    "results": (HOUR / 12, 4096),
    "chunks": (24 * HOUR, 8192),
    "layouts": (24 * HOUR, 512),
    "reranks": (HOUR, 65536),
}
"""Seconds, and how many at most; of results, how many hits they have together: a search may have a thousand."""


def _one(value: object) -> int:
    return 1


def _hits(results: Results) -> int:
    return 1 + len(results)


class CachedEmbedder:
    """An embedder that remembers queries; texts go straight to the model."""

    def __init__(self, embedder: Embedder, caches: Caches) -> None:
        self._embedder = embedder
        self._cache = caches.queries
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self.fingerprint = embedder.fingerprint

    def embed(self, texts: Sequence[str]) -> Vector:
        return self._embedder.embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        """One row per query, in order; only those that are not remembered are worked out."""
        import numpy as np

        if not texts:
            return query_vectors(self._embedder, texts)
        keys = [(self.fingerprint, _digest(text)) for text in texts]
        rows = [self._cache.get(key) for key in keys]
        missing = [n for n, row in enumerate(rows) if row is None]
        fresh = query_vectors(self._embedder, [texts[n] for n in missing]) if missing else ()
        for n, row in zip(missing, fresh, strict=True):
            rows[n] = row
            self._cache.put(keys[n], row)
        return np.stack([row for row in rows if row is not None])

    def count_tokens(self, text: str) -> int:
        """The tokens of a text; 0 where the model does not tell."""
        return self._embedder.count_tokens(text) if isinstance(self._embedder, TokenCounter) else 0


class CachedReranker:
    """A reranker that remembers its scores."""

    def __init__(self, reranker: Reranker, caches: Caches) -> None:
        self._reranker = reranker
        self._cache = caches.reranks
        self.name = reranker.name
        self.weight = weight_of(reranker)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query; only pairs that are not remembered are worked out."""
        keys = [(self.name, _digest(query), _digest(text)) for text in texts]
        known = [self._cache.get(key) for key in keys]
        missing = [n for n, score in enumerate(known) if score is None]
        fresh = self._reranker.score(query, [texts[n] for n in missing]) if missing else []
        for n, score in zip(missing, fresh, strict=True):
            known[n] = score
            self._cache.put(keys[n], score)
        return [score for score in known if score is not None]


class CachedReader:
    """A reader that remembers the entries and layouts of its generation."""

    def __init__(self, reader: Reader, caches: Caches, generation: str) -> None:
        """`generation` must be that of the state which `reader` shows: taken before and after it was opened, and
        equal."""
        self._reader = reader
        self._caches = caches
        self._generation = generation

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        """The entries of these ids that exist."""
        asked = list(dict.fromkeys(ids))
        cache = self._caches.chunks
        known = {id: self._known(id, vectors) for id in asked}
        missing = [id for id, entry in known.items() if entry is None]
        for id, entry in self._reader.entries(missing, vectors=vectors).items() if missing else ():
            known[id] = entry
            cache.put((self._generation, id), entry)
        found = {id: entry for id, entry in known.items() if entry is not None}
        return found if vectors else {id: without_vectors(entry) for id, entry in found.items()}

    def _known(self, id: str, vectors: bool) -> Entry | None:
        """The entry, unless vectors are asked for and it was fetched without."""
        entry = self._caches.chunks.get((self._generation, id))
        return None if entry is None or (vectors and entry.vector is None) else entry

    def layouts(self, docs: Iterable[str]) -> dict[str, Version]:
        """The current version of each of these documents, without its text; only those that are not remembered are
        read."""
        return {doc: layout.version for doc, layout in self.layouts_of(docs).items()}

    def layouts_of(self, docs: Iterable[str]) -> dict[str, Layout]:
        """The same, each with what was worked out about it."""
        asked = list(dict.fromkeys(docs))
        cache = self._caches.layouts
        known = {doc: cache.get((self._generation, doc)) for doc in asked}
        missing = [doc for doc, layout in known.items() if layout is None]
        for doc, version in self._reader.layouts(missing).items() if missing else ():
            known[doc] = layout = Layout(version)
            cache.put((self._generation, doc), layout)
        return {doc: layout for doc, layout in known.items() if layout is not None}

    def near(
        self, vector: Vector, k: int, *, where: Filter | None = None, levels: Levels = (0,), of: VectorKind = "text"
    ) -> list[Scored]:
        return self._reader.near(vector, k, where=where, levels=levels, of=of)

    def matching(
        self, query: str, k: int, *, where: Filter | None = None, levels: Levels = (0,), every: bool = False
    ) -> list[Scored]:
        return self._reader.matching(query, k, where=where, levels=levels, every=every)

    def vectors(self, ids: Iterable[str]) -> Mapping[str, EntryVectors]:
        return self._reader.vectors(ids)

    def parts(self, ids: Iterable[str]) -> Mapping[str, Parts]:
        return self._reader.parts(ids)

    def select(self, where: Filter | None = None, *, vectors: bool = False) -> Iterator[Entry]:
        return self._reader.select(where, vectors=vectors)

    def count(self, where: Filter | None = None, *, levels: Levels = (0,)) -> int:
        return self._reader.count(where, levels=levels)

    def missing_vectors(self) -> Iterator[str]:
        return self._reader.missing_vectors()

    def count_missing_vectors(self, *, levels: Levels = (0,)) -> int:
        return self._reader.count_missing_vectors(levels=levels)

    def head(self, doc: str) -> Head | None:
        return self._reader.head(doc)

    def heads(self) -> Iterator[Head]:
        return self._reader.heads()

    def version(self, doc: str, number: int, *, text: bool = True) -> Version | None:
        return self._reader.version(doc, number, text=text)

    def versions(self, doc: str) -> list[int]:
        return self._reader.versions(doc)

    def owner(self, id: str) -> str | None:
        return self._reader.owner(id)

    def digests(self, doc: str) -> Mapping[str, str]:
        return self._reader.digests(doc)

    def checksums(self, doc: str) -> Mapping[str, str]:
        return self._reader.checksums(doc)

    def seals(self, doc: str) -> Mapping[int, str]:
        return self._reader.seals(doc)


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
