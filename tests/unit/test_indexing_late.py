"""A late index: chunks are read together, and an edit reads again what it changed and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seamline
from harness.library import MemoryVectors
from seamline.api.index import Index
from seamline.embed.bundled import FOLDER, MINILM, bundled
from seamline.embed.hashing import HashEmbedder
from seamline.embed.late import Within, embed_within
from seamline.embed.onnx import OnnxEmbedder, OnnxOptions
from seamline.embed.run import Counts, unit
from seamline.errors import IndexMissing, ProviderError, StoreError
from seamline.index.config import IndexConfig, check, settings_of
from seamline.index.late import Stretches
from seamline.index.sources import IndexSource
from seamline.index.update import Tools, UpdateReport
from seamline.pipeline import index
from seamline.protocols import Embedder, TokenEmbedder, VectorCache
from seamline.recipe.recipe import Overlap, Recipe
from seamline.records import Entry, EntryPlace, Version
from seamline.runtime import Runtime
from seamline.store.memory import MemoryStore
from seamline.store.verify import verify_reader
from seamline.tokens import load
from seamline.types import Budget

if TYPE_CHECKING:
    from seamline.records import Vector

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RECIPE = Recipe(tokenizer="estimate", budget=Budget(target=30, limit=32), overlap=Overlap("shadows", 10))
ROOM = 90


class Words:
    """Vectors of words that depend on everything that is read with them, and a record of what was read."""

    name, dimensions, fingerprint, threads = "words", 16, "words-1", 1

    def __init__(self, room: int = ROOM) -> None:
        self.room = room
        self.read: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.read += texts
        return np.array([unit(_noise(text)) for text in texts], np.float32).reshape(-1, self.dimensions)

    def token_room(self) -> int:
        return self.room

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def token_vectors(self, text: str) -> Iterator[tuple[list[tuple[int, int]], Any]]:
        self.read.append(text)
        found = [(one.start(), one.end()) for one in re.finditer(r"\S+", text)]
        if found:
            yield found, np.array([_noise(text[start:end]) + _noise(text) for start, end in found], np.float32)


def _noise(text: str) -> Any:
    seed = int.from_bytes(text.encode("utf-8", "surrogatepass")[:256], "big") + len(text)
    return np.random.default_rng(seed).normal(size=Words.dimensions)


def paragraph(part: int, at: int) -> str:
    return f"In part {part} the rule {at} says that wheel {part * 7 + at} turns {at + 2} times before it rests again."


def guide(parts: int = 12, paragraphs: int = 5) -> str:
    made = [
        f"## Part {part}\n\n" + "\n\n".join(paragraph(part, at) for at in range(paragraphs)) for part in range(parts)
    ]
    return "# Guide\n\n" + "\n\n".join(made) + "\n"


class Shelf:
    """A late index in memory."""

    def __init__(self, embedder: Embedder | None = None, cache: VectorCache | None = None) -> None:
        self.embedder: Any = embedder or Words()
        self.tools = Tools(RECIPE, Runtime(load(RECIPE.tokenizer)), self.embedder, cache, late=True)
        self.store = MemoryStore(settings_of(IndexConfig(RECIPE, self.embedder.name, late=True), self.embedder))

    def hold(self, files: Mapping[str, str]) -> UpdateReport:
        candidates = [IndexSource(name, partial(text.encode, "utf-8")) for name, text in files.items()]
        report = index(self.store, candidates, self.tools, covers=lambda doc: True, now=NOW)
        assert not report.failures
        with self.store.reader() as reader:
            assert list(verify_reader(reader)) == []
        return report

    def entries(self) -> dict[str, Entry]:
        with self.store.reader() as reader:
            return {entry.id: entry for entry in reader.select(vectors=True)}

    def version(self, doc: str, number: int) -> Version:
        with self.store.reader() as reader:
            found = reader.version(doc, number)
        assert found is not None
        return found

    def within(self, doc: str, number: int) -> dict[str, Within]:
        return Stretches(self.embedder).within(self.version(doc, number))


def same_vectors(one: Mapping[str, Entry], other: Mapping[str, Entry]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[id].vector, other[id].vector) for id in one)


# --- what is read ------------------------------------------------------------------------------------------------


def test_the_vector_of_a_chunk_is_the_mean_of_its_tokens_within_the_window() -> None:
    """Of the bundled model, worked out from its outputs by hand."""
    model = bundled("minilm", threads=1)
    shelf = Shelf(model)
    shelf.hold({"guide.md": guide(2)})
    found, within = shelf.entries(), shelf.within("guide.md", 1)
    assert len(within) >= 4
    for id, (text, head, start, end) in within.items():
        assert text[start:end] == found[id].body
        ((places, vectors),) = model.token_vectors(text)
        own = [at for at, (first, _) in enumerate(places) if first < head or start <= first < end]
        mean = vectors[own].astype(np.float64).mean(axis=0)
        assert np.abs(found[id].vector - mean / np.linalg.norm(mean)).max() < 1e-6


def test_all_chunks_of_a_stretch_are_read_at_once_under_what_they_share() -> None:
    shelf = Shelf()
    shelf.hold({"guide.md": guide()})
    within = shelf.within("guide.md", 1)
    texts = {one.text for one in within.values()}
    assert len(within) > 2 * len(texts)
    assert sorted(texts) == sorted(text for text in shelf.embedder.read if text in texts), "each once"
    for text in texts:
        head = next(one.head for one in within.values() if one.text == text)
        assert text[:head].strip() == "Guide" or text.startswith("Guide > Part")
        assert text[head:] in guide()
        assert len(text.split()) <= ROOM


def test_a_chunk_that_no_other_fits_beside_is_read_as_in_any_index() -> None:
    embedder = Words(room=20)
    late, plain = Shelf(embedder), Shelf(Words())
    plain.tools = replace(plain.tools, late=False)
    for shelf in (late, plain):
        shelf.hold({"guide.md": guide(3)})
    assert late.within("guide.md", 1) == {}
    assert same_vectors(late.entries(), plain.entries())


def test_sections_and_summaries_are_embedded_as_ever() -> None:
    late, plain = Shelf(), Shelf()
    late.tools = replace(late.tools, dual=True)
    plain.tools = replace(plain.tools, dual=True, late=False)
    for shelf in (late, plain):
        shelf.hold({"guide.md": guide()})
    one, other = late.entries(), plain.entries()
    sections = [id for id, entry in one.items() if entry.level]
    assert sections
    assert all(np.array_equal(one[id].vector, other[id].vector) for id in sections)
    assert all(np.array_equal(one[id].summary_vector, other[id].summary_vector) for id in one if one[id].summary)


def chunks_of(sizes: Sequence[tuple[int, int]]) -> Version:
    """A version with chunks of so many words, each under headings of its own number."""
    text, places = "", []
    for at, (words, section) in enumerate(sizes):
        start = len(text)
        text += " ".join(["word"] * words)
        places.append(EntryPlace(f"{(at * 7919) % 104729:06d}", 0, start, len(text), {}, ("Top", f"S{section}")))
        text += "\n\n"
    return Version("d", 1, "", "", "", text, NOW, tuple(places))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 120), st.integers(0, 3)), max_size=40))
def test_stretches_fit_the_window_and_keep_the_order(sizes: list[tuple[int, int]]) -> None:
    version = chunks_of(sizes)
    within = Stretches(Words()).within(version)
    for place in version.places:
        if place.id in within:
            text, _, start, end = within[place.id]
            assert text[start:end] == version.text[place.start : place.end]
            assert len(text.split()) <= ROOM
    together: dict[str, list[int]] = {}
    for at, place in enumerate(version.places):
        if place.id in within:
            together.setdefault(within[place.id].text + str(within[place.id].start - place.start), []).append(at)
    assert all(found == list(range(found[0], found[-1] + 1)) and len(found) > 1 for found in together.values())


def test_a_document_that_fits_is_read_whole() -> None:
    version = chunks_of([(20, 0), (20, 1), (20, 1)])
    assert {one.text for one in Stretches(Words()).within(version).values()} == {f"Top\n\n{version.text.strip()}"}


def test_sections_are_parted_before_they_are_divided() -> None:
    version = chunks_of([(20, 0), (20, 0), (20, 0), (20, 1), (20, 1), (20, 1)])
    texts = {one.text for one in Stretches(Words()).within(version).values()}
    assert {text.split("\n")[0] for text in texts} == {"Top > S0", "Top > S1"}


# --- what is read again ------------------------------------------------------------------------------------------


def test_a_second_run_reads_nothing() -> None:
    shelf = Shelf()
    shelf.hold({"guide.md": guide()})
    before = len(shelf.embedder.read)
    report = shelf.hold({"guide.md": guide()})
    assert (report.unchanged, report.written, report.embedded) == (1, 0, 0)
    assert len(shelf.embedder.read) == before


def test_an_edit_reads_its_own_stretch_again_and_no_other() -> None:
    shelf = Shelf()
    shelf.hold({"guide.md": guide(40)})
    old, before = shelf.entries(), shelf.within("guide.md", 1)
    shelf.embedder.read.clear()
    report = shelf.hold({"guide.md": guide(40).replace("rule 2 says that wheel 142", "rule 2 tells that wheel 142")})
    new, after = shelf.entries(), shelf.within("guide.md", 2)
    chunks = [id for id, entry in new.items() if entry.level == 0]
    expected = {id for id in chunks if id not in old or before.get(id) != after.get(id)}
    read = {text for text in shelf.embedder.read if text in {one.text for one in after.values()}}
    assert 2 <= report.chunks == len(expected) <= 12
    assert len(read) == len({after[id].text for id in expected}) <= 3
    assert report.embedded <= len(expected) + 3, "and the summaries of its section and document"
    untouched = [id for id in chunks if id not in expected]
    assert len(untouched) > 150
    assert all(new[id].vector is old[id].vector or (new[id].vector == old[id].vector).all() for id in untouched)


def test_a_neighbour_of_an_edit_keeps_its_id_and_its_time() -> None:
    shelf = Shelf()
    shelf.hold({"guide.md": guide(2)})
    old = shelf.entries()
    shelf.hold({"guide.md": guide(2).replace("rule 2 says that wheel 2 ", "rule 2 tells that wheel 2 ")})
    new = shelf.entries()
    again = [
        id
        for id in new.keys() & old.keys()
        if new[id].level == 0 and not np.array_equal(new[id].vector, old[id].vector)
    ]
    assert again, "its text is the same, what is read with it is not"
    assert all(new[id].updated_at == old[id].updated_at for id in again)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_after_any_edits_an_index_is_as_if_made_anew(data: st.DataObject) -> None:
    lines = guide(6, 3).split("\n\n")
    shelf = Shelf()
    shelf.hold({"guide.md": "\n\n".join(lines)})
    for number in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(["drop", "add", "edit", "move", "heading"])):
            case "drop":
                del lines[at : at + 1]
            case "add":
                lines.insert(at, f"A paragraph {number} that is new here and was not there before.")
            case "edit":
                lines[at] += f" Edited {number}."
            case "move":
                lines.append(lines.pop(at))
            case "heading":
                lines.insert(at, f"## Heading {number}")
        lines = lines or ["One line."]
        shelf.hold({"guide.md": "\n\n".join(lines)})
    anew = Shelf()
    anew.hold({"guide.md": "\n\n".join(lines)})
    assert same_vectors(shelf.entries(), anew.entries())


def test_vectors_are_cached_by_what_is_read_and_where() -> None:
    cache = MemoryVectors()
    first = Shelf(cache=cache)
    report = first.hold({"guide.md": guide()})
    assert (report.embedded > 50, report.cached) == (True, 0)
    again = Shelf(cache=cache)
    report = again.hold({"guide.md": guide()})
    assert (report.embedded, again.embedder.read) == (0, [])
    assert report.cached > 50
    assert same_vectors(first.entries(), again.entries())


def test_a_text_is_read_for_the_chunks_that_are_not_known() -> None:
    model = Words()
    text = "Line\n\nOne two three. Four five six."
    one, other, two = Within(text, 6, 6, 20), Within(text, 6, 21, 35), Within(text, 6, 6, 35)
    cache = MemoryVectors()
    rows, counts = embed_within(model, [one, other, one], cache=cache)
    assert counts == Counts(2, 0)
    assert np.array_equal(rows[0], rows[2])
    told: list[tuple[int, int]] = []
    _, counts = embed_within(model, [one, two], cache=cache, progress=lambda done, all: told.append((done, all)))
    assert (counts, told) == (Counts(1, 1), [(1, 2), (2, 2)])
    assert model.read == [text, text]
    unheaded, counts = embed_within(model, [Within(text, 0, 6, 20)], cache=cache)
    assert counts == Counts(1, 0), "the line above is a part of the vector"
    assert not np.allclose(unheaded[0], rows[0], atol=1e-3)


# --- which indexes are late --------------------------------------------------------------------------------------


def first_token() -> OnnxEmbedder:
    weights, tokenizer = (FOLDER / name for name in MINILM.files)
    return OnnxEmbedder(weights, tokenizer, OnnxOptions("cls"), name="first", threads=1)


def test_embedders_with_vectors_of_tokens_keep_the_protocol() -> None:
    assert isinstance(Words(), TokenEmbedder)
    assert isinstance(bundled("minilm", threads=1), TokenEmbedder)
    assert not isinstance(HashEmbedder(), TokenEmbedder)


@pytest.mark.parametrize("name", ["hash", "static", "openai:text-embedding-3-small?dimensions=8"])
def test_embedders_of_texts_are_refused_before_anything_is_made(name: str, tmp_path: Path) -> None:
    place = tmp_path / ".seamline"
    with pytest.raises(ProviderError, match="late chunking needs a model that runs here"):
        seamline.open_index(place, config=IndexConfig(embedder=name, late=True), key="sk-none")
    assert not place.exists()
    with pytest.raises(IndexMissing):
        seamline.open_index(place)


def test_models_that_pool_by_the_first_token_are_refused() -> None:
    with pytest.raises(ProviderError, match="late chunking needs a model with pooling=mean"):
        settings_of(IndexConfig(late=True), first_token())


def test_an_index_stays_late_or_not() -> None:
    model = Words()
    for late in (False, True):
        store = MemoryStore(settings_of(IndexConfig(RECIPE, "words", late=late), model))
        words = "with" if late else "without"
        check(store, model, IndexConfig(RECIPE, "words", late=late))
        check(store, model, None)
        with pytest.raises(StoreError, match=f"was made {words} late vectors: index into another place"):
            check(store, model, IndexConfig(RECIPE, "words", late=not late))
        store = MemoryStore(replace(store.settings, options={**store.settings.options, "late": "0"}))
        with pytest.raises(StoreError, match="another version of Seamline"):
            check(store, model, None)


def test_an_index_that_is_opened_again_is_still_late() -> None:
    model = Words()
    store = MemoryStore(settings_of(IndexConfig(RECIPE, "words", late=True), model))
    index = Index(store, model, Path())
    index.add("guide.md", guide(2))
    anew = Shelf()
    anew.hold({"guide.md": guide(2)})
    found = {entry.id: entry for entry in _all(store)}
    assert same_vectors(found, anew.entries())


def _all(store: MemoryStore) -> list[Entry]:
    with store.reader() as reader:
        return list(reader.select(vectors=True))


def test_a_window_that_hardly_holds_two_chunks_is_remarked_once() -> None:
    shelf = Shelf(Words(room=40))
    report = shelf.hold({"guide.md": guide(2)})
    assert [n for n in report.notices if "words reads 40 tokens at once, so few chunks of about 30" in n]
    assert shelf.hold({"guide.md": guide(3)}).notices == []
    assert Shelf().hold({"guide.md": guide(2)}).notices == []
