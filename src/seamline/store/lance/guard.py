"""Which commits of the engine count, and a hash of every file they need.

A commit of LanceDB is atomic, and leaves the state before it as it was. But the engine syncs nothing, and on a full
disk it commits files that were cut off, and says nothing. So a commit counts from the moment `current.json` names it:
after its files were looked at, synced and listed. Readers open what is named there. After a crash the engine may have
newer commits; nobody was told that they are done, and they may lack files. They are renamed, never removed, and only
where the commit that counts is there. Before old commits are removed, the one that counts is recorded and tagged:
the engine refuses to remove a tagged commit.

`files-N.log` has a line for each file: a checksum of the line, the SHA-256 of the file, its size and its name. The
first `GuardState.listed` bytes of it belong to the state.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from seamline.errors import StoreError
from seamline.records import Problem
from seamline.store.folders import sync, unread
from seamline.store.lance.engine import checksum, connect, report_errors, settle, write_at, write_checked

CURRENT = "current.json"
_ENDS = {".lance": b"LANC", ".manifest": b"LANC", ".idx": b"LANC", ".arrow": b"ARROW1"}
"""What the files of the engine end with."""
_CUT_OFF = "it is cut off, as by a full disk or a limit on the size of files: make room and run it again"
_HINT = "latest_version_hint.json"
"""A file that is rewritten. It only saves a look into the folder: without it, or with any bit of it flipped, the latest
version was found."""
_TAGS = "_refs"
"""Tags are only there while old commits are removed."""
_ASIDE = ".aside"
_PARTS = ("data", "_deletions", "_transactions", "_versions")
"""Where a change of rows writes files; indices have a folder of their own."""
_KEPT = timedelta(days=1)
"""How long old versions stay while somebody reads: longer than any reader is open."""
_AT_ONCE = timedelta(milliseconds=1)
RemovalAges = Callable[[Any], timedelta]
"""How old a commit of a table must be to be removed."""
_LAST = (1 << 64) - 1
"""The engine counts the names of its manifests down from here, so that the newest stands first."""


class Listed(NamedTuple):
    """What is known about a file."""

    size: int
    sha256: str


class GuardState(NamedTuple):
    """The commits that count."""

    entries: int
    versions: int
    log: str
    """The list of their files."""
    listed: int
    """How many bytes of it belong to this state."""
    removing: bool = False
    """Whether old files are being removed: a missing one is no problem then."""


def read_state(folder: Path) -> GuardState:
    """The state of an index; a StoreError where it cannot be known."""
    path = folder / CURRENT
    try:
        said = json.loads(path.read_bytes())
        if said.pop("checksum") == checksum(said):
            return GuardState(**said)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}: give the file to the user") from error
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    raise StoreError(f"{path} is missing or damaged: restore it from a copy, or remove {folder} and index again")


class Guard:
    """Records the commits of a writer; only one who holds the lock has one."""

    def __init__(self, folder: Path, tables: Sequence[str]) -> None:
        """`tables` are those of entries and of versions."""
        self._folder = folder
        self._tables = [folder / f"{table}.lance" for table in tables]
        self._state = read_state(folder) if (folder / CURRENT).exists() else GuardState(0, 0, "files-0.log", 0)
        self._known = _read_log(folder, self._state)[0]
        self._seen: set[Path] = set()
        """Files that need not be looked at: they were, or they are not of this writer."""

    def start(self) -> None:
        """Name the newest commits, whatever they are, as those that count: an index is made, or was made before there
        was a state."""
        self._list_again()

    def recover(self) -> None:
        """Bring the folder to the state that counts, after whatever end the last writer came to."""
        self.roll_back()
        if self._state.removing:
            self._list_again()

    def roll_back(self) -> None:
        """Set aside the commits that do not count. Files they wrote are removed with old commits."""
        # What the disk says counts: a failure may have come after the state was named.
        self._state = read_state(self._folder)
        self._known = _read_log(self._folder, self._state)[0]
        with report_errors(f"cannot set aside what was not finished in {self._folder}"):
            newer = [path for path in self._manifests() if path.name < _manifest(self._counting(path.parent.parent))]
            if newer:
                self._check_counting()
            for path in newer:
                path.rename(path.with_name(f"{path.name}.{time.time_ns()}{_ASIDE}"))
            for folder in {path.parent for path in newer}:
                sync(folder)
            self._seen = {path for table in self._tables for path in _files(table)}

    def begin(self) -> tuple[Any, Any]:
        """Open the tables at the commits that count, with newer ones set aside."""
        self.recover()
        connection = connect(self._folder)
        with report_errors(f"cannot open the index in {self._folder}"):
            entries, versions = (connection.open_table(table.stem) for table in self._tables)
            skipped = False
            for table, used in zip((entries, versions), self._used(), strict=True):
                while table.version <= used:
                    table.restore(table.version)  # the same once more, under the next number
                    skipped = True
        if skipped:
            self._record()
        return entries, versions

    def record(self, entries: Any, versions: Any) -> None:
        """Make a change of rows count, once its files are sure to stay."""
        self._record()

    def begin_upkeep(self, entries: Any, versions: Any) -> None:
        """Nothing is to be done: nobody else can write here."""

    def record_upkeep(self, entries: Any, versions: Any) -> None:
        """The same for an upkeep, which writes indices too."""
        self._record(everywhere=True)

    def _used(self) -> list[int]:
        """The highest number of a commit of each table that was set aside. It must not be used again: readers may have
        read that manifest, and the engine remembers manifests by number."""
        return [max((_version(path) for path in _aside(table)), default=0) for table in self._tables]

    def _record(self, *, everywhere: bool = False) -> None:
        """Make the newest commits count, once their files are sure to stay: those with rows, or with indices too. A
        StoreError names one that is not whole."""
        with report_errors(f"cannot list the files of the index in {self._folder}"):
            folders = self._tables if everywhere else [table / part for table in self._tables for part in _PARTS]
            look = _files if everywhere else _flat
            found = [path for folder in folders for path in look(folder) if path not in self._seen]
            new = [path for path in found if self._name(path) not in self._known]
            if torn := next(filter(_is_torn, new), None):
                raise StoreError(f"{torn} was not written: {_CUT_OFF}")
            settle(new)
            self._append({self._name(path): measure(path) for path in new})
            self._seen |= set(found)

    def begin_removal(self, entries: Any, versions: Any) -> None:
        """From now on and until `end_removal`, a missing file is no problem."""
        self._name_state(self._state._replace(removing=True))

    def end_removal(self) -> None:
        """Take the files that were removed off the list, and remove what was set aside."""
        with report_errors(f"cannot list the files of the index in {self._folder}"):
            for path in [path for table in self._tables for path in _aside(table)]:
                path.unlink()
        self._list_again()

    @contextmanager
    def removal_ages(self) -> Iterator[RemovalAges]:
        """Everything, where nobody reads; else what is older than any reader."""
        with unread(self._folder) as alone:
            yield lambda _: _AT_ONCE if alone else _KEPT

    def untag(self, table: Any, tag: str) -> None:
        """Take a tag off. Who died while removing left it, and perhaps half of it."""
        (self._folder / f"{table.name}.lance" / "_refs" / "tags" / f"{tag}.json").unlink(missing_ok=True)

    def _counting(self, table: Path) -> int:
        return self._state.entries if table == self._tables[0] else self._state.versions

    def _check_counting(self) -> None:
        """Whoever sets commits aside must know that the ones before them are there."""
        for table in self._tables:
            path = table / "_versions" / _manifest(self._counting(table))
            if not path.exists() or measure(path) != self._known.get(self._name(path)):
                raise StoreError(f"{path} is missing or damaged: restore it from a copy, or index again")

    def _manifests(self) -> list[Path]:
        return [path for table in self._tables for path in (table / "_versions").glob("*.manifest")]

    def _newest(self) -> list[int]:
        return [max(_version(path) for path in (table / "_versions").glob("*.manifest")) for table in self._tables]

    def _append(self, files: dict[str, Listed]) -> None:
        data = _lines(files)
        if data:
            write_at(self._folder / self._state.log, data, self._state.listed)
        entries, versions = self._newest()
        listed = self._state.listed + len(data)
        self._name_state(self._state._replace(entries=entries, versions=versions, listed=listed))
        self._known |= files

    def _list_again(self) -> None:
        """Write the list anew, of the files that are there; only those are hashed that were not on the old one."""
        with report_errors(f"cannot list the files of the index in {self._folder}"):
            there = {self._name(path): path for table in self._tables for path in _files(table)}
            settle(path for name, path in there.items() if name not in self._known)
            files = {name: self._known.get(name) or measure(path) for name, path in there.items()}
            number = int(self._state.log.removeprefix("files-").removesuffix(".log"))
            data, log = _lines(files), f"files-{number + 1}.log"
            write_at(self._folder / log, data, 0)
            sync(self._folder)
            entries, versions = self._newest()
            self._name_state(GuardState(entries, versions, log, len(data)))
            for path in self._folder.glob("files-*.log"):
                if path.name != log:
                    path.unlink()
            self._known = files

    def _name_state(self, state: GuardState) -> None:
        write_checked(self._folder / CURRENT, state._asdict())
        self._state = state

    def _name(self, path: Path) -> str:
        return path.relative_to(self._folder).as_posix()


def is_unfinished(folder: Path, tables: Sequence[str]) -> bool:
    """Whether the engine has commits that do not count: somebody is writing, or ended without being done."""
    state = read_state(folder)
    for table, version in zip(tables, (state.entries, state.versions), strict=True):
        names = (path.name for path in (folder / f"{table}.lance" / "_versions").glob("*.manifest"))
        if any(name < _manifest(version) for name in names):
            return True
    return False


def verify_files(folder: Path) -> Iterator[Problem]:
    """Every file that is not what was written; nothing on a healthy index."""
    state = read_state(folder)
    files, damaged = _read_log(folder, state)
    if damaged and read_state(folder).log == state.log:
        yield Problem(state.log, damaged)
    for name, about in files.items():
        try:
            found = measure(folder / name)
        except FileNotFoundError:
            now = read_state(folder)  # another process may tidy at the moment
            if not now.removing and name in _read_log(folder, now)[0]:
                yield Problem(name, "the file is missing")
        except OSError as error:
            yield Problem(name, f"the file cannot be read: {error.strerror}")
        else:
            if found != about:
                differs = "content" if found.size == about.size else "size"
                yield Problem(name, f"the file is not what was written: its {differs} differs")


def _read_log(folder: Path, state: GuardState) -> tuple[dict[str, Listed], str]:
    """The files on the list of a state, and what is wrong with the list; empty where nothing is."""
    path = folder / state.log
    with report_errors(f"cannot read {path}"):
        data = path.read_bytes()[: state.listed] if path.exists() else b""
    files: dict[str, Listed] = {}
    damaged = 0
    for line in data.decode("utf-8", "replace").splitlines():
        check, _, said = line.partition(" ")
        if check != _check(said):
            damaged += 1
            continue
        sha256, size, name = said.split(" ", 2)
        files[name] = Listed(int(size), sha256)
    if len(data) < state.listed:
        return files, "the file is missing or cut off"
    return files, f"{damaged} of its lines are not what was written" if damaged else ""


def measure(path: Path) -> Listed:
    """Size and hash of a file."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return Listed(file.tell(), sha256)


def _lines(files: dict[str, Listed]) -> bytes:
    said = [f"{about.sha256} {about.size} {name}" for name, about in files.items()]
    return "".join(f"{_check(one)} {one}\n" for one in said).encode()


def _check(said: str) -> str:
    return f"{zlib.crc32(said.encode()):08x}"


def _manifest(version: int) -> str:
    return f"{_LAST - version:020d}.manifest"


def _version(path: Path) -> int:
    return _LAST - int(path.name.partition(".")[0])


def _aside(table: Path) -> Iterator[Path]:
    return (table / "_versions").glob(f"*{_ASIDE}")


def _files(folder: Path) -> Iterator[Path]:
    for here, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if name != _TAGS]
        yield from (Path(here, name) for name in sorted(names) if name != _HINT)


def _flat(folder: Path) -> Iterable[Path]:
    return [folder / name for name in sorted(os.listdir(folder)) if name != _HINT] if folder.is_dir() else []


def _is_torn(path: Path) -> bool:
    """Whether a file of the engine lacks its end: power failed before it was written out, or there was no room."""
    size, end = path.stat().st_size, _ENDS.get(path.suffix, b"")
    if size <= len(end):
        return True
    with path.open("rb") as file:
        file.seek(-len(end), os.SEEK_END)
        return bool(end) and file.read() != end
