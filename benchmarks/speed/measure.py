"""One measurement in one fresh process: `benchmarks.speed.run` starts it and reads the JSON it prints."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.common import ONE_THREAD, mdx, peak_mb, prose, ranks, stream

os.environ.update(ONE_THREAD)  # before any contestant is imported

from benchmarks.speed.contestants import CONTESTANTS, Work


def timed(work: Work, texts: Iterable[str]) -> tuple[float, int]:
    """CPU seconds of one pass, and how many chunks, tokens or blocks it made."""
    made = 0
    start = time.process_time()
    for text in texts:
        made += len(work(text))  # type: ignore[arg-type]
    return time.process_time() - start, made


def speed(name: str, data: Path, file: Path, warm: bool) -> dict[str, float]:
    """Load, warm up on other text if asked to, then one pass over the corpus."""
    corpus = [sample.text for sample in stream(file)]
    other = [sample.text for sample in (*prose(data), *mdx(data))] if warm else []
    rank_file = ranks(data)
    start = time.process_time()
    work = CONTESTANTS[name].load(rank_file)
    load = time.process_time() - start
    timed(work, other)
    seconds, made = timed(work, corpus)
    return {"load": load, "seconds": seconds, "made": made, "bytes": sum(len(t.encode()) for t in corpus)}


def memory(name: str, data: Path, file: Path) -> dict[str, float]:
    """Peak memory above the bare interpreter, documents read one at a time as a batch job does."""
    bare = peak_mb()
    work = CONTESTANTS[name].load(ranks(data))
    largest = 0
    for sample in stream(file):
        largest = max(largest, len(sample.text.encode()))
        work(sample.text)
    return {"peak_mb": peak_mb() - bare, "largest_mb": largest / 1e6}


def main() -> None:
    mode, name, data, file = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
    found = memory(name, data, file) if mode == "memory" else speed(name, data, file, warm=mode == "warm")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
