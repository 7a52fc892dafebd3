"""Memory of `seamline serve` while it is asked for minutes, by clients of all kinds.

Eight connections ask new questions one after the other; meanwhile some clients ask for 1,000 hits and never read them,
and some go away before their answer comes. The server may answer no error, and its memory must stay where it is.

Anonymous memory is judged: the heap with all caches, the only kind that can leak. Pages of mapped files are told beside
it; the system takes those back when it needs the room.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir

from benchmarks.server.load import Connection, Load, make_index, memory_of, run_load, search_request, serving, show

_WARM = 0.5
"""Share of the time after which caches are full."""
_STEEPEST = 1.0
"""Megabytes per minute by which anonymous memory may grow from then on."""
_ROWS = 20
_RUDE_EVERY = 10.0
"""Seconds between two clients that do not behave."""
_SILENT = 4
"""Connections at most on which answers wait that nobody reads."""


def slope(memory: Sequence[float], seconds: float) -> float:
    """Megabytes per minute, by least squares over samples at even times."""
    count = len(memory)
    step = seconds / max(count - 1, 1) / 60
    middle, mean = (count - 1) / 2, sum(memory) / count
    above = sum((n - middle) * (value - mean) for n, value in enumerate(memory))
    below = sum((n - middle) ** 2 for n in range(count))
    return above / below / step if below else 0.0


async def be_rude(port: int, seconds: float) -> int:
    """Ask and go away, or ask for much and never read it; how often."""
    kept: list[Connection] = []
    count = 0
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        gone, silent = await Connection.open(port), await Connection.open(port)
        gone.writer.write(search_request(f"gone {count}"))
        await gone.writer.drain()
        gone.writer.transport.abort()
        silent.writer.write(search_request(f"never read {count}", k=1000))
        kept.append(silent)
        if len(kept) > _SILENT:
            kept.pop(0).writer.transport.abort()
        count += 2
        await asyncio.sleep(_RUDE_EVERY)
    for one in kept:
        one.writer.transport.abort()
    return count


async def soak(pid: int, port: int, connections: int, seconds: float) -> tuple[Load, int]:
    load, rude = await asyncio.gather(run_load(pid, port, connections, seconds), be_rude(port, seconds))
    return load, rude


def main(arguments: argparse.Namespace) -> int:
    place = arguments.index or make_index(arguments.folder, arguments.chunks)
    with serving(place) as (pid, port):
        load, rude = asyncio.run(soak(pid, port, arguments.connections, arguments.seconds))
        files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        after = memory_of(pid)
    print("| connections | answers/s | p50 ms | p99 ms | statuses | MB: first, most, last |\n|---|---|---|---|---|---|")
    show(f"{arguments.connections} for {arguments.seconds:g} s, {rude} rude clients", load)
    print("\n| minute | anonymous MB | MB of files |\n|---|---|---|")
    for row in range(_ROWS + 1):
        at = min(row * len(load.memory) // _ROWS, len(load.memory) - 1)
        memory = load.memory[at]
        print(f"| {arguments.seconds / 60 * at / len(load.memory):.1f} | {memory.anonymous:.1f} | {memory.file:.1f} |")
    warm = load.memory[int(_WARM * len(load.memory)) :]
    anonymous, file = (slope(column, arguments.seconds * (1 - _WARM)) for column in zip(*warm, strict=True))
    print(f"\nafterwards: anonymous {after.anonymous:.1f} MB, files {after.file:.1f} MB, {files} open files")
    print(f"second half: anonymous {anonymous:+.2f} MB a minute, files {file:+.2f} MB a minute")
    print(json.dumps({"memory": load.memory}), file=sys.stderr)
    bars = [
        (f"anonymous memory grows by {anonymous:+.2f} MB a minute (below {_STEEPEST})", anonymous < _STEEPEST),
        (f"{load.errors} errors of {sum(load.statuses.values()):,}, {len(load.refusals)} refused", not load.errors),
    ]
    for text, is_kept in bars:
        print(f"{'pass' if is_kept else 'FAIL'}  {text}")
    return 0 if all(is_kept for _, is_kept in bars) else 1


def parse(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--index", type=Path, help="an index; else one of short notes is made")
    parser.add_argument("--folder", type=Path, default=Path(gettempdir()), help="where it is made, and kept")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--connections", type=int, default=8)
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
