"""Every point at which an index run can be interrupted: the process dies there, or the power goes.

with CrashBench(kind, folder) as bench:
    for case in bench.cases:                        first run, second run, upkeep
        bench.kill(case, points)                     the process ends before the n-th operation
        bench.kill(case, points, torn=True)          in the middle of it, where it is a write
        bench.lose_power(case, points, seed=None)    and what was not synced is gone (or some of it, by a seed)
    for case in bench.recoveries(case, count):       the run after an interruption, itself interrupted
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from harness.crashes.children import Ended, in_child
from harness.crashes.disk import Disk
from harness.crashes.runs import (
    FORGOTTEN,
    Answers,
    ExpectedIndex,
    Place,
    Say,
    documents,
    fresh_answers,
    lay,
    look,
    run_forget,
    run_update,
    run_upkeep,
)
from harness.crashes.shim import Kind, Record, build, operations, read_journal
from harness.crashes.stores import StoreKind
from harness.library import Library

Said = list[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Case:
    """A run that is interrupted."""

    name: str
    image: Path
    """The disk before it."""
    said: Said
    """What was acknowledged before it."""
    step: int
    """The documents that the index is about."""
    run: Callable[[Place, Say], None]
    forgotten: str = ""
    """The document that it erases."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A case that nobody interrupted."""

    records: list[Record]
    before: Disk

    @property
    def points(self) -> int:
        return operations(self.records)

    def writes(self) -> list[int]:
        """The points at which something is written, of which half can be."""
        counted = [record for record in self.records if record.counted]
        return [n for n, record in enumerate(counted, 1) if record.kind is Kind.WRITE and len(record.data) > 1]


@dataclass
class PointTally:
    """What came of some points of a case."""

    name: str
    points: int = 0
    """That there are."""
    tried: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, point: int, doing: str, wrong: Sequence[str]) -> None:
        self.tried += 1
        self.problems += [f"{self.name}, point {point} ({doing}): {one}" for one in wrong]


class CrashBench:
    """A folder in which runs of one store are interrupted."""

    def __init__(self, kind: StoreKind, folder: Path) -> None:
        self._folder = folder
        self.shim = build(folder)
        warm_up()
        self.place = Place(kind, folder / "disk", folder / "documents")
        (folder / "documents").mkdir()
        for step in (0, 1):
            lay(self.place.sources(step), documents(step))
        self._fresh = [self._answers(step) for step in (0, 1)]

    @cached_property
    def cases(self) -> list[Case]:
        """The first run, the second run, the upkeep and, where a store can do that, the erasure of a document."""
        empty, first = self._image("empty", None), self._image("first", lambda say: run_update(self.place, 0, say))
        said = self._said
        written = self._image("written", lambda say: run_update(self.place, 1, say, tidy=False), first)
        said_at_last = [*said, *self._said]
        cases = [
            Case("first run", empty, [], 0, _updating(0)),
            Case("second run", first, said, 1, _updating(1)),
            Case("upkeep", written, said_at_last, 1, run_upkeep),
        ]
        if self.place.kind.forgets:
            cases.append(Case("forget", written, said_at_last, 1, run_forget, FORGOTTEN))
        return cases

    def recoveries(self, case: Case, count: int, *, power: bool, seed: int = 0) -> Iterator[Case]:
        """The run after an interruption of a case, at so many points of it."""
        recording = self.record(case)
        for point, disk, said in self._replayed(case, recording, spread(recording.points, count, seed)):
            image = self._folder / "images" / f"crashed {case.name}"
            shutil.rmtree(image, ignore_errors=True)
            image.mkdir()
            disk.write(image, now=not power)
            name = f"recovery after a {'loss of power' if power else 'kill'} at point {point} of the {case.name}"
            yield Case(name, image, said, case.step, _updating(case.step), case.forgotten)

    def record(self, case: Case) -> Recording:
        """Let a case come to its end, with a journal of everything. What the journal says must be what is there."""
        self._lay(case.image)
        before = Disk(self.place.disk)
        ended = self._run(case, data=True)
        if ended.status:
            raise RuntimeError(f"the {case.name} fails by itself: {ended.complaint or ended.status}")
        records = read_journal(self._journal)
        after = deepcopy(before)
        for record in records:
            after.apply(record)
        if unlike := after.differences(self.place.disk):
            raise RuntimeError(f"the {case.name} changed files by calls that the shim does not see: {unlike[:5]}")
        return Recording(records, before)

    def kill(self, case: Case, points: Sequence[int], *, total: int = 0, torn: bool = False) -> PointTally:
        """End the process at some points of a case, and look at what it left."""
        tally = PointTally(f"{case.name}, {'torn' if torn else 'kill'}", total)
        for point in points:
            self._lay(case.image)
            ended = self._run(case, at=point, torn=torn)
            records = read_journal(self._journal)
            if ended.status == 0:
                continue  # threads take turns as they like: this time there were fewer operations
            died = records[-1] if records and records[-1].kind is Kind.DIED else None
            if not ended.killed or died is None:
                tally.add(point, "the run itself", [ended.complaint or f"ended with {ended.status}"])
                continue
            doing = f"{Kind(died.offset).name.lower()} {self._short(died.path)}"
            tally.add(point, doing, self.look(case.step, [*case.said, *_marks(records)], case.forgotten))
        return tally

    def lose_power(
        self, case: Case, points: Sequence[int], *, recording: Recording, seed: int | None = None
    ) -> PointTally:
        """Take the power at some points of a case, and look at what the disk kept."""
        tally = PointTally(f"{case.name}, power{'' if seed is None else f' with seed {seed}'}", recording.points)
        counted = [record for record in recording.records if record.counted]
        for point, disk, said in self._replayed(case, recording, points):
            shutil.rmtree(self.place.disk)
            self.place.disk.mkdir()
            disk.write(self.place.disk, rng=None if seed is None else np.random.default_rng([seed, point]))
            next_one = counted[point - 1] if point <= len(counted) else None
            doing = f"{next_one.kind.name.lower()} {self._short(next_one.path)}" if next_one else "the end"
            tally.add(point, doing, self.look(case.step, said, case.forgotten))
        return tally

    def _replayed(self, case: Case, recording: Recording, points: Sequence[int]) -> Iterator[tuple[int, Disk, Said]]:
        """The disk and what was acknowledged just before each of these points."""
        disk, wanted, said, point = deepcopy(recording.before), set(points), [*case.said], 0
        for record in recording.records:
            if record.counted:
                point += 1
                if point in wanted:
                    yield point, disk, [*said]
            disk.apply(record)
            said += _marks([record])
        if point + 1 in wanted:
            yield point + 1, disk, said

    def _run(self, case: Case, *, at: int = 0, torn: bool = False, data: bool = False) -> Ended:
        self._journal.unlink(missing_ok=True)

        def work() -> None:
            self.shim.arm(self.place.disk, self._journal, at=at, torn=torn, data=data)
            case.run(self.place, self.shim.say)

        return in_child(work)

    def look(self, step: int, said: Said, forgotten: str = "") -> list[str]:
        """What is wrong with what is on the disk, which is about the documents of a step."""
        expected = ExpectedIndex(step, self._fresh[step], said, forgotten)
        ended = in_child(lambda: look(self.place, expected))
        return list(ended.value) if ended.status == 0 else [f"the look ended with {ended.status}: {ended.complaint}"]

    def _answers(self, step: int) -> Answers:
        self._lay(None)
        ended = in_child(lambda: fresh_answers(self.place, step))
        if ended.status:
            raise RuntimeError(f"a fresh index cannot be made: {ended.complaint}")
        return [(query, [(id, score) for id, score in found]) for query, found in ended.value]

    def _image(self, name: str, run: Callable[[Say], None] | None, start: Path | None = None) -> Path:
        """The disk after a run that nobody interrupted; what was acknowledged is in `_said`."""
        self._lay(start)
        self._said: Said = []
        if run is not None:

            def work() -> Said:
                said: Said = []
                run(said.append)
                return said

            ended = in_child(work)
            if ended.status:
                raise RuntimeError(f"the run before the test fails: {ended.complaint}")
            self._said = ended.value
        image = self._folder / "images" / name
        shutil.copytree(self.place.disk, image)
        return image

    def _lay(self, image: Path | None) -> None:
        """Make the disk what an image is."""
        shutil.rmtree(self.place.disk, ignore_errors=True)
        if image is None:
            self.place.disk.mkdir()
        else:
            shutil.copytree(image, self.place.disk)

    def _short(self, path: str) -> str:
        return path.removeprefix(str(self.place.disk.resolve())).lstrip("/") or "the folder"

    @property
    def _journal(self) -> Path:
        return self._folder / "journal"


def quick_folder() -> str | None:
    """A disk in memory, where syncs cost nothing; None where there is none."""
    memory = "/dev/shm"
    return memory if os.access(memory, os.W_OK) else None


def warm_up() -> None:
    """Load in this process what every child would load by itself."""
    index = Library(documents(0)).index()
    hit = index.search("passages").hits[0]
    index.cite(hit.citation.key)


def _updating(step: int) -> Callable[[Place, Say], None]:
    return lambda place, say: run_update(place, step, say)


def spread(points: int, count: int, seed: int) -> list[int]:
    """So many of the points, at even distances, from one that the seed chooses; the end is one more point."""
    if count <= 0 or count > points:
        return list(range(1, points + 2))
    distance = (points + 1) / count
    first = float(np.random.default_rng(seed).uniform(0, distance))
    return [1 + int(first + i * distance) for i in range(count)]


def _marks(records: Sequence[Record]) -> Said:
    return [json.loads(record.data) for record in records if record.kind is Kind.MARK]
