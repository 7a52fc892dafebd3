"""A long query that names the headings of a section finds that section; options of a command are no exclusions."""

from __future__ import annotations

import pytest

from harness.library import NOW, Library
from seamline.pipeline import retrieve
from seamline.search.hits import Hit
from seamline.search.options import SearchOptions
from seamline.search.query import NAMED, SHORT, Naming, parse_query
from seamline.search.search import SearchEngine

SENTENCE = (
    "A controller that restarts containers after crashes also reports events about volumes; "
    "the guide to disruption budgets tells how many replicas may be missing."
)
MENTIONS = {
    f"mention{n}.md": f"# Page {n}\n\nA controller restarts containers after crashes and reports events about volumes. "
    f"Replicas may be missing, as budgets tell. Number {n}.\n"
    for n in range(12)
}
NAMED_PAGE = {"named.md": "# Disruption budgets\n\nAt least two of three have to answer while nodes are drained.\n"}


@pytest.fixture(scope="module")
def library() -> Library:
    return Library({**MENTIONS, **NAMED_PAGE})


def search(library: Library, query: str, options: SearchOptions | None = None) -> list[Hit]:
    with library.store.reader() as reader:
        found = retrieve(SearchEngine(reader, library.embedder, NOW), query, options or SearchOptions(min_score=0.0))
    return list(found.hits)


def test_a_page_that_a_long_query_names_gains(library: Library) -> None:
    by_doc = {hit.entry.doc: hit.why for hit in search(library, SENTENCE)}
    assert by_doc["named.md"].headings == pytest.approx(NAMED)
    assert all(why.headings is None for doc, why in by_doc.items() if doc != "named.md")


def test_a_short_query_names_nothing(library: Library) -> None:
    assert all(hit.why.headings is None for hit in search(library, "disruption budgets"))


def test_the_order_follows_the_bonus_and_scores_stay_within_one(library: Library) -> None:
    hits = search(library, SENTENCE)
    assert [hit.relative for hit in hits] == sorted((hit.relative for hit in hits), reverse=True)
    assert all(0 <= hit.relative <= 1 for hit in hits)
    raised = {hit.entry.doc: (hit.why.fused or 0.0) + (hit.why.headings or 0.0) for hit in hits}
    assert [hit.entry.doc for hit in hits] == sorted(raised, key=lambda doc: -raised[doc])


def test_meaning_alone_looks_at_no_words(library: Library) -> None:
    hits = search(library, SENTENCE, SearchOptions(legs="dense", min_score=0.0))
    assert all(hit.why.headings is None for hit in hits)


@pytest.mark.parametrize(
    ("line", "share"),
    [
        ("Disruption budgets", 1.0),
        ("The disruption of a budget", 1.0),  # function words do not count, endings do not matter
        ("Operations > Disruption budgets", 2 / 3),
        ("Rate limits", 0.0),
        ("", 0.0),
        ("The", 0.0),
    ],
)
def test_half_a_name_counts_less_than_half(line: str, share: float) -> None:
    assert Naming(SENTENCE).bonus(line) == pytest.approx(NAMED * share**2)


def test_function_words_do_not_make_a_query_long() -> None:
    words = [f"word{n}" for n in range(SHORT)]
    assert not Naming(" ".join(["how", "do", "I", *words])).is_long
    assert Naming(" ".join([*words, "another"])).is_long
    assert not Naming("").is_long


@pytest.mark.parametrize("query", ["what does -o=yaml print", "what does -o print", "what is -o?", "ssh -p 22"])
def test_an_option_with_one_hyphen_is_asked_for(query: str) -> None:
    assert parse_query(query) == (query, (), ())


@pytest.mark.parametrize("query", ["print -yaml", "retry -docker?", "retry -ab"])
def test_a_word_after_a_hyphen_is_still_excluded(query: str) -> None:
    assert len(parse_query(query).excluded) == 1
