"""Chunks and hits as the flat metadata that frameworks keep beside a text, and back without loss.

Metadata of vector stores is flat: texts, numbers and flags. So each plain value of a record is a key of its own, to
filter by and to show, and the whole record is one more text, `seamline`, from which it is restored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.errors import ConfigError
from seamline.text.headings import with_headings
from seamline.types import Chunk

if TYPE_CHECKING:
    from seamline.search.hits import Hit

RECORD = "seamline"
"""The key of the whole record, as JSON."""
HEADINGS = "headings"
"""The key of what the embed view puts above the text: the title and the headings, in one line."""
_ELSEWHERE = frozenset({"id", "score", "text"})
"""What frameworks have fields of their own for."""

FlatValue = str | int | float | bool
FlatMetadata = dict[str, FlatValue]


class ChunkParts(NamedTuple):
    """What any framework needs of a chunk or a hit."""

    id: str
    text: str
    """What is shown: the prompt view."""
    metadata: FlatMetadata


def chunk_record(chunk: Chunk) -> dict[str, Any]:
    """All of a chunk as plain JSON values."""
    return dict(chunk.to_dict())


def chunk_parts(chunk: Chunk) -> ChunkParts:
    """Id, text and metadata of a chunk."""
    record = chunk_record(chunk)
    above = with_headings(chunk.document.title, chunk.path, "").removesuffix("\n\n")
    return _parts(record, {HEADINGS: above} if above else {})


def hit_parts(hit: Hit) -> ChunkParts:
    """Id, text and metadata of a hit. `citation` is its key, which an index resolves for ever."""
    cited = hit.citation
    place = {
        name: value for name, value in cited.to_dict().items() if name in ("doc", "version", "uri", "start", "end")
    }
    extra = {**place, **cited.anchor, "breadcrumb": " > ".join(cited.path), "meta": hit.entry.meta}
    return _parts(hit.to_dict(), {**flatten(extra), "citation": cited.key})


def _parts(record: Mapping[str, Any], extra: FlatMetadata) -> ChunkParts:
    kept = {name: value for name, value in record.items() if name != "text"}
    whole = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
    return ChunkParts(record["id"], record["text"], {**flatten(record), **extra, RECORD: whole})


def flatten(record: Mapping[str, Any]) -> FlatMetadata:
    """The plain values of a record under their names. A pair of numbers becomes `NAME_start` and `NAME_end`, a mapping
    such as the front matter `NAME_KEY`; empty texts and other lists are left to the record."""
    flat: FlatMetadata = {}
    for name, value in record.items():
        if name in _ELSEWHERE:
            continue
        match value:
            case bool() | int() | float():
                flat[name] = value
            case str() if value:
                flat[name] = value
            case [int() | float() as start, int() | float() as end]:
                flat |= {f"{name}_start": start, f"{name}_end": end}
            case Mapping():
                flat |= {f"{name}_{key}": inner for key, inner in flatten(value).items()}
    return flat


def embed_text(text: str, metadata: Mapping[str, Any]) -> str:
    """What is embedded of a shown text: it under its title and headings, as `Chunk.render("embed")` says it."""
    above = metadata.get(HEADINGS)
    return f"{above}\n\n{text}" if above else text


def restore_record(text: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The record that metadata was made of: `Chunk.to_dict()`, or `Hit.to_dict()`. `text` is what is shown."""
    if RECORD not in metadata:
        raise ConfigError(f"no chunk of Seamline: its metadata has no key `{RECORD}`")
    return {**json.loads(metadata[RECORD]), "text": text}


def foreign_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What a caller's document brings along: its metadata without that of the chunk or hit which it was before."""
    if RECORD not in metadata:
        return dict(metadata)
    record = json.loads(metadata[RECORD])
    own = {*flatten(record), RECORD, HEADINGS}
    for cited in record.get("citations", ()):  # of a hit
        own |= {*flatten({**cited, **cited["anchor"]}), "breadcrumb", "citation", "score"}
    is_hit = "citations" in record
    return {
        name: value for name, value in metadata.items() if name not in own and not (is_hit and name.startswith("meta_"))
    }
