"""Tables of office documents: merged cells laid out, and tables that only arrange a page taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from seamline.parse.pieces import Piece, as_text, notes_of

_MOST_COLUMNS = 63
"""Word has no more; a cell that claims to span more spans these."""
_REPEATED = 80
"""Characters of a merged cell that are said again in each row it reaches into; longer text is said once."""


@dataclass(slots=True)
class Cell:
    """One cell as it is written."""

    pieces: list[Piece]
    span: int = 1
    continues: bool = False
    """Whether it is the lower part of a cell above."""


@dataclass(slots=True)
class Row:
    """One row as it is written."""

    path: str
    skipped: int = 0
    """Columns before its first cell."""
    cells: list[Cell] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """A table as it is written."""

    path: str
    columns: int = 0
    """As it declares them; 0 where it does not."""
    rows: list[Row] = field(default_factory=list)

    @property
    def most(self) -> int:
        """Columns that one cell may span."""
        return min(self.columns, _MOST_COLUMNS) or _MOST_COLUMNS


def reduced(table: Table) -> Iterator[Piece]:
    """The table as one piece; as all the pieces in it where it is there for the layout only."""
    if _is_layout(table):
        for row in table.rows:
            for cell in row.cells:
                yield from cell.pieces
        return
    rows: list[tuple[str, ...]] = []
    places: list[str] = []
    above: dict[int, str] = {}
    for row in table.rows:
        rows.append(_laid_out(row, above, is_header=not rows))
        places.append(row.path)
    notes = tuple(note for row in table.rows for cell in row.cells for note in notes_of(cell.pieces))
    pictures = tuple(one for row in table.rows for cell in row.cells for piece in cell.pieces for one in piece.pictures)
    first = [cell for cell in rows[0] if cell] if rows else []
    title = table.rows[0] if table.rows else Row("")
    if len(rows) > 1 and len(title.cells) == 1 and title.cells[0].span > 1 and len(set(first)) == 1:
        yield Piece("caption", as_text(title.cells[0].pieces), places[0], notes=notes)
        rows, places, notes = rows[1:], places[1:], ()
    yield Piece("table", "", table.path, notes=notes, pictures=pictures, rows=tuple(rows), places=tuple(places))


def _is_layout(table: Table) -> bool:
    """Whether it holds one cell only, or a cell with headings over text, as pages are arranged."""
    cells = [cell for row in table.rows for cell in row.cells]
    if len(cells) == 1:
        return True
    for cell in cells:
        kinds = [piece.kind for piece in cell.pieces if piece.kind != "blank"]
        if "heading" in kinds[:-1]:
            return True
    return False


def _laid_out(row: Row, above: dict[int, str], *, is_header: bool) -> tuple[str, ...]:
    """The cells of a row by column. `above` holds short text of merged cells that reach down."""
    out = [""] * row.skipped
    for cell in row.cells:
        column = len(out)
        text = as_text(cell.pieces)
        if cell.continues:
            text = text or above.get(column, "")
        above[column] = text if len(text) <= _REPEATED else ""
        out.append(text)
        repeated = text if is_header and len(text) <= _REPEATED else ""
        out.extend([repeated] * (cell.span - 1))
    return tuple(out)
