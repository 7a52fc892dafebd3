"""How entries, heads, versions and settings are packed and sealed, the same in every store.

What is unpacked is what was packed, for any text: NUL, quotes and lone surrogates included. Bytes that were not packed
here are refused with a StoreError, never guessed at.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from seamline.errors import StoreError
from seamline.records import Entry, EntryPlace, Head, MetaValue, Settings, SourceSpan, Version

if TYPE_CHECKING:
    from seamline.records import Parts, Vector


_WORDS = ("id", "doc", "parent", "kind", "title", "text", "content_hash", "language", "summary", "before", "after")
_WHOLE = ("level", "lead", "tail", "tokens", "sketch")
_COMPRESSION = 6
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def digest(entry: Entry) -> str:
    """Hash of what an entry says, known before it is embedded: an equal digest needs neither a vector nor a write."""
    said = [
        [getattr(entry, name) for name in _WORDS],
        [int(getattr(entry, name)) for name in _WHOLE],
        [*entry.path],
        [_plain(entry.created_at), _plain(entry.authority), _plain(entry.coherence)],
        plain_meta(entry.meta),
    ]
    return _hash(_json(said))


def checksum(entry: Entry, said: str = "") -> str:
    """Hash of everything that is stored of an entry, vectors and time included; `said` is its digest, if known."""
    vectors = (b"" if v is None else _bytes(v) for v in (entry.vector, entry.summary_vector))
    parts = () if entry.parts is None else (pack_parts(entry.parts),)
    return _hash((said or digest(entry)).encode(), _json(_plain(entry.updated_at)), *vectors, *parts)


def seal(version: Version) -> str:
    """Hash of everything that is stored of a version."""
    head = [version.doc, version.number, version.revision, version.title, version.uri, _plain(version.indexed_at)]
    return _hash(_json(head), text_bytes(version.text), pack_places(version.places).encode())


def text_bytes(text: str) -> bytes:
    """Any text as bytes: UTF-8, and the same scheme for surrogates. They sort as the code points do."""
    return text.encode("utf-8", "surrogatepass")


def text_of(data: bytes) -> str:
    """The reverse of `text_bytes`."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise StoreError(f"a stored text is damaged: {error}") from error


def pack_text(text: str) -> bytes:
    """A document's text, compressed; any string survives."""
    return zlib.compress(text_bytes(text), _COMPRESSION)


def unpack_text(data: bytes) -> str:
    """The reverse of `pack_text`."""
    try:
        return text_of(zlib.decompress(data))
    except zlib.error as error:
        raise StoreError(f"a stored text is damaged: {error}") from error


def pack_places(places: tuple[EntryPlace, ...]) -> str:
    """Places as ASCII JSON, in the order of their fields. Without spans, which few have, as before there were any."""
    return _json([list(place) if place.spans else list(place[:-1]) for place in places]).decode()


def unpack_places(text: str) -> tuple[EntryPlace, ...]:
    """The reverse of `pack_places`."""
    try:
        return tuple(_place(*row) for row in json.loads(text))
    except (ValueError, TypeError) as error:
        raise StoreError(f"the stored places of a version are damaged: {error}") from error


def pack_meta(meta: Mapping[str, MetaValue]) -> str:
    """Fields of the front matter as ASCII JSON."""
    return _json(plain_meta(meta)).decode()


def unpack_meta(text: str) -> dict[str, MetaValue]:
    """The reverse of `pack_meta`."""
    try:
        return meta_of(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise StoreError(f"stored front matter is damaged: {error}") from error


def plain_meta(meta: Mapping[str, MetaValue]) -> dict[str, Any]:
    """Fields of the front matter as JSON values. What JSON has not is an object: a time `{"time": microseconds}`,
    an endless number or NaN `{"number": "inf"}`."""
    return {name: _plain(value) for name, value in sorted(meta.items())}


def meta_of(plain: Mapping[str, Any]) -> dict[str, MetaValue]:
    """The reverse of `plain_meta`."""
    return {name: _value(value) for name, value in plain.items()}


def pack_settings(settings: Settings) -> str:
    """Settings as ASCII JSON."""
    plain = {field.name: getattr(settings, field.name) for field in fields(Settings)}
    return _json({**plain, "options": dict(settings.options)}).decode()


def unpack_settings(text: str) -> Settings:
    """The reverse of `pack_settings`."""
    try:
        return Settings(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise StoreError(f"the stored settings are damaged, or of a newer Seamline: {error}") from error


def check_settings(stored: Settings, wanted: Settings) -> None:
    """Refuse to open a store with other settings than it was made with. The recipe is judged by its fingerprint."""
    names = [field.name for field in fields(Settings) if field.name != "recipe"]
    wrong = [name for name in names if getattr(stored, name) != getattr(wanted, name)]
    if wrong:
        both = "; ".join(f"{name}: {getattr(stored, name)!r}, not {getattr(wanted, name)!r}" for name in wrong)
        raise StoreError(f"the index was made with other settings ({both}): use those, or index again from scratch")


def microseconds(moment: datetime) -> int:
    """Since 1970 in UTC: how every store keeps a time. A time without an offset is in UTC."""
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


def moment_of(microseconds: int) -> datetime:
    """The reverse of `microseconds`."""
    return _EPOCH + timedelta(microseconds=microseconds)


def _place(
    id: str,
    level: int,
    start: int,
    end: int,
    anchor: Mapping[str, Any],
    path: list[str],
    spans: Sequence[tuple[int, int, Mapping[str, Any]]] = (),
) -> EntryPlace:
    several = tuple(SourceSpan(*span) for span in spans) if spans else ()
    return EntryPlace(id, level, start, end, anchor, tuple(path), several)


def _plain(value: MetaValue | None) -> Any:
    match value:
        case datetime():
            return {"time": microseconds(value)}
        case tuple():
            return list(value)
        case bool() | str() | None:
            return value
    number = float(value)
    return number if math.isfinite(number) else {"number": str(number)}


def _value(plain: Any) -> MetaValue:
    match plain:
        case {"time": moment}:
            return moment_of(moment)
        case {"number": number}:
            return float(number)
        case list():
            return tuple(plain)
    return plain if isinstance(plain, str | bool) else float(plain)


def _bytes(vector: Vector) -> bytes:
    return vector.astype("<f4", copy=False).tobytes()


def _json(value: Any) -> bytes:
    # ASCII only, so that lone surrogates survive (a high one right before a low one is the character both stand for);
    # no NaN, which only Python would read again.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _hash(*parts: bytes) -> str:
    hasher = blake2b(digest_size=16)
    for part in parts:
        hasher.update(len(part).to_bytes(8, "little"))
        hasher.update(part)
    return hasher.hexdigest()


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
            None if entry.created_at is None else microseconds(entry.created_at),
            microseconds(entry.updated_at),
            plain_meta({name: value for name in _SHARES if (value := getattr(entry, name)) is not None}),
            plain_meta(entry.meta),
        ]
    )


def unpack_entry(
    data: bytes, vector: Vector | None = None, summary_vector: Vector | None = None, parts: Parts | None = None
) -> Entry:
    """The reverse of `pack_entry`."""

    def read() -> Entry:
        texts, numbers, path, created, updated, plain, meta = _unpack(data)
        shares: dict[str, Any] = meta_of(plain)
        return Entry(
            **dict(zip(_TEXTS, texts, strict=True)),
            **dict(zip(_NUMBERS, numbers, strict=True)),
            **shares,
            path=tuple(path),
            created_at=None if created is None else moment_of(created),
            updated_at=moment_of(updated),
            meta=meta_of(meta),
            vector=vector,
            summary_vector=summary_vector,
            parts=parts,
        )

    return _whole("an entry", read)


def pack_parts(parts: Parts) -> bytes:
    """The parts of a text: how many numbers a row has, and the rows."""
    return len(parts[0]).to_bytes(4, "little") + parts.tobytes()


def unpack_parts(data: bytes) -> Parts:
    """The reverse of `pack_parts`."""
    import numpy as np

    size = int.from_bytes(data[:4], "little")
    return _whole("the parts of a text", lambda: np.frombuffer(data, np.int8, offset=4).reshape(-1, size))


def pack_head(head: Head) -> bytes:
    """A head."""
    return _pack({**asdict(head), "indexed_at": microseconds(head.indexed_at)})


def unpack_head(data: bytes) -> Head:
    """The reverse of `pack_head`."""

    def read() -> Head:
        plain = _unpack(data)
        return Head(**{**plain, "indexed_at": moment_of(plain["indexed_at"])})

    return _whole("the head of a document", read)


def pack_layout(version: Version) -> bytes:
    """A version without its text."""
    about = [version.doc, version.number, version.revision, version.title, version.uri]
    return _pack([*about, microseconds(version.indexed_at), pack_places(version.places)])


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
            indexed_at=moment_of(indexed_at),
            places=unpack_places(places),
        )

    return _whole("a version of a document", read)


def _pack(value: Any) -> bytes:
    return zlib.compress(text_bytes(_ENCODE(value)), _FAST)


def _unpack(data: bytes) -> Any:
    return json.loads(text_of(zlib.decompress(data)))


def _whole(what: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except (ValueError, TypeError, KeyError, OverflowError, AttributeError, zlib.error) as error:
        raise StoreError(f"{what} is damaged: {error}: run `seamline doctor --verify`") from error
