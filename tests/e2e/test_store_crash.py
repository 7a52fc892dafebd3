"""What an interruption, a full disk and a flipped bit leave of a LanceDB store."""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from seamline.embed.hashing import HashEmbedder
from seamline.errors import StoreError
from seamline.index import Index
from seamline.shape import settings_of
from seamline.store.lance import LanceStore, Limits
from seamline.testing.crash import audit, finish, kill_often, mixtures, picture, refusal
from seamline.testing.disks import fill, refused, small_disk
from seamline.testing.rounds import SHAPE, Scene, Told, opened, run_round, texts

KILLS = int(os.environ.get("SEAMLINE_KILLS", "12"))
FLIPS = int(os.environ.get("SEAMLINE_FLIPS", "40"))
PER_STORE = 20
"""Kills of one store: after so many rounds an audit of all versions takes longer than the indexing."""
INDEXED = Limits(count=0, exact=0, few=0)
"""Every index of a large store in the smallest one, so that its files are there to be damaged."""


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    (tmp_path / "beside").mkdir()
    return Scene(f"lance:{tmp_path / 'store'}", tmp_path / "beside")


def test_an_indexer_that_is_killed_leaves_no_half_document_and_loses_nothing(tmp_path: Path) -> None:
    said: Counter[str] = Counter()
    for number, start in enumerate(range(0, KILLS, PER_STORE)):
        beside = tmp_path / f"beside-{number}"
        beside.mkdir()
        tally = kill_often(
            Scene(f"lance:{tmp_path}/store-{number}", beside), min(PER_STORE, KILLS - start), seed=number
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


# Full disks


def indexed(scene: Scene, rounds: int) -> Told:
    """An index that was brought through some rounds, and what was said about it."""
    told = Told()
    with opened(scene) as (_, index):
        for number in range(rounds):
            told.hear({"what": "started", "round": number})
            run_round(index, scene.folder, number, told.hear)
            told.hear({"what": "done", "round": number})
    return told


def test_a_full_disk_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    rng = np.random.default_rng(5)
    with small_disk(tmp_path / "disk", 24 << 20):
        scene = Scene(f"lance:{tmp_path / 'disk' / 'store'}", tmp_path / "beside")
        told = indexed(scene, 1)
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


def test_a_file_that_may_not_grow_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    store = LanceStore.create(str(tmp_path / "store"), settings_of(SHAPE, embedder))
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
            assert "larger than is allowed" in refused[0] or "make room" in refused[0]
            assert seen_in(store) == before or not index.add("a.md", text).touched
        assert list(store.verify()) == []
        index.add("a.md", text)
    assert refusals > 2
    store.close()


def seen_in(store: LanceStore) -> str:
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


# Flipped bits

LOOK = """
import sys
from seamline.errors import StoreError
from seamline.store.lance import LanceStore
from seamline.testing.crash import picture
from test_store_crash import INDEXED

for line in sys.stdin:
    try:
        with LanceStore.open(line.strip(), limits=INDEXED).reader() as reader:
            print("seen", picture(reader), flush=True)
    except StoreError as error:
        print("refused", error, flush=True)
"""


class Looker:
    """Another process that looks at stores which may be damaged: what it sees, or how it ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def look(self, store: Path) -> str:
        process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{store}\n")
        process.stdin.flush()
        said = process.stdout.readline().strip()
        if not said:
            self.close()
        return said or f"ended with {process.returncode}"

    def _started(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", LOOK], stdin=pipe, stdout=pipe, env=environment, text=True
        )
        return self._process

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()
            self._process = None


@pytest.fixture
def looker() -> Iterator[Looker]:
    looker = Looker()
    yield looker
    looker.close()


def small_store(folder: Path) -> Path:
    """A store with every kind of file: indices, deletions, versions of several states."""
    embedder = HashEmbedder()
    store = LanceStore.create(str(folder / "store"), settings_of(SHAPE, embedder), limits=INDEXED)
    index = Index(store, embedder, folder)
    documents = [f"docs/{n}.md" for n in range(4)]
    for number in (0, 3, 6):
        for doc, text in zip(documents, texts(number).values(), strict=False):
            index.add(doc, text)
    index.remove(documents[2])
    store.close()
    return folder / "store"


def test_a_flipped_bit_is_found_or_harmless(tmp_path: Path, looker: Looker) -> None:
    store = small_store(tmp_path)
    whole = looker.look(store)
    assert whole.startswith("seen")
    files = sorted(path for path in store.rglob("*") if path.is_file() and path.stat().st_size)
    rng = random.Random(11)
    for number in range(FLIPS):
        # Every file as often as another, and then every byte as often as another: both kinds of damage matter.
        sizes = [path.stat().st_size for path in files] if number % 2 else None
        damaged = rng.choices(files, sizes)[0].relative_to(store)
        copy = tmp_path / "copy"
        shutil.copytree(store, copy)
        at = flip(copy / damaged, rng)
        outcome = f"{damaged}, bit {at}: verify {judged(copy)}; a reader: {(seen := looker.look(copy))}"
        assert seen.startswith(("seen", "refused")), outcome
        assert judged(copy) != "nothing" or seen == whole, outcome
        shutil.rmtree(copy)


def flip(file: Path, rng: random.Random) -> int:
    data = bytearray(file.read_bytes())
    at = rng.randrange(8 * len(data))
    data[at // 8] ^= 1 << at % 8
    file.write_bytes(data)
    return at


def judged(store: Path) -> str:
    """What a check of everything says first."""
    try:
        problem = next(LanceStore.open(str(store)).verify(), None)
    except StoreError as error:
        return f"refused: {error}"
    return "nothing" if problem is None else f"{problem.where}: {problem.message}"


def test_a_file_that_is_cut_off_or_missing_is_found(tmp_path: Path, looker: Looker) -> None:
    store = small_store(tmp_path)
    files = sorted(path for path in store.rglob("*") if path.suffix in (".lance", ".manifest", ".json", ".log"))
    rng = random.Random(3)
    hint = "latest_version_hint.json"
    for path in rng.sample([path for path in files if path.name != hint], 8):
        for what in ("cut", "removed"):
            copy = tmp_path / "copy"
            shutil.copytree(store, copy)
            damaged = copy / path.relative_to(store)
            if what == "cut":
                os.truncate(damaged, damaged.stat().st_size // 2)
            else:
                damaged.unlink()
            seen = looker.look(copy)
            assert judged(copy) != "nothing", f"{path.name} {what}: a reader: {seen}"
            assert seen.startswith(("seen", "refused")), f"{path.name} {what}: {seen}"
            shutil.rmtree(copy)
