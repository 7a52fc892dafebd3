"""From words of a chunk to the chunk they speak of: a figure, a table, a section; and from tables to their text.

A wrong link is worse than none: where two things have one number, words that name it point at neither.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from seamline.enrich.link_targets import Targets
from seamline.enrich.link_words import neighbours, pointers
from seamline.facts import Link
from seamline.tables.read import Table, tables
from seamline.types import Block, Chunk, Document

_NAMES = 2
"""Columns that a paragraph beside a table names where it speaks of it."""
_SHORT = 3
_LONG = 5
"""Letters of a column's name that is looked for, and that one of them has: `id` is in many words."""
_ON_PAGE = 3
"""Figures or tables of a page above which standing on one page says little."""


def links(chunks: Sequence[Chunk]) -> dict[str, tuple[Link, ...]]:
    """Per id of a chunk, where its words point, in order; chunks without links are left out. Chunks may be of several
    documents; words never point from one to another."""
    by_document: dict[int, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        if chunk.level == 0:
            by_document[id(chunk.document)].append(chunk)
    out: dict[str, tuple[Link, ...]] = {}
    for some in by_document.values():
        out |= _Linker(some[0].document, some).links()
    return out


class _Linker:
    """Finds the links between the chunks of one document."""

    def __init__(self, document: Document, chunks: Sequence[Chunk]) -> None:
        self._document = document
        self._chunks = chunks
        self._starts = [chunk.start for chunk in chunks]
        self._targets = Targets(document)
        self._found: dict[int, dict[tuple[str, int], Link]] = defaultdict(dict)

    def links(self) -> dict[str, tuple[Link, ...]]:
        self._pointers()
        self._neighbours()
        self._named_columns()
        self._pages()
        ids = [chunk.id for chunk in self._chunks]
        return {
            ids[at]: tuple(sorted(found.values(), key=lambda link: link[2:]))
            for at, found in sorted(self._found.items())
        }

    def _at(self, offset: int) -> int:
        """The number of the chunk that holds a place, or of the next; -1 where there is none."""
        at = bisect_right(self._starts, offset) - 1
        if at >= 0 and self._chunks[at].end > offset:
            return at
        return at + 1 if at + 1 < len(self._chunks) else -1

    def _add(self, kind: str, start: int, end: int, target: int) -> bool:
        """A link from the words of a span, unless it points into their own chunk; the first of several counts."""
        source = self._at(start)
        if source < 0 or target < 0 or source == target:
            return False
        text = " ".join(self._document.text[start:end].split())
        self._found[source].setdefault((kind, target), Link(kind, text, start, end, self._chunks[target].id))
        return True

    # --- words that name something --------------------------------------------------------------------------------

    def _pointers(self) -> None:
        targets = self._targets
        for one in pointers(self._document):
            if one.start in targets.own:
                continue
            places = targets.named.get(one.name) if one.name else self._numbered(one.kind, one.number)
            chunks = {self._at(place) for place in places or ()}
            if not places or len(chunks) != 1:
                continue
            kind = one.kind or targets.kind_at(min(places))
            kind = "section" if kind == "appendix" else kind
            target = chunks.pop()
            if self._add(kind, one.start, one.end, target) and kind == "table":
                self._back(min(places), self._at(one.start))

    def _numbered(self, kind: str, number: str) -> set[int]:
        """Where a thing with a number is; part 3a of it where the thing itself is not cut into parts."""
        found = self._targets.numbered.get((kind, number))
        if found is None and number[-1:].isalpha() and len(number) > 1:
            found = self._targets.numbered.get((kind, number[:-1]))
        return found or set()

    def _back(self, place: int, target: int) -> None:
        """From a table to the text that names it: from its caption, where that is in the same chunk."""
        label = self._targets.labels.get(place)
        start, end = (label.start, label.end) if label else (place, place)
        if label is None or self._at(label.start) != self._at(place):
            start, end = place, self._line_end(place)
        self._add("discusses", start, end, target)

    def _line_end(self, start: int) -> int:
        text = self._document.text
        end = text.find("\n", start)
        return min(len(text) if end < 0 else end, start + 200)

    # --- neighbours -----------------------------------------------------------------------------------------------

    def _neighbours(self) -> None:
        """The table below, where there is one directly below."""
        document = self._document
        tops = [document.blocks[top] for top in document.tops]
        starts = [block.start for block in tops]
        for near in neighbours(document):
            at = bisect_right(starts, near.start) - 1
            beside = at + 1 if near.after else at - 1
            if at < 0 or tops[at].kind != "paragraph" or not 0 <= beside < len(tops) or tops[beside].kind != near.kind:
                continue
            place = tops[beside].start if near.after else tops[beside].end - 1
            kind = "listing" if near.kind == "code" else near.kind
            self._add(kind, near.start, near.end, self._at(place))

    def _named_columns(self) -> None:
        """A table and the paragraph before or after it that names columns of it."""
        document = self._document
        numbers = {top: position for position, top in enumerate(document.tops)}
        for table in tables(document):
            position = numbers.get(table.index)
            if position is None:
                continue
            for beside, edge in ((position - 1, table.span.start), (position + 1, table.span.end - 1)):
                if 0 <= beside < len(numbers):
                    self._discussed(table, edge, document.blocks[document.tops[beside]])

    def _discussed(self, table: Table, edge: int, block: Block) -> None:
        if block.kind != "paragraph" or block.start in self._targets.labels:
            return
        words = list(_columns_named(table, self._document.text[block.start : block.end]))
        if len(words) < _NAMES or max(end - start for start, end in words) < _LONG:
            return
        start, end = min(words)
        here = self._at(block.start + start)
        if self._add("discusses", block.start + start, block.start + end, self._at(edge)):
            row = (table.header or table.body)[0] if edge == table.span.start else table.body[-1]
            self._add("discusses", row.start, self._line_end(row.start), here)

    # --- pages ----------------------------------------------------------------------------------------------------

    def _pages(self) -> None:
        """Figures and tables that stand on one page."""
        if self._document.anchors is None:
            return
        shown: dict[int, dict[str, list[Block]]] = defaultdict(lambda: {"figure": [], "table": []})
        for block in self._document.blocks:
            if block.kind in ("figure", "table"):
                pages = self._page(block.start), self._page(block.end - 1)
                if pages[0] and pages[0] == pages[1]:
                    shown[pages[0]][block.kind].append(block)
        for found in shown.values():
            if len(found["figure"]) <= _ON_PAGE and len(found["table"]) <= _ON_PAGE:
                for figure in found["figure"]:
                    for table in found["table"]:
                        self._on_page(figure, table)

    def _page(self, offset: int) -> int:
        """The page a place is on; 0 where that is not known."""
        runs = self._document.anchors.touched(offset, offset + 1) if self._document.anchors is not None else ()
        return next((int(run.place["page"]) for run in runs if "page" in run.place), 0)

    def _on_page(self, figure: Block, table: Block) -> None:
        for one, other in ((figure, table), (table, figure)):
            label = self._targets.labels.get(one.start)
            inside = label is not None and self._at(label.start) == self._at(one.start)
            start, end = (label.start, label.end) if label and inside else (one.start, self._line_end(one.start))
            self._add("page", start, end, self._at(other.start))


def _columns_named(table: Table, text: str) -> Iterator[tuple[int, int]]:
    """Where the names of a table's columns stand in a text, each once."""
    for column in table.columns[:100]:
        name = column.name.strip("`*_ ")
        if len(name) >= _SHORT and not name.startswith("column ") and any(map(str.isalpha, name)):
            found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
            if found:
                yield found.span()
