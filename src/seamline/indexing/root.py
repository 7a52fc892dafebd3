"""From which folder the documents of an index are named: the one around it, or the one it was made for."""

from __future__ import annotations

import os
from pathlib import Path

from seamline.errors import StoreError

_FILE = "root"
"""Beside the store: the way from the index to that folder, so that both can be moved together."""
_LONGEST = 4096


def root_of(index: Path) -> Path:
    """The folder that names of documents start from."""
    file = index / _FILE
    try:
        with file.open(encoding="utf-8") as held:
            way = held.read(_LONGEST).rstrip("\n")
    except FileNotFoundError:
        return Path(os.path.abspath(index)).parent
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{file} cannot be read: {error}: it says where the documents are, make it readable") from None
    if not way or "\0" in way or "\n" in way:
        raise StoreError(
            f"{file} does not hold the path of a folder: write the way from {index} to the documents there"
        )
    return Path(os.path.abspath(index / way))


def remember_root(index: Path, root: Path) -> None:
    """Write down the folder, unless it is the one around the index anyway."""
    here = os.path.abspath(index)
    if Path(os.path.abspath(root)) == Path(here).parent:
        return
    try:
        way = os.path.relpath(root, here)
    except ValueError:  # another drive of Windows
        way = os.path.abspath(root)
    try:
        with open(os.open(index / _FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(f"{Path(way).as_posix()}\n")
    except OSError as error:
        raise StoreError(f"cannot write {index / _FILE}: {error.strerror}: name a folder that can be written") from None
