"""Whoever dies while writing to a LanceDB store, or tidying it, leaves everything that was acknowledged.

A run is ended at its n-th step on the disk, for all n: before, within and after each call of the engine that writes,
and before each write, sync, rename and removal of our own. From there on nothing reaches the disk. Killed processes
leave what they wrote; after a power loss, what was not synced is empty or gone.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from lancedb.merge import LanceMergeInsertBuilder
from lancedb.table import LanceTable

from seamline.store.lance import LanceLimits, LanceStore
from seamline.testing.entries import SETTINGS, erase, plain
from seamline.testing.stores.site import put, tidy, write

Loss = Literal["none", "empty", "gone"]
"""What happens to files that were not synced."""

INDEXED = LanceLimits(count=0, exact=0, few=0)
EVERY = int(os.environ.get("SEAMLINE_STEPS", "53"))
"""1 to end a run at each of its steps, 53 at each 53rd, which is 9 times."""


class Dead(BaseException):
    """The process has ended."""


class Disk:
    """Counts what a run does to a folder, and ends it at one step."""

    def __init__(self, folder: Path, last: int, patch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._last = last
        self._open: dict[int, Path] = {}
        self._synced = {path: path.read_bytes() for path in files(folder)}
        self.steps = 0
        self.done: list[str] = []
        for name in ("write", "fsync", "ftruncate", "replace", "rename", "unlink"):
            patch.setattr(os, name, self._stepped(getattr(os, name)))
        patch.setattr(os, "open", self._opened(os.open))
        for name in ("add", "delete", "optimize", "create_index", "drop_index", "restore"):
            patch.setattr(LanceTable, name, self._called(getattr(LanceTable, name)))
        patch.setattr(LanceMergeInsertBuilder, "execute", self._called(LanceMergeInsertBuilder.execute))

    def lose(self, loss: Loss) -> None:
        """Take from files what was not synced."""
        for path in files(self._folder) if loss != "none" else []:
            kept = self._synced.get(path)
            if kept is not None:
                path.write_bytes(kept)
            elif loss == "gone":
                path.unlink()
            else:
                path.write_bytes(b"")

    def _step(self, what: str) -> None:
        self.steps += 1
        self.done.append(what)
        if self.steps >= self._last:
            raise Dead

    def _opened(self, real: Callable[..., int]) -> Callable[..., int]:
        def open_file(path: Any, *given: Any, **named: Any) -> int:
            descriptor = real(path, *given, **named)
            self._open[descriptor] = Path(path)
            return descriptor

        return open_file

    def _stepped(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(first: Any, *given: Any, **named: Any) -> Any:
            path = self._open.get(first) if isinstance(first, int) else Path(first)
            if path is None or not path.is_relative_to(self._folder):
                return real(first, *given, **named)
            self._step(real.__name__)
            answer = real(first, *given, **named)
            if real.__name__ == "fsync" and path.is_file():
                self._synced[path] = path.read_bytes()
            if real.__name__ in ("replace", "rename") and path in self._synced:
                self._synced[Path(given[0])] = self._synced.pop(path)
            return answer

        return call

    def _called(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            self._step(real.__name__)
            if self.steps + 1 == self._last:  # half a file of rows, which no manifest names
                table = given[0] if isinstance(given[0], LanceTable) else given[0]._table
                (self._folder / f"{table.name}.lance" / "data" / f"half{self.steps}.lance").write_bytes(b"half")
            self._step(f"{real.__name__} half done")
            answer = real(*given, **named)
            self._step(f"{real.__name__} done")
            return answer

        return call


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with every index, before the run."""
    folder = tmp_path_factory.mktemp("start") / "store"
    store = LanceStore.create(str(folder), SETTINGS, limits=INDEXED)
    for n in range(6):
        put(store, f"{n}.md", f"common {n}", f"other {n}")
    tidy(store)
    put(store, "0.md", "common again", "other 0")
    store.close()
    return folder


def steps(store: LanceStore) -> Iterator[None]:
    """The run; what comes before a pause is acknowledged at it."""
    put(store, "1.md", "common one", "new one")
    yield
    with store.reader() as reader:
        gone = erase(reader, "2.md")
    write(store, gone)
    yield
    tidy(store)
    yield
    put(store, "7.md", "common seven")
    yield
    put(store, "1.md", "common one more")
    yield
    tidy(store)
    yield
    tidy(store)
    yield


def picture(store: LanceStore) -> list[object]:
    """Everything that can be read."""
    with store.reader() as reader:
        heads = list(reader.heads())
        return [
            [plain(one) for one in reader.select(vectors=True)],
            heads,
            [reader.version(head.doc, number) for head in heads for number in reader.versions(head.doc)],
        ]


@contextmanager
def opened(folder: Path, few: int = 0) -> Iterator[LanceStore]:
    store = LanceStore.open(str(folder), limits=replace(INDEXED, few=few))
    yield store
    store.close()


@pytest.fixture(scope="module")
def pictures(start: Path, tmp_path_factory: pytest.TempPathFactory) -> list[list[object]]:
    """What can be read at each pause of a run that nobody ends; the last twice."""
    folder = tmp_path_factory.mktemp("whole") / "store"
    shutil.copytree(start, folder)
    with opened(folder) as store:
        seen = [picture(store), *(picture(store) for _ in steps(store))]
    return [*seen, seen[-1]]


def run_until(folder: Path, last: int, loss: Loss = "none", few: int = 0) -> tuple[int, list[str]]:
    """Run, and end at a step; how many pauses were reached, and what was done."""
    acknowledged = 0
    with pytest.MonkeyPatch.context() as patch, opened(folder, few) as store:
        disk = Disk(folder, last, patch)
        try:
            for _ in steps(store):
                acknowledged += 1
        except Dead:
            patch.undo()
            disk.lose(loss)
    return acknowledged, disk.done


def ends(start: Path, folder: Path, loss: Loss, few: int) -> list[int]:
    """The steps at which runs are ended: every so many, and in calls of the engine that put files together."""
    shutil.copytree(start, folder)
    _, done = run_until(folder, 1 << 30, few=few)
    shutil.rmtree(folder)
    first = {"none": 1, "empty": 1 + EVERY // 3, "gone": 1 + EVERY // 2}[loss]
    upkeep = [at for at, what in enumerate(done, 1) if what == "optimize half done"] if loss == "none" else []
    return sorted({*range(first, len(done) + 1, EVERY), *upkeep})


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "few"), [("none", 0), ("none", 1000), ("empty", 0), ("gone", 0)])
def test_what_was_acknowledged_survives_every_end(
    start: Path, pictures: list[list[object]], tmp_path: Path, loss: Loss, few: int
) -> None:
    folder = tmp_path / "store"
    chosen = ends(start, folder, loss, few)
    for last in chosen:
        shutil.copytree(start, folder)
        acknowledged, done = run_until(folder, last, loss, few)
        assert len(done) >= last
        check(folder, f"step {last}, {done[last - 1]}", pictures[acknowledged : acknowledged + 2])
        shutil.rmtree(folder)
    print(f"{len(chosen)} ends")
    assert len(chosen) > 2


def check(folder: Path, step: str, allowed: list[list[object]]) -> None:
    """A reader, a check of everything, the next writer and its upkeep find a state that may be there."""
    with opened(folder) as store:
        seen = picture(store)
        assert any(same(seen, one) for one in allowed), f"{step}: a reader"
        assert list(store.verify()) == [], step
        put(store, "new.md", "written after it")
        tidy(store)
        with store.reader() as reader:
            assert [hit.id for hit in reader.matching("after", 3)], step
            assert len(reader.matching("common", 99)) >= 4, step
        assert list(store.verify()) == [], f"{step}: after the next writer"


def same(one: list[object], other: list[object]) -> bool:
    return repr(one) == repr(other)
