"""What every benchmark shares: the data, child processes, tables and result files."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
LIMIT = 512
ONE_THREAD = {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


class Sample(NamedTuple):
    """One document of the corpus."""

    path: str
    text: str

    @property
    def media_type(self) -> str:
        return media_type(self.path)


def media_type(path: str) -> str:
    return {".mdx": "text/mdx", ".txt": "text/plain"}.get(Path(path).suffix, "text/markdown")


def options(doc: str | None) -> argparse.ArgumentParser:
    """The arguments that every benchmark takes."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the corpora")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    return parser


def need(path: Path) -> Path:
    """`path`, or a one-line message and exit code 2 where it does not exist."""
    if path.exists():
        return path
    print(f"{path} does not exist: name the folder of the benchmark data with --data DIR", file=sys.stderr)
    raise SystemExit(2)


def ranks(data: Path) -> Path:
    """The rank file tiktoken would download; it lies beside the data."""
    return need(data.parent / "models" / "o200k_base.tiktoken")


def hostile(data: Path) -> Path:
    return need(data.parent / "hostile" / "files")


def stream(file: Path) -> Iterator[Sample]:
    """The documents of a .jsonl file, one at a time."""
    with need(file).open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Sample(row["path"], row["text"])


def markdown(data: Path) -> list[Sample]:
    return list(stream(data / "markdown.jsonl"))


def prose(data: Path) -> list[Sample]:
    return list(stream(data / "prose.jsonl"))


def mdx(data: Path) -> list[Sample]:
    folder = need(data / "documents" / "mdx")
    return [Sample(file.name, decode(file.read_bytes())) for file in sorted(folder.glob("*.mdx"))]


def decode(raw: bytes) -> str:
    """UTF-8 with replacement, newlines as they are."""
    return raw.decode("utf-8", errors="replace")


def child(module: str, *arguments: str, timeout: float) -> dict[str, Any]:
    """Run `python -m module` in a fresh process and read the JSON line it prints.

    A hang or a crash is a result too: it comes back as `{"error": ...}`.
    """
    command = [sys.executable, "-m", module, *arguments]
    environment = {**os.environ, **ONE_THREAD, "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"no end after {timeout:.0f} s"}
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"error": f"exit {done.returncode}: {last[:160]}"}
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def peak_mb() -> float:
    """The highest resident memory of this process so far.

    VmHWM and not ru_maxrss: the latter survives exec, so a child would report its parent's peak.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        import resource

        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A plain table: first column to the left, the others to the right."""
    cells = [tuple(headers), *(tuple(_cell(value) for value in row) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headers))]
    lines = ["  ".join(_pad(value, widths[i], i) for i, value in enumerate(row)) for row in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) and abs(value) < 1000 else f"{value}"


def _pad(value: str, width: int, column: int) -> str:
    return value.ljust(width) if column == 0 else value.rjust(width)


def verdict(ok: bool | None) -> str:
    return {True: "pass", False: "FAIL", None: "not measured"}[ok]


def progress(message: str) -> None:
    """What runs now, on a terminal only; an empty message clears the line."""
    if sys.stderr.isatty():
        print(f"\r\033[K{message}", end="", file=sys.stderr, flush=True)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the sorted values lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def save(file: Path | None, benchmark: str, figures: object) -> None:
    """Write the figures with what they depend on: date, commit and machine."""
    if file is None:
        return
    record = {
        "benchmark": benchmark,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "figures": figures,
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten to {file}")


def _commit() -> str:
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    dirty = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=False)
    return head.stdout.strip() + ("+changes" if dirty.stdout.strip() else "")
