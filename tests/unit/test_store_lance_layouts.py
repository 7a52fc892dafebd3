"""A LanceDB store of an older layout is brought to the present one, or refused with a remedy."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from seamline.errors import StoreError
from seamline.filters.tree import Test
from seamline.store.lance import LanceStore
from seamline.store.lance.folder import ENTRIES, LAYOUT, VERSIONS, LanceFolder, read_settings, write_settings
from seamline.store.lance.guard import CURRENT, read_state
from seamline.testing.entries import AXES, SETTINGS, entry, plain
from seamline.testing.stores.site import put, put_entries


def seen(folder: Path) -> list[object]:
    """Everything that can be read, and some answers."""
    with LanceStore.open(str(folder)).reader() as reader:
        heads = list(reader.heads())
        return [
            [plain(one) for one in reader.select(vectors=True)],
            heads,
            [reader.version(head.doc, number) for head in heads for number in reader.versions(head.doc)],
            reader.matching("common new", 9),
            reader.near(AXES[0], 9),
        ]


def older(folder: Path, layout: int = 2) -> list[object]:
    """An index as layout 2 had it: without a file that says which commits count. What can be read of it."""
    store = LanceStore.create(str(folder), SETTINGS)
    for doc in ("a.md", "b.md"):
        made = [replace(entry(doc, f"common {n}"), meta={"team": "infra", "n": float(n)}) for n in range(3)]
        put_entries(store, doc, made)
    put(store, "a.md", "common and new")
    before = seen(folder)
    (folder / read_state(folder).log).rename(folder / "files.log")
    (folder / CURRENT).unlink()
    write_settings(folder, LanceFolder(layout, SETTINGS, ENTRIES, VERSIONS))
    return before


def test_the_layout_before_is_brought_to_the_present_one(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    before = older(folder)
    assert seen(folder) == before
    assert read_settings(folder).layout == LAYOUT
    assert not (folder / "files.log").exists()
    store = LanceStore.open(str(folder))
    assert list(store.verify()) == []
    with store.reader() as reader:
        assert reader.count(Test("meta.team", "=", "infra")) == 3
    put(store, "b.md", "common after all")
    assert list(store.verify()) == []


def test_who_is_interrupted_on_the_way_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "index"
    before = older(folder)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("seamline.store.lance.folder.write_settings", interrupted)
        with pytest.raises(KeyboardInterrupt):
            LanceStore.open(str(folder))
    assert read_settings(folder).layout == 2
    assert seen(folder) == before
    assert list(LanceStore.open(str(folder)).verify()) == []


@pytest.mark.parametrize("layout", [0, 1])
def test_a_layout_that_is_too_old_is_refused(tmp_path: Path, layout: int) -> None:
    older(tmp_path / "index", layout)
    with pytest.raises(StoreError, match="too old: index again into another folder"):
        LanceStore.open(str(tmp_path / "index"))


def test_a_layout_of_the_future_is_refused_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    older(folder, layout=LAYOUT + 1)
    with pytest.raises(StoreError, match="pip install -U seamline"):
        LanceStore.open(str(folder))
    with pytest.raises(StoreError, match="pip install -U seamline"):
        LanceStore.create(str(folder), SETTINGS)


def test_an_index_that_is_written_to_is_not_changed_beneath_it(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    older(folder)
    script = (
        "import sys; from pathlib import Path; from seamline.store.folders import WriterLock\n"
        "lock = WriterLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.readline()"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", script, str(folder)], stdin=pipe, stdout=pipe) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match=f"process {other.pid}"):
            LanceStore.open(str(folder))
        other.communicate(b"\n")
    assert read_settings(folder).layout == 2
