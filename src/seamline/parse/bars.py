"""Cells of a table as they stand between bars on one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPACE = re.compile(r"\s+")
_SPACED = (
    "  ", " |", "| ", " \n", "\n ",
    *map(chr, (*range(9, 10), *range(11, 14), *range(28, 32), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B))),
    *map(chr, (0x2028, 0x2029, 0x202F, 0x205F, 0x3000)),
)  # fmt: skip
"""What a row that is written as it is must not hold: white space that would be one space, or none, in a cell."""


def between_bars(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The cells of each row between bars. One look at all of them finds whether any needs care, as few tables do."""
    if not rows:
        return []
    empty = [""] * width
    full = [row if len(row) == width else [*row, *empty[len(row) :]] for row in rows]
    whole = "\n".join(["", *["|".join(row) for row in full], ""])
    bars, ends = (width - 1) * len(rows), len(rows) + 1
    if whole.count("|") == bars and whole.count("\n") == ends and not any(sign in whole for sign in _SPACED):
        return whole[1:-1].replace("|", " | ").split("\n")
    return [" | ".join([as_cell(cell) for cell in row]) for row in full]


def as_cell(text: str) -> str:
    """A cell on one line; a bar in it is escaped, as it would end the cell."""
    return _SPACE.sub(" ", text).strip().replace("|", "\\|")
