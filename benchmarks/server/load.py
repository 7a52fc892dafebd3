"""`/search` under load: latency, throughput, overload.

The server is a process of its own; the client is bare sockets in this one, so that it takes little of the same cores.
Every question is a new one, so that no cache of results answers it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import NamedTuple

import seamline

_BATCH = 5000
_WORDS = [
    f"{a}{b}{c}" for a in ("pum", "val", "ro", "mi", "tas", "ke") for b in ("p", "do", "ri", "lu") for c in ("ne", "s")
]
_SLOWER = 1.3
"""How much slower than Index.search a warm search over HTTP may be."""
_GAIN = 1.6
"""Throughput of two processes that search beside that of one."""
_REFUSAL = 0.1
"""Seconds within which a server that has too much to do says so."""
_PAUSE = 0.5
"""Seconds that a client waits when it is refused: half of what Retry-After says."""


class Memory(NamedTuple):
    """Megabytes of a process in memory."""

    anonymous: float
    """The heap, stacks and caches of the process. Only this can leak."""
    file: float
    """Pages of mapped files: programs, libraries, models. The system takes them back when it needs the room."""

    @property
    def resident(self) -> float:
        return self.anonymous + self.file


@dataclass
class Load:
    """What a number of connections saw."""

    connections: int
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    """Of answers with 200."""
    refusals: list[float] = field(default_factory=list)
    """Of answers with 429 or 503."""
    statuses: Counter[str] = field(default_factory=Counter)
    memory: list[Memory] = field(default_factory=list)
    """Of the server, once a second."""

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    @property
    def errors(self) -> int:
        return sum(count for status, count in self.statuses.items() if status not in ("200", "429", "503"))


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def words(chance: random.Random, count: int) -> str:
    return " ".join(_WORDS[int(len(_WORDS) * chance.random() ** 4)] for _ in range(count))


def questions(seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    while True:
        yield words(chance, 5)


def make_index(folder: Path, chunks: int) -> Path:
    """An index of short notes, made once."""
    place = folder / f"load-{chunks}"
    if not place.exists():
        chance = random.Random(1)
        with seamline.open_index(place, config=seamline.IndexConfig(embedder="hash")) as index:
            for first in range(0, chunks, _BATCH):
                numbers = range(first, min(first + _BATCH, chunks))
                texts = [(f"note-{n}.md", f"Note {n}: {words(chance, 60)}.") for n in numbers]
                index.add_many(texts)
    return place


@contextmanager
def serving(place: Path, *options: str) -> Iterator[tuple[int, int]]:
    """The process and the port of a server that is ready."""
    command = [sys.executable, "-m", "seamline", "serve", "--index", str(place), "--port", "0", "-q", "--rate", "0"]
    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert found, line
        port = int(found[1])
        asyncio.run(_until_ready(port))
        yield process.pid, port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


async def _until_ready(port: int) -> None:
    while (await ask(await Connection.open(port), b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")) != "200":
        await asyncio.sleep(0.05)


@dataclass
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def open(cls, port: int) -> Connection:
        return cls(*await asyncio.open_connection("127.0.0.1", port))


async def ask(connection: Connection, request: bytes) -> str:
    """The status of the answer, which is read to its end."""
    connection.writer.write(request)
    head = await connection.reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    await connection.reader.readexactly(int(length[1]) if length else 0)
    return head.split(b" ", 2)[1].decode()


def search_request(query: str, **options: object) -> bytes:
    body = json.dumps({"query": query, **options}).encode()
    head = "POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def run_load(pid: int, port: int, connections: int, seconds: float, silent: int = 0) -> Load:
    """Ask on so many connections; `silent` others ask once and never read their answers."""
    load = Load(connections)
    end = time.perf_counter() + seconds
    rude = [await Connection.open(port) for _ in range(silent)]
    for one in rude:
        one.writer.write(search_request("never read"))

    async def keep_asking(seed: int) -> None:
        connection = await Connection.open(port)
        for query in questions(seed):
            begun = time.perf_counter()
            if begun > end:
                break
            try:
                status = await ask(connection, search_request(query))
            except (OSError, asyncio.IncompleteReadError) as error:
                load.statuses[type(error).__name__] += 1
                connection = await Connection.open(port)
                continue
            took = time.perf_counter() - begun
            load.statuses[status] += 1
            (load.latencies if status == "200" else load.refusals).append(took)
            if status in ("429", "503"):
                connection.writer.close()  # the server may close it too
                await asyncio.sleep(_PAUSE)
                connection = await Connection.open(port)
        connection.writer.close()

    async def watch() -> None:
        while time.perf_counter() < end:
            load.memory.append(memory_of(pid))
            await asyncio.sleep(min(1.0, seconds / 10))

    begun = time.perf_counter()
    await asyncio.gather(watch(), *(keep_asking(seed + 1000 * connections) for seed in range(connections)))
    load.seconds = time.perf_counter() - begun
    for one in rude:
        one.writer.close()
    return load


def memory_of(pid: int) -> Memory:
    """What a process has in memory now; memory that processes share counts as that of files."""
    told = Path(f"/proc/{pid}/status").read_text()
    kilobytes = {name: int(count) for name, count in re.findall(r"^(Rss\w+):\s+(\d+) kB$", told, re.MULTILINE)}
    return Memory(*(1024 * kb / 1e6 for kb in (kilobytes["RssAnon"], kilobytes["RssFile"] + kilobytes["RssShmem"])))


def cpu(pid: int) -> float:
    """Seconds of CPU of a process and its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def direct(place: Path, seconds: float) -> tuple[list[float], float]:
    """Latencies of Index.search in this process, and CPU of each."""
    with seamline.open_index(place) as index:
        index.search("warm up")
        found: list[float] = []
        end, used = time.perf_counter() + seconds, time.process_time()
        for query in questions(7):
            begun = time.perf_counter()
            if begun > end:
                break
            index.search(query).to_dict()
            found.append(time.perf_counter() - begun)
        return found, (time.process_time() - used) / len(found)


def show(name: str, load: Load) -> None:
    half, most = (1000 * percentile(load.latencies, share) for share in (0.5, 0.99))
    resident = [memory.resident for memory in load.memory]
    memory = f"{resident[0]:.0f} .. {max(resident):.0f} .. {resident[-1]:.0f}"
    statuses = ", ".join(f"{status}: {count:,}" for status, count in sorted(load.statuses.items()))
    print(f"| {name} | {load.rate:,.0f} | {half:.1f} | {most:.1f} | {statuses} | {memory} |", flush=True)


def main(arguments: argparse.Namespace) -> int:
    place = arguments.index or make_index(arguments.folder, arguments.chunks)
    seconds = arguments.seconds
    bars: list[tuple[str, bool]] = []

    def bar(text: str, is_kept: bool) -> None:
        bars.append((text, is_kept))

    alone, own = direct(place, seconds)
    half = 1000 * statistics.median(alone)
    print(f"Index.search in one process: p50 {half:.1f} ms, {1000 * own:.1f} ms of CPU each, of {len(alone):,}\n")
    print("| connections | answers/s | p50 ms | p99 ms | statuses | MB: first, most, last |\n|---|---|---|---|---|---|")
    measured: Callable[..., Load] = lambda *given, **named: asyncio.run(run_load(*given, **named))  # noqa: E731
    with serving(place) as (pid, port):
        for connections in arguments.connections:
            before = cpu(pid)
            load = measured(pid, port, connections, seconds, silent=4)
            spent = (cpu(pid) - before) / max(1, sum(load.statuses.values()))
            show(str(connections), load)
            bar(f"{connections} connections: no errors, none refused", load.statuses.keys() == {"200"})
            if connections == 1:
                ratio = percentile(load.latencies, 0.5) / statistics.median(alone)
                bar(f"one connection: p50 {ratio:.2f}x of Index.search (at most {_SLOWER})", ratio <= _SLOWER)
                bar(f"one connection: CPU {spent / own:.2f}x of Index.search", spent <= _SLOWER * own)
    rates = {}
    for workers in (1, 2):
        with serving(place, "--workers", str(workers)) as (pid, port):
            load = measured(pid, port, 8, seconds)
            show(f"8, --workers {workers}", load)
            rates[workers] = load.rate
    bar(f"two workers: {rates[2] / rates[1]:.2f}x of one (at least {_GAIN})", rates[2] >= _GAIN * rates[1])
    with serving(place, "--threads", "1", "--waiting", "4") as (pid, port):
        load = measured(pid, port, 64, seconds)
        show("64, --waiting 4", load)
        slowest = percentile(load.refusals, 0.99)
        bar(f"refused within {1000 * slowest:.0f} ms (p99, at most {1000 * _REFUSAL:g})", slowest <= _REFUSAL)
        bar(f"overload: {len(load.refusals):,} refused, no errors", bool(load.refusals) and not load.errors)
    print()
    for text, is_kept in bars:
        print(f"{'pass' if is_kept else 'FAIL'}  {text}")
    return 0 if all(is_kept for _, is_kept in bars) else 1


def parse(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--index", type=Path, help="an index; else one of short notes is made")
    parser.add_argument("--folder", type=Path, default=Path(gettempdir()), help="where it is made, and kept")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each row")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 8, 64])
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
