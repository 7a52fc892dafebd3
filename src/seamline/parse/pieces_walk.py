"""How the content of office documents is walked: by a stack of frames, as tables nest in tables without end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from seamline.parse.docx_table import Cell, Row, Table, reduced
from seamline.parse.pieces import Piece


@dataclass(slots=True)
class Frame:
    """An element whose children are being read."""

    rest: Iterator[Any]
    path: str
    out: list[Piece]
    table: Table | None = None
    row: Row | None = None
    cell: Cell | None = None
    closes: str = ""
    """What ends with it: table, row, cell, or whatever else a format adds."""
    repeated: int = 1
    """How many times over its row or cell stands in the table."""
    counts: Counter[str] = field(default_factory=Counter)

    def step(self, name: str) -> str:
        """The path of the next child of a name."""
        self.counts[name] += 1
        return f"{self.path}/{name}[{self.counts[name]}]"

    def close(self) -> None:
        """Put what ends with it where it belongs."""
        if self.closes == "cell" and self.row is not None and self.cell is not None:
            self.row.cells.extend([self.cell] * self.repeated)
        elif self.closes == "row" and self.table is not None and self.row is not None:
            self.table.rows.extend([self.row] * self.repeated)
        elif self.closes == "table" and self.table is not None:
            self.out.extend(reduced(self.table))


F = TypeVar("F", bound=Frame)


class Walk(Generic[F]):
    """Reads block content up to so many characters; what elements mean is for the format to say."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._spent = 0
        self.is_full = False
        """Whether it stopped at the most characters that may be read."""

    def read(self, root: Any, path: str) -> list[Piece]:
        """The pieces of an element's content."""
        pieces: list[Piece] = []
        stack = [self.first(iter(root), path, pieces)]
        while stack:
            frame = stack[-1]
            element = next(frame.rest, None)
            if element is None or self.is_full:
                stack.pop().close()
                continue
            self.take(element, frame, stack)
        return pieces

    def first(self, rest: Iterator[Any], path: str, out: list[Piece]) -> F:
        """The frame to begin with."""
        raise NotImplementedError

    def take(self, element: Any, frame: F, stack: list[F]) -> None:
        """Read one element, or put a frame on the stack for what is inside of it."""
        raise NotImplementedError

    def spend(self, characters: int) -> None:
        self._spent += characters
        self.is_full = self._spent > self._most
