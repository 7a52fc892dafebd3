"""Index runs that are interrupted at points all along them: short forms of `python -m harness.crashes`, which
takes every point.

SEAMLINE_CRASH_SEED moves the points on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import environment
from harness.crashes.__main__ import interrupt
from harness.crashes.children import Ended, in_child
from harness.crashes.points import CrashBench, quick_folder, spread
from harness.crashes.rivals import kill_rivals
from harness.crashes.runs import SHAPE
from harness.crashes.shim import missing, operations, read_journal
from harness.crashes.stores import STORES
from seamline.api.index import open_index

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "the crash shim can be used")

SEED = int(os.environ.get("SEAMLINE_CRASH_SEED", "1"))
POINTS = {"kill": 8, "torn": 4, "power": 10, "reorder": 10}
"""Of each run of the SQLite store."""
KILLS = 6


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=quick_folder()) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def sqlite(folder: Path) -> CrashBench:
    (folder / "sqlite").mkdir()
    return CrashBench(STORES["sqlite"](), folder / "sqlite")


@pytest.mark.parametrize("mode", list(POINTS))
def test_an_interrupted_run_loses_nothing(sqlite: CrashBench, mode: str) -> None:
    for case in sqlite.cases:
        recording = sqlite.record(case)
        tally = interrupt(sqlite, case, recording, mode, POINTS[mode], SEED)
        print(f"{tally.name}: {tally.tried} of {tally.points} points")
        assert tally.problems == []
        assert tally.tried >= POINTS[mode] - 1


@pytest.mark.parametrize("mode", ["kill", "reorder"])
def test_an_interrupted_recovery_loses_nothing(sqlite: CrashBench, mode: str) -> None:
    for case in sqlite.cases:
        for recovery in sqlite.recoveries(case, 1, power=mode == "reorder", seed=SEED):
            tally = interrupt(sqlite, recovery, sqlite.record(recovery), mode, 4, SEED)
            assert tally.problems == []
            assert tally.tried > 2


def test_two_writers_and_a_reader_are_killed(folder: Path) -> None:
    (folder / "rivals").mkdir()
    tally = kill_rivals(STORES["sqlite"](), folder / "rivals", KILLS, seed=SEED)
    assert tally.problems == []
    assert (tally.kills, tally.acknowledged > 0, tally.reads > 0) == (KILLS, True, True)


@pytest.mark.parametrize(
    "harness",
    [
        ("harness.crashes", "--mode", "kill", "--run", "first", "second", "upkeep", "--points", "3"),
        ("harness.crashes.rivals", "--kills", "2"),
    ],
    ids=["points", "rivals"],
)
def test_lancedb_loses_nothing_either(folder: Path, harness: tuple[str, ...]) -> None:
    """In a process of its own: its engine has threads, and a fork of a process in which they run may hang."""
    command = [sys.executable, "-m", *harness, "--store", "lance", "--seed", str(SEED), "--folder", str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment())
    print(ended.stdout)
    assert (ended.returncode, "0 problems" in ended.stdout) == (0, True), ended.stdout + ended.stderr


# The first steps


def test_an_index_whose_making_was_interrupted_knows_where_its_documents_are(folder: Path, sqlite: CrashBench) -> None:
    """`seamline index --index DISK/index` is killed, and run again: names start from the same folder."""
    place, journal, sources = folder / "new" / "index", folder / "journal", sqlite.place.sources(0)

    def make() -> None:
        open_index(place, config=SHAPE, root=sources).close()

    def remake() -> str:
        make()
        with open_index(place) as index:
            return str(index.root)

    def killed(at: int) -> Ended:
        shutil.rmtree(place.parent, ignore_errors=True)
        place.parent.mkdir()
        journal.unlink(missing_ok=True)
        return in_child(lambda: sqlite.shim.arm(place.parent, journal, at=at) or make())

    assert killed(0).status == 0
    count = operations(read_journal(journal))
    for point in sorted({*spread(count, 8, SEED), *range(count - 3, count + 1)} - {count + 1}):
        assert killed(point).killed
        doing = read_journal(journal)[-1]
        assert in_child(remake).value == str(sources), f"point {point}: {doing.path}"


# That the harness can fail


@pytest.fixture
def careless(sqlite: CrashBench, monkeypatch: pytest.MonkeyPatch) -> CrashBench:
    """A store that acknowledges what it has not synced."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr("seamline.store.sqlite.store.acknowledge", lambda folder, state: None)
    from seamline.store.sqlite.database import Database

    made = Database.__init__

    def lazy(self: Database, path: str | Path, *, durable: bool, create: bool = False) -> None:
        made(self, path, durable=False, create=create)

    monkeypatch.setattr(Database, "__init__", lazy)
    return sqlite


def test_a_store_that_does_not_sync_is_caught(careless: CrashBench) -> None:
    case = careless.cases[1]
    recording = careless.record(case)
    end = recording.points + 1
    assert careless.kill(case, [end - 1]).problems == []  # the system still has it
    middle = spread(recording.points, 6, SEED)
    problems = careless.lose_power(case, middle, recording=recording).problems
    assert any("was acknowledged" in problem for problem in problems)
