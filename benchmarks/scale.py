"""Indexing on Ray: what the engine costs beside a run without it, and how the work spreads over 1 and 2 workers.

    python -m benchmarks.scale --documents 40

The index is a folder on this machine, so what is measured is the engine and not a network. `start` is the time until
the cluster and its first worker are there; the others begin after it. CPU seconds are those of the process that writes
and of the workers: on a machine that others use they say more than the time on the clock.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import markdown, options, save, table
from seamline.api.index import Index, IndexConfig, open_index
from seamline.scale.ray_engine import RayOptions, on_ray

TICKS = os.sysconf("SC_CLK_TCK")


class Measured(NamedTuple):
    """One run."""

    start: float
    seconds: float
    writer: float
    """CPU seconds."""
    workers: tuple[float, ...]
    chunks: int

    @property
    def cpu(self) -> float:
        return self.writer + sum(self.workers)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--embedder", default="seam")
    args = parser.parse_args()
    found: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        for number, sample in enumerate(markdown(args.data)[: args.documents]):
            (root / "docs" / f"{number:05}.md").write_text(sample.text)
        (root / "few").mkdir()
        for number, sample in enumerate(markdown(args.data)[:8]):  # models and tables are loaded once, before all runs
            (root / "few" / f"{number}.md").write_text(sample.text[:20_000])
        with open_index(root / "first", config=IndexConfig(embedder=args.embedder), root=root) as index:
            index.update([root / "few"])
        for name, workers in {"one process": 0, "1 worker": 1, "2 workers": 2}.items():
            found[name] = measure(root, workers, args.embedder)
            print(name, found[name], flush=True)
    rows = [
        [
            name,
            f"{one.start:.1f}",
            f"{one.seconds:.1f}",
            f"{args.documents / one.seconds:.2f}",
            f"{one.writer:.1f}",
            " + ".join(f"{cpu:.1f}" for cpu in one.workers) or "-",
            f"{one.cpu / found['one process'].cpu:.2f}",
            f"{one.chunks / one.writer:,.0f}",
        ]
        for name, one in found.items()
    ]
    head = [
        "",
        "start s",
        "run s",
        "documents/s",
        "writer CPU",
        "workers CPU",
        "CPU / one process",
        "chunks / writer CPU s",
    ]
    print(table(head, rows))
    save(args.json, "scale", {name: one._asdict() for name, one in found.items()})


def measure(root: Path, workers: int, embedder: str) -> Measured:
    """One run into a new index; without workers, by this process on one core, and each worker on a core of its own."""
    cores = os.sched_getaffinity(0)
    begun = time.perf_counter()
    if not workers:
        os.sched_setaffinity(0, {min(cores)})
    try:
        with open_index(root / f"index{workers}", config=IndexConfig(embedder=embedder), root=root) as index:
            if not workers:
                return run(index, root, begun, [])
            with on_ray(index, RayOptions(workers=workers)):
                pids = _processes(index.preparer)
                for core, pid in zip(sorted(cores, reverse=True), pids, strict=False):
                    os.sched_setaffinity(pid, {core})
                return run(index, root, begun, pids)
    finally:
        os.sched_setaffinity(0, cores)


def run(index: Index, root: Path, begun: float, pids: list[int]) -> Measured:
    """An update, timed."""
    start, cpu, before = time.perf_counter(), time.process_time(), [_cpu(pid) for pid in pids]
    report = index.update([root / "docs"])
    seconds, writer = time.perf_counter() - start, time.process_time() - cpu
    spent = tuple(_cpu(pid) - then for pid, then in zip(pids, before, strict=True))
    return Measured(start - begun, seconds, writer, spent, report.chunks)


def _processes(pool: Any) -> list[int]:
    return list(pool._ray.get([worker.ready.remote() for worker in pool._workers]))


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


if __name__ == "__main__":
    main()
