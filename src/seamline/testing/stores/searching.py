"""Contract, part 3: both legs of a search find what an exact search finds, in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import log

import numpy as np
import pytest

from seamline.errors import StoreError
from seamline.filters.tree import Test
from seamline.protocols import Reader, Store
from seamline.records import Entry, Scored
from seamline.testing.entries import AXES, SETTINGS, WEIRD, entry, erase, vector
from seamline.testing.stores.site import (
    CLOSE,
    RELATIVE,
    ExpectedStore,
    Site,
    StoreTests,
    ids,
    put,
    put_entries,
    tidy,
    write,
)
from seamline.text.stemming import ENGLISH
from seamline.text.words import query_words, required_words, typed_words, words

TEXTS = (
    "Retry with backoff after a 429 response.",
    "Retries are counted; the budget of retries is 5.",
    "The budget is spent per day, the budget is small.",
    "maxRetryCount and max_retry_count are two names of one setting.",
    "Call os.path.join on naïve paths.",
    "日本語の文章です。検索できます。",
    "ภาษาไทยไม่มีช่องว่าง",
    "हिन्दी में खोज",
    "Straße und STRASSE, Überprüfung",
    "webhook webhook webhook webhook",
    "webhook",
    "webhook once in a rather long text that speaks of many other things and goes on for a while",
    "!!! ... --- ???",
    "",
    "\x00 nul and \ud800 surrogate",
    "same words here",
    "same words here",
    "same words here",
    "Ünïcödé → emoji 👩‍👩‍👧‍👦 and العربية",
    "x" * 5000,
    "a-b-c a.b.c a_b_c aBC",
)
QUERIES = (
    "retry",
    "retries budget",
    "the budget of the retries",
    "webhook",
    "webhook webhook",
    "same words",
    "max_retry_count",
    "maxRetryCount",
    "os.path.join",
    "naive",
    "naïve",
    "検索",
    "日本語",
    "ภาษาไทย",
    "खोज",
    "strasse",
    "429",
    "the",
    "what is the",
    "a-b-c",
    "العربية",
    "x" * 5000,
    "x" * 64,
    "nul surrogate",
    "nothingofthekind",
    "nothingofthekind webhook",
    "",
    " \n ",
    "!!!",
    "\x00",
    "\ud800",
    "'; drop table entries; --",
    '"webhook" AND NOT (retry OR +budget) title:x^2 ~ *',
    "webhook* retr? /regex/ [a TO b] {x}",
    "retry " * 10_000,
    " ".join(f"word{n}" for n in range(500)) + " webhook",
    *WEIRD,
)
ROWS = tuple(np.random.default_rng(7).normal(size=(40, 8)))
"""Vectors as a model makes them: no two cosines are the same."""


def corpus() -> list[Entry]:
    """Entries of both kinds of text and vector, on several levels."""
    made = []
    for n, text in enumerate(TEXTS):
        one = entry(f"doc {n % 4}.md", text, level=(0, 0, 0, 1, 2)[n % 5], occurrence=n)
        second = AXES[(n * 3) % len(AXES)] if n % 3 else None
        first = AXES[n % 6] if n % 7 != 6 and one.searched else None  # what has no words has no vector
        made.append(replace(one, vector=first, summary_vector=second, tokens=n))
    return made


def fill(store: Store, made: Sequence[Entry]) -> None:
    for doc in sorted({one.doc for one in made}):
        put_entries(store, doc, [one for one in made if one.doc == doc])


def holds_row(text: str, query: str) -> bool:
    """Whether the words of a query stand in a row in a text, as they are typed."""
    held, row = typed_words(text), typed_words(query)
    return any(held[at : at + len(row)] == row for at in range(len(held) - len(row) + 1))


def score_all(made: Sequence[Entry], query: str) -> list[Scored]:
    """BM25 of a query over all entries."""
    return score_words(made, query_words(query))


def score_words(made: Sequence[Entry], asked: Sequence[str], stemming: str = ENGLISH) -> list[Scored]:
    """BM25 over all entries, from the texts alone and written out: k1 is 1.2 and b is 0.75, and the line of title and
    headings counts three times more."""
    lines = {one.id: " > ".join(one.path if one.title in one.path else (one.title, *one.path)) for one in made}
    bags = {one.id: Counter(words(one.searched, stemming)) for one in made}
    bags = {id: bag + Counter(words(lines[id], stemming) * 3) for id, bag in bags.items() if bag}
    average = sum(bag.total() for bag in bags.values()) / max(1, len(bags))
    found = []
    for id, bag in bags.items():
        score = 0.0
        for word in asked:
            holding = sum(word in other for other in bags.values())
            if word in bag:
                rare = log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
                score += rare * bag[word] * 2.2 / (bag[word] + 1.2 * (0.25 + 0.75 * bag.total() / average))
        if score > 0:
            found.append(Scored(id, score))
    return sorted(found, key=lambda scored: (-scored.score, scored.id))


def cosines(made: Sequence[Entry], query: np.ndarray, of: str = "vector") -> list[Scored]:
    rows = [(one.id, getattr(one, of)) for one in made]
    found = [Scored(id, float(row.astype(np.float64) @ query)) for id, row in rows if row is not None]
    return sorted(found, key=lambda scored: (-scored.score, scored.id))


class SearchingContract(StoreTests):
    """near, matching, and what their order is."""

    @pytest.fixture(scope="class")
    @classmethod
    def library(cls, sites: Callable[[], Site]) -> Iterator[Store]:
        """A store of the corpus, only to be read."""
        store = sites().open(SETTINGS)
        fill(store, corpus())
        tidy(store)
        yield store
        store.close()

    @pytest.fixture
    def reader(self, library: Store) -> Iterator[Reader]:
        with library.reader() as reader:
            yield reader

    @pytest.mark.parametrize("k", [1, 2, 5, 1000])
    @pytest.mark.parametrize("levels", [(0,), (1,), (0, 2), None, (7,), ()], ids=str)
    def test_near_is_exact(self, reader: Reader, levels: tuple[int, ...] | None, k: int) -> None:
        among = [one for one in corpus() if levels is None or one.level in levels]
        for query in (AXES[0], AXES[5], AXES[-1], vector(1, 1)):
            ExpectedStore(cosines(among, query), k, CLOSE).check(reader.near(query, k, levels=levels))

    @pytest.mark.parametrize("k", [1, 3, 1000])
    def test_near_by_summary(self, reader: Reader, k: int) -> None:
        for query in (AXES[0], AXES[3], AXES[-2]):
            exact = cosines([one for one in corpus() if one.level == 0], query, "summary_vector")
            ExpectedStore(exact, k, CLOSE).check(reader.near(query, k, of="summary"))

    def test_near_with_a_filter(self, reader: Reader) -> None:
        among = [one for one in corpus() if one.tokens < 9]
        for k in (1, 4, 100):
            found = reader.near(AXES[2], k, where=Test("tokens", "<", 9.0), levels=None)
            ExpectedStore(cosines(among, AXES[2]), k, CLOSE).check(found)

    @pytest.mark.parametrize("k", [0, -1])
    def test_no_results_where_none_are_asked_for(self, reader: Reader, k: int) -> None:
        assert reader.near(AXES[0], k) == []
        assert reader.matching("webhook", k) == []

    @pytest.mark.parametrize("levels", [(0,), None])
    def test_nothing_is_near_once_everything_is_removed(self, store: Store, levels: tuple[int, ...] | None) -> None:
        put(store, "a.md", *TEXTS[:4])
        tidy(store)
        with store.reader() as reader:
            gone = erase(reader, "a.md")
        write(store, gone)
        with store.reader() as reader:
            for where in (None, Test("doc", "!=", "b.md"), Test("doc", "=", "a.md")):
                assert reader.near(AXES[0], 5, where=where, levels=levels) == []

    def test_near_refuses_a_vector_of_another_model(self, reader: Reader) -> None:
        with pytest.raises(StoreError, match="dimensions"):
            reader.near(np.ones(3, dtype=np.float32), 5)

    @pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 0.0, 1e38, 1e-40])
    def test_near_refuses_a_vector_whose_scores_would_differ(self, reader: Reader, number: float) -> None:
        with pytest.raises(StoreError, match="expected a vector of length 1"):
            reader.near(np.full(SETTINGS.dimensions, number, dtype=np.float32), 5)
        assert reader.near(AXES[0], 5), "the reader still answers"

    def test_near_over_vectors_of_a_model(self, store: Store) -> None:
        made = [replace(entry("a.md", f"row {n}"), vector=vector(*row)) for n, row in enumerate(ROWS)]
        put_entries(store, "a.md", made)
        with store.reader() as reader:
            for query in (vector(*ROWS[3]), vector(*ROWS[9]), vector(1, 2, 3, 4, 5, 6, 7, 8)):
                ExpectedStore(cosines(made, query), 10, CLOSE).check(reader.near(query, 10))
                assert ids(reader.near(query, 1)) == ids(reader.near(query, 40))[:1]

    def test_equal_vectors_stand_by_id(self, store: Store) -> None:
        made = [replace(entry(f"{n % 3}.md", f"row {n}"), vector=AXES[4]) for n in range(30)]
        fill(store, made)
        with store.reader() as reader:
            assert ids(reader.near(AXES[4], 12)) == sorted(one.id for one in made)[:12]

    def test_an_opposite_vector_is_found_last(self, store: Store) -> None:
        made = [replace(entry("a.md", str(n)), vector=row) for n, row in enumerate([AXES[1], AXES[0], AXES[2]])]
        put_entries(store, "a.md", made)
        with store.reader() as reader:
            found = reader.near(AXES[0], 5)
        assert ids(found) == [made[1].id, made[2].id, made[0].id]
        assert [scored.score for scored in found] == pytest.approx([1, 0, -1], abs=CLOSE)

    @pytest.mark.parametrize("query", QUERIES, ids=lambda query: ascii(query)[:40])
    def test_matching_is_bm25(self, reader: Reader, query: str) -> None:
        made = corpus()
        exact = score_all(made, query)
        level = {one.id: one.level for one in made}
        ExpectedStore(exact, 1000, RELATIVE).check(reader.matching(query, 1000, levels=None))
        for k in (1, 2, 4):
            chunks = [scored for scored in exact if level[scored.id] == 0]
            ExpectedStore(chunks, k, RELATIVE).check(reader.matching(query, k))

    @pytest.mark.parametrize("query", QUERIES, ids=lambda query: ascii(query)[:40])
    def test_every_word_may_be_required(self, reader: Reader, query: str) -> None:
        made, wanted = corpus(), required_words(query)
        holding = {one.id: one.searched for one in made if wanted and {*wanted} <= {*words(one.searched)}}
        found = {id for id, _ in reader.matching(query, 1000, levels=None, every=True)}
        assert {id for id, text in holding.items() if holds_row(text, query)} <= found <= holding.keys()
        exact = [scored for scored in score_words(made, wanted) if scored.id in found]
        ExpectedStore(exact, 1000, RELATIVE).check(reader.matching(query, 1000, levels=None, every=True))
        level = {one.id: one.level for one in made}
        chunks = [scored for scored in exact if level[scored.id] == 0]
        for k in (1, 2, 4):
            ExpectedStore(chunks, k, RELATIVE).check(reader.matching(query, k, every=True))

    def test_an_entry_without_one_of_the_words_is_not_found_by_every_word(self, store: Store) -> None:
        put(store, "a.md", "exit with a code", "exit code 137 of os.path.join", "code 137")
        tidy(store)
        put(store, "b.md", "code of an exit", "`Exit\n code` 137, --exit code 137")
        where = Test("doc", "=", "b.md")
        with store.reader() as reader:
            assert len(reader.matching("exit code 137", 9, every=True)) == 2
            assert len(reader.matching("exit code 137", 9, where=where, every=True)) == 1
            assert len(reader.matching("os.path", 9, every=True)) == 1
            assert reader.matching("exit code 138", 9, every=True) == []
            assert reader.matching("exit", 0, every=True) == []
            assert reader.matching("...", 9, every=True) == []

    def test_words_are_stemmed_by_the_language_of_the_index(self, site: Site) -> None:
        pytest.importorskip("snowballstemmer", reason="the extra stemming is not installed")
        options = {**SETTINGS.options, "stemming": "german"}
        store = site.open(replace(SETTINGS, options=options))
        put(store, "a.md", "Die Häuser am Fluß", "Ein Haus in der Stadt", "Über Städte und Flüsse", "Läuse")
        tidy(store)
        put(store, "b.md", "Das Haus der Kinder", "Ein Kind")
        put(store, "a.md", "Die Häuser am Fluß", "Über Städte und Flüsse", "Läuse")
        with store.reader() as reader:
            assert len(reader.matching("Hauses", 9)) == 2
        tidy(store)
        with store.reader() as reader:
            made = list(reader.select())
            for query in ("Häusern", "Stadt", "Kindes", "der Fluss"):
                exact = score_words(made, query_words(query, "german"), "german")
                assert exact
                ExpectedStore(exact, 100, RELATIVE).check(reader.matching(query, 100))
            assert len(reader.matching("Häuser am Fluß", 9, every=True)) == 1
        assert list(store.verify()) == []
        store.close()

    def test_a_filter_changes_no_score(self, reader: Reader) -> None:
        whole = dict(reader.matching("webhook retry", 1000, levels=None))
        part = dict(reader.matching("webhook retry", 1000, levels=None, where=Test("tokens", ">", 3.0)))
        assert part
        assert part.keys() < whole.keys()
        assert part == pytest.approx({id: whole[id] for id in part})

    def test_a_level_changes_no_score(self, reader: Reader) -> None:
        whole = dict(reader.matching("webhook emoji", 1000, levels=None))
        part = dict(reader.matching("webhook emoji", 1000, levels=(1,)))
        assert part
        assert part.keys() < whole.keys()
        assert part == pytest.approx({id: whole[id] for id in part})

    def test_equal_texts_stand_by_id(self, store: Store) -> None:
        made = [entry(f"{n % 3}.md", "equal words", occurrence=n) for n in range(30)]
        fill(store, made)
        with store.reader() as reader:
            assert ids(reader.matching("equal", 12)) == sorted(one.id for one in made)[:12]

    def test_titles_and_headings_are_searched_shadows_and_summaries_are_not(self, store: Store) -> None:
        made = replace(entry("a.md", "plain body"), title="Lamps", path=("Oil",))
        put_entries(store, "a.md", [replace(made, before="shadow", after="shadow", summary="gist")])
        with store.reader() as reader:
            assert reader.matching("shadow gist", 5) == []
            for word in ("plain", "lamps", "oil"):
                assert ids(reader.matching(word, 5)) == [made.id]

    def test_words_of_removed_entries_are_not_found(self, store: Store) -> None:
        put(store, "a.md", "first words", "second words")
        put(store, "a.md", "second words")
        with store.reader() as reader:
            assert reader.matching("first", 5) == []
            assert len(reader.matching("words", 5)) == 1

    def test_new_words_are_found_before_tidying(self, store: Store) -> None:
        put(store, "a.md", "early bird")
        tidy(store)
        put(store, "b.md", "late bird")
        with store.reader() as reader:
            assert len(reader.matching("late", 5)) == 1
            assert len(reader.matching("bird", 5)) == 2

    def test_scores_are_bm25_after_edits(self, store: Store) -> None:
        put(store, "a.md", *TEXTS[:6])
        put(store, "b.md", *TEXTS[6:12])
        put(store, "a.md", *TEXTS[3:9])
        put(store, "b.md", "webhook retry")
        tidy(store)
        with store.reader() as reader:
            made = list(reader.select())
            for query in ("retry", "webhook retry budget", "names of one setting"):
                ExpectedStore(score_all(made, query), 100, RELATIVE).check(reader.matching(query, 100))

    def test_entries_that_are_asked_for(self, reader: Reader) -> None:
        made = corpus()
        asked = [made[3].id, "nobody", made[0].id, made[3].id, "", "'\x00\ud800"]
        assert reader.entries(asked).keys() == {made[3].id, made[0].id}
        assert reader.entries([]) == {}
        assert reader.entries(one.id for one in made).keys() == {one.id for one in made}

    def test_select_is_by_document_and_id(self, reader: Reader) -> None:
        expected = sorted((one.doc, one.id) for one in corpus())
        assert [(one.doc, one.id) for one in reader.select()] == expected

    def test_select_is_by_code_points(self, store: Store) -> None:
        docs = ["b", "a", "Z", "ä", "\U0001f600", "\uffee", "a\x00", "a b", "a-b", "ab"]
        fill(store, [replace(entry(doc, "x"), id=f"{doc}{n}") for doc in docs for n in ("é", "e", "Z", "\U0001f600")])
        with store.reader() as reader:
            found = [(one.doc, one.id) for one in reader.select()]
        assert found == sorted(found)
        assert len(found) == 40

    @pytest.mark.parametrize("levels", [(0,), (1, 2), None, (), (9,)], ids=str)
    def test_count_by_level(self, reader: Reader, levels: tuple[int, ...] | None) -> None:
        expected = [one for one in corpus() if levels is None or one.level in levels]
        assert reader.count(levels=levels) == len(expected)
