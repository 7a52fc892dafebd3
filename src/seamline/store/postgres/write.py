"""Writing to an index in PostgreSQL: one transaction, and an answer even where the connection broke on its commit.

`tidy` keeps the index quick: packed words, HNSW, statistics for the planner, dead rows removed. It locks out no reader,
not even those of the process that tidies.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors, sql

from seamline.errors import StoreError
from seamline.records import Change, Entry, Settings, lacks_vectors
from seamline.store import codec
from seamline.store.changes import Current, check_changes, check_vectors, fill_vectors
from seamline.store.postgres.connect import Address, Connection, connect, lost, refusal, safe, told, unsafe
from seamline.store.postgres.erase import clear_traces, delete_documents, known, rewrite_files
from seamline.store.postgres.replicas import PRIMARY_POSITION
from seamline.store.postgres.rows import (
    BODY_ROW,
    ENTRY_COLUMNS,
    ENTRY_ROW,
    HEAD_COLUMNS,
    VERSION_COLUMNS,
    body_row,
    entry_of,
    entry_row,
    head_of,
    head_row,
    seal_of,
    vectors_copy,
    version_row,
)
from seamline.store.postgres.schema import MOST_INDEXED, OF_DOCUMENTS, PostgresLimits, lock_key
from seamline.store.postgres.search import HALVES, TABLES
from seamline.store.postgres.words import MOST_KEYS, Bag, bag, fold, merge, note

if TYPE_CHECKING:
    from seamline.records import Parts, Vector
    from seamline.types import Notice

_ATTEMPTS = 3
_TRANSIENT = (errors.SerializationFailure, errors.DeadlockDetected)
_PATIENCE = 1.5
"""Seconds that the session of a client which was killed may take to end."""
_RETURN = 10.0
"""Seconds that a server which crashed may take to come back before a change is given up."""
_PAUSE = 0.05
_HOLDER = """
SELECT a.application_name, a.client_addr, a.backend_start FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (l.classid::bigint << 32 | l.objid::bigint) = %s
"""
_TIMELINE = "SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END"
"""Another one for each server that was made the primary after the first."""
_VECTOR_TABLES = {"vectors": "vector", "summary_vectors": "summary_vector"}
"""Which vectors of an entry each table holds."""
_LACKING = sql.SQL(
    "SELECT {}, vector_send(v.vector), vector_send(s.vector), p.parts, b.digest FROM entries e"
    " JOIN bodies b USING (key) LEFT JOIN vectors v USING (key) LEFT JOIN summary_vectors s USING (key)"
    " LEFT JOIN parts p USING (key) WHERE e.lacking AND e.id = ANY(%s)"
).format(ENTRY_COLUMNS)


class PostgresWriter:
    """The right to change a PostgresStore: a lock that lives as long as its connection."""

    def __init__(self, address: Address, settings: Settings, limits: PostgresLimits) -> None:
        self._address = address
        self._settings = settings
        self._limits = limits
        self._connection: Connection | None = _locked(address)
        self._transaction = ""
        """Number of the transaction whose commit is on its way."""
        self.position = 0
        """Of the server's log, after the last change."""
        with ExitStack() as undo, told(address, "nothing was written"):
            undo.callback(self.close)
            self._timeline = self._connection.execute(_TIMELINE).fetchone()
            undo.pop_all()

    def apply(self, changes: Sequence[Change]) -> None:
        """Write all changes or, where one is refused, none. What the server could not help is tried again."""
        self._open()
        if changes:
            self._transact(lambda connection: _write(connection, changes, self._settings, self._limits))

    def add_vectors(self, entries: Sequence[Entry]) -> int:
        """Give entries the vectors that they lack; how many were given something."""
        self._open()
        check_vectors(entries, self._settings)
        filled = 0

        def fill(connection: Connection) -> None:
            nonlocal filled
            filled = _fill(connection, entries, self._settings)

        if entries:
            self._transact(fill)
        return filled

    def tidy(self) -> None:
        """Fold new words into the index of words, build or keep up the indexes of vectors, give back space."""
        with told(self._address, "what was indexed is written, but the index cannot be tidied"):
            tidy(self._open(), self._limits, self._settings.dimensions)

    def erase(self, docs: Sequence[str]) -> tuple[list[str], Notice]:
        """Delete documents with every version of them, and write the files of the tables anew; the names of those that
        were there, and what is left to the server's administrator."""
        self._open()
        found: list[str] = []

        def delete(connection: Connection) -> None:
            nonlocal found
            connection.execute("SELECT FROM state FOR UPDATE")
            found = known(connection, docs)
            rows = connection.execute("SELECT id FROM entries WHERE doc = ANY(%s)", ([safe(doc) for doc in found],))
            gone = _take_out(connection, [unsafe(id) for (id,) in rows.fetchall()], self._settings.stemming)
            _note_words(connection, [], gone, 0)
            delete_documents(connection, found)
            connection.execute("UPDATE state SET generation = generation + 1")

        self._transact(delete)
        with told(self._address, "the documents are deleted, but their files cannot be written anew"):
            rewrite_files(self._open(), self._transaction)
            return found, clear_traces(self._open())

    def close(self) -> None:
        """Give the right back; another call of this writer is refused."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _transact(self, work: Callable[[Connection], None]) -> None:
        """Do some work in one transaction. What the server could not help is tried again."""
        for attempt in range(_ATTEMPTS):
            connection = self._open()
            try:
                return self._commit(connection, work)
            except psycopg.Error as error:
                if lost(connection) and self._was_committed(error):
                    return None
                again = (lost(connection) or isinstance(error, _TRANSIENT)) and not isinstance(error, errors.DiskFull)
                if not again or attempt == _ATTEMPTS - 1:
                    raise refusal(self._address, error, "nothing was written") from error
        return None

    def _commit(self, connection: Connection, work: Callable[[Connection], None]) -> None:
        self._transaction = ""
        try:
            connection.execute("BEGIN")
            work(connection)
            row = connection.execute("SELECT pg_current_xact_id()::text").fetchone()
            self._transaction = row[0] if row else ""
            connection.execute("COMMIT")
            self._note_position(connection)
        finally:
            if not lost(connection) and connection.info.transaction_status:
                connection.execute("ROLLBACK")

    def _was_committed(self, cause: psycopg.Error) -> bool:
        """Connect again; whether the transaction that was cut off is nevertheless written. A server whose log finds no
        room ends all connections, and may not come back before it has some."""
        doubt = (
            "it is not known whether the last documents were written: index again, what was written is recognised"
            if self._transaction
            else "nothing was written"
        )
        try:
            self._connection = _locked(self._address, _RETURN)
        except StoreError as error:
            self._connection = None
            first = refusal(self._address, cause, f"the connection was lost while writing, {doubt}")
            raise StoreError(f"{first}; since then, {error}") from error
        with told(self._address, doubt):
            if not self._transaction:
                return False
            if self._connection.execute(_TIMELINE).fetchone() != self._timeline:
                # Numbers of transactions that a primary did not pass on are given again by the one that follows it.
                raise StoreError(f"another server has become the primary of {self._address.shown}, and {doubt}")
            committed = _outcome(self._connection, self._transaction) == "committed"
            self._note_position(self._connection)
            return committed

    def _note_position(self, connection: Connection) -> None:
        if self._address.replicas:
            row = connection.execute(PRIMARY_POSITION).fetchone()
            self.position = int(row[0]) if row else 0

    def _open(self) -> Connection:
        if self._connection is None:
            raise StoreError("this writer was given back: take a new one from the store")
        return self._connection


def _connected(address: Address, patience: float) -> Connection:
    end = time.monotonic() + patience
    while True:
        try:
            return connect(address, "writer")
        except StoreError:
            if time.monotonic() >= end:
                raise
        time.sleep(_PAUSE)


def _locked(address: Address, patience: float = 0) -> Connection:
    """A connection that holds the right to write, to a server that may need some seconds to come back."""
    connection = _connected(address, patience)
    with ExitStack() as undo, told(address):
        undo.callback(connection.close)
        _lock(connection, address)
        undo.pop_all()
    return connection


def _lock(connection: Connection, address: Address) -> None:
    key = lock_key(address.schema)
    end = time.monotonic() + _PATIENCE
    while True:
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()
        if row and row[0]:
            return
        holder = connection.execute(_HOLDER, (key,)).fetchone()
        # The session of a client that was killed ends when the server notices; that of a living one does not.
        if time.monotonic() > end:
            raise StoreError(f"{_named(holder)} is writing to the index at {address.shown}: wait until it is done")
        time.sleep(_PAUSE)


def _named(holder: tuple[object, ...] | None) -> str:
    name, where, since = holder or (None, None, None)
    who = f"`{name}`" if name else "another client"
    return f"{who} from {where or 'this machine'}" + (f", since {since:%Y-%m-%d %H:%M:%S %Z}," if since else "")


def _outcome(connection: Connection, transaction: str) -> str:
    """`committed` or `aborted`, once the server has made up its mind."""
    end = time.monotonic() + _PATIENCE
    while True:
        row = connection.execute("SELECT pg_xact_status(%s::text::xid8)", (transaction,)).fetchone()
        if row is None or row[0] != "in progress" or time.monotonic() > end:
            return str(row[0]) if row else ""
        time.sleep(_PAUSE)


def _write(connection: Connection, changes: Sequence[Change], settings: Settings, limits: PostgresLimits) -> None:
    row = connection.execute("SELECT next_key FROM state FOR UPDATE").fetchone()
    key = int(row[0]) if row else 1
    check_changes(changes, _stored(connection, changes), settings)
    put = [entry for change in changes for entry in change.put]
    if key + len(put) > MOST_KEYS:
        raise StoreError(f"the index has no keys left after {key:,} writes of entries: index again from scratch")
    dropped = [id for change in changes for id in change.drop]
    gone = _take_out(connection, dropped + [entry.id for entry in put], settings.stemming)
    bags = [bag(number, entry, settings.stemming) for number, entry in enumerate(put, key)]
    _put_in(connection, list(zip(bags, put, strict=True)), settings)
    _note_words(connection, bags, gone, limits.fold_at)
    _note_documents(connection, changes)
    connection.execute("UPDATE state SET generation = generation + 1, next_key = %s", (key + len(put),))


def _stored(connection: Connection, changes: Sequence[Change]) -> Callable[[str], Current]:
    docs = [safe(change.head.doc) for change in changes]
    heads = connection.execute(
        sql.SQL("SELECT {} FROM documents WHERE doc = ANY(%s)").format(HEAD_COLUMNS), (docs,)
    ).fetchall()
    ids: dict[str, list[str]] = {}
    for doc, id in connection.execute("SELECT doc, id FROM entries WHERE doc = ANY(%s)", (docs,)):
        ids.setdefault(unsafe(doc), []).append(unsafe(id))
    known = {head.doc: head for head in map(head_of, heads)}
    return lambda doc: Current(known.get(doc), ids.get(doc, ()))


def _take_out(connection: Connection, ids: Sequence[str], stemming: str) -> list[Bag]:
    """Remove these entries where they exist; their words."""
    query = sql.SQL("SELECT {} FROM entries e JOIN bodies b USING (key) WHERE e.id = ANY(%s)").format(ENTRY_COLUMNS)
    rows = connection.execute(query, ([safe(id) for id in ids],)).fetchall()
    keys = [row[0] for row in rows]
    for table in ("entries", "bodies", "vectors", "summary_vectors", "parts"):
        connection.execute(sql.SQL("DELETE FROM {} WHERE key = ANY(%s)").format(sql.Identifier(table)), (keys,))
    return [bag(row[0], entry_of(row), stemming) for row in rows]


def _put_in(connection: Connection, rows: Sequence[tuple[Bag, Entry]], settings: Settings) -> None:
    with connection.cursor().copy(sql.SQL("COPY entries ({}) FROM STDIN").format(ENTRY_ROW)) as copy:
        for found, entry in rows:
            copy.write_row(entry_row(found.key, entry, found.length, dual=settings.dual))
    with connection.cursor().copy(sql.SQL("COPY bodies ({}) FROM STDIN").format(BODY_ROW)) as copy:
        for found, entry in rows:
            copy.write_row(body_row(found.key, entry))
    for table, name in _VECTOR_TABLES.items():
        vectors = [(found.key, found.level, getattr(entry, name)) for found, entry in rows]
        _put_vectors(connection, table, [row for row in vectors if row[2] is not None], settings)
    _put_parts(connection, [(found.key, entry.parts) for found, entry in rows])
    connection.execute(
        "INSERT INTO owners SELECT * FROM unnest(%s::text[], %s::text[])"
        " ON CONFLICT (id) DO UPDATE SET doc = excluded.doc WHERE owners.doc <> excluded.doc",
        ([safe(entry.id) for _, entry in rows], [safe(entry.doc) for _, entry in rows]),
    )


def _put_vectors(
    connection: Connection, table: str, rows: Sequence[tuple[int, int, Vector]], settings: Settings
) -> None:
    query = sql.SQL("COPY {} FROM STDIN (FORMAT binary)").format(sql.Identifier(table))
    if rows:
        with connection.cursor().copy(query) as copy:
            copy.write(vectors_copy(rows, settings.dimensions))


def _put_parts(connection: Connection, rows: Sequence[tuple[int, Parts | None]]) -> None:
    whole = [(key, codec.pack_parts(parts)) for key, parts in rows if parts is not None]
    if whole:
        with connection.cursor().copy("COPY parts FROM STDIN (FORMAT binary)") as copy:
            copy.set_types(("bigint", "bytea"))
            for row in whole:
                copy.write_row(row)


def _fill(connection: Connection, entries: Sequence[Entry], settings: Settings) -> int:
    """Put vectors beside the entries that lack them; their words and keys stay. How many there were."""
    connection.execute("SELECT FROM state FOR UPDATE")
    given = {entry.id: entry for entry in entries}
    filled: list[tuple[int, Entry, Entry]] = []
    for *row, vector, summary, parts, digest in connection.execute(_LACKING, ([safe(id) for id in given],)).fetchall():
        stored = entry_of(row, vector, summary, parts)
        if entry := fill_vectors(stored, digest.hex(), given[stored.id], dual=settings.dual):
            filled.append((row[0], stored, entry))
    if not filled:
        return 0
    for table, name in _VECTOR_TABLES.items():
        new = [(key, now.level, getattr(now, name)) for key, old, now in filled if getattr(old, name) is None]
        _put_vectors(connection, table, [row for row in new if row[2] is not None], settings)
    _put_parts(connection, [(key, now.parts) for key, old, now in filled if old.vector is None])
    connection.execute(
        "UPDATE bodies SET checksum = given.hash FROM unnest(%s::bigint[], %s::bytea[]) AS given (key, hash)"
        " WHERE bodies.key = given.key",
        ([key for key, _, _ in filled], [bytes.fromhex(codec.checksum(entry)) for _, _, entry in filled]),
    )
    whole = [key for key, _, entry in filled if not lacks_vectors(entry, dual=settings.dual)]
    connection.execute("UPDATE entries SET lacking = false WHERE key = ANY(%s)", (whole,))
    connection.execute("UPDATE state SET generation = generation + 1")
    return len(filled)


def _note_words(connection: Connection, put: Sequence[Bag], gone: Sequence[Bag], fold_at: int) -> None:
    """What the next searches have to know of words that came and went."""
    keys = [one.key for one in gone]
    young = {key for (key,) in connection.execute("DELETE FROM recent WHERE key = ANY(%s) RETURNING key", (keys,))}
    note(connection, put)
    note(connection, [one for one in gone if one.key not in young], gone=True)
    _count(connection, put, gone)
    row = connection.execute("SELECT count(*) FROM recent").fetchone()
    if row and row[0] > fold_at:
        fold(connection)


def _count(connection: Connection, put: Sequence[Bag], gone: Sequence[Bag]) -> None:
    totals: dict[int, list[int]] = {}
    for bags, sign in ((put, 1), (gone, -1)):
        for one in bags:
            level = totals.setdefault(one.level, [0, 0, 0])
            level[0] += sign
            level[1] += sign * bool(one.length)
            level[2] += sign * one.length
    columns = [list(column) for column in zip(*totals.values(), strict=True)] or [[], [], []]
    connection.execute(
        "INSERT INTO levels SELECT * FROM unnest(%s::integer[], %s::bigint[], %s::bigint[], %s::bigint[])"
        " ON CONFLICT (level) DO UPDATE SET entries = levels.entries + excluded.entries,"
        " worded = levels.worded + excluded.worded, words = levels.words + excluded.words",
        (list(totals), *columns),
    )


def _note_documents(connection: Connection, changes: Sequence[Change]) -> None:
    heads = [head_row(change.head) for change in changes]
    connection.execute("DELETE FROM documents WHERE doc = ANY(%s)", ([head[0] for head in heads],))
    with connection.cursor().copy(sql.SQL("COPY documents ({}, seal) FROM STDIN").format(HEAD_COLUMNS)) as copy:
        for head in heads:
            copy.write_row((*head, seal_of(head)))
    columns = VERSION_COLUMNS.format(text=sql.SQL("text"))
    with connection.cursor().copy(sql.SQL("COPY versions ({}) FROM STDIN").format(columns)) as copy:
        for change in changes:
            if change.version is not None:
                copy.write_row(version_row(change.version))


_DEAD = 0.1
"""Share of dead rows at which a table is vacuumed now, and not left to the server."""
_HNSW = sql.SQL(
    "CREATE INDEX {name} ON {table} USING hnsw (vector vector_cosine_ops)"
    " WITH (m = 16, ef_construction = 64) WHERE level {half}"
)
_ROOM = 600
"""Bytes that HNSW needs for an entry while it is built, beside the vector."""
_MOST_ROOM = 1 << 30


def tidy(connection: Connection, limits: PostgresLimits, dimensions: int) -> None:
    """Everything, in transactions of its own."""
    with connection.transaction():
        row = connection.execute("SELECT count(*) FROM recent").fetchone()
        if row and row[0] >= limits.worth_folding:
            fold(connection)
        merge(connection, limits.scattered)
    if dimensions <= MOST_INDEXED:
        for table in TABLES.values():
            for half in HALVES:
                _index_vectors(connection, table, half, limits.exact_below, dimensions)
    _clean(connection)


def _index_vectors(connection: Connection, table: str, half: str, exact_below: int, dimensions: int) -> None:
    """Build HNSW where exact search has become slow: at once, which is quicker than row by row from the start."""
    name = f"{table}_{half}"
    parts = {"name": sql.Identifier(name), "table": sql.Identifier(table), "half": HALVES[half]}
    there = "SELECT 1 FROM pg_indexes WHERE schemaname = current_schema() AND indexname = %s"
    if connection.execute(there, (name,)).fetchone():
        return
    row = connection.execute(sql.SQL("SELECT count(*) FROM {table} WHERE level {half}").format(**parts)).fetchone()
    rows = int(row[0]) if row else 0
    if rows < exact_below:
        return
    room = min(_MOST_ROOM, rows * (4 * dimensions + _ROOM)) >> 10
    try:
        _build(connection, _HNSW.format(**parts), room, workers=2)
    except (errors.DiskFull, errors.OutOfMemory):
        # Workers share memory that containers often have 64 MB of; one process alone needs none of it.
        _build(connection, _HNSW.format(**parts), room, workers=0)


def _build(connection: Connection, query: sql.Composed, room: int, workers: int) -> None:
    with connection.transaction():
        connection.execute(
            "SELECT set_config('maintenance_work_mem', greatest(%s, setting::bigint)::text, true),"
            " set_config('max_parallel_maintenance_workers', %s, true)"
            " FROM pg_settings WHERE name = 'maintenance_work_mem'",
            (room, str(workers)),
        )
        connection.execute(query)


def _clean(connection: Connection) -> None:
    rows = connection.execute(
        "SELECT relname, n_dead_tup > %s * (n_live_tup + 100), n_mod_since_analyze > %s * (n_live_tup + 100)"
        " FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname = ANY(%s)",
        (_DEAD, _DEAD, OF_DOCUMENTS),
    ).fetchall()
    for table, dead, changed in rows:
        if dead or changed:
            what = sql.SQL("VACUUM (ANALYZE) {}" if dead else "ANALYZE {}")
            connection.execute(what.format(sql.Identifier(table)))
