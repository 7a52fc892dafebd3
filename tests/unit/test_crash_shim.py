"""The crash harness itself: what the shim sees, where it ends a process, what a disk keeps of what was not synced."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

from harness.crashes.children import in_child
from harness.crashes.disk import Disk
from harness.crashes.shim import Kind, Record, Shim, build, missing, operations, read_journal

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing() or "the crash shim can be used")]

CALLS = [
    Kind.MKDIR,
    Kind.CREATE,
    Kind.WRITE,
    Kind.SYNC,
    Kind.RENAME,
    Kind.SYNC,
    Kind.WRITE,
    Kind.TRUNCATE,
    Kind.LINK,
    Kind.UNLINK,
    Kind.REFUSED,
]
"""What `work` does."""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Shim:
    return build(tmp_path_factory.mktemp("shim"))


class Scene:
    """A folder that children work in, and their journal."""

    def __init__(self, shim: Shim, folder: Path) -> None:
        self.shim = shim
        self.root = folder / "root"
        self.root.mkdir()
        self.journal = folder / "journal"
        self.before = Disk(self.root)

    def run(
        self, work: Callable[[Path], None], *, at: int = 0, torn: bool = False, data: bool = False
    ) -> tuple[int, list[Record]]:
        """How a child that does this ended, and its journal."""

        def armed() -> None:
            self.shim.arm(self.root, self.journal, at=at, torn=torn, data=data)
            work(self.root)

        return in_child(armed).status, read_journal(self.journal)

    def recorded(self, work: Callable[[Path], None]) -> Disk:
        """The disk after a child did this."""
        status, records = self.run(work, data=True)
        assert status == 0
        disk = deepcopy(self.before)
        for record in records:
            disk.apply(record)
        return disk


@pytest.fixture
def scene(shim: Shim, tmp_path: Path) -> Scene:
    return Scene(shim, tmp_path)


def work(root: Path) -> None:
    """Some calls of each kind, by Python and by buffered C."""
    (root / "a").mkdir()
    with (root / "a/new").open("wb") as file:
        file.write(b"0123456789")
        file.flush()
        os.fsync(file.fileno())
    os.replace(root / "a/new", root / "a/name")
    sync_folder(root / "a")
    descriptor = os.open(root / "a/name", os.O_RDWR)
    os.pwrite(descriptor, b"XY", 4)
    os.ftruncate(descriptor, 8)
    os.close(descriptor)
    os.link(root / "a/name", root / "a/other")
    os.unlink(root / "a/name")
    with pytest.raises(FileNotFoundError):
        os.unlink(root / "a/name")


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def left(disk: Disk, to: Path, seed: int | None = None) -> dict[str, bytes]:
    """What a disk holds after a power loss."""
    to.mkdir()
    disk.write(to, rng=None if seed is None else np.random.default_rng(seed))
    return content(to)


# The shim


def test_the_journal_has_every_call_below_the_root_and_no_other(scene: Scene) -> None:
    def beside(root: Path) -> None:
        work(root)
        (root.parent / "elsewhere").write_text("not counted")

    status, records = scene.run(beside, data=True)
    assert status == 0
    assert [record.kind for record in records] == CALLS
    assert operations(records) == len(CALLS)


def test_a_process_ends_before_the_nth_operation_with_all_before_it_done(scene: Scene, tmp_path: Path) -> None:
    _, records = scene.run(work, data=True)
    for point in range(1, len(CALLS) + 1):
        killed = Scene(scene.shim, tmp_path_of(tmp_path, point))
        status, said = killed.run(work, at=point)
        assert status == -9
        assert (said[-1].kind, said[-1].offset) == (Kind.DIED, died_at(point))
        assert content(killed.root) == replayed(scene, records[: point - 1], tmp_path / f"replayed-{point}")


def tmp_path_of(folder: Path, point: int) -> Path:
    made = folder / f"killed-{point}"
    made.mkdir()
    return made


def died_at(point: int) -> Kind:
    """What the operation would have been; one that would be refused is known by what it tried."""
    return Kind.UNLINK if CALLS[point - 1] is Kind.REFUSED else CALLS[point - 1]


def replayed(scene: Scene, records: list[Record], to: Path) -> dict[str, bytes]:
    disk = deepcopy(scene.before)
    for record in records:
        disk.apply(record)
    to.mkdir()
    disk.write(to, now=True)
    return content(to)


def test_a_torn_write_is_half_done(scene: Scene) -> None:
    status, _ = scene.run(work, at=3, torn=True)
    assert status == -9
    assert content(scene.root) == {"a/new": b"01234"}


def test_a_process_that_ends_before_the_point_is_left_alone(scene: Scene) -> None:
    assert scene.run(work, at=len(CALLS) + 1)[0] == 0


def test_threads_and_engines_that_make_calls_by_themselves_are_seen(scene: Scene) -> None:
    """The engines rename through calls that the C library has no part in; what the journal says must be all of it."""
    if "lancedb" in sys.modules:  # a fork of a process in which its threads run may hang: in a new one then
        this = f"{__file__}::test_threads_and_engines_that_make_calls_by_themselves_are_seen"
        again = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", this], timeout=300
        )
        assert again.returncode == 0
        return

    def engines(root: Path) -> None:
        import lancedb

        table = lancedb.connect(str(root)).create_table("t", [{"a": n, "vector": [1.0, n]} for n in range(9)])
        table.add([{"a": 10, "vector": [0.0, 1.0]}])
        table.optimize()

    disk = scene.recorded(engines)
    assert len(content(scene.root)) > 3
    assert disk.differences(scene.root) == []


def test_a_change_through_mapped_memory_is_known_at_its_sync(scene: Scene, tmp_path: Path) -> None:
    def mapped(root: Path) -> None:
        with (root / "file").open("w+b") as file:
            file.write(bytes(8192))
            file.flush()
            with mmap.mmap(file.fileno(), 8192) as memory:
                memory[0:5] = b"first"
                memory.flush()
                memory[5000:5006] = b"second"
        sync_folder(root)

    disk = scene.recorded(mapped)
    assert content(scene.root)["file"][5000:5006] == b"second"
    assert left(disk, tmp_path / "left") == {"file": b"first" + bytes(8187)}


def test_what_the_journal_does_not_have_is_noticed(scene: Scene) -> None:
    disk = scene.recorded(work)
    (scene.root / "a/other").write_bytes(b"by another process")
    assert disk.differences(scene.root) == ["a/other"]


# The disk


def synced(root: Path) -> None:
    """Write a file as one should: content, name, folder."""
    for name in ("one", "two"):
        with (root / f"{name}.new").open("wb") as file:
            file.write(name.encode() * 3000)
            file.flush()
            os.fsync(file.fileno())
        os.replace(root / f"{name}.new", root / name)
        sync_folder(root)


def test_what_was_synced_survives_every_power_loss(scene: Scene, tmp_path: Path) -> None:
    disk = scene.recorded(synced)
    expected = {"one": b"one" * 3000, "two": b"two" * 3000}
    assert left(disk, tmp_path / "dropped") == expected
    assert all(left(disk, tmp_path / f"some-{seed}", seed) == expected for seed in range(5))


def lazily(root: Path) -> None:
    """Overwrite and append without a sync, and make a file whose folder is not synced."""
    synced(root)
    with (root / "one").open("r+b") as file:
        file.write(b"A" * 20_000)
    with (root / "three").open("wb") as file:
        file.write(b"three")
        file.flush()
        os.fsync(file.fileno())
    os.unlink(root / "two")


def test_what_was_not_synced_is_dropped(scene: Scene, tmp_path: Path) -> None:
    disk = scene.recorded(lazily)
    assert left(disk, tmp_path / "dropped") == {"one": b"one" * 3000, "two": b"two" * 3000}


def test_some_of_what_was_not_synced_may_stay(scene: Scene, tmp_path: Path) -> None:
    disk = scene.recorded(lazily)
    states = [left(disk, tmp_path / f"some-{seed}", seed) for seed in range(24)]
    assert {"three" in state for state in states} == {True, False}
    assert len({state["one"] for state in states}) > 3  # pages come and go by themselves
    assert all("three" in state for state in states if "two" not in state)  # the entries of a folder change in order


def test_a_file_that_was_renamed_before_its_content_was_synced_may_be_empty(scene: Scene, tmp_path: Path) -> None:
    def careless(root: Path) -> None:
        (root / "new").write_bytes(b"content")
        os.replace(root / "new", root / "name")
        sync_folder(root)

    assert left(scene.recorded(careless), tmp_path / "left") == {"name": b""}


def test_a_folder_that_was_not_synced_takes_all_in_it_along(scene: Scene, tmp_path: Path) -> None:
    def inside(root: Path) -> None:
        (root / "inner").mkdir()
        synced(root / "inner")

    disk = scene.recorded(inside)
    assert left(disk, tmp_path / "dropped") == {}
    assert any(left(disk, tmp_path / f"some-{seed}", seed) for seed in range(8))


def test_a_rename_between_folders_is_one_step(scene: Scene, tmp_path: Path) -> None:
    def between(root: Path) -> None:
        for name in ("from", "to"):
            (root / name).mkdir()
        sync_folder(root)
        synced(root / "from")
        os.replace(root / "from/one", root / "to/one")
        os.unlink(root / "from/two")
        sync_folder(root / "to")

    kept = left(scene.recorded(between), tmp_path / "left")
    assert kept == {"to/one": b"one" * 3000, "from/two": b"two" * 3000}
