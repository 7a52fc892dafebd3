"""Reading an index in PostgreSQL: one snapshot, from the first question to the last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from psycopg import sql

from seamline.errors import StoreError
from seamline.filters.tree import Filter
from seamline.records import Entry, Head, Levels, Scored, VectorKind, Version
from seamline.store import codec
from seamline.store.changes import check_query
from seamline.store.postgres import search
from seamline.store.postgres.connect import Address, Connection, safe, told, unsafe
from seamline.store.postgres.filter import PostgresCondition, both, condition
from seamline.store.postgres.rows import (
    ENTRY_COLUMNS,
    HEAD_COLUMNS,
    VERSION_COLUMNS,
    embedded_of,
    entry_of,
    head_of,
    version_of,
)
from seamline.store.postgres.schema import LAYOUT, Opened, PostgresLimits
from seamline.text.words import asked_words

if TYPE_CHECKING:
    from seamline.records import EntryVectors, Parts, Vector

_AT_ONCE = 500
"""Rows of a long result that are fetched together."""
_KEPT = 1000
"""Heads that a reader remembers."""
_ENTRIES = sql.SQL("SELECT {columns}{vectors} FROM entries e JOIN bodies b USING (key){joins} WHERE {where}")
_VECTORS = sql.SQL(", vector_send(v.vector), vector_send(s.vector), p.parts")
_JOINS = sql.SQL(
    " LEFT JOIN vectors v USING (key) LEFT JOIN summary_vectors s USING (key) LEFT JOIN parts p USING (key)"
)
_VECTORS_ALONE = sql.SQL("SELECT e.id{} FROM entries e{} WHERE e.id = ANY(%s)").format(_VECTORS, _JOINS)
_NOTHING = sql.SQL("")
_LAYOUTS = sql.SQL(
    "SELECT doc, v.number, v.revision, v.title, v.uri, NULL, v.indexed_at, v.places, v.seal"
    " FROM documents d JOIN versions v USING (doc) WHERE v.number = d.version AND NOT d.deleted AND doc = ANY(%s)"
)
"""The current versions of documents, without their texts."""
_BEGIN = sql.SQL(
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
    " SELECT generation, born, layout, next_key,"
    " ARRAY(SELECT relname::text FROM pg_class"
    " WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relname = ANY({indexes})),"
    " ARRAY(SELECT ARRAY[level, entries, worded, words] FROM levels),"
    " set_config('hnsw.ef_search', least({}, greatest({}, (SELECT sum(entries)::bigint / {} FROM levels)))::text, true)"
    " FROM state, settings"
).format(*search.WIDTHS, indexes=search.INDEXES)
"""A transaction that sees one state and changes nothing; everything a reader has to know and to set at once, in one
trip to the server."""


class PostgresReader:
    """One state of a PostgresStore."""

    def __init__(self, connection: Connection, address: Address, opened: Opened, limits: PostgresLimits) -> None:
        self._connection: Connection | None = connection
        self._address = address
        self._settings = opened.settings
        self._names = count()
        self._heads: dict[str, Head | None] = {}
        self._owners: dict[str, str | None] = {}
        # Whoever reads a version will ask for the owners of its ids: one question for all of them, not one for each.
        self._placed: set[str] = set()
        with told(address):
            begun = connection.execute(_BEGIN)
            begun.nextset()
            rows = begun.fetchall()
        if not rows:
            raise StoreError(
                f"the index at {address.shown} is damaged, it has lost its state: index again from scratch"
            )
        if rows[0][1:3] != (opened.born, LAYOUT):
            raise StoreError(f"the index at {address.shown} was replaced meanwhile: open it again")
        generation, _, _, next_key, indexes, levels, width = rows[0]
        self.generation = int(generation)
        """How many changes there were."""
        self._searcher = search.Searcher(connection, limits, indexes, levels, next_key, int(width))

    def near(
        self, vector: Vector, k: int, *, where: Filter | None = None, levels: Levels = (0,), of: VectorKind = "text"
    ) -> list[Scored]:
        """The `k` entries with the highest cosine similarity: exact in small indexes and under narrow filters, by
        HNSW otherwise."""
        check_query(vector, self._settings)
        self._open()
        with told(self._address):
            return self._searcher.near(vector, k, where, levels, of) if k > 0 else []

    def matching(
        self, query: str, k: int, *, where: Filter | None = None, levels: Levels = (0,), every: bool = False
    ) -> list[Scored]:
        """The `k` entries with the highest BM25 score above 0, exactly; with `every`, of those that hold all words."""
        self._open()
        with told(self._address):
            asked = asked_words(query, self._settings.stemming, every=every)
            return self._searcher.matching(asked, k, where, levels, every=every) if k > 0 else []

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        """The entries of these ids that exist."""
        wanted = PostgresCondition(sql.SQL("e.id = ANY(%s)"), ([safe(id) for id in ids],))
        rows = self._all(_entries_where(wanted, vectors), wanted.values)
        return {entry.id: entry for entry in _entries(rows, vectors)}

    def vectors(self, ids: Iterable[str]) -> dict[str, EntryVectors]:
        """What of these entries that exist was embedded."""
        rows = self._all(_VECTORS_ALONE, ([safe(id) for id in ids],))
        return {unsafe(id): embedded_of(*embedded) for id, *embedded in rows}

    def parts(self, ids: Iterable[str]) -> dict[str, Parts]:
        """The parts of those of these entries that have any."""
        query = sql.SQL("SELECT e.id, p.parts FROM entries e JOIN parts p USING (key) WHERE e.id = ANY(%s)")
        return {unsafe(id): codec.unpack_parts(parts) for id, parts in self._all(query, ([safe(id) for id in ids],))}

    def select(self, where: Filter | None = None, *, vectors: bool = False) -> Iterator[Entry]:
        """Every entry of any level that the filter lets through, by document and id, a few at a time."""
        wanted = condition(where)
        query = _entries_where(wanted, vectors) + sql.SQL(" ORDER BY e.doc, e.id")
        return _entries(self._stream(query, wanted.values), vectors)

    def count(self, where: Filter | None = None, *, levels: Levels = (0,)) -> int:
        text, values = both(condition(where), search.on_levels(levels))
        rows = self._all(sql.SQL("SELECT count(*) FROM entries e WHERE {}").format(text), values)
        return int(rows[0][0])

    def missing_vectors(self) -> Iterator[str]:
        """The ids of entries that have yet to get a vector."""
        return (unsafe(id) for (id,) in self._stream(sql.SQL("SELECT id FROM entries WHERE lacking")))

    def count_missing_vectors(self, *, levels: Levels = (0,)) -> int:
        """How many those are."""
        text, values = both(PostgresCondition(sql.SQL("e.lacking")), search.on_levels(levels))
        return int(self._all(sql.SQL("SELECT count(*) FROM entries e WHERE {}").format(text), values)[0][0])

    def head(self, doc: str) -> Head | None:
        if doc not in self._heads:
            query = sql.SQL("SELECT {} FROM documents WHERE doc = %s").format(HEAD_COLUMNS)
            rows = self._all(query, (safe(doc),))
            kept = self._heads if len(self._heads) < _KEPT else {}
            self._heads = {**kept, doc: head_of(rows[0]) if rows else None}
        return self._heads[doc]

    def heads(self) -> Iterator[Head]:
        """All documents ever indexed, by name."""
        return map(head_of, self._stream(sql.SQL("SELECT {} FROM documents ORDER BY doc").format(HEAD_COLUMNS)))

    def version(self, doc: str, number: int, *, text: bool = True) -> Version | None:
        columns = VERSION_COLUMNS.format(text=sql.SQL("text" if text else "NULL"))
        query = sql.SQL("SELECT {} FROM versions WHERE doc = %s AND number = %s").format(columns)
        rows = self._all(query, (safe(doc), number))
        found = version_of(rows[0]) if rows else None
        self._placed = {place.id for place in found.places} if found else set()
        return found

    def layouts(self, docs: Iterable[str]) -> dict[str, Version]:
        """The current version of each of these documents that is there now, without its text."""
        rows = self._all(_LAYOUTS, ([safe(doc) for doc in docs],))
        return {version.doc: version for version in map(version_of, rows)}

    def versions(self, doc: str) -> list[int]:
        return list(self.seals(doc))

    def owner(self, id: str) -> str | None:
        if id not in self._owners:
            wanted = {id, *self._placed}
            rows = self._all(sql.SQL("SELECT id, doc FROM owners WHERE id = ANY(%s)"), ([safe(one) for one in wanted],))
            self._owners = {**dict.fromkeys(wanted), **{unsafe(one): unsafe(doc) for one, doc in rows}}
        return self._owners[id]

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
            "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace"
            " WHERE relkind = 'r' AND nspname = current_schema()"
        )
        rows = self._all(query)
        return int(rows[0][0] or 0)

    def close(self) -> None:
        """Let go of the snapshot; another question to this reader is refused."""
        self._connection = None

    def _hashes(self, column: sql.SQL, doc: str) -> dict[str, str]:
        query = sql.SQL("SELECT e.id, b.{} FROM entries e JOIN bodies b USING (key) WHERE e.doc = %s").format(column)
        return {unsafe(id): found.hex() for id, found in self._all(query, (safe(doc),))}

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


def _entries_where(where: PostgresCondition, vectors: bool) -> sql.Composed:
    return _ENTRIES.format(
        columns=ENTRY_COLUMNS,
        vectors=_VECTORS if vectors else _NOTHING,
        joins=_JOINS if vectors else _NOTHING,
        where=where.text,
    )


def _entries(rows: Iterable[Sequence[Any]], vectors: bool) -> Iterator[Entry]:
    return (entry_of(row[:-3], *row[-3:]) if vectors else entry_of(row) for row in rows)
