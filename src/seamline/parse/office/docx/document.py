"""Word documents (DOCX): the body in reading order, its notes beside what refers to them.

Kept: all text of the body, inserted text, text boxes once, content controls, tables of contents (as lists), formulas
as LaTeX, alternative texts of pictures, cached values of charts. Left out, and said so in a notice: deleted and hidden
text, headers and footers, comments, pictures that nobody described. Tables nest in cells of tables, and boxes in
paragraphs; a stack follows them, never recursion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from seamline.parse.builder import DocumentBuilder
from seamline.parse.office.docx.styles import DocxNumbering, DocxStyles, ParagraphLook
from seamline.parse.office.docx.text import DocxLine, DocxLines, choose_alternative
from seamline.parse.office.ooxml import (
    OfficePackage,
    PartRelation,
    attribute,
    child,
    drawn_pieces,
    name_of,
    number,
    value,
)
from seamline.parse.office.pieces import OfficeCell, OfficePicture, OfficePiece, OfficeRow, OfficeTable, as_text
from seamline.parse.office.write import ContentWalk, OpenElement, PieceWriter, Told
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.runtime import gc_paused

_LEFT_OUT = {
    "deleted": ("deleted-text", "{:,} characters that tracked changes delete are left out"),
    "hidden": ("hidden-text", "{:,} characters of hidden text are left out"),
    "pictures": ("pictures-undescribed", "{:,} pictures without an alternative text are left out"),
    "objects": ("objects-embedded", "{:,} embedded objects are left out"),
    "symbols": ("symbols-unknown", "{:,} characters of symbol fonts are left out"),
}
_SHOWN = 60


def parse(raw: ParseInput) -> ParseResult:
    """A Word document."""
    with gc_paused():
        return _Reader(raw).parse()


class _Reader:
    """One document while it is read."""

    def __init__(self, raw: ParseInput) -> None:
        self._limits = raw.limits
        self._package = OfficePackage(raw)
        self._main = self._package.main("word/document.xml")
        self._document = self._package.xml(self._main)
        self._relations = self._package.relations(self._main)
        styles = DocxStyles(self._part("styles", "word/styles.xml"))
        numbering = DocxNumbering(self._part("numbering", "word/numbering.xml"), styles)
        self._lines = DocxLines(styles)
        self._body = DocxBody(styles, numbering, self._lines, raw.limits.characters)
        self._notes: dict[str, tuple[Any, str]] = {}

    def parse(self) -> ParseResult:
        body = child(self._document, "w:body")
        self._lines.relations = self._relations
        pieces = self._body.read(self._document if body is None else body, "body")
        builder = DocumentBuilder()
        PieceWriter(builder, self._note, self._drawn_pieces).write(pieces)
        text, blocks, anchors = builder.finish()
        meta: dict[str, Any] = dict(self._package.core())
        title = meta.pop("title", "") or _title(pieces)
        self._tell(text)
        return ParseResult(text, blocks, title, meta, anchors, notices=tuple(self._package.notices))

    def _part(self, kind: str, usual: str) -> Any | None:
        """A part that the document points at, else where it usually is."""
        return self._package.xml_if_any(self._target(kind) or usual)

    def _target(self, kind: str) -> str:
        return next((one.target for one in self._relations.values() if one.kind == kind and not one.outside), "")

    def _note(self, key: str) -> Told:
        """The text of a footnote or endnote."""
        if not self._notes:
            self._notes = {"": (None, ""), **self._read_notes("footnote"), **self._read_notes("endnote")}
        element, path = self._notes.get(key, (None, ""))
        if element is None:
            self._package.note("note-missing", f"refers to {key}, which is not there")
            return "", key
        return as_text(self._body.read(element, path)), path

    def _read_notes(self, kind: str) -> dict[str, tuple[Any, str]]:
        root = self._part(f"{kind}s", f"word/{kind}s.xml")
        if root is None:
            return {}
        found = [one for one in root if name_of(one) == f"w:{kind}"]
        return {f"{kind} {attribute(one, 'id')}": (one, f"{kind}s/{kind}[{attribute(one, 'id')}]") for one in found}

    def _drawn_pieces(self, picture: OfficePicture) -> Sequence[OfficePiece]:
        return drawn_pieces(self._package, picture)

    # --- what is left out -----------------------------------------------------------------------------------------

    def _tell(self, text: str) -> None:
        note = self._package.note
        for what, count in sorted(self._lines.left_out.items()):
            if count:
                code, message = _LEFT_OUT[what]
                note(code, message.format(count))
        self._tell_margins()
        self._tell_comments()
        for key in self._body.chunks:
            relation = self._relations.get(key, PartRelation("", "", False))
            note("foreign-content", "content in another format is not read", f"part {relation.target or key}")
        if self._body.is_full:
            note("text-limit", f"holds more than {self._limits.characters:,} characters: the rest is left out")
        if not text:
            note("no-text", "holds no text")
        self._package.tell_damaged()

    def _tell_margins(self) -> None:
        """Headers and footers, with what they say."""
        said: dict[str, None] = {}
        for one in self._relations.values():
            if one.kind in ("header", "footer") and not one.outside and self._package.is_first(one.target):
                root = self._package.xml_if_any(one.target)
                words = "" if root is None else " ".join(" ".join(_texts(root)).split())
                if words:
                    said[f'{one.kind} "{words[:_SHOWN]}{"..." if len(words) > _SHOWN else ""}"'] = None
        if said:
            self._package.note("margins", f"headers and footers are left out: {', '.join(said)}")

    def _tell_comments(self) -> None:
        root = self._package.xml_if_any(self._target("comments") or "word/comments.xml")
        count = 0 if root is None else sum(name_of(one) == "w:comment" for one in root)
        if count:
            self._package.note("comments", f"{count:,} comments are left out")


def _texts(root: Any) -> list[str]:
    return [one.text or "" for one in root.iter() if name_of(one) == "w:t"]


def _title(pieces: Sequence[OfficePiece]) -> str:
    """What the document calls itself: its title paragraph, else a first heading of level 1."""
    for piece in pieces:
        if piece.role == "title":
            return " ".join(piece.text.split())
    first = next((piece for piece in pieces if piece.kind == "heading"), None)
    return " ".join(first.text.split()) if first is not None and first.level == 1 else ""


_SKIPPED = frozenset((
    "w:sectPr", "w:pPr", "w:tblPr", "w:tblGrid", "w:trPr", "w:tcPr", "w:tblPrEx", "w:sdtPr", "w:sdtEndPr",
    "w:customXmlPr", "w:bookmarkStart", "w:bookmarkEnd", "w:proofErr", "w:permStart", "w:permEnd",
    "w:commentRangeStart", "w:commentRangeEnd", "w:background",
))  # fmt: skip
_INLINE = frozenset(("w:r", "w:t", "w:hyperlink", "w:fldSimple", "m:oMath", "m:oMathPara", "w:drawing", "w:pict"))
_LONGEST_HEADING = 400
"""Characters; a longer one is text that has the wrong style."""


class DocxBody(ContentWalk[OpenElement]):
    """Reads block content: of the body, of notes, of boxes."""

    def __init__(self, styles: DocxStyles, numbering: DocxNumbering, lines: DocxLines, most: int) -> None:
        super().__init__(most)
        self._styles = styles
        self._numbering = numbering
        self._lines = lines
        self.chunks: list[str] = []
        """Relations to content in other formats that Word would take in when it opens the document."""

    def first(self, rest: Iterator[Any], path: str, out: list[OfficePiece]) -> OpenElement:
        return OpenElement(rest, path, out)

    def take(self, element: Any, frame: OpenElement, stack: list[OpenElement]) -> None:
        name = name_of(element)
        if not name or name in _SKIPPED:
            return
        if name == "w:p" or name in _INLINE:
            self._paragraph(element, name, frame, stack)
        elif name in ("w:del", "w:moveFrom"):
            self._lines.left_out["deleted"] += sum(len(text) for text in element.itertext())
        elif name == "w:tbl":
            table = OfficeTable(frame.step("tbl"), _columns(element))
            stack.append(OpenElement(iter(element), table.path, frame.out, table, closes="table"))
        elif name == "w:tr" and frame.table is not None:
            self._row(element, frame, stack)
        elif name == "w:tc" and frame.row is not None:
            span = number(value(element, "w:tcPr", "w:gridSpan"), 1, frame.table.most if frame.table else 1, 1)
            cell = OfficeCell([], span, _continues(element))
            path = frame.step("tc")
            stack.append(OpenElement(iter(element), path, cell.pieces, row=frame.row, cell=cell, closes="cell"))
        elif name == "w:altChunk":
            self.chunks.append(next(iter(element.values()), ""))
        elif name == "mc:AlternateContent":
            stack.append(OpenElement(iter(choose_alternative(element)), frame.path, frame.out, frame.table, frame.row))
        else:  # content controls and whatever else is put around content
            path = frame.step("sdt") if name == "w:sdt" else frame.path
            counts = frame.counts if path == frame.path else Counter()
            stack.append(OpenElement(iter(element), path, frame.out, frame.table, frame.row, counts=counts))

    def _row(self, element: Any, frame: OpenElement, stack: list[OpenElement]) -> None:
        path = frame.step("tr")
        if child(element, "w:trPr", "w:del") is not None:
            self._lines.left_out["deleted"] += sum(len(text) for text in element.itertext())
            return
        most = frame.table.most if frame.table else 1
        row = OfficeRow(path, number(value(element, "w:trPr", "w:gridBefore"), 0, most, 0))
        stack.append(OpenElement(iter(element), path, frame.out, frame.table, row, closes="row"))

    def _paragraph(self, element: Any, name: str, frame: OpenElement, stack: list[OpenElement]) -> None:
        path = frame.step("p") if name == "w:p" else frame.path
        style = value(element, "w:pPr", "w:pStyle")
        look = self._styles.look(style)
        line = self._lines.read(element, hidden=look.hidden)
        frame.out.extend(self._pieces(element, line, look, style, path))
        for index in range(len(line.boxes), 0, -1):
            stack.append(OpenElement(iter(line.boxes[index - 1]), f"{path}/box[{index}]", frame.out))
        self.spend(sum(len(text) for _, text in line.parts))

    def _pieces(
        self, element: Any, line: DocxLine, look: ParagraphLook, style: str, path: str
    ) -> Iterator[OfficePiece]:
        text = line.text
        label, level, key = self._label(element, look, style, bool(text.strip()))
        notes = tuple(line.notes)
        pictures = tuple(line.pictures)
        kind, depth = self._kind(element, look)
        only = line.only()
        if only == "picture" or (pictures and not text.strip()):
            yield OfficePiece("figure", text, path, notes=notes, pictures=pictures)
        elif not text.strip():
            yield OfficePiece("blank", "", path)
        elif only == "display" or (only == "math" and kind == "paragraph" and label is None):
            yield OfficePiece("math", " \\\\ ".join(part[1:-1] for _, part in line.parts if part.strip()), path)
        elif kind in ("heading", "title") and len(text) <= _LONGEST_HEADING:
            number = f"{label} " if label not in (None, "-") else ""
            yield OfficePiece("heading", number + text, path, depth, role=kind, notes=notes, pictures=pictures)
        elif label is not None and kind not in ("code", "caption"):
            yield OfficePiece("item", text, path, level, label, key, notes=notes, pictures=pictures)
        elif kind == "contents":
            yield OfficePiece("item", text, path, depth - 1, "-", "contents", notes=notes)
        elif kind == "code" or line.mono or look.mono:
            role = "" if kind == "code" else "mono"
            yield OfficePiece("code", text, path, role=role, notes=notes, pictures=pictures)
        else:
            kind = kind if kind in ("caption", "quote", "continued") else "paragraph"
            yield OfficePiece(kind, text, path, notes=notes, pictures=pictures)

    def _kind(self, element: Any, look: ParagraphLook) -> tuple[str, int]:
        """The kind of a paragraph: its own outline level counts before its style's."""
        own = value(element, "w:pPr", "w:outlineLvl")
        level = number(own, 0, 9, 9) if own else None
        if level is None:
            return look.kind, look.level
        if level < 9:
            return "heading", level + 1
        return ("paragraph", 0) if look.kind == "heading" else (look.kind, look.level)

    def _label(self, element: Any, look: ParagraphLook, style: str, is_shown: bool) -> tuple[str | None, int, str]:
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
