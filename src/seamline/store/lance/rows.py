"""Entries, heads and versions as Arrow rows, and back.

One table holds the entries and, so that a document changes in one commit, its head; what was removed stays as a row
with an id and a document and nothing to search, for `Reader.owner`. Everything an entry says is packed in `body`, and
the parts of its text with it; the other columns are there to be searched and filtered by. Another table holds the
versions.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from seamline.errors import StoreError
from seamline.records import Entry, EntryVectors, Head, Settings, Version, lacks_vectors
from seamline.store import codec
from seamline.store.codec import pack_entry, pack_head, unpack_entry
from seamline.store.lance.filter import coded, decoded, labels
from seamline.text.words import spaced

if TYPE_CHECKING:
    from seamline.records import Parts, Vector

LACKING = "?"
"""The label of entries that have yet to get a vector; no heading and no front matter has it."""
HEAD = -1
"""What the column `level` holds for the head of a document."""
GONE = -2
"""What it holds for an entry that was removed."""
VECTORS = {"text": "vector", "summary": "summary_vector"}
"""Column of each kind of vector."""
_FAST = 1
"""Level of compression: level 6 makes rows 3% smaller, and costs as much as everything else about a row."""
_PLAIN_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
"""Not escaped: half the bytes for texts that are not ASCII."""
_NOTHING = (None,) * 9
"""What rows that are no entries have from `parent` to `updated_at`."""
_WITH_PARTS = 0x50
"""First byte of a body that holds parts. One without, as all were before there were any, is compressed by zlib and
starts with 0x78."""
_LENGTH = 4
"""Bytes that hold the length of the packed parts."""

T = TypeVar("T")


def entry_schema(dimensions: int) -> pa.Schema:
    """Columns of the table of entries."""
    vector = pa.list_(pa.float32(), dimensions)
    return pa.schema(
        [
            pa.field("key", pa.string(), nullable=False),
            pa.field("doc", pa.string(), nullable=False),
            pa.field("level", pa.int32(), nullable=False),
            *(pa.field(name, pa.string()) for name in ("parent", "title", "kind", "language")),
            pa.field("tokens", pa.int64()),
            *(pa.field(name, pa.float64()) for name in ("authority", "coherence")),
            *(pa.field(name, pa.int64()) for name in ("created_at", "updated_at")),
            pa.field("labels", pa.list_(pa.string())),
            pa.field("words", pa.string()),
            pa.field("digest", pa.string()),
            pa.field("checksum", pa.string()),
            pa.field("body", pa.binary()),
            *(pa.field(name, vector) for name in VECTORS.values()),
        ]
    )


def version_schema() -> pa.Schema:
    """Columns of the table of versions."""
    return pa.schema(
        [
            pa.field("doc", pa.string(), nullable=False),
            pa.field("number", pa.int64(), nullable=False),
            pa.field("seal", pa.string(), nullable=False),
            pa.field("about", pa.binary(), nullable=False),
            pa.field("places", pa.binary(), nullable=False),
            pa.field("text", pa.binary(), nullable=False),
        ]
    )


def entry_key(id: str) -> str:
    return f"e{coded(id)}"


def head_key(doc: str) -> str:
    return f"h{coded(doc)}"


def id_of(key: str) -> str:
    return decoded(key[1:])


def entry_rows(
    put: Sequence[Entry], drop: Iterable[tuple[str, str]], heads: Iterable[Head], settings: Settings
) -> pa.Table:
    """Rows for entries, for ids that go with their documents, and for heads."""
    known: dict[tuple[tuple[str, ...], int], list[str]] = {}
    entries = (_entry_row(entry, _labels(entry, known, dual=settings.dual), settings.stemming) for entry in put)
    rows = [*entries, *map(_gone_row, drop), *map(_head_row, heads)]
    schema = entry_schema(settings.dimensions)
    columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), schema, strict=False)]
    for name in VECTORS.values():
        found = [getattr(entry, name) for entry in put]
        columns.append(_vectors(found, len(rows), settings.dimensions))
    return pa.table(columns, schema=schema)


def _entry_row(entry: Entry, labels: list[str], stemming: str) -> tuple[Any, ...]:
    """One value for each column but those of vectors, in their order."""
    digest = codec.digest(entry)
    return (
        entry_key(entry.id),
        coded(entry.doc),
        entry.level,
        coded(entry.parent),
        coded(entry.title),
        coded(entry.kind),
        coded(entry.language),
        entry.tokens,
        _number(entry.authority),
        _number(entry.coherence),
        None if entry.created_at is None else codec.microseconds(entry.created_at),
        codec.microseconds(entry.updated_at),
        labels,
        spaced(entry.counted, stemming) or None,
        digest,
        codec.checksum(entry, digest),
        _pack_body(entry),
    )


def _labels(entry: Entry, known: dict[tuple[tuple[str, ...], int], list[str]], *, dual: bool) -> list[str]:
    """The labels of an entry. Those of a section have the same headings, those of a document the same front matter."""
    key = entry.path, id(entry.meta)
    if key not in known:
        known[key] = labels(entry)
    return [LACKING, *known[key]] if lacks_vectors(entry, dual=dual) else known[key]


def _gone_row(gone: tuple[str, str]) -> tuple[Any, ...]:
    id, doc = gone
    return (entry_key(id), coded(doc), GONE, *_NOTHING, [], None, None, None, None)


def _head_row(head: Head) -> tuple[Any, ...]:
    body = pack_head(head)
    return (head_key(head.doc), coded(head.doc), HEAD, *_NOTHING, [], None, None, None, body)


def _number(value: float | None) -> float | None:
    """NaN is as good as missing for a filter."""
    return value if value is not None and value == value else None


def _vectors(found: Sequence[Vector | None], rows: int, dimensions: int) -> pa.Array:
    values = np.zeros((rows, dimensions), dtype=np.float32)
    missing = np.ones(rows, dtype=bool)
    for at, vector in enumerate(found):
        if vector is not None:
            values[at] = vector
            missing[at] = False
    # By its buffer: `pa.array` of NumPy values would load `numpy.ma` first.
    flat = pa.Array.from_buffers(pa.float32(), values.size, [None, pa.py_buffer(values)])
    return pa.FixedSizeListArray.from_arrays(flat, dimensions, mask=pa.array(missing.tolist()))


def version_rows(versions: Sequence[Version]) -> pa.Table:
    """Rows of the table of versions."""
    rows = [
        {
            "doc": coded(version.doc),
            "number": version.number,
            "seal": codec.seal(version),
            "about": _json([version.revision, version.title, version.uri, codec.microseconds(version.indexed_at)]),
            "places": zlib.compress(codec.pack_places(version.places).encode(), _FAST),
            "text": zlib.compress(codec.text_bytes(version.text), _FAST),
        }
        for version in versions
    ]
    return pa.Table.from_pylist(rows, schema=version_schema())


def unpack_entries(rows: pa.Table) -> list[Entry]:
    """The entries of rows with a body; with their vectors, where those were read."""
    bodies = rows["body"].to_pylist()
    names = [name for name in VECTORS.values() if name in rows.column_names]
    columns = [vectors_of(rows, name) for name in names]
    return [unpack_body(body, *both) for body, *both in zip(bodies, *columns, strict=True)]


def unpack_body(body: bytes, vector: Vector | None = None, summary_vector: Vector | None = None) -> Entry:
    """The entry of a body, with the vectors that were read, and with its parts beside a vector alone."""
    parts, packed = _split_body(body)
    made = codec.unpack_parts(parts) if parts and vector is not None else None
    return unpack_entry(packed, vector, summary_vector, made)


def unpack_vectors(rows: pa.Table) -> list[EntryVectors]:
    """What was embedded of the entries of rows with a body and all vectors."""
    text, summary = (vectors_of(rows, VECTORS[kind]) for kind in ("text", "summary"))
    parts = map(unpack_body_parts, rows["body"].to_pylist())
    return [
        EntryVectors(vector, of_summary, None if vector is None else found)
        for vector, of_summary, found in zip(text, summary, parts, strict=True)
    ]


def unpack_body_parts(body: bytes) -> Parts | None:
    """The parts in a body, without the entry."""
    parts, _ = _split_body(body)
    return codec.unpack_parts(parts) if parts else None


def _pack_body(entry: Entry) -> bytes:
    """Everything an entry says. Its parts, where it has any, come first: they are read without the rest."""
    packed = pack_entry(entry)
    if entry.parts is None:
        return packed
    parts = codec.pack_parts(entry.parts)
    return b"".join((bytes([_WITH_PARTS]), len(parts).to_bytes(_LENGTH, "little"), parts, packed))


def _split_body(body: bytes) -> tuple[bytes, bytes]:
    """The packed parts in a body, or nothing, and the packed entry."""
    if not body or body[0] != _WITH_PARTS:
        return b"", body
    start = 1 + _LENGTH
    end = start + int.from_bytes(body[1:start], "little")
    return body[start:end], body[end:]


def unpack_version(row: Mapping[str, Any]) -> Version:
    """A version from its row; without the column `text`, without its text."""

    def read() -> Version:
        revision, title, uri, indexed_at = json.loads(codec.text_of(row["about"]))
        return Version(
            doc=decoded(row["doc"]),
            number=row["number"],
            revision=revision,
            title=title,
            uri=uri,
            text=codec.unpack_text(row["text"]) if "text" in row else "",
            indexed_at=codec.moment_of(indexed_at),
            places=codec.unpack_places(zlib.decompress(row["places"]).decode()),
        )

    return _undamaged("a version of a document", read)


def vectors_of(table: pa.Table, name: str) -> list[Vector | None]:
    """A column of vectors, row by row."""
    rows: list[Vector | None] = []
    for chunk in table.column(name).chunks:
        size = chunk.type.list_size
        values = chunk.values.to_numpy(zero_copy_only=False).reshape(-1, size)[chunk.offset : chunk.offset + len(chunk)]
        valid = chunk.is_valid().to_pylist()
        rows.extend(value if there else None for value, there in zip(values, valid, strict=True))
    return rows


def _undamaged(what: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except (ValueError, TypeError, KeyError, OverflowError, AttributeError, zlib.error) as error:
        raise StoreError(f"{what} is damaged: {error}: run `seamline doctor --verify`") from error


def _json(value: Any) -> bytes:
    return codec.text_bytes(_PLAIN_JSON(value))


def _text(packed: bytes) -> str:
    return codec.text_of(zlib.decompress(packed))
