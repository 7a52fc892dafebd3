"""Lines whose words stand under each other -> tables without a grid."""

from __future__ import annotations

from collections.abc import Sequence

from seamline.parse.pdf.cells import box_of, cells, levels, placed, spans
from seamline.parse.pdf.model import Box, Line, Piece, Table, Word
from seamline.parse.pdf.ruled import Stroke, strokes, taken

_GAP = 1.6
"""Cells that nothing rules stand further apart than this, in sizes of their font."""
_FEWEST = 3
"""Rows that it takes to see a table that nothing rules."""
_BULLETS = 2
"""A first cell of so few characters is the mark of a list."""


def between_rules(lines: Sequence[Line], rules: Sequence[Box]) -> tuple[list[Table], list[Line]]:
    """Tables between lines of the same width across the page, which have none down it; and the lines without them."""
    across, _ = strokes(rules)
    tables: list[Table] = []
    rest = list(lines)
    for group in _stacks(across):
        box = Box(group[0].low - 2, group[0].at, group[0].high + 2, group[-1].at)
        inside, outside = taken(rest, box)
        table = _table(levels(inside), lines[0], box, 0.75) if inside else None
        if table is not None and len(table.rows) >= 2:
            tables.append(table)
            rest = outside
    return tables, rest


def _stacks(across: Sequence[Stroke]) -> list[list[Stroke]]:
    """Lines of equal width above each other: at least three, as above and below a header and at the end."""
    out: list[list[Stroke]] = []
    for line in sorted(across, key=lambda one: (round(one.low / 6), round(one.high / 6), one.at)):
        last = out[-1][-1] if out else None
        if last is not None and abs(line.low - last.low) < 6 and abs(line.high - last.high) < 6 and line.high - line.low > 60:
            out[-1].append(line)
        else:
            out.append([line])
    return [group for group in out if len(group) >= 3]


def _table(rows: Sequence[Sequence[Word]], line: Line, box: Box, gap: float) -> Table | None:
    """Rows of words as a table, where its cells stand under each other."""
    parted = [cells(row, gap) for row in rows]
    if len(parted) < 2 or max(len(row) for row in parted) < 2:
        return None
    columns = spans(parted)
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
        if isinstance(piece, Line) and _is_row(piece):
            run.append(piece)
            continue
        out += _tabled(run)
        run = []
        out.append(piece)
    return [*out, *_tabled(run)]


def _is_row(line: Line) -> bool:
    """Whether a line has cells: words far apart, beside the mark of a list."""
    parted = cells(line.words, _GAP)
    if line.backward or len(parted) < 2:
        return False
    return len(parted) > 2 or sum(len(word.text) for word in parted[0]) > _BULLETS


def _tabled(run: Sequence[Line]) -> list[Piece]:
    if len(run) < _FEWEST:
        return list(run)
    box = run[0].box
    for line in run[1:]:
        box = box.around(line.box)
    table = _table([line.words for line in run], run[0], box, _GAP)
    most = max(len(cells(line.words, _GAP)) for line in run)
    if table is None or len(table.rows[0]) > most:
        return list(run)
    return [table]
