"""A LanceDB store of another layout is refused with a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from seamline.errors import StoreError
from seamline.store.lance import LanceStore
from seamline.store.lance.folder import ENTRIES, LAYOUT, VERSIONS, LanceFolder, write_settings
from seamline.testing.entries import SETTINGS
from seamline.testing.stores.site import put


def older(folder: Path, layout: int) -> None:
    """An index that says it has another layout."""
    store = LanceStore.create(str(folder), SETTINGS)
    put(store, "a.md", "common and new")
    write_settings(folder, LanceFolder(layout, SETTINGS, ENTRIES, VERSIONS))


@pytest.mark.parametrize("layout", [0, 1, LAYOUT - 1])
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
