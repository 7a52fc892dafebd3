"""How the process of the parsers is started, and which walls a system has around it.

It runs isolated, in the root folder, and without the user's secrets. Apart from `cage`, so that the parent does not
load ctypes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from seamline.trust.search_path import trusted_entries

FOLDER = os.path.abspath(os.sep)
"""Where it runs: documents come as bytes, so it has no use for the current folder."""
_PASSED = (
    "PATH",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "LANG",
    "LANGUAGE",
    "SYSTEMROOT",
    "WINDIR",
    "SEAMLINE_NATIVE",
    "OMP_NUM_THREADS",
    "OMP_THREAD_LIMIT",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "CT2_FORCE_CPU_ISA",
)
"""Variables that the child gets as they are, and LC_*; all others, API keys among them, stay here."""
_FOLDERS = ("SEAMLINE_ASR_MODEL", "TESSDATA_PREFIX")
"""Variables that name a folder, which may be relative to the folder of the parent."""
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that list folders of shared libraries; Python itself may be among them."""
_SET = {"ARROW_DEFAULT_MEMORY_POOL": "system"}
"""Arrow's own allocator reserves 1.1 GB of addresses for a table of a kilobyte, which would look like memory."""
_BOOT = "import sys; sys.path += sys.argv[2:]; from seamline.parse.isolate.child import main; main(sys.argv[1])"
"""The standard library comes first: no file of another folder can stand in for a module of it."""


class ChildStart(NamedTuple):
    """What the child is told on its command line."""

    parser: str
    """The parser that is asked for first; its modules are loaded before the cage is closed."""
    memory: int
    """Bytes that the largest document may take."""
    lifeline: int
    """A pipe that closes when the parent ends; -1 where there is none."""
    readable: list[str]
    """Folders of models and libraries that parsers may read, beside those of Python."""


def command(start: ChildStart, folders: Sequence[str] = ()) -> list[str]:
    """The program and its arguments: isolated (-I) and without `site` (-S), so that only these entries count, and
    `folders` of plugins after them."""
    path = [*trusted_entries(), *folders]
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, json.dumps(start), *path]


def plugin_folders(parser: str) -> tuple[str, ...]:
    """Folders that the parser of a plugin is imported from and that are not on the search path, as an editable install
    has them: its import hook is not there in the child."""
    top = parser.partition(":")[0].partition(".")[0]
    if top == "seamline":
        return ()
    from importlib.util import find_spec

    spec = find_spec(top)
    places = list(spec.submodule_search_locations or [spec.origin or ""]) if spec else []
    known = trusted_entries()
    return tuple(folder for place in places if place and (folder := os.path.dirname(place)) not in known)


def environment() -> dict[str, str]:
    """The variables of the child."""
    kept = {name: value for name, value in os.environ.items() if name in _PASSED or name.startswith("LC_")}
    for name in _FOLDERS:
        if value := os.environ.get(name):
            kept[name] = os.path.abspath(value)
    for name in _LIBRARIES:
        if folders := _absolute(os.environ.get(name, "")):
            kept[name] = os.pathsep.join(folders)
    return kept | _SET


def readable() -> list[str]:
    """Folders outside of `sys.path` that parsers may need: models, languages, libraries, the installation's own."""
    named = [os.path.abspath(os.environ[name]) for name in _FOLDERS if os.environ.get(name)]
    libraries = [folder for name in _LIBRARIES for folder in _absolute(os.environ.get(name, ""))]
    return [*named, *libraries, sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]


def _absolute(folders: str) -> list[str]:
    return [folder for folder in folders.split(os.pathsep) if os.path.isabs(folder)]


LIFETIME = 2 * 86_400
"""Seconds of CPU time after which the kernel ends a child, whatever it asks for."""


class IsolationLevel(NamedTuple):
    """What holds a parser."""

    landlock: int = 0
    """The version of Landlock's ABI; 0 where files and TCP are not held by the kernel."""
    seccomp: bool = False
    limits: bool = False
    unbound: Sequence[str] = ()
    """Limits that the system has, but would not set."""

    @property
    def is_full(self) -> bool:
        return bool(self.landlock and self.seccomp and self.limits and not self.unbound)

    def describe(self) -> str:
        """Such as `Landlock ABI 4, seccomp, limits`, and what is missing."""
        limits = f"limits but for {', '.join(self.unbound)}" if self.unbound else "limits"
        parts = ((f"Landlock ABI {self.landlock}", self.landlock), ("seccomp", self.seccomp), (limits, self.limits))
        held = ", ".join(name for name, holds in parts if holds) or "a process of its own"
        missing = " and no ".join(name.split(" ABI")[0] for name, holds in parts if not holds)
        return f"{held}; this system has no {missing}" if missing else held
