"""Folders of stores: closed to other users, and on the disk for good."""

from __future__ import annotations

import os
from pathlib import Path

PRIVATE_FOLDER = 0o700


def make_folder(folder: Path) -> None:
    """Make a folder, with those around it that are missing, so that it survives a loss of power."""
    missing = [path for path in (folder.absolute(), *folder.absolute().parents) if not path.exists()]
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    for path in missing:
        sync(path.parent)
    folder.chmod(PRIVATE_FOLDER)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot, and need not
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
