"""Interrupt index runs at every point: `python -m harness.crashes --store lance --mode kill --points all`.

Prints a line for each run that was interrupted, with the number of its points, and every problem. The exit code is 1
where there was one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from harness.crashes.points import Case, CrashBench, PointTally, Recording, quick_folder, spread
from harness.crashes.shim import missing
from harness.crashes.stores import STORES

MODES = ("kill", "torn", "power", "reorder")
RUNS = ("first", "second", "upkeep", "forget", "recovery")


def main(arguments: list[str] | None = None) -> int:
    """Run what the arguments say; 0 where no problem was found."""
    chosen = _parsed(arguments)
    if reason := missing():
        print(reason, file=sys.stderr)
        return 2
    problems = 0
    with tempfile.TemporaryDirectory(prefix="seamline-crash-", dir=chosen.folder) as folder:
        began = time.monotonic()
        for tally in tallies(CrashBench(STORES[chosen.store](), Path(folder)), chosen):
            spent, began = time.monotonic() - began, time.monotonic()
            print(f"{chosen.store}: {tally.name}: {tally.tried} of {tally.points} points in {spent:.0f} s,", end=" ")
            print(f"{len(tally.problems)} problems", flush=True)
            for problem in tally.problems[: chosen.show]:
                print(f"  {problem.replace(folder, '')}", flush=True)
            problems += len(tally.problems)
    print(f"{chosen.store}: {problems} problems in all")
    return 1 if problems else 0


def tallies(bench: CrashBench, chosen: argparse.Namespace) -> Iterator[PointTally]:
    """What comes of each run and mode that was asked for."""
    count = 0 if chosen.points == "all" else int(chosen.points)
    for case in bench.cases:
        if case.name.split()[0] in chosen.runs:
            yield from _interrupted(bench, case, chosen, count)
        if "recovery" in chosen.runs:
            for power in sorted({mode in ("power", "reorder") for mode in chosen.modes}):
                for again in bench.recoveries(case, chosen.crashes, power=power, seed=chosen.seed):
                    yield from _interrupted(bench, again, chosen, count)


def _interrupted(bench: CrashBench, case: Case, chosen: argparse.Namespace, count: int) -> Iterator[PointTally]:
    recording = bench.record(case)
    for mode in chosen.modes:
        yield interrupt(bench, case, recording, mode, count, chosen.seed)


def interrupt(bench: CrashBench, case: Case, recording: Recording, mode: str, count: int, seed: int) -> PointTally:
    """Interrupt a case in one of the modes, at so many points, or at all where that is 0."""
    points = spread(recording.points, count, seed)
    if mode == "kill":
        return bench.kill(case, points, total=recording.points)
    if mode == "torn":
        writes = recording.writes()
        chosen = [writes[point - 1] for point in spread(len(writes) - 1, count, seed)]
        return bench.kill(case, chosen, total=len(writes), torn=True)
    return bench.lose_power(case, points, recording=recording, seed=seed if mode == "reorder" else None)


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("harness.crashes", description="Interrupt index runs at every point.")
    parser.add_argument("--store", choices=sorted(STORES), required=True)
    parser.add_argument("--mode", dest="modes", choices=MODES, nargs="+", default=list(MODES))
    parser.add_argument("--run", dest="runs", choices=RUNS, nargs="+", default=list(RUNS))
    parser.add_argument("--points", default="all", help="of each run; `all`, or how many at even distances")
    parser.add_argument("--crashes", type=int, default=4, help="points of each run after which recovery is interrupted")
    parser.add_argument("--seed", type=int, default=1, help="where points start, and what survives a loss of power")
    parser.add_argument("--show", type=int, default=5, help="problems of each run that are printed")
    parser.add_argument("--folder", default=quick_folder(), help="where to work; else a disk in memory")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
