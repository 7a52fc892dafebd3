"""From which folder the documents of an index are named: the one around it, or the one it was made for."""

from __future__ import annotations

import os
from pathlib import Path

from seamline.errors import StoreError


def folder_of(index: Path, way: str) -> Path:
    """The folder that names of documents start from, by the way to it from the index."""
    if "\0" in way or "\n" in way:
        raise StoreError(f"the index in {index} does not name the folder of its documents: index again")
    return Path(os.path.abspath(index / (way or "..")))


def way_to(root: Path, index: Path) -> str:
    """The way from an index to a folder, so that both can be moved together; empty for the folder around it."""
    here = os.path.abspath(index)
    if Path(os.path.abspath(root)) == Path(here).parent:
        return ""
    try:
        way = os.path.relpath(root, here)
    except ValueError:  # another drive of Windows
        way = os.path.abspath(root)
    return Path(way).as_posix()
