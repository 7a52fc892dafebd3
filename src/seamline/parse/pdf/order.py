"""Pieces of a page -> columns in reading order."""

from __future__ import annotations

from collections.abc import Sequence

from seamline.parse.pdf.model import PagePiece, PdfFigure, TextLine, line_of
from seamline.parse.pdf.text import join_parts

_NARROWEST = 0.55
"""A gutter is at least this wide, in sizes of the text."""
_WIDE = 7.0
"""Lines of a column are on average at least this wide, in sizes of the text; cells of a table are narrower."""
_FEWEST = 3
"""A column has at least so many lines."""
_CROSSED = (0.12, 0.3)
"""The part of the text that may run across a gutter: as little as there is, else what a title and an abstract take."""
_LONGEST = 100
"""Parts of a row that a new one is compared with."""
_OVERLAP = 0.25
"""Pictures have white margins: one may reach over a gutter by this part of its width."""
_DEEPEST = 3
"""Columns inside columns."""


def columns(pieces: Sequence[PagePiece], size: float) -> list[list[PagePiece]]:
    """The columns of a page, in the order they are read, each from top to bottom; `size` is that of most text."""
    done: list[list[PagePiece]] = []
    stack: list[tuple[list[PagePiece], int]] = [(list(pieces), 0)]
    while stack:
        own, depth = stack.pop()
        gutter = _gutter(own, size) if depth < _DEEPEST else None
        if gutter is None:
            if own:
                done.append(_sort_pieces(own))
            continue
        stack += reversed([(part, depth + 1) for part in _split_columns(own, *gutter) if part])
    return done


def _sort_pieces(pieces: Sequence[PagePiece]) -> list[PagePiece]:
    """From top to bottom; lines that stand side by side become one."""
    out: list[PagePiece] = []
    for row in _rows(pieces):
        lines = [piece for piece in row if isinstance(piece, TextLine)]
        others = [piece for piece in row if not isinstance(piece, TextLine)]
        if lines:
            out.append(_are_side_by_side(lines))
        out += others
    return out


def _rows(pieces: Sequence[PagePiece]) -> list[list[PagePiece]]:
    """Pieces that share a line, from left to right."""
    rows: list[list[PagePiece]] = []
    for piece in sorted(pieces, key=lambda one: (one.box.top, one.box.left)):
        row = rows[-1] if rows else None
        if row is not None and isinstance(piece, TextLine) and isinstance(row[0], TextLine) and _is_beside(row, piece):
            row.append(piece)
        else:
            rows.append([piece])
    for row in rows:
        row.sort(key=lambda one: one.box.left)
    return rows


def _is_beside(row: Sequence[PagePiece], line: TextLine) -> bool:
    """Whether a line is on the same level as a row, and not over any part of it."""
    last = row[-1]
    shared = min(last.box.bottom, line.bottom) - max(last.box.top, line.top)
    if not isinstance(last, TextLine) or shared < 0.5 * min(last.height, line.height):
        return False
    if abs(last.base - line.base) > 0.4 * min(last.size, line.size) and abs(line.left - last.right) > line.size:
        return False
    return len(row) > _LONGEST or all(line.left >= one.box.right - 1 or line.right <= one.box.left + 1 for one in row)


def _are_side_by_side(lines: Sequence[TextLine]) -> TextLine:
    if any(line.backward for line in lines):
        ordered = sorted(lines, key=lambda line: -line.right)
        words = [word for line in ordered for word in line.words]
        return line_of(lines[0].page, words, lines[0].turn, backward=True) if len(lines) > 1 else lines[0]
    return join_parts(lines) if len(lines) > 1 else lines[0]


def _gutter(pieces: Sequence[PagePiece], size: float) -> tuple[float, float] | None:
    """The white strip between two columns: the widest that few lines cross and that text stands on both sides of."""
    lines = [piece for piece in pieces if isinstance(piece, TextLine)]
    if len(lines) < 2 * _FEWEST:
        return None
    for crossed in _CROSSED:
        worth = [(_worth(lines, left, right, size), left, right) for left, right in _strips(lines, size, crossed)]
        if any(weight for weight, _, _ in worth):
            return max(worth)[1:]
    return None


def _strips(lines: Sequence[TextLine], size: float, crossed: float) -> list[tuple[float, float]]:
    """Strips that hardly any text covers, as (left, right)."""
    first = min(line.left for line in lines)
    last = max(line.right for line in lines)
    count = int(last - first) + 2
    if not 2 < count < 20_000:
        return []
    change = [0.0] * (count + 1)
    for line in lines:
        height = line.bottom - line.top
        change[int(line.left - first)] += height
        change[int(line.right - first) + 1] -= height
    total = sum(line.bottom - line.top for line in lines)
    strips: list[tuple[float, float]] = []
    covered = 0.0
    begin = -1
    for x in range(count):
        covered += change[x]
        if covered <= crossed * total:
            begin = x if begin < 0 else begin
        elif begin >= 0:
            if begin > 0 and x - begin >= _NARROWEST * size:
                strips.append((first + begin, first + x))
            begin = -1
    return strips


def _worth(lines: Sequence[TextLine], left: float, right: float, size: float) -> float:
    """How much a strip looks like a gutter: 0 where it is none."""
    middle = (left + right) / 2
    before = [line for line in lines if line.right <= middle]
    after = [line for line in lines if line.left >= middle]
    if min(len(before), len(after)) < _FEWEST:
        return 0.0
    for side in (before, after):
        if sum(line.right - line.left for line in side) < _WIDE * size * len(side):
            return 0.0
    top = max(min(line.top for line in before), min(line.top for line in after))
    bottom = min(max(line.bottom for line in before), max(line.bottom for line in after))
    if bottom - top < 2 * _FEWEST * size / 2:
        return 0.0
    return (right - left) * (bottom - top)


def _split_columns(pieces: Sequence[PagePiece], left: float, right: float) -> list[list[PagePiece]]:
    """Left and right column, and what runs across them, in reading order."""
    middle = (left + right) / 2
    out: list[list[PagePiece]] = []
    before: list[PagePiece] = []
    after: list[PagePiece] = []
    for piece in sorted(pieces, key=lambda one: (one.box.top, one.box.left)):
        box = piece.box
        slack = _OVERLAP * box.width if isinstance(piece, PdfFigure) else 0.1 * box.width
        if box.right - middle <= slack:
            before.append(piece)
        elif middle - box.left <= slack:
            after.append(piece)
        elif isinstance(piece, TextLine) and (parts := _split(piece, left, right)):
            before.append(parts[0])
            after.append(parts[1])
        else:
            if before or after or not out:
                out += [before, after]
                before, after = [], []
                out.append([])
            out[-1].append(piece)
    return [*out, before, after]


def _split(line: TextLine, left: float, right: float) -> tuple[TextLine, TextLine] | None:
    """A line that two columns share, at the gutter; None where a word stands in it."""
    first = [word for word in line.words if word.right <= right]
    last = [word for word in line.words if word.left >= left]
    if not first or not last or len(first) + len(last) != len(line.words) or line.backward:
        return None
    if last[0].left - first[-1].right < 0.5 * (right - left):
        return None
    return (
        line_of(line.page, first, line.turn),
        line_of(line.page, [last[0]._replace(glued=False), *last[1:]], line.turn),
    )
