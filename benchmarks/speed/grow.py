"""Larger versions of one text, and the CPU time at n, 2n and 4n.

Started by `benchmarks.speed.growth` in a process of its own; prints one JSON line.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.common import ONE_THREAD, decode, markdown, peak_mb, prose

os.environ.update(ONE_THREAD)

from benchmarks import engine

Grow = Callable[[float], str]
"""From a factor to the text at that size; 1 is the pattern as it lies on disk."""

ENOUGH = 0.2  # seconds at 4n: shorter runs drown in the noise of a shared machine
LARGEST = 16_000_000  # characters at 4n, where even that takes less than ENOUGH
ROUNDS = 3
BAR = 1.2
RUN = re.compile(r"(.{1,24}?)\1{40,}", re.DOTALL)


def repeated(text: str) -> Grow:
    """The whole file again and again: a part of it may be another pattern.

    After several lines of which the last has no end, a blank line: else a second copy of link definitions would be the
    rest of the paragraph that ends the first, and only one copy would be the pattern.
    """
    gap = "\n\n" if "\n" in text and not text.endswith("\n") else ""
    return lambda factor: (text + gap) * max(1, round(factor))


def stretched(text: str) -> Grow | None:
    """Every run of one repeated unit made longer: `[[[a]]]` becomes `[[[[[[a]]]]]]`.

    None unless the text is a few such runs and little else.
    """
    runs = list(RUN.finditer(text))
    if not 1 <= len(runs) <= 8 or sum(len(run[0]) for run in runs) < 0.8 * len(text):
        return None

    def at(factor: float) -> str:
        return RUN.sub(lambda run: run[1] * max(1, round(len(run[0]) / len(run[1]) * factor)), text)

    return at


def single_line(data: Path) -> Grow:
    """Prose without any line end, 10 MB at 4n."""
    line = " ".join(" ".join(sample.text for sample in prose(data)).split())
    return lambda factor: (line * math.ceil(2_500_000 * factor / len(line)))[: round(2_500_000 * factor)]


def single_file(data: Path) -> Grow:
    """All of markdown.jsonl as one file, copy after numbered copy, 100 MB at 4n."""
    corpus = "\n\n".join(sample.text for sample in markdown(data))

    def at(factor: float) -> str:
        copies = range(math.ceil(25_000_000 * factor / len(corpus)))
        return "".join(f"# Copy {i}\n\n{corpus}\n\n" for i in copies)[: round(25_000_000 * factor)]

    return at


def cpu(text: str, media_type: str) -> float:
    """Chunked and rendered: borrowed context may multiply even where the cuts are linear."""
    start = time.process_time()
    for piece in engine.chunks(text, media_type):
        len(piece.text)
    return time.process_time() - start


def first_factor(at: Grow, media_type: str, factor: float) -> float:
    """A factor, from `factor` up, whose fourfold takes ENOUGH seconds."""
    while True:
        text = at(4 * factor)
        seconds = cpu(text, media_type)
        if seconds < 10 * ENOUGH:
            seconds = min(seconds, cpu(text, media_type))  # the first call pays for loading
        if seconds >= ENOUGH or len(text) >= LARGEST:
            return factor
        wanted = 1.3 * ENOUGH / max(seconds, 1e-4)
        factor = math.ceil(factor * min(max(2.0, wanted), 16.0, max(1.1, LARGEST / max(len(text), 1))))


def exponents(seconds: list[float]) -> tuple[float, float]:
    """Of the doubling from n to 2n, and of the last, from 2n to 4n."""
    first, second, third = (max(spent, 1e-6) for spent in seconds)
    return math.log2(second / first), math.log2(third / second)


def growth(at: Grow, media_type: str, factor: float, rounds: int) -> dict[str, object]:
    """Minimum CPU time at each size; where a doubling misses the bar, twice as many rounds rule out noise.

    The sizes stay as they are: a larger size may run into another regime (a depth limit, say) and look innocent.
    """
    factors = [factor * k for k in (1, 2, 4)]
    best = [math.inf] * 3
    for turn in range(2 * rounds):
        if turn >= rounds and max(exponents(best)) <= BAR:
            break
        best = [min(known, cpu(at(f), media_type)) for known, f in zip(best, factors, strict=True)]
    before, last = exponents(best)
    sizes = [len(at(f)) for f in factors]
    return {"sizes": sizes, "seconds": best, "before": before, "exponent": last, "peak_mb": peak_mb()}


def main() -> None:
    how, name, media_type, data = sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4])
    if how in ("line", "file"):
        at = {"line": single_line, "file": single_file}[how](data)
        found = growth(at, media_type, 1, ROUNDS if how == "line" else 1)
    else:
        text = decode(Path(name).read_bytes())
        longer = stretched(text) if how == "stretch" else None
        at, least = (longer, 0.25) if longer else (repeated(text), 1)
        found = growth(at, media_type, first_factor(at, media_type, least), ROUNDS)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
