"""Bytes by key on disk: one SQLite file that several processes may use at a time, each row with its checksum."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from seamline.errors import ConfigError, StoreError

_ASKED_AT_ONCE = 500
_BUSY_SECONDS = 30.0
_PAUSE = 0.05
_EVICTED_SHARE = 8
"""One in eight of the rows goes when the file is full, the oldest first."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a file of rows is called, and how it is told from others."""

    what: str
    """For messages, as in `vector cache`."""
    table: str
    column: str
    application: int
    """Marks the file as ours, so that no other database is taken for a cache, or deleted as one."""
    version: int = 1

    @property
    def schema(self) -> str:
        return f"""
PRAGMA auto_vacuum = INCREMENTAL;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS {self.table} (
  number INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  {self.column} BLOB NOT NULL,
  seal BLOB NOT NULL
);
PRAGMA application_id = {self.application};
PRAGMA user_version = {self.version};
COMMIT;
"""


class SealedRows:
    """Bytes by key. A row whose checksum is wrong counts as missing, and is written anew.

    Nothing here is worth a backup: deleting the file costs the time to make its rows again.
    """

    def __init__(self, path: str | os.PathLike[str], layout: Layout, most_bytes: int | None = None) -> None:
        """`most_bytes`: about how large the file may grow before its oldest rows make room; None for no bound."""
        if most_bytes is not None and most_bytes < 1 << 20:
            raise ConfigError(f"expected a {layout.what} of at least 1 MiB, got {most_bytes} bytes", "$.cache")
        self.path = Path(path)
        self._layout = layout
        self._shown = f"the {layout.what} {self.path}"
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        with self._errors():
            self._database = self._open()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The rows of these keys that are known and whole."""
        found: dict[bytes, bytes] = {}
        for part in _parts(keys):
            found.update((key, data) for key, data, seal in self._rows(part) if _seal(key, data) == seal)
        return found

    def put(self, rows: Mapping[bytes, bytes]) -> None:
        """Keep these rows, all of them or, where this fails, none."""
        table, column = self._layout.table, self._layout.column
        with self._transaction():
            self._database.executemany(
                f"INSERT INTO {table} (key, {column}, seal) VALUES (?, ?, ?)"  # noqa: S608 - names of ours
                f" ON CONFLICT (key) DO UPDATE SET {column} = excluded.{column}, seal = excluded.seal",
                [(key, data, _seal(key, data)) for key, data in rows.items()],
            )
        if self._most_bytes is not None:
            self._shrink(self._most_bytes)

    def count(self) -> int:
        """How many rows are kept."""
        with self._lock, self._errors():
            query = f"SELECT count(*) FROM {self._layout.table}"  # noqa: S608 - a name of ours
            return int(self._database.execute(query).fetchone()[0])

    def close(self) -> None:
        """Give the file back; the rows cannot be used after."""
        with self._lock, self._errors():
            self._database.close()

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Where no text can be read from it, what was indexed can still be tested for: nobody else may look.
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        database = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(database)
        except (sqlite3.Error, StoreError):
            database.close()
            raise
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        tables = int(database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        mark = int(database.execute("PRAGMA application_id").fetchone()[0])
        layout = int(database.execute("PRAGMA user_version").fetchone()[0])
        if tables and mark != self._layout.application:
            raise StoreError(
                f"{self.path} is a database of something else: name another file for the {self._layout.what}"
            )
        if tables and layout != self._layout.version:
            raise StoreError(
                f"{self._shown} has layout {layout}, this version of Seamline reads {self._layout.version}: "
                "delete the file, or name another"
            )
        if not tables:
            database.executescript(self._layout.schema)
        if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            _write_ahead(database)
        # Power loss may take the last writes of a cache, but not its structure.
        database.execute("PRAGMA synchronous = NORMAL")

    def _rows(self, keys: Sequence[bytes]) -> list[tuple[bytes, bytes, bytes]]:
        marks = ",".join("?" * len(keys))
        table, column = self._layout.table, self._layout.column
        with self._lock, self._errors():
            return self._database.execute(
                f"SELECT key, {column}, seal FROM {table} WHERE key IN ({marks})",  # noqa: S608 - names of ours
                keys,
            ).fetchall()

    def _shrink(self, most_bytes: int) -> None:
        """Drop the oldest rows, many at a time, until what is left is within bounds."""
        table = self._layout.table
        while self._used() > most_bytes:
            with self._transaction():
                low, high = self._database.execute(
                    f"SELECT min(number), max(number) FROM {table}"  # noqa: S608 - a name of ours
                ).fetchone()
                if low is None:
                    return
                last = low + (high - low) // _EVICTED_SHARE
                self._database.execute(f"DELETE FROM {table} WHERE number <= ?", (last,))  # noqa: S608
            with self._lock, self._errors():
                # As a script, which runs to the end: `execute` would give back a single page.
                self._database.executescript("PRAGMA incremental_vacuum")

    def _used(self) -> int:
        with self._lock, self._errors():
            names = ("page_count", "freelist_count", "page_size")
            pages, free, size = (self._database.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
        return int((pages - free) * size)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._errors():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            finally:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what SQLite and the file system say into what a user can do about it."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"{self._shown} cannot be used: {error}. Another process may hold it, the disk may be full "
                "or the folder read-only; or name another file"
            ) from error
        except sqlite3.ProgrammingError as error:
            raise StoreError(f"{self._shown} is closed") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self._shown} is damaged ({error}): delete it; nothing but time is lost") from error
        except OSError as error:
            raise StoreError(f"{self._shown} cannot be opened: {error.strerror}") from error


def _write_ahead(database: sqlite3.Connection) -> None:
    """Let readers and a writer not wait for each other. SQLite itself does not wait for its turn to set this: of 960
    processes that opened a new cache eight at a time, one failed."""
    for _ in range(int(_BUSY_SECONDS / _PAUSE)):
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            time.sleep(_PAUSE)
    database.execute("PRAGMA journal_mode = WAL")


def _parts(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(keys), _ASKED_AT_ONCE):
        yield keys[start : start + _ASKED_AT_ONCE]


def _seal(key: bytes, data: bytes) -> bytes:
    return blake2b(data, key=key, digest_size=16).digest()
