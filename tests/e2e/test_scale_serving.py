"""Several `seamline serve` over one index on object storage: one is killed under load, another takes its place, and all
of them follow a commit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from harness.object_store import fresh_place, object_store, set_environment
from harness.server import ServerProcess, process
from seamline.api.index import Index, IndexConfig, open_index

pytestmark = pytest.mark.slow

QUERIES = ("topic 3", "note 4", "what is topic 5 about", "part 2 of note 7")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    (tmp_path / "docs").mkdir()
    for number in range(10):
        parts = [f"Part {part} of note {number} is about topic {(number + part) % 6}.\n" for part in range(3)]
        (tmp_path / "docs" / f"note{number}.md").write_text(f"# Note {number}\n\n" + "\n".join(parts))
    with object_store() as values, set_environment({**values, "XDG_CONFIG_HOME": str(tmp_path / "config")}):
        monkeypatch.chdir(tmp_path)
        with open_index(fresh_place(), config=IndexConfig(embedder="hash"), root=tmp_path) as made:
            made.update(["docs"])
            yield made


def ranked(server: ServerProcess, query: str) -> list[str]:
    answer = httpx.post(f"{server.url}/search", json={"query": query, "k": 10}, timeout=30)
    answer.raise_for_status()
    return [hit["id"] for hit in answer.json()["hits"]]


def test_a_replica_is_killed_under_load(index: Index, capsys: pytest.CaptureFixture[str]) -> None:
    expected = {query: [hit.id for hit in index.search(query, k=10).hits] for query in QUERIES}
    errors, answers = 0, 0
    with ExitStack() as started:
        first, second = (started.enter_context(process("--index", index.url)) for _ in range(2))
        replicas = [first, second]
        for turn in range(60):
            if turn == 20:
                first.process.kill()
            if turn == 40:  # what a supervisor starts in its place
                first.process.wait(30)
                replicas[0] = started.enter_context(process("--index", index.url))
            query = QUERIES[turn % len(QUERIES)]
            try:
                found = ranked(replicas[turn % 2], query)
            except httpx.TransportError:
                errors += 1
                found = ranked(replicas[1], query)  # as a load balancer does that tries the next one
            assert found == expected[query]
            answers += 1
        with capsys.disabled():
            print(f"\nanswers: {answers}, requests that met the killed replica: {errors}")
        assert answers == 60
        assert 0 < errors <= 10, "a replica was not killed under load, or its replacement does not serve"
        # Every replica follows the next commit.
        Path("docs/note99.md").write_text("# Zeppelins\n\nA zeppelin is a rigid airship.\n")
        index.update(["docs"])
        wanted = index.search("zeppelin airship", k=10).hits[0].id
        deadline = time.monotonic() + 30
        while not all(ranked(replica, "zeppelin airship")[:1] == [wanted] for replica in replicas):
            assert time.monotonic() < deadline
            time.sleep(0.2)
