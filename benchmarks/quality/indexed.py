"""A question set in an index, as `seamline index` makes one: the bundled model, the exact store in memory.

So differences between two ways to search are differences of ranking alone. Vectors are kept in build/quality, and what
a leg found is remembered: the second run, and the second way to search, only rank.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, progress
from benchmarks.engine import target_of
from benchmarks.quality.questions import Question, QuestionSet, Ref, covered, overlaps
from benchmarks.vectors import VectorFile
from seamline.api.index import Index
from seamline.embed import DEFAULT
from seamline.embed.bundled import FOLDER, MODELS, bundled
from seamline.embed.onnx import OnnxEmbedder, OnnxOptions
from seamline.embed.run import embed_all, stack_vectors
from seamline.index.config import IndexConfig, settings_of
from seamline.recipe.recipe import Recipe
from seamline.records import Embedding, Scored, Settings
from seamline.search.hits import Citation
from seamline.search.options import SearchOptions
from seamline.store.memory import MemoryReader, MemoryStore
from seamline.types import Budget

VECTORS = ROOT / "build" / "quality" / "vectors.sqlite"


class Remembering:
    """A bundled model behind the cache on disk; with another window or other weights where they are given."""

    def __init__(self, threads: int, model: str = DEFAULT, window: int = 0, weights: Path | None = None) -> None:
        self._inner = bundled(model, threads)
        window = window or MODELS[model].window
        if weights or window != MODELS[model].window:
            shipped, tokenizer = (FOLDER / name for name in MODELS[model].files)
            options = OnnxOptions("mean", window)
            self._inner = OnnxEmbedder(weights or shipped, tokenizer, options, name=model, threads=threads)
        self._cache = VectorFile(VECTORS)
        self.threads = threads
        self.token_room, self.count_tokens = self._inner.token_room, self._inner.count_tokens
        self.token_vectors = self._inner.token_vectors
        self.name, self.dimensions = self._inner.name, self._inner.dimensions
        self.fingerprint = self._inner.fingerprint

    def embed(self, texts: Sequence[str]) -> Any:
        return stack_vectors(self.embed_parts(texts), self.dimensions)

    def embed_parts(self, texts: Sequence[str]) -> list[Embedding]:
        return embed_all(self._inner, texts, cache=self._cache)[0]


class Shelved(MemoryStore):
    """A store whose legs are searched once per question, and do not find what holds the question itself."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.known: dict[tuple[object, ...], list[Scored]] = {}
        self.hidden: frozenset[str] = frozenset()

    @contextmanager
    def reader(self) -> Iterator[MemoryReader]:
        with super().reader() as reader:
            yield _Reader(reader._state, reader._settings, self)


class _Reader(MemoryReader):
    def __init__(self, state: Any, settings: Settings, shelf: Shelved) -> None:
        super().__init__(state, settings)
        self._shelf = shelf

    def near(self, vector: Any, k: int, *, levels: Collection[int] | None = (0,), **given: Any) -> list[Scored]:
        asked = k + len(self._shelf.hidden)
        key = ("near", self._state.generation, vector.tobytes(), asked, levels, repr(given))
        if key not in self._shelf.known:
            self._shelf.known[key] = super().near(vector, asked, levels=levels, **given)
        return self._seen(self._shelf.known[key], k)

    def matching(self, query: str, k: int, *, levels: Collection[int] | None = (0,), **given: Any) -> list[Scored]:
        asked = k + len(self._shelf.hidden)
        key = ("matching", self._state.generation, query, asked, levels, repr(given))
        if key not in self._shelf.known:
            self._shelf.known[key] = super().matching(query, asked, levels=levels, **given)
        return self._seen(self._shelf.known[key], k)

    def _seen(self, found: Sequence[Scored], k: int) -> list[Scored]:
        return [one for one in found if one.id not in self._shelf.hidden][:k]


@dataclass(frozen=True)
class Indexed:
    """One set, indexed with chunks of one size."""

    set: QuestionSet
    limit: int
    index: Index
    store: Shelved

    @cached_property
    def chunks(self) -> dict[str, Ref]:
        """Where every chunk stands."""
        with self.store.reader() as reader:
            versions = [reader.version(head.doc, head.version, text=False) for head in reader.heads()]
        places = [(v.doc, place) for v in versions if v is not None for place in v.places if place.level == 0]
        return {place.id: Ref(doc, place.start, place.end) for doc, place in places}

    @cached_property
    def _by_doc(self) -> dict[str, list[tuple[str, Ref]]]:
        out: dict[str, list[tuple[str, Ref]]] = {}
        for id, ref in self.chunks.items():
            out.setdefault(ref.doc, []).append((id, ref))
        return out

    @cached_property
    def tokens(self) -> float:
        """Mean size of a chunk."""
        return sum(head.tokens for head in self.index.documents()) / len(self.chunks)

    def ideal(self, question: Question) -> list[float]:
        """How much of the answer each chunk holds that has any."""
        docs = dict.fromkeys(ref.doc for ref in question.refs)
        return [covered(question.refs, [ref]) for doc in docs for _, ref in self._by_doc[doc]]

    def ask(self, question: Question) -> None:
        """From now on, what holds this question is not found."""
        self.store.hidden = frozenset(
            id for gone in question.hidden for id, ref in self._by_doc.get(gone.doc, ()) if overlaps(ref, gone)
        )

    def ranked(self, question: Question, options: SearchOptions, *, adaptive: bool = False) -> list[list[Ref]]:
        """What each hit shows, best first, by `Index.search`."""
        self.ask(question)
        found = self.index.search(question.text, options=options, adaptive=adaptive, k=options.k if adaptive else None)
        return [shown(hit.citations) for hit in found.hits]


def shown(citations: Sequence[Citation]) -> list[Ref]:
    return [Ref(one.doc, one.start, one.end) for one in citations]


def build(
    data: QuestionSet,
    limit: int,
    embedder: Remembering,
    *,
    dual: bool = False,
    late: bool = False,
    hierarchy: bool = True,
) -> Indexed:
    """Index a set at a limit, with all other settings as they are by default."""
    recipe = Recipe(budget=Budget(target=target_of(limit), limit=limit))
    config = IndexConfig(recipe=recipe, embedder=embedder.name, dual=dual, late=late, hierarchy=hierarchy)
    store = Shelved(settings_of(config, embedder))
    index = Index(store, embedder, Path(), VECTORS.parent if late else None)
    for done, (doc, text) in enumerate(data.docs.items()):
        progress(f"{data.name}, limit {limit}: {done}/{len(data.docs)} documents")
        index.add(doc, text.encode("utf-8", "replace"), media_type=data.media_type(doc))
    embedder.embed([question.text for question in data.questions])
    progress("")
    return Indexed(data, limit, index, store)


def in_hundredths(values: Sequence[float]) -> float:
    return 100 * float(np.mean(values))
