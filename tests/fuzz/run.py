"""Fuzzes every target: `python -m tests.fuzz.run --seconds 600`, of processor time for each.

`--engine guided` is atheris (libFuzzer): it keeps inputs that reach code no other has, in `build/fuzz/corpus`.
`--engine random` needs nothing but this repository, and makes every input of a seed anew. Each target runs in a
process of its own. The first input of every kind of failure is written to `build/fuzz/findings`, and the one under way
is in `build/fuzz/TARGET.current`; there is a failure where the exit code is 1. Keep an input that failed in
`tests/fixtures/fuzz/TARGET/`: a test reads all that is there.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
import traceback
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
HANG = 600
"""Seconds on the clock after which an input that has not come back is a finding."""


class Fuzzed:
    """One target while it is fuzzed: counts, and what was found."""

    def __init__(self, name: str, seconds: float, folder: Path) -> None:
        from .targets import TARGETS

        self.target = TARGETS[name]
        self._seconds = seconds
        self._folder = folder / "findings" / name
        self._current = folder / f"{name}.current"
        self._known: set[str] = set()
        self.count = 0

    def check(self, data: bytes) -> None:
        """Check one input, and end the process when the time is spent."""
        from .targets import run_check

        self._current.write_bytes(data)  # what a library or the system ends the process on is found here
        try:
            run_check(self.target, data)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is a finding
            self._note(error, data)
        self.count += 1
        if time.process_time() > self._seconds:
            self.end()

    def end(self) -> None:
        name, found = self.target.name, len(self._known)
        print(f"{name:<12}{self.count:>9,} inputs {time.process_time():>7.0f} s CPU  {found} findings", flush=True)
        os._exit(1 if found else 0)

    def _note(self, error: Exception, data: bytes) -> None:
        """Keep the first input of each place where something is raised, and the shortest of all later ones."""
        frames = traceback.extract_tb(error.__traceback__)
        place = next((one for one in reversed(frames) if "seamline" in one.filename), frames[-1])
        rule = re.search(r"rule='([\w-]+)'", str(error))
        label = f"{type(error).__name__}-{rule[1] if rule else Path(place.filename).stem}-{place.lineno}"
        kept = self._folder / label
        if label in self._known and len(data) >= kept.stat().st_size:
            return
        if label not in self._known:
            self._known.add(label)
            print(f"{self.target.name}: {label}: {error!r:.200}", flush=True)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.with_suffix(".txt").write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        kept.write_bytes(data)


def run_random(name: str, seconds: float, folder: Path, seed: int) -> None:
    fuzzed = Fuzzed(name, seconds, folder)
    for one in fuzzed.target.seeds:
        fuzzed.check(one.data)
    while True:
        fuzzed.check(fuzzed.target.mutate(b"", Random(f"{seed} {name} {fuzzed.count}")))


def run_guided(name: str, seconds: float, folder: Path, seed: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["seamline"]):
        fuzzed = Fuzzed(name, seconds, folder)
        for one in fuzzed.target.seeds:  # what a parser imports when it is first used
            fuzzed.check(one.data)
    corpus = folder / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    for one in fuzzed.target.seeds:
        (corpus / hashlib.sha256(one.data).hexdigest()[:16]).write_bytes(one.data)

    def mutate(data: bytes, largest: int, seed: int) -> bytes:
        chance = Random(seed)
        if chance.random() < 0.3:
            return bytes(atheris.Mutate(data, largest))
        return fuzzed.target.mutate(data, chance)[:largest]

    found = folder / "findings" / name
    found.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_len={1 << 15}", f"-timeout={HANG}", "-rss_limit_mb=4096", f"-artifact_prefix={found}/"]
    quiet = ["-print_final_stats=0", "-verbosity=0", f"-seed={seed or 1}"]
    atheris.Setup([sys.argv[0], *limits, *quiet, str(corpus)], fuzzed.check, custom_mutator=mutate)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600, help="processor time for each target")
    parser.add_argument("--seed", type=int, default=0 if os.environ.get("CI") else time.time_ns() % 10**6)
    parser.add_argument("--only", action="append", metavar="TARGET", help="these targets alone")
    parser.add_argument("--engine", choices=("guided", "random"), default="guided")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz", help="corpus and findings")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        run = run_guided if args.engine == "guided" else run_random
        run(args.child, args.seconds, args.folder, args.seed)
        return 0
    if args.engine == "guided" and not _has_atheris():
        print("atheris is not installed: `pip install atheris`, or use --engine random", file=sys.stderr)
        return 2
    from .targets import TARGETS

    if unknown := sorted({*(args.only or ())} - TARGETS.keys()):
        print(f"expected targets of {', '.join(TARGETS)}, got {', '.join(unknown)}", file=sys.stderr)
        return 2
    failed = [name for name in args.only or TARGETS if _run_child(name, args)]
    print(f"{len(failed)} targets with findings: {', '.join(failed)}" if failed else "no findings")
    return 1 if failed else 0


def _has_atheris() -> bool:
    from importlib.util import find_spec

    return find_spec("atheris") is not None


def _run_child(name: str, args: argparse.Namespace) -> bool:
    """Whether a target has findings; a child that a library or libFuzzer ends has one too."""
    given = [f"--seconds={args.seconds}", f"--seed={args.seed}", f"--engine={args.engine}", f"--folder={args.folder}"]
    log = args.folder / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as errors:
        command = [sys.executable, "-m", "tests.fuzz.run", "--child", name, *given]
        code = subprocess.run(command, cwd=ROOT, stderr=errors).returncode
    if code not in (0, 1):
        print(f"{name}: ended with {code}, see {log} and {args.folder / 'findings' / name}", flush=True)
    return code != 0


if __name__ == "__main__":
    raise SystemExit(main())
