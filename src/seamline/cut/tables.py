"""Splitting tables: by rows under a repeated header, and rows that are too wide by groups of columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from seamline.cut.atoms import Atom, Frame
from seamline.cut.draft import borrowed
from seamline.cut.headed import widest
from seamline.cut.ladder import Count, Room, by_words
from seamline.cut.lines import line_start, next_line, trimmed
from seamline.types import Block, Context

_BAR = re.compile(r"(?<!\\)\|")


class Table(NamedTuple):
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
    table = Table(text, start, max(start, rows[0].start), header_end, next_line(text, header_end, end), count, outer)
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


def _with_header(table: Table, atoms: list[Atom], header_tokens: int, room: Room) -> list[Atom]:
    """The header lines join the first row; where that is cut into columns, or they do not fit, they go alone."""
    first = atoms[0]
    if not first.alone and header_tokens + first.tokens <= room.tokens:
        first = first._replace(start=table.start, tokens=header_tokens + first.tokens, exact=False)
        return [first, *atoms[1:]]
    pieces = by_words(table.text, table.start, table.body, room, table.count, "row")
    return [Atom(p.start, p.end, p.tokens, p.seam, table.outer, alone=True) for p in pieces] + atoms


# --- rows that are too wide --------------------------------------------------------------------------------------


def _wide_row(table: Table, start: int, end: int, room: Room) -> list[Atom]:
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
    table: Table, heads: list[tuple[int, int]], cells: list[tuple[int, int]], at: int, room: Room
) -> tuple[int, tuple[Context, ...]]:
    """How many columns from `at` fit together, and what they borrow."""

    def fits(until: int) -> bool:
        body = table.text[cells[at][0] : cells[until - 1][1]]
        header = table.count(borrowed(table.text, _headed(table, heads, cells, at, until)))
        return header <= room.tokens // 2 and header + table.count(body) <= room.tokens

    until = widest(len(cells), at, fits)
    return until, _headed(table, heads, cells, at, until)


def _headed(
    table: Table, heads: list[tuple[int, int]], cells: list[tuple[int, int]], at: int, until: int
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


def _column_atoms(table: Table, lead: tuple[Context, ...], start: int, end: int, room: Room) -> list[Atom]:
    """One atom for a group of columns, or several where one cell is too large by itself."""
    lead, cost = _affordable(table, lead, room)
    frame = Frame("header", -1, end, lead, "", cost, 0, table.outer)
    pieces = by_words(table.text, start, end, room._replace(tokens=room.tokens - cost), table.count, "row")
    return [Atom(p.start, p.end, p.tokens, p.seam, frame, alone=True) for p in pieces]


def _affordable(table: Table, lead: tuple[Context, ...], room: Room) -> tuple[tuple[Context, ...], int]:
    """What a group borrows, within half of the room: first the key goes, then all header cells but the first."""
    columns = next(c for c in lead if c.added.startswith("\n"))
    if len(lead) > 1:
        columns = columns._replace(added=columns.added.replace("|---", "", 1))  # without the key's column
    first = _BAR.search(table.text, columns.start + 1, columns.end)
    narrow = columns._replace(end=first.end() if first else columns.end, added="\n|---|\n")
    for option in (lead, (columns,), (narrow,)):
        cost = table.count(borrowed(table.text, option))
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
    return list(zip(starts, ends, strict=True))
