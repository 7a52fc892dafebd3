"""What of the LanceDB store the contract of all stores does not reach: its folder, its list of files, its upkeep."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seamline.errors import IndexMissing, StoreError
from seamline.filters.tree import All, Any, Filter, Test
from seamline.store import create_store, open_store
from seamline.store.folders import WRITER
from seamline.store.lance import LanceLimits, LanceStore
from seamline.store.lance.engine import TableVersion, connect, report_errors
from seamline.store.lance.folder import ENTRIES, SETTINGS, VERSIONS
from seamline.store.lance.guard import CURRENT, Guard, read_state
from seamline.store.lance.search import probes_for
from seamline.testing.entries import AXES, change, entries, entry, erase, vector
from seamline.testing.entries import SETTINGS as MADE
from seamline.testing.stores.site import put, put_entries, tidy, write

pytestmark = pytest.mark.slow

INDEXED = LanceLimits(count=0, exact=0, few=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def store(folder: Path) -> Iterator[LanceStore]:
    store = LanceStore.create(str(folder), MADE)
    yield store
    store.close()


# The folder


def test_a_place_without_an_index_is_missing(folder: Path) -> None:
    with pytest.raises(IndexMissing, match="seamline index"):
        open_store(f"lance:{folder}")
    folder.mkdir()
    with pytest.raises(IndexMissing, match="no index"):
        open_store(f"lance:{folder}")


def test_a_file_is_no_index(folder: Path) -> None:
    folder.write_text("something else")
    with pytest.raises(StoreError, match="is a file"):
        open_store(f"lance:{folder}")
    with pytest.raises(StoreError):
        create_store(f"lance:{folder}", MADE)


def test_a_folder_of_something_else_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.txt").write_text("ten years of work")
    with pytest.raises(StoreError, match=r"thesis\.txt"):
        create_store(f"lance:{folder}", MADE)
    assert os.listdir(folder) == ["thesis.txt"]


def test_making_an_index_goes_on_where_it_was_interrupted(folder: Path) -> None:
    folder.mkdir()
    for name in (f"{ENTRIES}.lance", f"{VERSIONS}.lance"):
        (folder / name / "data").mkdir(parents=True)
        (folder / name / "data" / "half.lance").write_bytes(b"half")
    store = LanceStore.create(str(folder), MADE)
    put(store, "a.md", "x")
    assert list(store.verify()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_nobody_else_may_read_the_index(store: LanceStore, folder: Path) -> None:
    old = os.umask(0)
    try:
        put(store, "a.md", "x")
        tidy(store)
    finally:
        os.umask(old)
    open_to_others = [
        path for path in folder.rglob("*") if path.stat().st_mode & 0o077 and path.name != "latest_version_hint.json"
    ]
    assert [path for path in open_to_others if path.is_file()] == []
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_a_folder_that_everybody_can_write_to_is_refused(store: LanceStore, folder: Path) -> None:
    folder.chmod(0o777)
    with pytest.raises(StoreError, match="chmod go-w"):
        LanceStore.open(str(folder))


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"store": "other"}', b"\xff\xfe"])
def test_damaged_settings_are_refused(store: LanceStore, folder: Path, damage: bytes) -> None:
    (folder / SETTINGS).write_bytes(damage)
    with pytest.raises(StoreError, match="damaged"):
        LanceStore.open(str(folder))


def test_changed_settings_are_refused(store: LanceStore, folder: Path) -> None:
    said = json.loads((folder / SETTINGS).read_text())
    (folder / SETTINGS).write_text(json.dumps({**said, "entries": "versions"}))
    with pytest.raises(StoreError, match="damaged"):
        LanceStore.open(str(folder))


@pytest.mark.parametrize("damage", [None, b"", b"{", b"[]", b'{"entries": 1}', b"\xff\xfe"])
def test_a_state_that_is_not_known_is_refused(store: LanceStore, folder: Path, damage: bytes | None) -> None:
    if damage is None:
        (folder / CURRENT).unlink()
    else:
        (folder / CURRENT).write_bytes(damage)
    with pytest.raises(StoreError, match=f"{CURRENT} is missing or damaged: restore it from a copy"):
        LanceStore.open(str(folder))


# The list of files


def listed(folder: Path) -> set[str]:
    """The names of the files on the list."""
    lines = (folder / read_state(folder).log).read_text().splitlines()
    return {line.split(" ", 3)[3] for line in lines}


def test_every_file_is_listed(store: LanceStore, folder: Path) -> None:
    put(store, "a.md", "x")
    put(store, "b.md", "y")
    tidy(store)
    there = {path.relative_to(folder).as_posix() for path in folder.glob("*.lance/**/*") if path.is_file()}
    assert {name for name in there if "hint" not in name} == listed(folder)


def test_a_missing_file_is_a_problem(store: LanceStore, folder: Path) -> None:
    put(store, "a.md", "x")
    name = next(name for name in listed(folder) if "/data/" in name)
    (folder / name).unlink()
    assert [(problem.where, problem.message) for problem in store.verify()] == [(name, "the file is missing")]


def test_a_line_of_the_list_that_was_changed_is_a_problem(store: LanceStore, folder: Path) -> None:
    put(store, "a.md", "x")
    log = folder / read_state(folder).log
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([lines[0].replace(b"0", b"1"), *lines[1:]]))
    assert [problem.where for problem in store.verify()] == [log.name]


@pytest.mark.parametrize("kept", [0, 100])
def test_a_list_that_was_cut_off_is_a_problem(store: LanceStore, folder: Path, kept: int) -> None:
    put(store, "a.md", "x")
    log = folder / read_state(folder).log
    os.truncate(log, kept)
    problem = next(store.verify())
    assert (problem.where, problem.message) == (log.name, "the file is missing or cut off")


def test_a_line_that_a_crash_left_is_no_problem(store: LanceStore, folder: Path) -> None:
    put(store, "a.md", "x")
    log = folder / read_state(folder).log
    with log.open("ab") as file:
        file.write(b"12345678 abc")
    assert list(store.verify()) == []
    put(store, "b.md", "y")
    assert list(store.verify()) == []
    assert b"12345678 abc" not in log.read_bytes()


def test_a_row_that_was_changed_is_a_problem(store: LanceStore, folder: Path) -> None:
    (one,) = put(store, "a.md", "x")
    guard = Guard(folder, (ENTRIES, VERSIONS))
    connect(folder).open_table(ENTRIES).update(where="level = 0", values={"checksum": "0" * 32})
    guard.record(None, None)
    assert any(one.id in problem.where for problem in store.verify())


# Commits that do not count


def test_a_commit_that_was_not_recorded_is_not_seen_and_set_aside(store: LanceStore, folder: Path) -> None:
    put(store, "a.md", "kept")
    connect(folder).open_table(ENTRIES).update(where="level = 0", values={"title": "half"})
    with store.reader() as reader:
        assert reader.count(Test("title", "=", "half")) == 0
    store = LanceStore.open(str(folder))
    assert len(list(folder.glob(f"{ENTRIES}.lance/_versions/*.aside"))) == 1
    put(store, "b.md", "goes on")
    with store.reader() as reader:
        assert sorted(one.body for one in reader.select()) == ["goes on", "kept"]
    assert list(store.verify()) == []


def test_numbers_of_commits_are_not_used_again(store: LanceStore, folder: Path) -> None:
    put(store, "a.md", "kept")
    table = connect(folder).open_table(ENTRIES)
    for n in range(3):
        table.update(where="level = 0", values={"title": f"half {n}"})
    put(store, "b.md", "goes on")
    assert read_state(folder).entries > table.version


def test_a_commit_that_is_not_whole_is_refused(store: LanceStore, folder: Path) -> None:
    put(store, "a.md", "kept")
    guard = Guard(folder, (ENTRIES, VERSIONS))
    guard.recover()
    connect(folder).open_table(ENTRIES).update(where="level = 0", values={"checksum": "half"})
    data = folder / f"{ENTRIES}.lance" / "data"
    new = next(path for path in data.iterdir() if path.relative_to(folder).as_posix() not in listed(folder))
    os.truncate(new, new.stat().st_size - 10)
    with pytest.raises(StoreError, match="cut off"):
        guard.record(None, None)
    put(store, "b.md", "goes on")
    with store.reader() as reader:
        assert sorted(one.body for one in reader.select()) == ["goes on", "kept"]
    assert list(store.verify()) == []


def test_a_failure_after_the_state_was_named_sets_nothing_aside(
    store: LanceStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "a.md", "kept")

    def fail(path: Path) -> None:
        if path == folder:
            raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("seamline.store.lance.engine.sync", fail)
        with pytest.raises(StoreError, match="Input/output error"):
            put(store, "b.md", "named")
    with LanceStore.open(str(folder)).reader() as reader:
        assert sorted(one.body for one in reader.select()) == ["kept", "named"]
    put(store, "c.md", "goes on")
    assert list(store.verify()) == []


def test_an_empty_manifest_is_not_in_the_way(store: LanceStore, folder: Path) -> None:
    put(store, "a.md", "kept")
    connect(folder).open_table(ENTRIES).update(where="level = 0", values={"title": "half"})
    newest = min((folder / f"{ENTRIES}.lance" / "_versions").glob("*.manifest"))
    newest.write_bytes(b"")
    with LanceStore.open(str(folder)).reader() as reader:
        assert [one.body for one in reader.select()] == ["kept"]


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_nothing_is_set_aside_where_the_commit_that_counts_is_damaged(
    store: LanceStore, folder: Path, damage: str
) -> None:
    put(store, "a.md", "kept")
    manifests = folder / f"{ENTRIES}.lance" / "_versions"
    counts = min(manifests.glob("*.manifest"))
    connect(folder).open_table(ENTRIES).update(where="level = 0", values={"title": "newer"})
    if damage == "gone":
        counts.unlink()
    else:
        counts.write_bytes(counts.read_bytes()[::-1])
    before = sorted(manifests.iterdir())
    with pytest.raises(StoreError, match="missing or damaged"), store.writer():
        pass
    assert sorted(manifests.iterdir()) == before


def test_a_version_of_a_change_that_never_came_is_not_seen(store: LanceStore, folder: Path) -> None:
    put(store, "a.md", "x")
    versions = connect(folder).open_table(VERSIONS)
    versions.add(versions.to_arrow().set_column(1, "number", [[2]]).cast(versions.schema))
    with store.reader() as reader:
        assert reader.versions("a.md") == [1]
        assert reader.version("a.md", 2) is None
    put(store, "a.md", "y")
    with store.reader() as reader:
        assert reader.versions("a.md") == [1, 2]
        version = reader.version("a.md", 2)
    assert version is not None
    assert version.text == "y\n\n"
    assert list(store.verify()) == []


# Reading


def test_a_reader_is_kept_until_something_is_written(store: LanceStore) -> None:
    put(store, "a.md", "x")
    with store.reader() as first, store.reader() as second:
        assert first is second
    put(store, "b.md", "y")
    with store.reader() as third:
        assert third is not first
        assert third.count() == 2
    assert first.count() == 1


def test_what_is_asked_about_many_hits_is_read_at_once(store: LanceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(12):
        put(store, f"{n}.md", "common words")
    reads = []
    read = TableVersion.rows
    monkeypatch.setattr(TableVersion, "rows", lambda *given, **named: reads.append(given) or read(*given, **named))
    with store.reader() as reader:
        hits = reader.matching("common", 12)
        found = reader.entries([hit.id for hit in hits])
        reads.clear()
        layouts = reader.layouts(one.doc for one in found.values())
        assert len(reads) == 2
        assert reader.layouts(layouts) == layouts
    assert len(layouts) == 12
    assert len(reads) == 2


def test_vectors_are_read_where_they_were_not_yet(folder: Path) -> None:
    store = LanceStore.create(str(folder), MADE, limits=INDEXED)
    put(store, "a.md", *(f"common {n}" for n in range(40)))
    tidy(store)
    with store.reader() as reader:
        (vector,) = [one.vector for one in reader.select(vectors=True) if one.text == "common 7"]
        assert vector is not None
        near = [hit.id for hit in reader.near(vector, 5)]
        assert all(one.vector is None for one in reader.entries(near).values())
        assert all(one.vector is not None for one in reader.entries(near, vectors=True).values())
        matching = [hit.id for hit in reader.matching("common", 5)]
        assert all(one.vector is None for one in reader.entries(matching).values())
        assert all(one.vector is not None for one in reader.entries(matching, vectors=True).values())
        reader.near(vector, 40)
        assert all(one.vector is not None for one in reader.entries(matching, vectors=True).values())
    store.close()


def test_many_hits_are_found_whatever_is_remembered(folder: Path) -> None:
    store = LanceStore.create(str(folder), MADE, limits=INDEXED)
    put(store, "a.md", *(f"common {n}" for n in range(700)))
    tidy(store)
    with store.reader() as reader:
        found = [hit.id for hit in reader.matching("common", 700)]
        assert len({*found}) == 700
        assert [*reader.entries(found)] == found
        assert [*reader.entries(found[::-1], vectors=True)] == found[::-1]
        assert [hit.id for hit in reader.matching("common", 3)] == found[:3]
    store.close()


def test_a_filter_that_is_nested_too_deep_is_refused(store: LanceStore) -> None:
    where: Filter = Test("kind", "=", "code")
    for n in range(60):
        where = (All if n % 2 else Any)((where, Test("tokens", "=", float(n))))
    with store.reader() as reader, pytest.raises(StoreError, match="nested"):
        reader.count(where)


@pytest.mark.parametrize(
    ("partitions", "through", "probes"), [(0, 5_000, 0), (10, 5_000, 10), (1000, 1_000_000, 56), (1000, 2_000, 0)]
)
def test_how_many_partitions_are_looked_at(partitions: int, through: int, probes: int) -> None:
    assert probes_for(partitions, 1_000_000, through, LanceLimits()) == probes


def test_a_rarer_filter_is_looked_for_in_more_partitions() -> None:
    looked = [probes_for(1000, 1_000_000, through, LanceLimits()) for through in (1_000_000, 100_000, 10_000, 2_001)]
    assert looked == sorted(looked)
    assert looked[-1] > 3 * looked[0]


# Upkeep


def rows(count: int) -> list[np.ndarray]:
    return [vector(*row) for row in np.random.default_rng(3).normal(size=(count, 8))]


def test_a_large_index_finds_what_is_near_and_what_is_new(folder: Path) -> None:
    store = LanceStore.create(str(folder), MADE, limits=LanceLimits(count=50, exact=100, few=10))
    made = [replace(entry("a.md", f"text {n}"), vector=row) for n, row in enumerate(rows(600))]
    put_entries(store, "a.md", made[:500])
    tidy(store)
    put_entries(store, "b.md", [replace(one, doc="b.md") for one in made[500:]])
    asked = rows(640)[600:]
    with store.reader() as reader:
        found = [{hit.id for hit in reader.near(row, 10)} for row in asked]
    matrix = np.stack([one.vector for one in made if one.vector is not None])
    exact = [{made[n].id for n in np.argsort(-(matrix @ row))[:10]} for row in asked]
    assert sum(len(got & want) for got, want in zip(found, exact, strict=True)) >= 0.98 * 10 * len(asked)
    store.close()


def test_an_index_whose_documents_are_all_gone_can_be_tidied(folder: Path) -> None:
    store = LanceStore.create(str(folder), MADE, limits=INDEXED)
    put(store, "a.md", "one", "two")
    tidy(store)
    with store.reader() as reader:
        gone = erase(reader, "a.md")
    write(store, gone)
    tidy(store)
    put(store, "b.md", "three")
    tidy(store)
    with store.reader() as reader:
        assert len(reader.near(AXES[0], 5)) == 1
    assert list(store.verify()) == []
    store.close()


def test_tidying_gives_back_space_unless_somebody_reads(store: LanceStore) -> None:
    for n in range(8):
        put(store, "a.md", *(f"{n} {m}" for m in range(200)))
    before = store.size()
    with store.reader() as reader:
        tidy(store)
        assert reader.count() == 200
    kept = store.size()
    tidy(store)
    assert store.size() < kept / 2
    assert store.size() < before / 2
    assert list(store.verify()) == []


def test_many_commits_are_put_together_without_being_asked(store: LanceStore, folder: Path) -> None:
    with store.writer() as writer:
        for n in range(130):
            writer.apply([change(f"{n}.md", entries(f"{n}.md", "x"))])
    assert len(list((folder / f"{ENTRIES}.lance" / "data").iterdir())) < 130
    assert list(store.verify()) == []


# Who writes, and what is said


def test_a_dead_writer_does_not_stand_in_the_way(store: LanceStore, folder: Path) -> None:
    (folder / WRITER).write_text(json.dumps({"pid": 999_999_999, "host": "elsewhere"}))
    put(store, "a.md", "x")
    assert (folder / WRITER).read_text() == ""


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk is full"),
        (RuntimeError("lance error: IO: File too large (os error 27), /x/y.rs:1:2"), "ulimit -f"),
        (OSError(errno.EACCES, "Permission denied"), "user"),
        (RuntimeError("something odd\nwith a stack"), "doctor --verify"),
    ],
)
def test_an_error_of_the_engine_says_what_to_do(error: Exception, remedy: str) -> None:
    with pytest.raises(StoreError, match="cannot do it") as caught, report_errors("cannot do it"):
        raise error
    assert remedy in str(caught.value)
    assert "\n" not in str(caught.value)
    assert ".rs" not in str(caught.value)


def test_a_panic_of_the_engine_is_an_error_like_others() -> None:
    panic = type("RustPanic", (BaseException,), {"__module__": "pyo3_async_runtimes"})
    with pytest.raises(StoreError, match="doctor --verify"), report_errors("cannot do it"):
        raise panic("rust future panicked")
    with pytest.raises(KeyboardInterrupt), report_errors("cannot do it"):
        raise KeyboardInterrupt


def test_an_index_without_entries_is_searched_with_every_index_in_place(folder: Path) -> None:
    store = LanceStore.create(str(folder), MADE, limits=INDEXED)
    put(store, "a.md")
    tidy(store)
    with store.reader() as reader:
        assert reader.near(AXES[0], 5) == []
        assert reader.matching("anything", 5) == []
    store.close()


def test_a_level_that_few_hits_have_is_found_all_the_same(folder: Path) -> None:
    store = LanceStore.create(str(folder), MADE, limits=INDEXED)
    chunks = [replace(entry("a.md", f"word {n}"), vector=vector(n + 1, 1)) for n in range(60)]
    sections = [replace(entry("a.md", f"word word {n}", level=1), vector=vector(1, 0, 0, 0.001 * n)) for n in range(50)]
    put_entries(store, "a.md", [*chunks, *sections])
    tidy(store)
    with store.reader() as reader:
        assert [hit.id for hit in reader.near(vector(1), 5)] == [one.id for one in chunks[:-6:-1]]
        assert {hit.id for hit in reader.matching("word", 60)} == {one.id for one in chunks}
        assert len(reader.near(vector(1), 99, levels=(1,))) == 50
    store.close()
