"""Faults that need a whole process, a disk or a server: what a user sees of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

import seamline
from harness.crash import small_disk
from harness.server import SRC, process
from seamline.errors import StoreError

CONFIG = seamline.IndexConfig(embedder="hash")
QUERY = {"query": "pump 7 part 49"}


def note(number: int) -> tuple[str, str]:
    return f"note-{number}.md", f"# Note {number}\n\nPump {number} needs part {number * 7}."


@contextmanager
def read_only(disk: Path) -> Iterator[None]:
    """The kernel refuses every write to a disk, whoever asks."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


def test_a_disk_that_becomes_read_only(tmp_path: Path) -> None:
    """Searches and citations go on, also of a process that opens the index now; a write is refused and told why."""
    with small_disk(tmp_path / "disk", 24 << 20):
        place = tmp_path / "disk" / "kb"
        with seamline.open_index(place, config=CONFIG) as index:
            index.add_many([note(number) for number in range(20)])
        with read_only(tmp_path / "disk"), seamline.open_index(place) as index:
            hit = index.search("pump 7 part 49", k=1).hits[0]
            assert hit.entry.doc == "note-7.md"
            assert index.cite(hit.citation.key).status == "current"
            with pytest.raises(StoreError, match="read-only"):
                index.add(*note(99))
        with seamline.open_index(place) as index:
            index.add(*note(99))
            assert len(index.documents()) == 21
            assert not list(index.verify())


def workers_of(parent: int) -> list[int]:
    """Processes that `--jobs` started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            ppid = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if ppid == parent and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found as Linux tells them")
def test_a_worker_that_is_killed_for_want_of_memory(tmp_path: Path) -> None:
    """The kernel ends whoever takes most: the run says which remedy there is, leaves no process and no half line."""
    for number in range(400):
        (tmp_path / f"{number}.md").write_text("\n\n".join(note(number)[1] for _ in range(200)))
    command = [sys.executable, "-m", "seamline", "chunk", str(tmp_path), "--json", "--jobs", "2"]
    out, env = tmp_path / "out.jsonl", {**os.environ, "PYTHONPATH": str(SRC)}
    with out.open("wb") as lines, subprocess.Popen(command, env=env, stdout=lines, stderr=subprocess.PIPE) as run:
        while not out.stat().st_size:
            time.sleep(0.01)
        workers = workers_of(run.pid)
        os.kill(workers[0], signal.SIGKILL)
        told = run.communicate(timeout=120)[1].decode()
    assert run.returncode != 0
    assert "a worker process was killed, perhaps for want of memory; use fewer --jobs" in told
    assert "Traceback" not in told
    assert all(json.loads(line)["doc"] for line in out.read_text().splitlines())
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]


def test_a_server_that_is_restarted_under_load(tmp_path: Path) -> None:
    """Whoever searches sees refused connections while it is away, and nothing else; then the same answers as before."""
    place = tmp_path / "kb"
    with seamline.open_index(place, config=CONFIG) as index:
        index.add_many([note(number) for number in range(50)])
    answers: list[tuple[int, object]] = []
    breaks: list[str] = []
    stop = threading.Event()

    def ask(url: str) -> None:
        while not stop.is_set():
            try:
                answer = httpx.post(f"{url}/search", json=QUERY, timeout=30)
                answers.append((answer.status_code, [hit["doc"] for hit in answer.json()["hits"]]))
            except httpx.TransportError as error:
                breaks.append(type(error).__name__)
                time.sleep(0.02)

    def wait_for(count: int) -> None:
        end = time.monotonic() + 60
        before = len(answers)
        while len(answers) < before + count and time.monotonic() < end:
            time.sleep(0.01)
        assert len(answers) >= before + count

    options = ("--index", str(place), "-q", "--rate", "0")
    threads = []
    try:
        with process(*options) as first:
            port = first.url.rpartition(":")[2]
            threads = [threading.Thread(target=ask, args=(first.url,)) for _ in range(3)]
            for thread in threads:
                thread.start()
            wait_for(10)
            first.process.kill()
        with process(*options, "--port", port):
            wait_for(10)
            stop.set()
            for thread in threads:
                thread.join(60)
    finally:
        stop.set()
    assert breaks, "nobody asked while it was away: the kill proved nothing"
    assert {*breaks} <= {"ConnectError", "ReadError", "RemoteProtocolError"}
    assert {status for status, _ in answers} == {200}
    assert len({json.dumps(docs) for _, docs in answers}) == 1
