"""Record numbers of rows, worked out when asked for: a dictionary for each of a million rows would outweigh them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seamline.anchors import Anchor, Anchors
from seamline.types import Block


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
