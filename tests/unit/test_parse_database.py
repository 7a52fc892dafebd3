"""Parquet and SQLite: schema and rows, and nothing of what a database wants to run."""

from __future__ import annotations

import datetime
import io
import sqlite3
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.errors import ParseError, SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.parser_types import ParseInput, ParseLimits, ParseResult
from seamline.parse.tables import databases
from seamline.testing.parsers import check_document
from seamline.types import Document, Source

SCHEMA = """
CREATE TABLE people(id INTEGER PRIMARY KEY, name VARCHAR(20), born DATE, score REAL, photo BLOB, other);
INSERT INTO people VALUES (1, 'Ada | x', '1815-12-10', 9.5, x'0011', 'a'), (2, 'Alan', NULL, 9, NULL, 3);
CREATE TABLE "odd ""name"(a);
INSERT INTO "odd ""name" VALUES ('x');
"""


def made(script: str) -> bytes:
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(script)
        return connection.serialize()


def checked(parsed: ParseResult) -> Document:
    document = Document("x", Source("x"), parsed.text, parsed.blocks, notices=parsed.notices, anchors=parsed.anchors)
    check_document(document)
    return document


def read(script: str, limits: ParseLimits | None = None) -> Document:
    return checked(databases.parse_sqlite(ParseInput(made(script), uri="x.db", limits=limits or ParseLimits())))


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


def test_each_table_is_a_section_with_its_schema_and_rows() -> None:
    document = read(SCHEMA)
    assert document.text == (
        "# people\n\n"
        "Columns: id (integer), name (text), born (date), score (number), photo (blob), other (any). Rows: 2.\n\n"
        "| id | name | born | score | photo | other |\n| --- | --- | --- | --- | --- | --- |\n"
        "| 1 | Ada \\| x | 1815-12-10 | 9.5 |  | a |\n| 2 | Alan |  | 9.0 |  | 3 |\n\n"
        '# odd "name\n\nColumns: a (any). Rows: 1.\n\n| a |\n| --- |\n| x |'
    )
    assert codes(document) == ["table-binary"]
    row = [block for block in document.blocks if block.kind == "row"][2]
    place = document.place_of(row.span)
    assert (place["sheet"], place["row"]) == ("people", 2)


def test_a_database_is_known_by_its_content() -> None:
    document = parse_bytes(made(SCHEMA), uri="whatever.bin", media_type="sqlite")
    assert document.text.startswith("# people")


def test_views_virtual_tables_and_generated_columns_are_not_run() -> None:
    document = read(
        "CREATE TABLE t(a INT, twice INT GENERATED ALWAYS AS (a * 2) VIRTUAL);"
        "INSERT INTO t(a) VALUES (1);"
        "CREATE VIEW v AS SELECT * FROM t, t;"
        "CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES ('hello');"
        "CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM t; END;"
    )
    assert "twice" not in document.text
    assert "hello" not in document.text
    assert codes(document) == ["sqlite-not-read", "sqlite-not-read", "sqlite-not-read"]
    assert [block.kind for block in document.blocks].count("heading") == 1


def test_a_view_that_takes_the_name_of_a_table_runs_nothing() -> None:
    """A schema written by hand can say anything; the authorizer has the last word."""
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(
            "CREATE TABLE t(a); INSERT INTO t VALUES ('secret'); CREATE VIEW v AS SELECT a FROM t;"
        )
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET type = 'table' WHERE name = 'v'")
        data = connection.serialize()
    try:
        document = checked(databases.parse_sqlite(ParseInput(data, uri="x.db")))
    except ParseError:
        return
    assert document.text.count("secret") <= 1


def test_a_write_ahead_log_is_missed_aloud() -> None:
    data = bytearray(made(SCHEMA))
    data[18:20] = b"\x02\x02"
    document = checked(databases.parse_sqlite(ParseInput(bytes(data), uri="x.db")))
    assert "sqlite-journal" in codes(document)
    assert "Alan" in document.text


def test_rows_beyond_the_limits_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "CREATE TABLE t(a); " + "".join(f"INSERT INTO t VALUES ('row {i}');" for i in range(50))
    document = read(script, ParseLimits(characters=100))
    assert codes(document) == ["table-cut"]
    monkeypatch.setattr(databases, "ROWS", 20)
    assert read(script).notices[0].message.startswith("30 of 50 rows after the first 20 ")


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_LOOKS", 1)
    monkeypatch.setattr(databases, "_STEPS", 500)
    document = read("CREATE TABLE t(a); " + "".join(f"INSERT INTO t VALUES ({i});" for i in range(2000)))
    assert "sqlite-damaged" in codes(document)


def test_an_empty_database_is_said_to_be_empty() -> None:
    document = read("CREATE TABLE t(a); DROP TABLE t;")
    assert document.text == ""
    assert codes(document) == ["table-empty"]


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\x00", b"SQLite format 3\x00" + b"\xff" * 2000])
def test_no_database_is_an_error(data: bytes) -> None:
    with pytest.raises(ParseError, match="no readable SQLite"):
        databases.parse_sqlite(ParseInput(data, uri="x.db"))


def test_rows_before_the_damage_are_kept() -> None:
    script = "CREATE TABLE t(a); " + "".join(f"INSERT INTO t VALUES ('row {i:04} {'x' * 80}');" for i in range(400))
    data = bytearray(made(script + "CREATE TABLE last(b); INSERT INTO last VALUES ('whole');"))
    page = 4096
    broken = next(at for at in range(0, len(data), page) if b"row 0300" in data[at : at + page])
    data[broken : broken + 8] = b"\xff" * 8
    document = checked(databases.parse_sqlite(ParseInput(bytes(data), uri="x.db")))
    assert "row 0010" in document.text
    assert "row 0300" not in document.text
    assert "whole" in document.text
    assert set(codes(document)) == {"sqlite-damaged"}


WHOLE = made(SCHEMA)


@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=12), st.integers(0, len(WHOLE))
)
def test_a_damaged_database_is_read_or_refused(changes: list[tuple[int, int]], length: int) -> None:
    data = bytearray(WHOLE)
    for at, value in changes:
        data[at] = value
    with suppress(SeamlineError):
        checked(databases.parse_sqlite(ParseInput(bytes(data[:length] if length % 3 == 0 else data), uri="x.db")))


# --- Parquet ------------------------------------------------------------------------------------------------------


def packed(columns: dict[str, list[Any]]) -> bytes:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as writer

    out = io.BytesIO()
    writer.write_table(arrow.table(columns), out)
    return out.getvalue()


COLUMNS: dict[str, list[Any]] = {
    "id": [1, 2],
    "name": ["a", "b|c"],
    "when": [datetime.date(2020, 1, 1), None],
    "list": [[1, 2], []],
    "raw": [b"x", None],
    "ok": [True, False],
}


def test_a_parquet_file_is_one_table() -> None:
    document = checked(databases.parse_parquet(ParseInput(packed(COLUMNS), uri="x.parquet")))
    lines = document.text.splitlines()
    assert lines[0].startswith("Columns: id (integer), name (text), when (date), list (list<")
    assert lines[0].endswith("raw (binary), ok (boolean). Rows: 2.")
    assert lines[2:] == [
        "| id | name | when | list | raw | ok |",
        "| --- | --- | --- | --- | --- | --- |",
        "| 1 | a | 2020-01-01 | [1, 2] |  | true |",
        "| 2 | b\\|c |  | [] |  | false |",
    ]
    assert codes(document) == ["table-binary"]
    assert document.place_of(document.blocks[-1].span)["row"] == 2


def test_parquet_goes_through_the_process_apart() -> None:
    document = parse_bytes(packed({"a": ["x", "y"]}), uri="x.parquet")
    check_document(document)
    assert document.text.endswith("| y |")


def test_a_damaged_parquet_file_is_an_error() -> None:
    with pytest.raises(ParseError, match="no readable Parquet"):
        databases.parse_parquet(ParseInput(b"PAR1" + b"\x00" * 40 + b"PAR1", uri="x.parquet"))


def test_a_file_without_columns_has_no_table() -> None:
    document = checked(databases.parse_parquet(ParseInput(packed({}), uri="x.parquet")))
    assert "Rows: 0" in document.text
