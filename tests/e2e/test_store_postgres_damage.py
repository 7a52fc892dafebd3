"""A bit that changed in a table of an index in PostgreSQL is found by `verify`, whichever table and column it is in.

SEAMLINE_FLIPS says how many are tried, beside one in every column.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg
import pytest
from psycopg import errors, sql

from harness.postgres import shared_server
from seamline.errors import StoreError
from seamline.store.postgres.store import PostgresStore
from seamline.testing.entries import entries, revise, with_parts
from seamline.testing.stores.site import write

FLIPS = int(os.environ.get("SEAMLINE_FLIPS", "40"))
FIXTURE = Path(__file__).parents[1] / "fixtures" / "postgres" / "layout-1.sql"
SCHEMA = "old index"
HARMLESS = {("state", "generation"), ("state", "next_key")}
"""A count that only has to differ from the last one; a number that only has to be larger than all that were given."""
TRIES = 200


class Column(NamedTuple):
    table: str
    name: str
    kind: str


class Patient:
    """An index that is damaged and healed, one value at a time."""

    def __init__(self, url: str, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self._url = url
        self.connection = connection
        connection.execute(f'SET search_path = "{SCHEMA}", public')
        rows = connection.execute(
            "SELECT table_name, column_name, udt_name FROM information_schema.columns WHERE table_schema = %s"
            " ORDER BY 1, 2",
            (SCHEMA,),
        )
        self.columns = [Column(*row) for row in rows]

    def problems(self) -> list[str]:
        """What opening and verifying say."""
        with ExitStack() as stack:
            try:
                store = PostgresStore.open(self._url)
                stack.callback(store.close)
                return [f"{problem.where}: {problem.message}" for problem in store.verify()]
            except StoreError as error:
                return [str(error)]

    def flip(self, column: Column, rng: np.random.Generator) -> list[str]:
        """Change a bit of some value of a column, look, and change it back; what was found."""
        names = {"table": sql.Identifier(column.table), "column": sql.Identifier(column.name)}
        query = sql.SQL("SELECT ctid::text, {column}::{kind} FROM {table} WHERE {column} IS NOT NULL").format(
            **names,
            kind=sql.SQL("text" if column.kind in ("vector", "jsonb") else column.kind.replace("_text", "text[]")),
        )
        rows = self.connection.execute(query).fetchall()
        update = sql.SQL(
            "UPDATE {table} SET {column} = {value} WHERE ctid = %s::tid AND {column} IS DISTINCT FROM {value}"
            " RETURNING ctid::text"
        ).format(**names, value=sql.SQL("%s::" + {"_text": "text[]"}.get(column.kind, column.kind)))
        for _ in range(TRIES if rows else 0):
            place, value = rows[rng.integers(len(rows))]
            if (other := flipped(value, column.kind, rng)) is None or same_text(column, value, other):
                continue
            try:
                done = self.connection.execute(update, (other, place, other)).fetchone()
            except (errors.DataError, errors.IntegrityError):
                continue  # the server would not hold such a value
            if done is None:
                continue  # the same number, or the same JSON, in other letters
            found = self.problems()
            self.connection.execute(update, (value, done[0], value))
            return found
        pytest.fail(f"no value of {column} could be changed")


def flipped(value: Any, kind: str, rng: np.random.Generator) -> Any:
    """A value with another bit; None where this try came to nothing."""
    match kind:
        case "bool":
            return not value
        case "bytea":
            data = bytearray(value)
            if data:
                data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
            return bytes(data)
        case "int4" | "int8":
            bits = 32 if kind == "int4" else 64
            number = (value ^ (1 << int(rng.integers(bits)))) & ((1 << bits) - 1)
            return number - (1 << bits) if number >> (bits - 1) else number
        case "float8":
            data = bytearray(struct.pack("<d", value))
            data[rng.integers(8)] ^= 1 << int(rng.integers(8))
            return struct.unpack("<d", data)[0]
        case "_text":
            changed = [flipped(part, "text", rng) for part in value]
            at = rng.integers(len(value)) if value else 0
            return [*value[:at], changed[at], *value[at + 1 :]] if value and changed[at] is not None else None
        case "vector":
            numbers = np.array(value.strip("[]").split(","), np.float32)
            numbers.view(np.uint32)[rng.integers(len(numbers))] ^= np.uint32(1 << int(rng.integers(32)))
            return "[" + ",".join(map(repr, numbers.tolist())) + "]"
    at = int(rng.integers(len(value))) if value else 0
    code = ord(value[at]) ^ (1 << int(rng.integers(7))) if value and " " <= value[at] < "\x7f" else 0
    return value[:at] + chr(code) + value[at + 1 :] if 32 <= code < 127 else None


def same_text(column: Column, value: Any, other: Any) -> bool:
    """Some bits of a compressed text mean nothing."""
    if column[:2] != ("versions", "text"):
        return False
    try:
        return zlib.decompress(value) == zlib.decompress(other)
    except zlib.error:
        return False


def _edit(url: str) -> None:
    """Words of entries that came and went since the last fold, and parts."""
    store = PostgresStore.open(url)
    with store.reader() as reader:
        now = [with_parts(one) for one in entries("new name.md", "this page moved", "and grew")]
        change = revise(reader, "new name.md", now)
    write(store, change)
    store.close()


@pytest.fixture(scope="module")
def patient() -> Iterator[Patient]:
    server = shared_server()
    with server.database() as name, ExitStack() as stack:
        connection = stack.enter_context(server.connect(name))
        connection.execute("CREATE EXTENSION vector")
        connection.execute(FIXTURE.read_bytes())
        url = server.url(name, query="schema=old%20index")
        _edit(url)
        yield Patient(url, connection)


def test_a_bit_in_every_column_is_found(patient: Patient) -> None:
    rng = np.random.default_rng(5)
    assert patient.problems() == []
    columns = [column for column in patient.columns if column[:2] not in HARMLESS]
    assert len(columns) > 60
    assert [column for column in columns if not patient.flip(column, rng)] == []
    assert patient.problems() == []


def test_bits_anywhere_are_found(patient: Patient) -> None:
    """In texts, vectors and packed words most of all, as most bits are there."""
    rng = np.random.default_rng(FLIPS)
    columns = [column for column in patient.columns if column[:2] not in HARMLESS]
    large = [column for column in columns if column.name in ("text", "vector", "parts", "data", "places", "counts")]
    missed = []
    for number in range(FLIPS):
        chosen = large if number % 2 else columns
        column = chosen[rng.integers(len(chosen))]
        if not patient.flip(column, rng):
            missed.append((number, column))
    assert missed == []
    assert patient.problems() == []


def test_a_key_that_would_be_given_twice_is_found(patient: Patient) -> None:
    patient.connection.execute("UPDATE state SET next_key = next_key - 1000")
    found = patient.problems()
    patient.connection.execute("UPDATE state SET next_key = next_key + 1000")
    assert any("next key" in problem for problem in found)
    assert patient.problems() == []


ROWS = ("bodies", "documents", "entries", "levels", "owners", "postings", "recent", "settings", "state")


@pytest.mark.parametrize("table", [*ROWS, "parts", "summary_vectors", "vectors", "versions"])
def test_any_row_that_is_gone_is_found(patient: Patient, table: str) -> None:
    connection = patient.connection
    connection.execute(f"CREATE TEMPORARY TABLE kept AS SELECT row_number() OVER () AS row_number, * FROM {table}")
    columns = ", ".join(f'"{column.name}"' for column in patient.columns if column.table == table)
    rows = [number for (number,) in connection.execute("SELECT row_number FROM kept")]
    missed = []
    for number in rows:
        connection.execute(f"DELETE FROM {table}")
        connection.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM kept WHERE row_number <> {number}")
        if not patient.problems():
            missed.append(number)
    connection.execute(f"DELETE FROM {table}")
    connection.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM kept")
    connection.execute("DROP TABLE kept")
    assert rows
    assert missed == []
    assert patient.problems() == []
