"""Files that are on the disk for good once they are written, and closed to other users."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seamline.store.folders import PRIVATE, PRIVATE_FOLDER, sync


def replace_file(path: Path, data: bytes) -> None:
    """Make this the content of a file at one stroke."""
    new = path.with_name(f"{path.name}.new")
    write_at(new, data, 0)
    os.replace(new, path)
    sync(path.parent)


def write_at(path: Path, data: bytes, start: int) -> None:
    """Make this what a file holds from a place on."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, PRIVATE)
    try:
        os.ftruncate(descriptor, start)
        os.lseek(descriptor, start, os.SEEK_SET)
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def settle(paths: Iterable[Path]) -> None:
    """Sync files that somebody else wrote, and the folders they are in, and close them to other users."""
    folders = set()
    for path in paths:
        path.chmod(PRIVATE)
        sync(path)
        folders |= {path.parent, path.parent.parent}
    for folder in folders:
        folder.chmod(PRIVATE_FOLDER)
        sync(folder)


def write_checked(path: Path, said: Mapping[str, Any]) -> None:
    """Replace a JSON file by one with a checksum."""
    replace_file(path, json.dumps({**said, "checksum": checksum(said)}, indent=1).encode())


def checksum(said: Mapping[str, Any]) -> str:
    """Of what a JSON file says."""
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
