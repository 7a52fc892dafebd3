"""Reading an index in PostgreSQL: one snapshot, from the first question to the last."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from psycopg import sql

from seamline.errors import StoreError
from seamline.filters import Filter
from seamline.records import Entry, Head, Scored, VectorKind, Version
from seamline.store import postgres_search as search
from seamline.store.postgres_connect import Address, Connection, told
from seamline.store.postgres_filter import Condition, both, condition
from seamline.store.postgres_limits import Limits
from seamline.store.postgres_rows import (
    ENTRY_COLUMNS,
    HEAD_COLUMNS,
    VERSION_COLUMNS,
    entry_of,
    head_of,
    version_of,
)
from seamline.store.postgres_schema import LAYOUT, Opened
from seamline.store.postgres_text import safe, unsafe
from seamline.words import query_words

if TYPE_CHECKING:
    from seamline.records import Vector

_AT_ONCE = 500
"""Rows of a long result that are fetched together."""
_ENTRIES = sql.SQL("SELECT {columns}{vectors} FROM entries e JOIN bodies b USING (key){joins} WHERE {where}")
_VECTORS = sql.SQL(", vector_send(v.vector), vector_send(s.vector)")
_JOINS = sql.SQL(" LEFT JOIN vectors v USING (key) LEFT JOIN summary_vectors s USING (key)")
_NOTHING = sql.SQL("")


class PostgresReader:
    """One state of a PostgresStore."""

    def __init__(self, connection: Connection, address: Address, opened: Opened, limits: Limits) -> None:
        self._connection: Connection | None = connection
        self._address = address
        self._settings = opened.settings
        self._names = count()
        rows = self._all(sql.SQL("SELECT generation, born, layout FROM state, settings"))
        if not rows or rows[0][1:] != (opened.born, LAYOUT):
            raise StoreError(f"the index at {address.shown} was replaced meanwhile: open it again")
        self.generation = int(rows[0][0])
        """How many changes there were."""
        with told(address):
            self._searcher = search.Searcher(connection, limits)

    def near(
        self,
        vector: Vector,
        k: int,
        *,
        where: Filter | None = None,
        levels: Collection[int] | None = (0,),
        of: VectorKind = "text",
    ) -> list[Scored]:
        """The `k` entries with the highest cosine similarity: exact in small indexes and under narrow filters, by
        HNSW otherwise."""
        if vector.shape != (self._settings.dimensions,):
            raise StoreError(f"expected a vector of {self._settings.dimensions} dimensions, got shape {vector.shape}")
        self._open()
        with told(self._address):
            return self._searcher.near(vector, k, where, levels, of) if k > 0 else []

    def matching(
        self, query: str, k: int, *, where: Filter | None = None, levels: Collection[int] | None = (0,)
    ) -> list[Scored]:
        """The `k` entries with the highest BM25 score above 0, exactly."""
        self._open()
        with told(self._address):
            return self._searcher.matching(query_words(query), k, where, levels) if k > 0 else []

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        """The entries of these ids that exist."""
        wanted = Condition(sql.SQL("e.id = ANY(%s)"), ([safe(id) for id in ids],))
        return {entry.id: entry for entry in self._entries(wanted, vectors)}

    def select(self, where: Filter | None = None, *, vectors: bool = False) -> Iterator[Entry]:
        """Every entry of any level that the filter lets through, by document and id, a few at a time."""
        return self._entries(condition(where), vectors, sql.SQL(" ORDER BY e.doc, e.id"))

    def count(self, where: Filter | None = None, *, levels: Collection[int] | None = (0,)) -> int:
        text, values = both(condition(where), search.on_levels(levels))
        rows = self._all(sql.SQL("SELECT count(*) FROM entries e WHERE {}").format(text), values)
        return int(rows[0][0])

    def head(self, doc: str) -> Head | None:
        rows = self._all(sql.SQL("SELECT {} FROM documents WHERE doc = %s").format(HEAD_COLUMNS), (safe(doc),))
        return head_of(rows[0]) if rows else None

    def heads(self) -> Iterator[Head]:
        """All documents ever indexed, by name."""
        return map(head_of, self._stream(sql.SQL("SELECT {} FROM documents ORDER BY doc").format(HEAD_COLUMNS)))

    def version(self, doc: str, number: int, *, text: bool = True) -> Version | None:
        columns = VERSION_COLUMNS.format(text=sql.SQL("text" if text else "NULL"))
        query = sql.SQL("SELECT {} FROM versions WHERE doc = %s AND number = %s").format(columns)
        rows = self._all(query, (safe(doc), number))
        return version_of(rows[0]) if rows else None

    def versions(self, doc: str) -> list[int]:
        return list(self.seals(doc))

    def owner(self, id: str) -> str | None:
        rows = self._all(sql.SQL("SELECT doc FROM owners WHERE id = %s"), (safe(id),))
        return unsafe(rows[0][0]) if rows else None

    def digests(self, doc: str) -> Mapping[str, str]:
        return self._hashes(sql.SQL("digest"), doc)

    def checksums(self, doc: str) -> Mapping[str, str]:
        return self._hashes(sql.SQL("checksum"), doc)

    def seals(self, doc: str) -> Mapping[int, str]:
        rows = self._all(sql.SQL("SELECT number, seal FROM versions WHERE doc = %s ORDER BY number"), (safe(doc),))
        return {number: seal.hex() for number, seal in rows}

    def size(self) -> int:
        """Bytes of the tables and their indexes."""
        query = sql.SQL(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
        )
        rows = self._all(query)
        return int(rows[0][0] or 0)

    def close(self) -> None:
        """Let go of the snapshot; another question to this reader is refused."""
        self._connection = None

    def _hashes(self, column: sql.SQL, doc: str) -> dict[str, str]:
        query = sql.SQL("SELECT e.id, b.{} FROM entries e JOIN bodies b USING (key) WHERE e.doc = %s").format(column)
        return {unsafe(id): found.hex() for id, found in self._all(query, (safe(doc),))}

    def _entries(self, where: Condition, vectors: bool, order: sql.SQL = _NOTHING) -> Iterator[Entry]:
        query = _ENTRIES.format(
            columns=ENTRY_COLUMNS,
            vectors=_VECTORS if vectors else _NOTHING,
            joins=_JOINS if vectors else _NOTHING,
            where=where.text,
        )
        for row in self._stream(query + order, where.values):
            yield entry_of(row[:-2], *row[-2:]) if vectors else entry_of(row)

    def _all(self, query: sql.SQL | sql.Composed, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with told(self._address):
            return self._open().execute(query, values).fetchall()

    def _stream(self, query: sql.SQL | sql.Composed, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Rows through a cursor of the server's, so that no result is ever wholly in memory."""
        with told(self._address), self._open().cursor(f"rows_{next(self._names)}") as cursor:
            cursor.itersize = _AT_ONCE
            cursor.execute(query, values)
            yield from cursor

    def _open(self) -> Connection:
        if self._connection is None:
            raise StoreError("this reader was closed: take a new one from the store")
        return self._connection
