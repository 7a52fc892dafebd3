"""Ruled lines -> tables: the grid they make, and the words in its cells."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from seamline.parse.pdf.cells import box_of, levels
from seamline.parse.pdf.model import Box, Line, Table, Word, line_of

_TOUCH = 3.0
"""Lines closer than this meet."""
_MOST = 500
"""Lines that are looked at, of each direction: more is a drawing."""
_TALLEST = 20
"""A cell of more lines is a column of a page that is ruled, and no cell."""
_NUMBER = re.compile(r"^[\W\d]*\d[\d\W]*[a-zA-Z%]{0,3}$")


class Stroke(NamedTuple):
    """A line along or across the page."""

    at: float
    low: float
    high: float


class _Grid(NamedTuple):
    across: list[Stroke]
    down: list[Stroke]
    xs: list[float]
    ys: list[float]


def strokes(rules: Sequence[Box]) -> tuple[list[Stroke], list[Stroke]]:
    """The lines across the page and those down it, those that continue each other as one."""
    across = [
        Stroke((rule.top + rule.bottom) / 2, rule.left, rule.right) for rule in rules if rule.width >= rule.height
    ]
    down = [Stroke((rule.left + rule.right) / 2, rule.top, rule.bottom) for rule in rules if rule.width < rule.height]
    return _merged(across), _merged(down)


def _merged(lines: Sequence[Stroke]) -> list[Stroke]:
    out: list[Stroke] = []
    for line in sorted(lines, key=lambda one: (round(one.at / 1.5), one.low)):
        last = out[-1] if out else None
        if last is not None and abs(last.at - line.at) < 1.6 and line.low <= last.high + _TOUCH:
            out[-1] = Stroke(last.at, last.low, max(last.high, line.high))
        else:
            out.append(line)
    return out


def ruled(lines: Sequence[Line], rules: Sequence[Box]) -> tuple[list[Table], list[Line]]:
    """The tables of a page, and its lines without the words in them."""
    across, down = strokes(rules)
    if len(across) < 2 or len(down) < 1 or max(len(across), len(down)) > _MOST:
        return [], list(lines)
    tables: list[Table] = []
    rest = list(lines)
    for grid in _grids(across, down):
        box = Box(grid.xs[0] - 1, grid.ys[0] - 1, grid.xs[-1] + 1, grid.ys[-1] + 1)
        inside, outside = taken(rest, box)
        table = _table(grid, inside, lines[0], box) if inside else None
        if table is not None:
            tables.append(table)
            rest = outside
    return tables, rest


def _grids(across: Sequence[Stroke], down: Sequence[Stroke]) -> list[_Grid]:
    """Lines that meet, as grids of at least two cells."""
    groups = list(range(len(across) + len(down)))

    def root(at: int) -> int:
        while groups[at] != at:
            groups[at] = groups[groups[at]]
            at = groups[at]
        return at

    for i, one in enumerate(across):
        for j, other in enumerate(down):
            meets = one.low - _TOUCH <= other.at <= one.high + _TOUCH and (
                other.low - _TOUCH <= one.at <= other.high + _TOUCH
            )
            if meets:
                groups[root(i)] = root(len(across) + j)
    members: dict[int, tuple[list[Stroke], list[Stroke]]] = {}
    for i, one in enumerate(across):
        members.setdefault(root(i), ([], []))[0].append(one)
    for j, one in enumerate(down):
        members.setdefault(root(len(across) + j), ([], []))[1].append(one)
    grids = [_grid(*own) for own in members.values() if len(own[0]) >= 2 and own[1]]
    return sorted((grid for grid in grids if grid is not None), key=lambda grid: grid.ys[0])


def _grid(across: list[Stroke], down: list[Stroke]) -> _Grid | None:
    xs = _apart([line.at for line in down] + [min(line.low for line in across), max(line.high for line in across)])
    ys = _apart([line.at for line in across] + [min(line.low for line in down), max(line.high for line in down)])
    if len(xs) < 2 or len(ys) < 2 or (len(xs) - 1) * (len(ys) - 1) < 2:
        return None
    return _Grid(across, down, xs, ys)


def _apart(values: Sequence[float]) -> list[float]:
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > 2 * _TOUCH:
            out.append(value)
    return out


def taken(lines: Sequence[Line], box: Box) -> tuple[list[Word], list[Line]]:
    """The words inside a box, and the lines of those outside."""
    inside: list[Word] = []
    outside: list[Line] = []
    for line in lines:
        if line.bottom < box.top or line.top > box.bottom or line.right < box.left or line.left > box.right:
            outside.append(line)
            continue
        own = [box.holds((word.left + word.right) / 2, (word.top + word.bottom) / 2) for word in line.words]
        inside += [word for word, is_in in zip(line.words, own, strict=True) if is_in]
        left = [word for word, is_in in zip(line.words, own, strict=True) if not is_in]
        if left:
            outside.append(line_of(line.page, left, line.turn, backward=line.backward))
    return inside, outside


def _table(grid: _Grid, words: Sequence[Word], line: Line, box: Box) -> Table | None:
    columns, rows = len(grid.xs) - 1, len(grid.ys) - 1
    owners = _owners(grid)
    held: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        column = min(max(bisect_right(grid.xs, (word.left + word.right) / 2) - 1, 0), columns - 1)
        row = min(max(bisect_right(grid.ys, (word.top + word.bottom) / 2) - 1, 0), rows - 1)
        held.setdefault(owners[row][column], []).append(word)
    if len(held) < 2 or len({column for _, column in held}) < 2:
        return None
    out: list[list[list[Word]]] = []
    places: list[Box] = []
    for row in range(rows):
        own = [held.get((row, column), []) for column in range(columns)]
        if not any(own):
            continue
        for split in _rows_within(own):
            out.append(split)
            places.append(box_of([word for cell in split for word in cell]))
    if any(len(levels(cell)) > _TALLEST for row in out for cell in row):
        return None
    keep = [column for column in range(columns) if any(row[column] for row in out)]
    return Table(line.page, box, [[row[column] for column in keep] for row in out], places, line.turn)


def _owners(grid: _Grid) -> list[list[tuple[int, int]]]:
    """For each cell of the grid, the first of the cells that no line parts it from."""
    columns, rows = len(grid.xs) - 1, len(grid.ys) - 1
    out: list[list[tuple[int, int]]] = []
    for row in range(rows):
        middle = (grid.ys[row] + grid.ys[row + 1]) / 2
        own: list[tuple[int, int]] = []
        walls = sorted(line.at for line in grid.down if line.low <= middle <= line.high)
        floors = [line for line in grid.across if abs(line.at - grid.ys[row]) <= 2 * _TOUCH]
        for column in range(columns):
            if column and not _near(walls, grid.xs[column]):
                own.append(own[-1])
                continue
            centre = (grid.xs[column] + grid.xs[column + 1]) / 2
            is_open = row > 0 and not any(line.low <= centre <= line.high for line in floors)
            own.append(out[row - 1][column] if is_open else (row, column))
        out.append(own)
    return out


def _near(ascending: Sequence[float], value: float) -> bool:
    at = bisect_right(ascending, value - 2 * _TOUCH)
    return at < len(ascending) and ascending[at] <= value + 2 * _TOUCH


def _rows_within(row: list[list[Word]]) -> list[list[list[Word]]]:
    """The rows that a ruled row holds: several, where most of its cells have as many lines, and these are numbers."""
    stacks = [levels(cell) for cell in row]
    counts = [len(stack) for stack in stacks if stack]
    most = max(counts)
    full = [stack for stack in stacks if len(stack) == most]
    if most < 2 or len(full) < 2 or any(count not in (1, most) for count in counts):
        return [row]
    values = ["".join(word.text for word in level) for stack in full for level in stack]
    if sum(bool(_NUMBER.match(value)) for value in values) < 0.5 * len(values):
        return [row]
    return [
        [
            stack[index] if len(stack) == most else (cell if index == 0 else [])
            for stack, cell in zip(stacks, row, strict=True)
        ]
        for index in range(most)
    ]
