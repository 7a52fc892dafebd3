"""Vectors that were computed once, on disk: one SQLite file that several processes may use at a time."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b, sha256
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from seamline.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from seamline.records import Vector

LAYOUT = 1
APPLICATION = 0x5EA3CAC8
"""Marks the file as ours, so that no other database is taken for a cache, or deleted as one."""

_ASKED_AT_ONCE = 500
_BUSY_SECONDS = 30.0
_PAUSE = 0.05
_EVICTED_SHARE = 8
"""One in eight of the rows goes when the file is full, the oldest first."""

_SCHEMA = f"""
PRAGMA auto_vacuum = INCREMENTAL;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS vectors (
  number INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  vector BLOB NOT NULL,
  seal BLOB NOT NULL
);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {LAYOUT};
COMMIT;
"""


class VectorCache:
    """Vectors by embedder and text. A row whose checksum is wrong counts as missing, and is written anew.

    Nothing here is worth a backup: deleting the file costs the time to compute its vectors again.
    """

    def __init__(self, path: str | os.PathLike[str], *, most_bytes: int | None = None) -> None:
        """`most_bytes`: about how large the file may grow before its oldest rows make room; None for no bound."""
        if most_bytes is not None and most_bytes < 1 << 20:
            raise ConfigError(f"expected a vector cache of at least 1 MiB, got {most_bytes} bytes", "$.cache")
        self.path = Path(path)
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        with self._errors():
            self._database = self._open()

    def get(self, fingerprint: str, texts: Sequence[str], dimensions: int) -> dict[str, Vector]:
        """The vectors of those texts that are known, whole and of this many dimensions."""
        keys = {_key(fingerprint, text): text for text in texts}
        found: dict[str, Vector] = {}
        for part in _parts(list(keys)):
            for key, data, seal in self._rows(part):
                if _seal(key, data) == seal and len(data) == 4 * dimensions:
                    found[keys[key]] = np.frombuffer(data, "<f4").astype(np.float32)
        return found

    def put(self, fingerprint: str, texts: Sequence[str], vectors: Vector) -> None:
        """Keep the vectors of these texts, all of them or, where this fails, none."""
        rows = []
        for text, vector in zip(texts, vectors, strict=True):
            key, data = _key(fingerprint, text), vector.astype("<f4").tobytes()
            rows.append((key, data, _seal(key, data)))
        with self._transaction():
            self._database.executemany(
                "INSERT INTO vectors (key, vector, seal) VALUES (?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET vector = excluded.vector, seal = excluded.seal",
                rows,
            )
        if self._most_bytes is not None:
            self._shrink(self._most_bytes)

    def count(self) -> int:
        """How many vectors are kept, of all embedders."""
        with self._lock, self._errors():
            return int(self._database.execute("SELECT count(*) FROM vectors").fetchone()[0])

    def close(self) -> None:
        """Give the file back; the cache cannot be used after."""
        with self._lock, self._errors():
            self._database.close()

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Texts cannot be read from it, but what was indexed can be tested for: nobody else may look.
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
        if tables and mark != APPLICATION:
            raise StoreError(f"{self.path} is a database of something else: name another file for the vector cache")
        if tables and layout != LAYOUT:
            raise StoreError(
                f"the vector cache {self.path} has layout {layout}, this version of Seamline reads {LAYOUT}: "
                "delete the file, or name another"
            )
        if not tables:
            database.executescript(_SCHEMA)
        if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            _write_ahead(database)
        # Power loss may take the last writes of a cache, but not its structure.
        database.execute("PRAGMA synchronous = NORMAL")

    def _rows(self, keys: Sequence[bytes]) -> list[tuple[bytes, bytes, bytes]]:
        marks = ",".join("?" * len(keys))
        with self._lock, self._errors():
            return self._database.execute(
                f"SELECT key, vector, seal FROM vectors WHERE key IN ({marks})",  # noqa: S608 - question marks only
                keys,
            ).fetchall()

    def _shrink(self, most_bytes: int) -> None:
        """Drop the oldest rows, many at a time, until what is left is within bounds."""
        while self._used() > most_bytes:
            with self._transaction():
                low, high = self._database.execute("SELECT min(number), max(number) FROM vectors").fetchone()
                if low is None:
                    return
                last = low + (high - low) // _EVICTED_SHARE
                self._database.execute("DELETE FROM vectors WHERE number <= ?", (last,))
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
                f"the vector cache {self.path} cannot be used: {error}. Another process may hold it, the disk may be "
                "full or the folder read-only; or name another file"
            ) from error
        except sqlite3.ProgrammingError as error:
            raise StoreError(f"the vector cache {self.path} is closed") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the vector cache {self.path} is damaged ({error}): delete it; nothing but time is lost"
            ) from error
        except OSError as error:
            raise StoreError(f"the vector cache {self.path} cannot be opened: {error.strerror}") from error


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


def _parts(keys: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(keys), _ASKED_AT_ONCE):
        yield keys[start : start + _ASKED_AT_ONCE]


def _key(fingerprint: str, text: str) -> bytes:
    content = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return sha256(fingerprint.encode() + b"\0" + content).digest()


def _seal(key: bytes, data: bytes) -> bytes:
    return blake2b(data, key=key, digest_size=16).digest()
