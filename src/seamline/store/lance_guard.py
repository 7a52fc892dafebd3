"""A list of every file of an embedded index with its size and SHA-256, so that any flipped bit can be found.

Files of the engine are never changed once they are written. Each is listed after the commit that wrote it, and made
durable and private on the way. What a crash left unlisted is listed by the next writer, who first undoes a commit
that the disk does not have whole: nobody was told that it was done.

On a full disk the engine can commit a file of which only a part was written, and say nothing. So the end of every file
is looked at before it is listed.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from seamline.errors import StoreError
from seamline.records import Problem
from seamline.store.lance_engine import told
from seamline.store.locks import PRIVATE

LIST = "files.log"
PRIVATE_FOLDER = 0o700
_REMOVING = "-"
"""A line that says that files may be missing from here on, until the list is written anew."""
_ENDS = {".lance": b"LANC", ".manifest": b"LANC", ".idx": b"LANC", ".arrow": b"ARROW1"}
"""What the files of the engine end with."""
_CUT_OFF = "it is cut off, as by a full disk or a limit on the size of files: make room and run it again"
_HINT = "latest_version_hint.json"
"""The one file that is rewritten. It only saves a look into the folder: with any bit of it flipped, or none at all, the
latest version was found."""
_PARTS = ("data", "_deletions", "_transactions", "_versions")
"""Where a change of rows writes files; indices have a folder of their own."""


class Listed(NamedTuple):
    """What is known about a file."""

    size: int
    sha256: str


class Listing(NamedTuple):
    """The list as it was read."""

    files: dict[str, Listed]
    removing: bool
    """Whether files were being removed when it was written: a missing one is no problem then."""
    damaged: int
    """How many lines are not what was written."""


class Guard:
    """Keeps the list; only a writer has one."""

    def __init__(self, folder: Path, tables: Sequence[str]) -> None:
        self._folder = folder
        self._tables = [folder / f"{table}.lance" for table in tables]
        self._known = read_list(folder).files
        self._seen: set[Path] = set()
        """Files that were looked at in this session."""

    def adopt(self) -> None:
        """List what a crash left unlisted, after undoing the commits that are not whole."""
        self.undo()
        with told(f"cannot list the files of the index in {self._folder}"):
            self._rewrite()

    def undo(self) -> None:
        """Undo all commits that are not listed yet, where a file of one of them is not whole. What they wrote is
        removed when the index is tidied."""
        with told(f"cannot undo what was not written whole to the index in {self._folder}"):
            new = [path for table in self._tables for path in _files(table) if self._name(path) not in self._known]
            if any(map(_torn, new)):
                for path in new:
                    if path.suffix == ".manifest":
                        path.unlink()

    def record(self, *, everywhere: bool = False) -> None:
        """List the files of the last commits, once they are sure to stay: those with rows, or with indices too. A
        StoreError names one that is not whole."""
        with told(f"cannot list the files of the index in {self._folder}"):
            folders = self._tables if everywhere else [table / part for table in self._tables for part in _PARTS]
            look = _files if everywhere else _flat
            found = [path for folder in folders for path in look(folder) if path not in self._seen]
            new = settled([path for path in found if self._name(path) not in self._known])
            if torn := next(filter(_torn, new), None):
                raise StoreError(f"{torn} was not written: {_CUT_OFF}")
            listed = {self._name(path): measure(path) for path in new}
            self._append([_line(name, about) for name, about in listed.items()])
            self._known |= listed
            self._seen |= set(found)

    def expect_removals(self) -> None:
        """From now on and until `forget`, a missing file is no problem."""
        with told(f"cannot list the files of the index in {self._folder}"):
            self._append([_checked(_REMOVING)])

    def forget(self) -> None:
        """Take the files that were removed off the list."""
        with told(f"cannot list the files of the index in {self._folder}"):
            self._rewrite()

    def _rewrite(self) -> None:
        """Write the list anew, of the files that are there; only those are hashed that were not on it."""
        there = {self._name(path): path for table in self._tables for path in _files(table)}
        new = settled([path for name, path in there.items() if name not in self._known])
        known = {name: about for name, about in self._known.items() if name in there}
        known |= {self._name(path): measure(path) for path in new}
        replace_private(self._folder / LIST, "".join(_line(*pair) for pair in known.items()).encode())
        self._known, self._seen = known, set(there.values())

    def _append(self, lines: Sequence[str]) -> None:
        if not lines:
            return
        descriptor = os.open(self._folder / LIST, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE)
        try:
            before = os.fstat(descriptor).st_size
            try:
                _write(descriptor, "".join(lines).encode())
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, before)  # no half line, which the next one would be glued to
                raise
        finally:
            os.close(descriptor)

    def _name(self, path: Path) -> str:
        return path.relative_to(self._folder).as_posix()


def read_list(folder: Path) -> Listing:
    """The list of a folder. A last line without an end is a write that a crash cut off: it does not count."""
    path = folder / LIST
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    files: dict[str, Listed] = {}
    removing, damaged = False, 0
    for line in lines:
        check, _, said = line.decode("utf-8", "replace").partition(" ")
        if _checked(said) != f"{check} {said}\n":
            damaged += 1
        elif said == _REMOVING:
            removing = True
        else:
            sha256, size, name = said.split(" ", 2)
            files[name] = Listed(int(size), sha256)
    return Listing(files, removing, damaged)


def verify_files(folder: Path) -> Iterator[Problem]:
    """Every file that is not what was written; nothing on a healthy index."""
    listing = read_list(folder)
    if listing.damaged:
        yield Problem(LIST, f"{listing.damaged} of its lines are not what was written")
    for name, about in listing.files.items():
        try:
            found = measure(folder / name)
        except FileNotFoundError:
            now = read_list(folder)  # another process may tidy at the moment
            if name in now.files and not now.removing:
                yield Problem(name, "the file is missing")
        except OSError as error:
            yield Problem(name, f"the file cannot be read: {error.strerror}")
        else:
            if found != about:
                yield Problem(name, f"the file is not what was written: its {_difference(found, about)} differs")


def measure(path: Path) -> Listed:
    """Size and hash of a file."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return Listed(file.tell(), sha256)


def settled(paths: Sequence[Path]) -> Sequence[Path]:
    """The same files, on the disk for good and closed to other users."""
    for path in paths:
        path.chmod(PRIVATE)
        _sync(path)
    for folder in {parent for path in paths for parent in (path.parent, path.parent.parent)}:
        folder.chmod(PRIVATE_FOLDER)
        _sync(folder)
    return paths


def replace_private(path: Path, data: bytes) -> None:
    """Make this the content of a file at one stroke, for good, and closed to other users."""
    new = path.with_name(f"{path.name}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    try:
        _write(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(new, path)
    _sync(path.parent)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot, and need not
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _files(folder: Path) -> Iterator[Path]:
    for here, _, names in os.walk(folder):
        yield from (Path(here, name) for name in sorted(names) if name != _HINT)


def _flat(folder: Path) -> Iterable[Path]:
    return [folder / name for name in sorted(os.listdir(folder)) if name != _HINT] if folder.is_dir() else []


def _torn(path: Path) -> bool:
    """Whether a file of the engine lacks its end: power failed before it was written out, or there was no room."""
    size, end = path.stat().st_size, _ENDS.get(path.suffix, b"")
    if size <= len(end):
        return True
    with path.open("rb") as file:
        file.seek(-len(end), os.SEEK_END)
        return bool(end) and file.read() != end


def _line(name: str, about: Listed) -> str:
    return _checked(f"{about.sha256} {about.size} {name}")


def _checked(said: str) -> str:
    """A line with a checksum of its own."""
    return f"{zlib.crc32(said.encode()):08x} {said}\n"


def _difference(found: Listed, about: Listed) -> str:
    return "content" if found.size == about.size else "size"
