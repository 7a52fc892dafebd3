"""What a search gave, read back from its JSON records; and what of an entry stands in the record of a hit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from seamline.records import Entry, MetaValue
from seamline.schema.documents import read_notices
from seamline.schema.plain import from_plain
from seamline.schema.records import CitationRecord, ContextTextRecord, EntryRecord, HitRecord, ResultsRecord
from seamline.search.hits import Citation, ContextText, Evidence, Hit, PromptPassage, Results, Why, kept_facts
from seamline.search.plan import Plan

_USUAL = {"language": "", "authority": 0.5, "coherence": None, "summary": "", "before": "", "after": ""}
"""Fields of an entry that most have, left out of its record."""


def entry_record(entry: Entry, shown: str) -> EntryRecord:
    """What a record of a hit does not say of its entry already, where the hit shows a text."""
    record: dict[str, Any] = {
        "parent": entry.parent,
        "lead": entry.lead,
        "tail": entry.tail,
        "tokens": entry.tokens,
        "content_hash": entry.content_hash,
        "sketch": entry.sketch,
        "updated_at": entry.updated_at.isoformat(),
    }
    if entry.created_at is not None:
        record["created_at"] = entry.created_at.isoformat()
    record |= {name: found for name, usual in _USUAL.items() if (found := getattr(entry, name)) != usual}
    if entry.text != shown:
        record["text"] = entry.text
    if fields := {name[1:]: value for name, value in entry.meta.items() if name.startswith(":")}:
        record["fields"] = meta_record(fields)
    return cast("EntryRecord", record)


def meta_record(meta: Mapping[str, MetaValue]) -> dict[str, Any]:
    """Metadata as plain JSON values; a time is told apart from a text."""
    return {name: _meta_plain(value) for name, value in meta.items()}


def _meta_plain(value: MetaValue) -> Any:
    if isinstance(value, datetime):
        return {"time": value.isoformat()}
    return list(value) if isinstance(value, tuple) else value


def read_meta(plain: Mapping[str, Any]) -> dict[str, MetaValue]:
    """The metadata of a record."""
    return {name: _meta_value(value, f"$.meta.{name}") for name, value in plain.items()}


def _meta_value(plain: Any, at: str) -> MetaValue:
    if isinstance(plain, Mapping):
        return from_plain(datetime, plain.get("time"), f"{at}.time")
    if isinstance(plain, list):
        return from_plain(tuple[str, ...], plain, at)
    return cast("MetaValue", plain)


def read_citation(record: Mapping[str, Any]) -> Citation:
    """The citation of a record."""
    known = from_plain(CitationRecord, record)
    return Citation(
        id=known["id"],
        doc=known["doc"],
        version=known["version"],
        uri=known["uri"],
        path=tuple(known["path"]),
        anchor=known["anchor"],
        start=known["start"],
        end=known["end"],
        quote=known["quote"],
    )


def read_hit(record: Mapping[str, Any]) -> Hit:
    """The hit of a record."""
    known = from_plain(HitRecord, record)
    own: dict[str, Any] = {"text": known["text"], **known["entry"]}
    for name in ("created_at", "updated_at"):
        if name in own:
            own[name] = from_plain(datetime, own[name], f"$.entry.{name}")
    entry = Entry(
        id=known["id"],
        doc=known["doc"],
        level=known["level"],
        kind=known["kind"],
        title=known["title"],
        path=tuple(known["path"]),
        meta=read_meta({**known["meta"], **{f":{name}": value for name, value in own.pop("fields", {}).items()}}),
        **own,
    )
    return Hit(
        entry,
        known["score"],
        tuple(map(read_citation, known["citations"])),
        known["text"],
        tuple(known["ids"]),
        why=from_plain(Why, known["why"], "$.why"),
        duplicates=tuple(map(read_citation, known["duplicates"])),
        linked=tuple(map(read_citation, known["linked"])),
        relative=known["relative"],
        fields=tuple(
            (name, value) for name, value in read_meta(known["facts"]).items() if name not in kept_facts(entry)
        ),
    )


def read_results(record: Mapping[str, Any]) -> Results:
    """The results of a record."""
    known = from_plain(ResultsRecord, record)
    plan = from_plain(Plan, known["plan"], "$.plan") if known["plan"] else None
    return Results(
        tuple(map(read_hit, known["hits"])),
        read_notices(known["notices"]),
        known["query"],
        plan,
        Evidence(**known["evidence"]) if known["evidence"] else None,
    )


def read_context(record: Mapping[str, Any]) -> ContextText:
    """The text for a prompt of a record."""
    known = from_plain(ContextTextRecord, record)
    passages = [
        PromptPassage(
            one["number"], one["text"], tuple(map(read_citation, one["citations"])), one["summary"], one["derived"]
        )
        for one in known["passages"]
    ]
    return ContextText(
        known["text"],
        tuple(passages),
        known["tokens"],
        left_out=tuple(map(read_citation, known["left_out"])),
        notices=read_notices(known["notices"]),
        query=known["query"],
        budget=known["budget"],
    )
