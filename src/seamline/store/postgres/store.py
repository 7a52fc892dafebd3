"""An index in PostgreSQL with pgvector: one schema of a database, many readers, one writer, on any machine.

postgresql://USER@HOST:PORT/DATABASE?schema=NAME
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import psycopg

from seamline.errors import StoreError
from seamline.records import Problem, Settings
from seamline.store.codec import check_settings
from seamline.store.postgres.connect import Address, Connection, ConnectionPool, connect, lost, told
from seamline.store.postgres.read import PostgresReader
from seamline.store.postgres.rows import adapted
from seamline.store.postgres.schema import Opened, PostgresLimits, create, open_schema
from seamline.store.postgres.verify import verify
from seamline.store.postgres.write import PostgresWriter
from seamline.types import Notice

_LIMITS = PostgresLimits()


class PostgresStore:
    """An index in a schema of a database. Threads may share it."""

    def __init__(self, address: Address, opened: Opened, *, limits: PostgresLimits = _LIMITS) -> None:
        self._address = address
        self._opened = opened
        self._limits = limits
        self._pool = ConnectionPool(lambda: adapted(connect(address)))

    @classmethod
    def open(cls, url: str, *, limits: PostgresLimits = _LIMITS) -> PostgresStore:
        """The index at an address; a StoreError says why it cannot be opened."""
        return cls._opened_at(Address.read(url), limits)

    @classmethod
    def create(cls, url: str, settings: Settings, *, root: str = "", limits: PostgresLimits = _LIMITS) -> PostgresStore:
        """Make an index at an address, or open the one that is there if it was made with the same settings. It keeps
        no `root`: documents are named from the current folder."""
        return cls._opened_at(Address.read(url), limits, settings)

    @classmethod
    def _opened_at(cls, address: Address, limits: PostgresLimits, settings: Settings | None = None) -> PostgresStore:
        """The index at an address, made first where settings are given; its readers get the connection."""
        with ExitStack() as undo:
            connection = connect(address)
            undo.callback(connection.close)
            if settings is not None:
                create(connection, address, settings)
            store = cls(address, open_schema(connection, address), limits=limits)
            if settings is not None:
                check_settings(store.settings, settings)
            undo.pop_all()
        store._pool.give(adapted(connection))
        return store

    @property
    def url(self) -> str:
        return self._address.shown

    @property
    def settings(self) -> Settings:
        return self._opened.settings

    @property
    def root(self) -> str:
        return ""

    @contextmanager
    def reader(self) -> Iterator[PostgresReader]:
        """The present state, until it is closed: one transaction of its own that sees no later one."""
        connection, reader = self._reader()
        try:
            yield reader
        finally:
            reader.close()
            self._give_back(connection)

    @contextmanager
    def writer(self) -> Iterator[PostgresWriter]:
        """The right to write, until it is given back."""
        writer = PostgresWriter(self._address, self.settings, self._limits)
        try:
            yield writer
        finally:
            writer.close()

    def generation(self) -> str:
        with self.reader() as reader:
            return f"{self._opened.born}.{reader.generation}"

    def verify(self) -> Iterator[Problem]:
        """Read everything, and compare it with the checksums it was written with, the words of BM25 included."""
        connection, reader = self._reader()
        try:
            with told(self._address, "cannot verify"):
                yield from verify(reader, connection)
        finally:
            reader.close()
            self._give_back(connection)

    def size(self) -> int:
        """Bytes of the tables and their indexes."""
        with self.reader() as reader:
            return reader.size()

    def forget(self, docs: Sequence[str]) -> list[str]:
        """Refused: what is deleted leaves traces that are beyond this store."""
        raise StoreError("a PostgreSQL server keeps old rows in its tables, its log and its backups: erase them there")

    def vectors(self) -> None:
        """None: vectors are not kept apart from their entries."""

    def answers(self) -> None:
        """None: answers are not kept."""

    def remarks(self) -> list[Notice]:
        """Nothing happens here that a user should know."""
        return []

    def close(self) -> None:
        self._pool.close()

    def _reader(self) -> tuple[Connection, PostgresReader]:
        """A connection, and a reader on it; a connection that lay idle may be dead, and is replaced then."""
        while True:
            connection, used = self._pool.take()
            try:
                return connection, PostgresReader(connection, self._address, self._opened, self._limits)
            except StoreError:
                if not used or not lost(connection):
                    self._give_back(connection)
                    raise

    def _give_back(self, connection: Connection) -> None:
        if not lost(connection):
            try:
                connection.rollback()
            except psycopg.Error:
                connection.close()
        self._pool.give(connection)
