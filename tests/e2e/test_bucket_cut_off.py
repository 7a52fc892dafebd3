"""The network to the object store is cut while `seamline index` writes, at a request that is named, and mended."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import lancedb
import pytest

from conftest import Cli, Ended
from harness.network import How, Network, Request, network
from harness.object_store import fresh_place, object_store, set_environment
from seamline.remote.buckets import Bucket
from seamline.store.lance.bucket_state import read_state
from seamline.store.lance.bucket_store import LanceBucketStore

pytestmark = pytest.mark.slow

MOMENTS = {
    "texts": ("/versions-", "/data/"),
    "rows": ("/entries-", "/data/"),
    "commit of the texts": ("/versions-", "/_versions/"),
    "commit of the rows": ("/entries-", "/_versions/"),
    "naming of the commit": ("/current.json",),
}
"""Parts of the path of a PUT, in the order in which a change is written."""
OLD = {"a.md": "# A\n\nIt stays.\n", "b.md": "# B\n\nIt says one thing.\n", "c.md": "# C\n\nIt stays too.\n"}
NEW = {**OLD, "b.md": "# B\n\nNow it says another thing.\n", "d.md": "# D\n\nIt is new.\n"}
BRIEF = {"AWS_TIMEOUT": "1s", "AWS_CONNECT_TIMEOUT": "1s"}

Ids = dict[str, set[str]]


class Site(NamedTuple):
    """An object store behind a network that can be cut."""

    network: Network
    env: dict[str, str]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with object_store() as values, set_environment(values), network(values["AWS_ENDPOINT_URL"]) as between:
        yield Site(between, {**values, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{between.port}"})


def write(folder: Path, texts: dict[str, str]) -> None:
    (folder / "docs").mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / "docs" / name).write_text(text)


def index(cli: Cli, site: Site, place: str, **env: str) -> Ended:
    return cli("index", "docs", "--index", place, "--embedder", "hash", env={**site.env, **env})


def ids_of(place: str) -> Ids:
    """The ids of each document at the commit that counts, past the network; every row is there once."""
    state = read_state(Bucket(place)).state
    table = lancedb.connect(place).open_table(state.entries_table)
    table.checkout(state.entries)
    rows = table.search().select(["key", "doc", "level"]).limit(1_000_000).to_arrow().to_pylist()
    assert set(Counter(row["key"] for row in rows).values()) == {1}
    found: Ids = defaultdict(set)
    for row in rows:
        if row["level"] >= 0:
            found[row["doc"]].add(row["key"])
    return dict(found)


def put_of(moment: str) -> Callable[[Request], bool]:
    return lambda request: request.method == "PUT" and all(part in request.path for part in MOMENTS[moment])


@pytest.fixture
def place(cli: Cli, site: Site) -> str:
    """An index of the old documents, with the new ones on the disk."""
    made = fresh_place()
    write(cli.folder, OLD)
    assert index(cli, site, made).code == 0
    write(cli.folder, NEW)
    return made


def assert_goes_on(cli: Cli, site: Site, place: str, old: Ids) -> None:
    """Every document is in its old or its new state, and the next run gives what an undisturbed one does."""
    undisturbed = fresh_place()
    assert index(cli, site, undisturbed).code == 0
    new = ids_of(undisturbed)
    assert len(old) == 3
    assert len(new) == 4
    left = ids_of(place)
    assert old.keys() <= left.keys() <= new.keys()
    assert all(ids in (old.get(doc), new[doc]) for doc, ids in left.items())
    again = index(cli, site, place)
    assert (again.code, again.err) == (0, "")
    assert ids_of(place) == new
    assert not list(LanceBucketStore.open(place).verify())


@pytest.mark.parametrize("how", ["before", "after"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_writer_that_is_cut_off_says_so_and_the_next_run_goes_on(
    cli: Cli, site: Site, place: str, moment: str, how: How
) -> None:
    old = ids_of(place)
    site.network.cut_at(put_of(moment), how)
    try:
        ended = index(cli, site, place)
        assert site.network.cut.is_set()
    finally:
        site.network.mend()
    assert_told(ended)
    assert_goes_on(cli, site, place, old)


@pytest.mark.parametrize("moment", ["texts", "naming of the commit"])
def test_a_store_that_falls_silent_is_given_up(cli: Cli, site: Site, place: str, moment: str) -> None:
    old = ids_of(place)
    site.network.cut_at(put_of(moment), "silent")
    began = time.monotonic()
    try:
        ended = index(cli, site, place, **BRIEF)
        assert site.network.cut.is_set()
    finally:
        site.network.mend()
    assert_told(ended)
    assert time.monotonic() - began < 100
    assert_goes_on(cli, site, place, old)


@pytest.mark.parametrize("how", ["before", "after"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_short_cut_is_ridden_out(cli: Cli, site: Site, place: str, moment: str, how: How) -> None:
    """Where only the answer is lost, the repeated write is refused by its condition: by our own, not a rival's."""
    old, before = ids_of(place), read_state(Bucket(place)).state.commit
    site.network.cut_at(put_of(moment), how, times=1)
    ended = index(cli, site, place)
    site.network.mend()
    assert (ended.code, ended.err) == (0, "")
    assert read_state(Bucket(place)).state.commit > before
    assert ids_of(place).keys() > old.keys()
    assert_goes_on(cli, site, place, old)


def assert_told(ended: Ended) -> None:
    """One error: what was not done, what happened, what to do."""
    assert ended.code == 1
    assert len(ended.lines) == 1, ended.err
    assert ended.err.startswith(
        ("seamline: error: the change was not written: ", "seamline: error: cannot write s3://")
    )
    assert "AWS_ENDPOINT_URL and the network, and run it again" in ended.err
    assert "damaged" not in ended.err
