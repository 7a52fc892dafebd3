"""Seamline: `Index.update` on a folder and `Index.search` with its defaults, in the embedded store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.compose.side import Cited, K, Kind, Written
from benchmarks.compose.vectors import DIMENSIONS, Vectors
from seamline.api.index import Index
from seamline.filters.tree import Test
from seamline.index.config import IndexConfig, settings_of
from seamline.search.options import SearchOptions
from seamline.store import create_store


class Embedder:
    """The bundled model, as Seamline takes one that is not its own."""

    name = "minilm"
    dimensions = DIMENSIONS

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.fingerprint = vectors.fingerprint

    def embed(self, texts: Sequence[str]) -> Any:
        return self._vectors.of(texts)


class Seamline:
    kinds: tuple[Kind, ...] = ("dense", "bm25", "hybrid", "filtered")

    def __init__(self, place: Path, vectors: Vectors) -> None:
        # What `open_index` does, for an embedder that has no name to be opened by.
        embedder = Embedder(vectors)
        self._store = create_store(str(place / "store"), settings_of(IndexConfig(embedder=embedder.name), embedder))
        self._index = Index(self._store, embedder, place.parent, place)

    def ingest(self, docs: Path) -> Written:
        report = self._index.update([docs])
        if report.failures:
            raise RuntimeError(str(report.failures[0]))
        return Written(sum(head.chunks for head in self._index.documents()), report.written, report.dropped)

    def open(self) -> None:
        """Nothing to load: each search opens what it needs."""

    def ask(self, kind: Kind, question: str, shelf: str) -> list[str]:
        legs = "dense" if kind == "filtered" else kind
        where = f'meta.shelf = "{shelf}"' if kind == "filtered" else ""
        found = self._index.search(question, k=K, where=where, options=SearchOptions(legs=legs))
        return [hit.entry.text for hit in found.hits]

    def chunks(self) -> Iterator[tuple[str, str]]:
        with self._store.reader() as reader:
            yield from ((entry.text, str(entry.meta["shelf"])) for entry in reader.select(Test("level", "=", 0.0)))

    def citations(self) -> Iterator[Cited]:
        with self._store.reader() as reader:
            versions = {head.doc: head.version for head in reader.heads()}
            for entry in reader.select(Test("level", "=", 0.0)):
                yield Cited(f"{entry.id}@{versions[entry.doc]}", entry.doc.partition("/")[2], entry.body)

    def resolve(self, keys: Iterable[str]) -> Mapping[str, str]:
        found = {key: self._index.cite(key) for key in keys}
        return {key: one.text for key, one in found.items() if one.cited is not None}

    def upkeep(self) -> None:
        """Every run ends with it."""
