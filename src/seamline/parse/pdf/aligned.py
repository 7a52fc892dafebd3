"""Lines whose words stand under each other -> tables without a grid."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from seamline.parse.pdf.cells import CELL, box_of, cells, levels, placed, spans
from seamline.parse.pdf.model import Box, Line, Piece, Table, Word
from seamline.parse.pdf.ruled import Stroke, strokes, taken

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


def between_rules(
    lines: Sequence[Line], rules: Sequence[Box], ruled: Sequence[Table] = ()
) -> tuple[list[Table], list[Line]]:
    """Tables between lines of the same width across the page, which have none down it; and the lines without them. What
    rules the tables found before rules no other."""
    across = [one for one in strokes(rules)[0] if not any(_is_of(one, table.box) for table in ruled)]
    tables: list[Table] = []
    rest = list(lines)
    for group in (part for stack in _stacks(across) for part in _apart(stack, lines)):
        box = Box(group[0].low - 2, group[0].at, group[0].high + 2, group[-1].at)
        inside, outside = taken(rest, box)
        table = _table([cells(row) for row in levels(inside)], lines[0], box) if inside else None
        if table is not None and len(table.rows) >= 2:
            tables.append(table)
            rest = outside
    return tables, rest


def _stacks(across: Sequence[Stroke]) -> list[list[Stroke]]:
    """Lines of equal width above each other: at least three, as above and below a header and at the end."""
    out: list[list[Stroke]] = []
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


def _is_of(one: Stroke, box: Box) -> bool:
    """Whether a line across the page is one of a table with a grid."""
    return box.top - 2 <= one.at <= box.bottom + 2 and box.left - 2 <= one.low and one.high <= box.right + 2


def _apart(stack: Sequence[Stroke], lines: Sequence[Line]) -> list[Sequence[Stroke]]:
    """The lines of one table each: what stands between two tables is text, and not in cells."""
    between: list[list[Word]] = [[] for _ in stack]
    edges = [one.at for one in stack]
    for line in lines:
        at = bisect_right(edges, (line.top + line.bottom) / 2)
        if 0 < at < len(edges) and line.right > stack[0].low and line.left < stack[0].high:
            between[at] += line.words
    out: list[Sequence[Stroke]] = []
    start = 0
    for at in range(1, len(stack)):
        rows = [cells(row) for row in levels(between[at])]
        if rows and sum(len(row) > 1 for row in rows) < len(rows) / 2:
            out.append(stack[start:at])
            start = at
    out.append(stack[start:])
    return [part for part in out if len(part) >= 3]


def _table(
    parted: Sequence[Sequence[list[Word]]], line: Line, box: Box, columns: Sequence[tuple[float, float]] | None = None
) -> Table | None:
    """Rows of cells as a table, where they stand under each other."""
    if len(parted) < 2 or max(len(row) for row in parted) < 2:
        return None
    columns = spans(parted) if columns is None else columns
    if len(columns) < 2:
        return None
    placed_rows = [placed(row, columns) for row in parted]
    full = sum(sum(bool(cell) for cell in row) >= 2 for row in placed_rows)
    if full < 0.6 * len(placed_rows):
        return None
    places = [box_of([word for cell in row for word in cell]) for row in placed_rows]
    return Table(line.page, box, placed_rows, places, line.turn)


def by_alignment(column: Sequence[Piece]) -> list[Piece]:
    """A column of a page with runs of lines that make a table as tables."""
    out: list[Piece] = []
    run: list[Line] = []
    for piece in column:
        is_row = isinstance(piece, Line) and (_is_row(piece) or _joins(run, piece))
        if run and (not is_row or piece.box.top - run[-1].bottom > _APART * run[-1].size):
            _settle(out, run)
            run = []
        if is_row and isinstance(piece, Line):
            run.append(piece)
        else:
            out.append(piece)
    _settle(out, run)
    return out


def _is_row(line: Line) -> bool:
    """Whether a line has cells: words far apart, beside the mark of a list."""
    parted = cells(line.words, _GAP)
    if line.backward or len(parted) < 2:
        return False
    return len(parted) > 2 or _length(parted[0]) > _BULLETS


def _joins(run: Sequence[Line], line: Line) -> bool:
    """Whether a line whose cells are nearer stands in the columns of the rows above it."""
    if len(run) < 2 or line.backward or len(own := cells(line.words)) < 2:
        return False
    columns = spans([cells(row.words) for row in run[-_LATEST:]])
    return [_over(cell, columns) for cell in own] == [[at] for at in range(len(columns))]


def _over(cell: Sequence[Word], columns: Sequence[tuple[float, float]]) -> list[int]:
    """The columns that a cell stands in."""
    left, right = cell[0].left, cell[-1].right
    return [at for at, (low, high) in enumerate(columns) if min(right, high) > max(left, low)]


def _length(cell: Sequence[Word]) -> int:
    return sum(len(word.text) for word in cell)


def _settle(out: list[Piece], run: Sequence[Line]) -> None:
    """Put a run of rows to a column: as a table with the lines over its columns as header, or as they are."""
    if len(run) < _FEWEST:
        out += run
        return
    gap, columns = _parted(run)
    if len(columns) > max(len(cells(line.words, gap)) for line in run):
        out += run
        return
    above: list[Line] = []
    top = run[0].top
    while out and isinstance(last := out[-1], Line) and _stands_over(last, columns, top, gap) == len(columns):
        out.pop()
        above.append(last)
        top = last.top
    run = [*reversed(above), *run]
    header: list[Line] = []
    while out and len(header) < _HEADER and isinstance(last := out[-1], Line) and _stands_over(last, columns, top, gap):
        out.pop()
        header.insert(0, last)
        top = last.top
    box = run[0].box
    for line in [*header, *run[1:]]:
        box = box.around(line.box)
    rows = [cells(line.words, gap) for line in run]
    if header:
        rows.insert(0, [cell for line in header for cell in cells(line.words, gap)])
    table = _table(rows, run[0], box, columns)
    if table is None:
        out += [*header, *run]
    else:
        out.append(table)


def _parted(run: Sequence[Line]) -> tuple[float, list[tuple[float, float]]]:
    """How far apart the cells of rows are, and the columns they stand in. Words that are nearer than cells of a table
    have to be are cells too, where rows have them in the same columns, and the first is more than a mark."""
    near = [cells(line.words) for line in run]
    columns = spans(near)
    regular = sum(len(row) == len(columns) and _length(row[0]) > _BULLETS for row in near)
    if regular >= _REGULAR * len(run):
        return CELL, columns
    return _GAP, spans([cells(line.words, _GAP) for line in run])


def _stands_over(line: Line, columns: Sequence[tuple[float, float]], top: float, gap: float) -> int:
    """Over how many columns of a table a line stands, each of its cells over one: all of them, or some but the first,
    which a line of text stands over; else 0."""
    if top - line.bottom > _APART * line.size or line.backward:
        return 0
    found: list[int] = []
    for cell in cells(line.words, gap):
        over = _over(cell, columns)
        if len(over) != 1:
            return 0
        found += over
    return len(found) if 0 not in found or found == list(range(len(columns))) else 0
