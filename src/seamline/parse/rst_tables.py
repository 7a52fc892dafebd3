"""Tables of reStructuredText: where they end, their rows, and where their header does."""

from __future__ import annotations

import re
from typing import NamedTuple

from seamline.parse.rst_lines import GRID_BORDER, SIMPLE_BORDER, Lines

_CELL = re.compile(r"=+")
_SPANS = re.compile(r"-[- \t]*+\Z")


class Found(NamedTuple):
    """A table."""

    after: int
    """The number of the line after it."""
    rows: list[tuple[int, int]]
    """First line and the line after the last, of each row."""
    header: int
    """The line up to which a part is put under it: the last of the header, else of what opens the table."""
    is_sound: bool
    """Whether its lines agree with each other."""


def grid(lines: Lines, first: int, at: int, column: int) -> Found:
    """A table of drawn cells that starts at `at`, to the first line that is none of it."""
    after = first + 1
    while after < len(lines) and lines.indent[after] == column and lines.text[lines.at[after]] in "+|":
        after += 1
    rows: list[tuple[int, int]] = []
    header = first
    widths = {lines.end[first] - at}
    begin = -1
    for number in range(first + 1, after):
        if not GRID_BORDER.match(lines.text, lines.at[number], lines.end[number]):
            begin = number if begin < 0 else begin
            continue
        widths.add(lines.end[number] - lines.at[number])
        if begin >= 0:
            rows.append((begin, number))
        begin = -1
        if "=" in lines.body(number) and header == first:
            header = number
    if begin >= 0:
        rows.append((begin, after))
    return Found(after, rows, header, begin < 0 and len(widths) == 1 and bool(rows))


def simple(lines: Lines, first: int, at: int, column: int) -> Found | None:
    """A table between lines of equals signs that starts at `at`; None where its end is missing."""
    borders: list[int] = []
    number = first + 1
    while number < len(lines) and (lines.indent[number] < 0 or lines.indent[number] >= column):
        if lines.indent[number] == column and SIMPLE_BORDER.match(lines.text, lines.at[number], lines.end[number]):
            borders.append(number)
            if len(borders) == 2 or lines.is_blank(number + 1):
                break
        number += 1
    if not borders:
        return None
    cell = _CELL.match(lines.text, at)
    edge = (cell.end() if cell else at) - lines.start[first]
    header = borders[0] if len(borders) == 2 else first
    last = borders[-1]
    rows: list[list[int]] = []
    for number in range(first + 1, last):
        if number in borders or lines.indent[number] < 0:
            continue
        starts = lines.at[number] - lines.start[number] < edge
        spans = _SPANS.match(lines.text, lines.at[number], lines.end[number])
        if (starts and not spans) or not rows or rows[-1][1] <= header < number:
            rows.append([number, number + 1])
        else:
            rows[-1][1] = number + 1
    return Found(last + 1, [(begin, end) for begin, end in rows], header, bool(rows))
