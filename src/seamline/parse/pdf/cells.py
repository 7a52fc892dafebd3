"""Words -> rows of cells: what ruled tables and tables by alignment share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seamline.parse.pdf.hyphens import flowed
from seamline.parse.pdf.model import Box, Word

CELL = 0.75
"""Words closer than this, in sizes of their font, are of one cell."""


def levels(words: Iterable[Word]) -> list[list[Word]]:
    """Words by the line they stand on, from top to bottom, each from left to right."""
    out: list[list[Word]] = []
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


def text_of(words: Iterable[Word]) -> str:
    """The text of a cell, its lines joined."""
    return flowed(levels(words))


def box_of(words: Sequence[Word]) -> Box:
    return Box(
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
    )


def cells(words: Sequence[Word], gap: float = CELL) -> list[list[Word]]:
    """The words of a line, apart where there is a wide gap."""
    out: list[list[Word]] = []
    for word in words:
        if out and word.left - out[-1][-1].right < gap * word.style.size:
            out[-1].append(word)
        else:
            out.append([word])
    return out


def spans(rows: Sequence[Sequence[Sequence[Word]]]) -> list[tuple[float, float]]:
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


def placed(row: Sequence[Sequence[Word]], columns: Sequence[tuple[float, float]]) -> list[list[Word]]:
    """The cells of a row in its columns, each in the one it covers most, or else stands next to."""
    out: list[list[Word]] = [[] for _ in columns]
    for cell in row:
        left, right = cell[0].left, cell[-1].right
        best = max(range(len(columns)), key=lambda at: (min(right, columns[at][1]) - max(left, columns[at][0]), -at))
        out[best] += cell
    return out
