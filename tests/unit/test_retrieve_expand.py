"""Hierarchy modes and shadows: how much is shown around what was found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.library import NOW, RECIPE, Library
from seamline.errors import ConfigError
from seamline.pipeline import retrieve
from seamline.protocols import Reader
from seamline.records import Entry
from seamline.search.candidates import Candidate, as_hits
from seamline.search.documents import DocumentCache
from seamline.search.expand import Gate, inside, merge_levels, read_whole, second_look, to_parents
from seamline.search.hits import Hit, LegScore, Why
from seamline.search.options import SearchOptions
from seamline.search.search import SearchEngine
from seamline.types import Budget

PARTS = {
    "Pumps": ["The pump lifts water from the well to the tank.", "It is driven by a small motor of 200 watts."],
    "Valves": ["A valve keeps the water from flowing back.", "It closes when the pressure falls.", "Springs close it."],
}
INTRO = "Everything about the water of the farm, told in short and plain sentences."
PAGE = (
    f"# Plant\n\n{INTRO}\n\n"
    + "\n\n".join(f"## {name}\n\n" + "\n\n".join(lines) for name, lines in PARTS.items())
    + "\n"
)
PUMPS = PAGE[PAGE.index("## Pumps") : PAGE.index("\n\n## Valves")]
CODE = "# Code\n\n```python\n" + "\n".join(f"value_{n} = compute({n})" for n in range(12)) + "\n```\n"


@pytest.fixture(scope="module")
def library() -> Library:
    return Library({"plant.md": PAGE, "code.md": CODE}, recipe=replace(RECIPE, budget=Budget(target=18, limit=24)))


def chunks(reader: Reader, doc: str) -> list[Entry]:
    version = reader.version(doc, 1)
    assert version is not None
    ids = [place.id for place in version.places if place.level == 0]
    found = reader.entries(ids)
    return [found[id] for id in ids]


def hits(reader: Reader, *found: tuple[Entry, float]) -> tuple[list[Hit], DocumentCache]:
    shelf = DocumentCache(reader)
    return as_hits([Candidate(entry, score, Why(dense=LegScore(1, 0.4))) for entry, score in found], shelf), shelf


def test_the_page_is_cut_as_the_tests_below_expect(library: Library) -> None:
    with library.store.reader() as reader:
        assert [len(chunks(reader, doc)) for doc in ("plant.md", "code.md")] == [5, 6]


def test_a_section_takes_the_place_of_its_chunks_when_half_of_it_was_hit(library: Library) -> None:
    with library.store.reader() as reader:
        _, pump, motor, valve, *_ = chunks(reader, "plant.md")
        found, shelf = hits(reader, (valve, 0.9), (motor, 0.8), (pump, 0.7))
        wide = to_parents(found, shelf, share=0.6)
    assert [hit.score for hit in wide] == [0.9, 0.8]
    section = wide[1]
    assert section.ids == (pump.id, motor.id)
    assert section.why.expanded == "section"
    assert section.citation.path == ("Plant", "Pumps")
    assert section.citation.quote == PUMPS


def test_sections_climb_while_enough_is_hit(library: Library) -> None:
    with library.store.reader() as reader:
        all_of_it = chunks(reader, "plant.md")
        found, shelf = hits(reader, *((entry, 0.9 - n / 10) for n, entry in enumerate(all_of_it)))
        (whole,) = to_parents(found, shelf, share=0.9)
    assert whole.citation.quote == PAGE.strip()
    assert whole.ids == tuple(entry.id for entry in all_of_it)
    assert whole.score == 0.9


def test_a_section_that_is_too_long_stays_out(library: Library) -> None:
    with library.store.reader() as reader:
        _, pump, motor, *_ = chunks(reader, "plant.md")
        found, shelf = hits(reader, (motor, 0.8), (pump, 0.7))
        assert [hit.ids for hit in to_parents(found, shelf, share=0.1, widest=20)] == [(motor.id,), (pump.id,)]


def test_the_text_of_a_section_of_code_has_its_fence(library: Library) -> None:
    with library.store.reader() as reader:
        pieces = chunks(reader, "code.md")
        found, shelf = hits(reader, *((entry, 0.5) for entry in pieces))
        (whole,) = to_parents(found, shelf, share=0.9)
    assert whole.text == CODE.strip()


def test_summary_first_looks_only_into_the_best_sections(library: Library) -> None:
    with library.store.reader() as reader:
        sections = [entry for entry in reader.select() if entry.level == 1 and entry.path == ("Plant", "Valves")]
        where = inside(sections, DocumentCache(reader))
        found = {entry.id for entry in reader.select(where) if entry.level == 0}
        assert found == {entry.id for entry in chunks(reader, "plant.md")[3:]}


def test_a_document_of_one_chunk_is_found_summary_first(library: Library) -> None:
    lone = Library({"plant.md": PAGE, "lone.md": "Turbines turn in the wind.\n"})
    with lone.store.reader() as reader:
        options = SearchOptions(mode="summary-first")
        found = retrieve(SearchEngine(reader, lone.embedder, NOW), "turbines in the wind", options)
    assert found.hits[0].entry.doc == "lone.md"


def test_levels_do_not_repeat_each_other(library: Library) -> None:
    with library.store.reader() as reader:
        _, pump, motor, valve, *_ = chunks(reader, "plant.md")
        (pumps,) = [e for e in reader.select() if e.level == 1 and e.path[-1:] == ("Pumps",)]
        found, shelf = hits(reader, (pumps, 0.9), (motor, 0.8), (valve, 0.7), (pump, 0.6))
        kept = merge_levels(found, shelf)
        assert [hit.ids for hit in kept] == [(pump.id, motor.id), (valve.id,)]
        assert kept[0].text.startswith("# Plant\n\n## Pumps")
        other_way = merge_levels([found[1], found[0]], shelf)
        assert [hit.entry.id for hit in other_way] == [motor.id]


def test_a_section_too_long_to_show_is_shown_by_its_summary(library: Library) -> None:
    with library.store.reader() as reader:
        (pumps,) = [e for e in reader.select() if e.level == 1 and e.path[-1:] == ("Pumps",)]
        found, shelf = hits(reader, (pumps, 0.9))
        (kept,) = merge_levels(found, shelf, widest=10)
    assert kept.text == pumps.text
    assert kept.ids == ()


def test_a_matching_shadow_brings_its_neighbour_along(library: Library) -> None:
    with library.store.reader() as reader:
        _, pump, motor, *_ = chunks(reader, "plant.md")
        found, shelf = hits(reader, (pump, 0.8), (motor, 0.2))
        (wide,) = second_look(found, "how many watts does the motor of the pump have", shelf, Gate(match=0.5))
    assert wide.ids == (pump.id, motor.id)
    assert wide.why.shadow is not None
    assert (wide.why.shadow.side, wide.why.expanded) == ("after", "after")
    assert wide.why.shadow.score == pytest.approx(2 / 4)  # watts and motor, of watts, motor, pump and many
    assert [one.id for one in wide.citations] == [pump.id, motor.id]
    assert wide.text == f"# Plant\n\n{PUMPS}"
    assert wide.citation.quote == pump.body
    assert wide.label() == "plant.md:5-9 § Plant > Pumps"


@pytest.mark.parametrize(("cosine", "looked"), [(0.1, False), (0.2, True), (0.59, True), (0.6, False)])
def test_only_borderline_hits_get_a_second_look(library: Library, cosine: float, looked: bool) -> None:
    with library.store.reader() as reader:
        pump = chunks(reader, "plant.md")[1]
        found, shelf = hits(reader, (pump, 0.8))
        borderline = [replace(found[0], why=Why(dense=LegScore(1, cosine)))]
        (kept,) = second_look(borderline, "watts of the motor", shelf, Gate())
    assert (len(kept.ids) == 2) is looked


def test_a_shadow_without_news_changes_nothing(library: Library) -> None:
    with library.store.reader() as reader:
        pump = chunks(reader, "plant.md")[1]
        found, shelf = hits(reader, (pump, 0.8))
        assert second_look(found, "pump water from the well", shelf, Gate())[0].ids == (pump.id,)
        assert second_look(found, "zebra", shelf, Gate())[0].ids == (pump.id,)


@pytest.mark.parametrize(
    ("floor", "confidence", "match"),
    [(0.7, 0.6, 0.3), (-0.1, 0.6, 0.3), (0.2, 1.1, 0.3), (0.2, 0.6, 0.0), (0.2, 0.6, 2)],
)
def test_gates_that_cannot_work(floor: float, confidence: float, match: float) -> None:
    with pytest.raises(ConfigError):
        Gate(floor, confidence, match)


def test_a_hit_is_read_with_the_rest_of_its_section_and_cited_as_it_was_found(library: Library) -> None:
    with library.store.reader() as reader:
        _, pump, motor, *_ = chunks(reader, "plant.md")
        found, shelf = hits(reader, (motor, 0.9))
        (wide,) = read_whole(found, shelf, 100)
    assert wide.ids == (pump.id, motor.id)
    assert wide.text.endswith(PUMPS)
    assert wide.why.expanded == "text"
    assert wide.citations == found[0].citations
    assert wide.citation.quote == motor.body


def test_nothing_is_shown_twice_and_hits_stay_hits_of_their_own(library: Library) -> None:
    with library.store.reader() as reader:
        _, pump, motor, *valves = chunks(reader, "plant.md")
        found, shelf = hits(reader, (valves[0], 0.9), (motor, 0.8), (pump, 0.7))
        wide = read_whole(found, shelf, 100)
    assert [hit.ids for hit in wide] == [tuple(one.id for one in valves), (motor.id,), (pump.id,)]


def test_a_hit_is_read_alone_where_its_neighbours_have_no_room(library: Library) -> None:
    with library.store.reader() as reader:
        _, pump, motor, *_ = chunks(reader, "plant.md")
        found, shelf = hits(reader, (motor, 0.9))
        assert read_whole(found, shelf, pump.tokens + motor.tokens)[0].ids == (pump.id, motor.id)
        assert read_whole(found, shelf, pump.tokens + motor.tokens - 1)[0] is found[0]


def test_a_fence_that_is_read_whole_is_open_and_closed_once(library: Library) -> None:
    with library.store.reader() as reader:
        code = chunks(reader, "code.md")
        found, shelf = hits(reader, (code[2], 0.9))
        (wide,) = read_whole(found, shelf, 1000)
    assert wide.ids == tuple(one.id for one in code)
    assert wide.text.strip() == CODE.strip()


def test_a_search_reads_whole_unless_told_otherwise(library: Library) -> None:
    with library.store.reader() as reader:
        engine = SearchEngine(reader, library.embedder, NOW)
        wide = retrieve(engine, "small motor", SearchOptions(k=1, gate=None)).hits[0]
        alone = retrieve(engine, "small motor", SearchOptions(k=1, gate=None, whole=0)).hits[0]
    assert wide.entry.id == alone.entry.id
    assert len(wide.ids) == 2
    assert alone.ids == (alone.entry.id,)
