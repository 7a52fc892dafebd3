"""The truth of an embedded index: the tables of `index.db`, and what a row of each is.

Texts are stored as bytes, so that any text can be a name or a value and compares by code points. A row number of an
entry is never used twice: search structures speak of entries by it, and a changed entry gets a new one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from seamline.filters.tree import type_of
from seamline.records import Entry, EntryVectors
from seamline.store import codec
from seamline.store.codec import unpack_entry
from seamline.store.sqlite.database import DAMAGE_REMEDY, Damaged, Database, seal, unseal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Parts, Vector

LAYOUT = 1
"""Of the tables below. A file of another layout is refused."""
SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE changes (counter INTEGER PRIMARY KEY, mark BLOB NOT NULL);
CREATE TABLE documents (number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, head BLOB NOT NULL);
CREATE TABLE versions (
  document INTEGER NOT NULL, number INTEGER NOT NULL, seal TEXT NOT NULL, layout BLOB NOT NULL, text BLOB NOT NULL,
  PRIMARY KEY (document, number)
);
CREATE TABLE entries (
  row INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, document INTEGER NOT NULL, level INTEGER NOT NULL,
  parent BLOB NOT NULL, title BLOB NOT NULL, kind BLOB NOT NULL, language BLOB NOT NULL, tokens INTEGER NOT NULL,
  authority REAL, coherence REAL, created_at INTEGER, updated_at INTEGER NOT NULL,
  vector INTEGER, summary_vector INTEGER, terms BLOB NOT NULL
);
CREATE INDEX entries_by_document ON entries (document);
CREATE INDEX entries_by_parent ON entries (parent);
CREATE INDEX entries_by_kind ON entries (kind);
CREATE INDEX entries_by_language ON entries (language);
CREATE INDEX entries_by_created_at ON entries (created_at);
CREATE INDEX entries_by_updated_at ON entries (updated_at);
CREATE TABLE bodies (row INTEGER PRIMARY KEY, digest TEXT NOT NULL, checksum TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE terms (
  number INTEGER PRIMARY KEY, name BLOB NOT NULL, type TEXT NOT NULL, value NOT NULL, UNIQUE (name, type, value)
);
CREATE TABLE holders (term INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (term, row)) WITHOUT ROWID;
CREATE TABLE gone (id BLOB PRIMARY KEY, document INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE removed (row INTEGER PRIMARY KEY, counter INTEGER NOT NULL);
CREATE TABLE vectors (number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, vector BLOB NOT NULL);
CREATE TABLE embeddings (key BLOB PRIMARY KEY, vector INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE answers (key BLOB PRIMARY KEY, answer BLOB NOT NULL);
"""
# about: layout and settings. changes: a random mark per transaction, so that structures of another history are told
# from ours. terms, holders: headings and front matter, by which entries are filtered. gone: documents of entries that
# were removed. removed: rows that search structures may still hold. embeddings: vectors by the text they are of.

NOT_YET = 0
"""Stands in a column for the number of a vector that is still to be made. No vector has it, so all that joins vectors
takes it for none, as it takes NULL."""
LACKING = "(vector = 0 OR summary_vector = 0)"
"""The condition on entries that have yet to get a vector."""
LACKING_INDEX = f"CREATE INDEX IF NOT EXISTS entries_lacking ON entries (level) WHERE {LACKING}"
"""It has one row for each of them."""
PARTS_TABLE = "CREATE TABLE IF NOT EXISTS parts (vector INTEGER PRIMARY KEY, parts BLOB NOT NULL)"
"""The parts of the text that a vector is of, by the number of that vector."""

PATH = b"\0path"
"""Name of the terms that are headings; no field of front matter is called that."""
_ASKED_AT_ONCE = 500

T = TypeVar("T")


class Term(NamedTuple):
    """Something an entry can be filtered by that has no column of its own."""

    name: bytes
    type: str
    value: Any


class StoredEntry(NamedTuple):
    """An entry as it is stored."""

    document: int
    """Number of its document."""
    digest: str
    entry: Entry


class IndexState(NamedTuple):
    """Which state of the truth this is."""

    counter: int
    mark: bytes


def new_mark() -> bytes:
    return os.urandom(8)


def state_of(truth: Database) -> IndexState:
    """The newest change."""
    found = truth.row("SELECT counter, mark FROM changes ORDER BY counter DESC LIMIT 1")
    return IndexState(*found) if found else IndexState(0, b"")


def terms_of(entry: Entry) -> list[Term]:
    """The headings and the front matter of an entry. A list is a term for each of its items, and one for itself."""
    found = {Term(PATH, "list", codec.text_bytes(heading)) for heading in entry.path}
    for field, value in entry.meta.items():
        kind, name = type_of(value), codec.text_bytes(field)
        if kind is None:
            continue
        if isinstance(value, tuple):
            found |= {Term(name, "list", codec.text_bytes(item)) for item in value}
            found.add(Term(name, "any", b""))
        else:
            found.add(Term(name, kind, plain_value(value)))
    return sorted(found, key=lambda term: (term.name, term.type, str(term.value)))


def plain_value(value: Any) -> Any:
    """A value as SQLite compares it: texts as bytes, times as microseconds, numbers as they are."""
    match value:
        case str():
            return codec.text_bytes(value)
        case bool():
            return int(value)
        case int() | float():
            return float(value)
    return codec.microseconds(value)


def pack_vector(vector: Vector) -> tuple[bytes, bytes]:
    """Its digest, by which equal vectors are stored once and which proves them, and its bytes."""
    data = vector.astype("<f4", copy=False).tobytes()
    return blake2b(data, digest_size=16).digest(), data


def prove_vector(digest: bytes, data: bytes) -> bytes:
    """The bytes of a vector; Damaged where they are not those that were digested."""
    if not isinstance(data, bytes) or blake2b(data, digest_size=16).digest() != digest:
        raise Damaged(f"a vector is not what was written, its checksum differs: {DAMAGE_REMEDY}")
    return data


def row_key(row: int) -> bytes:
    """What the body of a row is sealed with."""
    return row.to_bytes(8, "little")


def read_bodies(truth: Database, rows: Sequence[int]) -> Iterator[tuple[int, Entry]]:
    """The entries in these rows, without vectors, in order of the rows that exist."""
    for page in pages(rows):
        asked = f"SELECT row, body FROM bodies WHERE row IN ({marks(page)}) ORDER BY row"  # noqa: S608 - only marks
        for row, body in truth.rows(asked, page):
            yield row, unpack_entry(unseal(body, "an entry", row_key(row)))


def read_entries(truth: Database, where: str, values: Sequence[Any], *, vectors: bool) -> Iterator[StoredEntry]:
    """The entries `e` that a condition lets through."""
    columns, joins = _embedded_columns(truth) if vectors else ("NULL, NULL, NULL, NULL, NULL, NULL", "")
    rows = truth.rows(
        f"SELECT e.row, e.document, b.digest, b.body, {columns} FROM entries e"  # noqa: S608 - names of ours
        f" JOIN bodies b ON b.row = e.row{joins} WHERE {where}",
        values,
    )
    for row, document, digest, body, *embedded in rows:
        packed = unseal(body, "an entry", row_key(row))
        yield StoredEntry(document, digest, unpack_entry(packed, *_embedded(*embedded)))


def read_embedded(truth: Database, ids: Iterable[bytes]) -> Iterator[tuple[bytes, EntryVectors]]:
    """What was embedded of the entries of these ids that exist."""
    columns, joins = _embedded_columns(truth)
    for page in pages(ids):
        asked = f"SELECT e.id, {columns} FROM entries e{joins} WHERE e.id IN ({marks(page)})"  # noqa: S608 - ours
        yield from ((id, _embedded(*embedded)) for id, *embedded in truth.rows(asked, page))


def _embedded_columns(truth: Database) -> tuple[str, str]:
    """The columns that hold what was embedded of an entry `e`, as `_embedded` takes them, and the joins they need."""
    joins = " LEFT JOIN vectors v ON v.number = e.vector LEFT JOIN vectors s ON s.number = e.summary_vector"
    if not keeps_parts(truth):
        return "v.digest, v.vector, s.digest, s.vector, NULL, NULL", joins
    columns = "v.digest, v.vector, s.digest, s.vector, e.vector, p.parts"
    return columns, f"{joins} LEFT JOIN parts p ON p.vector = e.vector"


def _embedded(
    digest: bytes | None,
    vector: bytes | None,
    of_summary: bytes | None,
    summary_vector: bytes | None,
    number: int | None,
    parts: bytes | None,
) -> EntryVectors:
    return EntryVectors(_vector(digest, vector), _vector(of_summary, summary_vector), _parts(number, parts))


def read_parts(truth: Database, ids: Iterable[bytes]) -> Iterator[tuple[bytes, Parts]]:
    """The parts of the entries of these ids that have any."""
    if not keeps_parts(truth):
        return
    for page in pages(ids):
        found = truth.rows(
            "SELECT e.id, p.vector, p.parts FROM entries e JOIN parts p ON p.vector = e.vector"  # noqa: S608 - marks
            f" WHERE e.id IN ({marks(page)})",
            page,
        )
        yield from ((id, unseal_parts(number, parts)) for id, number, parts in found)


def seal_parts(number: int, parts: Parts) -> bytes:
    """The parts beside the vector of this number, as they are stored."""
    return seal(codec.pack_parts(parts), row_key(number))


def unseal_parts(number: int, data: bytes) -> Parts:
    """The reverse of `seal_parts`."""
    return codec.unpack_parts(unseal(data, "the parts of a vector", row_key(number)))


def _vector(digest: bytes | None, data: bytes | None) -> Vector | None:
    if digest is None or data is None:
        return None
    return np.frombuffer(prove_vector(digest, data), "<f4").astype(np.float32, copy=False)


def _parts(number: int | None, data: bytes | None) -> Parts | None:
    return None if number is None or data is None else unseal_parts(number, data)


def read_vectors(truth: Database, rows: Sequence[int], column: str) -> tuple[list[int], Vector]:
    """Those of the rows that have a vector in a column, and their vectors as a matrix."""
    found: list[tuple[int, bytes, bytes]] = []
    for page in pages(rows):
        found += truth.rows(
            f"SELECT e.row, v.digest, v.vector FROM entries e JOIN vectors v ON v.number = e.{column}"  # noqa: S608 - a name of ours
            f" WHERE e.row IN ({marks(page)}) ORDER BY e.row",
            page,
        )
    if not found:
        return [], np.empty((0, 0), np.float32)
    data = b"".join(prove_vector(digest, vector) for _, digest, vector in found)
    return [row for row, _, _ in found], np.frombuffer(data, "<f4").reshape(len(found), -1)


def rows_after(truth: Database, row: int, most: int = -1) -> NDArray[np.int64]:
    """The rows of entries behind this one, ascending."""
    found = truth.rows("SELECT row FROM entries WHERE row > ? ORDER BY row LIMIT ?", (row, most))
    return np.array([row for (row,) in found], np.int64)


def removed_since(truth: Database, counter: int) -> NDArray[np.int64]:
    """The rows that were removed by later changes than this one, ascending."""
    found = truth.rows("SELECT row FROM removed WHERE counter > ? ORDER BY row", (counter,))
    return np.array([row for (row,) in found], np.int64)


def lacking_ids(truth: Database) -> Iterator[bytes]:
    """Ids of the entries that have yet to get a vector, by level and row."""
    level, row = -1, 0
    while found := truth.rows(
        f"SELECT level, row, id FROM entries WHERE {LACKING} AND (level, row) > (?, ?)"  # noqa: S608 - ours
        " ORDER BY level, row LIMIT ?",
        (level, row, _ASKED_AT_ONCE),
    ):
        yield from (id for _, _, id in found)
        level, row, _ = found[-1]


def add_tables(truth: Database) -> None:
    """What came after the schema: an index of an older Seamline gets it before anything is written."""
    for statement in (LACKING_INDEX, PARTS_TABLE):
        truth.run(statement)


def keeps_lacking(truth: Database) -> bool:
    """Whether an entry may lack a vector: in an index of an older Seamline none does."""
    return truth.value("SELECT 1 FROM sqlite_master WHERE name = 'entries_lacking'") is not None


def keeps_parts(truth: Database) -> bool:
    """Whether there may be parts: in an index of an older Seamline there are none."""
    return truth.value("SELECT 1 FROM sqlite_master WHERE name = 'parts'") is not None


def heads_of(truth: Database, docs: Sequence[str]) -> dict[str, tuple[int, bytes]]:
    """Number and sealed head of those of the documents that have one."""
    found: dict[str, tuple[int, bytes]] = {}
    for page in pages([codec.text_bytes(doc) for doc in docs]):
        asked = f"SELECT name, number, head FROM documents WHERE name IN ({marks(page)})"  # noqa: S608 - only marks
        found.update({codec.text_of(name): (number, head) for name, number, head in truth.rows(asked, page)})
    return found


def pages(values: Iterable[T]) -> Iterator[list[T]]:
    """Values in lists short enough for one statement."""
    left = iter(values)
    while page := list(islice(left, _ASKED_AT_ONCE)):
        yield page


def marks(values: Sequence[Any] | Mapping[Any, Any]) -> str:
    """A question mark for each value."""
    return ",".join("?" * len(values))
