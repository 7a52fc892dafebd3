"""Every hostile input read, cut and audited: how does it end, and at what cost?

    python -m benchmarks.hostile.run [--seed 11] [--only docx] [--cli] [--json FILE]

An input ends `cut` (there are chunks), `empty` (it holds no text) or `refused` (one clear error). A text format may be
refused only for what is refused on purpose: `PURPOSE`. Time and memory are those of the process that cuts and of its
parser, which serve all inputs one after the other and are replaced where they end. With `--cli` each input is given to
the command line in a process of its own, without the audit: three times as slow.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.common import ROOT, progress, save, table
from benchmarks.hostile.inputs import SEED
from benchmarks.hostile.serve import Served

SECONDS, MEMORY = 10.0, 512
WALL = 180
PURPOSE = re.compile(
    r"declares entities|aliases stand for more than|nests brackets|looks like a binary file|is not valid UTF-\d+"
    r"|lone surrogate|is empty: there is nothing"
)
"""Messages with which a text is refused on purpose."""
BROKEN = re.compile(r"Traceback|internal error|panicked|Fatal Python|Segmentation")
BINARY = frozenset(
    ("pdf", "docx", "odt", "pptx", "xlsx", "epub", "htmlzip", "eml", "parquet", "sqlite", "image", "audio", "video")
)


class Ended(NamedTuple):
    """How one input ended."""

    name: str
    format: str
    outcome: str
    """`cut`, `empty`, `refused` or `crash`."""
    notices: int
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
        if self.outcome == "refused" and self.format not in BINARY and not PURPOSE.search(self.said):
            return "a text that is not cut"
        return ""


def run_command(folder: Path, name: str, kind: str) -> Ended:
    """Give one input to the command line."""
    out = folder / "chunks.jsonl"
    out.unlink(missing_ok=True)
    with (folder / "said").open("w+b") as said:
        started = subprocess.Popen(
            [sys.executable, "-m", "seamline", "chunk", name, "--output", str(out)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        timer = threading.Timer(WALL, started.kill)
        timer.start()
        _, status, usage = os.wait4(started.pid, 0)  # its own use, and that of the parser it waited for
        timer.cancel()
        started.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    outcome = _outcome(started.returncode, text, out.exists() and out.stat().st_size > 0)
    seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    shown = text[-600:] if outcome == "crash" else " ".join(text.splitlines()[:1])
    return Ended(name, kind, outcome, text.count("seamline: notice: "), shown, seconds, megabytes)


def _outcome(code: int, said: str, has_chunks: bool) -> str:
    if BROKEN.search(said) or code not in (0, 1) or (code == 1 and "seamline: error: " not in said):
        return "crash"
    if code == 1:
        return "refused"
    return "cut" if has_chunks else "empty"


def _rows(results: list[Ended]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for kind in [*sorted({ended.format for ended in results}), ""]:
        own = [ended for ended in results if kind in ("", ended.format)]
        count = Counter(ended.outcome for ended in own)
        told = sum(1 for ended in own if ended.notices)
        slowest, largest = max(ended.seconds for ended in own), max(ended.megabytes for ended in own)
        bad = sum(1 for ended in own if ended.problem)
        ends = (count[name] for name in ("cut", "empty", "refused"))
        rows.append((kind or "all", len(own), *ends, told, f"{slowest:.2f}", f"{largest:.0f}", bad))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", metavar="FORMAT", help="inputs of one format, or whose name holds this")
    parser.add_argument("--cli", action="store_true", help="each in a process of its own, by the command line")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args()
    results: list[Ended] = []
    with TemporaryDirectory() as made, Served(Path(made), WALL) as served:
        folder = Path(made)
        # In a process of its own: Linux counts the memory of whoever starts a process as that of the process.
        command = [sys.executable, "-m", "benchmarks.hostile.inputs", made, "--seed", str(args.seed)]
        subprocess.run(command, cwd=ROOT, check=True)
        listed = [json.loads(line) for line in (folder / "inputs.jsonl").read_text().splitlines()]
        for one in listed:
            name, kind = one["name"], one["format"]
            if not args.only or args.only == kind or args.only in name:
                ended = run_command(folder, name, kind) if args.cli else Ended(name, kind, **served.ask(name))
                results.append(ended)
                progress(f"{len(results)}/{len(listed)} {name}")
    progress("")
    headers = ("format", "inputs", "cut", "empty", "refused", "with notices", "slowest s", "largest MB", "wrong")
    print(table(headers, _rows(results)))
    for ended in results:
        if ended.problem:
            print(f"  {ended.name}: {ended.problem} ({ended.seconds:.1f} s, {ended.megabytes:.0f} MB): {ended.said}")
    bad, total = sum(1 for ended in results if ended.problem), sum(ended.seconds for ended in results)
    print(f"\n{len(results)} inputs, {bad} not as they should be, {total:.0f} s of CPU time")
    save(args.json, "hostile-inputs", [ended._asdict() for ended in results])
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
