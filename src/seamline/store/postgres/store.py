"""An index in PostgreSQL with pgvector: one schema of a database, many readers, one writer, on any machine.

    postgresql://USER@HOST:PORT/DATABASE?schema=NAME&read=REPLICA:PORT,...&max_lag=5s

Replicas, where they are named, answer readers (`replicas.py`); all else is for the primary.

An index is verified by the checksums of its rows, and by comparing with them what is derived. Not looked at: the
B-trees and HNSW indexes of the server itself, which `pg_amcheck` and `REINDEX` are for.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from decimal import Decimal
from typing import Any
from zlib import crc32

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from seamline.errors import StoreError
from seamline.records import Entry, Problem, Settings, lacks_vectors
from seamline.store.codec import check_settings
from seamline.store.postgres.connect import Address, Connection, ConnectionPool, connect, lost, told, unsafe
from seamline.store.postgres.read import PostgresReader
from seamline.store.postgres.replicas import ReplicaSet
from seamline.store.postgres.rows import ENTRY_COLUMNS, HEAD_COLUMNS, adapted, entry_of, meta_json, seal_of
from seamline.store.postgres.schema import Opened, PostgresLimits, create, open_schema
from seamline.store.postgres.words import MOST_KEYS, Bag, Keys, bag, recent, unpack
from seamline.store.postgres.write import PostgresWriter
from seamline.store.verify import verify_reader
from seamline.types import Notice

_AT_ONCE = 500
_MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
_ALL = (1 << 64) - 1
_BITS = 12
_KEYS = """
SELECT greatest((SELECT max(key) FROM entries), (SELECT max(key) FROM recent), (SELECT max(last) FROM postings), 0),
    (SELECT next_key FROM state)
"""

Numbers = NDArray[np.uint64]


class Marks:
    """For each key, the sum of a hash for each of its words: 0 where everything that was added is taken away again.

    In blocks that are made when they are needed: a damaged key may be any number.
    """

    def __init__(self) -> None:
        self._blocks: defaultdict[int, Numbers] = defaultdict(lambda: np.zeros(1 << _BITS, np.uint64))

    def add(self, keys: Keys, hashes: Numbers) -> None:
        """Sums wrap around without a word."""
        blocks = keys >> _BITS
        for block in np.unique(blocks).tolist():
            here = blocks == block
            np.add.at(self._blocks[block], keys[here] & ((1 << _BITS) - 1), hashes[here])

    def take(self, key: int) -> int:
        """The sum of a key, which is 0 from now on."""
        block, at = self._blocks[key >> _BITS], key & ((1 << _BITS) - 1)
        found = int(block[at])
        block[at] = 0
        return found

    def left(self) -> int:
        """How many keys have a sum that is not 0."""
        return sum(int(np.count_nonzero(block)) for block in self._blocks.values())


def verify(reader: PostgresReader, connection: Connection, settings: Settings) -> Iterator[Problem]:
    """What every store is checked for, and then what only this one keeps: columns to filter by, words, totals."""
    try:
        yield from verify_reader(reader)
    except StoreError as error:
        yield Problem("documents", str(error))  # the rest is looked at nevertheless
    yield from _heads(connection)
    row = connection.execute(_KEYS).fetchone()
    given, next_key = row if row else (0, None)
    if next_key is None or not given < next_key <= MOST_KEYS:
        yield Problem("state", f"expected the next key to be from {given + 1} to {MOST_KEYS}, got {next_key}")
    marks = Marks()
    yield from _postings(connection, marks)
    yield from _entries(connection, marks, settings)
    if left := marks.left():
        yield Problem("postings", f"{left} entries that are gone still have words, or have wrong ones")
    yield from _strays(connection)


def _heads(connection: Connection) -> Iterator[Problem]:
    """Heads by their seals: not all that a head says is said elsewhere."""
    with connection.cursor("heads") as cursor:
        cursor.itersize = _AT_ONCE
        for *head, seal in cursor.execute(sql.SQL("SELECT {}, seal FROM documents").format(HEAD_COLUMNS)):
            if seal_of(head) != seal:
                yield Problem(unsafe(head[0]), "its head is not what was written: its checksum differs")


def _postings(connection: Connection, marks: Marks) -> Iterator[Problem]:
    """Add up the words of all entries, as BM25 finds them."""
    with connection.cursor("postings") as cursor:
        cursor.itersize = _AT_ONCE
        for word, level, count, first, last, data in cursor.execute(
            "SELECT word, level, count, first, last, data FROM postings"
        ):
            try:
                keys, counts, lengths = unpack(data)
            except StoreError as error:
                yield Problem(f"postings of {word!r}", str(error))
                continue
            if (count, first, last) != (len(keys), *(keys[[0, -1]].tolist() if len(keys) else (0, 0))):
                yield Problem(f"postings of {word!r}", "they are not as many as they are said to be, or of other keys")
            seeds = np.full(len(keys), _seed(word, level), np.uint64)
            hashes = _hashes(seeds, counts.astype(np.uint64), lengths.astype(np.uint64))
            marks.add(keys.astype(np.int64), hashes)
    for gone in (False, True):
        for one in recent(connection, gone=gone):
            mark = _mark_of(one)
            marks.add(np.array([one.key]), np.array([(-mark if gone else mark) & _ALL], np.uint64))


def _entries(connection: Connection, marks: Marks, settings: Settings) -> Iterator[Problem]:
    """Take away the words of all entries, as their texts have them."""
    totals: dict[int, list[int]] = {}
    query = sql.SQL(
        "SELECT {}, vector_send(v.vector), vector_send(s.vector), e.length, e.meta::text, e.lacking FROM entries e"
        " JOIN bodies b USING (key) LEFT JOIN vectors v USING (key) LEFT JOIN summary_vectors s USING (key)"
    ).format(ENTRY_COLUMNS)
    with connection.cursor("entries") as cursor:
        cursor.itersize = _AT_ONCE
        for *row, vector, summary, length, meta, lacking in cursor.execute(query):
            try:
                entry = entry_of(row, vector, summary)
            except StoreError:
                continue  # already said
            found = bag(row[0], entry, settings.stemming)
            if wrong := _derived(entry, found, length, meta, marks):
                yield Problem(f"{entry.doc} {entry.id}", wrong)
            if lacking != lacks_vectors(entry, dual=settings.dual):
                yield Problem(f"{entry.doc} {entry.id}", "whether it lacks a vector is not what is noted of it")
            for at, number in enumerate((1, bool(found.length), found.length)):
                totals.setdefault(entry.level, [0, 0, 0])[at] += number
    rows = connection.execute(
        "SELECT level, entries, worded, words FROM levels WHERE (entries, worded, words) <> (0, 0, 0)"
    )
    if {level: numbers for level, *numbers in rows} != totals:
        yield Problem("levels", "the numbers of entries and words are not those of the entries")


def _derived(entry: Entry, found: Bag, length: int, meta: str, marks: Marks) -> str:
    """What is wrong with the columns that follow from others."""
    if marks.take(found.key) != _mark_of(found) or length != found.length:
        return "the words that BM25 counts for it are not those of its text"
    wrong = _plain(meta) != _plain(meta_json(entry.meta))
    return "the front matter to filter by is not that of the entry" if wrong else ""


def _strays(connection: Connection) -> Iterator[Problem]:
    """Rows that belong to no entry, or say otherwise."""
    for table in ("vectors", "summary_vectors"):
        query = sql.SQL(
            "SELECT count(*) FROM {} v LEFT JOIN entries e USING (key) WHERE e.key IS NULL OR e.level <> v.level"
        )
        yield from _counted(connection, query.format(sql.Identifier(table)), table, "of no entry, or on another level")
    query = sql.SQL("SELECT count(*) FROM parts LEFT JOIN vectors v USING (key) WHERE v.key IS NULL")
    yield from _counted(connection, query, "parts", "of no vector")
    query = sql.SQL(
        "SELECT count(*) FROM entries e FULL JOIN bodies b USING (key) WHERE e.key IS NULL OR b.key IS NULL"
    )
    yield from _counted(connection, query, "bodies", "of no entry, or missing")
    # All else is looked at head by head: what has lost its head would not be.
    for table in ("versions", "owners"):
        query = sql.SQL("SELECT count(*) FROM {} LEFT JOIN documents d USING (doc) WHERE d.doc IS NULL")
        yield from _counted(connection, query.format(sql.Identifier(table)), table, "of no document")
    query = sql.SQL("SELECT count(*) FROM entries e LEFT JOIN owners o USING (id) WHERE o.doc IS DISTINCT FROM e.doc")
    yield from _counted(connection, query, "owners", "of another document than their entry, or missing")


def _counted(connection: Connection, query: sql.SQL | sql.Composed, table: str, what: str) -> Iterator[Problem]:
    row = connection.execute(query).fetchone()
    if row and row[0]:
        yield Problem(table, f"{row[0]} rows are {what}")


def _plain(text: str) -> Any:
    """JSON as values that are equal where PostgreSQL's are."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def _mark_of(one: Bag) -> int:
    seeds = np.array([_seed(word, one.level) for word in one.counts], np.uint64)
    counts = np.array(list(one.counts.values()), np.uint64)
    return int(_hashes(seeds, counts, np.full_like(counts, one.length)).sum(dtype=np.uint64))


def _seed(word: str, level: int) -> int:
    return (((crc32(word.encode()) << 16) ^ level) * _MIX[0]) & _ALL


def _hashes(seeds: Numbers, counts: Numbers, lengths: Numbers) -> Numbers:
    """One for each word of an entry."""
    mixed: Numbers = (seeds ^ (counts * np.uint64(_MIX[1]) + lengths * np.uint64(_MIX[2]))) * np.uint64(_MIX[3])
    return mixed


_LIMITS = PostgresLimits()


class PostgresStore:
    """An index in a schema of a database. Threads may share it."""

    def __init__(self, address: Address, opened: Opened, *, limits: PostgresLimits = _LIMITS) -> None:
        self._address = address
        self._opened = opened
        self._limits = limits
        self._pool = ConnectionPool(lambda: adapted(connect(address)))
        self._replicas = ReplicaSet(address, adapted) if address.replicas else None
        self._remarks: list[Notice] = []

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
            connection, is_primary = _first_connection(address, is_new=settings is not None)
            undo.callback(connection.close)
            if settings is not None:
                create(connection, address, settings)
            store = cls(address, open_schema(connection, address), limits=limits)
            if settings is not None:
                check_settings(store.settings, settings)
            if is_primary:
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
        connection, pool, reader = self._reader()
        try:
            yield reader
        finally:
            reader.close()
            _give_back(connection, pool)

    @contextmanager
    def writer(self) -> Iterator[PostgresWriter]:
        """The right to write, until it is given back."""
        writer = PostgresWriter(self._address, self.settings, self._limits)
        try:
            with self._replicas.writing(writer) if self._replicas else nullcontext():
                yield writer
        finally:
            writer.close()

    def generation(self) -> str:
        with self.reader() as reader:
            return f"{self._opened.born}.{reader.generation}"

    def verify(self) -> Iterator[Problem]:
        """Read everything, and compare it with the checksums it was written with, the words of BM25 included."""
        connection, pool, reader = self._reader()
        try:
            with told(self._address, "cannot verify"):
                yield from verify(reader, connection, self.settings)
        finally:
            reader.close()
            _give_back(connection, pool)

    def size(self) -> int:
        """Bytes of the tables and their indexes."""
        with self.reader() as reader:
            return reader.size()

    def forget(self, docs: Sequence[str]) -> list[str]:
        """Erase documents with every version of them; the names of those that were there. A remark says what of the
        server is beyond this store."""
        with self.writer() as writer:
            erased, notice = writer.erase(docs)
        self._remarks += [notice]
        return erased

    def vectors(self) -> None:
        """None: vectors are not kept apart from their entries."""

    def answers(self) -> None:
        """None: answers are not kept."""

    def remarks(self) -> list[Notice]:
        """What happened since the last call that a user should know."""
        found, self._remarks = self._remarks, []
        return found + (self._replicas.remarks() if self._replicas else [])

    def close(self) -> None:
        self._pool.close()
        if self._replicas:
            self._replicas.close()

    def _reader(self) -> tuple[Connection, ConnectionPool, PostgresReader]:
        """A connection, where it goes back to, and a reader on it; a connection that lay idle may be dead, and is
        replaced then."""
        while True:
            replica = self._replicas.take() if self._replicas else None
            if replica is not None:
                (connection, pool, address), used = replica, True
            else:
                (connection, used), pool, address = self._pool.take(), self._pool, self._address
            try:
                return connection, pool, PostgresReader(connection, address, self._opened, self._limits)
            except StoreError:
                if not used or not lost(connection):
                    _give_back(connection, pool)
                    raise


def _first_connection(address: Address, *, is_new: bool) -> tuple[Connection, bool]:
    """A connection to open an index with, and whether it leads to the primary; a replica has to do where that is away
    and nothing has to be made."""
    try:
        return connect(address), True
    except StoreError:
        if is_new:
            raise
        for replica in address.replicas:
            with suppress(StoreError):
                return connect(replica), False
        raise


def _give_back(connection: Connection, pool: ConnectionPool) -> None:
    if not lost(connection):
        try:
            connection.rollback()
        except psycopg.Error:
            connection.close()
    pool.give(connection)
