"""The caches: how long, how many, and that an upsert never leaves a stale answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from harness.library import Library
from seamline.embed.hashing import HashEmbedder
from seamline.records import Entry, Version
from seamline.search.cache import Cache, CachedEmbedder, CachedReader, CachedReranker, Caches
from seamline.search.hits import Results
from seamline.search.legs import query_vectors
from seamline.store.memory import MemoryReader

if TYPE_CHECKING:
    from seamline.records import Vector


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_value_is_kept_for_its_time_and_no_longer() -> None:
    clock = Clock()
    cache: Cache[str] = Cache(clock, seconds=300, size=8)
    cache.put("key", "value")
    clock.now += 299.9
    assert cache.get("key") == "value"
    clock.now += 0.1
    assert cache.get("key") is None
    assert len(cache) == 0


def test_using_a_value_does_not_make_it_live_longer() -> None:
    clock = Clock()
    cache: Cache[int] = Cache(clock, seconds=10, size=8)
    cache.put("key", 1)
    clock.now += 9
    assert cache.get("key") == 1
    clock.now += 1
    assert cache.get("key") is None


def test_the_least_recently_used_leaves_first() -> None:
    cache: Cache[int] = Cache(Clock(), seconds=10, size=2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)


def test_heavy_values_leave_less_room() -> None:
    cache: Cache[str] = Cache(Clock(), seconds=10, size=10, weigh=len)
    for key in "abc":
        cache.put(key, "1234")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (None, "1234", "1234")
    cache.put("b", "12")  # in place of the other
    cache.put("d", "1234")
    assert len(cache) == 3
    cache.put("e", "12345678901")
    assert len(cache) == 0


def test_results_weigh_what_they_hold() -> None:
    results = Caches(Clock()).results
    for n in range(100):
        results.put(n, ["a hit"] * 1000)  # type: ignore[arg-type]
    assert len(results) < 10


@pytest.mark.parametrize(
    ("name", "seconds"), [("queries", 3600), ("results", 300), ("chunks", 86_400), ("reranks", 3600)]
)
def test_the_four_caches_and_their_times(name: str, seconds: float) -> None:
    clock = Clock()
    cache = getattr(Caches(clock), name)
    value = ["one hit"]
    cache.put("key", value)
    clock.now += seconds - 0.5
    assert cache.get("key") is value
    clock.now += 0.5
    assert cache.get("key") is None


def test_hit_rates() -> None:
    caches = Caches(Clock())
    caches.results.put("key", Results())
    caches.results.get("key")
    caches.results.get("other")
    assert caches.hit_rates() == {"queries": 0.0, "results": 0.5, "chunks": 0.0, "layouts": 0.0, "reranks": 0.0}


class Counting(HashEmbedder):
    """Counts what it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.read += texts
        return super().embed(texts)


def test_a_query_is_embedded_once() -> None:
    inner = Counting()
    embedder = CachedEmbedder(inner, Caches(Clock()))
    first = query_vectors(embedder, ["one", "two"])
    again = query_vectors(embedder, ["two", "three", "one"])
    assert inner.read == ["one", "two", "three"]
    assert np.array_equal(again[[2, 0]], first)
    assert np.array_equal(again, inner.embed(["two", "three", "one"]))


def test_no_queries_are_no_rows() -> None:
    assert CachedEmbedder(HashEmbedder(), Caches(Clock())).embed_queries([]).shape == (0, 256)


class Marking(Counting):
    """A model that wants questions marked as such."""

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        return self.embed([f"query: {text}" for text in texts])


def test_a_model_that_marks_questions_is_asked_its_own_way() -> None:
    inner = Marking()
    embedder = CachedEmbedder(inner, Caches(Clock()))
    assert np.array_equal(query_vectors(embedder, ["pump"]), inner.embed(["query: pump"]))
    inner.read.clear()
    embedder.embed_queries(["pump"])
    assert inner.read == []
    assert np.array_equal(embedder.embed(["pump"]), HashEmbedder().embed(["pump"]))  # a text is not marked


def test_vectors_of_two_embedders_never_mix() -> None:
    caches = Caches(Clock())
    small, large = CachedEmbedder(HashEmbedder(128), caches), CachedEmbedder(HashEmbedder(256), caches)
    assert small.embed_queries(["pump"]).shape == (1, 128)
    assert large.embed_queries(["pump"]).shape == (1, 256)
    assert small.embed_queries(["pump"]).shape == (1, 128)


def test_a_remembered_vector_cannot_be_spoilt() -> None:
    embedder = CachedEmbedder(HashEmbedder(), Caches(Clock()))
    embedder.embed_queries(["pump"])[0] = 7.0
    assert np.array_equal(embedder.embed_queries(["pump"]), HashEmbedder().embed(["pump"]))


class CountingReranker:
    """Scores by length; counts pairs."""

    name = "counting"

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.pairs += [(query, text) for text in texts]
        return [1 / (1 + len(text)) for text in texts]


def test_a_pair_is_scored_once() -> None:
    inner = CountingReranker()
    reranker = CachedReranker(inner, Caches(Clock()))
    assert reranker.score("q", ["a", "bb"]) == [1 / 2, 1 / 3]
    assert reranker.score("q", ["bb", "ccc", "a"]) == [1 / 3, 1 / 4, 1 / 2]
    assert reranker.score("other", ["a"]) == [1 / 2]
    assert inner.pairs == [("q", "a"), ("q", "bb"), ("q", "ccc"), ("other", "a")]


class CountingReader(MemoryReader):
    """Counts what it is asked for."""

    def __init__(self, inner: MemoryReader) -> None:
        super().__init__(inner._state, inner._settings)
        self.asked: list[str] = []

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        asked = list(ids)
        self.asked += asked
        return super().entries(asked, vectors=vectors)


def test_entries_are_fetched_once_per_generation_and_never_stale() -> None:
    library = Library({"a.md": "# One\n\nFirst text.\n", "b.md": "# Two\n\nSecond text.\n"})
    caches = Caches(Clock())
    with library.store.reader() as inner:
        counting = CountingReader(inner)
        reader = CachedReader(counting, caches, library.store.generation())
        ids = [entry.id for entry in inner.select()]
        assert reader.entries(ids) == reader.entries(ids)
        assert counting.asked == ids
    gone = next(id for id in ids if inner.entries([id])[id].doc == "a.md")
    library.hold({"b.md": library.texts["b.md"]})
    with library.store.reader() as inner:
        reader = CachedReader(inner, caches, library.store.generation())
        assert gone not in reader.entries(ids)


def test_vectors_are_there_when_they_are_asked_for() -> None:
    library = Library({"a.md": "Some text.\n"})
    with library.store.reader() as inner:
        reader = CachedReader(inner, Caches(Clock()), "1")
        (id,) = [entry.id for entry in inner.select()]
        assert reader.entries([id])[id].vector is None
        assert reader.entries([id], vectors=True)[id].vector is not None


def test_layouts_are_remembered_and_texts_are_not() -> None:
    library = Library({"a.md": "Some text.\n"})
    caches = Caches(Clock())
    with library.store.reader() as inner:
        reader = CachedReader(inner, caches, "1")
        first = reader.layouts(["a.md", "none.md"])
        assert {doc: (one.number, one.text) for doc, one in first.items()} == {"a.md": (1, "")}
        assert reader.layouts(["a.md"])["a.md"] is first["a.md"]
        assert reader.layouts_of(["a.md"])["a.md"] is reader.layouts_of(["a.md"])["a.md"]
        whole = reader.version("a.md", 1)
        assert whole is not None
        assert whole.text == "Some text.\n"
        assert reader.version("a.md", 9, text=False) is None
    assert len(caches.layouts) == 1


def test_only_layouts_that_are_not_remembered_are_read() -> None:
    library = Library({"a.md": "Some text.\n", "b.md": "More text.\n", "c.md": "Most text.\n"})
    asked: list[list[str]] = []
    with library.store.reader() as inner:

        class Counting(MemoryReader):
            def layouts(self, docs: Iterable[str]) -> dict[str, Version]:
                asked.append(list(docs))
                return super().layouts(asked[-1])

        reader = CachedReader(Counting(inner._state, inner._settings), Caches(Clock()), "1")
        assert list(reader.layouts(["b.md"])) == ["b.md"]
        assert list(reader.layouts(["a.md", "b.md", "c.md", "a.md"])) == ["a.md", "b.md", "c.md"]
        reader.layouts(["c.md", "a.md"])
    assert asked == [["b.md"], ["a.md", "c.md"]]
