"""The body of a Word document -> pieces in reading order: paragraphs with what they are, and tables.

Tables nest in cells of tables, and boxes in paragraphs; a stack of frames follows them, never recursion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from seamline.parse.docx_numbering import Numbering
from seamline.parse.docx_styles import Look, Styles
from seamline.parse.docx_table import Cell, Row, Table
from seamline.parse.docx_text import Line, Lines, alternative
from seamline.parse.ooxml import child, name_of, number, value
from seamline.parse.pieces import Piece
from seamline.parse.pieces_walk import Frame, Walk

_SKIPPED = frozenset((
    "w:sectPr", "w:pPr", "w:tblPr", "w:tblGrid", "w:trPr", "w:tcPr", "w:tblPrEx", "w:sdtPr", "w:sdtEndPr",
    "w:customXmlPr", "w:bookmarkStart", "w:bookmarkEnd", "w:proofErr", "w:permStart", "w:permEnd",
    "w:commentRangeStart", "w:commentRangeEnd", "w:background",
))  # fmt: skip
_INLINE = frozenset(("w:r", "w:t", "w:hyperlink", "w:fldSimple", "m:oMath", "m:oMathPara", "w:drawing", "w:pict"))
_LONGEST_HEADING = 400
"""Characters; a longer one is text that has the wrong style."""


class Body(Walk[Frame]):
    """Reads block content: of the body, of notes, of boxes."""

    def __init__(self, styles: Styles, numbering: Numbering, lines: Lines, most: int) -> None:
        super().__init__(most)
        self._styles = styles
        self._numbering = numbering
        self._lines = lines
        self.chunks: list[str] = []
        """Relations to content in other formats that Word would take in when it opens the document."""

    def first(self, rest: Iterator[Any], path: str, out: list[Piece]) -> Frame:
        return Frame(rest, path, out)

    def take(self, element: Any, frame: Frame, stack: list[Frame]) -> None:
        name = name_of(element)
        if not name or name in _SKIPPED:
            return
        if name == "w:p" or name in _INLINE:
            self._paragraph(element, name, frame, stack)
        elif name in ("w:del", "w:moveFrom"):
            self._lines.left_out["deleted"] += sum(len(text) for text in element.itertext())
        elif name == "w:tbl":
            table = Table(frame.step("tbl"), _columns(element))
            stack.append(Frame(iter(element), table.path, frame.out, table, closes="table"))
        elif name == "w:tr" and frame.table is not None:
            self._row(element, frame, stack)
        elif name == "w:tc" and frame.row is not None:
            span = number(value(element, "w:tcPr", "w:gridSpan"), 1, frame.table.most if frame.table else 1, 1)
            cell = Cell([], span, _continues(element))
            path = frame.step("tc")
            stack.append(Frame(iter(element), path, cell.pieces, row=frame.row, cell=cell, closes="cell"))
        elif name == "w:altChunk":
            self.chunks.append(next(iter(element.values()), ""))
        elif name == "mc:AlternateContent":
            stack.append(Frame(iter(alternative(element)), frame.path, frame.out, frame.table, frame.row))
        else:  # content controls and whatever else is put around content
            path = frame.step("sdt") if name == "w:sdt" else frame.path
            counts = frame.counts if path == frame.path else Counter()
            stack.append(Frame(iter(element), path, frame.out, frame.table, frame.row, counts=counts))

    def _row(self, element: Any, frame: Frame, stack: list[Frame]) -> None:
        path = frame.step("tr")
        if child(element, "w:trPr", "w:del") is not None:
            self._lines.left_out["deleted"] += sum(len(text) for text in element.itertext())
            return
        most = frame.table.most if frame.table else 1
        row = Row(path, number(value(element, "w:trPr", "w:gridBefore"), 0, most, 0))
        stack.append(Frame(iter(element), path, frame.out, frame.table, row, closes="row"))

    def _paragraph(self, element: Any, name: str, frame: Frame, stack: list[Frame]) -> None:
        path = frame.step("p") if name == "w:p" else frame.path
        style = value(element, "w:pPr", "w:pStyle")
        look = self._styles.look(style)
        line = self._lines.read(element, hidden=look.hidden)
        frame.out.extend(self._pieces(element, line, look, style, path))
        for index in range(len(line.boxes), 0, -1):
            stack.append(Frame(iter(line.boxes[index - 1]), f"{path}/box[{index}]", frame.out))
        self.spend(sum(len(text) for _, text in line.parts))

    def _pieces(self, element: Any, line: Line, look: Look, style: str, path: str) -> Iterator[Piece]:
        text = line.text
        label, level, key = self._label(element, look, style, bool(text.strip()))
        notes = tuple(line.notes)
        pictures = tuple(line.pictures)
        kind, depth = self._kind(element, look)
        only = line.only()
        if only == "picture" or (pictures and not text.strip()):
            yield Piece("figure", text, path, notes=notes, pictures=pictures)
        elif not text.strip():
            yield Piece("blank", "", path)
        elif only == "display" or (only == "math" and kind == "paragraph" and label is None):
            yield Piece("math", " \\\\ ".join(part[1:-1] for _, part in line.parts if part.strip()), path)
        elif kind in ("heading", "title") and len(text) <= _LONGEST_HEADING:
            number = f"{label} " if label not in (None, "-") else ""
            yield Piece("heading", number + text, path, depth, role=kind, notes=notes, pictures=pictures)
        elif label is not None and kind not in ("code", "caption"):
            yield Piece("item", text, path, level, label, key, notes=notes, pictures=pictures)
        elif kind == "contents":
            yield Piece("item", text, path, depth - 1, "-", "contents", notes=notes)
        elif kind == "code" or line.mono or look.mono:
            role = "" if kind == "code" else "mono"
            yield Piece("code", text, path, role=role, notes=notes, pictures=pictures)
        else:
            kind = kind if kind in ("caption", "quote", "continued") else "paragraph"
            yield Piece(kind, text, path, notes=notes, pictures=pictures)

    def _kind(self, element: Any, look: Look) -> tuple[str, int]:
        """The kind of a paragraph: its own outline level counts before its style's."""
        own = value(element, "w:pPr", "w:outlineLvl")
        level = number(own, 0, 9, 9) if own else None
        if level is None:
            return look.kind, look.level
        if level < 9:
            return "heading", level + 1
        return ("paragraph", 0) if look.kind == "heading" else (look.kind, look.level)

    def _label(self, element: Any, look: Look, style: str, is_shown: bool) -> tuple[str | None, int, str]:
        """What stands before a paragraph in a list, its level, and which list it is."""
        own = child(element, "w:pPr", "w:numPr")
        key = "" if own is None else value(own, "w:numId")
        given = "" if own is None else value(own, "w:ilvl")
        tied = "" if key else style
        if not key:
            key, given = look.numbering, given or look.list_level
        if not key or key == "0" or not is_shown:
            return None, 0, ""
        level = self._numbering.level_of(key, given, tied)
        return self._numbering.label(key, level), level, key


def _columns(table: Any) -> int:
    grid = child(table, "w:tblGrid")
    return 0 if grid is None else sum(name_of(one) == "w:gridCol" for one in grid)


def _continues(cell: Any) -> bool:
    """Whether a cell is the lower part of one that began in a row above."""
    return child(cell, "w:tcPr", "w:vMerge") is not None and value(cell, "w:tcPr", "w:vMerge") != "restart"
