"""How fast, how right and how large is the embedded store, beside LanceDB used directly?

    python -m benchmarks.store.run --sizes 10000 100000 --json figures.json --svg growth.svg

Vectors are made up and given, so no embedding is in any figure; words are drawn from real documents. Every measurement
runs in a process of its own on one core. A million chunks take half an hour and 8 GB of disk.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.common import child, options, progress, save, table, verdict
from benchmarks.store.corpus import make
from benchmarks.store.measure import KINDS
from benchmarks.store.plot import svg

SIDES = ("sqlite", "lance", "bare")
LIMIT = 5400
SLOWEST_MS = 25.0
"""CPU of 99 in 100 searches over a million chunks."""
MILLION = 1_000_000
TIMES = 2.0
"""What a hybrid search may cost beside the bare engine's, which cites nothing."""
RECALL = 0.98

Figures = dict[int, dict[str, dict[str, Any]]]


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="chunks")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--folder", type=Path, help="where stores are kept, and found again; else they are removed")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also draw how cost grows")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        figures = {size: _measured(folder, size, given.data, given.questions) for size in given.sizes}
    progress("")
    if failed := [side["error"] for size in figures.values() for side in size.values() if "error" in side]:
        print("\n".join(failed), file=sys.stderr)
        return 1
    print(_tables(figures))
    if given.svg:
        given.svg.write_text(_drawn(figures), encoding="utf-8")
    save(given.json, "store", figures)
    return 0


def _measured(folder: Path, size: int, data: Path, count: int) -> dict[str, dict[str, Any]]:
    corpus = folder / f"corpus-{size}"
    progress(f"making {size} chunks")
    make(corpus, size, data)
    return {side: _side(folder / f"{side}-{size}", corpus, side, count) for side in SIDES}


def _side(place: Path, corpus: Path, side: str, count: int) -> dict[str, Any]:
    built = place.with_suffix(".json")
    if not built.exists():
        progress(f"{side}: writing {corpus.name}")
        figures = child("benchmarks.store.measure", "build", side, str(corpus), str(place), timeout=LIMIT)
        if "error" in figures:
            return figures
        built.write_text(json.dumps(figures))
    progress(f"{side}: asking {corpus.name}")
    asked = child("benchmarks.store.measure", "ask", side, str(corpus), str(place), str(count), timeout=LIMIT)
    return {"build": json.loads(built.read_text()), **asked}


def _tables(figures: Figures) -> str:
    return "\n\n".join([_building(figures), _asking(figures), _bars(figures)])


def _building(figures: Figures) -> str:
    rows = []
    for size, sides in figures.items():
        for side, found in sides.items():
            build = found["build"]
            seconds = build["write_cpu"] + build["tidy_cpu"]
            rows.append(
                (
                    f"{size:,} {side}", size / build["write_cpu"], size / seconds, found["disk_mb"] * 2**20 / size,
                    found["asking_mb"], found["open_cpu"],
                )
            )  # fmt: skip
    headers = ("chunks", "written/s CPU", "and indexed/s CPU", "disk B/chunk", "memory asking MB", "open s CPU")
    return table(headers, [(name, *(round(value, 2) for value in rest)) for name, *rest in rows])


def _asking(figures: Figures) -> str:
    rows = []
    for size, sides in figures.items():
        for kind in KINDS:
            for side, found in sides.items():
                if kind not in found:
                    continue
                one = found[kind]
                times = [round(one[name], 1) for name in ("cpu_p50", "cpu_p99", "wall_p50", "wall_p99")]
                rows.append((f"{size:,} {kind} {side}", *times, one.get("recall")))
    return table(("ms per question", "CPU p50", "CPU p99", "wall p50", "wall p99", "recall@10"), rows)


def _bars(figures: Figures) -> str:
    rows = []
    for size, sides in figures.items():
        ours, bare = sides["sqlite"], sides["bare"]
        for kind in ("hybrid", "search"):
            ratio = ours[kind]["cpu_p50"] / bare["hybrid"]["cpu_p50"]
            name = f"{size:,}: {kind} beside the bare engine's hybrid"
            rows.append((name, f"{ratio:.2f}x", f"<= {TIMES}x", verdict(ratio <= TIMES)))
        for kind in ("dense", "filtered"):
            recall = ours[kind]["recall"]
            rows.append((f"{size:,}: recall@10, {kind}", f"{recall:.3f}", f">= {RECALL}", verdict(recall >= RECALL)))
        if size == MILLION:
            slow = ours["search"]["cpu_p99"]
            rows.append((f"{size:,}: search p99", f"{slow:.1f} ms", f"<= {SLOWEST_MS}", verdict(slow <= SLOWEST_MS)))
    return table(("bar", "found", "wanted", ""), rows)


def _drawn(figures: Figures) -> str:
    lines = {}
    for kind in ("dense", "bm25", "filtered", "hybrid", "search"):
        for side, mark in zip(SIDES, ("", " (LanceDB store)", " (bare LanceDB)"), strict=True):
            if any(kind not in sides[side] for sides in figures.values()):
                continue
            lines[f"{kind}{mark}"] = [(float(size), sides[side][kind]["cpu_p50"]) for size, sides in figures.items()]
    return svg("CPU of one question, half of all take less", lines, "chunks", "ms")


if __name__ == "__main__":
    sys.exit(main())
