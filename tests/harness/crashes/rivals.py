"""Two writers and a reader of one index, killed at random: `python -m harness.crashes.rivals --store lance`.

The writers want the same documents, each in two states; who is refused because the other writes tries again. The reader
checks all the while that it sees one state. Some or all of them are killed, and then the index is looked at as after
every other interruption.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from harness.crashes.children import PATIENCE, Ended, ForkedChild
from harness.crashes.points import CrashBench, Said, quick_folder
from harness.crashes.runs import Place, run_update
from harness.crashes.stores import STORES, StoreKind
from seamline.errors import IndexMissing, StoreError
from seamline.protocols import Reader

PER_STORE = 20
"""Kills of one index: with many more, a look at all versions takes longer than the runs."""
MOST = 16
"""Changes that are acknowledged before a kill, at most: more than one run has."""
_WRITERS = ("a", "b")


@dataclass
class RivalTally:
    """What came of many kills."""

    kills: int = 0
    acknowledged: int = 0
    refusals: int = 0
    reads: int = 0
    victims: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def kill_rivals(kind: StoreKind, folder: Path, kills: int, *, seed: int) -> RivalTally:
    """Kill two writers and a reader so many times. Stops at the first problem."""
    tally, rng = RivalTally(), np.random.default_rng(seed)
    scene = Rivals(kind, folder)
    for number in range(kills):
        if number % PER_STORE == 0:
            scene.clear()
        tally.problems += [f"kill {number}: {one}" for one in scene.kill(rng, tally)]
        tally.kills += 1
        if tally.problems:
            break
    return tally


class Rivals:
    """One index, those who use it, and what they said."""

    def __init__(self, kind: StoreKind, folder: Path) -> None:
        self._bench = CrashBench(kind, folder)
        self._folder = folder
        self._said: Said = []

    def clear(self) -> None:
        """Start from an empty disk."""
        shutil.rmtree(self._bench.place.disk)
        self._bench.place.disk.mkdir()
        self._said = []

    def kill(self, rng: np.random.Generator, tally: RivalTally) -> list[str]:
        """Let them run for a while, kill some of them, look at what is there; what is wrong with it."""
        for name in (*_WRITERS, "reader"):
            self._log(name).unlink(missing_ok=True)
        place, logs = self._bench.place, self._log
        started = {name: ForkedChild(lambda name=name: write(place, logs(name), name)) for name in _WRITERS}  # type: ignore[misc]
        started["reader"] = ForkedChild(lambda: read(place, logs("reader")))
        self._wait(int(rng.integers(1, MOST)))
        time.sleep(rng.uniform(0, 0.05))
        victims = [name for name in started if rng.random() < 0.6] or ["a"]
        for name in victims:
            started[name].kill()
        time.sleep(rng.uniform(0, 0.1))  # the others go on for a moment
        for child in started.values():
            child.kill()
        wrong = [fault for name, child in started.items() for fault in _failed(name, child.end())]
        tally.victims[" and ".join(victims)] += 1
        return wrong + self._heard(tally) + self._bench.look(int(rng.integers(2)), self._said)

    def _wait(self, count: int) -> None:
        """Until so many changes were acknowledged: a slow machine is killed as far into its work as a quick one."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if sum("doc" in line for name in _WRITERS for line in _lines(self._log(name))) >= count:
                return
            time.sleep(0.005)

    def _heard(self, tally: RivalTally) -> list[str]:
        """Take note of what they said; what the reader saw that cannot be."""
        lines = [line for name in (*_WRITERS, "reader") for line in _lines(self._log(name))]
        acknowledged = [line for line in lines if "doc" in line]
        self._said += acknowledged
        tally.acknowledged += len(acknowledged)
        tally.refusals += sum("refused" in line for line in lines)
        tally.reads += sum("read" in line for line in lines)
        return [f"the reader: {line['wrong']}" for line in lines if "wrong" in line]

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"


def _failed(name: str, ended: Ended) -> list[str]:
    return [] if ended.killed else [f"{name} ended by itself with {ended.status}: {ended.complaint[-1500:]}"]


def write(place: Place, log: Path, name: str) -> None:
    """Bring the index to one state and the other, again and again, whenever nobody else writes."""
    step = int(name == "b")
    while True:
        try:
            run_update(place, step, lambda said: _note(log, said))
            step = 1 - step
        except StoreError as error:
            if "is writing" not in str(error):
                raise
            _note(log, {"refused": str(error)})
            time.sleep(0.01)


def read(place: Place, log: Path) -> None:
    """Read the index again and again; every time it is one state."""
    while True:
        try:
            store = place.kind.open(place.index)
        except IndexMissing:
            time.sleep(0.01)
            continue
        for _ in range(5):
            with store.reader() as reader:
                for fault in _mixed(reader):
                    _note(log, {"wrong": fault})
            _note(log, {"read": True})
        store.close()


def _mixed(reader: Reader) -> Iterator[str]:
    """What does not fit together in what a reader sees."""
    heads = list(reader.heads())
    for head in heads:
        version, held = reader.version(head.doc, head.version), len(reader.digests(head.doc))
        if version is None:
            yield f"{head.doc} has no version {head.version}"
        elif held != head.entries or (held and {*reader.digests(head.doc)} != {place.id for place in version.places}):
            yield f"{head.doc} has {held} entries, its head says {head.entries} and its version {len(version.places)}"
    found = [hit.id for hit in reader.matching("whoever looks for the word", 1000)]
    expected = sum(head.chunks for head in heads if not head.deleted)
    if len(reader.entries(found)) != len(found) or reader.count() != expected:
        yield f"{len(found)} hits, {reader.count()} entries, {expected} chunks by the heads"


def _note(log: Path, said: Mapping[str, Any]) -> None:
    """Write a line in one piece."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, f"{json.dumps(said)}\n".encode())
    finally:
        os.close(descriptor)


def _lines(log: Path) -> list[dict[str, Any]]:
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_bytes().split(b"\n")[:-1]]


def main(arguments: list[str] | None = None) -> int:
    """Run what the arguments say; 0 where no problem was found."""
    parser = argparse.ArgumentParser("harness.crashes.rivals", description="Kill two writers and a reader.")
    parser.add_argument("--store", choices=sorted(STORES), required=True)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default=quick_folder(), help="where to work; else a disk in memory")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="seamline-rivals-", dir=chosen.folder) as folder:
        tally = kill_rivals(STORES[chosen.store](), Path(folder), chosen.kills, seed=chosen.seed)
    print(
        f"{chosen.store}: {tally.kills} kills of two writers and a reader, {tally.acknowledged} acknowledged changes,"
        f" {tally.refusals} refusals, {tally.reads} reads, {len(tally.problems)} problems; killed first:"
        f" {dict(tally.victims.most_common())}"
    )
    for problem in tally.problems:
        print(f"  {problem.replace(folder, '')}")
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
