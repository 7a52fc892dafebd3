"""Near-duplicates: collapsed among candidates, grouped over an index."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.enrich.sketch import text_sketch
from seamline.records import Entry
from seamline.search.candidates import Candidate
from seamline.search.duplicates import collapse, duplicates
from seamline.store.memory import MemoryStore
from seamline.testing.entries import SETTINGS, change, entry
from seamline.text.shingles import shingles, similarity
from seamline.text.words import words

PAGE = (
    "Before you move the archive to another machine, stop the service, copy the folder with all of its files, and "
    "check that the copy has the same size. Then start the service again and ask it for the last record it wrote."
)
"""Of 40 words."""
OTHER = (
    "A garden needs water in the morning, when the sun is low and the ground is cold. In the evening the leaves stay "
    "wet through the night, and what grows on wet leaves is rarely what the gardener had in mind for them."
)


def told(body: str, doc: str = "doc") -> Entry:
    return replace(entry(doc, body), sketch=text_sketch(body))


def test_one_word_of_forty_makes_no_other_text() -> None:
    best, copy, other = told(PAGE), told(PAGE.replace("folder", "directory")), told(OTHER)
    kept = collapse([Candidate(best, 0.9), Candidate(other, 0.8), Candidate(copy, 0.7)])
    assert [c.entry.id for c in kept] == [best.id, other.id]
    assert [twin.id for twin in kept[0].twins] == [copy.id]


def test_every_tenth_word_makes_another_text() -> None:
    changed = " ".join(f"x{n}" if n % 10 == 4 else word for n, word in enumerate(PAGE.split()))
    assert len(collapse([Candidate(told(PAGE), 0.9), Candidate(told(changed), 0.7)])) == 2


def test_texts_that_differ_in_what_was_asked_for_stay_apart() -> None:
    second, third = told(f"{PAGE} This holds for release two."), told(f"{PAGE} This holds for release three.")
    found = [Candidate(second, 0.9), Candidate(third, 0.7)]
    assert len(collapse(found, frozenset(words("how do I move the archive")))) == 1
    assert len(collapse(found, frozenset(words("move the archive in release three")))) == 2


def test_equal_bodies_are_duplicates_whatever_their_sketch() -> None:
    one, other = (replace(entry(doc, "same"), sketch=0) for doc in ("a", "b"))
    assert len(collapse([Candidate(one, 0.9), Candidate(other, 0.7)])) == 1


def test_texts_without_words_are_no_duplicates_of_each_other() -> None:
    one, other = (replace(entry("doc", body), sketch=0) for body in ("---", "***"))
    assert len(collapse([Candidate(one, 0.9), Candidate(other, 0.7)])) == 2
    with store_of(one, other).reader() as reader:
        assert not duplicates(reader).groups


def test_a_section_is_no_duplicate_of_its_chunk() -> None:
    chunk = told(PAGE)
    section = replace(chunk, id="section", level=1)
    assert len(collapse([Candidate(chunk, 0.9), Candidate(section, 0.7)])) == 2


def store_of(*entries: Entry) -> MemoryStore:
    store = MemoryStore(SETTINGS)
    with store.writer() as writer:
        for doc in dict.fromkeys(e.doc for e in entries):
            writer.apply([change(doc, [e for e in entries if e.doc == doc])])
    return store


def test_groups_over_an_index() -> None:
    a, b, c = told(PAGE, "d1"), told(PAGE.replace("folder", "tree"), "d2"), told(PAGE.replace("size", "bytes"), "d3")
    lone, twin, copy = told(OTHER, "d1"), told("twin", "d1"), told("twin", "d3")
    with store_of(a, b, c, lone, twin, copy).reader() as reader:
        found = duplicates(reader)
    assert {frozenset(group) for group in found.groups} == {
        frozenset((a.id, b.id, c.id)),
        frozenset((twin.id, copy.id)),
    }
    assert len(found.groups[0]) == 3
    assert found.chunks == 6
    assert found.rate == pytest.approx(3 / 6)


def test_an_empty_index_has_no_duplicates() -> None:
    with MemoryStore(SETTINGS).reader() as reader:
        assert duplicates(reader).rate == 0.0


def test_pages_of_one_template_are_told_apart() -> None:
    # All share their first half; the second has words of its own.
    pages = [told(f"{OTHER} " + " ".join(f"w{n}x{m}" for m in range(40)), f"d{n}") for n in range(60)]
    copy = told(f"{OTHER} " + " ".join(f"w7x{m}" for m in range(39)), "copy")
    with store_of(*pages, copy).reader() as reader:
        found = duplicates(reader)
    assert found.groups == ((copy.id, pages[7].id),)


@given(st.lists(st.sampled_from("abcdefgh"), max_size=12), st.lists(st.sampled_from("abcdefgh"), max_size=12))
def test_similarity_is_the_share_of_runs_that_both_have(left: list[str], right: list[str]) -> None:
    def runs(words: list[str]) -> set[tuple[str, ...]]:
        return {tuple(words[n : n + 3]) for n in range(max(1, len(words) - 2))} if words else set()

    one, other = runs(left), runs(right)
    expected = len(one & other) / len(one | other) if one and other else 0.0
    assert similarity(shingles(left), shingles(right)) == pytest.approx(expected)
