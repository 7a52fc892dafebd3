"""One query through all steps, on a real index in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from harness.library import NOW, RECIPE, Library
from seamline.errors import ConfigError, StoreError
from seamline.filters.tree import Test
from seamline.pipeline import retrieve
from seamline.records import Scored, Version
from seamline.search import legs
from seamline.search.expand import Gate
from seamline.search.fuse import linear
from seamline.search.hits import Results
from seamline.search.legs import Legs, SearchScope, find, near, query_vectors, similarities
from seamline.search.options import SearchOptions
from seamline.search.plan import plan
from seamline.search.rerank import Weights
from seamline.search.search import LONGEST_QUERY, PART, SearchEngine
from seamline.store.memory import MemoryReader, MemoryStore
from seamline.testing.entries import AXES, SETTINGS, entries
from seamline.testing.stores.site import put_entries
from seamline.text.words import MOST_QUERY_WORDS
from seamline.types import Budget

RETRIES = """# Webhooks

## Retries

A delivery that fails is tried again after one minute. After that the pauses grow, up to a day.
The receiver can ask for a longer pause with the Retry-After header of a 429 answer.

## Signing

Every request carries a signature. The receiver checks it with the secret of the endpoint.
A request whose signature is older than five minutes is refused.
"""
BILLING = """# Billing

Invoices are sent on the first day of a month. A payment that fails is tried again three times.
The account is closed when the last try fails. Customers are told by mail a week before.
"""
GARDEN = "# Garden\n\nRoses want water in the evening and sun at noon. Tulips want to be left alone.\n"


def find_all(library: Library, query: str, options: SearchOptions | None = None) -> Results:
    with library.store.reader() as reader:
        return retrieve(SearchEngine(reader, library.embedder, NOW), query, options or SearchOptions())


@pytest.fixture(scope="module")
def library() -> Library:
    return Library({"hooks.md": RETRIES, "billing.md": BILLING, "garden.md": GARDEN})


def test_the_best_hit_is_cited_to_its_lines(library: Library) -> None:
    best = find_all(library, "which header asks for a longer pause after a 429").hits[0]
    assert best.label() == "hooks.md:1-6 § Webhooks > Retries"
    version = read_version(library, "hooks.md")
    assert version.text[best.citation.start : best.citation.end] == best.citation.quote
    assert "Retry-After" in best.text


def read_version(library: Library, doc: str) -> Version:
    with library.store.reader() as reader:
        version = reader.version(doc, 1)
    assert version is not None
    return version


def test_scores_fall_and_lie_within_0_and_1(library: Library) -> None:
    scores = [hit.score for hit in find_all(library, "payment fails").hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_every_part_of_the_score_is_told(library: Library) -> None:
    best = find_all(library, "signature of a request").hits[0]
    why = best.why
    assert why.dense is not None
    assert why.bm25 is not None
    assert why.dense.rank == why.bm25.rank == 1
    assert why.fused == best.score == 1.0
    assert json.loads(json.dumps(best.to_dict()))["citations"][0]["label"] == best.label()


def test_what_only_bm25_found_has_its_cosine_worked_out(library: Library) -> None:
    hits = find_all(library, "tulips", SearchOptions(k=1, over=1, least=1)).hits
    assert hits[0].why.dense is not None
    with library.store.reader() as reader:
        legs = find(reader, None, "tulips", (5, 5), SearchScope())
        vector = query_vectors(library.embedder, ["tulips"])[0]
        filled = similarities(vector, reader.vectors(legs.ids))
        exact = dict(reader.near(vector, 100))
    assert filled == pytest.approx({id: exact[id] for id in legs.ids}, abs=1e-6)


def test_a_text_is_as_near_as_all_of_it_and_its_nearest_part_together() -> None:
    made = [
        replace(one, doc="a.md", vector=AXES[0], parts=parts)
        for one, parts in zip(
            entries("a.md", "none", "near", "far"),
            (None, np.array([[0, 0, 9, 0, 0, 0, 0, 0], [0, 7, 0, 0, 0, 0, 0, 0]], np.int8), -np.eye(8, dtype=np.int8)),
            strict=True,
        )
    ]
    made[0] = replace(made[0], vector=AXES[1])
    made[2] = replace(made[2], vector=AXES[2])
    store = MemoryStore(SETTINGS)
    put_entries(store, "a.md", made)
    asked = ((AXES[0] + AXES[4]) / np.sqrt(np.float32(2))).astype(np.float32)  # between the first and the third axis
    cosine = float(asked @ AXES[0])
    wanted = {made[0].id: -cosine, made[1].id: cosine, made[2].id: 0.0}
    with store.reader() as reader:
        found = dict(near(reader, asked, 3, SearchScope()))
        assert found == pytest.approx(wanted)
        assert similarities(asked, reader.vectors(found)) == pytest.approx(wanted)
        beyond = dict(near(reader, AXES[4], 3, SearchScope()))  # where the first part of the second text points
    assert beyond == pytest.approx({made[0].id: 0.0, made[1].id: legs.PART, made[2].id: 0.0})


def test_what_has_no_vector_yet_is_ranked_by_its_words() -> None:
    sparse = {"a": 4.0, "b": 2.0, "c": 1.0}
    ranked = dict(linear({"b": 0.9, "c": 0.1}, sparse, alpha=0.5, by="blend", without={"a"}))
    assert ranked["a"] == pytest.approx(1.0)
    assert ranked["b"] == pytest.approx(0.75)
    assert dict(linear({"b": 0.9, "c": 0.1}, sparse, alpha=0.5, by="blend"))["a"] == pytest.approx(0.5)


@pytest.mark.parametrize("legs", ["dense", "bm25", "hybrid"])
@pytest.mark.parametrize("fusion", ["blend", "min-max", "z-score", "share", "rrf"])
def test_every_leg_and_fusion_finds_the_obvious(library: Library, legs: str, fusion: str) -> None:
    options = SearchOptions(legs=legs, fusion=fusion)  # type: ignore[arg-type]
    best = find_all(library, "roses want water in the evening", options).hits[0]
    assert best.entry.doc == "garden.md"
    assert (best.why.dense is None) == (legs == "bm25")
    assert (best.why.bm25 is None) == (legs == "dense")


def test_a_filter_holds_in_every_mode(library: Library) -> None:
    only = Test("doc", "=", "billing.md")
    with library.store.reader() as reader:
        for mode in ("leaf", "parents", "summary-first", "multi-level"):
            options = SearchOptions(mode=mode)
            found = retrieve(SearchEngine(reader, library.embedder, NOW), "retries of webhooks", options, only)
            assert {hit.entry.doc for hit in found.hits} == {"billing.md"}


def test_k_hits_at_most(library: Library) -> None:
    assert len(find_all(library, "fails", SearchOptions(k=1)).hits) == 1
    assert find_all(Library(), "fails").hits == ()


def test_what_a_widened_hit_covers_makes_room_for_others() -> None:
    pumps = "# Pumps\n\n" + "\n\n".join(
        f"Sentence {n} speaks of the pump and of {word}." for n, word in enumerate(("motors", "valves", "tanks"))
    )
    recipe = replace(RECIPE, budget=Budget(target=16, limit=22))
    many = Library({"pumps.md": pumps, "a.md": "The pump is red.\n", "b.md": "A pump is blue.\n"}, recipe=recipe)
    found = find_all(many, "pump motors valves tanks", SearchOptions(k=3, gate=Gate(floor=0, confidence=1, match=0.1)))
    assert any(len(hit.ids) > 1 for hit in found.hits)
    assert len(found.hits) == 3


def test_the_same_search_gives_the_same_hits(library: Library) -> None:
    def told() -> list[dict[str, object]]:
        return [hit.to_dict() for hit in find_all(library, "a try that fails", SearchOptions(mode="multi-level")).hits]

    assert told() == told()


def test_near_duplicates_are_listed_under_the_best() -> None:
    both = Library({"a.md": BILLING, "b.md": BILLING, "garden.md": GARDEN})
    found = find_all(both, "when are invoices sent")
    assert [hit.entry.doc for hit in found.hits].count("a.md") + [h.entry.doc for h in found.hits].count("b.md") == 1
    assert [one.doc for one in found.hits[0].duplicates] == ["b.md" if found.hits[0].entry.doc == "a.md" else "a.md"]
    apart = find_all(both, "when are invoices sent", SearchOptions(collapse=False))
    assert {"a.md", "b.md"} <= {hit.entry.doc for hit in apart.hits}


def test_freshness_breaks_ties_between_equal_texts() -> None:
    old = f"---\ndate: 2020-01-01\n---\n{BILLING}"
    new = f"---\ndate: 2025-12-01\n---\n{BILLING}"
    both = Library({"a-old.md": old, "b-new.md": new})
    fresh = SearchOptions(weights=Weights(relevance=1, freshness=0.5))
    assert find_all(both, "invoices", fresh).hits[0].entry.doc == "b-new.md"


def test_time_is_what_the_caller_says() -> None:
    library = Library({"a.md": f"---\ndate: 2025-12-01\n---\n{BILLING}"})
    with library.store.reader() as reader:
        options = SearchOptions(weights=Weights(0, 1))
        now, later = (
            retrieve(SearchEngine(reader, library.embedder, at), "invoices", options).hits[0].score
            for at in (NOW, NOW + timedelta(days=100))
        )
    assert later / now == pytest.approx(0.36788, abs=1e-5)


def test_a_dual_index_finds_by_text_or_summary() -> None:
    library = Library({"hooks.md": RETRIES, "billing.md": BILLING}, dual=True)
    with library.store.reader() as reader:
        vector = query_vectors(library.embedder, ["signature older than five minutes"])[0]
        by_text, by_summary = dict(reader.near(vector, 99)), dict(reader.near(vector, 99, of="summary"))
        higher = {id: max(by_text[id], by_summary.get(id, -1)) for id in by_text}
        both = near(reader, vector, 2, SearchScope(), dual=True)
        assert [(id, score) for id, score in both] == sorted(higher.items(), key=lambda p: (-p[1], p[0]))[:2]
    assert find_all(library, "signature", SearchOptions(dual=True)).hits[0].entry.doc == "hooks.md"


class ByLength:
    """A reranker that likes short texts."""

    name = "by length"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [1 / len(text) for text in texts]


def test_a_reranker_decides_the_order(library: Library) -> None:
    with library.store.reader() as reader:
        engine = SearchEngine(reader, library.embedder, NOW, ByLength())
        hits = retrieve(engine, "fails", SearchOptions()).hits
    lengths = [len(hit.entry.text) for hit in hits]
    assert lengths == sorted(lengths)
    assert hits[0].why.rerank == 1 / lengths[0]


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_an_empty_query_is_refused(library: Library, query: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_all(library, query)
    assert caught.value.path == "$.query"


def test_a_huge_query_is_searched_by_its_start_and_says_so(library: Library) -> None:
    found = find_all(library, "roses and tulips " + "zebra " * 200_000)
    assert found.hits[0].entry.doc == "garden.md"
    assert [notice.code for notice in found.notices] == ["query-cut"]
    assert str(LONGEST_QUERY) in found.notices[0].message


def test_a_query_of_many_words_says_which_were_looked_for(library: Library) -> None:
    found = find_all(library, " ".join(f"word{n}" for n in range(MOST_QUERY_WORDS + 5)))
    assert [notice.code for notice in found.notices] == ["query-words"]


@pytest.mark.parametrize(
    "query",
    [
        "'; drop table entries; --",
        '" OR 1=1',
        "a AND (b",
        "*",
        "\x00",
        "lone \ud800",
        "🙂",
        "<script>",
        "%_\\",
        "👩‍👩‍👧",
    ],
)
def test_queries_are_only_text(library: Library, query: str) -> None:
    assert isinstance(find_all(library, query), Results)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"k": 0}, "$.search.k"),
        ({"k": 10**6}, "$.search.k"),
        ({"k": True}, "$.search.k"),
        ({"alpha": 1.5}, "$.search.alpha"),
        ({"lean": -0.1}, "$.search.lean"),
        ({"alpha": float("nan")}, "$.search.alpha"),
        ({"mode": "tree"}, "$.search.mode"),
        ({"fusion": "sum"}, "$.search.fusion"),
        ({"legs": "sparse"}, "$.search.legs"),
        ({"over": 0}, "$.search.over"),
        ({"decay": -1}, "$.search.decay"),
    ],
)
def test_options_that_cannot_work(given: Mapping[str, object], path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SearchOptions(**given)  # type: ignore[arg-type]
    assert caught.value.path == path


def test_three_times_as_many_are_looked_at_and_30_at_least() -> None:
    assert (SearchOptions(k=5).depth, SearchOptions(k=20).depth) == (30, 60)


class Lost(MemoryReader):
    """An index whose versions are gone."""

    def layouts(self, docs: Iterable[str]) -> dict[str, Version]:
        return {}


def test_a_broken_index_is_named(library: Library) -> None:
    with library.store.reader() as inner:
        broken = Lost(inner._state, inner._settings)
        with pytest.raises(StoreError, match="doctor --verify"):
            retrieve(SearchEngine(broken, library.embedder, NOW), "fails", SearchOptions())


def test_a_comparison_finds_both_sides() -> None:
    noise = {
        f"n{n}.md": f"# Notes {n}\n\nThe difference is small, and nothing compares to note {n}.\n" for n in range(8)
    }
    library = Library({"hooks.md": RETRIES, "garden.md": GARDEN, **noise})
    question = "What is the difference between roses and webhook signatures?"
    with library.store.reader() as reader:
        found = retrieve(SearchEngine(reader, library.embedder, NOW), plan(question), SearchOptions())
    top = {hit.entry.doc for hit in found.hits[:3]}
    assert {"hooks.md", "garden.md"} <= top
    assert {hit.why.query for hit in found.hits} <= set(plan(question).queries)


def test_a_part_that_says_little_does_not_lead() -> None:
    noise = {f"n{n}.md": f"# Record {n}\n\nWhat was his record in year {n}? It was good.\n" for n in range(8)}
    answer = "# Bow Weinhauer\n\nHe was coach at Denfeld from 1977 to 1985, with 53 won and 40 lost.\n"
    library = Library({"coach.md": answer, **noise})
    question = "Where did Bow Weinhauer coach from 1977 to 1985, and what was his record?"
    made = plan(question)
    assert made.queries[1:] == ("Where did Bow Weinhauer coach from 1977 to 1985", "what was his record")
    with library.store.reader() as reader:
        found = retrieve(SearchEngine(reader, library.embedder, NOW), made, SearchOptions()).hits
    assert found[0].entry.doc == "coach.md"
    weak = next(hit for hit in found if hit.why.query == "what was his record")
    assert weak.score < PART / 2


def test_a_plan_with_one_part_is_a_plain_search(library: Library) -> None:
    made = replace(plan("Who signs a request?"), k=3)
    with library.store.reader() as reader:
        engine = SearchEngine(reader, library.embedder, NOW)
        followed = retrieve(engine, made, SearchOptions())
        plain = retrieve(engine, made.query, SearchOptions(k=3))
    assert [hit.to_dict() for hit in followed.hits] == [hit.to_dict() for hit in plain.hits]


def test_no_hit_is_shown_twice_by_a_plan(library: Library) -> None:
    made = plan("What is a signature and when is an invoice sent?")
    with library.store.reader() as reader:
        found = retrieve(SearchEngine(reader, library.embedder, NOW), made, SearchOptions())
    ids = [id for hit in found.hits for id in hit.ids]
    assert len(ids) == len(set(ids))


def test_what_bm25_did_not_find_has_at_most_the_score_of_the_last_it_found() -> None:
    legs = Legs((Scored("a", 0.9), Scored("b", 0.8)), (Scored("b", 5.0), Scored("c", 2.0)))
    assert legs.sparse_scores(2) == {"a": 2.0, "b": 5.0, "c": 2.0}
    assert legs.sparse_scores(3) == {"a": 0.0, "b": 5.0, "c": 2.0}
    assert Legs((Scored("a", 0.9),)).sparse_scores(3) == {}


def test_a_name_that_one_text_has_is_found_by_it() -> None:
    """BM25 has most of the weight where its best stands alone, and little where all texts have the words."""
    many = Library(
        {f"{n}.md": f"The pump of house {n} stopped with {'ERR4711' if n == 3 else 'noise'}." for n in range(9)}
    )
    named, plain = (find_all(many, query).hits[0] for query in ("why ERR4711 of the pump", "the pump of a house"))
    assert named.entry.doc == "3.md"
    assert named.why.weight is not None
    assert plain.why.weight is not None
    assert named.why.weight < 0.3 < 0.45 < plain.why.weight <= 0.5


def test_legs_without_vector_or_query_find_nothing(library: Library) -> None:
    with library.store.reader() as reader:
        assert find(reader, None, "", (5, 5), SearchScope()) == Legs()
