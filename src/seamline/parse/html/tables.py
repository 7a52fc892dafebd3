"""Tables of HTML as rows of equal columns under one header.

A cell that spans columns stands in the first of them. One that spans rows is repeated in each, so that a row can be
read alone. Rows of headers become one, in which a header that spans columns is repeated over each. Columns in which no
cell begins are left out, so that what a span claims costs nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from seamline.parse.html.tags import inline_text

if TYPE_CHECKING:
    from turbohtml import Element

_NO_DATA = "table,h1,h2,h3,h4,h5,h6,pre"
"""What a cell of data seldom holds: a table around it mostly lays out a page."""
_ROOMY = 500
"""Characters of a cell on average above which a table without headers lays out a page."""
_WIDEST = 1000
"""Columns that a cell may span, as browsers have it."""
_REPEATED = 200
"""A longer cell is not repeated in the rows it spans."""
_SPARE = 10_000
_HEADER_ROWS = 5
_LONGEST_HEADER = 800
"""Characters of a header: a longer one cannot stand above every part of a table that has to be cut."""


Cell = tuple[str, str | None, str | None, bool]
"""A cell as the page has it: its text, what it says of the columns and rows it spans, and whether it is a header."""
Group = tuple[bool, Sequence[Sequence[Cell]]]
"""Rows that a part of a table holds, and whether that is its head."""


class _Cell(NamedTuple):
    text: str
    first: int
    """Column it begins in."""
    last: int
    is_header: bool
    is_own: bool = True
    """False where it comes down from a row above."""


@dataclass(slots=True)
class HtmlGrid:
    """The rows of a table, as the page has them."""

    rows: list[list[_Cell]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Which of the rows of the page each is, from 0."""
    heads: int = 0
    """Rows at the top that a `thead` holds."""
    is_cut: bool = False
    """Whether cells claim to span more than there is."""


class HtmlTable(NamedTuple):
    """What is written of a table."""

    titles: list[tuple[str, int]]
    """Rows at the top that one cell fills: what the table is about; rows are told by their numbers, from 0."""
    rows: list[list[str]]
    """The header first; all of one width."""
    origins: list[list[int]]
    """The rows of the page that each row comes from; none where a header had to be made up."""
    is_cut: bool
    is_ragged: bool
    """Whether rows differ so much in length that they cannot be written under each other."""


def is_layout(table: Element) -> bool:
    """Whether a table only puts things side by side: its cells are blocks of the page then."""
    if table.attr("role") in ("presentation", "none"):
        return True
    if table.select_one(_NO_DATA) is not None and not _is_headed_or_regular(table):
        return True
    cells = len(table.select("td,th"))
    if cells <= 1:
        return True
    return len(table.text) > _ROOMY * cells and table.select_one("th,caption") is None


def _is_headed_or_regular(table: Element) -> bool:
    """Whether a table is one of data although its cells hold headings, code or tables: it has headers of its own, or
    rows of as many cells each, none of which holds a table or a large heading."""
    rows = [[cell for cell in _elements(row) if cell.tag in ("td", "th")] for _, rows in _groups(table) for row in rows]
    if any(part.tag in ("thead", "caption") for part in _elements(table)):
        return True
    if rows and rows[0] and len(rows) > 1 and all(cell.tag == "th" for cell in rows[0]):
        return True
    widths = {len(row) for row in rows}
    return len(rows) > 1 and len(widths) == 1 and widths.pop() > 1 and table.select_one("table,h1,h2") is None


def read_rows(table: Element) -> tuple[list[Element], list[Group]]:
    """The rows of a table, all of them and by its parts."""
    elements: list[Element] = []
    groups: list[Group] = []
    for is_head, rows in _groups(table):
        elements += rows
        groups.append((is_head, [_cells(row) for row in rows]))
    return elements, groups


def read_table(groups: Iterable[Group]) -> HtmlTable:
    """A table of data."""
    grid = _grid(groups)
    titles = []
    while len(grid.rows) > 1 and (title := _title(grid)):
        titles.append((title, grid.numbers.pop(0)))
        grid.rows.pop(0)
        grid.heads = max(grid.heads - 1, 0)
    columns = sorted({cell.first for row in grid.rows for cell in row})
    cells = sum(map(len, grid.rows))
    ragged = len(columns) * len(grid.rows) > 8 * cells + _SPARE
    heads = _count_header_rows(grid)
    if sum(len(cell.text) for row in grid.rows[:heads] for cell in row) > _LONGEST_HEADER:
        heads = 0
    if ragged:
        rows = [[cell.text for cell in row] for row in grid.rows]
        return HtmlTable(titles, rows, [[number] for number in grid.numbers], grid.is_cut, True)
    rows = [_header(grid.rows[:heads], columns), *(_row(row, columns) for row in grid.rows[heads:])]
    origins = [grid.numbers[:heads], *([number] for number in grid.numbers[heads:])]
    return HtmlTable(titles, rows, origins, grid.is_cut, False)


def _title(grid: HtmlGrid) -> str:
    """The text of the first row, where one cell fills it and others are below."""
    own = [cell for cell in grid.rows[0] if cell.text]
    width = max((cell.last for row in grid.rows[1:_HEADER_ROWS] for cell in row), default=0)
    is_title = len(own) == 1 and own[0].first == 0 and own[0].last >= width > 0
    return own[0].text if is_title else ""


def _count_header_rows(grid: HtmlGrid) -> int:
    """How many rows at the top are headers: those in a `thead`, else those of header cells, else the first.

    None where the first cell of each row is its header: the first row is then one like the others.
    """
    rows = grid.rows
    if grid.heads:
        return min(grid.heads, _HEADER_ROWS, max(len(rows) - 1, 1))
    heads = 0
    while heads < min(len(rows) - 1, _HEADER_ROWS) and all(cell.is_header for cell in rows[heads] if cell.text):
        heads += 1
    while heads and not all(cell.is_own for cell in rows[heads]):
        heads -= 1  # one of its cells spans rows of data: it heads rows, not columns
    if heads:
        return heads
    led = [row for row in rows[:_HEADER_ROWS] if row and row[0].is_header and not all(cell.is_header for cell in row)]
    return 0 if rows and len(led) == len(rows[:_HEADER_ROWS]) else min(len(rows), 1)


def _header(rows: Sequence[Sequence[_Cell]], columns: list[int]) -> list[str]:
    """One header from all rows of headers: over each column the texts above it, each once."""
    above: list[list[str]] = [[] for _ in columns]
    for row in rows:
        for cell in row:
            first = bisect_left(columns, cell.first)
            last = bisect_right(columns, cell.last) if len(rows) > 1 else first + 1
            for texts in above[first:last]:
                if cell.text and cell.text not in texts:
                    texts.append(cell.text)
    return [" ".join(texts) for texts in above]


def _row(row: Sequence[_Cell], columns: list[int]) -> list[str]:
    out = [""] * len(columns)
    for cell in row:
        out[bisect_left(columns, cell.first)] = cell.text
    return out


# --- the page's own rows ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Down:
    """A cell that goes on in the rows below."""

    cell: _Cell
    rows: int


@dataclass(slots=True)
class _Spans:
    """What goes on in the rows below, within what the cells that are there can pay for."""

    going: list[_Down] = field(default_factory=list)
    paid: int = _SPARE
    is_cut: bool = False

    def above(self) -> list[_Cell]:
        """The cells that come down into a row."""
        cells = [down.cell for down in self.going]
        for down in self.going:
            down.rows -= 1
        self.going = [down for down in self.going if down.rows > 0]
        self.paid -= sum(1 + len(cell.text) for cell in cells)
        if self.paid < 0 and self.going:
            self.going, self.is_cut = [], True
        return cells

    def add(self, cell: _Cell, rows: int) -> None:
        self.paid += 1 + len(cell.text)
        if rows > 1:
            text = cell.text if len(cell.text) <= _REPEATED else ""
            self.going.append(_Down(cell._replace(text=text, is_own=False), rows - 1))


def _grid(groups: Iterable[Group]) -> HtmlGrid:
    grid = HtmlGrid()
    spans = _Spans()
    number = 0
    for is_head, rows in groups:
        spans.going = []  # no cell spans rows of two groups
        for row in rows:
            cells = _place_cells(row, spans)
            if any(cell.is_own for cell in cells):
                grid.rows.append(cells)
                grid.numbers.append(number)
                grid.heads += is_head and grid.heads == len(grid.rows) - 1
            number += 1
    grid.is_cut = spans.is_cut
    return grid


def _place_cells(row: Sequence[Cell], spans: _Spans) -> list[_Cell]:
    """The cells of a row, those that come down from above among them, from left to right."""
    above = sorted(spans.above(), key=lambda cell: cell.first)
    out: list[_Cell] = []
    column = upper = 0
    for text, columns, rows, is_header in row:
        while upper < len(above) and above[upper].first <= column:
            column = max(column, above[upper].last + 1)
            out.append(above[upper])
            upper += 1
        width = _span(columns, 1)
        cell = _Cell(text, column, column + width - 1, is_header)
        out.append(cell)
        column += width
        if (height := _span(rows, _WIDEST)) != 1:
            spans.add(cell, height)
        else:
            spans.paid += 1 + len(text)
    return out + above[upper:]


def _span(told: str | None, none: int) -> int:
    """How many columns or rows a cell claims; 0 rows are all that follow in its group."""
    if not told or not told.strip().isdecimal():
        return 1
    count = int(told.strip()[:6])
    return min(count, _WIDEST) if count else none


def _groups(table: Element) -> Iterator[tuple[bool, list[Element]]]:
    """The rows of each part of a table; a `tfoot` stands where the page has it."""
    for part in _elements(table):
        if part.tag in ("thead", "tbody", "tfoot"):
            yield part.tag == "thead", [row for row in _elements(part) if row.tag == "tr"]
        elif part.tag == "tr":
            yield False, [part]


def _cells(row: Element) -> list[Cell]:
    return [
        (inline_text(element), element.attr("colspan"), element.attr("rowspan"), element.tag == "th")
        for element in _elements(row)
        if element.tag in ("td", "th")
    ]


def _elements(node: Element) -> list[Element]:
    from turbohtml import Element

    return [child for child in node.children if type(child) is Element]
