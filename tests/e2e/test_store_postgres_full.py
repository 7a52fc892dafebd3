"""What a server without room leaves of an index in PostgreSQL, and what is said about it.

Two tests mount a small disk, and are skipped where they may not; the third, a limit on the size of files, needs no
rights.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import psycopg
import pytest

from harness.crash import audit, fill, finish, picture, refused, small_disk
from harness.postgres import Server, hand_over, own_folder, own_server
from harness.rounds import ROUNDS, Scene, Told, opened, texts
from seamline.errors import StoreError
from seamline.protocols import Store

QUIET = {"autovacuum": "off", "checkpoint_timeout": "1d", "max_wal_size": "1GB", "wal_writer_delay": "10s"}
"""Nobody but the session that writes needs room, so that it is the one who is told."""
SEGMENT = 1
"""MB of a file of the log: a small disk holds some, and the size of files can be limited to little more."""
PATIENCE = 20.0


def scene_of(server: Server, folder: Path) -> Scene:
    return Scene(server.url(), folder, PATIENCE)


def lives(server: Server) -> bool:
    """Whether a server answers, once it has recovered from a crash or given up."""
    until = time.monotonic() + PATIENCE
    while server.pid is not None and time.monotonic() < until:
        with suppress(psycopg.OperationalError), server.connect():
            return True
        time.sleep(0.1)
    return False


def until_refused(scene: Scene, told: Told) -> str:
    """Index until there is no room left; what was said then."""
    return next(filter(None, (refused(scene, told) for _ in range(ROUNDS // 2))))


def without_room(server: Server, filler: Path, rooms: list[int], folder: Path) -> list[str]:
    """Index with so many kilobytes left on a disk, and then with all of it again; what was said. Whatever was
    acknowledged has to be there at any moment."""
    rng, told, said = np.random.default_rng(5), Told(), []
    scene = scene_of(server, folder)
    assert refused(scene, told) == ""
    for room in rooms:
        fill(filler, room << 10)
        said.append(until_refused(scene, told))
        if lives(server):
            assert audit(scene, told, rng) == []
        filler.unlink()
        if not lives(server):
            server.restart()
        assert finish(scene, told) == []
    return said


@contextmanager
def log_in(server: Server, folder: Path) -> Iterator[None]:
    """Let a server keep its log in a folder."""
    usual, moved = server.folder / "data" / "pg_wal", folder / "pg_wal"
    server.stop()
    hand_over(folder)
    shutil.copytree(usual, moved)
    for path in (moved, *moved.rglob("*")):
        os.chown(path, usual.stat().st_uid, usual.stat().st_gid)
    usual.rename(usual.with_name("pg_wal.before"))
    usual.symlink_to(moved)
    server.start()
    yield
    server.stop()


def test_a_full_disk_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    with own_folder() as folder, small_disk(folder / "data", 80 << 20):
        hand_over(folder / "data")
        with own_server(QUIET, segment=SEGMENT, folder=folder) as server, log_in(server, folder / "log-folder"):
            said = without_room(server, folder / "data" / "filler", [0, 60, 300], tmp_path)
    assert all("No space left on device" in one and "disk is full, make room" in one for one in said), said
    assert all(one.startswith(("nothing was written: ", "what was indexed is written, but ")) for one in said), said


def test_a_log_without_room_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    """The server crashes then, and comes back or not."""
    with own_folder() as folder, small_disk(folder / "disk", 24 << 20):
        disk = folder / "disk"
        with own_server(QUIET, segment=SEGMENT, folder=folder) as server, log_in(server, disk):
            said = without_room(server, disk / "filler", [0, 500], tmp_path)
    assert all("pg_wal" in one and "disk is full, make room" in one for one in said), said


def test_a_file_that_may_not_grow_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    lines = (f"Line {number} says {rng.bytes(40).hex()}." for number in range(5000))
    large = "\n\n".join(lines)
    with own_server(QUIET, segment=SEGMENT) as server, opened(scene_of(server, tmp_path)) as (store, index):
        index.add("small.md", texts(0)["docs/1-0.md"])
        before = seen_in(store)
        server.stop()
        server.start(files=(SEGMENT << 20) + 8192)
        with pytest.raises(StoreError, match=r"^nothing was written: .*File too large: .*`ulimit -f`"):
            index.add("large.md", large)
        assert seen_in(store) == before
        assert list(store.verify()) == []
        server.restart()
        assert index.add("large.md", large).added == 1
        assert index.search(large[-70:], k=1).hits[0].entry.doc == "large.md"
        assert list(store.verify()) == []


def seen_in(store: Store) -> str:
    with store.reader() as reader:
        return picture(reader)
