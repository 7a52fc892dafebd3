"""Tables that are too large: by rows under a repeated header, and rows that are too wide by groups of columns,
each under its own names. Markdown tables, separated values, and tables of other formats under whatever stands
at their head."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from seamline.cut.atoms import Atom, Frame, context_text
from seamline.cut.split.ladder import Count, Room, by_words
from seamline.text.graphemes import is_boundary
from seamline.text.lines import line_start, next_line, trimmed
from seamline.types import NO_DETAIL, Block, Context, Dialect

_BAR = re.compile(r"(?<!\\)\|")


class MarkdownTable(NamedTuple):
    """A table's text and where its header lines end."""

    text: str
    start: int
    """Start of the header row's line."""
    header: int
    """Start of the header row, after any list or quote marker."""
    separator: int
    """Start of the line under it."""
    body: int
    """Start of the first data row, or the end."""
    count: Count
    outer: Frame | None


def split_table(
    text: str, rows: Sequence[Block], start: int, end: int, room: Room, count: Count, outer: Frame | None
) -> list[Atom]:
    """Atoms of a table: its header with the first row, then row by row; empty where it is no table after all."""
    if len(rows) < 2:
        return []
    header_end = next_line(text, start, end)
    table = MarkdownTable(
        text, start, max(start, rows[0].start), header_end, next_line(text, header_end, end), count, outer
    )
    header_tokens = count(text[start : table.body])
    opening = Context("header", start, trimmed(text, start, table.body), "\n")
    frame = Frame("header", start, end, (opening,), "", header_tokens, 0, outer)
    atoms: list[Atom] = []
    starts = [line_start(text, row.start, start) for row in rows[1:]]
    ends = [*starts[1:], end]
    for at, until in zip(starts, ends, strict=True):
        tokens = count(text[at:until])
        if header_tokens + tokens <= room.tokens:
            atoms.append(Atom(at, until, tokens, "row", frame))
        else:
            atoms.extend(_wide_row(table, at, until, room))
    return _with_header(table, atoms, header_tokens, room)


def _with_header(table: MarkdownTable, atoms: list[Atom], header_tokens: int, room: Room) -> list[Atom]:
    """The header lines join the first row; where that is cut into columns, or they do not fit, they go alone."""
    first = atoms[0]
    if not first.alone and header_tokens + first.tokens <= room.tokens:
        first = first._replace(start=table.start, tokens=header_tokens + first.tokens, exact=False)
        return [first, *atoms[1:]]
    pieces = by_words(table.text, table.start, table.body, room, table.count, "row")
    return [Atom(p.start, p.end, p.tokens, p.seam, table.outer, alone=True) for p in pieces] + atoms


# --- rows that are too wide --------------------------------------------------------------------------------------


def _wide_row(table: MarkdownTable, start: int, end: int, room: Room) -> list[Atom]:
    """A row in groups of columns, each under its own header cells and beside the row's first cell."""
    heads = _cells(table.text, table.header, table.separator)
    cells = _cells(table.text, start, end)
    atoms: list[Atom] = []
    at = 0
    while at < len(cells):
        until, lead = _group(table, heads, cells, at, room)
        stop = cells[until][0] if until < len(cells) else end
        begin = cells[at][0] if at else start
        atoms.extend(_column_atoms(table, lead, begin, stop, room))
        at = until
    return atoms


def _group(
    table: MarkdownTable, heads: list[tuple[int, int]], cells: list[tuple[int, int]], at: int, room: Room
) -> tuple[int, tuple[Context, ...]]:
    """How many columns from `at` fit together, and what they borrow."""

    def fits(until: int) -> bool:
        body = table.text[cells[at][0] : cells[until - 1][1]]
        header = table.count(context_text(table.text, _headed(table, heads, cells, at, until)))
        return header <= room.tokens // 2 and header + table.count(body) <= room.tokens

    until = widest(len(cells), at, fits)
    return until, _headed(table, heads, cells, at, until)


def _headed(
    table: MarkdownTable, heads: list[tuple[int, int]], cells: list[tuple[int, int]], at: int, until: int
) -> tuple[Context, ...]:
    """Header cells of columns [at, until), a separator, and the row's key cell."""
    low = min(at, len(heads) - 1)  # cells beyond the header's columns stand under its last
    high = max(low + 1, min(until, len(heads)))
    rule = "\n" + "|---" * (high - low + (at > 0)) + "|\n"
    columns = Context("header", heads[low][0], heads[high - 1][1], rule)
    if at == 0:
        return (columns,)
    return (
        Context("header", *heads[0], " "),
        columns,
        Context("key", *cells[0], " "),
    )


def _column_atoms(table: MarkdownTable, lead: tuple[Context, ...], start: int, end: int, room: Room) -> list[Atom]:
    """One atom for a group of columns, or several where one cell is too large by itself."""
    lead, cost = _affordable(table, lead, room)
    frame = Frame("header", -1, end, lead, "", cost, 0, table.outer)
    pieces = by_words(table.text, start, end, room.less(cost), table.count, "row")
    return [Atom(p.start, p.end, p.tokens, p.seam, frame, alone=True) for p in pieces]


def _affordable(table: MarkdownTable, lead: tuple[Context, ...], room: Room) -> tuple[tuple[Context, ...], int]:
    """What a group borrows, within half of the room: first the key goes, then all header cells but the first."""
    columns = next(c for c in lead if c.added.startswith("\n"))
    if len(lead) > 1:
        columns = columns._replace(added=columns.added.replace("|---", "", 1))  # without the key's column
    first = _BAR.search(table.text, columns.start + 1, columns.end)
    narrow = columns._replace(end=first.end() if first else columns.end, added="\n|---|\n")
    for option in (lead, (columns,), (narrow,)):
        cost = table.count(context_text(table.text, option))
        if cost <= room.tokens // 2:
            return option, cost
    return (), 0


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of a row's cells, each with the bar before the first and after every one."""
    end = trimmed(text, start, end)
    bars = [m.start() for m in _BAR.finditer(text, start, end)]
    lead = start
    while lead < end and text[lead] in " \t>":
        lead += 1
    inner = [b for b in bars if b > lead]
    cuts = [b + 1 for b in inner if b + 1 < end]
    starts = [lead, *cuts]
    ends = [*cuts, end]
    return _join_cells(text, list(zip(starts, ends, strict=True)))


def _join_cells(text: str, cells: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cells, of which two are one where accents on the delimiter would start the second."""
    out: list[tuple[int, int]] = []
    for start, end in cells:
        if out and start == out[-1][1] and not is_boundary(text, start):
            out[-1] = out[-1][0], end
        else:
            out.append((start, end))
    return out


LEAST = 4
"""Tokens that what must be closed leaves to the text in it."""


MORE = " ...\n"
"""After a header that is not all of it."""
_WORD = re.compile(r"\S+")


class _Borrowed(NamedTuple):
    """What parts of a table are put between."""

    frame: Frame | None
    room: int
    """Tokens that parts may have without it."""
    closing: int
    """Tokens of its close."""
    tokens: int
    """All its tokens."""


def split_rows(
    text: str, rows: Sequence[Block], table: TableShape, room: Room, count: Count, outer: Frame | None, most: int
) -> list[Atom]:
    """Atoms of a table: its head with the first row, then row by row; empty where it has no rows under a head.

    `room` is what frames around the table leave, `most` what there is without them.
    """
    body = [row for row in rows if row.start >= table.header_end]
    if not body:
        return []
    wide = WideRows.of(text, rows, table, room, count, outer)
    first = rows[0] if wide is None and rows[0].start < table.header_end else None
    head = _borrowed(text, table, first, body, room.tokens, count, outer, most)
    if wide is not None and head.frame is outer:
        return [*wide.head(body[0].start), *(atom for row in wide.spans(body) for atom in wide.row(*row))]
    starts = [table.start, *(row.start for row in body[1:])]
    ends = [*starts[1:], table.end]
    atoms: list[Atom] = []
    for at, until in zip(starts, ends, strict=True):
        own = head.room - (head.tokens if at > table.start else head.closing)
        tokens = count(text[at:until])
        if tokens <= own:
            atoms.append(Atom(at, until, tokens, "row", head.frame))
        elif wide is not None:
            if at == table.start:
                atoms += wide.head(body[0].start)
                at = body[0].start
            atoms += wide.row(at, until)
        else:
            words = Room(head.room, room.cluster).less(head.tokens)
            pieces = by_words(text, at, until, words, count, "row")
            atoms += [Atom(piece.start, piece.end, piece.tokens, piece.seam, head.frame) for piece in pieces]
    return atoms


def _borrowed(
    text: str,
    table: TableShape,
    first: Block | None,
    body: Sequence[Block],
    room: int,
    count: Count,
    outer: Frame | None,
    most: int,
) -> _Borrowed:
    """What is put above every part: the whole head where it leaves half of the room, or all that a row needs; else its
    `first` row, or as much of that as there is room for. What must be closed is opened, whatever it costs; frames
    around it give way first."""
    close = count(table.close) if table.close else 0
    until = min(table.header_end, body[0].start)

    def ways() -> Iterator[tuple[int, int, Frame | None, int, int]]:
        """Start and end of what is repeated, the frame around it, the room there is, and how much of it is allowed."""
        yield table.start, until, outer, room, room // 2
        start = table.start if close or first is None else first.start
        spaces = ((outer, room), (None, most)) if close else ((outer, room),)
        if first is not None:
            largest = max(count(text[row.start : row.end]) for row in body)
            for around, space in spaces:
                allowed = max(space // 2, min(space * 3 // 4, space - largest - LEAST))
                yield start, until, around, space, allowed
                yield start, first.end, around, space, allowed
                yield start, _words(text, start, first, allowed - close, count), around, space, allowed
            for around, space in spaces:
                allowed = space * 3 // 4
                yield start, _words(text, start, first, allowed - close, count), around, space, allowed
        if close:
            yield table.start, table.opening_end, outer, room, room * 3 // 4
            yield table.start, table.opening_end, None, most, most - LEAST

    for start, end, around, space, allowed in ways():
        end = trimmed(text, start, end)
        if end <= start:
            continue
        opening = _opening(text, start, end, first)
        head = count(context_text(text, opening))
        if head + close <= allowed:
            frame = Frame("header", table.start, table.end, opening, table.close, head, close, around)
            return _Borrowed(frame, space, close, head + close)
    return _Borrowed(outer, room, 0, 0)


def _opening(text: str, start: int, end: int, first: Block | None) -> tuple[Context, ...]:
    """The contexts of a head. Where its first row is cut short, that is one of its own, and says so."""
    if first is None or not first.start < end < trimmed(text, first.start, first.end):
        return (Context("header", start, end, "\n"),)
    before = trimmed(text, start, first.start) if start < first.start else start
    part = Context("header", first.start, end, MORE)
    return (Context("header", start, before, "\n"), part) if before > start else (part,)


def _words(text: str, start: int, row: Block, most: int, count: Count) -> int:
    """Where the words of a row end that fit in so many tokens with what stands before it; `start` where none does."""
    ends = [found.end() for found in _WORD.finditer(text, row.start, row.end)]

    def fits(words: int) -> bool:
        return count(text[start : ends[words - 1]] + MORE) <= most

    return ends[widest(len(ends), 0, fits) - 1] if ends and fits(1) else start


class TableShape(NamedTuple):
    """The extent of a table and of its head."""

    start: int
    end: int
    opening_end: int
    """Where ends what opens the table, such as `\\begin{tabular}{ll}`; its start where nothing does."""
    header_end: int
    """Where the head ends that parts are put under; the start where there is none."""
    close: str
    """What ends a part that is not the last."""


def widest(cells: int, at: int, fits: Callable[[int], bool]) -> int:
    """Where a group of columns ends that starts at `at`: as far as it `fits`, one column at least. Steps are doubled
    until one is too far, then single: rows may have very many cells."""
    until, step = at + 1, 1
    while until < cells:
        more = min(cells, until + step)
        if fits(more):
            until = more
            step *= 2
        elif step == 1:
            break
        else:
            step = 1
    return until


Cells = list[tuple[int, int]]


class WideRows:
    """Splits rows of separated cells into groups of columns, each under its own names and beside the row's first
    cell."""

    def __init__(self, text: str, header: Block, dialect: Dialect, table: TableShape, room: Room, count: Count) -> None:
        self._text = text
        self._table = table
        self._room = room
        self._count = count
        mark, part = re.escape(dialect.quote), re.escape(dialect.delimiter)
        quoted = rf" *+{mark}[^{mark}]*+(?:{mark}{mark}[^{mark}]*+)*+{mark} *+(?![^{part}\r\n])"
        self._cell = re.compile(rf"(?:{quoted}|[^{part}]++)?+{part}?+", re.DOTALL)
        self._heads = self._cells(header.start, header.end)
        self.outer: Frame | None = None

    @classmethod
    def of(
        cls, text: str, rows: Sequence[Block], table: TableShape, room: Room, count: Count, outer: Frame | None
    ) -> WideRows | None:
        """None where the first row does not say how its cells are parted."""
        dialect = (rows[0].detail or NO_DETAIL).dialect
        if table.header_end <= table.start or dialect is None:
            return None
        wide = cls(text, rows[0], dialect, table, room, count)
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
            header = self._count(context_text(self._text, self._lead(cells, at, until)))
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
        room = self._room.less(cost)
        pieces = by_words(self._text, start, end, room, self._count, "row")
        return [Atom(p.start, p.end, p.tokens, p.seam, frame, alone=True) for p in pieces]

    def _affordable(self, lead: tuple[Context, ...]) -> tuple[tuple[Context, ...], int]:
        """What a group borrows, within half of the room: first the key goes, then the names."""
        for option in (lead, tuple(c for c in lead if c.added)):
            cost = self._count(context_text(self._text, option))
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
        return _join_cells(self._text, out)
