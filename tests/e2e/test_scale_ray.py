"""Indexing on a Ray cluster of three nodes: the same index as on one machine, through the loss of nodes and drivers.

What the index holds is read with LanceDB itself, beside the store.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import lancedb
import obstore
import pytest
from obstore.store import from_url

from harness.endpoint import Endpoint, serving
from harness.object_store import BUCKET, fresh_place, object_store, set_environment
from harness.ray_cluster import RayNodes, ray_nodes
from seamline.api.index import Index, IndexConfig, open_index
from seamline.embed.hashing import HashEmbedder
from seamline.trust.access import Trust

pytestmark = pytest.mark.slow

DOCUMENTS = 56


class Site(NamedTuple):
    """Everything that a run needs."""

    folder: Path
    environment: dict[str, str]
    nodes: RayNodes
    service: Endpoint

    @property
    def embedder(self) -> str:
        return f"openai:hash@{self.service.url}"

    def index(self, place: str, *more: str, patch: str = "") -> subprocess.Popen[str]:
        """`seamline index docs --index PLACE` in a process of its own."""
        code = f"{patch}\nimport sys\nfrom seamline.cli.main import main\nsys.exit(main(sys.argv[1:]))"
        arguments = ["index", "docs", "--index", place, "--embedder", self.embedder, "--json", *more]
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=self.folder,
            env={**os.environ, **self.environment, "RAY_ADDRESS": self.nodes.address},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def open(self, place: str, config: IndexConfig | None = None) -> Index:
        trust = Trust(services=(self.service.url,))
        return open_index(place, config=config, root=self.folder, trust=trust)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "docs").mkdir()
    for number in range(DOCUMENTS):
        parts = [f"Part {part} of note {number} is about topic {(number * 7 + part) % 19}.\n" for part in range(6)]
        (folder / "docs" / f"note{number:02}.md").write_text(f"# Note {number}\n\n" + "\n".join(parts))
    with object_store() as values, serving(HashEmbedder()) as service:
        environment = {**values, "XDG_CONFIG_HOME": str(folder / "config"), "SEAMLINE_API_KEY": "key"}
        with set_environment(environment), ray_nodes(3, environment) as nodes:
            yield Site(folder, environment, nodes, service)


def finish(process: subprocess.Popen[str], code: int = 0) -> dict[str, Any]:
    out, err = process.communicate(timeout=240)
    assert process.returncode == code, (out, err)
    return json.loads(out) if out else {}


def rows_of(site: Site, place: str) -> list[dict[str, Any]]:
    """All rows of the table of entries, at the commit that `current.json` names."""
    state = json.loads(bytes(obstore.get(from_url(place), "current.json").bytes()))["state"]
    table = lancedb.connect(place).open_table(state["entries_table"])
    table.checkout(state["entries"])
    return list(table.search().select(["key", "level", "doc"]).limit(100_000).to_arrow().to_pylist())


def assert_whole(site: Site, place: str) -> None:
    """Every document once, every row once, and nothing without a vector."""
    rows = rows_of(site, place)
    keys = Counter(row["key"] for row in rows)
    assert max(keys.values()) == 1, "rows are doubled"
    assert len([row for row in rows if row["level"] == -1]) == DOCUMENTS
    assert {row["doc"] for row in rows if row["level"] == 0} == {f"docs/note{n:02}.md" for n in range(DOCUMENTS)}
    with site.open(place) as index:
        assert index.missing_vectors() == 0
        assert not list(index._store.verify())


def asked(site: Site) -> Counter[str]:
    """The texts that the service was asked to embed, and how often."""
    return Counter(text for request in list(site.service.asked) for text in request.body["input"])


def test_the_cluster_makes_the_same_index_though_a_node_dies_after_its_effect(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = fresh_place(), fresh_place()
    with site.open(here, IndexConfig(embedder=site.embedder)) as index:
        index.update([site.folder / "docs"])
    site.open(there, IndexConfig(embedder=site.embedder)).close()
    before = asked(site)
    everyone_asked = threading.Event()
    site.service._script += [lambda answer: (everyone_asked.wait(60), answer)[1] for _ in range(3)]
    seen = len(site.service.asked)
    run = site.index(there, "--on", "ray", "--workers", "3")
    deadline = time.monotonic() + 120
    while len(site.service.asked) < seen + 3:  # each worker waits for an answer that the service has counted
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    site.nodes.kill()
    everyone_asked.set()
    report = finish(run)
    assert (report["added"], report["failures"]) == (DOCUMENTS, [])
    during = asked(site) - before
    doubled = sum(count - 1 for count in during.values() if count > 1)
    with capsys.disabled():
        print(f"\ntexts embedded twice since a node died: {doubled}")
    assert doubled > 0, "the node was not killed after an effect"
    assert_whole(site, there)
    with site.open(here) as one, site.open(there) as other:
        with one._store.reader() as left, other._store.reader() as right:
            mine, theirs = (list(reader.select(vectors=True)) for reader in (left, right))
        assert [entry.id for entry in mine] == [entry.id for entry in theirs]
        assert [entry.text for entry in mine] == [entry.text for entry in theirs]
        for entry, twin in zip(mine, theirs, strict=True):
            assert (entry.vector is None) == (twin.vector is None)
            assert entry.vector is None or entry.vector.tobytes() == twin.vector.tobytes()
        for query in ("topic 7", "note 12 part 3", "what is topic 18 about"):
            ranked = [[hit.id for hit in index.search(query, k=20).hits] for index in (one, other)]
            assert ranked[0] == ranked[1]
            assert ranked[0]


KILL = """
import os
import seamline.store.lance.bucket_guard as guard
name_state, calls = guard.replace_state, []
def replace_state(*given):
    calls.append(None)
    if len(calls) == 2 and {before}:
        os._exit(9)
    done = name_state(*given)
    if not {before}:
        os._exit(9)
    return done
guard.replace_state = replace_state
"""


@pytest.mark.parametrize("before", [True, False], ids=["between write and commit", "right after the commit"])
def test_a_driver_that_was_killed_is_resumed(site: Site, before: bool) -> None:
    place = fresh_place()
    finish(site.index(place, "--on", "ray", "--workers", "2", patch=KILL.format(before=before)), code=9)
    done = sum(row["level"] == -1 for row in rows_of(site, place))
    assert 0 < done < DOCUMENTS
    report = finish(site.index(place, "--on", "ray", "--workers", "2"))
    assert (report["added"], report["unchanged"]) == (DOCUMENTS - done, done)
    assert_whole(site, place)


def test_objects_are_read_by_workers(site: Site) -> None:
    place = fresh_place()
    objects = {"a.md": "# A\n\nAlpha.\n", "deep/b.md": "# B\n\nBeta.\n", ".hidden.md": "x", "c.bin": "x"}
    for name, text in objects.items():
        obstore.put(from_url(f"s3://{BUCKET}/texts"), name, text.encode())
    run = site.index(place, "--on", "ray", "--workers", "1", patch=f"import sys; sys.argv[2] = 's3://{BUCKET}/texts'")
    report = finish(run)
    assert (report["added"], report["left_out"]) == (2, {"hidden": 1, "format": 1})
    assert {row["doc"] for row in rows_of(site, place)} == {f"s3://{BUCKET}/texts/{n}" for n in ("a.md", "deep/b.md")}


def test_a_service_that_nobody_allowed_gets_no_text(site: Site) -> None:
    """The index names the service; the user who runs the command has neither named nor trusted it."""
    place = fresh_place()
    site.open(place, IndexConfig(embedder=site.embedder)).close()
    before = len(site.service.asked)
    run = subprocess.run(
        [sys.executable, "-m", "seamline", "index", "docs", "--index", place, "--on", "ray"],
        cwd=site.folder,
        env={**os.environ, "XDG_CONFIG_HOME": str(site.folder / "nobody"), "RAY_ADDRESS": site.nodes.address},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 2
    assert "nothing was sent" in run.stderr
    assert len(site.service.asked) == before
