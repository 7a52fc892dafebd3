"""Parquet files and SQLite databases: each table a heading, a line that names its columns, and numbered rows.

A SQLite database can carry views, virtual tables, generated columns and triggers that run expressions of its maker's.
None of them is asked: an authorizer refuses all but reading columns of tables, and a counter of steps ends what takes
too long.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from seamline.errors import ParseError, needed
from seamline.parse.builder import DocumentBuilder
from seamline.parse.parser_types import ParseInput, ParseLimits, ParseResult
from seamline.types import Notice

ROWS = 100_000
"""Rows that are taken of all tables of a file; twice as many take half of the time and memory a parser may use."""
_CHARACTERS = 20_000_000
"""Of all tables of a file, for the same reason."""


class TableWriter:
    """Writes tables until the text is as long as it may be."""

    def __init__(self, limits: ParseLimits) -> None:
        self.builder = DocumentBuilder()
        self.notices: list[Notice] = []
        self._characters = min(limits.characters, _CHARACTERS)
        self._rows = ROWS
        self._binary = 0
        self._is_full = False

    def add(
        self, name: str, columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]], total: int | None
    ) -> None:
        """A table with the (name, type) of its columns, and how many rows it has in all, where that is known."""
        place = {"sheet": name} if name else None
        if name:
            self.builder.heading(1, name, place)
        described = ", ".join(f"{column} ({kind})" for column, kind in columns)
        counted = "" if total is None else f" Rows: {total}."
        self.builder.paragraph(f"Columns: {described}.{counted}", place)
        cells = [[column for column, _ in columns], *self._text_rows(rows)]
        places = [place, *({**(place or {}), "row": number} for number in range(1, len(cells)))]
        self.builder.table(cells, places)
        taken = len(cells) - 1
        if self._is_full and taken != total:
            left = "rows" if total is None else f"{total - taken} of {total} rows"
            message = f"{left} after the first {taken} are left out: the text would be too long; split the file"
            self.notices.append(Notice("table-cut", message, name))

    def finish_notices(self) -> tuple[Notice, ...]:
        if self._binary:
            self.notices.append(Notice("table-binary", f"{self._binary} binary values are left out"))
        return tuple(self.notices)

    def _text_rows(self, rows: Iterable[Sequence[Any]]) -> Iterator[list[str]]:
        """Rows as text, as long as there is room."""
        for row in rows:
            cells = [self._cell(value) for value in row]
            self._characters -= sum(map(len, cells)) + 3 * len(cells)
            self._rows -= 1
            if self._characters < 0 or self._rows < 0:
                self._is_full = True
                return
            yield cells

    def _cell(self, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bytes | bytearray | memoryview):
            self._binary += 1
            return ""
        return _text(value)


def _text(value: Any) -> str:
    """A value as people write it; without halves of characters, which no text holds."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False, default=str)
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


_BATCH = 1000
_PARQUET_TYPES = (
    (re.compile(r"u?int\d+"), "integer"),
    (re.compile(r"half_?float|float|double|decimal.*"), "number"),
    (re.compile(r"(?:large_)?(?:string|utf8)(?:_view)?"), "text"),
    (re.compile(r"bool"), "boolean"),
    (re.compile(r"date.*|timestamp.*"), "date"),
)


def parse_parquet(raw: ParseInput) -> ParseResult:
    """The one table of a file."""
    with needed("pyarrow, which reads Parquet,", "tables"):
        import pyarrow as arrow
        from pyarrow import parquet
    tables = TableWriter(raw.limits)
    try:
        file = parquet.ParquetFile(arrow.BufferReader(raw.data), memory_map=False)
        schema = file.schema_arrow
        columns = [(field.name, _parquet_type(str(field.type))) for field in schema]
        total = file.metadata.num_rows
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise ParseError(f"no readable Parquet file ({_short(error)}): fetch it again", raw.uri) from None
    rows = _Rows(file, arrow.ArrowException)
    tables.add("", columns, rows, total)
    if rows.error:
        tables.notices.append(Notice("parquet-damaged", f"reading ended early ({rows.error}): the rest is left out"))
    text, blocks, anchors = tables.builder.finish()
    return ParseResult(text, blocks, anchors=anchors, notices=tables.finish_notices())


class _Rows:
    """The rows of a file, as far as they can be read."""

    def __init__(self, file: Any, refusal: type[Exception]) -> None:
        self._file = file
        self._refusal = refusal
        self.error = ""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        try:
            for batch in self._file.iter_batches(batch_size=_BATCH, use_threads=False):
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
        except (self._refusal, OSError, ValueError, OverflowError) as error:
            self.error = _short(error)


def _parquet_type(declared: str) -> str:
    return next((kind for pattern, kind in _PARQUET_TYPES if pattern.fullmatch(declared)), declared)


def _short(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


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
_SQLITE_TYPES = (
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


def parse_sqlite(raw: ParseInput) -> ParseResult:
    """The tables of a database."""
    if not raw.data:
        raise ParseError("no readable SQLite database: it is empty", raw.uri)
    tables = TableWriter(raw.limits)
    data, is_journaled = _without_log(raw.data)
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
    return ParseResult(text, blocks, anchors=anchors, notices=tables.finish_notices())


def _without_log(data: bytes) -> tuple[bytes, bool]:
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


def _read(connection: sqlite3.Connection, tables: TableWriter) -> None:
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
                tables.notices.append(_damage_notice(one.name, error))


def _table(connection: sqlite3.Connection, name: str, tables: TableWriter) -> None:
    quoted = _quote(name)
    found = connection.execute(f"PRAGMA table_xinfo({quoted})").fetchall()
    columns = [(str(row[1]), _sqlite_type(str(row[2]))) for row in found if row[6] == 0]
    if len(columns) < len(found):
        message = f"{len(found) - len(columns)} columns are worked out by the file, and left out"
        tables.notices.append(Notice("sqlite-not-read", message, name))
    if not columns:
        return
    total = _count(connection, quoted)
    names = ", ".join(_quote(column) for column, _ in columns)
    tables.add(name, columns, _rows(connection, f"SELECT {names} FROM {quoted}", name, tables), total)  # noqa: S608


def _count(connection: sqlite3.Connection, quoted: str) -> int | None:
    """How many rows a table has; None where a part of it is damaged."""
    try:
        return int(connection.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0])  # noqa: S608  # a quoted name
    except _DAMAGE:
        return None


def _rows(connection: sqlite3.Connection, query: str, name: str, tables: TableWriter) -> Iterator[tuple[object, ...]]:
    """The rows of a table, up to the first that cannot be read."""
    try:
        yield from connection.execute(query)
    except _DAMAGE as error:
        tables.notices.append(_damage_notice(name, error))


def _damage_notice(name: str, error: Exception) -> Notice:
    return Notice("sqlite-damaged", f"reading ended early ({error}): the rest of the table is left out", name)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sqlite_type(declared: str) -> str:
    """What a column is declared as, in the words of all tables."""
    lower = declared.lower()
    return next((kind for part, kind in (*_MORE_TYPES, *_SQLITE_TYPES) if part in lower), lower or "any")
