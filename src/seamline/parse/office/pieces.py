"""What office documents are read into before they are written: paragraphs with what they are, and tables.

Merged cells are laid out, and tables that only arrange a page are taken apart. Lists come as paragraphs that say their
level; `ListOutline` opens and closes the lists around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple

from seamline.parse.builder import DocumentBuilder, Place, Words

_ENDS = re.compile(r"[.!?:;,…。！？]['\"”’)\]]?$")


class OfficePicture(NamedTuple):
    """Something that is looked at."""

    alt: str
    target: str
    """The part that holds it, or the chart or diagram that it is."""
    kind: str = "picture"
    """picture, chart, diagram or object."""
    size: tuple[float, float] | None = None
    """Width and height in points, as the document shows it."""


class OfficePiece(NamedTuple):
    """A paragraph or a table."""

    kind: str
    """heading, paragraph, item, continued (of the item before), code, quote, caption, figure, math, table, blank."""
    text: str
    path: str
    """Where it stands in the source."""
    level: int = 0
    """Of a heading from 1, of an item from 0."""
    label: str = ""
    """What stands before an item."""
    key: str = ""
    """Which list an item is of."""
    role: str = ""
    """`title` of a heading that names the document; `mono` of code that only its font shows to be such."""
    notes: tuple[tuple[str, str], ...] = ()
    """Label and key of the notes it refers to."""
    pictures: tuple[OfficePicture, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """Cells of a table."""
    places: tuple[str, ...] = ()
    """Where its rows stand."""


def as_text(pieces: Sequence[OfficePiece]) -> str:
    """Pieces on one line, as a cell or a note holds them: a semicolon where no sentence ended."""
    out: list[str] = []
    for piece in pieces:
        text = _one(piece)
        if not text:
            continue
        if out:
            out.append(" " if _ENDS.search(out[-1][-3:]) else "; ")
        out.append(text)
    return "".join(out)


def _one(piece: OfficePiece) -> str:
    if piece.kind == "table":
        return "; ".join(", ".join(cell for cell in row if cell) for row in piece.rows if any(row))
    text = " ".join(piece.text.split())
    if piece.kind == "math":
        return f"${text}$"
    return f"{piece.label} {text}" if piece.kind == "item" and piece.label not in ("", "-") else text


def notes_of(pieces: Sequence[OfficePiece]) -> tuple[tuple[str, str], ...]:
    return tuple(note for piece in pieces for note in piece.notes)


_MOST_COLUMNS = 63
"""Word has no more; a cell that claims to span more spans these."""
_REPEATED = 80
"""Characters of a merged cell that are said again in each row it reaches into; longer text is said once."""


@dataclass(slots=True)
class OfficeCell:
    """One cell as it is written."""

    pieces: list[OfficePiece]
    span: int = 1
    continues: bool = False
    """Whether it is the lower part of a cell above."""


@dataclass(slots=True)
class OfficeRow:
    """One row as it is written."""

    path: str
    skipped: int = 0
    """Columns before its first cell."""
    cells: list[OfficeCell] = field(default_factory=list)


@dataclass(slots=True)
class OfficeTable:
    """A table as it is written."""

    path: str
    columns: int = 0
    """As it declares them; 0 where it does not."""
    rows: list[OfficeRow] = field(default_factory=list)

    @property
    def most(self) -> int:
        """Columns that one cell may span."""
        return min(self.columns, _MOST_COLUMNS) or _MOST_COLUMNS


def reduce_table(table: OfficeTable) -> Iterator[OfficePiece]:
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
        rows.append(_lay_out_row(row, above, is_header=not rows))
        places.append(row.path)
    notes = tuple(note for row in table.rows for cell in row.cells for note in notes_of(cell.pieces))
    pictures = tuple(one for row in table.rows for cell in row.cells for piece in cell.pieces for one in piece.pictures)
    first = [cell for cell in rows[0] if cell] if rows else []
    title = table.rows[0] if table.rows else OfficeRow("")
    if len(rows) > 1 and len(title.cells) == 1 and title.cells[0].span > 1 and len(set(first)) == 1:
        yield OfficePiece("caption", as_text(title.cells[0].pieces), places[0], notes=notes)
        rows, places, notes = rows[1:], places[1:], ()
    yield OfficePiece("table", "", table.path, notes=notes, pictures=pictures, rows=tuple(rows), places=tuple(places))


def _is_layout(table: OfficeTable) -> bool:
    """Whether it holds one cell only, or a cell with headings over text, as pages are arranged."""
    cells = [cell for row in table.rows for cell in row.cells]
    if len(cells) == 1:
        return True
    for cell in cells:
        kinds = [piece.kind for piece in cell.pieces if piece.kind != "blank"]
        if "heading" in kinds[:-1]:
            return True
    return False


def _lay_out_row(row: OfficeRow, above: dict[int, str], *, is_header: bool) -> tuple[str, ...]:
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


_DEEPEST = 9
"""Levels of nesting; deeper items stand on this one."""


class _Level(NamedTuple):
    level: int
    key: str
    list: AbstractContextManager[None]
    item: AbstractContextManager[None]


class ListOutline:
    """Writes items one after another, and opens and closes the lists around them."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._open: list[_Level] = []

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    def item(self, level: int, label: str, words: Words, place: Place | None = None, key: str = "") -> None:
        """An item on a level, from 0; items of another `key` on the same level begin another list."""
        level = min(level, _DEEPEST)
        while self._open and (self._open[-1].level > level or self._is_other(level, key)):
            self._close()
        around = self._open[-1] if self._open else None
        if around is not None and around.level == level:
            around.item.__exit__(None, None, None)
            self._open[-1] = around._replace(item=self._enter(self._builder.item(label)))
        else:
            inner = self._enter(self._builder.list())
            self._open.append(_Level(level, key, inner, self._enter(self._builder.item(label))))
        self._builder.paragraph(words, place)

    def continue_item(self, words: Words, place: Place | None = None) -> None:
        """Another paragraph of the last item."""
        self._builder.paragraph(words, place)

    def close(self) -> None:
        """End all lists."""
        while self._open:
            self._close()

    def _is_other(self, level: int, key: str) -> bool:
        return self._open[-1].level == level and self._open[-1].key != key

    def _close(self) -> None:
        last = self._open.pop()
        last.item.__exit__(None, None, None)
        last.list.__exit__(None, None, None)

    @staticmethod
    def _enter(context: AbstractContextManager[None]) -> AbstractContextManager[None]:
        context.__enter__()
        return context
