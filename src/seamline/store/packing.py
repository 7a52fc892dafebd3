"""Entries, heads and versions as bytes, for stores that keep them packed.

What is unpacked is what was packed, for any text: NUL, quotes and lone surrogates included. Bytes that were not packed
here are refused with a StoreError.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import asdict
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from seamline.errors import StoreError
from seamline.records import Entry, Head, Version
from seamline.store import codec

if TYPE_CHECKING:
    from seamline.records import Vector

_FAST = 1
"""Level of compression: level 6 makes rows 3% smaller, and costs as much as everything else about a row."""
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
"""Not escaped: half the bytes for texts that are not ASCII."""
_TEXTS = ("id", "doc", "parent", "kind", "title", "text", "content_hash", "language", "summary", "before", "after")
_NUMBERS = ("level", "lead", "tail", "tokens", "sketch")
_SHARES = ("authority", "coherence")
_TEXTS_OF, _NUMBERS_OF = attrgetter(*_TEXTS), attrgetter(*_NUMBERS)

T = TypeVar("T")


def pack_entry(entry: Entry) -> bytes:
    """Everything an entry says, without its vectors."""
    return _pack(
        [
            _TEXTS_OF(entry),
            [*map(int, _NUMBERS_OF(entry))],
            entry.path,
            None if entry.created_at is None else codec.microseconds(entry.created_at),
            codec.microseconds(entry.updated_at),
            codec.plain_meta({name: value for name in _SHARES if (value := getattr(entry, name)) is not None}),
            codec.plain_meta(entry.meta),
        ]
    )


def unpack_entry(data: bytes, vector: Vector | None = None, summary_vector: Vector | None = None) -> Entry:
    """The reverse of `pack_entry`."""

    def read() -> Entry:
        texts, numbers, path, created, updated, plain, meta = _unpack(data)
        shares: dict[str, Any] = codec.meta_of(plain)
        return Entry(
            **dict(zip(_TEXTS, texts, strict=True)),
            **dict(zip(_NUMBERS, numbers, strict=True)),
            **shares,
            path=tuple(path),
            created_at=None if created is None else codec.moment_of(created),
            updated_at=codec.moment_of(updated),
            meta=codec.meta_of(meta),
            vector=vector,
            summary_vector=summary_vector,
        )

    return _whole("an entry", read)


def pack_head(head: Head) -> bytes:
    """A head."""
    return _pack({**asdict(head), "indexed_at": codec.microseconds(head.indexed_at)})


def unpack_head(data: bytes) -> Head:
    """The reverse of `pack_head`."""

    def read() -> Head:
        plain = _unpack(data)
        return Head(**{**plain, "indexed_at": codec.moment_of(plain["indexed_at"])})

    return _whole("the head of a document", read)


def pack_layout(version: Version) -> bytes:
    """A version without its text."""
    about = [version.doc, version.number, version.revision, version.title, version.uri]
    return _pack([*about, codec.microseconds(version.indexed_at), codec.pack_places(version.places)])


def unpack_layout(data: bytes, text: str = "") -> Version:
    """The reverse of `pack_layout`, with the text where that was asked for."""

    def read() -> Version:
        doc, number, revision, title, uri, indexed_at, places = _unpack(data)
        return Version(
            doc=doc,
            number=number,
            revision=revision,
            title=title,
            uri=uri,
            text=text,
            indexed_at=codec.moment_of(indexed_at),
            places=codec.unpack_places(places),
        )

    return _whole("a version of a document", read)


def _pack(value: Any) -> bytes:
    return zlib.compress(codec.text_bytes(_ENCODE(value)), _FAST)


def _unpack(data: bytes) -> Any:
    return json.loads(codec.text_of(zlib.decompress(data)))


def _whole(what: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except (ValueError, TypeError, KeyError, OverflowError, AttributeError, zlib.error) as error:
        raise StoreError(f"{what} is damaged: {error}: run `seamline doctor --verify`") from error
