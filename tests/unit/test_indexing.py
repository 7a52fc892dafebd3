"""An index run: what is written, what is not, and what is known of each document afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

import seamline
from seamline.embed.hashing import HashEmbedder
from seamline.errors import ParseError
from seamline.index.sources import IndexSource
from seamline.index.update import Tools, UpdateReport
from seamline.pipeline import chunk_document, index
from seamline.recipe.recipe import Overlap, Recipe
from seamline.records import Entry, Settings
from seamline.runtime import Runtime
from seamline.store.memory import MemoryStore
from seamline.store.verify import verify_reader
from seamline.tokens import load
from seamline.types import Budget

if TYPE_CHECKING:
    from seamline.records import Vector

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RECIPE = Recipe(budget=Budget(target=60, limit=64), overlap=Overlap("shadows", 20))

GUIDE = "# Guide\n\n" + "\n\n".join(
    f"## Part {n}\n\nPart {n} tells how the engine number {n} is started. It takes {n} minutes of patience.\n\n"
    + " ".join(f"Step {n}.{m} turns the wheel {m} times." for m in range(12))
    for n in range(1, 6)
)
NOTES = "# Notes\n\nA short page about nothing but the weather in spring.\n"


class Counting:
    """The hashing embedder, counting what it reads."""

    def __init__(self) -> None:
        self._inner = HashEmbedder()
        self.read: list[str] = []

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    def embed(self, texts: Sequence[str]) -> Vector:
        self.read += texts
        return self._inner.embed(texts)


@pytest.fixture
def tools() -> Tools:
    return Tools(RECIPE, Runtime(load("o200k_base")), Counting())


@pytest.fixture
def store(tools: Tools) -> MemoryStore:
    embedder = tools.embedder
    return MemoryStore(Settings(1, "", RECIPE.fingerprint, embedder.name, embedder.dimensions, embedder.fingerprint, 1))


def run(store: MemoryStore, tools: Tools, files: Mapping[str, str | bytes], now: datetime = NOW) -> UpdateReport:
    """One run over exactly these files."""
    candidates = [
        IndexSource(name, lambda data=data: data if isinstance(data, bytes) else data.encode())  # type: ignore[misc]
        for name, data in files.items()
    ]
    report = index(store, candidates, tools, covers=lambda doc: True, now=now)
    with store.reader() as reader:
        assert list(verify_reader(reader)) == []
    return report


def entries(store: MemoryStore) -> dict[str, Entry]:
    with store.reader() as reader:
        return {entry.id: entry for entry in reader.select(vectors=True)}


def test_chunks_and_sections_become_entries(store: MemoryStore, tools: Tools) -> None:
    report = run(store, tools, {"guide.md": GUIDE, "notes.md": NOTES})
    found = entries(store)
    assert (report.added, report.changed, report.removed) == (2, 0, 0)
    assert report.written == len(found)
    chunks = [entry for entry in found.values() if entry.level == 0]
    sections = [entry for entry in found.values() if entry.level > 0]
    assert report.chunks == len(chunks) > 10
    assert {entry.path for entry in sections} >= {("Guide", f"Part {n}") for n in range(1, 6)}
    assert all(entry.parent in found for entry in chunks if entry.doc == "guide.md")
    assert all(entry.vector is not None for entry in found.values())
    assert {entry.language for entry in found.values()} == {"en"}


def test_the_embed_view_of_a_chunk_is_embedded(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE})
    chunks = chunk_document(seamline.read(GUIDE, id="guide.md"), RECIPE, tools.runtime)
    found = entries(store)
    assert [found[chunk.id].searched for chunk in chunks] == [chunk.render("embed") for chunk in chunks]
    assert {chunk.render("embed") for chunk in chunks} <= set(tools.embedder.read)  # type: ignore[attr-defined]
    assert all(chunk.text not in tools.embedder.read for chunk in chunks)  # type: ignore[attr-defined]


def test_a_new_title_is_embedded_with_every_chunk(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"notes.md": "---\ntitle: Spring\n---\n\n" + NOTES})
    before = entries(store)
    report = run(store, tools, {"notes.md": "---\ntitle: Summer\n---\n\n" + NOTES})
    after = entries(store)
    assert before.keys() == after.keys()
    assert report.embedded == len(after)


def test_places_are_exact_in_every_version(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE})
    found = entries(store)
    with store.reader() as reader:
        version = reader.version("guide.md", 1)
        assert version is not None
        assert version.text == GUIDE
        for place in version.places:
            if place.level == 0:
                assert version.text[place.start : place.end] == found[place.id].body
                first, last = place.anchor["lines"]
                assert found[place.id].body.splitlines()[0] in GUIDE.splitlines()[first - 1]
                assert last >= first


def test_levels_nest(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE})
    found = entries(store)
    for entry in found.values():
        if entry.parent:
            assert found[entry.parent].level > entry.level
    tops = [entry for entry in found.values() if not entry.parent]
    assert len(tops) == 1
    assert tops[0].level == max(entry.level for entry in found.values())


def test_a_second_run_writes_and_embeds_nothing(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE, "notes.md": NOTES})
    before, generation = len(tools.embedder.read), store.generation()  # type: ignore[attr-defined]
    report = run(store, tools, {"guide.md": GUIDE, "notes.md": NOTES}, NOW + timedelta(days=1))
    assert (report.unchanged, report.touched, report.written, report.embedded) == (2, 0, 0, 0)
    assert len(tools.embedder.read) == before  # type: ignore[attr-defined]
    assert store.generation() == generation


def test_an_edit_touches_only_what_it_changed(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE})
    old = entries(store)
    edited = GUIDE.replace("engine number 3", "engine called three")
    later = NOW + timedelta(days=1)
    report = run(store, tools, {"guide.md": edited}, later)
    new = entries(store)
    assert report.changed == 1
    leaves = {id for id, entry in old.items() if entry.level == 0}
    assert len(leaves - new.keys()) == 1
    assert report.embedded <= 3  # the chunk, and the summaries of its section and document
    for id in leaves & new.keys():
        assert new[id].updated_at == NOW
        assert new[id].body == old[id].body
    changed = [entry for id, entry in new.items() if id not in old]
    assert [entry.updated_at for entry in changed] == [later] * len(changed)


def test_text_that_only_moves_is_not_written(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE})
    old = entries(store)
    report = run(store, tools, {"guide.md": "\n\n\n" + GUIDE})
    assert (report.changed, report.written, report.dropped, report.embedded) == (1, 0, 0, 0)
    assert entries(store).keys() == old.keys()
    with store.reader() as reader:
        first, second = reader.version("guide.md", 1), reader.version("guide.md", 2)
        assert first is not None
        assert second is not None
        assert [p.start + 3 for p in first.places] == [p.start for p in second.places]


def test_a_renamed_heading_embeds_again_but_keeps_ids(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE})
    old = entries(store)
    report = run(store, tools, {"guide.md": GUIDE.replace("# Guide\n", "# Manual\n", 1)})
    new = entries(store)
    kept = {id for id, entry in new.items() if entry.level == 0 and id in old}
    assert len(kept) >= 10
    assert all(new[id].path[0] == "Manual" for id in kept)
    assert report.embedded >= len(kept)


def test_a_file_that_is_gone_leaves_its_versions(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE, "notes.md": NOTES})
    report = run(store, tools, {"guide.md": GUIDE})
    assert (report.removed, report.moved, report.unchanged) == (1, 0, 1)
    with store.reader() as reader:
        head = reader.head("notes.md")
        assert head is not None
        assert head.deleted
        assert reader.versions("notes.md") == [1]
    report = run(store, tools, {"guide.md": GUIDE, "notes.md": NOTES})
    assert (report.added, report.removed) == (1, 0)
    with store.reader() as reader:
        assert reader.versions("notes.md") == [1, 2]


def test_a_renamed_file_is_followed(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"notes.md": NOTES})
    report = run(store, tools, {"spring.md": NOTES})
    assert (report.added, report.removed, report.moved) == (1, 1, 1)
    with store.reader() as reader:
        head = reader.head("notes.md")
        assert head is not None
        assert head.moved_to == "spring.md"


def test_a_source_that_fails_keeps_what_was_indexed(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE, "notes.md": NOTES})
    report = run(store, tools, {"guide.md": b"\xff\xfe\x00bad\x80", "notes.md": NOTES + "More.\n"})
    assert [failure.doc for failure in report.failures] == ["guide.md"]
    assert report.changed == 1
    with store.reader() as reader:
        head = reader.head("guide.md")
        assert head is not None
        assert head.version == 1
        assert not head.deleted


def test_a_source_that_cannot_be_read_is_reported(store: MemoryStore, tools: Tools) -> None:
    def gone() -> bytes:
        raise ParseError("no such file", "gone.md")

    candidates = [IndexSource("gone.md", gone), IndexSource("notes.md", NOTES.encode)]
    report = index(store, candidates, tools, covers=lambda doc: True, now=NOW)
    assert [(f.doc, f.message) for f in report.failures] == [("gone.md", "no such file")]
    assert report.added == 1


def test_an_empty_document_is_in_the_index(store: MemoryStore, tools: Tools) -> None:
    assert run(store, tools, {"empty.md": ""}).added == 1
    assert run(store, tools, {"empty.md": ""}).unchanged == 1


def test_fifty_edits_leave_fifty_versions(store: MemoryStore, tools: Tools) -> None:
    texts = [NOTES + f"Edit {n} changes the last line.\n" for n in range(50)]
    for text in texts:
        run(store, tools, {"notes.md": text})
    with store.reader() as reader:
        assert reader.versions("notes.md") == list(range(1, 51))
        for number, text in enumerate(texts, start=1):
            version = reader.version("notes.md", number)
            assert version is not None
            assert version.text == text


def test_the_time_of_the_file_counts_once(store: MemoryStore, tools: Tools) -> None:
    def at(text: str, day: int) -> UpdateReport:
        candidate = IndexSource("notes.md", text.encode, datetime(2020, 1, day, tzinfo=UTC))
        return index(store, [candidate], tools, covers=lambda doc: True, now=NOW)

    at(NOTES, 1)
    at(NOTES + "\nAnother paragraph.\n", 9)
    assert {entry.created_at for entry in entries(store).values()} == {datetime(2020, 1, 1, tzinfo=UTC)}


def test_summaries_have_vectors_where_the_index_keeps_both(store: MemoryStore, tools: Tools) -> None:
    run(store, replace(tools, dual=True), {"guide.md": GUIDE})
    found = entries(store)
    assert all((entry.summary_vector is not None) == bool(entry.summary) for entry in found.values())
    assert any(entry.summary for entry in found.values())


def test_without_hierarchy_there_are_only_chunks(store: MemoryStore, tools: Tools) -> None:
    run(store, replace(tools, hierarchy=False), {"guide.md": GUIDE})
    assert {entry.level for entry in entries(store).values()} == {0}


def test_shadows_are_the_neighbours_words(store: MemoryStore, tools: Tools) -> None:
    run(store, tools, {"guide.md": GUIDE})
    shaded = [entry for entry in entries(store).values() if entry.before or entry.after]
    assert shaded
    assert all(entry.before in GUIDE and entry.after in GUIDE for entry in shaded)


def test_front_matter_can_be_filtered_by(store: MemoryStore, tools: Tools) -> None:
    from seamline.filters.language import parse_filter

    page = "---\ntitle: Weather\nteam: sky\ndate: 2024-05-06\nauthority: 0.9\n---\n\nIt rains.\n"
    run(store, tools, {"weather.md": page, "notes.md": NOTES})
    with store.reader() as reader:
        found = list(reader.select(parse_filter('meta.team = "sky" and created_at < 2024-06-01')))
    assert [(entry.doc, entry.title, entry.authority) for entry in found] == [("weather.md", "Weather", 0.9)]
