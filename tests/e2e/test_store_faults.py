"""What kills, a full disk, a limit on files and a second writer leave of an index in a folder."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from harness.crash import audit, fill, finish, kill_often, mixtures, picture, refusal, refused, small_disk
from harness.rounds import SHAPE, Scene, Told, opened, run_round, texts
from seamline.api.index import Index
from seamline.embed.hashing import HashEmbedder
from seamline.errors import StoreError
from seamline.index.config import settings_of
from seamline.protocols import Store
from seamline.store import create_store

resource = pytest.importorskip("resource", reason="Windows has no such limits")

KILLS = int(os.environ.get("SEAMLINE_KILLS", "12"))
PER_STORE = 20
"""Kills of one store: after so many rounds an audit of all versions takes longer than the indexing."""


@pytest.fixture(params=["", "lance:"], ids=["sqlite", "lance"])
def kind(request: pytest.FixtureRequest) -> str:
    """What the address of a store starts with."""
    return str(request.param)


@pytest.fixture
def scene(tmp_path: Path, kind: str) -> Scene:
    (tmp_path / "beside").mkdir()
    return Scene(f"{kind}{tmp_path / 'store'}", tmp_path / "beside")


def test_an_indexer_that_is_killed_leaves_no_half_document_and_loses_nothing(tmp_path: Path, kind: str) -> None:
    said: Counter[str] = Counter()
    for number, start in enumerate(range(0, KILLS, PER_STORE)):
        beside = tmp_path / f"beside-{number}"
        beside.mkdir()
        tally = kill_often(
            Scene(f"{kind}{tmp_path}/store-{number}", beside), min(PER_STORE, KILLS - start), seed=number
        )
        assert tally.problems == []
        assert tally.rounds > 0
        said += tally.said
    print(f"{KILLS} kills; the last words were {dict(said)}")


def test_a_reader_sees_the_old_or_the_new_while_another_process_writes(scene: Scene) -> None:
    wrong, seen = mixtures(scene, 25)
    assert wrong == []
    assert seen > 2


def test_a_second_writer_is_told_who_writes(scene: Scene) -> None:
    pid, message = refusal(scene)
    assert f"process {pid}" in message
    assert "wait" in message


def test_a_full_disk_leaves_the_index_as_it_was(tmp_path: Path, kind: str) -> None:
    (tmp_path / "beside").mkdir()
    rng = np.random.default_rng(5)
    with small_disk(tmp_path / "disk", 24 << 20):
        scene = Scene(f"{kind}{tmp_path / 'disk' / 'store'}", tmp_path / "beside")
        told = indexed(scene)
        filler = tmp_path / "disk" / "filler"
        refusals = 0
        for room in (0, 8, 20, 60, 200):
            fill(filler, room << 10)
            message = refused(scene, told)
            if message:
                refusals += 1
                assert "disk is full" in message or "make room" in message
                assert audit(scene, told, rng) == []
            filler.unlink()
            assert finish(scene, told) == []
        assert refusals > 2


def indexed(scene: Scene) -> Told:
    """An index that was brought through one round, and what was said about it."""
    told = Told()
    with opened(scene) as (_, index):
        told.hear({"what": "started", "round": 0})
        run_round(index, scene.folder, 0, told.hear)
        told.hear({"what": "done", "round": 0})
    return told


def test_a_file_that_may_not_grow_leaves_the_index_as_it_was(tmp_path: Path, kind: str) -> None:
    embedder = HashEmbedder()
    store = create_store(f"{kind}{tmp_path / 'store'}", settings_of(SHAPE, embedder))
    index = Index(store, embedder, tmp_path)
    index.add("a.md", texts(0)["docs/1-0.md"])
    refusals = 0
    for number, limit in enumerate((0, 500, 2_000, 6_000, 20_000, 60_000)):
        before = seen_in(store)
        text = f"# New {number}\n\n" + texts(0)["docs/1-0.md"]
        with files_of(limit) as refused:
            index.add("a.md", text)
        if refused:
            refusals += 1
            assert "larger" in refused[0] or "make room" in refused[0], refused
            assert seen_in(store) == before or not index.add("a.md", text).touched
        assert list(store.verify()) == []
        index.add("a.md", text)
    assert refusals > 2
    store.close()


def seen_in(store: Store) -> str:
    with store.reader() as reader:
        return picture(reader)


@contextmanager
def files_of(limit: int) -> Iterator[list[str]]:
    """No file may grow beyond so many bytes; what was said where one had to."""
    said: list[str] = []
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield said
    except StoreError as error:
        said.append(str(error))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
