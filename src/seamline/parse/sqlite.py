"""SQLite databases: their plain tables, read from memory.

A database can carry views, virtual tables, generated columns and triggers that run expressions of its maker's. None of
them is asked: an authorizer refuses all but reading columns of tables, and a counter of steps ends what takes too long.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from seamline.errors import ParseError
from seamline.parse.database import Tables
from seamline.parse.raw import Parsed, Raw
from seamline.types import Notice

_STEPS = 20_000
"""Machine instructions of SQLite between two looks at the count."""
_LOOKS = 10_000
"""Looks, so 200 million instructions for all tables: some seconds."""
_ALLOWED = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ))
_PRAGMAS = frozenset(("table_xinfo",))
_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What SQLite raises of a damaged file; of text that is none, in its own messages too."""
_LONGEST = 10_000_000
"""Bytes of one value."""
_TYPES = (
    ("int", "integer"),
    ("char", "text"),
    ("clob", "text"),
    ("text", "text"),
    ("real", "number"),
    ("floa", "number"),
)
_MORE_TYPES = (("doub", "number"), ("num", "number"), ("dec", "number"), ("bool", "boolean"), ("date", "date"))


class _Listed(NamedTuple):
    kind: str
    name: str
    sql: str


def parse(raw: Raw) -> Parsed:
    """The tables of a database."""
    if not raw.data:
        raise ParseError("no readable SQLite database: it is empty", raw.uri)
    tables = Tables(raw.limits)
    data, is_journaled = _settled(raw.data)
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            _open(connection, data)
            _read(connection, tables)
        except _DAMAGE as error:
            raise ParseError(f"no readable SQLite database ({error}): it is damaged or encrypted", raw.uri) from None
    if is_journaled:
        message = "changes may stand in a -wal file beside it, which is not read: close the program that writes to it"
        tables.notices.append(Notice("sqlite-journal", message))
    text, blocks, anchors = tables.builder.finish()
    if not text:
        tables.notices.append(Notice("table-empty", "there is no table in it"))
    return Parsed(text, blocks, anchors=anchors, notices=tables.finish_notices())


def _settled(data: bytes) -> tuple[bytes, bool]:
    """The file as one without a write-ahead log, which a database in memory cannot have."""
    is_journaled = data[18:20] == b"\x02\x02"
    return (data[:18] + b"\x01\x01" + data[20:] if is_journaled else data), is_journaled


def _open(connection: sqlite3.Connection, data: bytes) -> None:
    connection.deserialize(data)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.text_factory = lambda value: value.decode("utf-8", "replace")
    looks = iter(range(_LOOKS))
    connection.set_progress_handler(lambda: next(looks, None) is None, _STEPS)
    connection.set_authorizer(_authorize)


def _authorize(action: int, first: str | None, second: str | None, database: str | None, source: str | None) -> int:
    """Reading columns, counting rows and asking for the columns of a table; nothing that a view or trigger does."""
    if action in _ALLOWED and source is None:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and second == "count":
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _read(connection: sqlite3.Connection, tables: Tables) -> None:
    listed = [
        _Listed(str(kind), str(name), str(sql or ""))
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema")
    ]
    views = [one.name for one in listed if one.kind == "view"]
    made = [one.name for one in listed if one.kind == "table" and one.sql.lstrip()[:14].upper() == "CREATE VIRTUAL"]
    for what, names in (("views", views), ("virtual tables", made)):
        if names:
            message = f"{what} are left out, as they run what the file says ({len(names)}): {', '.join(names[:5])}"
            tables.notices.append(Notice("sqlite-not-read", message))
    shadows = tuple(f"{name}_" for name in made)
    for one in listed:
        plain = one.kind == "table" and one.name not in made and not one.name.startswith("sqlite_")
        if plain and not (shadows and one.name.startswith(shadows)):
            try:
                _table(connection, one.name, tables)
            except _DAMAGE as error:
                tables.notices.append(_damaged(one.name, error))


def _table(connection: sqlite3.Connection, name: str, tables: Tables) -> None:
    quoted = _quoted(name)
    found = connection.execute(f"PRAGMA table_xinfo({quoted})").fetchall()
    columns = [(str(row[1]), _type(str(row[2]))) for row in found if row[6] == 0]
    if len(columns) < len(found):
        message = f"{len(found) - len(columns)} columns are worked out by the file, and left out"
        tables.notices.append(Notice("sqlite-not-read", message, name))
    if not columns:
        return
    total = _count(connection, quoted)
    names = ", ".join(_quoted(column) for column, _ in columns)
    tables.add(name, columns, _rows(connection, f"SELECT {names} FROM {quoted}", name, tables), total)  # noqa: S608


def _count(connection: sqlite3.Connection, quoted: str) -> int | None:
    """How many rows a table has; None where a part of it is damaged."""
    try:
        return int(connection.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0])  # noqa: S608  # a quoted name
    except _DAMAGE:
        return None


def _rows(connection: sqlite3.Connection, query: str, name: str, tables: Tables) -> Iterator[tuple[object, ...]]:
    """The rows of a table, up to the first that cannot be read."""
    try:
        yield from connection.execute(query)
    except _DAMAGE as error:
        tables.notices.append(_damaged(name, error))


def _damaged(name: str, error: Exception) -> Notice:
    return Notice("sqlite-damaged", f"reading ended early ({error}): the rest of the table is left out", name)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _type(declared: str) -> str:
    """What a column is declared as, in the words of all tables."""
    lower = declared.lower()
    return next((kind for part, kind in (*_MORE_TYPES, *_TYPES) if part in lower), lower or "any")
