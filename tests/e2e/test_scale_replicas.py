"""`seamline serve --on ray`: replicas on a real Ray over one index on object storage. One is killed under load, and all
of them follow a commit."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from harness.object_store import fresh_place, object_store, set_environment
from harness.ray_cluster import ray_nodes
from harness.server import SECRETS, bearer
from seamline.api.index import Index, IndexConfig, open_index

pytestmark = pytest.mark.slow

QUERIES = ("topic 3", "note 4", "what is topic 5 about", "part 2 of note 7")
TOKENS = "".join(
    f'[[token]]\nname = "{name}"\ntoken = "{SECRETS[name]}"\nrights = ["read"{more}]\n'
    for name, more in (("read", ""), ("write", ', "write"'))
)


@dataclass(frozen=True)
class Replicas:
    """A running command, and where it serves."""

    process: subprocess.Popen[str]
    url: str

    def ask(self, query: str, as_whom: str = "read") -> httpx.Response:
        asked = {"query": query, "k": 10}
        return httpx.post(f"{self.url}/search", json=asked, headers=bearer(as_whom), timeout=30)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "docs").mkdir()
    for number in range(10):
        parts = [f"Part {part} of note {number} is about topic {(number + part) % 6}.\n" for part in range(3)]
        (folder / "docs" / f"note{number}.md").write_text(f"# Note {number}\n\n" + "\n".join(parts))
    with object_store() as values:
        environment = {**values, "XDG_CONFIG_HOME": str(folder / "config")}
        with (
            set_environment(environment),
            ray_nodes(2, environment) as nodes,
            set_environment({"RAY_ADDRESS": nodes.address}),
            open_index(fresh_place(), config=IndexConfig(embedder="hash"), root=folder) as made,
        ):
            made.update([folder / "docs"])
            yield made


@contextmanager
def replicas(index: Index, *options: str) -> Iterator[Replicas]:
    """The command, as soon as it says that it serves."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    tokens = index.root / "tokens.toml"
    tokens.write_text(TOKENS)
    tokens.chmod(0o600)
    command = [sys.executable, "-m", "seamline", "serve", "--on", "ray", "--index", index.url, "--port", str(port)]
    errors = index.root / "serve.log"
    with errors.open("w") as file:
        process = subprocess.Popen(
            [*command, "--token-file", str(tokens), *options], env=dict(os.environ), stderr=file, text=True
        )
    try:
        deadline = time.monotonic() + 240
        while "serving default" not in errors.read_text():
            assert process.poll() is None, errors.read_text()
            assert time.monotonic() < deadline, errors.read_text()
            time.sleep(0.2)
        yield Replicas(process, f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        assert process.wait(60) == 0, errors.read_text()
        assert errors.read_text().rstrip().endswith("stopped")


def replica_processes() -> set[int]:
    """The processes of replicas on this machine, by the name that Ray gives them."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            name = entry.read_bytes()
        except OSError:
            continue
        if name.startswith(b"ray::ServeReplica:seamline:"):
            found.add(int(entry.parent.name))
    return found


def wait_for(condition: object, seconds: float, message: str) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, message
        time.sleep(0.2)


def ranked(answer: httpx.Response) -> list[str]:
    return [hit["id"] for hit in answer.json()["hits"]]


def test_a_replica_is_killed_under_load_and_all_follow_a_commit(
    index: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = {query: [hit.id for hit in index.search(query, k=10).hits] for query in QUERIES}
    with replicas(index, "--replicas", "2", "--rate", "0") as running:
        before = replica_processes()
        assert len(before) == 2
        outcomes: Counter[str] = Counter()
        marks: set[str] = set()
        ended = threading.Event()

        def ask(number: int) -> None:
            while not ended.is_set():
                query = QUERIES[number % len(QUERIES)]
                try:
                    answer = running.ask(query)
                except httpx.TransportError:
                    outcomes["connection"] += 1
                    continue
                outcomes[str(answer.status_code)] += 1
                if answer.status_code == 200:
                    marks.add(answer.headers["etag"])
                    if ranked(answer) != expected[query]:
                        outcomes["other answer"] += 1
                number += 1

        callers = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for caller in callers:
            caller.start()
        try:
            wait_for(lambda: outcomes["200"] >= 40, 60, "no answers")
            killed = min(before)
            os.kill(killed, 9)
            answered = outcomes["200"]
            wait_for(lambda: len(replica_processes() - before) == 1, 90, "no replica took its place")
            wait_for(lambda: outcomes["200"] >= answered + 60, 60, "no answers after the kill")
        finally:
            ended.set()
            for caller in callers:
                caller.join(60)
        errors = sum(count for name, count in outcomes.items() if name != "200")
        with capsys.disabled():
            print(f"\nanswers: {outcomes['200']}, errors since a replica was killed: {errors} ({dict(outcomes)})")
        assert outcomes["other answer"] == 0
        assert errors <= 8, "more than what was at the killed replica failed"
        assert len(marks) == 1, "replicas answered from several states"
        # The one that was left is killed too: whoever answers now is a replacement.
        survivor = (before - {killed}).pop()
        wait_for(lambda: len(replica_processes()) == 2, 60, "the replacement is not there")
        os.kill(survivor, 9)
        wait_for(lambda: running.ask(QUERIES[0]).status_code == 200, 60, "the replacement does not serve")
        assert ranked(running.ask(QUERIES[0])) == expected[QUERIES[0]]
        # Nobody writes here, whatever the token says.
        refused = httpx.post(
            f"{running.url}/documents", json={"documents": [{"id": "a.md", "text": "A"}]}, headers=bearer("write")
        )
        assert refused.status_code == 403
        assert refused.headers["content-type"] == "application/problem+json"
        assert "seamline index" in refused.json()["detail"]
        assert running.ask(QUERIES[0], "nobody").status_code == 401
        # A commit rolls forward.
        (index.root / "docs" / "note99.md").write_text("# Zeppelins\n\nA zeppelin is a rigid airship.\n")
        index.update([index.root / "docs"])
        wanted = index.search("zeppelin airship", k=10).hits[0].id
        wait_for(lambda: ranked(running.ask("zeppelin airship"))[:1] == [wanted], 30, "the commit is not seen")
        wait_for(
            lambda: all(ranked(running.ask("zeppelin airship"))[:1] == [wanted] for _ in range(12)), 30, "not by all"
        )
    wait_for(lambda: not replica_processes(), 60, "replicas are left behind")
