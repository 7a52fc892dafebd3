"""Retrieval through an open index, in memory and embedded: no cache outlives what it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from seamline.api.index import Index
from seamline.embed.hashing import HashEmbedder
from seamline.errors import StoreError
from seamline.index.config import IndexConfig, check, settings_of
from seamline.search.options import SearchOptions
from seamline.search.rerank import Weights
from seamline.store import create_store, open_store

if TYPE_CHECKING:
    from seamline.records import Vector

PUMP = "# Pumps\n\nThe pump lifts water from the well to the tank.\n"
VALVE = "# Valves\n\nA valve keeps the water of the pump from flowing back.\n"


class Counting(HashEmbedder):
    """Counts what it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.read += texts
        return super().embed(texts)


class Judge:
    """A reranker that likes texts with one word."""

    def __init__(self, word: str) -> None:
        self.name = f"judge of {word}"
        self._word = word
        self.pairs = 0

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.pairs += len(texts)
        return [0.9 if self._word in text else 0.1 for text in texts]


def opened(address: str, embedder: HashEmbedder, *, dual: bool = False) -> Index:
    store = create_store(address, settings_of(IndexConfig(embedder="hash", dual=dual), embedder))
    return Index(store, embedder, Path())


@pytest.fixture
def embedder() -> Counting:
    return Counting()


@pytest.fixture(params=["memory", "embedded"])
def index(request: pytest.FixtureRequest, tmp_path: Path, embedder: Counting) -> Iterator[Index]:
    address = "memory:" if request.param == "memory" else str(tmp_path / "store")
    with opened(address, embedder) as index:
        index.add("pumps.md", PUMP)
        index.add("valves.md", VALVE)
        embedder.read.clear()
        yield index


def found(index: Index, query: str = "pump", **options: object) -> list[str]:
    return [hit.citation.quote for hit in index.search(query, **options).hits]  # type: ignore[arg-type]


def test_the_same_search_is_worked_out_once(index: Index, embedder: Counting) -> None:
    first = index.search("pump")
    assert index.search("pump") is first
    assert embedder.read == ["pump"]
    assert index.hit_rates()["results"] == 0.5


def test_a_new_version_is_found_at_once(index: Index, embedder: Counting) -> None:
    assert PUMP.strip() in found(index)
    index.add("pumps.md", PUMP.replace("water", "oil"))
    embedder.read.clear()
    assert found(index)[0] == PUMP.replace("water", "oil").strip()
    assert PUMP.strip() not in found(index)
    assert embedder.read == []  # the query's vector is still right
    (hit,) = index.search("oil", options=SearchOptions(legs="bm25")).hits
    assert hit.citation.version == 2


def test_an_edit_that_moves_a_passage_moves_its_citation(index: Index) -> None:
    assert index.search("pump").hits[0].citation.anchor["lines"] == [1, 3]
    index.add("pumps.md", "Read this first.\n\n" + PUMP)
    best = next(hit for hit in index.search("pump").hits if hit.citation.doc == "pumps.md")
    assert (best.citation.version, best.citation.quote) == (2, PUMP.strip())
    assert best.citation.anchor["lines"] == [3, 5]


def test_what_is_deleted_is_found_no_more(index: Index) -> None:
    assert len(found(index)) == 2
    index.remove("pumps.md")
    assert found(index) == [VALVE.strip()]
    assert "lifts" not in index.context("pump").text


def test_what_comes_back_is_found_again(index: Index) -> None:
    index.remove("pumps.md")
    found(index)
    index.add("pumps.md", PUMP)
    assert PUMP.strip() in found(index)


def test_a_change_elsewhere_changes_scores(index: Index) -> None:
    before = index.search("pump", options=SearchOptions(legs="bm25")).hits[0].why.bm25
    index.add("rain.md", "# Rain\n\nIt rains, and no machine is needed.\n")
    after = index.search("pump", options=SearchOptions(legs="bm25")).hits[0].why.bm25
    assert before is not None
    assert after is not None
    assert after.score > before.score  # the word is rarer now


def test_other_options_are_other_searches(index: Index) -> None:
    assert len(found(index)) == 2
    assert len(found(index, k=1)) == 1
    assert found(index, where='doc = "valves.md"') == [VALVE.strip()]
    assert [hit.why.dense for hit in index.search("pump", options=SearchOptions(legs="bm25")).hits] == [None, None]
    weighted = index.search("pump", options=SearchOptions(weights=Weights(1, freshness=1))).hits[0]
    assert weighted.why.freshness is not None
    assert index.search("pump").hits[0].why.freshness is None
    assert len(found(index, adaptive=True)) == 2


def test_another_reranker_judges_anew_and_the_same_one_does_not(index: Index) -> None:
    tank, back = Judge("tank"), Judge("back")
    assert found(index, reranker=tank)[0] == PUMP.strip()
    assert found(index, reranker=back)[0] == VALVE.strip()
    assert found(index, "pump ", reranker=tank)[0] == PUMP.strip()  # another query by its text, the same when read
    assert (tank.pairs, back.pairs) == (2, 2)
    index.add("pumps.md", PUMP.replace("tank", "tower"))
    assert all(hit.score == 0.1 for hit in index.search("pump", reranker=tank).hits)
    assert tank.pairs == 3  # only the text that is new


def test_contexts_follow_the_index(index: Index) -> None:
    assert "water from the well" in index.context("pump").text
    index.add("pumps.md", PUMP.replace("water", "oil"))
    context = index.context("pump").text
    assert "oil from the well" in context
    assert "water from the well" not in context


def test_what_another_process_wrote_is_seen(tmp_path: Path) -> None:
    """Two open indexes at one place have nothing in common but the files."""
    address = str(tmp_path / "store")
    with opened(address, HashEmbedder()) as writing, Index(open_store(address), HashEmbedder(), Path()) as reading:
        writing.add("pumps.md", PUMP)
        assert found(reading) == [PUMP.strip()]
        writing.add("pumps.md", PUMP.replace("water", "oil"))
        assert found(reading) == [PUMP.replace("water", "oil").strip()]
        writing.remove("pumps.md")
        assert found(reading) == []


def test_another_embedder_is_refused(index: Index) -> None:
    with pytest.raises(StoreError, match="vectors of two models cannot be compared"):
        check(index._store, HashEmbedder(128), None)


@pytest.mark.parametrize("dual", [False, True])
def test_a_dual_index_is_searched_as_one_without_being_told(dual: bool) -> None:
    with opened("memory:", HashEmbedder(), dual=dual) as index:
        index.add("pumps.md", PUMP)
        dense = index.search("The pump lifts water from the well to the tank.").hits[0].why.dense
    assert dense is not None
    # The summary is that sentence, without the heading the text has.
    assert (dense.score == pytest.approx(1.0)) is dual
