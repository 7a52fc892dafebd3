"""Contract, part 2: versions are kept, readers see one state, one writes at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from seamline.errors import StoreError
from seamline.protocols import Store
from seamline.records import EntryPlace, SourceSpan
from seamline.store import codec
from seamline.testing.entries import AXES, SETTINGS, WEIRD, change, entries, erase, plain, revise, version_of
from seamline.testing.stores.site import Site, StoreTests, alike, put, stored, write

CHILD = """
import sys
from seamline.store.codec import unpack_settings
from seamline.testing.entries import entries
from seamline.testing.stores.site import put
store = open_store(unpack_settings(sys.argv[1]))
for line in sys.stdin:
    if line == "hold\\n":
        held = store.writer()
        held.__enter__()
    elif line == "give\\n":
        held.__exit__(None, None, None)
    elif line == "write\\n":
        put(store, "child.md", "written elsewhere")
    elif line == "vectors\\n":
        held = store.writer()
        writer = held.__enter__()
        assert writer.add_vectors(entries("v.md", *(f"text {n}" for n in range(3)))) == 3
    elif line == "count\\n":
        with store.reader() as reader:
            print(reader.count(), flush=True)
            continue
    print("done", flush=True)
store.close()
"""


class WriterProcess:
    """Another process with the same store open."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def do(self, what: str) -> str:
        """Have something done; what it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait(60)


@contextmanager
def child(site: Site) -> Iterator[WriterProcess]:
    command = [sys.executable, "-c", site.script + CHILD, codec.pack_settings(SETTINGS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield WriterProcess(process)
        finally:
            if process.stdin:
                process.stdin.close()
            process.wait(60)


class HistoryContract(StoreTests):
    """Versions, owners, snapshots, writers."""

    def test_every_version_is_kept_with_its_text(self, store: Store) -> None:
        made = [entries("a.md", "one", *(f"edit {n}" for n in range(edit))) for edit in range(50)]
        expected = []
        for now in made:
            with store.reader() as reader:
                revised = revise(reader, "a.md", now)
            write(store, revised)
            expected.append(revised.version)
        with store.reader() as reader:
            assert reader.versions("a.md") == list(range(1, 51))
            assert [reader.version("a.md", number) for number in range(1, 51)] == expected
            assert reader.seals("a.md") == {one.number: codec.seal(one) for one in expected if one}
            assert reader.version("a.md", 0) is None
            assert reader.version("a.md", 51) is None
            assert reader.version("b.md", 1) is None
        assert list(store.verify()) == []

    def test_a_version_without_its_text(self, store: Store) -> None:
        put(store, "a.md", "one", "two")
        with store.reader() as reader:
            whole = reader.version("a.md", 1)
            assert whole is not None
            assert reader.version("a.md", 1, text=False) == replace(whole, text="")

    def test_layouts_are_the_current_versions_without_their_texts(self, store: Store) -> None:
        names = ["a.md", "deleted.md", *WEIRD]
        for name in names:
            put(store, name, "first")
        put(store, "a.md", "first", "second")
        with store.reader() as reader:
            gone = erase(reader, "deleted.md")
            before = reader.layouts(names)
        write(store, gone)
        with store.reader() as reader:
            found = reader.layouts([*names, "never.md", "a.md"])
            assert dict(reader.layouts(name for name in names)) == dict(found)
            assert dict(reader.layouts([])) == {}
            heads = {name: reader.head(name) for name in names if name != "deleted.md"}
            kept = {doc: reader.version(doc, head.version, text=False) for doc, head in heads.items() if head}
        assert found == kept
        assert {doc: version.number for doc, version in found.items()} == {doc: 1 + (doc == "a.md") for doc in kept}
        assert before["deleted.md"].number == 1

    def test_layouts_are_of_the_state_of_their_reader(self, store: Store) -> None:
        put(store, "a.md", "first")
        with store.reader() as old:
            put(store, "a.md", "second")
            put(store, "b.md", "new")
            with store.reader() as new:
                assert {doc: one.number for doc, one in new.layouts(["a.md", "b.md"]).items()} == {"a.md": 2, "b.md": 1}
            assert {doc: one.number for doc, one in old.layouts(["a.md", "b.md"]).items()} == {"a.md": 1}

    @pytest.mark.parametrize("text", [*WEIRD, "", "x" * 1_000_000], ids=lambda text: ascii(text)[:30])
    def test_a_version_holds_any_text(self, store: Store, text: str) -> None:
        made = entries("a.md", text)
        version = replace(
            version_of("a.md", 1, made, title=text),
            uri=text,
            revision=text,
            places=(
                EntryPlace(
                    made[0].id, 0, 0, len(text), {"lines": [1, 2], "page": 3, text: text, "box": [0.5]}, (text,)
                ),
            ),
        )
        first = change("a.md", made)
        head = replace(first.head, uri=text, revision=text, title=text)
        write(store, replace(first, version=version, head=head))
        with store.reader() as reader:
            assert reader.version("a.md", 1) == version
            assert reader.head("a.md") == head
        assert list(store.verify()) == []

    def test_a_place_keeps_the_spans_it_was_made_from(self, store: Store) -> None:
        made = entries("a.md", "one row", "another row")
        spans = (SourceSpan(0, 3, {"lines": [1, 1]}), SourceSpan(4, 7, {"rows": [2, 9], "sheet": "\ud800"}))
        first = change("a.md", made)
        assert first.version is not None
        places = (first.version.places[0]._replace(spans=spans), *first.version.places[1:])
        write(store, replace(first, version=replace(first.version, places=places)))
        with store.reader() as reader:
            assert reader.layouts(["a.md"])["a.md"].places == places
        assert list(store.verify()) == []

    def test_a_deleted_document_keeps_its_versions(self, store: Store) -> None:
        (one,) = put(store, "a.md", "kept for citations")
        with store.reader() as reader:
            before = reader.version("a.md", 1)
            gone = erase(reader, "a.md")
        write(store, gone)
        with store.reader() as reader:
            assert reader.head("a.md") == gone.head
            assert reader.version("a.md", 1) == before
            assert reader.versions("a.md") == [1]
            assert reader.count(levels=None) == 0
            assert reader.entries([one.id]) == {}
            assert dict(reader.digests("a.md")) == {}
            assert reader.owner(one.id) == "a.md"
            assert reader.near(AXES[0], 9) == []
            assert reader.matching("citations", 9) == []
        assert list(store.verify()) == []

    def test_a_deleted_document_can_come_back(self, store: Store) -> None:
        put(store, "a.md", "x")
        with store.reader() as reader:
            gone = erase(reader, "a.md")
        write(store, gone)
        put(store, "a.md", "x", "y")
        with store.reader() as reader:
            head = reader.head("a.md")
            assert head is not None
            assert (head.version, head.deleted, head.entries) == (2, False, 2)
            assert reader.versions("a.md") == [1, 2]
            assert reader.count() == 2
        assert list(store.verify()) == []

    def test_a_renamed_document_says_where_it_went(self, store: Store) -> None:
        (old,) = put(store, "old.md", "x")
        with store.reader() as reader:
            gone = erase(reader, "old.md", moved_to="new ' \x00.md")
        write(store, gone, change("new ' \x00.md", entries("new ' \x00.md", "x")))
        with store.reader() as reader:
            head = reader.head("old.md")
            assert head is not None
            assert (head.deleted, head.moved_to) == (True, "new ' \x00.md")
            assert reader.owner(old.id) == "old.md"
        assert list(store.verify()) == []

    def test_where_a_document_went_can_be_said_later(self, store: Store) -> None:
        put(store, "old.md", "x")
        with store.reader() as reader:
            gone = erase(reader, "old.md")
        write(store, gone)
        put(store, "new.md", "x")
        with store.reader() as reader:
            moved = erase(reader, "old.md", moved_to="new.md")
        write(store, moved)
        with store.reader() as reader:
            assert reader.head("old.md") == moved.head
            assert reader.versions("old.md") == [1]
        assert list(store.verify()) == []

    def test_an_id_is_owned_for_ever(self, store: Store) -> None:
        made = [put(store, "a.md", f"edit {n}")[0] for n in range(5)]
        with store.reader() as reader:
            assert [reader.owner(one.id) for one in made] == ["a.md"] * 5
            assert reader.owner("nobody") is None

    def test_a_change_of_an_older_version_is_refused(self, store: Store) -> None:
        put(store, "a.md", "one")
        with store.reader() as reader:
            late = revise(reader, "a.md", entries("a.md", "late"))
        put(store, "a.md", "two")
        with store.writer() as writer, pytest.raises(StoreError, match=r"a\.md"):
            writer.apply([late])
        with store.reader() as reader:
            assert [one.body for one in reader.select()] == ["two"]

    def test_a_reader_sees_one_state(self, store: Store) -> None:
        put(store, "a.md", "old words")
        with store.reader() as reader:
            before = stored(reader)
            put(store, "a.md", "new words", "more of them")
            put(store, "b.md", "another")
            assert {id: plain(one) for id, one in stored(reader).items()} == {k: plain(v) for k, v in before.items()}
            assert reader.count() == 1
            assert [head.version for head in reader.heads()] == [1]
            assert reader.versions("a.md") == [1]
            assert reader.version("a.md", 2) is None
            assert len(reader.near(AXES[0], 9)) == 1
            assert len(reader.matching("words", 9)) == 1
            assert reader.matching("another", 9) == []
            assert dict(reader.digests("a.md")).keys() == before.keys()
            assert reader.owner(entries("b.md", "another")[0].id) is None
        with store.reader() as reader:
            assert reader.count() == 3

    def test_a_reader_sees_the_old_or_the_new_and_never_a_mix(self, store: Store) -> None:
        mixed: list[str] = []
        done = threading.Event()

        def look() -> None:
            while not done.is_set():
                with store.reader() as reader:
                    texts = {one.body for one in reader.select()}
                    numbers = {head.version for head in reader.heads()}
                if len(texts) > 1 or len(numbers) > 1:
                    mixed.append(f"{texts} {numbers}")

        thread = threading.Thread(target=look)
        thread.start()
        try:
            for n in range(12):
                with store.reader() as reader:
                    changes = [revise(reader, doc, entries(doc, f"state {n}")) for doc in ("a.md", "b.md", "c.md")]
                write(store, *changes)
        finally:
            done.set()
            thread.join()
        assert mixed == []

    def test_a_second_writer_is_refused(self, store: Store) -> None:
        with store.writer() as writer:
            with pytest.raises(StoreError), store.writer():
                pass
            writer.apply([change("a.md", entries("a.md", "x"))])
        put(store, "b.md", "y")
        with store.reader() as reader:
            assert reader.count() == 2

    def test_a_second_writer_of_another_handle_is_refused(self, store: Store, site: Site) -> None:
        other = site.open(SETTINGS)
        with store.writer(), pytest.raises(StoreError), other.writer():
            pass
        put(other, "a.md", "x")
        with store.reader() as reader:
            assert reader.count() == 1
        other.close()

    def test_a_writer_that_failed_gives_the_right_back(self, store: Store) -> None:
        with pytest.raises(ZeroDivisionError), store.writer():
            raise ZeroDivisionError
        put(store, "a.md", "x")

    def test_a_writer_that_was_given_back_writes_nothing(self, store: Store) -> None:
        with store.writer() as writer:
            pass
        with pytest.raises(StoreError):
            writer.apply([change("a.md", entries("a.md", "x"))])
        with store.reader() as reader:
            assert reader.count() == 0

    def test_the_generation_changes_with_every_change(self, store: Store, site: Site) -> None:
        marks = [store.generation()]
        put(store, "a.md", "x")
        marks.append(store.generation())
        put(store, "a.md", "y")
        marks.append(store.generation())
        with store.reader() as reader:
            gone = erase(reader, "a.md")
        write(store, gone)
        marks.append(store.generation())
        assert len(set(marks)) == 4
        assert store.generation() == marks[-1]
        other = site.open(SETTINGS)
        assert other.generation() == marks[-1]
        other.close()

    def test_tidying_changes_no_answer(self, store: Store) -> None:
        for n in range(5):
            put(store, "a.md", "one word", f"another word {n}")
        with store.reader() as reader:
            before = {id: plain(one) for id, one in stored(reader).items()}
            near, heads = reader.near(AXES[0], 9), list(reader.heads())
        with store.writer() as writer:
            writer.tidy()
            writer.tidy()
        with store.reader() as reader:
            assert {id: plain(one) for id, one in stored(reader).items()} == before
            assert alike(reader.near(AXES[0], 9), near)
            assert list(reader.heads()) == heads
            assert reader.versions("a.md") == [1, 2, 3, 4, 5]
        assert list(store.verify()) == []

    def test_a_reader_keeps_its_state_while_another_tidies(self, store: Store) -> None:
        put(store, "a.md", "old")
        with store.reader() as reader:
            put(store, "a.md", "new")
            with store.writer() as writer:
                writer.tidy()
            assert [one.body for one in reader.select()] == ["old"]
            assert len(reader.matching("old", 5)) == 1

    def test_another_process_cannot_write_at_the_same_time(self, store: Store, site: Site) -> None:
        if not site.script:
            pytest.skip("lives in one process")
        put(store, "a.md", "x")
        with child(site) as other:
            assert other.do("hold") == "done"
            with pytest.raises(StoreError), store.writer():
                pass
            assert other.do("give") == "done"
            put(store, "b.md", "y")
            assert other.do("count") == "2"
            assert json.loads(other.do("count")) == 2

    def test_another_process_writes_under_an_open_reader(self, store: Store, site: Site) -> None:
        if not site.script:
            pytest.skip("lives in one process")
        put(store, "a.md", "x")
        mark = store.generation()
        with child(site) as other, store.reader() as reader:
            assert other.do("write") == "done"
            assert reader.count() == 1
            assert store.generation() != mark
        with store.reader() as reader:
            assert reader.count() == 2
            assert len(reader.matching("elsewhere", 5)) == 1
