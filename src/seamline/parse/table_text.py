"""Cells of a table as they stand between bars on one line.

Record numbers of rows, worked out when asked for: a dictionary for each of a million rows would outweigh them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from seamline.anchors import Anchor, Anchors
from seamline.types import Block

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


class _Runs(Sequence[Anchor]):
    """One run for each row, with its number."""

    def __init__(self, rows: Sequence[Block], numbers: Sequence[int]) -> None:
        self._rows = rows
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        row = self._rows[index]
        number = self._numbers[index]
        return Anchor(row.start, row.end, {"record": number} if number else {})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # lists inside


class Numbered(Anchors):
    """Anchors of rows whose only place is their number; a row of number 0, a header, has none."""

    def __init__(self, rows: Sequence[Block], numbers: Sequence[int]) -> None:
        self._runs = _Runs(rows, numbers)  # type: ignore[assignment]  # read in the same ways as a list
        self._starts = [row.start for row in rows]
