"""Indexing on Ray: documents per second with 1 and 2 workers beside a run without Ray, and what the engine costs.

    python -m benchmarks.scale --documents 200

The index is a folder on this machine, so what is measured is the engine and not a network. `start` is the time until
the cluster and its first worker are there; the other times begin after it. CPU is that of the process that writes: it reads
files and commits, and so is what limits a large cluster. Rounds alternate, and the best of each is shown: on a machine
that others use, the best is nearest to what the work takes.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import markdown, options, progress, save, table
from seamline.api.index import IndexConfig, open_index
from seamline.scale.ray_engine import RayOptions, on_ray


class Measured(NamedTuple):
    """One run."""

    start: float
    seconds: float
    cpu: float
    chunks: int


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--embedder", default="seam")
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        docs = root / "docs"
        docs.mkdir()
        for number, sample in enumerate(markdown(args.data)[: args.documents]):
            (docs / f"{number:05}.md").write_text(sample.text)
        best: dict[str, Measured] = {}
        for turn in range(args.rounds):
            for name, workers in {"one process": 0, "1 worker": 1, "2 workers": 2}.items():
                progress(f"round {turn + 1}: {name}")
                found = measure(root, f"{turn}-{workers}", workers, args.embedder)
                best[name] = min(best.get(name, found), found, key=lambda one: one.seconds)
    alone = best["one process"].seconds
    rows = [
        [
            name,
            f"{one.start:.1f}",
            f"{one.seconds:.1f}",
            f"{args.documents / one.seconds:.1f}",
            f"{alone / one.seconds:.2f}",
            f"{one.cpu:.1f}",
            f"{one.chunks / one.cpu:,.0f}",
        ]
        for name, one in best.items()
    ]
    head = ["", "start s", "run s", "documents/s", "times one process", "writer CPU s", "chunks per writer CPU s"]
    print(table(head, rows))
    overhead = best["1 worker"].seconds / alone - 1
    scaling = best["1 worker"].seconds / best["2 workers"].seconds
    print(f"engine overhead with 1 worker: {overhead:.0%}; 2 workers are {scaling:.2f} times as fast as 1")
    save(args.json, "scale", {name: one._asdict() for name, one in best.items()})


def measure(root: Path, name: str, workers: int, embedder: str) -> Measured:
    """One run into a new index; without workers, by this process on one core."""
    cores = os.sched_getaffinity(0)
    begun = time.perf_counter()
    if not workers:
        os.sched_setaffinity(0, {min(cores)})
    try:
        with open_index(root / name, config=IndexConfig(embedder=embedder), root=root) as index:
            if not workers:
                return run(index, root, begun)
            with on_ray(index, RayOptions(workers=workers)):
                return run(index, root, begun)
    finally:
        os.sched_setaffinity(0, cores)


def run(index: object, root: Path, begun: float) -> Measured:
    start, cpu = time.perf_counter(), time.process_time()
    report = index.update([root / "docs"])  # type: ignore[attr-defined]
    return Measured(start - begun, time.perf_counter() - start, time.process_time() - cpu, report.chunks)


if __name__ == "__main__":
    main()
