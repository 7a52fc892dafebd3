"""Sheets of OpenDocument files: their cells by row and column, repeats written out only as far as is sensible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from seamline.parse.office.odf.styles import get, name_of
from seamline.parse.office.ooxml import number
from seamline.parse.sheets.grid import SheetGrid, Value, group_neighbours

_MOST = 1 << 30
_REPEATED = 1_000
"""Times that a row or cell with content is written out; more are counted in a notice."""
_ROOMY = 4_000_000
_THIN = 20
_GROUPS = frozenset(["table:table-row-group", "table:table-header-rows", "table:table-rows", "table:named-expressions"])


def grids(table: Any, text: Callable[[Any], str], note: Callable[[str, str], None], room: int) -> list[SheetGrid]:
    """The cells of a sheet. `text` reads what a cell shows; `room` is the most characters of all cells."""
    found: dict[int, dict[int, Value]] = {}
    merged: list[tuple[int, int, int, int]] = []
    at = 1
    for row in _rows(table):
        times = number(get(row, "table:number-rows-repeated"), 1, _MOST, 1)
        cells = _cells(row, at, merged, text, note)
        if cells:
            size = sum(len(value) if isinstance(value, str) else 8 for value in cells.values())
            kept = min(times, _REPEATED, max(room // max(size, 1), 0))
            room -= kept * size
            if kept < times:
                note("cells-limit", f"{times - kept:,} rows are left out, as one row is repeated {times:,} times")
            for index in range(kept):
                found[at + index] = cells
        at += times
    return _box_cells(found, merged)


def _rows(table: Any) -> Iterator[Any]:
    stack = [iter(table)]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
        elif name_of(element) == "table:table-row":
            yield element
        elif name_of(element) in _GROUPS:
            stack.append(iter(element))


def _cells(
    row: Any,
    at_row: int,
    merged: list[tuple[int, int, int, int]],
    text: Callable[[Any], str],
    note: Callable[[str, str], None],
) -> dict[int, Value]:
    """The cells of a row that hold something, by column."""
    cells: dict[int, Value] = {}
    at = 1
    for cell in row:
        if name_of(cell) not in ("table:table-cell", "table:covered-table-cell"):
            continue
        times = number(get(cell, "table:number-columns-repeated"), 1, _MOST, 1)
        value = _value(cell, text)
        if value != "":
            kept = min(times, _REPEATED)
            if kept < times:
                note("cells-limit", f"{times - kept:,} cells are left out, as one is repeated {times:,} times")
            cells.update(dict.fromkeys(range(at, at + kept), value))
        wide = number(get(cell, "table:number-columns-spanned"), 1, _REPEATED, 1)
        high = number(get(cell, "table:number-rows-spanned"), 1, _REPEATED, 1)
        if (wide > 1 or high > 1) and len(merged) < 50_000:
            merged.append((at_row - 1, at - 1, at_row + high - 2, at + wide - 2))
        at += times
    return cells


def _value(cell: Any, text: Callable[[Any], str]) -> Value:
    kind = get(cell, "office:value-type")
    if kind in ("float", "currency", "percentage"):
        try:
            return float(get(cell, "office:value"))
        except ValueError:
            return text(cell)
    if kind == "date":
        return get(cell, "office:date-value").removesuffix("T00:00:00").replace("T", " ") or text(cell)
    if kind == "boolean":
        return get(cell, "office:boolean-value") == "true"
    return text(cell) if len(cell) else ""


def _box_cells(found: dict[int, dict[int, Value]], merged: list[tuple[int, int, int, int]]) -> list[SheetGrid]:
    """All cells in one box; in several where most of it would be empty."""
    if not found:
        return []
    top, bottom = min(found), max(found)
    left = min(min(row) for row in found.values())
    right = max(max(row) for row in found.values())
    box = (bottom - top + 1) * (right - left + 1)
    if box > _ROOMY or box > max(_THIN * sum(map(len, found.values())), 10_000):
        return list(group_neighbours(found))
    empty: dict[int, Value] = {}
    columns = range(left, right + 1)
    rows = [[found.get(row, empty).get(column, "") for column in columns] for row in range(top, bottom + 1)]
    return [SheetGrid(top - 1, left - 1, rows, merged)]
