"""How entries, versions and settings are written down and sealed, the same in every store.

What is unpacked is what was packed, for any text: NUL, quotes and lone surrogates included. Bytes that were not packed
here are refused with a StoreError, never guessed at.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from seamline.errors import StoreError
from seamline.records import Entry, MetaValue, Place, Settings, Version

if TYPE_CHECKING:
    from seamline.records import Vector

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
    return _hash((said or digest(entry)).encode(), _json(_plain(entry.updated_at)), *vectors)


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


def pack_places(places: tuple[Place, ...]) -> str:
    """Places as ASCII JSON, in the order of their fields."""
    return _json([list(place) for place in places]).decode()


def unpack_places(text: str) -> tuple[Place, ...]:
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


def _place(id: str, level: int, start: int, end: int, anchor: Mapping[str, Any], path: list[str]) -> Place:
    return Place(id, level, start, end, anchor, tuple(path))


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
