"""Entries, heads and versions as rows, and back."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql
from psycopg.adapt import Dumper
from psycopg.pq import Format

from seamline.errors import StoreError
from seamline.records import Entry, EntryVectors, Head, MetaValue, Version, lacks_vectors
from seamline.store import codec
from seamline.store.postgres.connect import safe, unsafe

if TYPE_CHECKING:
    from seamline.records import Vector

ENTRY_COLUMNS = sql.SQL(
    "e.key, e.id, e.doc, e.level, e.parent, e.kind, e.title, e.path, b.text, b.lead, b.tail, e.tokens, b.content_hash,"
    " b.sketch, e.updated_at, e.created_at, e.language, e.authority, e.coherence, b.summary, b.before, b.after, b.front"
)
"""What `entry_of` reads, of `entries e` and `bodies b`."""
ENTRY_ROW = sql.SQL(
    "key, id, doc, level, parent, kind, title, path, language, tokens, authority, coherence, created_at, updated_at,"
    " length, meta, lacking"
)
BODY_ROW = sql.SQL("key, text, lead, tail, content_hash, sketch, summary, before, after, front, checksum, digest")
HEAD_COLUMNS = sql.SQL("doc, version, revision, uri, title, entries, chunks, tokens, indexed_at, deleted, moved_to")
VERSION_COLUMNS = sql.SQL("doc, number, revision, title, uri, {text}, indexed_at, places, seal")
_COPY_HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_TAIL = b"\xff\xff"


def entry_row(key: int, entry: Entry, length: int, *, dual: bool) -> tuple[Any, ...]:
    """What can be filtered by, in the order of ENTRY_ROW."""
    return (
        key,
        *(safe(text) for text in (entry.id, entry.doc)),
        int(entry.level),
        *(safe(text) for text in (entry.parent, entry.kind, entry.title)),
        [safe(text) for text in entry.path],
        safe(entry.language),
        int(entry.tokens),
        float(entry.authority),
        None if entry.coherence is None else float(entry.coherence),
        None if entry.created_at is None else codec.microseconds(entry.created_at),
        codec.microseconds(entry.updated_at),
        length,
        meta_json(entry.meta),
        lacks_vectors(entry, dual=dual),
    )


def body_row(key: int, entry: Entry) -> tuple[Any, ...]:
    """The rest, in the order of BODY_ROW."""
    return (
        key,
        safe(entry.text),
        int(entry.lead),
        int(entry.tail),
        safe(entry.content_hash),
        int(entry.sketch),
        *(safe(text) for text in (entry.summary, entry.before, entry.after)),
        codec.pack_meta(entry.meta),
        bytes.fromhex(codec.checksum(entry)),
        bytes.fromhex(codec.digest(entry)),
    )


def entry_of(
    row: Sequence[Any], vector: bytes | None = None, summary_vector: bytes | None = None, parts: bytes | None = None
) -> Entry:
    """The entry of a row of ENTRY_COLUMNS."""
    embedded = embedded_of(vector, summary_vector, parts)
    _, id, doc, level, parent, kind, title, path, text, lead, tail, tokens, content_hash, sketch, *rest = row
    updated_at, created_at, language, authority, coherence, summary, before, after, front = rest
    return Entry(
        id=unsafe(id),
        doc=unsafe(doc),
        level=level,
        parent=unsafe(parent),
        kind=unsafe(kind),
        title=unsafe(title),
        path=tuple(unsafe(part) for part in path),
        text=unsafe(text),
        lead=lead,
        tail=tail,
        tokens=tokens,
        content_hash=unsafe(content_hash),
        sketch=sketch,
        updated_at=_moment(updated_at),
        created_at=None if created_at is None else _moment(created_at),
        language=unsafe(language),
        authority=authority,
        coherence=coherence,
        summary=unsafe(summary),
        before=unsafe(before),
        after=unsafe(after),
        meta=codec.unpack_meta(front),
        vector=embedded.vector,
        summary_vector=embedded.summary_vector,
        parts=embedded.parts,
    )


def embedded_of(vector: bytes | None, summary_vector: bytes | None, parts: bytes | None) -> EntryVectors:
    """What was embedded of an entry."""
    return EntryVectors(
        None if vector is None else vector_of(vector),
        None if summary_vector is None else vector_of(summary_vector),
        None if parts is None else codec.unpack_parts(parts),
    )


def head_row(head: Head) -> tuple[Any, ...]:
    """In the order of HEAD_COLUMNS."""
    return (
        safe(head.doc),
        head.version,
        *(safe(text) for text in (head.revision, head.uri, head.title)),
        *(head.entries, head.chunks, head.tokens, codec.microseconds(head.indexed_at), head.deleted),
        safe(head.moved_to),
    )


def seal_of(row: Sequence[Any]) -> bytes:
    """Hash of a row that has no other checksum: of a head, or of settings."""
    return blake2b(json.dumps(list(row)).encode(), digest_size=16).digest()


def head_of(row: Sequence[Any]) -> Head:
    """The head of a row of HEAD_COLUMNS."""
    doc, version, revision, uri, title, entries, chunks, tokens, indexed_at, deleted, moved_to = row
    return Head(
        doc=unsafe(doc),
        version=version,
        revision=unsafe(revision),
        uri=unsafe(uri),
        title=unsafe(title),
        entries=entries,
        chunks=chunks,
        tokens=tokens,
        indexed_at=_moment(indexed_at),
        deleted=deleted,
        moved_to=unsafe(moved_to),
    )


def version_row(version: Version) -> tuple[Any, ...]:
    """In the order of VERSION_COLUMNS."""
    return (
        safe(version.doc),
        version.number,
        *(safe(text) for text in (version.revision, version.title, version.uri)),
        codec.pack_text(version.text),
        codec.microseconds(version.indexed_at),
        codec.pack_places(version.places),
        bytes.fromhex(codec.seal(version)),
    )


def version_of(row: Sequence[Any]) -> Version:
    """The version of a row of VERSION_COLUMNS; its text may be None, and is empty then."""
    doc, number, revision, title, uri, text, indexed_at, places, _ = row
    return Version(
        doc=unsafe(doc),
        number=number,
        revision=unsafe(revision),
        title=unsafe(title),
        uri=unsafe(uri),
        text="" if text is None else codec.unpack_text(text),
        indexed_at=_moment(indexed_at),
        places=codec.unpack_places(places),
    )


def meta_json(meta: Mapping[str, MetaValue]) -> str:
    """Front matter as filters see it: JSON of which NaN is left out, as good as missing."""
    fields = {safe(name): json_value(value) for name, value in meta.items()}
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in fields.items() if value) + "}"


def json_value(value: MetaValue) -> str:
    """One value as JSON; empty for NaN. An endless number is one beyond all that a float can hold."""
    match value:
        case bool():
            return json.dumps(value)
        case str():
            return json.dumps(safe(value))
        case datetime():
            return f'{{"time":{codec.microseconds(value)}}}'
        case tuple():
            return json.dumps([safe(part) for part in value])
    return "" if math.isnan(value) else number_text(value)


def number_text(value: float) -> str:
    """A number that `numeric` reads without loss."""
    number = float(value)
    return ("1e400" if number > 0 else "-1e400") if math.isinf(number) else repr(number)


class Reals(bytes):
    """A `real[]` in PostgreSQL's binary format. As text, a vector of 384 dimensions took longer to write and to read
    than all the rest of a question."""


class Bigints(bytes):
    """A `bigint[]` in the same format."""


def reals(vector: Vector) -> Reals:
    """A vector as a value of a query, to be cast to `vector`."""
    return Reals(_array(vector, 700, ">f4"))


def bigints(numbers: NDArray[np.int64]) -> Bigints:
    """Many numbers as one value of a query."""
    return Bigints(_array(numbers, 20, ">i8"))


def _array(numbers: NDArray[Any], kind: int, form: str) -> bytes:
    """The head says: one dimension, no nulls, the type of an element, how many there are, counted from 1."""
    table = np.empty(len(numbers), dtype=[("size", ">i4"), ("value", form)])
    table["size"], table["value"] = table.dtype["value"].itemsize, numbers
    return struct.pack(">5i", 1, 0, kind, len(numbers), 1) + table.tobytes()


class _AsIs(Dumper):
    format = Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        return obj


class _RealsDumper(_AsIs):
    oid = 1021


class _BigintsDumper(_AsIs):
    oid = 1016


def adapted(connection: psycopg.Connection[tuple[Any, ...]]) -> psycopg.Connection[tuple[Any, ...]]:
    """The connection, which can send arrays that are packed already."""
    connection.adapters.register_dumper(Reals, _RealsDumper)
    connection.adapters.register_dumper(Bigints, _BigintsDumper)
    return connection


def vector_of(data: bytes) -> Vector:
    """The vector that `vector_send` gave."""
    return np.frombuffer(data, dtype=">f4", offset=4).astype(np.float32)


def vectors_copy(rows: Sequence[tuple[int, int, Vector]], dimensions: int) -> bytes:
    """Rows of key, level and vector in PostgreSQL's binary COPY format, all at once."""
    layout = [
        *(("fields", ">i2"), ("key_size", ">i4"), ("key", ">i8"), ("level_size", ">i4"), ("level", ">i4")),
        *(("size", ">i4"), ("dimensions", ">i2"), ("unused", ">i2"), ("vector", ">f4", (dimensions,))),
    ]
    table = np.zeros(len(rows), dtype=layout)
    table["fields"], table["key_size"], table["level_size"] = 3, 8, 4
    table["size"], table["dimensions"] = 4 + 4 * dimensions, dimensions
    table["key"] = [key for key, _, _ in rows]
    table["level"] = [level for _, level, _ in rows]
    table["vector"] = [vector for _, _, vector in rows]
    return _COPY_HEAD + table.tobytes() + _COPY_TAIL


def _moment(microseconds: int) -> datetime:
    try:
        return codec.moment_of(microseconds)
    except OverflowError as error:
        raise StoreError(f"a stored time is damaged: {error}") from error
