"""Where the time goes: CPU share per stage and per function of one pass over markdown.jsonl.

A timer of CPU time interrupts every millisecond; the CPU time since the interrupt before goes to the innermost
frame of seamline. Unlike cProfile this adds nothing to each call, and time inside a tokenizer or parser written
in Rust counts for the function that called it.
"""

from __future__ import annotations

import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from benchmarks import engine
from benchmarks.common import markdown, mdx, need, options, prose, save, table

TICK = 0.001
MARK = "/seamline/"


class Sampler:
    """CPU seconds per (file, function)."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, str], float] = defaultdict(float)
        self._last = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        signal.signal(signal.SIGPROF, self._tick)
        self._last = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _tick(self, _: int, frame: FrameType | None) -> None:
        now = time.process_time()
        self.seconds[_place(frame)] += now - self._last
        self._last = now


def _place(frame: FrameType | None) -> tuple[str, str]:
    """The innermost frame that belongs to seamline."""
    while frame:
        name = frame.f_code.co_filename.replace("\\", "/")
        if MARK in name and "/benchmarks/" not in name:
            return name.rpartition(MARK)[2], frame.f_code.co_qualname
        frame = frame.f_back
    return "outside", "benchmark loop"


def stage(file: str) -> str:
    """tokens/bpe.py -> tokens; cut/pack.py -> cut/pack."""
    return file.rpartition("/")[0] or file


def shares(seconds: dict[tuple[str, str], float], key: Callable[[tuple[str, str]], str]) -> list[tuple[str, float]]:
    grouped: dict[str, float] = defaultdict(float)
    for place, spent in seconds.items():
        grouped[key(place)] += spent
    return sorted(grouped.items(), key=lambda item: -item[1])


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--tokenizer", default="o200k_base", help="o200k_base (default), cl100k_base or estimate")
    parser.add_argument("--top", type=int, default=25, help="functions to show (default 25)")
    args = parser.parse_args()
    if not engine.installed():
        parser.error("seamline is not installed: run `pip install -e .`")
    data = need(args.data)
    corpus = [sample.text for sample in markdown(data)]
    work = engine.texts(args.tokenizer)
    for sample in (*prose(data), *mdx(data)):
        work(sample.text)
    sampler = Sampler()
    with sampler.running():
        for text in corpus:
            work(text)
    total = sum(sampler.seconds.values())
    size = sum(len(text.encode()) for text in corpus) / 1e6
    print(f"{size:.1f} MB in {total:.3f} s CPU = {size / total:.1f} MB/s, {args.tokenizer}\n")
    groups = {
        "stage": shares(sampler.seconds, lambda place: stage(place[0])),
        "file": shares(sampler.seconds, lambda place: place[0]),
        "function": shares(sampler.seconds, lambda place: f"{place[0]}:{place[1]}"),
    }
    for title, found in groups.items():
        rows = [(name, f"{spent:.3f}", f"{spent / total:.1%}") for name, spent in found[: args.top]]
        print(table((title, "CPU s", "share"), rows) + "\n")
    save(args.json, "profile", {"seconds": total, "megabytes": size, **groups})


if __name__ == "__main__":
    main()
