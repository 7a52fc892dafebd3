"""How much of a document is shown around what was found: sections by the mode of a search, neighbours of borderline
hits where the answer goes on in them, and what stands around a small chunk under its headings, to be read with it.
Chunks side by side become one exact slice of the document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import takewhile
from typing import Literal

from seamline.errors import ConfigError
from seamline.filters.tree import All, Any, Filter, Test
from seamline.records import ABOUT, Entry, EntryPlace
from seamline.search.documents import DocumentCache, neighbours
from seamline.search.hits import Citation, Hit, Shadow
from seamline.text.words import query_words, words

Mode = Literal["leaf", "parents", "summary-first", "multi-level"]

SHARE = 0.5
"""The part of a section's characters that must have been hit for the whole of it to be shown."""
WIDEST = 6000
"""Code points of the longest section that is shown whole: about 1,500 tokens."""

WHOLE = 512
"""Tokens up to which a chunk is shown with what stands around it under the same headings."""
_REACH = 3
"""Chunks to either side that are looked at for that."""

SECTIONS: Filter = All((Test("level", ">=", 1.0), Test("level", "<", float(ABOUT))))
"""Lets through sections alone."""


def to_parents(
    hits: Sequence[Hit], documents: DocumentCache, *, share: float = SHARE, widest: int = WIDEST
) -> list[Hit]:
    """Hits that together make up enough of a section become that section, as good as the best of them.

    A section that took the place of its chunks counts towards the one around it.
    """
    held = list(hits)
    while (wider := _one_wider(held, documents, share, widest)) is not None:
        held = wider
    return held


def _one_wider(hits: Sequence[Hit], documents: DocumentCache, share: float, widest: int) -> list[Hit] | None:
    """The hits after the first section that deserves it took the place of its own; None where none does."""
    for hit in hits:
        if hit.entry.level == ABOUT:  # what it was made from is shown by nobody
            continue
        span = _span(hit)
        section = documents.layout(hit.entry.doc).around(*span)
        if section is None or section.end - section.start > widest:
            continue
        inside = [n for n, other in enumerate(hits) if other.entry.doc == hit.entry.doc and _within(other, section)]
        if sum(_length(hits[n]) for n in inside) >= share * (section.end - section.start):
            whole = as_section(hits[inside[0]], section, documents)
            return [whole if n == inside[0] else one for n, one in enumerate(hits) if n not in inside[1:]]
    return None


def as_section(hit: Hit, section: EntryPlace, documents: DocumentCache) -> Hit:
    """The hit with the whole of a section to read: an exact slice, under the headings above it."""
    doc = hit.entry.doc
    wide = join_chunks(hit, [place.id for place in documents.layout(doc).inside(section.start, section.end)], documents)
    return replace(wide, citations=(documents.slice(doc, section),), why=replace(hit.why, expanded="section"))


def _span(hit: Hit) -> tuple[int, int]:
    return hit.citations[0].start, hit.citations[-1].end


def _length(hit: Hit) -> int:
    start, end = _span(hit)
    return end - start


def _within(hit: Hit, section: EntryPlace) -> bool:
    start, end = _span(hit)
    return hit.entry.level < ABOUT and section.start <= start and end <= section.end


def inside(sections: Sequence[Entry], documents: DocumentCache) -> Filter:
    """Lets through the chunks of these sections and of those within them, and chunks that no section holds."""
    ids: dict[str, None] = {}
    for section in sections:
        layout = documents.layout(section.doc)
        around = layout.by_id[section.id]
        ids.update({s.id: None for s in layout.sections if around.start <= s.start and s.end <= around.end})
    return Any((Test("parent", "=", ""), Test("parent", "in", tuple(ids))))


def both(left: Filter | None, right: Filter) -> Filter:
    """Lets through what both let through."""
    return right if left is None else All((left, right))


def merge_levels(hits: Sequence[Hit], documents: DocumentCache, *, widest: int = WIDEST) -> list[Hit]:
    """Hits of all levels without repetition: a section is shown whole where it is small enough, else by its summary;
    what overlaps a better hit is left out."""
    kept: list[Hit] = []
    for hit in hits:
        shown = _whole(hit, documents, widest)
        if not any(_overlaps(shown, other) for other in kept):
            kept.append(shown)
    return kept


def _whole(hit: Hit, documents: DocumentCache, widest: int) -> Hit:
    place = documents.place(hit.entry)
    is_section = 0 < hit.entry.level < ABOUT
    return as_section(hit, place, documents) if is_section and place.end - place.start <= widest else hit


def _overlaps(one: Hit, other: Hit) -> bool:
    if ABOUT in (one.entry.level, other.entry.level):
        return False
    (start, end), (first, last) = _span(one), _span(other)
    return one.entry.doc == other.entry.doc and start < last and first < end


def join_chunks(hit: Hit, ids: Sequence[str], documents: DocumentCache) -> Hit:
    """The hit widened to a run of neighbouring chunks, its own among them."""
    documents.keep({hit.entry.id: hit.entry})
    citations = cite_run(hit.entry.doc, ids, documents)
    return replace(hit, ids=tuple(ids), citations=citations, text=run_text(citations, documents))


def cite_run(doc: str, ids: Sequence[str], documents: DocumentCache) -> tuple[Citation, ...]:
    """A citation for each of these chunks of a document."""
    return tuple(documents.slice(doc, documents.layout(doc).by_id[id]) for id in ids)


def run_text(run: Sequence[Citation], documents: DocumentCache) -> str:
    """Neighbouring chunks as one text: their slice of the document, with what the first one borrows before it and
    what the last one adds after it."""
    first, last = run[0], run[-1]
    ends = documents.entries({first.id, last.id})
    quote = first.quote if first is last else documents.text(first.doc)[first.start : last.end]
    head, foot = ends[first.id], ends[last.id]
    return head.text[: head.lead] + quote + foot.text[len(foot.text) - foot.tail :]


def without_covered(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, in their order, without those whose chunks better ones show already."""
    shown: set[str] = set()
    kept = []
    for hit in hits:
        ids = hit.ids or (hit.entry.id,)
        if not shown.issuperset(ids):
            kept.append(hit)
            shown.update(ids)
    return kept


def read_whole(hits: Sequence[Hit], documents: DocumentCache, room: int = WHOLE) -> list[Hit]:
    """The hits, each with as many chunks around it to read as `room` tokens hold, none of which is under other headings
    or shown by another hit. What is cited stays what was found. Hits that were widened already stay as they are."""
    shown = {id for hit in hits for id in hit.ids}
    around = {hit.entry.id: _around(hit, documents) for hit in hits if hit.entry.level == 0 and not hit.why.expanded}
    entries = documents.entries(id for after, before in around.values() for id in (*after, *before))
    out = []
    for hit in hits:
        left = room - hit.entry.tokens
        run = list(hit.ids)
        for side, at_end in zip(around.get(hit.entry.id, ()), (True, False), strict=False):
            for id in side:
                if id in shown or id not in entries or entries[id].tokens > left:
                    break
                left -= entries[id].tokens
                shown.add(id)
                run.insert(len(run) if at_end else 0, id)
        if len(run) > len(hit.ids):
            wide = join_chunks(hit, run, documents)
            hit = replace(wide, citations=hit.citations, why=replace(hit.why, expanded="text"))
        out.append(hit)
    return out


def _around(hit: Hit, documents: DocumentCache) -> tuple[list[str], list[str]]:
    """The chunks after a hit and those before it, the nearest first, as far as they have the same headings."""
    layout = documents.layout(hit.entry.doc)
    number = layout.number(layout.by_id[hit.entry.id])
    after = layout.chunks[number + 1 : number + 1 + _REACH]
    before = reversed(layout.chunks[max(0, number - _REACH) : number])
    of_section = partial(takewhile, lambda place: place.path == layout.chunks[number].path)
    return [place.id for place in of_section(after)], [place.id for place in of_section(before)]


@dataclass(frozen=True, slots=True)
class Gate:
    """Which hits are borderline, and what convinces."""

    floor: float = 0.2
    """Cosine similarity below which a hit is not worth a second look."""
    confidence: float = 0.6
    """Cosine similarity from which on a hit stands for itself."""
    match: float = 0.2
    """The share of the query's words that a shadow must add for its neighbour to come along. At 0.2 every third
    neighbour taken along holds a part of the answer, where one in twenty would by chance."""

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= self.confidence <= 1:
            raise ConfigError(
                f"expected 0 <= floor <= confidence <= 1, got {self.floor} and {self.confidence}", "$.search.shadows"
            )
        if not 0 < self.match <= 1:
            raise ConfigError(f"expected 0 < match <= 1, got {self.match}", "$.search.shadows.match")

    def borderline(self, hit: Hit) -> bool:
        """Whether a hit is above the floor and below the confidence gate. One without a cosine is."""
        return hit.why.dense is None or self.floor <= hit.why.dense.score < self.confidence


def second_look(hits: Sequence[Hit], query: str, documents: DocumentCache, gate: Gate) -> list[Hit]:
    """The hits, each borderline one widened by the neighbour whose shadow matches; what that covers is left out."""
    wanted = frozenset(query_words(query))
    return without_covered([_widen(hit, wanted, documents, gate) if gate.borderline(hit) else hit for hit in hits])


def _widen(hit: Hit, wanted: frozenset[str], documents: DocumentCache, gate: Gate) -> Hit:
    if hit.entry.level > 0 or not wanted:
        return hit
    best = max(_shadows(hit, wanted), key=lambda shadow: shadow.score, default=None)
    neighbour = _neighbour(hit, best.side, documents) if best and best.score >= gate.match else None
    if best is None or neighbour is None:
        return hit
    wide = join_chunks(hit, [neighbour.id, *hit.ids] if best.side == "before" else [*hit.ids, neighbour.id], documents)
    return replace(wide, why=replace(hit.why, shadow=best, expanded=best.side))


def _shadows(hit: Hit, wanted: frozenset[str]) -> Iterator[Shadow]:
    """How much of the query each shadow has and the text has not. Shadows are short, so they are read first."""
    found = {"before": wanted & _shadow_words(hit.entry.before), "after": wanted & _shadow_words(hit.entry.after)}
    held = frozenset(words(hit.entry.text)) if any(found.values()) else frozenset()
    for side, said in found.items():
        yield Shadow(side, len(said - held) / len(wanted))


@lru_cache(4096)
def _shadow_words(shadow: str) -> frozenset[str]:
    """The words of a shadow: some kilobytes, and half the time of a second look."""
    return frozenset(words(shadow))


def _neighbour(hit: Hit, side: str, documents: DocumentCache) -> EntryPlace | None:
    layout = documents.layout(hit.entry.doc)
    before, after = neighbours(layout.chunks, layout.number(layout.by_id[hit.entry.id]))
    return before if side == "before" else after
