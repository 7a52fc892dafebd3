"""Short texts into an index: one by one, and in batches of one transaction. `python benchmarks/add_many.py [COUNT]`"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import seamline


def measure(work: Callable[[seamline.Index], object]) -> tuple[float, float]:
    """Seconds on the clock and of CPU, in a new index in a folder."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "index"
        with seamline.open_index(place, config=seamline.IndexConfig(embedder="hash")) as index:
            index.add("warm", "What is loaded once is not counted.")
            start, cpu = time.perf_counter(), time.process_time()
            work(index)
            return time.perf_counter() - start, time.process_time() - cpu


def main(count: int) -> None:
    items = [(f"note-{n}", f"Note {n}: pump {n % 97} needs part {n * 7}.", {"n": n}) for n in range(count)]

    def add_each(index: seamline.Index) -> None:
        for doc, text, meta in items:
            index.add(doc, text, meta=meta)

    many, single = measure(lambda index: index.add_many(items)), measure(add_each)
    print(f"| {count:,} texts | seconds | CPU seconds |\n|---|---|---|")
    print(f"| add_many | {many[0]:.1f} | {many[1]:.1f} |\n| add | {single[0]:.1f} | {single[1]:.1f} |")
    print(f"| ratio | {single[0] / many[0]:.0f} | {single[1] / many[1]:.0f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
