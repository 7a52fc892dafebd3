"""The cells of a sheet -> tables: where one ends and the next begins, its header, what is written above it, its rows.

Work is done column by column: the cells of a column are mostly of one type, and a table has far fewer columns than
cells, so that most steps run at the speed of the interpreter's own loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import accumulate, groupby, islice
from typing import Any, NamedTuple

from seamline.parse.builder import DocumentBuilder, join_cells

Value = str | float | bool | datetime | date | time | timedelta
_FEW = 4
"""Where each value stands in a column this many times, each is written once."""


class TableLines(NamedTuple):
    """Rows between bars, each on a line."""

    text: str
    ends: list[int]
    """Where each ends in the text."""


def write_rows(rows: list[list[Any]], width: int, room: int) -> TableLines:
    """Rows of cells, as many as fit into `room` characters."""
    columns = [_texts(column) for column in zip(*rows, strict=True)]
    kept = len(rows)
    if sum(sum(map(len, column)) for column in columns) + (3 * width + 2) * kept > room:
        kept = _fitting(columns, room)
    lines = [f"| {line} |" for line in join_cells(list(islice(zip(*columns, strict=True), kept)), width)]
    return TableLines("\n".join(lines), list(accumulate((1 + len(line) for line in lines), initial=-1))[1:])


def _fitting(columns: Sequence[Sequence[str]], room: int) -> int:
    """How many rows fit."""
    for index, row in enumerate(zip(*columns, strict=True)):
        room -= sum(map(len, row)) + 3 * len(columns) + 2
        if room < 0:
            return index
    return len(columns[0]) if columns else 0


def _texts(column: tuple[Any, ...]) -> Sequence[str]:
    """The cells of a column as text."""
    types = set(map(type, column))
    if types == {str}:
        return column
    if len(types) == 1:
        write = _WRITE.get(types.pop(), format_value)
        values = set(column)
        if len(values) * _FEW < len(column):
            return list(map({value: write(value) for value in values}.__getitem__, column))
        return list(map(write, column))
    return [value if type(value) is str else format_value(value) for value in column]


def format_value(value: Any) -> str:
    """A value as text: numbers without noise and exponents that nobody wrote, dates as ISO writes them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    return value.isoformat() if isinstance(value, date | time) else str(value)


_WRITE: Mapping[type, Callable[[Any], str]] = {float: "{:.15g}".format, date: date.isoformat}
"""Ways to write a whole column of one type, faster than asking each cell what it is."""


_REPEATED = 80
"""Characters of a merged cell that are said again in each row it reaches into."""
_MOST_FILLED = 200_000
_DEEPEST = 4
"""Times that a part of a sheet is split again: by rows, by columns, and so on."""
_THIN = 20
"""A box with more cells than this times those that hold something is no table."""
_LONGEST_HEADER = 4_000
"""Characters; a longer first row is no header, and stands under the letters of the columns."""
_NOTE = 40
"""Characters of a last row of one cell, from which it is a remark under the table."""


@dataclass(slots=True)
class SheetGrid:
    """Cells between a first and a last row and column; empty ones are empty strings."""

    top: int
    """Number of the first row, from 0."""
    left: int
    rows: list[list[Any]]
    merged: Sequence[tuple[int, int, int, int]] = field(default=())
    """First row and column, last row and column of merged cells, in the sheet."""

    def part(self, top: int, bottom: int, left: int, right: int) -> SheetGrid:
        rows = self.rows[top:bottom]
        if left > 0 or right < len(self.rows[0]):
            rows = [row[left:right] for row in rows]
        return SheetGrid(self.top + top, self.left + left, rows, self.merged)


def group_neighbours(found: Mapping[int, Mapping[int, Value]]) -> Iterator[SheetGrid]:
    """Cells by row and column, both from 1, as boxes of rows and columns that stand side by side."""
    for rows in _runs(sorted(found)):
        columns = sorted({column for row in rows for column in found[row]})
        held = sum(len(found[row]) for row in rows)
        groups = [rows] if len(rows) * len(columns) <= _THIN * held else [[row] for row in rows]
        for group in groups:
            used = columns if group is rows else sorted(found[group[0]])
            for run in _runs(used):
                cells = [[found[row].get(column, "") for column in run] for row in group]
                yield SheetGrid(group[0] - 1, run[0] - 1, cells)


def _runs(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Ascending numbers, those that follow each other together."""
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        yield [number for _, number in group]


def write_grid(builder: DocumentBuilder, sheet: str, grid: SheetGrid, most: int) -> int:
    """Write the tables of a grid. Returns how many rows were left out because the text would pass `most` characters."""
    left = 0
    for one in _join_parts(list(_tables(grid))):
        left += _Table(one, sheet).write(builder, most)
    return left


# --- where tables are -----------------------------------------------------------------------------------------------


def _tables(grid: SheetGrid) -> Iterator[SheetGrid]:
    """The parts of a grid that empty rows and columns set apart, from top to bottom."""
    stack = [(grid, 0)]
    while stack:
        part, depth = stack.pop()
        pieces = _bands(part) if depth % 2 == 0 else _strips(part)
        if depth > 0 and len(pieces) == 1:
            yield pieces[0]
        elif depth >= _DEEPEST:
            yield from pieces
        else:
            stack.extend((piece, depth + 1) for piece in reversed(pieces))


def _bands(grid: SheetGrid) -> list[SheetGrid]:
    """Parts between empty rows; also where the columns in use have nothing to do with those of the row before."""
    width = len(grid.rows[0])
    bands: list[SheetGrid] = []
    start: int | None = None
    before = (0, 0)
    for index, row in enumerate(grid.rows):
        extent = (0, width) if row[0] != "" and row[-1] != "" else _extent(row)
        if extent is None:
            if start is not None:
                bands.append(grid.part(start, index, 0, width))
            start = None
            continue
        if start is not None and (extent[1] <= before[0] or before[1] <= extent[0]):
            bands.append(grid.part(start, index, 0, width))
            start = index
        start = index if start is None else start
        before = extent
    if start is not None:
        bands.append(grid.part(start, len(grid.rows), 0, width))
    return bands


def _extent(row: Sequence[Any]) -> tuple[int, int] | None:
    """The first column of a row that holds something, and one past the last."""
    used = [index for index, value in enumerate(row) if value != ""]
    return (used[0], used[-1] + 1) if used else None


def _strips(grid: SheetGrid) -> list[SheetGrid]:
    """Parts between empty columns."""
    used = [index for index in range(len(grid.rows[0])) if any(row[index] != "" for row in grid.rows)]
    return [grid.part(0, len(grid.rows), run[0], run[-1] + 1) for run in _runs(used)]


def _join_parts(parts: list[SheetGrid]) -> list[SheetGrid]:
    """Parts in order; one with the columns of the part above it, and without a header of its own, is its rest."""
    out: list[SheetGrid] = []
    for part in parts:
        above = out[-1] if out else None
        if above is not None and _goes_on(above, part):
            gap = part.top - above.top - len(above.rows)
            width = len(above.rows[0])
            above.rows += [[""] * width for _ in range(gap)] + part.rows
        else:
            out.append(part)
    return out


def _goes_on(above: SheetGrid, below: SheetGrid) -> bool:
    if (above.left, len(above.rows[0])) != (below.left, len(below.rows[0])) or len(above.rows) < 2:
        return False
    gap = below.top - above.top - len(above.rows)
    return 0 <= gap <= 1 and len(below.rows[0]) > 1 and not _is_header(below.rows[0], below.rows[1:3])


def _is_header(row: Sequence[Any], body: Sequence[Sequence[Any]]) -> bool:
    """Whether a row names columns: texts only, over values of which some are none."""
    if not all(isinstance(value, str) for value in row) or "" in row:
        return False
    return not body or any(not isinstance(value, str) for value in body[0])


# --- one table ------------------------------------------------------------------------------------------------------


class _Table:
    """A part of a sheet that is one table, with what stands above and below it."""

    def __init__(self, grid: SheetGrid, sheet: str) -> None:
        self._sheet = sheet
        self._top = grid.top
        self._left = grid.left
        self._rows = grid.rows
        self._width = len(grid.rows[0])
        if grid.merged:
            self._fill(grid.merged)

    def write(self, builder: DocumentBuilder, most: int) -> int:
        """Write it, as far as `most` characters allow; returns how many rows are left out."""
        first = self._titles(builder)
        last = len(self._rows)
        while last > first + 2 and self._is_remark(self._rows[last - 1]):
            last -= 1
        rows = self._rows[first:last]
        if self._width == 1 and len(rows) <= 2:
            for index, row in enumerate(rows, first):
                self._line(builder, row, index)
            rows = []
        left = self._lay(builder, rows, first, most) if rows else 0
        for index in range(last, len(self._rows)):
            self._line(builder, self._rows[index], index)
        return left

    def _place(self, index: int) -> dict[str, Any]:
        return {"sheet": self._sheet, "row": self._top + index + 1}

    def _line(self, builder: DocumentBuilder, row: Sequence[Any], index: int) -> None:
        builder.paragraph(" ".join(text for value in row if (text := format_value(value))), self._place(index))

    def _titles(self, builder: DocumentBuilder) -> int:
        """Rows of one text above a table, as paragraphs."""
        first = 0
        while self._width > 1 and first < len(self._rows) - 1:
            held = [value for value in self._rows[first] if value != ""]
            if len(held) > 1 or not all(isinstance(value, str) for value in held):
                break
            if held:
                self._line(builder, self._rows[first], first)
            first += 1
        return first

    def _is_remark(self, row: Sequence[Any]) -> bool:
        held = [value for value in row if value != ""]
        return self._width > 1 and len(held) == 1 and isinstance(held[0], str) and len(held[0]) > _NOTE

    def _lay(self, builder: DocumentBuilder, rows: list[list[Any]], first: int, most: int) -> int:
        header, used = self._header(rows)
        lines = write_rows(rows[used:], self._width, most - builder.length)
        kept = len(lines.ends)
        start = self._top + first + 1
        sheet = self._sheet
        places = [{"sheet": sheet, "row": number} for number in (start, *range(start + used, start + used + kept))]
        builder.table_of_lines(header, lines.text, lines.ends, places)
        return len(rows) - used - kept

    def _header(self, rows: list[list[Any]]) -> tuple[list[str], int]:
        """The names of the columns, and how many rows they take: two where cells of the first are merged, none where
        it holds values only."""
        row = rows[0]
        texts = [value for value in row if isinstance(value, str) and value != ""]
        if not texts or sum(map(len, texts)) > _LONGEST_HEADER:
            return [_letters(self._left + index) for index in range(self._width)], 0
        names = [format_value(value) for value in row]
        wide = self._wide.get(self._top + len(self._rows) - len(rows)) if self._wide else None
        if wide and len(rows) > 1 and all(isinstance(value, str) for value in rows[1]):
            for left, right in wide:
                names[left:right] = [names[left]] * (right - left)
            below = [format_value(value) for value in rows[1]]
            return [" ".join(dict.fromkeys(pair)).strip() for pair in zip(names, below, strict=True)], 2
        return names, 1

    _wide: Mapping[int, list[tuple[int, int]]] = {}

    def _fill(self, merged: Sequence[tuple[int, int, int, int]]) -> None:
        """Say short text of merged cells in each of their rows; note those that are wide."""
        wide: dict[int, list[tuple[int, int]]] = {}
        spent = 0
        height = len(self._rows)
        for top, left, bottom, right in merged:
            row, column = top - self._top, left - self._left
            if not (0 <= row < height and 0 <= column < self._width):
                continue
            if right > left and bottom == top:
                wide.setdefault(top, []).append((column, min(right - self._left + 1, self._width)))
            value = self._rows[row][column]
            end = min(bottom - self._top + 1, height)
            spent += max(end - row - 1, 0)
            if bottom > top and len(str(value)) <= _REPEATED and spent <= _MOST_FILLED:
                for index in range(row + 1, end):
                    if self._rows[index][column] == "":
                        self._rows[index][column] = value
        self._wide = wide


def _letters(column: int) -> str:
    """What a sheet calls a column, from 0."""
    out = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        out = chr(65 + rest) + out
    return out


CELL = 32_767
"""Characters of a cell that spreadsheet programs hold."""


class CutText(NamedTuple):
    """What was cut off."""

    cells: int
    characters: int

    @property
    def message(self) -> str:
        cells = "a cell holds" if self.cells == 1 else f"{self.cells:,} cells hold"
        return f"{cells} more than {CELL:,} characters: {self.characters:,} were cut off"


def cut_long_texts(grids: Sequence[SheetGrid]) -> CutText | None:
    """Cut the texts of cells to what a cell holds, in place; what was cut, if anything."""
    cells = characters = 0
    for grid in grids:
        for row in grid.rows:
            for column, value in enumerate(row):
                if type(value) is str and len(value) > CELL:
                    cells += 1
                    characters += len(value) - CELL
                    row[column] = value[:CELL]
    return CutText(cells, characters) if cells else None
