"""Documents and what is made of them, chunks and texts about chunks: their records, and how they are read back."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, cast

from seamline.anchors import Anchor, Anchors
from seamline.code_outline import CodeOutline
from seamline.errors import ConfigError
from seamline.facts import Derived, Entity, Facts
from seamline.schema.plain import from_plain, to_plain
from seamline.schema.records import (
    AnchorRecord,
    BlockRecord,
    ChunkRecord,
    DerivedRecord,
    DocumentRecord,
    FactsRecord,
    NoticeRecord,
    RunPlace,
)
from seamline.types import Block, Chunk, Context, Document, Notice, RecordedIds, Source, Span, content_hash


def document_record(document: Document) -> DocumentRecord:
    """Everything of a document as plain JSON values."""
    record: DocumentRecord = {
        "id": document.id,
        "source": {
            "uri": document.source.uri,
            "media_type": document.source.media_type,
            "sha256": document.source.sha256,
        },
        "text": document.text,
        "title": document.title,
        "meta": to_plain(document.front_matter),
        "blocks": [cast("BlockRecord", to_plain(block)) for block in document.blocks],
        "removed": [list(span) for span in document.removed],
        "notices": [notice_record(notice) for notice in document.notices],
        "confidence": document.confidence,
    }
    if document.anchors is not None:
        record["anchors"] = [_anchor_record(run) for run in document.anchors]
    if document.code is not None:
        record["code"] = to_plain(document.code)
    return record


def read_document(record: Mapping[str, Any]) -> Document:
    """The document of a record."""
    known = from_plain(DocumentRecord, record)
    anchors = [Anchor(run["start"], run["end"], _run_place(run)) for run in known.get("anchors", ())]
    return Document(
        known["id"],
        Source(**known["source"]),
        known["text"],
        [from_plain(Block, block, f"$.blocks[{n}]") for n, block in enumerate(known["blocks"])],
        title=known["title"],
        front_matter=known["meta"],
        removed=from_plain(tuple[Span, ...], known["removed"], "$.removed"),
        notices=read_notices(known["notices"]),
        anchors=Anchors(anchors) if "anchors" in known else None,
        confidence=known["confidence"],
        code=from_plain(CodeOutline, known["code"], "$.code") if "code" in known else None,
    )


def _anchor_record(run: Anchor) -> AnchorRecord:
    place = cast("RunPlace", to_plain(run.place))
    return {"start": run.start, "end": run.end, **place}


def _run_place(run: AnchorRecord) -> dict[str, Any]:
    place: dict[str, Any] = {name: value for name, value in run.items() if name not in ("start", "end")}
    if "edges" in place:
        place["edges"] = array("f", place["edges"])  # as parsers give them: a page has thousands
    return place


def read_chunk(record: Mapping[str, Any], document: Document) -> Chunk:
    """The chunk of a record, with the document that it was cut from."""
    known = from_plain(ChunkRecord, record)
    body, index = Span(known["start"], known["end"]), known["index"]
    if known["doc"] != document.id:
        raise ConfigError(f"expected a record of {document.id}, got one of {known['doc']}", "$.doc")
    if content_hash(document.text[body.start : body.end]) != known["content_hash"]:
        raise ConfigError(f"expected a record of this text of {document.id}, got one of another", "$.content_hash")
    facts = Facts.from_dict(record)
    shadows = known.get("shadows", [None, None])
    return Chunk(
        document,
        body,
        known["tokens"],
        RecordedIds(
            {index - 1: known["previous"], index: known["id"], index + 1: known["next"]}, {index: known["content_hash"]}
        ),
        context=tuple(Context(c["role"], c["start"], c["end"], c.get("added", "")) for c in known["context"]),
        closing=known["closing"],
        path=tuple(known["path"]),
        index=index,
        total=known["total"],
        blocks=from_plain(tuple[int, int], known["block_range"], "$.block_range"),
        seam=known["seam"],
        level=known["level"],
        parent=known["parent"],
        shadows=from_plain(tuple[Span | None, Span | None], shadows, "$.shadows"),
        children=tuple(known.get("children", ())),
        facts=facts if "facts" in known or any(name in record for name in FactsRecord.__annotations__) else None,
    )


def read_derived(record: Mapping[str, Any], document: Document) -> Derived:
    """The text about chunks of a record, with their document."""
    known = from_plain(DerivedRecord, record)
    if known["doc"] != document.id:
        raise ConfigError(f"expected a record of {document.id}, got one of {known['doc']}", "$.doc")
    return Derived(
        document,
        kind=known["derived"],
        text=known["text"],
        spans=from_plain(tuple[Span, ...], known["spans"], "$.spans"),
        of=tuple(known["of"]),
        model=known["model"],
        tokens=known["tokens"],
        confidence=known["confidence"],
        entities=from_plain(tuple[Entity, ...], known.get("entities", []), "$.entities"),
        topic=known.get("topic", -1),
    )


def notice_record(notice: Notice) -> NoticeRecord:
    """A remark as plain JSON values."""
    return {"code": notice.code, "message": notice.message, "where": notice.where}


def read_notices(records: list[NoticeRecord]) -> tuple[Notice, ...]:
    """The remarks of records."""
    return tuple(Notice(one["code"], one["message"], one["where"]) for one in records)
