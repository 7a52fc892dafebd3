"""Document and recipe -> all that the page shows, as plain JSON values.

Offsets of the page count UTF-16 units, as strings of a browser do; all else of Seamline counts code points.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TypedDict

from seamline.api.explain import CutReport, explain, explain_gap, report_cuts
from seamline.api.recipes import Recipe
from seamline.api.search import place_text
from seamline.inspector.settings import RecipeSettings, settings_of_recipe
from seamline.text.content import has_content
from seamline.types import Chunk, Document

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class InspectedContext(TypedDict):
    """What a chunk borrows."""

    role: str
    start: int
    end: int
    added: str


class InspectedChunk(TypedDict):
    """A chunk as the page shows it."""

    id: str
    start: int
    end: int
    tokens: int
    path: list[str]
    kind: str
    seam: str
    level: int
    parent: str
    children: list[str]
    place: str
    """In words, such as `p. 3` or `lines 4-9`."""
    boxes: list[list[float]]
    """Page, left, top, right and bottom of each part, where the source has pages."""
    context: list[InspectedContext]
    closing: str
    why: list[str]
    content: bool
    """Whether it has content of its own."""
    hash: str


class InspectedGap(TypedDict):
    """A place where the document could be cut, and why it is or is not."""

    at: int
    seam: str
    score: float
    state: str
    """cut, forced, forbidden or open."""
    why: str


class InspectedDocument(TypedDict):
    """A document, cut."""

    name: str
    title: str
    media_type: str
    text: str
    strategy: str
    reasons: list[str]
    settings: RecipeSettings
    fingerprint: str
    chunks: list[InspectedChunk]
    """Those of level 0, which tile the text; then those of the levels above."""
    gaps: list[InspectedGap]
    duplicates: list[list[int]]
    """Indices of chunks that say the same."""
    notices: list[str]


class Utf16:
    """Code points to UTF-16 units."""

    def __init__(self, text: str) -> None:
        self._astral = [] if text.isascii() else [found.start() for found in _ASTRAL.finditer(text)]

    def at(self, offset: int) -> int:
        return offset + bisect_left(self._astral, offset) if self._astral else offset


def inspect_document(document: Document, recipe: Recipe) -> InspectedDocument:
    """Cut a document, and tell all that is known of its chunks and gaps."""
    report = report_cuts(document, recipe)
    units = Utf16(document.text)
    return {
        "name": document.id,
        "title": document.title,
        "media_type": document.source.media_type,
        "text": document.text,
        "strategy": report.recipe.strategy,
        "reasons": list(report.reasons),
        "settings": settings_of_recipe(recipe),
        "fingerprint": report.recipe.fingerprint,
        "chunks": [_chunk(chunk, report.recipe, units) for chunk in sorted(report.chunks, key=lambda c: c.level > 0)],
        "gaps": _gaps(report, units),
        "duplicates": _duplicates(report.chunks),
        "notices": [notice.message for notice in report.notices],
    }


def _chunk(chunk: Chunk, recipe: Recipe, units: Utf16) -> InspectedChunk:
    place = chunk.place
    return {
        "id": chunk.id,
        "start": units.at(chunk.start),
        "end": units.at(chunk.end),
        "tokens": chunk.tokens,
        "path": list(chunk.path),
        "kind": chunk.kind,
        "seam": chunk.seam,
        "level": chunk.level,
        "parent": chunk.parent,
        "children": list(chunk.children),
        "place": place_words(place),
        "boxes": [list(box) for box in place.get("boxes", ())],
        "context": [
            {"role": c.role, "start": units.at(c.start), "end": units.at(c.end), "added": c.added}
            for c in chunk.context
        ],
        "closing": chunk.closing,
        "why": explain(chunk, recipe),
        "content": has_content(chunk.render("body"), chunk.kind),
        "hash": chunk.content_hash,
    }


def place_words(place: Mapping[str, object]) -> str:
    """Where a chunk stands, such as `p. 3` or `lines 4-9`."""
    words = place_text(place).strip()
    if not words.startswith(":"):
        return words
    return f"line{'s' * ('-' in words)} {words[1:]}"


def _gaps(report: CutReport, units: Utf16) -> list[InspectedGap]:
    leaves = [chunk for chunk in report.chunks if not chunk.level]
    starts = [chunk.start for chunk in leaves]
    by_start = {chunk.start: chunk for chunk in leaves}
    sums = list(accumulate((gap.tokens for gap in report.gaps), initial=0))
    offsets = [gap.offset for gap in report.gaps]
    out: list[InspectedGap] = []
    for index, gap in enumerate(report.gaps):
        cut = by_start.get(gap.offset)
        if cut is not None:
            state, why = "forced" if gap.forced else "cut", explain(cut, report.recipe)[0]
        else:
            around = bisect_right(starts, gap.offset) - 1
            first = bisect_left(offsets, starts[around]) if around >= 0 else 0
            last = bisect_left(offsets, starts[around + 1]) if around + 1 < len(starts) else len(offsets)
            why = explain_gap(gap, sums[index] - sums[first], sums[last] - sums[index], report.recipe)
            state = "forbidden" if gap.forbidden else "open"
        out.append(
            {"at": units.at(gap.offset), "seam": gap.seam, "score": round(gap.score, 3), "state": state, "why": why}
        )
    return out


def _duplicates(chunks: Sequence[Chunk]) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for index, chunk in enumerate(chunk for chunk in chunks if not chunk.level):
        groups.setdefault(chunk.content_hash, []).append(index)
    return [group for group in groups.values() if len(group) > 1]
