"""The sentences of a document's prose, found once and asked for by span."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable

from seamline.enrich.summary import Sentence, read_sentence
from seamline.types import Document, Span

Starts = Callable[[str, int, int], list[int]]
"""Where the sentences of a range of a text start; together they tile it."""

_MARKER = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_VISIBLE = re.compile(r"\S")


class Prose:
    """Sentences of paragraphs and items; code, tables and headings say nothing a summary could quote."""

    def __init__(self, document: Document, starts: Starts) -> None:
        self._text = document.text
        self._find = starts
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._read: dict[int, Sentence] = {}
        loose = {b.parent for b in document.blocks if b.kind == "paragraph"}
        for index, block in enumerate(document.blocks):
            if block.kind == "paragraph" or (block.kind == "item" and index not in loose):
                self._add(words_from(document, index), words_to(document, index))

    def _add(self, start: int, end: int) -> None:
        starts = self._find(self._text, start, end)
        self._starts += starts
        self._ends += [*starts[1:], end] if starts else []

    def read(self, span: Span) -> list[Sentence]:
        """Those that stand wholly in a span, each read once."""
        found = self._inside(span)
        for i in found:
            if i not in self._read:
                self._read[i] = read_sentence(self._text[self._starts[i] : self._ends[i]])
        return [self._read[i] for i in found]

    def whole(self, span: Span) -> list[Span]:
        """Where those stand that are wholly in a span."""
        return [Span(self._starts[i], self._ends[i]) for i in self._inside(span)]

    def touched(self, span: Span) -> list[Span]:
        """Where those stand that have a part in a span; cut off at its ends."""
        first, last = bisect_right(self._ends, span.start), bisect_left(self._starts, span.end)
        return [Span(max(self._starts[i], span.start), min(self._ends[i], span.end)) for i in range(first, last)]

    def splits(self, offset: int) -> bool:
        """Whether a cut at an offset goes through a sentence."""
        at = bisect_left(self._starts, offset) - 1
        if at < 0 or self._ends[at] <= offset:
            return False
        before = _VISIBLE.search(self._text, self._starts[at], offset)
        return before is not None and _VISIBLE.search(self._text, offset, self._ends[at]) is not None

    def _inside(self, span: Span) -> range:
        return range(bisect_left(self._starts, span.start), bisect_right(self._ends, span.end))


def words_from(document: Document, index: int) -> int:
    """Where the words of a block start: after the marker, for an item."""
    block = document.blocks[index]
    marker = _MARKER.match(document.text, block.start, block.end) if block.kind == "item" else None
    return marker.end() if marker else block.start


def words_to(document: Document, index: int) -> int:
    """Where a block's own words end: an item may hold more blocks."""
    inner = index + 1
    if inner < len(document.blocks) and document.blocks[inner].parent == index:
        return max(document.blocks[inner].start, words_from(document, index))
    return document.blocks[index].end
