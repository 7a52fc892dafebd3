"""Landlock, by which a Linux process gives up files and the network for good. Called through ctypes."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from functools import cache
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""System calls; the same numbers on every architecture."""
_VERSION = 1
_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""ABI -> how many rights over files it knows; 16 from 5 on."""
_TCP = 0b11
"""Binding and connecting, from ABI 4 on."""
_SCOPES = 0b11
"""Abstract sockets and signals to processes outside, from ABI 6 on."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # said of a packed structure from Python 3.14 on
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def abi() -> int:
    """The version that the kernel offers; 0 where it has none, or where it is switched off."""
    return max(_call(_CREATE, None, 0, _VERSION), 0)


def restrict(readable: Iterable[str]) -> int:
    """Give up all files but those under these paths, which may be read, and TCP; the ABI, 0 where nothing was given up.
    It holds for the calling thread and those it starts; `no_new_privs` must be set."""
    version = abi()
    if not version:
        return 0
    files = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    rights = _Ruleset(files, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    known = 24 if version >= 6 else 16 if version >= 4 else 8  # bytes of the structure: an old kernel refuses more
    ruleset = _call(_CREATE, ctypes.byref(rights), known, 0)
    if ruleset < 0:
        return 0
    try:
        for path in dict.fromkeys(readable):
            _allow(ruleset, path)
        return 0 if _call(_RESTRICT, ruleset, 0) else version
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str) -> None:
    """Allow reading under a path; one that is not there needs no rule."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE
        _call(_ADD, ruleset, _BENEATH, ctypes.byref(_Beneath(rights, handle)), 0)
    finally:
        os.close(handle)


@cache
def _syscall() -> Any:
    found = ctypes.CDLL(None).syscall
    found.restype = ctypes.c_long
    return found


def _call(number: int, *arguments: object) -> int:
    """A system call; -1 where the kernel refuses it."""
    result: int = _syscall()(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    return result
