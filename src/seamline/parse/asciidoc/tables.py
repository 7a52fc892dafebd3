"""Tables of AsciiDoc: which cells make a row. A row may be one line, or as many as its cells need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from seamline.parse.asciidoc.lines import BlockLead
from seamline.parse.source_lines import SourceLines
from seamline.text.lines import trimmed

_BAR = re.compile(r"(?<!\\)\|")
_SPEC = re.compile(r"(?:([0-9]{1,4})?(?:\.([0-9]{1,4}))?([*+]))?(?:[<^>]?(?:\.[<^>])?)[a-z]?\Z")
_LONGEST_SPEC = 16
_MOST = 1_000
"""Columns; a table that declares more has these."""


class AsciidocTable(NamedTuple):
    """The rows of a table."""

    rows: list[tuple[int, int]]
    """Their spans."""
    has_header: bool


class _Cell(NamedTuple):
    start: int
    """Of its bar, or of what says how it spans."""
    columns: int
    rows: int
    times: int
    """How often it stands in the table."""


def read_table(lines: SourceLines, opening: int, after: int, lead: BlockLead) -> AsciidocTable:
    """The table between the line that opens it and the line `after` it that closes it, or ends what it is in."""
    first = lines.after_blank(opening + 1)
    if first >= after:
        return AsciidocTable([], False)
    is_followed_by_blank = first == opening + 1 and lines.is_blank(first + 1) and first + 1 < after
    has_header = lead.has_option("header") or (is_followed_by_blank and not lead.has_option("noheader"))
    if lines.body(opening)[0] in ",:" or lead.named("format") in ("csv", "tsv", "dsv"):
        rows = [(lines.start[top], lines.end[last]) for top, last in lines.rows_of_values(first, after)]
        return AsciidocTable(rows, has_header and len(rows) > 1)
    end = lines.end[lines.last_text(first, after)]
    cells = list(_cells(lines, first, end))
    width = _declared(lead.named("cols")) or sum(
        cell.columns * cell.times for cell in cells if cell.start < lines.end[first]
    )
    starts = [cell.start for cell in _row_starts(cells, max(1, min(width, _MOST)))]
    rows = [(start, trimmed(lines.text, start, stop)) for start, stop in pairwise([*starts, end])]
    return AsciidocTable(rows, has_header and len(rows) > 1)


def _declared(cols: str) -> int:
    """How many columns `cols` declares; 0 where it says nothing."""
    if cols.strip().isdecimal() and len(cols) < 5:
        return int(cols)
    count = 0
    for one in cols.replace(";", ",").split(",") if cols.strip() else ():
        found = re.match(r"\s*([0-9]{1,4})\*", one)
        count += int(found[1]) if found else 1
    return count


def _cells(lines: SourceLines, first: int, end: int) -> Iterator[_Cell]:
    text = lines.text
    number = first
    for bar in _BAR.finditer(text, lines.start[first], end):
        while number + 1 < len(lines) and lines.start[number + 1] <= bar.start():
            number += 1
        begin = max(lines.start[number], bar.start() - _LONGEST_SPEC)
        before = text[begin : bar.start()]
        word = before[max(before.rfind(" "), before.rfind("\t")) + 1 :]
        spec = _SPEC.match(word)
        start = bar.start() - len(word) if spec else bar.start()
        if not text[lines.start[number] : start].strip():
            start = lines.start[number]
        columns = rows = count = 1
        if spec and spec[3] == "*":
            count = int(spec[1] or 1)
        elif spec and spec[3] == "+":
            columns, rows = int(spec[1] or 1), int(spec[2] or 1)
        yield _Cell(start, max(1, min(columns, _MOST)), max(1, rows), max(1, min(count, _MOST)))


def _row_starts(cells: list[_Cell], width: int) -> Iterator[_Cell]:
    """The first cell of each row. A cell that reaches down takes its columns from the rows below it."""
    ends: dict[int, int] = {}
    """Per number of a row, the columns that cells above no longer take from it."""
    row = filled = taken = reaching = 0
    has_cell = False
    for cell in cells:
        is_told = False
        for _ in range(cell.times):
            while filled >= width:
                taken, reaching = taken + reaching, 0
                row = row + 1 if taken - ends.get(row + 1, 0) < width or not ends else min(ends)
                taken -= ends.pop(row, 0)
                filled, has_cell = taken, False
            if not has_cell and not is_told:
                yield cell
                is_told = True
            has_cell = True
            filled += cell.columns
            if cell.rows > 1:
                reaching += cell.columns
                ends[row + cell.rows] = ends.get(row + cell.rows, 0) + cell.columns
