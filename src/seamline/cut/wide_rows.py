"""Splitting rows of separated values that are too wide: in groups of columns, each under its names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from seamline.cut.atoms import Atom, Frame
from seamline.cut.draft import borrowed
from seamline.cut.headed import Headed, widest
from seamline.cut.ladder import Count, Room, by_words
from seamline.cut.lines import trimmed
from seamline.types import Block, Context

Cells = list[tuple[int, int]]


class WideRows:
    """Splits rows of separated cells into groups of columns, each under its own names and beside the row's first
    cell."""

    def __init__(
        self, text: str, header: Block, dialect: Mapping[str, Any], table: Headed, room: Room, count: Count
    ) -> None:
        self._text = text
        self._table = table
        self._room = room
        self._count = count
        mark, part = re.escape(dialect["quote"]), re.escape(dialect["delimiter"])
        quoted = rf" *+{mark}[^{mark}]*+(?:{mark}{mark}[^{mark}]*+)*+{mark} *+(?![^{part}\r\n])"
        self._cell = re.compile(rf"(?:{quoted}|[^{part}]++)?+{part}?+", re.DOTALL)
        self._heads = self._cells(header.start, header.end)
        self.outer: Frame | None = None

    @classmethod
    def of(
        cls, text: str, rows: Sequence[Block], table: Headed, room: Room, count: Count, outer: Frame | None
    ) -> WideRows | None:
        """None where the first row does not say how its cells are parted."""
        attrs = rows[0].attrs
        if table.header_end <= table.start or not attrs or "delimiter" not in attrs:
            return None
        wide = cls(text, rows[0], attrs, table, room, count)
        wide.outer = outer
        return wide

    def spans(self, rows: Sequence[Block]) -> Cells:
        starts = [row.start for row in rows]
        return list(zip(starts, [*starts[1:], self._table.end], strict=True))

    def head(self, end: int) -> list[Atom]:
        """The names of the columns by themselves."""
        pieces = by_words(self._text, self._table.start, end, self._room, self._count, "row")
        return [Atom(p.start, p.end, p.tokens, p.seam, self.outer, alone=True) for p in pieces]

    def row(self, start: int, end: int) -> list[Atom]:
        """A row in groups of columns."""
        cells = self._cells(start, end)
        atoms: list[Atom] = []
        at = 0
        while at < len(cells):
            until, lead = self._group(cells, at)
            stop = cells[until][0] if until < len(cells) else end
            atoms += self._parts(lead, cells[at][0], stop)
            at = until
        return atoms

    def _group(self, cells: Cells, at: int) -> tuple[int, tuple[Context, ...]]:
        """How many columns from `at` fit together, and what they borrow."""

        def fits(until: int) -> bool:
            header = self._count(borrowed(self._text, self._lead(cells, at, until)))
            body = self._count(self._text[cells[at][0] : cells[until - 1][1]])
            return header <= self._room.tokens // 2 and header + body <= self._room.tokens

        until = widest(len(cells), at, fits)
        return until, self._lead(cells, at, until)

    def _lead(self, cells: Cells, at: int, until: int) -> tuple[Context, ...]:
        """Names of the columns [at, until), and the row's first cell."""
        low = min(at, len(self._heads) - 1)  # cells beyond the names stand under the last
        high = max(low + 1, min(until, len(self._heads)))
        names = Context("header", self._heads[low][0], self._heads[high - 1][1], "\n")
        if at == 0:
            return (names,)
        return Context("header", *self._heads[0]), names, Context("key", *cells[0])

    def _parts(self, lead: tuple[Context, ...], start: int, end: int) -> list[Atom]:
        """One atom for a group of columns, or several where one cell is too large by itself."""
        lead, cost = self._affordable(lead)
        frame = Frame("header", -1, end, lead, "", cost, 0, self.outer)
        room = self._room._replace(tokens=self._room.tokens - cost)
        pieces = by_words(self._text, start, end, room, self._count, "row")
        return [Atom(p.start, p.end, p.tokens, p.seam, frame, alone=True) for p in pieces]

    def _affordable(self, lead: tuple[Context, ...]) -> tuple[tuple[Context, ...], int]:
        """What a group borrows, within half of the room: first the key goes, then the names."""
        for option in (lead, tuple(c for c in lead if c.added)):
            cost = self._count(borrowed(self._text, option))
            if cost <= self._room.tokens // 2:
                return option, cost
        return (), 0

    def _cells(self, start: int, end: int) -> Cells:
        """Spans of a row's cells, each with the delimiter after it."""
        end = trimmed(self._text, start, end)
        out: Cells = []
        while start < end and (found := self._cell.match(self._text, start, end)):
            out.append(found.span())
            if found.end() == start:
                break
            start = found.end()
        return out
