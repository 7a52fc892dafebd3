"""The hierarchy modes: what is searched, and how much of a document is shown around what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from seamline.filters import All, Any, Filter, Test
from seamline.hits import Hit
from seamline.records import ABOUT, Entry, Place
from seamline.retrieve.passages import joined
from seamline.retrieve.shelf import Shelf

Mode = Literal["leaf", "parents", "summary-first", "multi-level"]

SHARE = 0.5
"""The part of a section's characters that must have been hit for the whole of it to be shown."""
WIDEST = 6000
"""Code points of the longest section that is shown whole: about 1,500 tokens."""

SECTIONS: Filter = All((Test("level", ">=", 1.0), Test("level", "<", float(ABOUT))))
"""Lets through sections alone."""


def to_parents(hits: Sequence[Hit], shelf: Shelf, *, share: float = SHARE, widest: int = WIDEST) -> list[Hit]:
    """Hits that together make up enough of a section become that section, as good as the best of them.

    A section that took the place of its chunks counts towards the one around it.
    """
    held = list(hits)
    while (wider := _one_wider(held, shelf, share, widest)) is not None:
        held = wider
    return held


def _one_wider(hits: Sequence[Hit], shelf: Shelf, share: float, widest: int) -> list[Hit] | None:
    """The hits after the first section that deserves it took the place of its own; None where none does."""
    for hit in hits:
        span = _span(hit)
        section = shelf.layout(hit.entry.doc).around(*span)
        if section is None or section.end - section.start > widest:
            continue
        inside = [n for n, other in enumerate(hits) if other.entry.doc == hit.entry.doc and _within(other, section)]
        if sum(_length(hits[n]) for n in inside) >= share * (section.end - section.start):
            whole = as_section(hits[inside[0]], section, shelf)
            return [whole if n == inside[0] else one for n, one in enumerate(hits) if n not in inside[1:]]
    return None


def as_section(hit: Hit, section: Place, shelf: Shelf) -> Hit:
    """The hit with the whole of a section to read: an exact slice, under the headings above it."""
    doc = hit.entry.doc
    wide = joined(hit, [place.id for place in shelf.layout(doc).inside(section.start, section.end)], shelf)
    return replace(wide, citations=(shelf.slice(doc, section),), why=replace(hit.why, expanded="section"))


def _span(hit: Hit) -> tuple[int, int]:
    return hit.citations[0].start, hit.citations[-1].end


def _length(hit: Hit) -> int:
    start, end = _span(hit)
    return end - start


def _within(hit: Hit, section: Place) -> bool:
    start, end = _span(hit)
    return section.start <= start and end <= section.end


def inside(sections: Sequence[Entry], shelf: Shelf) -> Filter:
    """Lets through the chunks of these sections and of those within them, and chunks that no section holds."""
    ids: dict[str, None] = {}
    for section in sections:
        layout = shelf.layout(section.doc)
        around = layout.by_id[section.id]
        ids.update({s.id: None for s in layout.sections if around.start <= s.start and s.end <= around.end})
    return Any((Test("parent", "=", ""), Test("parent", "in", tuple(ids))))


def both(left: Filter | None, right: Filter) -> Filter:
    """Lets through what both let through."""
    return right if left is None else All((left, right))


def levelled(hits: Sequence[Hit], shelf: Shelf, *, widest: int = WIDEST) -> list[Hit]:
    """Hits of all levels without repetition: a section is shown whole where it is small enough, else by its summary;
    what overlaps a better hit is left out."""
    kept: list[Hit] = []
    for hit in hits:
        shown = _whole(hit, shelf, widest)
        if not any(_overlaps(shown, other) for other in kept):
            kept.append(shown)
    return kept


def _whole(hit: Hit, shelf: Shelf, widest: int) -> Hit:
    place = shelf.place(hit.entry)
    return as_section(hit, place, shelf) if hit.entry.level > 0 and place.end - place.start <= widest else hit


def _overlaps(one: Hit, other: Hit) -> bool:
    (start, end), (first, last) = _span(one), _span(other)
    return one.entry.doc == other.entry.doc and start < last and first < end
