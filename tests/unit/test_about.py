"""Texts about chunks in an index: they are found and shown, or lead to the chunks they are about."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from seamline.api.index import Index, open_index
from seamline.index.config import IndexConfig
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Tabular
from seamline.records import ABOUT
from seamline.search.options import SearchOptions

ROWS = "company,quarter,revenue\nAcme,Q1 2024,$4M\nBorel,Q1 2024,$1M\n"
PROSE = "# Plant\n\nThe plant in Turin was built in 1961. It was closed after the flood.\n"


@pytest.fixture
def index() -> Iterator[Index]:
    recipe = Recipe(strategy="auto", derive=("proposition",), tabular=Tabular(rows="sentence"), signal="hash")
    with open_index("memory:", config=IndexConfig(recipe, "hash")) as made:
        made.add("sales.csv", ROWS, media_type="text/csv")
        made.add("plant.md", PROSE)
        yield made


def test_a_text_about_a_chunk_is_shown(index: Index) -> None:
    best = index.search("Acme's revenue in Q1 2024 was").hits[0]
    assert (best.derived, best.ids, best.why.about) == ("rows", (), "")
    assert best.text.startswith("Acme's revenue in Q1 2024 was $4M.")
    assert best.citations[0].quote == "Acme,Q1 2024,$4M\nBorel,Q1 2024,$1M"


def test_a_text_about_a_chunk_leads_to_the_chunk(index: Index) -> None:
    best = index.search("Acme's revenue in Q1 2024 was", options=SearchOptions(show="source")).hits[0]
    assert best.entry.level == 0
    assert best.citations[0].quote.startswith("company,quarter,revenue")
    assert best.why.about.startswith("rows: Acme's revenue in Q1 2024 was $4M.")


def test_each_chunk_is_given_once(index: Index) -> None:
    hits = index.search("revenue of Borel in Q1 2024", options=SearchOptions(show="source")).hits
    assert len({hit.entry.id for hit in hits}) == len(hits)
    assert all(hit.entry.level == 0 for hit in hits)
    shown = [hit for hit in index.search("revenue of Borel in Q1 2024") if hit.doc == "sales.csv"]
    assert sorted(hit.derived for hit in shown) == ["rows", "table-summary"]  # the chunk says what the rows say


def test_only_chunks_are_searched_where_that_is_asked_for(index: Index) -> None:
    for hit in index.search("Acme's revenue", options=SearchOptions(about=False)).hits:
        assert not hit.why.about


def test_stats_tell_them_apart(index: Index) -> None:
    stats = index.stats()
    assert (stats.documents, stats.chunks, stats.sections) == (2, 2, 0)
    assert stats.about >= 4  # statistics and sentences of the table, two claims


def test_a_second_run_writes_nothing(index: Index) -> None:
    report = index.add("sales.csv", ROWS, media_type="text/csv")
    assert (report.unchanged, report.written, report.embedded) == (1, 0, 0)


def test_an_edit_takes_the_texts_of_the_old_chunk_along(index: Index) -> None:
    index.add("sales.csv", ROWS.replace("$4M", "$9M"), media_type="text/csv")
    with index._store.reader() as reader:
        texts = [entry.text for entry in reader.select() if entry.level == ABOUT and entry.doc == "sales.csv"]
    assert texts
    assert not any("$4M" in text for text in texts)


def test_removal_takes_all(index: Index) -> None:
    index.remove("sales.csv")
    assert index.stats().about == 2  # the claims of the other document


def test_levels_of_a_strategy_are_those_of_the_index() -> None:
    recipe = Recipe(strategy="hierarchical", signal="hash")
    with open_index("memory:", config=IndexConfig(recipe, "hash")) as made:
        made.add("a.md", "".join(f"# Part {n}\n\nWords of part {n}.\n\n" for n in range(4)))
        stats = made.stats()
        assert (stats.chunks, stats.sections) == (4, 1)
        hit = made.search("Words of part 2", options=SearchOptions(mode="parents", share=0.1)).hits[0]
        assert hit.why.expanded == "section"


def test_facts_can_be_filtered_by() -> None:
    recipe = Recipe(enrich=("entities", "coherence"), signal="hash")
    with open_index("memory:", config=IndexConfig(recipe, "hash")) as made:
        made.add("a.md", "# A\n\nAda Reyes founded Halden Systems in Turin. Ada Reyes left in 2004.\n")
        made.add("b.md", "# B\n\nNobody is named here. Nothing happened then.\n")
        hits = made.search("who founded it", where='meta.entities has "Ada Reyes"').hits
        assert [hit.entry.doc for hit in hits] == ["a.md"]
        assert hits[0].entry.coherence is not None
