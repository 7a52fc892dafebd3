"""The check of a store: quiet on a healthy one, and it names what is wrong with any other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from seamline.errors import StoreError
from seamline.protocols import Reader
from seamline.records import Entry, Head, Version
from seamline.store import codec
from seamline.store.memory import MemoryStore
from seamline.store.verify import verify_reader
from seamline.testing.entries import SETTINGS, change, entries, entry, erase, revise
from seamline.testing.stores.site import put, write


@pytest.fixture
def reader() -> Iterator[Reader]:
    """Two documents: one edited once, one that moved away."""
    store = MemoryStore(SETTINGS)
    put(store, "a.md", "one", "two")
    put(store, "old.md", "three")
    with store.reader() as reader:
        edit = revise(reader, "a.md", [*entries("a.md", "one", "2"), entry("a.md", "summary", level=1)])
        gone = erase(reader, "old.md", moved_to="new.md")
    write(store, edit, gone, change("new.md", entries("new.md", "three")))
    with store.reader() as reader:
        yield reader


class Damaged:
    """A reader that answers as another does, but for some methods."""

    def __init__(self, reader: Reader, **damage: Callable[..., Any]) -> None:
        self._reader = reader
        self._damage = damage

    def __getattr__(self, name: str) -> Any:
        return self._damage.get(name) or getattr(self._reader, name)


def found(reader: Reader, **damage: Callable[..., Any]) -> list[str]:
    damaged: Any = Damaged(reader, **damage)
    return [f"{problem.where}: {problem.message}" for problem in verify_reader(damaged)]


def changed_entries(reader: Reader, change: Callable[[Entry], Entry]) -> Callable[..., dict[str, Entry]]:
    def read(ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        return {id: change(one) for id, one in reader.entries(ids, vectors=vectors).items()}

    return read


def changed_heads(reader: Reader, change: Callable[[Head], Head]) -> Callable[[], Iterator[Head]]:
    return lambda: (change(head) if head.doc == "a.md" else head for head in reader.heads())


def sealed_again(reader: Reader, change: Callable[[Version], Version]) -> dict[str, Callable[..., Any]]:
    """A version that was changed together with its seal: only the rest of the store can give it away."""

    def version(doc: str, number: int, *, text: bool = True) -> Version | None:
        stored = reader.version(doc, number, text=text)
        return change(stored) if stored and (doc, number) == ("a.md", 2) else stored

    def seals(doc: str) -> dict[int, str]:
        numbers = reader.versions(doc)
        return {number: codec.seal(one) for number in numbers if (one := version(doc, number))}

    return {"version": version, "seals": seals}


def test_a_healthy_store_has_no_problem(reader: Reader) -> None:
    assert found(reader) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda one: replace(one, text=one.text[:-1] + "x"),
        lambda one: replace(one, tokens=one.tokens + 1),
        lambda one: replace(one, vector=np.nextafter(one.vector, np.float32(2), dtype=np.float32)),
        lambda one: replace(one, meta={"new": 1.0}),
        lambda one: replace(one, doc="b.md"),
    ],
    ids=["text", "tokens", "vector", "meta", "doc"],
)
def test_an_entry_that_changed_is_named(reader: Reader, damage: Callable[[Entry], Entry]) -> None:
    problems = found(reader, entries=changed_entries(reader, damage))
    assert len(problems) == 4
    assert all("checksum differs" in problem for problem in problems)
    assert problems[0].startswith("a.md ")


def test_an_entry_that_cannot_be_read_is_named_and_the_rest_checked(reader: Reader) -> None:
    bad = entries("a.md", "one")[0].id

    def read(ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        asked = list(ids)
        if bad in asked:
            raise StoreError("page 7 is damaged")
        return reader.entries(asked, vectors=vectors)

    assert found(reader, entries=read) == [f"a.md {bad}: page 7 is damaged"]


def test_an_entry_that_is_lost_is_named(reader: Reader) -> None:
    problems = found(reader, entries=lambda ids, vectors: {}, count=lambda levels: 0)
    assert sum("cannot be found" in problem for problem in problems) == 4
    assert problems[-1] == "entries: the documents have 4 entries, but 0 are stored"


def test_an_entry_of_no_document_is_counted(reader: Reader) -> None:
    assert found(reader, count=lambda levels: 5) == ["entries: the documents have 4 entries, but 5 are stored"]


def test_a_digest_that_changed_is_seen(reader: Reader) -> None:
    assert len(found(reader, digests=lambda doc: dict.fromkeys(reader.digests(doc), "0"))) == 4
    assert any("no digest" in problem for problem in found(reader, digests=lambda doc: {}))


@pytest.mark.parametrize(
    "damage",
    [
        lambda one: replace(one, text=one.text + " "),
        lambda one: replace(one, title="x"),
        lambda one: replace(one, places=one.places[1:]),
    ],
    ids=["text", "title", "places"],
)
def test_a_version_that_changed_is_named(reader: Reader, damage: Callable[[Version], Version]) -> None:
    def version(doc: str, number: int) -> Version | None:
        stored = reader.version(doc, number)
        return damage(stored) if stored and (doc, number) == ("a.md", 1) else stored

    assert found(reader, version=version) == ["a.md version 1: it is not what was written: its checksum differs"]


def test_a_version_that_is_lost_is_named(reader: Reader) -> None:
    def version(doc: str, number: int) -> Version | None:
        return None if (doc, number) == ("a.md", 1) else reader.version(doc, number)

    assert found(reader, version=version) == ["a.md version 1: it is missing"]
    no_first = found(
        reader, seals=lambda doc: {n: seal for n, seal in reader.seals(doc).items() if n > 1 or doc != "a.md"}
    )
    assert no_first == ["a.md: expected versions 1 to 2, got [2]"]


def test_a_version_that_cannot_be_read_is_named(reader: Reader) -> None:
    def version(doc: str, number: int) -> Version | None:
        if doc == "a.md":
            raise StoreError("a stored text is damaged")
        return reader.version(doc, number)

    assert found(reader, version=version) == [
        "a.md version 1: a stored text is damaged",
        "a.md version 2: a stored text is damaged",
    ]


def test_a_document_that_cannot_be_read_does_not_end_the_check(reader: Reader) -> None:
    def checksums(doc: str) -> dict[str, str]:
        if doc == "a.md":
            raise StoreError("torn page")
        return dict(reader.checksums(doc))

    assert found(reader, checksums=checksums) == ["a.md: torn page"]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda head: replace(head, entries=9), "expected 9 entries, got 3"),
        (lambda head: replace(head, chunks=9), "expected 9 chunks, got 2"),
        (lambda head: replace(head, tokens=9), "expected 9 tokens, got 2"),
        (lambda head: replace(head, version=7), "a.md version 7: it is missing"),
        (lambda head: replace(head, version=1), "revision"),
        (lambda head: replace(head, title="x"), "title"),
        (lambda head: replace(head, uri="x"), "uri"),
        (lambda head: replace(head, revision="x"), "revision"),
        (lambda head: replace(head, moved_to="nowhere.md"), "nowhere.md, which is not in the index"),
    ],
)
def test_a_head_that_changed_is_seen(reader: Reader, damage: Callable[[Head], Head], said: str) -> None:
    problems = found(reader, heads=changed_heads(reader, damage))
    assert any(said in problem for problem in problems)
    assert all(problem.startswith(("a.md", "entries")) for problem in problems)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda one: replace(one, places=one.places[1:]), "no place in the version"),
        (lambda one: replace(one, text="?" + one.text), "its body is not the text at 0-3 of version 2"),
        (lambda one: replace(one, places=tuple(p._replace(level=1) for p in one.places)), "expected level 1"),
        (lambda one: replace(one, places=(*one.places, one.places[0]._replace(id="nobody"))), "got None"),
    ],
    ids=["a place is gone", "a text that moved", "another level", "a place of nobody"],
)
def test_a_version_that_does_not_fit_its_entries_is_seen(
    reader: Reader, damage: Callable[[Version], Version], said: str
) -> None:
    problems = found(reader, **sealed_again(reader, damage))
    assert any(said in problem for problem in problems)


def test_an_id_that_leads_nowhere_is_seen(reader: Reader) -> None:
    """Of an entry that an edit removed: a citation of it would end here."""
    lost = entries("a.md", "two")[0].id
    problems = found(reader, owner=lambda id: None if id == lost else reader.owner(id))
    assert problems == [f"a.md {lost}: expected the id to lead to its document, got None"]
