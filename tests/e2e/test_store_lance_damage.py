"""What a flipped bit and a missing file leave of a LanceDB store."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import environment
from harness.rounds import SHAPE, texts
from seamline.api.index import Index
from seamline.embed.hashing import HashEmbedder
from seamline.errors import StoreError
from seamline.index.config import settings_of
from seamline.store.lance import LanceLimits, LanceStore

FLIPS = int(os.environ.get("SEAMLINE_FLIPS", "40"))
INDEXED = LanceLimits(count=0, exact=0, few=0)
"""Every index of a large store in the smallest one, so that its files are there to be damaged."""

LOOK = """
import sys
from seamline.errors import StoreError
from seamline.store.lance import LanceStore
from harness.crash import picture
from test_store_lance_damage import INDEXED

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
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-c", LOOK],
            stdin=pipe,
            stdout=pipe,
            env=environment({**os.environ, "PYTHONPATH": path}),
            text=True,
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
