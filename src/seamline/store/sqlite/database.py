"""SQLite files whose every page carries a checksum, and errors that a user can act on.

The checksum VFS of SQLite itself keeps 8 bytes in each page and compares them whenever the page is read: of 300 flipped
bits, all were found. `apsw` brings SQLite with that VFS; the standard library's SQLite has none.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from seamline.errors import INDEX, MissingExtra, StoreError
from seamline.filters.tree import glob_of
from seamline.store.codec import text_of
from seamline.store.folders import DISK_REMEDY, PRIVATE, describe

PAGE = 8192
"""Bytes of a page: five vectors of 384 dimensions fill one almost wholly."""
_VFS = "cksmvfs"
_RESERVED = 8
"""Bytes of a page that the checksum takes."""
_BUSY_MS = 30_000
_TRIES, _PAUSE = 5, 0.02
"""How often a file is looked at that ends inside a page, and seconds between."""
_SEAL = 8
"""Bytes of the checksum of a value."""
_IO_DAMAGE = 10 | (32 << 8)
"""SQLITE_IOERR_DATA: the checksum of a page is wrong."""
_IO_WRITES = {10 | (n << 8) for n in (3, 4, 5, 6, 18, 19, 21)}
"""SQLITE_IOERR_ with WRITE, FSYNC, DIR_FSYNC, TRUNCATE, SHMOPEN, SHMSIZE, SHMMAP: a full disk or a file limit."""


class Damaged(StoreError):
    """A file is not what was written to it."""


@cache
def _apsw() -> Any:
    """The module `apsw`, with the checksum VFS registered."""
    try:
        import apsw
        import apsw.sqlite_extra
    except ImportError as error:
        raise MissingExtra("apsw, which holds the embedded index,", INDEX) from error
    try:
        apsw.sqlite_extra.load(apsw.Connection(":memory:"), "cksumvfs")
    except (apsw.sqlite_extra.NotAvailable, LookupError, apsw.Error) as error:
        raise StoreError(
            f"this build of apsw has no checksum VFS ({error}): run `pip install --force-reinstall apsw`"
        ) from error
    return apsw


@contextmanager
def report_errors(doing: str) -> Iterator[None]:
    """Turn what SQLite and the system say into a StoreError that starts with what could not be done."""
    apsw = _apsw()
    try:
        yield
    except apsw.Error as error:
        damaged = isinstance(error, apsw.CorruptError | apsw.NotADBError | apsw.FormatError)
        if damaged or getattr(error, "extendedresult", 0) == _IO_DAMAGE:
            raise Damaged(f"{doing}: the file is damaged ({error}): {DAMAGE_REMEDY}") from error
        raise StoreError(f"{doing}: {_reason(apsw, error)}") from error
    except OSError as error:
        raise StoreError(f"{doing}: {describe(error, DISK_REMEDY)}") from error


DAMAGE_REMEDY = (
    "run `seamline doctor --verify` to see what is damaged; restore the index from a copy, or remove it and index again"
)


def _reason(apsw: Any, error: Exception) -> str:
    if isinstance(error, apsw.FullError):
        return "the disk is full: free some space and run it again"
    if isinstance(error, apsw.ReadOnlyError):
        return "it may only be read: mount the disk for writing, or give the files to this user"
    if isinstance(error, apsw.CantOpenError | apsw.PermissionsError | apsw.AuthError):
        return f"{error}: check that the folder exists and that this user may use it"
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return "another process holds it: wait until that is done"
    if isinstance(error, apsw.ThreadingViolationError | apsw.ConnectionClosedError):
        return "it was closed: open the index again"
    if isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) in _IO_WRITES:
        return (
            f"{error}: it could not be written, as on a full disk or where files may not become larger (`ulimit -f`):"
            " make room and run it again"
        )
    return f"{error}: {DAMAGE_REMEDY}" if isinstance(error, apsw.IOError) else str(error)


def _glob(pattern: bytes, value: bytes) -> bool:
    """The operator `glob` of filters, for texts as they are kept."""
    return glob_of(text_of(pattern)).matches(text_of(value))


class Database:
    """One connection. Threads may share it: each call is one statement, and they wait for each other."""

    def __init__(self, path: str | Path, *, durable: bool, create: bool = False) -> None:
        """`durable`: what was committed survives a power failure, not only the end of the process. Without `create`,
        a missing file is a StoreError; one in a folder that cannot be written to is opened as it is."""
        self.path = str(path)
        self._lock = threading.RLock()
        with report_errors(f"cannot open {self.path}"):
            self._connection, self.is_shared = _connect(self.path, create)
        try:
            with report_errors(f"cannot open {self.path}"):
                self._connection.set_busy_timeout(_BUSY_MS)
                self._connection.create_scalar_function("seamline_glob", _glob, 2, deterministic=True)
                self._connection.execute("PRAGMA cache_size = -32000")
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._check()
        except StoreError:
            self._connection.close(True)
            raise

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that a query gives."""
        with self._lock, report_errors(f"cannot read {self.path}"):
            return self._connection.execute(sql, values).fetchall()  # type: ignore[no-any-return]

    def row(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first value of the first row; None where there is none."""
        found = self.row(sql, values)
        return found[0] if found else None

    def each(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows one by one, for results too large to hold."""
        with report_errors(f"cannot read {self.path}"):
            yield from self._connection.cursor().execute(sql, values)

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """A statement that gives nothing."""
        with self._lock, report_errors(f"cannot write {self.path}"):
            self._connection.execute(sql, values)

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """A statement for each row."""
        with self._lock, report_errors(f"cannot write {self.path}"):
            self._connection.executemany(sql, rows)

    def insert(self, sql: str, values: Sequence[Any]) -> int:
        """An INSERT; the number of the new row."""
        with self._lock, report_errors(f"cannot write {self.path}"):
            self._connection.execute(sql, values)
            return int(self._connection.last_insert_rowid())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written meanwhile, or nothing of it."""
        with self._lock:
            self.run("BEGIN IMMEDIATE")
            try:
                yield
                self.run("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One state, whatever others write meanwhile."""
        self.run("BEGIN")
        try:
            # The state is fixed by the first read, not by BEGIN.
            self.rows("SELECT count(*) FROM sqlite_schema")
            yield
        finally:
            with report_errors(f"cannot read {self.path}"):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def close(self) -> None:
        with self._lock, report_errors(f"cannot close {self.path}"):
            self._connection.close()

    def _check(self) -> None:
        if self.path == ":memory:":
            return
        if self._connection.reserve_bytes() != _RESERVED:
            raise Damaged(f"{self.path} has no checksums, as every file of an index has: {DAMAGE_REMEDY}")
        # SQLite reads what is missing of a last page as zeros, without a look at its checksum. A page that the log
        # holds is written again first; one that another process writes at this moment is whole in the next.
        for _ in range(_TRIES):
            if not os.stat(self.path).st_size % PAGE:
                return
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            time.sleep(_PAUSE)
        raise Damaged(f"{self.path} ends in the middle of a page: {DAMAGE_REMEDY}")


class ReaderPool:
    """Connections to one file, kept open between uses. A process that was forked opens its own."""

    def __init__(self, connect: Callable[[], Database]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._idle: list[Database] = []
        self._process = os.getpid()

    @contextmanager
    def lend(self) -> Iterator[Database]:
        """A connection that nobody else uses meanwhile."""
        with self._lock:
            if self._process != os.getpid():
                self._idle, self._process = [], os.getpid()
            idle = self._idle
            database = idle.pop() if idle else None
        database = database or self._connect()
        with ExitStack() as otherwise:
            otherwise.callback(database.close)  # what failed on it may still be in its memory
            yield database
            with self._lock:
                if idle is self._idle and database.is_shared:
                    idle.append(database)
                    otherwise.pop_all()

    def close(self) -> None:
        """Close all that are idle; those in use are closed when they are given back."""
        with self._lock:
            idle, self._idle = self._idle, []
        for database in idle:
            database.close()


def _connect(path: str, create: bool) -> tuple[Any, bool]:
    """A connection, and whether others can write to the file meanwhile."""
    apsw = _apsw()
    if path == ":memory:":
        return apsw.Connection(path), True
    if create:
        return _create(apsw, path), True
    if not _writable(path):
        return _connect_alone(apsw, path, apsw.SQLITE_OPEN_READONLY), False
    connection = apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE, vfs=_VFS)
    connection.set_busy_timeout(_BUSY_MS)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("SELECT count(*) FROM sqlite_schema")
    except (apsw.IOError, apsw.FullError) as error:
        connection.close(True)
        if isinstance(error, apsw.IOError) and error.extendedresult not in _IO_WRITES:
            raise
        # A full disk has no room for the memory that processes share beside the file. Nobody else has it open then.
        return _connect_alone(apsw, path, apsw.SQLITE_OPEN_READWRITE), False
    return connection, True


def _create(apsw: Any, path: str) -> Any:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
    connection = apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE, vfs=_VFS)
    connection.reserve_bytes(None, _RESERVED)
    connection.execute(f"PRAGMA page_size = {PAGE}")
    connection.execute("PRAGMA journal_mode = WAL")
    return connection


def _writable(path: str) -> bool:
    folder = os.path.dirname(path) or "."
    return os.access(path, os.W_OK) and os.access(folder, os.W_OK)


def _connect_alone(apsw: Any, path: str, flags: int) -> Any:
    """A file that nobody writes to, as it is; where its log holds changes, with a lock on it."""
    os.stat(path)
    log = f"{path}-wal"
    if os.path.exists(log) and os.stat(log).st_size:
        connection = apsw.Connection(path, flags, vfs=_VFS)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    else:
        address = Path(os.path.abspath(path)).as_uri() + "?immutable=1"
        connection = apsw.Connection(address, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, vfs=_VFS)
    connection.execute("SELECT count(*) FROM sqlite_schema")
    return connection


def seal(data: bytes, *key: bytes) -> bytes:
    """Bytes with a checksum behind them, of themselves and of the key they are stored under."""
    return data + _checksum(data, key)


def unseal(sealed: bytes | None, what: str, *key: bytes) -> bytes:
    """The bytes that were sealed; Damaged where they are not what was sealed, or stand under another key."""
    if not isinstance(sealed, bytes) or sealed[-_SEAL:] != _checksum(data := sealed[:-_SEAL], key):
        # SQLite gives None for bytes that were zeroed.
        raise Damaged(f"{what} is not what was written, its checksum differs: {DAMAGE_REMEDY}")
    return data


def _checksum(data: bytes, key: tuple[bytes, ...]) -> bytes:
    hasher = blake2b(data, digest_size=_SEAL)
    for part in key:
        hasher.update(len(part).to_bytes(4, "little"))
        hasher.update(part)
    return hasher.digest()
