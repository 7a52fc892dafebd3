"""Near-duplicates: collapsed among candidates, grouped over an index."""

from __future__ import annotations

from dataclasses import replace

import pytest

from seamline.records import Entry
from seamline.search.candidates import Candidate
from seamline.search.duplicates import BITS, bands, collapse, duplicates, near
from seamline.store.memory import MemoryStore
from seamline.testing.entries import SETTINGS, change, entry

PAGE = 0b1010_1111 << 40


def sketched(body: str, sketch: int, doc: str = "doc") -> Entry:
    return replace(entry(doc, body), sketch=sketch)


@pytest.mark.parametrize(("flips", "is_near"), [(0, True), (1, True), (3, True), (4, False)])
def test_three_bits_are_near(flips: int, is_near: bool) -> None:
    other = PAGE
    for n in range(flips):
        other ^= 1 << (n * 13)
    assert near(PAGE, other) is is_near


def test_sketches_are_signed_and_bit_63_counts_once() -> None:
    assert near(-1, (1 << 63) - 1)
    assert not near(-1, 0b1111)


def test_a_text_without_a_sketch_is_near_nothing() -> None:
    assert not near(0, 0)
    assert not near(0, 1)


def test_the_best_of_near_duplicates_stays_and_lists_the_others() -> None:
    best, copy, other = sketched("a", PAGE), sketched("b", PAGE ^ 1), sketched("c", ~PAGE)
    kept = collapse([Candidate(best, 0.9), Candidate(other, 0.8), Candidate(copy, 0.7)])
    assert [c.entry.id for c in kept] == [best.id, other.id]
    assert [twin.id for twin in kept[0].twins] == [copy.id]


def test_equal_bodies_are_duplicates_whatever_their_sketch() -> None:
    one, other = sketched("same", 0, "a"), sketched("same", 0, "b")
    assert len(collapse([Candidate(one, 0.9), Candidate(other, 0.7)])) == 1


def test_a_section_is_no_duplicate_of_its_chunk() -> None:
    chunk = sketched("text", PAGE)
    section = replace(chunk, id="section", level=1)
    assert len(collapse([Candidate(chunk, 0.9), Candidate(section, 0.7)])) == 2


def store_of(*entries: Entry) -> MemoryStore:
    store = MemoryStore(SETTINGS)
    with store.writer() as writer:
        for doc in dict.fromkeys(e.doc for e in entries):
            writer.apply([change(doc, [e for e in entries if e.doc == doc])])
    return store


def test_groups_over_an_index() -> None:
    a, b, c = sketched("a", PAGE, "d1"), sketched("b", PAGE ^ 0b11, "d2"), sketched("c", PAGE ^ 0b11_1000, "d3")
    lone, twin, copy = sketched("lone", ~PAGE, "d1"), sketched("twin", 77, "d1"), sketched("twin", 77, "d3")
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


def test_bands_share_out_all_bits() -> None:
    mask = (1 << BITS) - 1
    assert [band.bit_count() for band in bands(mask)] == [16] * 4
    assert sum(bands(mask)) == mask
    assert sum(bands(0b1011_0110)) == 0b1011_0110


def test_many_sketches_that_share_most_bits_are_still_told_apart() -> None:
    # All of even parity in 12 bits: none is within 1 of another, every one within 2 of some.
    base = PAGE << 4
    sketches = [base | n for n in range(1 << 12) if n.bit_count() % 2 == 0][:600]
    far = [(~base & ((1 << 62) - 1)) ^ (n * 0b1111 << 20) for n in (0, 1)]
    entries = [sketched(f"text {n}", s) for n, s in enumerate([*sketches, *far])]
    with store_of(*entries).reader() as reader:
        found = duplicates(reader)
    assert [len(group) for group in found.groups] == [600]
