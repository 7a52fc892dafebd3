"""Values of a sheet as text, and rows of them as lines of a table.

Work is done column by column: the cells of a column are mostly of one type, so that most steps run at the speed of the
interpreter's own loops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import accumulate, islice
from typing import Any, NamedTuple

from seamline.parse.builder import join_cells

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
