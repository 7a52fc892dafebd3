"""Disks that are full: a small one, what fills it, and an indexer that has no room.

with small_disk(folder, 24 << 20):           a file system of so many bytes, where tests may mount one
    fill(folder / "filler", 8 << 10)         of which so many are left
    refused(scene, told)                     what the next round of an indexer says to that
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from seamline.errors import StoreError
from seamline.testing.rounds import Scene, Told, opened, run_round


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A new folder that holds no more than so many bytes; the test is skipped where it may not make one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("making a small disk needs the right to mount one")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(filler: Path, room: int) -> None:
    """Leave so many bytes of a disk."""
    free = os.statvfs(filler.parent)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(4096, free.f_bavail * free.f_frsize - room))


def refused(scene: Scene, told: Told) -> str:
    """Try the next round where it may not have room; what was said if it had none."""
    told.hear({"what": "started", "round": told.done + 1})
    try:
        with opened(scene) as (_, index):
            run_round(index, scene.folder, told.started, told.hear)
    except StoreError as error:
        return str(error)
    told.hear({"what": "done", "round": told.started})
    return ""
