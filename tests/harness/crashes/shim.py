"""The shim that counts what a process does to files and ends it at the n-th, and the journal it writes: see `shim.c`.

shim = build(folder)                                   compiled, or None with the reason in `missing()`
shim.arm(root, journal, at=17)                         in a child: it ends before its 17th operation below `root`
shim.say({"doc": "a.md"})                              a remark for the journal, between two operations
read_journal(journal)                                  what it did and said, in order
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

SOURCE = Path(__file__).with_name("shim.c")
_RECORD = struct.Struct("<IIQQIIQ")


class Kind(IntEnum):
    """What was done; the numbers are those of `shim.c`."""

    MARK = 0
    DIED = 1
    WRITE = 2
    TRUNCATE = 3
    SYNC = 4
    CREATE = 5
    MKDIR = 6
    RENAME = 7
    LINK = 8
    UNLINK = 9
    RMDIR = 10
    MAPPED = 11
    CONTENT = 12
    FLUSH = 13
    UNKNOWN = 14
    REFUSED = 15


class Record(NamedTuple):
    """One line of a journal."""

    kind: Kind
    counted: bool
    """Whether it is an operation, at which a process can be ended."""
    inode: int
    offset: int
    """Where it was written; the new size; of DIED, the kind of the operation that was not done."""
    path: str
    other: str
    """The new name of a rename or link."""
    data: bytes


def missing() -> str:
    """Why the shim cannot be used here; empty where it can."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return "the crash shim needs Linux on x86-64"
    if shutil.which("cc") is None:
        return "the crash shim needs a C compiler (`cc`)"
    if not SOURCE.exists():
        return "shim.c is not installed: run this from the repository"
    return ""


class Shim:
    """The compiled shim, in this process and in those forked from it."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.shim_arm.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int]
        self._library.shim_mark.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

    def arm(self, root: Path, journal: Path, *, at: int = 0, torn: bool = False, data: bool = False) -> None:
        """Count what this process does below `root` from now on, and end it before the operation `at`; never where that
        is 0. With `torn`, half of a write is done first; with `data`, the journal holds what is written."""
        folder, to = os.fsencode(os.path.realpath(root)), os.fsencode(journal)
        if failed := self._library.shim_arm(folder, to, at, torn, data):
            raise OSError(failed, f"the crash shim cannot be used here: {os.strerror(failed)}")

    def say(self, said: Mapping[str, Any]) -> None:
        """Put a remark into the journal."""
        line = json.dumps(said).encode()
        self._library.shim_mark(line, len(line))


def build(folder: Path) -> Shim:
    """Compile the shim into a folder."""
    library = folder / "shim.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", str(library), str(SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the crash shim cannot be compiled: {done.stderr[-2000:]}")
    return Shim(library)


def read_journal(journal: Path) -> list[Record]:
    """What a process did and said. A record that a kill cut off does not count."""
    return list(_records(journal.read_bytes())) if journal.exists() else []


def _records(data: bytes) -> Iterator[Record]:
    at = 0
    while at + _RECORD.size <= len(data):
        kind, counted, inode, offset, path, other, size = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        if at + path + other + size > len(data):
            return
        ends = at + path, at + path + other, at + path + other + size
        names = os.fsdecode(data[at : ends[0]]), os.fsdecode(data[ends[0] : ends[1]])
        yield Record(Kind(kind), bool(counted), inode, offset, *names, data[ends[1] : ends[2]])
        at = ends[2]


def operations(journal: list[Record]) -> int:
    """How many operations a journal has."""
    return sum(record.counted for record in journal)
