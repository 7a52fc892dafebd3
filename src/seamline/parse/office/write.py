"""Reading and writing of office documents that all formats share: `ContentWalk` goes through the XML with a stack, as
tables nest in tables without end; `PieceWriter` turns the pieces into the text, blocks and anchors of a builder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import basename
from typing import Any, Generic, TypeVar

from seamline.parse.builder import CAPTION, DocumentBuilder, Place, PlacedText
from seamline.parse.office.pieces import (
    ListOutline,
    OfficeCell,
    OfficePicture,
    OfficePiece,
    OfficeRow,
    OfficeTable,
    reduce_table,
)
from seamline.types import Detail

_CODE_SIGN = re.compile(r"[{}=;<>\[\]|\\$#@_]|\w\(|^\s{2,}|^\s*(?:--|//|\$ )", re.MULTILINE)

Told = tuple[str, str]
"""The text of a note, and its path."""


class PieceWriter:
    """Writes pieces in order; joins what belongs together: items, lines of code, a figure and its caption."""

    def __init__(
        self,
        builder: DocumentBuilder,
        note: Callable[[str], Told],
        drawn: Callable[[OfficePicture], Sequence[OfficePiece]],
        place: Callable[[str], Place] = lambda path: {"paragraph": path},
    ) -> None:
        self._builder = builder
        self._outline = ListOutline(builder)
        self._note = note
        self._drawn = drawn
        self._place = place
        self._code: list[OfficePiece] = []
        self._figure: OfficePiece | None = None
        self._quotes: list[OfficePiece] = []
        self._notes: dict[str, str] = {}
        self._noted: set[str] = set()

    def write(self, pieces: Iterable[OfficePiece]) -> None:
        for piece in pieces:
            self._step(piece)
        self._settle()

    def _step(self, piece: OfficePiece) -> None:
        if piece.kind == "blank":
            if self._code and not piece.pictures:
                self._code.append(piece)
            self._draw(piece)
            return
        if self._figure is not None and piece.kind == "caption":
            self._write_captioned(piece)
        elif piece.kind == "item" or (piece.kind == "continued" and self._outline.is_open):
            self._item(piece)
        elif piece.kind in ("code", "quote", "figure"):
            if not (piece.kind == "code" and self._code) and not (piece.kind == "quote" and self._quotes):
                self._settle()
            self._hold(piece)
        else:
            self._settle()
            self._plain(piece)
        self._notes.update(dict(piece.notes))
        self._draw(piece)

    def _hold(self, piece: OfficePiece) -> None:
        """Keep a piece until it is known what follows."""
        if piece.kind == "code":
            self._code.append(piece)
        elif piece.kind == "quote":
            self._quotes.append(piece)
        else:
            self._figure = piece

    def _item(self, piece: OfficePiece) -> None:
        if not self._outline.is_open:
            self._settle()
        self._flush()
        if piece.kind == "item":
            self._outline.item(piece.level, piece.label, piece.text, self._place(piece.path), piece.key)
        else:
            self._outline.continue_item(piece.text, self._place(piece.path))

    def _plain(self, piece: OfficePiece) -> None:
        place = self._place(piece.path)
        if piece.kind == "heading":
            self._builder.heading(piece.level, piece.text, place)
        elif piece.kind == "math":
            self._builder.math(piece.text, place)
        elif piece.kind == "table":
            self._builder.table(piece.rows, [self._place(one) for one in piece.places])
        else:
            self._builder.paragraph(piece.text, place, detail=CAPTION if piece.kind == "caption" else None)

    def _write_captioned(self, caption: OfficePiece) -> None:
        """A figure with its caption, one block."""
        figure, self._figure = self._figure, None
        if figure is not None:
            words = [
                PlacedText(f"{figure.text} ", self._place(figure.path)),
                PlacedText(caption.text, self._place(caption.path)),
            ]
            self._builder.paragraph(words, kind="figure", detail=_image(figure))

    def _flush(self) -> None:
        """Write what was kept."""
        if self._code:
            self._write_code()
        if self._quotes:
            with self._builder.quote():
                for piece in self._quotes:
                    self._builder.paragraph(piece.text, self._place(piece.path))
            self._quotes = []
        if self._figure is not None:
            figure, self._figure = self._figure, None
            self._builder.paragraph(figure.text, self._place(figure.path), "figure", _image(figure))

    def _write_code(self) -> None:
        """Lines of code as one block; what is only set in such a font, and has no sign of code, is text."""
        lines, self._code = self._code, []
        if all(piece.role == "mono" or not piece.text for piece in lines) and not any(
            _CODE_SIGN.search(piece.text) for piece in lines
        ):
            for piece in lines:
                self._builder.paragraph(piece.text, self._place(piece.path))
            return
        self._builder.code("\n".join(piece.text.rstrip() for piece in lines), place=self._place(lines[0].path))

    def _settle(self) -> None:
        """End what is open, and put the notes after it that it refers to."""
        self._flush()
        self._outline.close()
        for label, key in self._notes.items():
            if label not in self._noted:
                self._noted.add(label)
                text, path = self._note(key)
                self._builder.footnote(label, text, self._place(path))
        self._notes = {}

    def _draw(self, piece: OfficePiece) -> None:
        """Charts, diagrams and formulas that stand in a piece, after it."""
        for picture in piece.pictures:
            if picture.kind != "picture" and (drawn := self._drawn(picture)):
                self._settle()
                for one in drawn:
                    self._step(one)
                self._settle()


def _image(figure: OfficePiece) -> Detail | None:
    """What picture a figure is, for those who want to look at it."""
    found = next((one for one in figure.pictures if one.kind == "picture" and one.target), None)
    return Detail(name=basename(found.target), image=found.target, size=found.size) if found else None


@dataclass(slots=True)
class OpenElement:
    """An element whose children are being read."""

    rest: Iterator[Any]
    path: str
    out: list[OfficePiece]
    table: OfficeTable | None = None
    row: OfficeRow | None = None
    cell: OfficeCell | None = None
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
            self.out.extend(reduce_table(self.table))


F = TypeVar("F", bound=OpenElement)


class ContentWalk(Generic[F]):
    """Reads block content up to so many characters; what elements mean is for the format to say."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._spent = 0
        self.is_full = False
        """Whether it stopped at the most characters that may be read."""

    def read(self, root: Any, path: str) -> list[OfficePiece]:
        """The pieces of an element's content."""
        pieces: list[OfficePiece] = []
        stack = [self.first(iter(root), path, pieces)]
        while stack:
            frame = stack[-1]
            element = next(frame.rest, None)
            if element is None or self.is_full:
                stack.pop().close()
                continue
            self.take(element, frame, stack)
        return pieces

    def first(self, rest: Iterator[Any], path: str, out: list[OfficePiece]) -> F:
        """The frame to begin with."""
        raise NotImplementedError

    def take(self, element: Any, frame: F, stack: list[F]) -> None:
        """Read one element, or put a frame on the stack for what is inside of it."""
        raise NotImplementedError

    def spend(self, characters: int) -> None:
        self._spent += characters
        self.is_full = self._spent > self._most
