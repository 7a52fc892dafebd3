"""How long the text of a cell may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seamline.parse.sheets.grid import Grid

CELL = 32_767
"""Characters of a cell that spreadsheet programs hold."""


class Cut(NamedTuple):
    """What was cut off."""

    cells: int
    characters: int

    @property
    def message(self) -> str:
        cells = "a cell holds" if self.cells == 1 else f"{self.cells:,} cells hold"
        return f"{cells} more than {CELL:,} characters: {self.characters:,} were cut off"


def cut_long(grids: Sequence[Grid]) -> Cut | None:
    """Cut the texts of cells to what a cell holds, in place; what was cut, if anything."""
    cells = characters = 0
    for grid in grids:
        for row in grid.rows:
            for column, value in enumerate(row):
                if type(value) is str and len(value) > CELL:
                    cells += 1
                    characters += len(value) - CELL
                    row[column] = value[:CELL]
    return Cut(cells, characters) if cells else None
