"""Words -> tables: by the grid that ruled lines make, or by words that stand under each other without one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from seamline.parse.pdf.model import Box, PagePiece, PdfTable, PdfWord, TextLine, box_around, line_of
from seamline.parse.pdf.paragraphs import join_lines

CELL = 0.75
"""Words closer than this, in sizes of their font, are of one cell."""


def group_by_line(words: Iterable[PdfWord]) -> list[list[PdfWord]]:
    """Words by the line they stand on, from top to bottom, each from left to right."""
    out: list[list[PdfWord]] = []
    for word in sorted(words, key=lambda one: (one.base, one.left)):
        last = out[-1] if out else None
        if last is not None and word.base - last[0].base < 0.45 * max(word.style.size, last[0].style.size):
            last.append(word)
        else:
            out.append([word])
    for level in out:
        if all(word.edges is not None for word in level):
            level.sort(key=lambda word: word.left)
    return out


def text_of(words: Iterable[PdfWord]) -> str:
    """The text of a cell, its lines joined."""
    return join_lines(group_by_line(words))


def split_cells(words: Sequence[PdfWord], gap: float = CELL) -> list[list[PdfWord]]:
    """The words of a line, apart where there is a wide gap."""
    out: list[list[PdfWord]] = []
    for word in words:
        if out and word.left - out[-1][-1].right < gap * word.style.size:
            out[-1].append(word)
        else:
            out.append([word])
    return out


def column_spans(rows: Sequence[Sequence[Sequence[PdfWord]]]) -> list[tuple[float, float]]:
    """The columns that the cells of rows stand in, as (left, right); rows of few cells may reach over several."""
    most = max(len(row) for row in rows)
    edges = sorted((cell[0].left, cell[-1].right) for row in rows if len(row) >= max(2, 0.6 * most) for cell in row)
    out: list[tuple[float, float]] = []
    for left, right in edges:
        if out and left < out[-1][1] + 1:
            out[-1] = out[-1][0], max(out[-1][1], right)
        else:
            out.append((left, right))
    return out


def place_cells(row: Sequence[Sequence[PdfWord]], columns: Sequence[tuple[float, float]]) -> list[list[PdfWord]]:
    """The cells of a row in its columns, each in the one it covers most, or else stands next to."""
    out: list[list[PdfWord]] = [[] for _ in columns]
    for cell in row:
        left, right = cell[0].left, cell[-1].right
        best = max(range(len(columns)), key=lambda at: (min(right, columns[at][1]) - max(left, columns[at][0]), -at))
        out[best] += cell
    return out


_TOUCH = 3.0
"""Lines closer than this meet."""
_MOST = 500
"""Lines that are looked at, of each direction: more is a drawing."""
_TALLEST = 20
"""A cell of more lines is a column of a page that is ruled, and no cell."""
_NUMBER = re.compile(r"^[\W\d]*\d[\d\W]*[a-zA-Z%]{0,3}$")


class RuleStroke(NamedTuple):
    """A line along or across the page."""

    at: float
    low: float
    high: float


class _Grid(NamedTuple):
    across: list[RuleStroke]
    down: list[RuleStroke]
    xs: list[float]
    ys: list[float]


def find_strokes(rules: Sequence[Box]) -> tuple[list[RuleStroke], list[RuleStroke]]:
    """The lines across the page and those down it, those that continue each other as one."""
    across = [
        RuleStroke((rule.top + rule.bottom) / 2, rule.left, rule.right) for rule in rules if rule.width >= rule.height
    ]
    down = [
        RuleStroke((rule.left + rule.right) / 2, rule.top, rule.bottom) for rule in rules if rule.width < rule.height
    ]
    return _merge_strokes(across), _merge_strokes(down)


def _merge_strokes(lines: Sequence[RuleStroke]) -> list[RuleStroke]:
    out: list[RuleStroke] = []
    for line in sorted(lines, key=lambda one: (round(one.at / 1.5), one.low)):
        last = out[-1] if out else None
        if last is not None and abs(last.at - line.at) < 1.6 and line.low <= last.high + _TOUCH:
            out[-1] = RuleStroke(last.at, last.low, max(last.high, line.high))
        else:
            out.append(line)
    return out


def ruled_tables(lines: Sequence[TextLine], rules: Sequence[Box]) -> tuple[list[PdfTable], list[TextLine]]:
    """The tables of a page, and its lines without the words in them."""
    across, down = find_strokes(rules)
    if len(across) < 2 or len(down) < 1 or max(len(across), len(down)) > _MOST:
        return [], list(lines)
    tables: list[PdfTable] = []
    rest = list(lines)
    for grid in _grids(across, down):
        box = Box(grid.xs[0] - 1, grid.ys[0] - 1, grid.xs[-1] + 1, grid.ys[-1] + 1)
        inside, outside = take_words(rest, box)
        table = _ruled_table(grid, inside, lines[0], box) if inside else None
        if table is not None:
            tables.append(table)
            rest = outside
    return tables, rest


def _grids(across: Sequence[RuleStroke], down: Sequence[RuleStroke]) -> list[_Grid]:
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
    members: dict[int, tuple[list[RuleStroke], list[RuleStroke]]] = {}
    for i, one in enumerate(across):
        members.setdefault(root(i), ([], []))[0].append(one)
    for j, one in enumerate(down):
        members.setdefault(root(len(across) + j), ([], []))[1].append(one)
    grids = [_grid(*own) for own in members.values() if len(own[0]) >= 2 and own[1]]
    return sorted((grid for grid in grids if grid is not None), key=lambda grid: grid.ys[0])


def _grid(across: list[RuleStroke], down: list[RuleStroke]) -> _Grid | None:
    xs = _distinct_levels(
        [line.at for line in down] + [min(line.low for line in across), max(line.high for line in across)]
    )
    ys = _distinct_levels(
        [line.at for line in across] + [min(line.low for line in down), max(line.high for line in down)]
    )
    if len(xs) < 2 or len(ys) < 2 or (len(xs) - 1) * (len(ys) - 1) < 2:
        return None
    return _Grid(across, down, xs, ys)


def _distinct_levels(values: Sequence[float]) -> list[float]:
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > 2 * _TOUCH:
            out.append(value)
    return out


def take_words(lines: Sequence[TextLine], box: Box) -> tuple[list[PdfWord], list[TextLine]]:
    """The words inside a box, and the lines of those outside."""
    inside: list[PdfWord] = []
    outside: list[TextLine] = []
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


def _ruled_table(grid: _Grid, words: Sequence[PdfWord], line: TextLine, box: Box) -> PdfTable | None:
    columns, rows = len(grid.xs) - 1, len(grid.ys) - 1
    owners = _owners(grid)
    held: dict[tuple[int, int], list[PdfWord]] = {}
    for word in words:
        column = min(max(bisect_right(grid.xs, (word.left + word.right) / 2) - 1, 0), columns - 1)
        row = min(max(bisect_right(grid.ys, (word.top + word.bottom) / 2) - 1, 0), rows - 1)
        held.setdefault(owners[row][column], []).append(word)
    if len(held) < 2 or len({column for _, column in held}) < 2:
        return None
    out: list[list[list[PdfWord]]] = []
    places: list[Box] = []
    for row in range(rows):
        own = [held.get((row, column), []) for column in range(columns)]
        if not any(own):
            continue
        for split in _rows_within(own):
            out.append(split)
            places.append(box_around([word for cell in split for word in cell]))
    if any(len(group_by_line(cell)) > _TALLEST for row in out for cell in row):
        return None
    keep = [column for column in range(columns) if any(row[column] for row in out)]
    return PdfTable(line.page, box, [[row[column] for column in keep] for row in out], places, line.turn)


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


def _rows_within(row: list[list[PdfWord]]) -> list[list[list[PdfWord]]]:
    """The rows that a ruled row holds: several, where most of its cells have as many lines, and these are numbers."""
    stacks = [group_by_line(cell) for cell in row]
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


_GAP = 1.6
"""Cells that nothing rules stand further apart than this, in sizes of their font."""
_FEWEST = 3
"""Rows that it takes to see a table that nothing rules."""
_REGULAR = 0.9
"""Share of rows that have a cell in each column, so that the columns are seen where cells are near each other."""
_LATEST = 20
"""Rows that show where columns are."""
_APART = 2.0
"""Rows are no further apart than this, in sizes of their font."""
_HEADER = 2
"""Lines of a header."""
_BULLETS = 2
"""A first cell of so few characters is the mark of a list."""


def tables_between_rules(
    lines: Sequence[TextLine], rules: Sequence[Box], ruled: Sequence[PdfTable] = ()
) -> tuple[list[PdfTable], list[TextLine]]:
    """Tables between lines of the same width across the page, which have none down it; and the lines without them. What
    rules the tables found before rules no other."""
    across = [one for one in find_strokes(rules)[0] if not any(_is_of(one, table.box) for table in ruled)]
    tables: list[PdfTable] = []
    rest = list(lines)
    for group in (part for stack in _stacks(across) for part in _split_tables(stack, lines)):
        box = Box(group[0].low - 2, group[0].at, group[0].high + 2, group[-1].at)
        inside, outside = take_words(rest, box)
        table = _table([split_cells(row) for row in group_by_line(inside)], lines[0], box) if inside else None
        if table is not None and len(table.rows) >= 2:
            tables.append(table)
            rest = outside
    return tables, rest


def _stacks(across: Sequence[RuleStroke]) -> list[list[RuleStroke]]:
    """Lines of equal width above each other: at least three, as above and below a header and at the end."""
    out: list[list[RuleStroke]] = []
    for line in sorted(across, key=lambda one: (round(one.low / 6), round(one.high / 6), one.at)):
        last = out[-1][-1] if out else None
        if (
            last is not None
            and abs(line.low - last.low) < 6
            and abs(line.high - last.high) < 6
            and line.high - line.low > 60
        ):
            out[-1].append(line)
        else:
            out.append([line])
    return [group for group in out if len(group) >= 3]


def _is_of(one: RuleStroke, box: Box) -> bool:
    """Whether a line across the page is one of a table with a grid."""
    return box.top - 2 <= one.at <= box.bottom + 2 and box.left - 2 <= one.low and one.high <= box.right + 2


def _split_tables(stack: Sequence[RuleStroke], lines: Sequence[TextLine]) -> list[Sequence[RuleStroke]]:
    """The lines of one table each: what stands between two tables is text, and not in cells."""
    between: list[list[PdfWord]] = [[] for _ in stack]
    edges = [one.at for one in stack]
    for line in lines:
        at = bisect_right(edges, (line.top + line.bottom) / 2)
        if 0 < at < len(edges) and line.right > stack[0].low and line.left < stack[0].high:
            between[at] += line.words
    out: list[Sequence[RuleStroke]] = []
    start = 0
    for at in range(1, len(stack)):
        rows = [split_cells(row) for row in group_by_line(between[at])]
        if rows and sum(len(row) > 1 for row in rows) < len(rows) / 2:
            out.append(stack[start:at])
            start = at
    out.append(stack[start:])
    return [part for part in out if len(part) >= 3]


def _table(
    parted: Sequence[Sequence[list[PdfWord]]],
    line: TextLine,
    box: Box,
    columns: Sequence[tuple[float, float]] | None = None,
) -> PdfTable | None:
    """Rows of cells as a table, where they stand under each other."""
    if len(parted) < 2 or max(len(row) for row in parted) < 2:
        return None
    columns = column_spans(parted) if columns is None else columns
    if len(columns) < 2:
        return None
    placed_rows = [place_cells(row, columns) for row in parted]
    full = sum(sum(bool(cell) for cell in row) >= 2 for row in placed_rows)
    if full < 0.6 * len(placed_rows):
        return None
    places = [box_around([word for cell in row for word in cell]) for row in placed_rows]
    return PdfTable(line.page, box, placed_rows, places, line.turn)


def aligned_tables(column: Sequence[PagePiece]) -> list[PagePiece]:
    """A column of a page with runs of lines that make a table as tables."""
    out: list[PagePiece] = []
    run: list[TextLine] = []
    for piece in column:
        is_row = isinstance(piece, TextLine) and (_is_row(piece) or _is_joined(run, piece))
        if run and (not is_row or piece.box.top - run[-1].bottom > _APART * run[-1].size):
            _settle(out, run)
            run = []
        if is_row and isinstance(piece, TextLine):
            run.append(piece)
        else:
            out.append(piece)
    _settle(out, run)
    return out


def _is_row(line: TextLine) -> bool:
    """Whether a line has cells: words far apart, beside the mark of a list."""
    parted = split_cells(line.words, _GAP)
    if line.backward or len(parted) < 2:
        return False
    return len(parted) > 2 or _length(parted[0]) > _BULLETS


def _is_joined(run: Sequence[TextLine], line: TextLine) -> bool:
    """Whether a line whose cells are nearer stands in the columns of the rows above it."""
    if len(run) < 2 or line.backward or len(own := split_cells(line.words)) < 2:
        return False
    columns = column_spans([split_cells(row.words) for row in run[-_LATEST:]])
    return [_columns_under(cell, columns) for cell in own] == [[at] for at in range(len(columns))]


def _columns_under(cell: Sequence[PdfWord], columns: Sequence[tuple[float, float]]) -> list[int]:
    """The columns that a cell stands in."""
    left, right = cell[0].left, cell[-1].right
    return [at for at, (low, high) in enumerate(columns) if min(right, high) > max(left, low)]


def _length(cell: Sequence[PdfWord]) -> int:
    return sum(len(word.text) for word in cell)


def _settle(out: list[PagePiece], run: Sequence[TextLine]) -> None:
    """Put a run of rows to a column: as a table with the lines over its columns as header, or as they are."""
    if len(run) < _FEWEST:
        out += run
        return
    gap, columns = _measure_columns(run)
    if len(columns) > max(len(split_cells(line.words, gap)) for line in run):
        out += run
        return
    above: list[TextLine] = []
    top = run[0].top
    while out and isinstance(last := out[-1], TextLine) and _stands_over(last, columns, top, gap) == len(columns):
        out.pop()
        above.append(last)
        top = last.top
    run = [*reversed(above), *run]
    header: list[TextLine] = []
    while (
        out
        and len(header) < _HEADER
        and isinstance(last := out[-1], TextLine)
        and _stands_over(last, columns, top, gap)
    ):
        out.pop()
        header.insert(0, last)
        top = last.top
    box = box_around([*header, *run])
    rows = [split_cells(line.words, gap) for line in run]
    if header:
        rows.insert(0, [cell for line in header for cell in split_cells(line.words, gap)])
    table = _table(rows, run[0], box, columns)
    if table is None:
        out += [*header, *run]
    else:
        out.append(table)


def _measure_columns(run: Sequence[TextLine]) -> tuple[float, list[tuple[float, float]]]:
    """How far apart the cells of rows are, and the columns they stand in. Words that are nearer than cells of a table
    have to be are cells too, where rows have them in the same columns, and the first is more than a mark."""
    near = [split_cells(line.words) for line in run]
    columns = column_spans(near)
    regular = sum(len(row) == len(columns) and _length(row[0]) > _BULLETS for row in near)
    if regular >= _REGULAR * len(run):
        return CELL, columns
    return _GAP, column_spans([split_cells(line.words, _GAP) for line in run])


def _stands_over(line: TextLine, columns: Sequence[tuple[float, float]], top: float, gap: float) -> int:
    """Over how many columns of a table a line stands, each of its cells over one: all of them, or some but the first,
    which a line of text stands over; else 0."""
    if top - line.bottom > _APART * line.size or line.backward:
        return 0
    found: list[int] = []
    for cell in split_cells(line.words, gap):
        over = _columns_under(cell, columns)
        if len(over) != 1:
            return 0
        found += over
    return len(found) if 0 not in found or found == list(range(len(columns))) else 0
