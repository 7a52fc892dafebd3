"""The content of OpenDocument files -> pieces in reading order: paragraphs with spans, links, notes and frames, lists,
tables. A stack follows what is nested, never recursion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from seamline.parse.office.docx.text import format_link
from seamline.parse.office.odf.styles import OdfStyles, child, get, name_of
from seamline.parse.office.ooxml import number
from seamline.parse.office.pieces import OfficeCell, OfficePicture, OfficePiece, OfficeRow, OfficeTable
from seamline.parse.office.write import ContentWalk, OpenElement

_SKIPPED = frozenset((
    "text:sequence-decls", "text:variable-decls", "text:user-field-decls", "office:forms", "presentation:notes",
    "drawing:image", "svg-compatible:title", "svg-compatible:desc", "table:table-column", "table:table-columns",
    "table:table-header-columns", "drawing:glue-point", "drawing:enhanced-geometry", "drawing:object",
    "drawing:object-ole", "text:alphabetical-index-auto-mark-file", "text:table-of-content-source",
    "text:dde-connection-decls", "office:annotation", "table:shapes",
))  # fmt: skip
_MOST_COLUMNS = 64
_MOST_REPEATED = 16
_LONGEST_HEADING = 400


@dataclass(slots=True)
class _Lists:
    """The lists around an element."""

    style: str
    counts: list[int]
    fresh: bool = False
    """Whether the item has no text yet, and its label is still to be written."""


@dataclass(slots=True)
class _Frame(OpenElement):
    """An element, with the lists around it."""

    lists: _Lists | None = None
    covered: int = 0
    """Cells to skip, which the one before spans."""
    numbered: dict[str, list[int]] = field(default_factory=dict)
    """Where the counts of a list go when it ends, for lists that go on."""

    def close(self) -> None:
        OpenElement.close(self)
        if self.closes == "list" and self.lists is not None:
            self.numbered[self.lists.style] = self.lists.counts[:1]


class OdfBody(ContentWalk[_Frame]):
    """Reads block content: of the text, of notes, of boxes and slides."""

    def __init__(self, styles: OdfStyles, lines: OdfLines, most: int) -> None:
        super().__init__(most)
        self._styles = styles
        self._lines = lines
        self._numbered: dict[str, list[int]] = {}
        """The last counts of each list style, for lists that go on."""
        self._lists = 0

    def first(self, rest: Iterator[Any], path: str, out: list[OfficePiece]) -> _Frame:
        return _Frame(rest, path, out)

    def take(self, element: Any, frame: _Frame, stack: list[_Frame]) -> None:
        name = name_of(element)
        if not name or name in _SKIPPED:
            return
        if name in ("text:p", "text:h"):
            self._paragraph(element, name, frame, stack)
        elif name == "text:tracked-changes":
            self._lines.left_out["deleted"] += sum(len(text.strip()) for text in element.itertext())
        elif name == "text:list":
            self._list(element, frame, stack)
        elif name in ("text:list-item", "text:list-header") and frame.lists is not None:
            self._item(element, name, frame, stack)
        elif name == "table:table":
            table = OfficeTable(frame.step("table"), _MOST_COLUMNS)
            for outer in stack:  # what holds a table stands once: copies in copies would double at every level
                outer.repeated = 1
            stack.append(_Frame(iter(element), table.path, frame.out, table=table, closes="table"))
        elif name == "table:table-row" and frame.table is not None:
            row = OfficeRow(frame.step("row"))
            again = number(get(element, "table:number-rows-repeated"), 1, _MOST_REPEATED, 1)
            stack.append(
                _Frame(iter(element), row.path, frame.out, table=frame.table, row=row, closes="row", repeated=again)
            )
        elif name in ("table:table-cell", "table:covered-table-cell") and frame.row is not None:
            self._cell(element, name, frame, stack)
        elif name == "drawing:frame":
            line = OdfLine()
            self._lines.frame(element, line)
            self._write(line, "paragraph", 0, frame, frame.path, stack)
        else:  # sections, indexes, shapes and whatever else is put around content
            inner = _Frame(iter(element), frame.path, frame.out, frame.table, frame.row, counts=frame.counts)
            inner.lists = frame.lists
            stack.append(inner)

    # --- lists ----------------------------------------------------------------------------------------------------

    def _list(self, element: Any, frame: _Frame, stack: list[_Frame]) -> None:
        around = frame.lists
        style = get(element, "text:style-name") or (around.style if around is not None else "")
        level = len(around.counts) + 1 if around is not None else 1
        before = self._styles.start(style, level) - 1
        goes_on = get(element, "text:continue-numbering") == "true" or bool(get(element, "text:continue-list"))
        if around is None and goes_on and (known := self._numbered.get(style)):
            before = known[0]
        if around is None:
            self._lists += not goes_on
        counts = [*(around.counts if around is not None else ()), before]
        closes = "list" if around is None else ""
        inner = _Frame(
            iter(element), frame.path, frame.out, closes=closes, counts=frame.counts, numbered=self._numbered
        )
        inner.lists = _Lists(style, counts)
        stack.append(inner)

    def _item(self, element: Any, name: str, frame: _Frame, stack: list[_Frame]) -> None:
        lists = frame.lists
        if lists is None:
            return
        is_item = name == "text:list-item"
        if is_item:
            start = get(element, "text:start-value")
            lists.counts[-1] = number(start, 0, 1_000_000, 1) if start else lists.counts[-1] + 1
        inner = _Lists(lists.style, lists.counts, fresh=is_item)
        stack.append(_Frame(iter(element), frame.path, frame.out, lists=inner, counts=frame.counts))

    # --- tables ---------------------------------------------------------------------------------------------------

    def _cell(self, element: Any, name: str, frame: _Frame, stack: list[_Frame]) -> None:
        again = number(get(element, "table:number-columns-repeated"), 1, _MOST_REPEATED, 1)
        if name == "table:covered-table-cell":
            skipped = min(frame.covered, again)
            frame.covered -= skipped
            if frame.row is not None:
                frame.row.cells.extend(OfficeCell([], continues=True) for _ in range(again - skipped))
            return
        span = number(get(element, "table:number-columns-spanned"), 1, _MOST_COLUMNS, 1)
        frame.covered = span - 1
        cell = OfficeCell([], span)
        inner = _Frame(
            iter(element), frame.step("cell"), cell.pieces, row=frame.row, cell=cell, closes="cell", repeated=again
        )
        stack.append(inner)

    # --- paragraphs -----------------------------------------------------------------------------------------------

    def _paragraph(self, element: Any, name: str, frame: _Frame, stack: list[_Frame]) -> None:
        style = get(element, "text:style-name")
        path = frame.step(name[5:])
        if self._styles.is_hidden(style):
            self._lines.left_out["hidden"] += sum(len(text) for text in element.itertext())
            return
        line = self._lines.read(element)
        kind = self._styles.kind(style)
        level = 1 if kind == "title" else 0
        if name == "text:h":
            kind, level = "heading", number(get(element, "text:outline-level"), 1, 10, 1)
        self._write(line, kind, level, frame, path, stack)

    def _write(self, line: OdfLine, kind: str, level: int, frame: _Frame, path: str, stack: list[_Frame]) -> None:
        text = line.text
        notes, pictures = tuple(line.notes), tuple(line.pictures)
        if not text.strip():
            frame.out.append(OfficePiece("blank", "", path, pictures=pictures))
        elif kind in ("heading", "title") and len(text) <= _LONGEST_HEADING:
            frame.out.append(OfficePiece("heading", text, path, level, role=kind, notes=notes, pictures=pictures))
        elif pictures and not line.words:
            frame.out.append(OfficePiece("figure", text, path, notes=notes, pictures=pictures))
        elif frame.lists is not None:
            frame.out.append(self._list_piece(frame.lists, text, path)._replace(notes=notes, pictures=pictures))
        else:
            kind = "paragraph" if kind in ("heading", "title") else kind
            frame.out.append(OfficePiece(kind, text, path, notes=notes, pictures=pictures))
        for index in range(len(line.boxes), 0, -1):
            stack.append(_Frame(iter((line.boxes[index - 1],)), f"{path}/box[{index}]", frame.out))
        self.spend(len(text))

    def _list_piece(self, lists: _Lists, text: str, path: str) -> OfficePiece:
        level = len(lists.counts) - 1
        if not lists.fresh:
            return OfficePiece("continued", text, path, level)
        lists.fresh = False
        return OfficePiece("item", text, path, level, self._styles.label(lists.style, lists.counts), str(self._lists))


_MOST_SPACES = 100
"""Of one run; more say nothing."""
_SKIPPED_INLINE = frozenset((
    "text:tracked-changes", "text:bookmark-start", "text:bookmark-end", "text:change-start", "text:change-end",
    "text:change", "office:forms", "text:sequence-decls", "text:variable-decls", "text:user-field-decls",
    "office:event-listeners",
))  # fmt: skip
_SIGNS = {"text:tab": "\t", "text:line-break": "\n", "text:soft-page-break": ""}


@dataclass(slots=True)
class OdfLine:
    """What a paragraph holds."""

    parts: list[str] = field(default_factory=list)
    pictures: list[OfficePicture] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    """Text boxes, tables and shapes that are anchored here."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    words: int = 0
    """Characters that are no picture."""

    @property
    def text(self) -> str:
        return "".join(self.parts)


class OdfLines:
    """Reads paragraphs, and counts what it leaves out."""

    def __init__(self, styles: OdfStyles) -> None:
        self._styles = styles
        self.left_out: Counter[str] = Counter()
        self.notes: dict[str, Any] = {}
        """The bodies of notes by the key a line gives."""
        self._noted: Counter[bool] = Counter()

    def read(self, paragraph: Any) -> OdfLine:
        line = OdfLine()
        stack: list[Any] = []
        _push(paragraph, stack)
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                line.parts.append(item)
                line.words += len(item.strip())
            elif isinstance(item, tuple):
                _close_link(line.parts, *item)
            else:
                self._element(item, line, stack)
        return line

    def _element(self, element: Any, line: OdfLine, stack: list[Any]) -> None:
        name = name_of(element)
        if not name or name in _SKIPPED_INLINE:
            return
        if name == "text:s":
            line.parts.append(" " * number(get(element, "text:c"), 1, _MOST_SPACES, 1))
        elif name in _SIGNS:
            line.parts.append(_SIGNS[name])
        elif name == "text:note":
            self._note(element, line)
        elif name in ("office:annotation", "office:annotation-end"):
            self.left_out["comments"] += name == "office:annotation"
        elif name in ("text:hidden-text", "text:hidden-paragraph") or (
            name == "text:span" and self._styles.is_hidden(get(element, "text:style-name"))
        ):
            self.left_out["hidden"] += sum(len(text) for text in element.itertext())
        elif name == "text:a":
            stack.append((len(line.parts), get(element, "xlink:href")))
            _push(element, stack)
        elif name == "drawing:frame":
            self.frame(element, line)
        elif name.startswith("drawing:") and name != "drawing:a":
            line.boxes.append(element)
        else:
            _push(element, stack)

    def _note(self, element: Any, line: OdfLine) -> None:
        body = child(element, "text:note-body")
        if body is not None:
            is_end = get(element, "text:note-class") == "endnote"
            self._noted[is_end] += 1
            label = f"{'e' if is_end else ''}{self._noted[is_end]}"
            self.notes[label] = body
            line.notes.append((label, label))
            line.parts.append(f"[^{label}]")

    def frame(self, frame: Any, line: OdfLine) -> None:
        """A picture with its description, or a box that holds blocks."""
        alt = " ".join(_description(frame).split())
        kind = ""
        for one in frame:
            name = name_of(one)
            if name in ("drawing:text-box", "table:table"):
                line.boxes.append(one)
                kind = "box"
            elif name == "drawing:image" and not kind:
                kind = "picture"
                line.pictures.append(OfficePicture(alt, get(one, "xlink:href"), size=_size(frame)))
            elif name == "drawing:object":
                kind = "object"
                line.pictures.append(OfficePicture(alt, get(one, "xlink:href"), "object"))
        if alt and kind in ("picture", ""):
            target = next((one.target for one in line.pictures if one.kind == "picture"), "").rpartition("/")[2]
            line.parts.append(f"![{alt}]({target})" if target else f"[{alt}]")
        elif kind == "picture":
            self.left_out["pictures"] += 1
            line.pictures.pop()


_LENGTH = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)(cm|mm|in|pt|px)\Z")
_POINTS = {"cm": 72 / 2.54, "mm": 7.2 / 2.54, "in": 72.0, "pt": 1.0, "px": 0.75}


def _size(frame: Any) -> tuple[float, float] | None:
    """Width and height of a frame in points; None where it has none."""
    found = [_LENGTH.match(get(frame, f"svg-compatible:{name}")) for name in ("width", "height")]
    sides = [round(float(one[1]) * _POINTS[one[2]], 2) for one in found if one]
    return (sides[0], sides[1]) if len(sides) == 2 and all(sides) else None


def _description(frame: Any) -> str:
    for name in ("svg-compatible:desc", "svg-compatible:title"):
        found = child(frame, name)
        if found is not None and found.text:
            return str(found.text)
    return ""


def _push(element: Any, stack: list[Any]) -> None:
    """Put the content of an element on the stack, its first on top."""
    for one in reversed(element):
        if one.tail:
            stack.append(one.tail)
        stack.append(one)
    if element.text:
        stack.append(element.text)


def _close_link(parts: list[str], start: int, address: str) -> None:
    text = "".join(parts[start:])
    parts[start:] = [format_link(text, address)]
