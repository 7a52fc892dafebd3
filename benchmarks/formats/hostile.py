"""Every hostile file, one process each: does it end as its manifest allows, within 10 s of CPU time and 512 MB?

    python -m benchmarks.formats.hostile --data DIR [--kind pdf] [--jobs 2]

An outcome is `full` (chunks, no notice), `degrade` (a notice says what is missing, or there is no text) or `reject`
(one clear error). Several that a manifest allows are all right; where it names none of the three, any is; a notice does
no harm to a `full` result. Chunks are audited.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import need, options, progress, save, table

OUTCOMES = ("full", "degrade", "reject")
SECONDS, MEMORY = 10.0, 512
WALL = 120


class Ended(NamedTuple):
    """How one file ended."""

    file: str
    kind: str
    allowed: tuple[str, ...]
    outcome: str
    """One of `OUTCOMES`, or `crash`."""
    said: str
    seconds: float
    megabytes: float

    @property
    def problem(self) -> str:
        if self.outcome == "crash":
            return "crash"
        if self.seconds > SECONDS:
            return "slow"
        if self.megabytes > MEMORY:
            return "large"
        allowed = self.allowed or OUTCOMES
        if self.outcome in allowed or (self.outcome == "degrade" and "full" in allowed):
            return ""
        return f"{self.outcome}, not {' or '.join(self.allowed)}"


def one(path: str) -> None:
    """In a process of its own: parse, cut, audit, and print what came of it."""
    import seamline
    from seamline.errors import SeamlineError

    found: dict[str, Any]
    try:
        document = seamline.read(Path(path))
        chunks = seamline.chunk(document)
        broken = seamline.audit(chunks, limit=512)
        said = "; ".join(notice.message for notice in document.notices)
        outcome = "crash" if broken else "degrade" if document.notices or not chunks else "full"
        found = {"outcome": outcome, "said": str(broken[0]) if broken else said or f"{len(chunks)} chunks"}
    except SeamlineError as error:
        found = {"outcome": "reject", "said": str(error)}
    from seamline.parse.isolate import process

    process._stop()  # so that its use of time and memory counts as a child's
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    found["seconds"] = sum(use.ru_utime + use.ru_stime for use in usage)
    found["megabytes"] = max(use.ru_maxrss for use in usage) / 1024
    print(json.dumps(found))


def run(root: Path, record: dict[str, Any]) -> Ended:
    command = [sys.executable, "-m", "benchmarks.formats.hostile", "--one", str(root / record["file"])]
    allowed = tuple(outcome for outcome in OUTCOMES if outcome in record["expect"])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=WALL, env=os.environ, check=False)
        found = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        found = {"outcome": "crash", "said": f"no end after {WALL} s", "seconds": WALL, "megabytes": 0}
    except (IndexError, ValueError):
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        found = {"outcome": "crash", "said": last, "seconds": 0, "megabytes": 0}
    return Ended(record["file"], record["kind"], allowed, **found)


def main() -> int:
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2])
        return 0
    parser = options(__doc__)
    parser.add_argument("--kind", help="only this kind of the manifest")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    root = need(args.data).parent / "hostile"
    records = [json.loads(line) for line in (root / "manifest.jsonl").read_text().splitlines()]
    records = [record for record in records if args.kind in (None, record["kind"])]
    with ThreadPoolExecutor(args.jobs) as pool:
        results: list[Ended] = []
        for ended in pool.map(lambda record: run(root, record), records):
            results.append(ended)
            progress(f"{len(results)}/{len(records)} {ended.file}")
    progress("")
    kinds = sorted({ended.kind for ended in results})
    rows = []
    for kind in kinds:
        own = [ended for ended in results if ended.kind == kind]
        count = Counter(ended.outcome for ended in own)
        slowest, largest = max(ended.seconds for ended in own), max(ended.megabytes for ended in own)
        problems = sum(1 for ended in own if ended.problem)
        rows.append((kind, len(own), *(count[name] for name in (*OUTCOMES, "crash")), problems, slowest, largest))
    print(table(("kind", "files", *OUTCOMES, "crash", "not as allowed", "slowest s", "largest MB"), rows))
    for ended in results:
        if ended.problem:
            print(
                f"  {ended.file}: {ended.problem}: {ended.said[:140]} ({ended.seconds:.1f} s, {ended.megabytes:.0f} MB)"
            )
    bad = sum(1 for ended in results if ended.problem)
    print(f"\n{len(results)} files, {bad} not as allowed")
    save(args.json, "hostile", [ended._asdict() for ended in results])
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
