"""Documents that a program gives: many in one transaction, with metadata, and read back."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

import seamline
from seamline.errors import ConfigError, StoreError
from seamline.index.add import source_of

SRC = Path(__file__).parents[2] / "src"
CONFIG = seamline.IndexConfig(embedder="hash")


@pytest.fixture(params=["memory:", "folder"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[seamline.Index]:
    place = tmp_path / "index" if request.param == "folder" else request.param
    with seamline.open_index(place, config=CONFIG) as index:
        yield index


def notes(count: int, start: int = 0) -> list[tuple[str, str, dict[str, Any]]]:
    return [(f"note-{n}", f"Pump {n} needs part {n * 7}.", {"n": n}) for n in range(start, start + count)]


def test_many_are_what_as_many_single_ones_are(tmp_path: Path) -> None:
    now = datetime(2024, 1, 31, tzinfo=UTC)
    with (
        seamline.open_index(tmp_path / "many", config=CONFIG) as many,
        seamline.open_index("memory:", config=CONFIG) as single,
    ):
        report = many.add_many(notes(30), batch=7, now=now)
        for doc, text, meta in notes(30):
            single.add(doc, text, meta=meta)
        assert (report.documents, report.added, report.chunks, report.failures) == (30, 30, 30, [])
        assert many.missing_vectors() == 0
        assert [one.doc for one in many.documents()] == [one.doc for one in single.documents()]
        for query in ("pump 7", "part 49"):
            assert [(hit.id, hit.score) for hit in many.search(query)] == [
                (hit.id, hit.score) for hit in single.search(query)
            ]
        assert not list(many.verify())


def test_every_batch_is_one_change_with_its_vectors(index: seamline.Index) -> None:
    seen: list[tuple[int, int | None, str, int]] = []

    def progress(done: int, total: int | None) -> None:
        seen.append((done, total, index._store.generation(), index.missing_vectors()))

    index.add_many(notes(25), batch=10, progress=progress)
    assert [(done, total, missing) for done, total, _, missing in seen] == [(10, 25, 0), (20, 25, 0), (25, 25, 0)]
    assert len({generation for _, _, generation, _ in seen}) == 3


def test_items_may_come_from_a_generator(index: seamline.Index) -> None:
    totals: list[int | None] = []
    report = index.add_many((item for item in notes(3)), progress=lambda done, total: totals.append(total))
    assert (report.added, totals) == (3, [None])


def test_what_is_there_already_is_left_alone(index: seamline.Index) -> None:
    index.add_many(notes(5))
    again = index.add_many(notes(6))
    assert (again.unchanged, again.added, again.changed, again.embedded) == (5, 1, 0, 1)


def test_a_document_that_comes_twice_has_two_versions(index: seamline.Index) -> None:
    index.add_many([("a", "One."), ("b", "Other."), ("a", "Two.")])
    assert [(one.doc, one.version) for one in index.documents()] == [("a", 2), ("b", 1)]
    assert [index.get("a", version=number).text for number in (1, 2)] == ["One.", "Two."]


def test_one_that_cannot_be_read_does_not_stop_the_others(index: seamline.Index) -> None:
    report = index.add_many([("a", "One."), ("b.pdf", b"%PDF-1.4 broken"), ("c", "Three.")])
    assert [one.doc for one in report.failures] == ["b.pdf"]
    assert [one.doc for one in index.documents()] == ["a", "c"]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (("a",), "expected \\(id, text\\)"),
        ((3, "text"), "as the id of a document, got 3"),
        (("a", 3), "a: expected text or bytes, got int"),
        (("a", "text", [1]), "a: expected a mapping as metadata"),
        (("a", "text", {"x": object()}), "a: x: expected a text, number"),
    ],
)
def test_items_of_another_shape_are_refused(index: seamline.Index, item: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        index.add_many([item])
    with pytest.raises(ConfigError, match="a batch of 1"):
        index.add_many([], batch=0)


@pytest.mark.parametrize(
    ("doc", "text", "media_type"),
    [
        ("a", "text", "text/markdown"),
        ("a.py", "x = 1\n", "text/x-source"),
        ("a.pdf", "a text about a PDF", "text/markdown"),
        ("a", b"text", "text/markdown"),
        ("a", b"<!doctype html><p>x", "text/html"),
        ("a.py", b"x = 1\n", None),
    ],
)
def test_the_format_follows_from_name_and_content(doc: str, text: str | bytes, media_type: str | None) -> None:
    assert source_of((doc, text)).media_type == media_type


# --- metadata --------------------------------------------------------------------------------------------------------


def test_metadata_is_found_filtered_by_and_given_back(index: seamline.Index) -> None:
    meta = {"team": "water", "size": 3, "when": date(2024, 1, 31), "tags": ("a", "b"), "deep": {"er": True}}
    index.add("a.md", "---\nteam: air\nowner: Ada\n---\n\nThe pump.\n", meta=meta)
    index.add("b.md", "The pump too.\n")
    hit = index.search("pump", where={"meta": {"team": "water", "size": {">": 2}, "deep.er": True}})[0]
    assert hit.doc == "a.md"
    assert hit.meta["when"] == datetime(2024, 1, 31, tzinfo=UTC)
    assert index.get("a.md").meta == {
        "team": "water",
        "owner": "Ada",
        "size": 3.0,
        "when": datetime(2024, 1, 31, tzinfo=UTC),
        "tags": ["a", "b"],
        "deep.er": True,
    }


def test_new_metadata_of_the_same_text_is_a_new_version(index: seamline.Index) -> None:
    index.add("a", "The pump.", meta={"team": "water"})
    assert index.add("a", "The pump.", meta={"team": "water"}).unchanged == 1
    assert index.add("a", "The pump.", meta={"team": "air"}).changed == 1
    assert [hit.meta["team"] for hit in index.search("pump")] == ["air"]


def test_a_title_in_the_metadata_is_that_of_the_document(index: seamline.Index) -> None:
    index.add("a", "The pump.", meta={"title": "Water"})
    assert index.documents()[0].title == index.get("a").title == "Water"


# --- reading back ----------------------------------------------------------------------------------------------------

PAGE = "# Pumps\n\nThe pump.\n\n" + "It lifts water from the well to the tank. " * 40 + "\n\n## Wells\n\nDeep.\n"


def test_a_document_comes_back_as_it_was_read(index: seamline.Index) -> None:
    index.add("a.md", PAGE)
    document = index.get("a.md")
    read = seamline.read(PAGE, id="a.md")
    assert (document.id, document.text, document.blocks, document.title) == (
        read.id,
        read.text,
        read.blocks,
        read.title,
    )
    assert seamline.chunk(document)[0].text == seamline.chunk(read)[0].text


def test_text_that_was_extracted_comes_back_exactly(index: seamline.Index) -> None:
    index.add("a.html", b"<html><body><h1>Oil</h1><p>Trim the wick.</p></body></html>")
    assert (
        index.get("a.html").text == seamline.read(b"<html><body><h1>Oil</h1><p>Trim the wick.</p></body></html>").text
    )
    assert [block.kind for block in index.get("a.html").blocks] == ["heading", "paragraph"]


def test_older_versions_and_removed_documents(index: seamline.Index) -> None:
    index.add("a.md", "One.\n")
    index.add("a.md", "Two.\n")
    index.remove("a.md")
    assert index.get("a.md", version=1).text == "One.\n"
    with pytest.raises(StoreError, match="no such document"):
        index.get("a.md")
    with pytest.raises(StoreError, match="no version 3 in the index; there are: 1, 2"):
        index.get("a.md", version=3)


def test_documents_by_prefix(index: seamline.Index) -> None:
    index.add_many([("a/x", "One."), ("a/y", "Two."), ("b/z", "Three.")])
    assert [one.doc for one in index.documents(prefix="a/")] == ["a/x", "a/y"]


def test_chunks_in_order_with_citations_and_vectors(index: seamline.Index) -> None:
    index.add("b.md", PAGE)
    index.add("a.md", "Short.\n")
    chunks = list(index.chunks("b.md", vectors=True))
    assert len(chunks) > 1
    assert [one.citation.start for one in chunks] == sorted(one.citation.start for one in chunks)
    assert all(PAGE[c.citation.start : c.citation.end] == c.citation.quote for c in chunks)
    assert all(one.vector is not None and one.vector.shape == (256,) for one in chunks)
    assert [one.id for one in index.chunks()] == [one.id for doc in ("a.md", "b.md") for one in index.chunks(doc)]
    assert all(one.vector is None for one in index.chunks())
    assert pickle.loads(pickle.dumps(chunks)) == chunks
    with pytest.raises(StoreError, match="no such document"):
        index.chunks("c.md")


def test_chunks_stream_while_the_index_changes(index: seamline.Index) -> None:
    index.add_many([("a", "One."), ("b", "Two."), ("c", "Three.")])
    stream = index.chunks()
    assert next(stream).doc == "a"
    index.remove("b")
    assert [one.doc for one in stream] == ["c"]


def test_the_async_twin_says_the_same(index: seamline.Index) -> None:
    seen: list[int] = []
    report = asyncio.run(index.aadd_many(notes(5), batch=2, progress=lambda done, total: seen.append(done)))
    assert (report.added, seen) == (5, [2, 4, 5])


# --- a kill in the middle --------------------------------------------------------------------------------------------

ENDLESS = """
import sys, seamline
from itertools import count
items = ((f"note-{n}", f"Pump {n} needs part {n * 7}.", {"n": n}) for n in count())
with seamline.open_index(sys.argv[1], config=seamline.IndexConfig(embedder="hash")) as index:
    index.add_many(items, batch=50, progress=lambda done, total: print(done, flush=True))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("acknowledged", [1, 3])
def test_a_kill_loses_no_batch_that_was_acknowledged(tmp_path: Path, acknowledged: int) -> None:
    place = tmp_path / "index"
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    command = [sys.executable, "-c", ENDLESS, str(place)]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(acknowledged)]
        process.send_signal(signal.SIGKILL)
        said += [int(line) for line in process.stdout.read().split()]
    with seamline.open_index(place) as index:
        found = {one.doc for one in index.documents()}
        assert found >= {f"note-{n}" for n in range(said[-1])}
        assert len(found) % 50 == 0, "a batch is whole or absent"
        assert index.missing_vectors() == 0
        assert not list(index.verify())
        last = said[-1] - 1
        assert index.search(f"pump {last}", k=1)[0].doc == f"note-{last}"
        report = index.add_many(notes(len(found) + 10))
        assert (report.unchanged, report.added) == (len(found), 10)


def test_a_batch_that_fails_leaves_nothing_behind(index: seamline.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Exception):
        pass

    def fail(texts: Sequence[str]) -> None:
        raise Broken

    index.add_many(notes(2))
    monkeypatch.setattr(index._embedder, "embed", fail)
    with pytest.raises(Broken):
        index.add_many(notes(2, start=2))
    assert [one.doc for one in index.documents()] == ["note-0", "note-1"]
