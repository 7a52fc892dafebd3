"""An index in a folder: nothing to start, any number of readers, one writer.

First the folder: how it is recognised, made and kept private, and how a lost change is noticed.
"""

from __future__ import annotations

import os
import re
import stat
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seamline.errors import IndexMissing, StoreError
from seamline.records import Problem
from seamline.store import codec
from seamline.store.folders import PRIVATE, WRITER, WriterLock, make_folder, report_disk_errors, sync
from seamline.store.sqlite import structures
from seamline.store.sqlite.database import DAMAGE_REMEDY, Damaged, Database, ReaderPool, seal, unseal
from seamline.store.sqlite.reader import SqliteReader
from seamline.store.sqlite.structures import SqliteLimits
from seamline.store.sqlite.truth import LAYOUT, SCHEMA, IndexState, add_tables, state_of
from seamline.store.sqlite.upkeep import Search, SearchFiles
from seamline.store.sqlite.writer import SqliteAnswers, SqliteVectors, SqliteWriter, erase
from seamline.store.verify import verify_reader
from seamline.types import Notice

if TYPE_CHECKING:
    from seamline.records import Settings


TRUTH = "index.db"
ACKNOWLEDGED = "acknowledged"
_NEW = f"{TRUTH}.new"
_BESIDE = ("", "-wal", "-shm", "-journal")
"""What SQLite puts behind the name of a file."""
_OURS = re.compile(rf"(?:{TRUTH}(?:\.new)?|search-\d+\.db)(?:-wal|-shm|-journal)?|{ACKNOWLEDGED}|{WRITER}")
"""Names of files that an index has."""
_OLDER = "store"
"""What stood here before: the folder of a LanceDB store."""


def check_folder(folder: Path) -> None:
    """Refuse a folder that has no index, or one that this user should not open."""
    if not folder.exists():
        raise IndexMissing(f"there is no index in {folder}: make one with `seamline index`")
    if not folder.is_dir():
        raise StoreError(f"{folder} is a file, and an index is a folder: name another place")
    if os.name != "nt":
        if folder.stat().st_mode & stat.S_IWOTH:
            raise StoreError(f"every user can write to {folder}: close it to them with `chmod go-w {folder}`")
        if not os.access(folder, os.R_OK | os.X_OK):
            raise StoreError(f"this user cannot read {folder}: run it as the user who made the index")
    if (folder / TRUTH).exists():
        return
    if (folder / _OLDER / "settings.json").exists():
        raise StoreError(
            f"the index in {folder} was made by an older Seamline, with LanceDB: open it as `lance:{folder / _OLDER}`,"
            f" or remove {folder} and index again"
        )
    raise IndexMissing(f"{folder} is no index, for it has no {TRUTH}: name the folder of one, or make one there")


class About(NamedTuple):
    """What an index says of itself."""

    settings: Settings
    root: str
    """The way from its folder to the one that names of documents start from; empty for the folder around it."""


def make_index(folder: Path, about: About) -> None:
    """An empty index. It appears at one stroke; whoever is interrupted leaves nothing that looks like one."""
    with report_disk_errors(f"cannot make an index in {folder}", "name a folder that can be written to"):
        make_folder(folder)
        _refuse_strangers(folder)
    lock = WriterLock(folder)
    try:
        if (folder / TRUTH).exists():
            return  # another process was faster
        with report_disk_errors(f"cannot make an index in {folder}"):
            for beside in _BESIDE:
                (folder / f"{_NEW}{beside}").unlink(missing_ok=True)
        _write_new(folder / _NEW, about)
        with report_disk_errors(f"cannot make an index in {folder}"):
            (folder / ACKNOWLEDGED).unlink(missing_ok=True)  # of an index that was removed by hand
            os.replace(folder / _NEW, folder / TRUTH)
            sync(folder)
    finally:
        lock.release(finished=True)


def read_about(truth: Database) -> About:
    """What the index was made with, and for."""
    found = dict(truth.rows("SELECT name, value FROM about"))
    layout = int.from_bytes(_about(found, "layout", truth.path), "little")
    if layout > LAYOUT:
        raise StoreError(
            f"{truth.path} has layout {layout}, and this Seamline knows layouts up to {LAYOUT}:"
            " update Seamline (`pip install -U seamline`), or index again into another folder"
        )
    settings = codec.unpack_settings(_about(found, "settings", truth.path).decode())
    return About(settings, codec.text_of(_about(found, "root", truth.path)))


def acknowledge(folder: Path, state: IndexState) -> None:
    """Write down, for good, that this state was acknowledged."""
    said = f"{state.counter} {state.mark.hex()}"
    with report_disk_errors(f"cannot write to the index in {folder}"):
        descriptor = os.open(folder / ACKNOWLEDGED, os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            # Always as long: on a full disk, what is written over needs no room.
            os.pwrite(descriptor, f"{zlib.crc32(said.encode()):08x} {said}".ljust(63).encode() + b"\n", 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def acknowledged(folder: Path) -> IndexState | None:
    """The state that was acknowledged last; None where nobody can tell."""
    with suppress(OSError, ValueError):
        check, counter, mark = (folder / ACKNOWLEDGED).read_bytes()[:63].decode().split()
        if check == f"{zlib.crc32(f'{counter} {mark}'.encode()):08x}":
            return IndexState(int(counter), bytes.fromhex(mark))
    return None


def has_lost(truth: Database, state: IndexState, last: IndexState | None) -> bool:
    """Whether the truth, in this state, lacks a change that was acknowledged."""
    if last is None or last.counter == 0:
        return False
    if last.counter > state.counter:
        return True
    mark = truth.value("SELECT mark FROM changes WHERE counter = ?", (last.counter,))
    return mark is not None and mark != last.mark


def _about(found: dict[str, bytes], name: str, path: str) -> bytes:
    if name not in found:
        raise Damaged(f"{path} does not say its {name}: {DAMAGE_REMEDY}")
    return unseal(found[name], f"the {name} of {path}", name.encode())


def _write_new(path: Path, about: About) -> None:
    truth = Database(path, durable=True, create=True)
    try:
        with truth.transaction():
            for statement in SCHEMA.split(";"):
                truth.run(statement)
            add_tables(truth)
            said = {
                "layout": LAYOUT.to_bytes(4, "little"),
                "settings": codec.pack_settings(about.settings).encode(),
                "root": codec.text_bytes(about.root),
            }
            truth.run_many(
                "INSERT INTO about (name, value) VALUES (?, ?)",
                [(name, seal(value, name.encode())) for name, value in said.items()],
            )
        truth.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        truth.close()


def _refuse_strangers(folder: Path) -> None:
    strange = sorted(name for name in os.listdir(folder) if not _OURS.fullmatch(name))
    if strange and (folder / _OLDER / "settings.json").exists():
        check_folder(folder)
    if strange:
        raise StoreError(f"{folder} holds files that are not of an index, such as {strange[0]}: name an empty folder")


_LOST = (
    "it lacks changes that were acknowledged: it was replaced by an older copy, or its -wal file was removed; run"
    " `seamline index` to bring it up to date with its documents"
)


class SqliteStore:
    """An index in a folder. Threads may share it."""

    def __init__(self, folder: Path, about: About, limits: SqliteLimits) -> None:
        self._folder = folder
        self._settings = settings = about.settings
        self.root = about.root
        self._truths = ReaderPool(lambda: Database(folder / TRUTH, durable=True))
        self._marks = ReaderPool(lambda: Database(folder / TRUTH, durable=True))
        """Connections that read the state alone and keep few pages. A search reads it while it holds a reader: from one
        pool, each thread would come to have two connections with 32 MB of pages."""
        self._search = SearchFiles(folder, settings, limits, self._remark)
        self._lock = threading.Lock()
        self._remarks: list[Notice] = []

    @classmethod
    def open(cls, url: str, *, limits: SqliteLimits | None = None) -> SqliteStore:
        """The index in a folder; a StoreError says why it cannot be opened."""
        folder = Path(url)
        check_folder(folder)
        truth = Database(folder / TRUTH, durable=True)
        try:
            return cls(folder, read_about(truth), limits or SqliteLimits())
        finally:
            truth.close()

    @classmethod
    def create(cls, url: str, settings: Settings, *, root: str = "", limits: SqliteLimits | None = None) -> SqliteStore:
        """Make an index in a folder, or open the one that is there, if it was made with the same settings."""
        folder = Path(url)
        if not (folder / TRUTH).exists():
            make_index(folder, About(settings, root))
        store = cls.open(url, limits=limits)
        codec.check_settings(store.settings, settings)
        return store

    @property
    def url(self) -> str:
        return str(self._folder)

    @property
    def settings(self) -> Settings:
        return self._settings

    @contextmanager
    def reader(self) -> Iterator[SqliteReader]:
        """The present state, until it is closed; it stays readable that long, whatever others write or tidy."""
        with ExitStack() as held:
            # In this order: what was acknowledged and what structures were made from is then in the truth's history.
            last = acknowledged(self._folder)
            found = self._search.hold(held)
            truth = held.enter_context(self._truths.lend())
            held.enter_context(truth.snapshot())
            state = state_of(truth)
            if has_lost(truth, state, last):
                raise StoreError(f"{truth.path}: {_LOST}")
            yield SqliteReader(truth, self._settings, Search(self._search, held, truth, state, found))

    @contextmanager
    def writer(self) -> Iterator[SqliteWriter]:
        """The right to write, until it is given back. A StoreError names who has it."""
        check_folder(self._folder)
        lock = WriterLock(self._folder)
        try:
            truth = Database(self._folder / TRUTH, durable=True)
            try:
                self._resume(truth)
                add_tables(truth)
                writer = SqliteWriter(
                    truth,
                    self._settings,
                    lambda state: acknowledge(self._folder, state),
                    lambda end: self._bring_up(truth, end),
                )
                try:
                    yield writer
                finally:
                    writer.close()
            finally:
                truth.close()
        finally:
            lock.release(finished=True)

    def forget(self, docs: Sequence[str]) -> list[str]:
        """Erase documents with every version of them; the names of those that were there."""
        check_folder(self._folder)
        lock = WriterLock(self._folder)
        try:
            self.close()  # no connection of ours holds an old state, or pages in memory
            truth = Database(self._folder / TRUTH, durable=True)
            try:
                add_tables(truth)
                erased = erase(truth, docs)
                acknowledge(self._folder, state_of(truth))
                with truth.snapshot():
                    self._search.build(truth)
            finally:
                truth.close()
        finally:
            lock.release(finished=True)
        return erased

    def vectors(self) -> SqliteVectors:
        """Vectors that were made before, by the text they are of."""
        return SqliteVectors(self._truths)

    def answers(self) -> SqliteAnswers:
        """Answers of language models that were given before."""
        return SqliteAnswers(self._truths)

    def generation(self) -> str:
        with self._marks.lend() as truth:
            state = state_of(truth)
        return f"{state.counter}-{state.mark.hex()}"

    def remarks(self) -> list[Notice]:
        """What happened since the last call that a user should know."""
        with self._lock:
            found, self._remarks = self._remarks, []
        return found

    def verify(self) -> Iterator[Problem]:
        """Read every page of every file and every row, and compare them with their checksums."""
        for _, path in structures.files(self._folder):
            yield from _check_pages(path)
        damaged = list(_check_pages(self._folder / TRUTH))
        yield from damaged
        if not damaged:
            try:
                with self.reader() as reader:
                    yield from verify_reader(reader)
            except StoreError as error:
                yield Problem(TRUTH, str(error))

    def size(self) -> int:
        total = 0
        for name in os.listdir(self._folder):
            with suppress(FileNotFoundError):  # somebody tidies
                total += os.stat(self._folder / name).st_size
        return total

    def close(self) -> None:
        """Give back the files. Readers that are open stay usable."""
        self._truths.close()
        self._marks.close()
        self._search.close()

    def _bring_up(self, truth: Database, end: bool) -> None:
        self._search.bring_up(truth, end=end)
        if end:
            with suppress(StoreError):  # somebody reads: the log is given back another time
                truth.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def _resume(self, truth: Database) -> None:
        """Start from what the truth is, and say so where it lost something."""
        state, last = state_of(truth), acknowledged(self._folder)
        if has_lost(truth, state, last):
            self._remark(f"{truth.path} lacked changes that were acknowledged; this run starts from what it has")
        if state != last:
            acknowledge(self._folder, state)

    def _remark(self, message: str) -> None:
        with self._lock:
            self._remarks.append(Notice("index", message))


def _check_pages(path: Path) -> Iterator[Problem]:
    """Read every page of a file."""
    try:
        database = Database(path, durable=True)
        try:
            said = [row[0] for row in database.rows("PRAGMA integrity_check")]
        finally:
            database.close()
    except StoreError as error:
        yield Problem(path.name, str(error))
    else:
        yield from (Problem(path.name, message) for message in said if message != "ok")
