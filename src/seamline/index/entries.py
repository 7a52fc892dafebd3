"""A document and its chunks -> the entries an index keeps, and where they stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from seamline.cut.sections import Node, outline
from seamline.enrich.facts import attributes, authority, created_at, source_version
from seamline.enrich.language import language
from seamline.enrich.prose import SUMMARY, Prose, summarize
from seamline.enrich.sketch import text_sketch
from seamline.facts import Derived, Facts
from seamline.filters.tree import DERIVED_FIELDS
from seamline.parse.media.ocr import REVIEW
from seamline.protocols import Tokenizer
from seamline.records import ABOUT, ANSWERS, Entry, EntryPlace, MetaValue, SourceSpan
from seamline.text.sentences import sentence_starts
from seamline.types import Chunk, Document, Namer, Span, content_hash

_Base = dict[str, Any]
"""The fields that all entries of a document have in common."""
SECTION = 100
"""Tokens of a section's summary, at most."""
_MOST_ABOUT = 8
"""Chunks that a text leads to which is not shown itself."""
_MOST_SPANS = 16
"""Places of a text that are kept apart; of more, the nearest are joined."""


class Described(NamedTuple):
    """A document as an index sees it."""

    entries: list[Entry]
    """Without vectors. Sections and chunks, each section before what is in it."""
    places: tuple[EntryPlace, ...]
    """Of the same entries, in the same order."""


@dataclass(frozen=True, slots=True)
class _Group:
    """A section that holds at least two chunks."""

    id: str
    path: tuple[str, ...]
    span: Span
    first: int
    last: int
    """Half-open range of its chunks."""
    level: int = 1
    parent: str = ""


def describe(
    document: Document,
    chunks: Sequence[Chunk],
    tokenizer: Tokenizer,
    *,
    hierarchy: bool,
    now: datetime,
    born: datetime | None,
    about: Sequence[Derived] = (),
) -> Described:
    """The entries of all levels, and of texts about chunks. `born` is when the document was written, unless it says so
    itself."""
    prose = Prose(document, sentence_starts)
    levels = [chunk for chunk in chunks if chunk.level]
    chunks = [chunk for chunk in chunks if not chunk.level]
    groups = _levels(levels, chunks) or _groups(document, chunks) if hierarchy else []
    base: _Base = {
        "doc": document.id,
        "title": document.title,
        "updated_at": now,
        "created_at": created_at(document.front_matter) or born,
        "language": language(document),
        "authority": authority(document.front_matter),
        "meta": _meta(document),
    }
    found = [(g.first, -g.last, _section(base, g, document, prose, tokenizer), g.span, g.path) for g in groups]
    for index, (chunk, parent) in enumerate(zip(chunks, _parents(groups, len(chunks)), strict=True)):
        entry = _chunk(base, chunk, parent, prose, tokenizer)
        found.append((index, 0, entry, chunk.body, chunk.path))
    found.sort(key=lambda item: item[:2])  # a section before its chunks, the larger of two sections first
    # A larger chunk is searched by its summary already.
    derived = _about(about, {entry.id: entry for _, _, entry, _, _ in found if entry.level == 0})
    return Described(
        [*(entry for _, _, entry, _, _ in found), *(entry for entry, _ in derived)],
        (
            *(_place(document, entry, (span,), path) for _, _, entry, span, path in found),
            *(_place(document, entry, _nearest_joined(spans), entry.path) for entry, spans in derived),
        ),
    )


def _about(about: Sequence[Derived], known: Mapping[str, Entry]) -> list[tuple[Entry, tuple[Span, ...]]]:
    """An entry for each text, and of those that only lead to chunks one for each of the chunks; one that says the same
    of the same chunk twice is one."""
    found: dict[str, tuple[Entry, tuple[Span, ...]]] = {}
    for one in about:
        chunks = [known[id] for id in one.of if id in known]
        for chunk in chunks[: 1 if one.kind in ANSWERS else _MOST_ABOUT]:
            entry = replace(
                chunk,
                id=content_hash("\0".join((chunk.id, one.kind, one.text)))[: len(chunk.id)],
                level=ABOUT,
                parent=chunk.id,
                kind=one.kind,
                text=one.text,
                lead=0,
                tail=0,
                tokens=one.tokens,
                content_hash=content_hash(one.text),
                sketch=text_sketch(one.text),
                summary="",
                before="",
                after="",
                meta=_derived_meta(chunk.meta, one),
            )
            found[entry.id] = entry, one.spans
    return list(found.values())


def _derived_meta(meta: Mapping[str, MetaValue], one: Derived) -> dict[str, MetaValue]:
    """The fields of a chunk, and how sure a text about it is, where that is in doubt."""
    name = DERIVED_FIELDS["confidence"]
    sure = meta.get(name, 1.0)
    assert isinstance(sure, float)
    return {**meta, name: round(min(sure, one.confidence), 3)} if min(sure, one.confidence) < 1 else dict(meta)


def _nearest_joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """At most sixteen spans, in order: those with the least between them are joined."""
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start <= out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    gaps = sorted(range(1, len(out)), key=lambda n: out[n].start - out[n - 1].end)
    kept = sorted({0, *gaps[max(0, len(out) - _MOST_SPANS) :]})
    return tuple(Span(out[n].start, out[(*kept, len(out))[at] - 1].end) for at, n in enumerate(kept, start=1))


def _levels(levels: Sequence[Chunk], leaves: Sequence[Chunk]) -> list[_Group]:
    """The larger chunks of a strategy that makes levels, in pre-order."""
    starts, ends = [c.start for c in leaves], [c.end for c in leaves]
    return [
        _Group(
            chunk.id,
            chunk.path,
            chunk.body,
            first=bisect_left(starts, chunk.start),
            last=bisect_right(ends, chunk.end),
            level=chunk.level,
            parent=chunk.parent,
        )
        for chunk in levels
    ]


def _meta(document: Document) -> dict[str, MetaValue]:
    """What the document says about itself, what it was read as, and how sure its text is where it was read by sight or
    hearing."""
    kept = DERIVED_FIELDS.values()
    found = {name: value for name, value in attributes(document.front_matter).items() if name not in kept}
    found[DERIVED_FIELDS["media_type"]] = document.source.media_type
    if said := source_version(document.front_matter):
        found[DERIVED_FIELDS["source_version"]] = said
    return found if document.confidence == 1 else {**found, "confidence": round(document.confidence, 3)}


def _confidence_fields(confidence: float) -> dict[str, MetaValue]:
    """How sure a text is, where that is in doubt, and whether somebody should look at it."""
    if confidence == 1:
        return {}
    found: dict[str, MetaValue] = {DERIVED_FIELDS["confidence"]: round(confidence, 3)}
    return {**found, DERIVED_FIELDS["needs_review"]: True} if confidence < REVIEW else found


def _place(document: Document, entry: Entry, spans: Sequence[Span], path: tuple[str, ...]) -> EntryPlace:
    whole = Span(spans[0].start, spans[-1].end)
    parts = tuple(SourceSpan(*span, document.place_of(span)) for span in spans) if len(spans) > 1 else ()
    return EntryPlace(entry.id, entry.level, *whole, anchor=document.place_of(whole), path=path, spans=parts)


def _chunk(base: _Base, chunk: Chunk, parent: str, prose: Prose, tokenizer: Tokenizer) -> Entry:
    text, body = chunk.text, chunk.render("body")
    tail = len(chunk.closing)
    before, after = (chunk.document.text[s.start : s.end] if s else "" for s in chunk.shadows)
    return Entry(
        id=chunk.id,
        level=0,
        parent=parent,
        kind=chunk.kind,
        path=chunk.path,
        text=text,
        lead=len(text) - tail - len(body),
        tail=tail,
        tokens=chunk.tokens,
        content_hash=chunk.content_hash,
        sketch=text_sketch(body),
        summary=summarize(prose.read(chunk.body), SUMMARY, tokenizer.count, about=chunk.path),
        before=before,
        after=after,
        **_on_page({**base, **_facts(base, chunk)}, chunk.document, chunk.body),
    )


def _facts(base: _Base, chunk: Chunk) -> dict[str, Any]:
    """What enrichment found that can be kept: as fields to filter, sort and show, and as a part of the score."""
    fields: dict[str, MetaValue] = _confidence_fields(chunk.confidence)
    found: dict[str, Any] = {}
    if (facts := chunk.facts) is not None:
        if facts.coherence is not None:
            found["coherence"] = facts.coherence
        if facts.language:
            found["language"] = facts.language
        fields |= _kept_fields(facts)
        if facts.relative is not None:  # moves with every edit, so entries are written again where it is asked for
            fields |= {":position": float(chunk.index), ":relative_position": facts.relative}
            fields |= {":total_chunks": float(chunk.total)}
    return {**found, "meta": {**base["meta"], **fields}} if fields else found


def _kept_fields(facts: Facts) -> dict[str, MetaValue]:
    values: dict[str, MetaValue | None] = {
        "modality": facts.modality,
        "strategy": facts.strategy,
        "density": facts.density,
        "self_containedness": facts.self_contained,
        "boundary": facts.boundary,
        "distinct": facts.distinct,
        "summary": facts.summary or None,
        "recipe": facts.recipe,
    }
    if facts.images is not None:
        values["images"] = tuple(dict.fromkeys(image.uri for image in facts.images))
    if facts.entities is not None:
        types = {entity.text: entity.type for entity in reversed(facts.entities)}
        names = tuple(dict.fromkeys(entity.text for entity in facts.entities))
        values |= {"entities": names, "entity_types": tuple(types[name] for name in names)}
    if facts.code is not None:
        values |= {
            "symbol": facts.code.name,
            "symbols": facts.code.symbols,
            "complexity": float(facts.code.complexity),
            "signature": facts.code.signature or None,
            "docstring": facts.code.docstring or None,
            "calls": facts.code.calls,
        }
    if facts.links is not None:
        pairs = tuple(dict.fromkeys((link.kind, link.target) for link in facts.links))
        values |= {"links": tuple(target for _, target in pairs), "link_kinds": tuple(kind for kind, _ in pairs)}
    kept = {DERIVED_FIELDS[name]: value for name, value in values.items() if value is not None}
    # The name under which indexes kept them before they had types.
    return {**kept, "entities": kept[":entities"]} if ":entities" in kept else kept


def _section(base: _Base, group: _Group, document: Document, prose: Prose, tokenizer: Tokenizer) -> Entry:
    """A section is searched by its headings and its summary; its text is in its chunks."""
    summary = summarize(prose.read(group.span), SECTION, tokenizer.count, wanted=4, about=group.path)
    headings = " > ".join(group.path or (document.title,))
    text = f"{headings}\n\n{summary}" if headings else summary
    whole = document.text[group.span.start : group.span.end]
    return Entry(
        id=group.id,
        level=group.level,
        parent=group.parent,
        kind="section",
        path=group.path,
        text=text,
        lead=len(text) - len(summary),
        tail=0,
        tokens=tokenizer.count(text),
        content_hash=content_hash(whole),
        sketch=text_sketch(summary),
        summary=summary,
        **_on_page(base, document, group.span),
    )


def _on_page(base: _Base, document: Document, span: Span) -> _Base:
    """With the page or slide that a span starts on, where a document has some."""
    place = document.place_of(span) if document.anchors is not None else {}
    several = place.get("pages") or place.get("slides") or []
    page = place.get("page", place.get("slide", several[0] if several else None))
    return base if page is None else {**base, "meta": {**base["meta"], DERIVED_FIELDS["page"]: float(page)}}


def _groups(document: Document, chunks: Sequence[Chunk]) -> list[_Group]:
    """The sections worth an entry: they hold two chunks or more, and not the same as the section around them."""
    if len(chunks) < 2:
        return []
    starts, ends = [c.start for c in chunks], [c.end for c in chunks]
    nodes = outline(document)
    titles = {node.id: node for node in nodes}
    kept: list[_Group] = []
    stack = [_Group(Namer(document.id).name("document"), (), Span(starts[0], ends[-1]), first=0, last=len(chunks))]
    kept.append(stack[0])
    for node in nodes:
        first, last = bisect_left(starts, node.span.start), bisect_right(ends, node.span.end)
        while len(stack) > 1 and stack[-1].last <= first:
            stack.pop()
        around = stack[-1]
        if last - first < 2 or (first, last) == (around.first, around.last) or last > around.last:
            continue
        group = _Group(node.id, _path(node, titles), Span(starts[first], ends[last - 1]), first=first, last=last)
        stack.append(replace(group, parent=around.id))
        kept.append(stack[-1])
    return _set_levels(kept)


def _path(node: Node, nodes: dict[str, Node]) -> tuple[str, ...]:
    titles: list[str] = []
    while True:
        titles.append(node.title)
        if not node.parent:
            return tuple(reversed(titles))
        node = nodes[node.parent]


def _set_levels(groups: Sequence[_Group]) -> list[_Group]:
    """Each section one level above the highest inside it; inner ones come later in the list."""
    height: dict[str, int] = {}
    for group in reversed(groups):
        level = height.setdefault(group.id, 1)
        height[group.parent] = max(height.get(group.parent, 1), level + 1)
    return [replace(group, level=height[group.id]) for group in groups]


def _parents(groups: Sequence[_Group], total: int) -> list[str]:
    """Per chunk, the innermost section that holds it: the last in pre-order that does."""
    parents = [""] * total
    for group in groups:
        parents[group.first : group.last] = [group.id] * (group.last - group.first)
    return parents
