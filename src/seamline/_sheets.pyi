"""Cells of spreadsheets as text, in C: what `seamline.parse.sheet_rows` and `sheet_cells` do, in one pass each."""

from collections.abc import Callable
from typing import Any

def write_rows(
    rows: list[list[Any]], width: int, room: int, shown: Callable[[Any], str], cell: Callable[[str], str], /
) -> tuple[str, list[int]]:
    """Rows as lines between bars, as many as fit into `room` characters, and where each ends.

    `shown` writes values that are no text, number or truth; `cell` makes a text fit for a cell where it is not.
    """

def has_marks(data: bytes, /) -> tuple[bool, bool, bool, int]:
    """Whether XML of a sheet has a column of two letters, a formula, a cell with an error, and how many cells
    with shared text."""
