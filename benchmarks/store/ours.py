"""Seamline's stores in a folder: filled as an index run fills it, asked as a program asks it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.store.corpus import DIMENSIONS, PER_DOCUMENT, Corpus, Question, shelf_of
from seamline.api.index import Index
from seamline.filters.tree import Filter, Test
from seamline.index.config import IndexConfig, settings_of
from seamline.records import Change, Entry, EntryPlace, Head, Version
from seamline.search.legs import SearchScope, find, similarities
from seamline.search.options import SearchOptions
from seamline.search.search import fuse_legs
from seamline.store import create_store, open_store

NOW = datetime(2026, 11, 15, tzinfo=UTC)
GROUP = 256
"""Chunks that are written in one transaction, as in an index run."""
PARTS = 4
"""Of each chunk."""
_SHADOW = 20


class GivenVectors:
    """An embedder that was told the vectors of all questions: their cost is not the store's."""

    name = "given"
    dimensions = DIMENSIONS
    fingerprint = "given"

    def __init__(self, questions: Sequence[Question]) -> None:
        self._known = {question.text: question.vector for question in questions}

    def embed(self, texts: Sequence[str]) -> Any:
        return np.stack([self._known[text] for text in texts])


def build(corpus: Corpus, place: str) -> dict[str, float]:
    """Write all chunks and tidy; seconds of CPU and of the clock for each."""
    store = create_store(place, settings_of(IndexConfig(embedder="given", hierarchy=False), GivenVectors(())))
    spent = {"write_cpu": 0.0, "write_wall": 0.0, "tidy_cpu": 0.0, "tidy_wall": 0.0}
    with store.writer() as writer:
        for changes in _groups(corpus):
            with _timed(spent, "write"):
                writer.apply(changes)
        with _timed(spent, "tidy"):
            writer.tidy()
    store.close()
    return spent


@contextmanager
def _timed(spent: dict[str, float], name: str) -> Iterator[None]:
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    spent[f"{name}_cpu"] += time.process_time() - cpu
    spent[f"{name}_wall"] += time.perf_counter() - wall


def _groups(corpus: Corpus) -> Iterator[list[Change]]:
    group: list[Change] = []
    for first in range(0, corpus.size, PER_DOCUMENT):
        group.append(_change(corpus, first, min(first + PER_DOCUMENT, corpus.size)))
        if len(group) * PER_DOCUMENT >= GROUP:
            yield group
            group = []
    if group:
        yield group


def _change(corpus: Corpus, first: int, last: int) -> Change:
    doc, texts = f"docs/{first // PER_DOCUMENT}.md", corpus.texts(first, last)
    vectors = np.asarray(corpus.vectors[first:last])
    words = [text.split() for text in texts]
    entries = []
    places, start = [], 0
    for n, text in enumerate(texts):
        entries.append(
            Entry(
                id=f"{first + n:024x}", doc=doc, level=0, parent="", kind="paragraph", title=f"Document {doc}",
                path=("Handbook", f"Part {n % 5}"), text=text, lead=0, tail=0, tokens=len(words[n]),
                content_hash=f"{first + n:064x}", sketch=hash(text), updated_at=NOW, created_at=NOW, language="en",
                summary=" ".join(words[n][:12]), before=" ".join(words[n - 1][-_SHADOW:]) if n else "",
                after=" ".join(words[n + 1][:_SHADOW]) if n + 1 < len(words) else "",
                meta={"shelf": shelf_of(first)}, vector=vectors[n], parts=_parts(vectors[n]),
            )
        )  # fmt: skip
        places.append(EntryPlace(entries[-1].id, 0, start, start + len(text), {"lines": [n, n]}, entries[-1].path))
        start += len(text) + 2
    tokens = sum(map(len, words))
    version = Version(doc, 1, f"{first:032x}", doc, doc, "\n\n".join(texts), NOW, tuple(places))
    head = Head(doc, 1, version.revision, doc, doc, len(texts), len(texts), tokens, NOW)
    return Change(head, 0, version, tuple(entries))


def _parts(vector: Any) -> Any:
    """Parts as a chunk of 256 word pieces has them: around its vector, the same in every run."""
    turned = np.stack([vector + np.roll(vector, n) / 2 for n in range(1, PARTS + 1)])
    return np.rint(turned * (127 / np.abs(turned).max(axis=1, keepdims=True))).astype(np.int8)


def edit(corpus: Corpus, place: str) -> dict[str, float]:
    """One document of ten chunks is changed, and the index brought up to date: seconds of CPU, the median of nine."""
    store = open_store(place)
    spent = []
    for round_ in range(9):
        with store.reader() as reader:
            doc = f"docs/{(round_ + 1) * 7}.md"
            head = reader.head(doc)
            assert head is not None
            old = sorted(reader.digests(doc))[:10]
            kept = reader.version(doc, head.version)
            assert kept is not None
            entries = [*reader.entries(old, vectors=True).values()]
        made = [
            replace(e, text=f"{e.text} edit{head.version}", content_hash=f"{head.version}{e.content_hash}"[:64])
            for e in entries
        ]
        after = replace(head, version=head.version + 1)
        change = Change(after, head.version, replace(kept, number=head.version + 1), tuple(made))
        before = time.process_time()
        with store.writer() as writer:
            writer.apply([change])
            writer.tidy()
        spent.append(time.process_time() - before)
    store.close()
    return {"edit_cpu": sorted(spent)[4], "edit_cpu_most": max(spent)}


class Asker:
    """Answers questions, each kind its own way; ids are numbers of chunks."""

    def __init__(self, place: str, questions: Sequence[Question]) -> None:
        self._questions = questions
        self._store = open_store(place)
        self._reading = self._store.reader()
        self._reader = self._reading.__enter__()

    @cached_property
    def _index(self) -> Index:
        return Index(self._store, GivenVectors(self._questions), Path.cwd())

    def dense(self, question: Question, k: int) -> list[int]:
        return [int(hit.id, 16) for hit in self._reader.near(question.vector, k)]

    def bm25(self, question: Question, k: int) -> list[int]:
        return [int(hit.id, 16) for hit in self._reader.matching(question.text, k)]

    def filtered(self, question: Question, k: int) -> list[int]:
        shelf = Test("meta.shelf", "=", question.shelf)
        return [int(hit.id, 16) for hit in self._reader.near(question.vector, k, where=shelf)]

    def hybrid(self, question: Question, k: int, where: Filter | None = None) -> list[int]:
        """Both legs, the entries with their texts, and fusion."""
        options = SearchOptions(k=k)
        legs = find(self._reader, question.vector, question.text, (options.depth, options.depth), SearchScope(where))
        near = dict(legs.dense)
        missing = self._reader.vectors([hit.id for hit in legs.sparse if hit.id not in near])
        ranking, _ = fuse_legs(replace(legs, filled=similarities(question.vector, missing)), options)
        entries = self._reader.entries([hit.id for hit in ranking[: options.depth]])
        return [int(entries[hit.id].id, 16) for hit in ranking[:k]]

    def hybrid_filtered(self, question: Question, k: int) -> list[int]:
        return self.hybrid(question, k, Test("meta.shelf", "=", question.shelf))

    def search(self, question: Question, k: int) -> list[int]:
        """All that `Index.search` does: hybrid, near-duplicates, shadows, and a citation for every hit."""
        return [int(hit.entry.id, 16) for hit in self._index.search(question.text, k=k).hits]

    def close(self) -> None:
        self._reading.__exit__(None, None, None)
        self._store.close()
