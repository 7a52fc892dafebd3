"""CPU of `seamline serve` from the start of its process to the first answer of `/search`.

Children count too, such as processes that parse or search. The default embedder is used unless the index has another;
every run is a new process, and the files are in the cache of the system, as after `seamline index`.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import seamline
from benchmarks.server.load import Connection, ask, cpu, search_request

_HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
_MOST = 2.0
"""Seconds of CPU that a server may take until it has answered."""


def first_answer(place: Path, query: str, *options: str) -> tuple[float, float]:
    """CPU and wall seconds until the answer is there. The search is sent as soon as somebody listens."""
    command = [sys.executable, "-m", "seamline", "serve", "--index", str(place), "--port", "0", "-q", *options]
    begun = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert found, line
        status = asyncio.run(_ask(int(found[1]), query))
        assert status == "200", status
        return cpu(process.pid), time.perf_counter() - begun
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


async def _ask(port: int, query: str) -> str:
    connection = await Connection.open(port)
    try:
        return await ask(connection, search_request(query))
    finally:
        connection.writer.close()


def measure(name: str, place: Path, query: str, runs: int) -> bool:
    """Print a row of the table; whether the bar is kept."""
    times = [first_answer(place, query) for _ in range(runs)]
    spent, waited = (statistics.median(column) for column in zip(*times, strict=True))
    most = max(used for used, _ in times)
    print(f"| {name} | {spent:.2f} | {most:.2f} | {waited:.2f} |", flush=True)
    return bool(spent <= _MOST)


def main(arguments: argparse.Namespace) -> int:
    print("| index | CPU s, median | CPU s, most | wall s, median |\n|---|---|---|---|")
    with TemporaryDirectory() as folder:
        place = Path(folder) / "handbook"
        with seamline.open_index(place, config=seamline.IndexConfig()) as index:
            index.update([_HANDBOOK])
        kept = [measure("examples/handbook", place, "how long are events kept", arguments.runs)]
        kept += [measure(place.name, place, "an unknown word", arguments.runs) for place in arguments.index]
    print(f"\n{'pass' if all(kept) else 'FAIL'}  at most {_MOST:g} s of CPU to the first answer")
    return 0 if all(kept) else 1


def parse(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--index", type=Path, nargs="*", default=[], help="other indexes to start with")
    parser.add_argument("--runs", type=int, default=7)
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
