"""OpenDocument files: texts (ODT), slides (ODP) and sheets (ODS), packed or as one flat XML file.

Kept: all text, notes beside what refers to them, frames where they are anchored, descriptions of pictures. Left out,
and said so in a notice: deleted and hidden text, comments, headers and footers, pictures that nobody described. Cells
of sheets that are repeated are written out only as far as is sensible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from seamline.errors import ParseError
from seamline.parse.builder import DocumentBuilder
from seamline.parse.office.odf.content import OdfBody, OdfLines
from seamline.parse.office.odf.styles import OdfStyles, child, get, name_of
from seamline.parse.office.ooxml import DEPTH, OfficePackage, number
from seamline.parse.office.pieces import OfficePicture, OfficePiece, as_text
from seamline.parse.office.write import PieceWriter, Told
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.sheets.grid import SheetGrid, Value, cut_long_texts, group_neighbours, write_grid
from seamline.parse.xml import ElementWalk, parse_xml, xml_faults
from seamline.runtime import gc_paused
from seamline.types import Notice

_MOST = 1 << 30
_REPEATED = 1_000
"""Times that a row or cell with content is written out; more are counted in a notice."""
_REPEATED_CELLS = 20_000
"""Cells of all copies of one row."""
_ROOMY = 4_000_000
_THIN = 20
_GROUPS = frozenset(["table:table-row-group", "table:table-header-rows", "table:table-rows", "table:named-expressions"])


def grids(table: Any, text: Callable[[Any], str], note: Callable[[str, str], None], room: int) -> list[SheetGrid]:
    """The cells of a sheet. `text` reads what a cell shows; `room` is the most characters of all cells."""
    found: dict[int, dict[int, Value]] = {}
    merged: list[tuple[int, int, int, int]] = []
    at = 1
    for row in _rows(table):
        times = number(get(row, "table:number-rows-repeated"), 1, _MOST, 1)
        cells = _cells(row, at, merged, text, note)
        if cells:
            size = sum(len(value) if isinstance(value, str) else 8 for value in cells.values())
            kept = min(times, _REPEATED, max(1, _REPEATED_CELLS // len(cells)), max(room // max(size, 1), 0))
            room -= kept * size
            if kept < times:
                note("cells-limit", f"{times - kept:,} rows are left out, as one row is repeated {times:,} times")
            for index in range(kept):
                found[at + index] = cells
        at += times
    return _box_cells(found, merged)


def _rows(table: Any) -> Iterator[Any]:
    walk = ElementWalk(table)
    for element in walk:
        if name_of(element) == "table:table-row":
            yield element
        elif name_of(element) in _GROUPS:
            walk.enter(element)


def _cells(
    row: Any,
    at_row: int,
    merged: list[tuple[int, int, int, int]],
    text: Callable[[Any], str],
    note: Callable[[str, str], None],
) -> dict[int, Value]:
    """The cells of a row that hold something, by column."""
    cells: dict[int, Value] = {}
    at = 1
    for cell in row:
        if name_of(cell) not in ("table:table-cell", "table:covered-table-cell"):
            continue
        times = number(get(cell, "table:number-columns-repeated"), 1, _MOST, 1)
        value = _value(cell, text)
        if value != "":
            kept = min(times, _REPEATED)
            if kept < times:
                note("cells-limit", f"{times - kept:,} cells are left out, as one is repeated {times:,} times")
            cells.update(dict.fromkeys(range(at, at + kept), value))
        wide = number(get(cell, "table:number-columns-spanned"), 1, _REPEATED, 1)
        high = number(get(cell, "table:number-rows-spanned"), 1, _REPEATED, 1)
        if (wide > 1 or high > 1) and len(merged) < 50_000:
            merged.append((at_row - 1, at - 1, at_row + high - 2, at + wide - 2))
        at += times
    return cells


def _value(cell: Any, text: Callable[[Any], str]) -> Value:
    kind = get(cell, "office:value-type")
    if kind in ("float", "currency", "percentage"):
        try:
            return float(get(cell, "office:value"))
        except ValueError:
            return text(cell)
    if kind == "date":
        return get(cell, "office:date-value").removesuffix("T00:00:00").replace("T", " ") or text(cell)
    if kind == "boolean":
        return get(cell, "office:boolean-value") == "true"
    return text(cell) if len(cell) else ""


def _box_cells(found: dict[int, dict[int, Value]], merged: list[tuple[int, int, int, int]]) -> list[SheetGrid]:
    """All cells in one box; in several where most of it would be empty."""
    if not found:
        return []
    top, bottom = min(found), max(found)
    left = min(min(row) for row in found.values())
    right = max(max(row) for row in found.values())
    box = (bottom - top + 1) * (right - left + 1)
    if box > _ROOMY or box > max(_THIN * sum(map(len, found.values())), 10_000):
        return list(group_neighbours(found))
    empty: dict[int, Value] = {}
    columns = range(left, right + 1)
    rows = [[found.get(row, empty).get(column, "") for column in columns] for row in range(top, bottom + 1)]
    return [SheetGrid(top - 1, left - 1, rows, merged)]


_LEFT_OUT = {
    "deleted": ("deleted-text", "{:,} characters that tracked changes delete are left out"),
    "hidden": ("hidden-text", "{:,} characters of hidden text are left out"),
    "pictures": ("pictures-undescribed", "{:,} pictures without an alternative text are left out"),
    "comments": ("comments", "{:,} comments are left out"),
    "objects": ("objects-embedded", "{:,} embedded objects are left out"),
    "margins": ("margins", "{:,} headers, footers and slide numbers are left out"),
}
_META = {
    "dc:title": "title",
    "dc:creator": "author",
    "dc:subject": "subject",
    "dc:description": "description",
    "dc:language": "language",
    "meta:initial-creator": "author",
    "meta:creation-date": "created",
    "dc:date": "modified",
    "meta:keyword": "keywords",
}
_MARGIN_CLASSES = frozenset(("date-time", "footer", "header", "page-number"))


def parse(raw: ParseInput) -> ParseResult:
    """An OpenDocument file of any kind."""
    with gc_paused():
        return _Reader(raw).parse()


class _Reader:
    """One document while it is read."""

    def __init__(self, raw: ParseInput) -> None:
        self._raw = raw
        self._notices: list[Notice] = []
        self._package = OfficePackage(raw) if raw.data.startswith(b"PK") else None
        self._content, styles, self._about = (
            self._flat() if self._package is None else self._read_package(self._package)
        )
        self._styles = OdfStyles(styles, self._content)
        self._masters = styles
        self._lines = OdfLines(self._styles)
        self._body = OdfBody(self._styles, self._lines, raw.limits.characters)
        self._builder = DocumentBuilder()
        self._title = ""

    def _flat(self) -> tuple[Any, Any, Any]:
        root = parse_xml(self._raw.data, self._raw.uri, depth=DEPTH)
        if fault := xml_faults(root):
            self._note("xml-damaged", f"is damaged XML, read as far as possible ({fault})")
        return root, root, root

    def _read_package(self, package: OfficePackage) -> tuple[Any, Any, Any]:
        manifest = package.xml_if_any("META-INF/manifest.xml")
        if manifest is not None and any(name_of(one) == "manifest:encryption-data" for one in manifest.iter()):
            raise ParseError("is encrypted: open it with its password and save a copy without one", self._raw.uri)
        return package.xml("content.xml"), package.xml_if_any("styles.xml"), package.xml_if_any("meta.xml")

    def parse(self) -> ParseResult:
        body = child(self._content, "office:body")
        if body is None:
            raise ParseError("holds no document: save it anew", self._raw.uri)
        extra: dict[str, Any] = {}
        for one in body:
            name = name_of(one)
            if name in ("office:presentation", "office:drawing"):
                extra["slides"] = self._slides(one)
            elif name == "office:spreadsheet":
                extra["sheets"] = self._sheets(one)
            elif name:
                self._texts(one)
        meta = self._meta()
        title = meta.pop("title", "") or self._title
        text, blocks, anchors = self._builder.finish()
        self._tell(text)
        notices = [*(self._package.notices if self._package is not None else ()), *self._notices]
        return ParseResult(text, blocks, title, {**meta, **extra}, anchors, notices=tuple(notices))

    def _note(self, code: str, message: str, where: str = "") -> None:
        notice = Notice(code, message, where)
        if notice not in self._notices:
            self._notices.append(notice)

    # --- texts ----------------------------------------------------------------------------------------------------

    def _texts(self, root: Any) -> None:
        pieces = self._body.read(root, "text")
        self._title = next((_plain(one.text) for one in pieces if one.role == "title"), "") or next(
            (_plain(one.text) for one in pieces[:20] if one.kind == "heading" and one.level == 1), ""
        )
        self._write(pieces)
        self._margins()

    def _write(self, pieces: Sequence[OfficePiece], place: dict[str, int] | None = None) -> None:
        if place is None:
            PieceWriter(self._builder, self._notice_text, self._drawn_pieces).write(pieces)
        else:
            PieceWriter(self._builder, self._notice_text, self._drawn_pieces, lambda path: place).write(pieces)

    def _notice_text(self, key: str) -> Told:
        path = f"note[{key}]"
        return as_text(self._body.read(self._lines.notes[key], path)), path

    def _drawn_pieces(self, picture: OfficePicture) -> Sequence[OfficePiece]:
        """An embedded object where it is a formula; its source is kept in it."""
        part = f"{picture.target.removeprefix('./')}/content.xml"
        root = None
        if self._package is not None and self._package.is_first(part):
            root = self._package.xml_if_any(part)
        if root is None or name_of(root) != "math:math":
            self._lines.left_out["objects"] += 1
            return ()
        source = next((one.text or "" for one in root.iter() if name_of(one) == "math:annotation"), "")
        return [OfficePiece("math", source or _plain(" ".join(root.itertext())), part)]

    def _margins(self) -> None:
        """Headers and footers, which stand in master pages."""
        names = ("style:header", "style:footer")
        group = None if self._masters is None else child(self._masters, "office:master-styles")
        found = [] if group is None else [one for one in group.iter() if name_of(one) in names]
        said = [_plain(" ".join(one.itertext())) for one in found]
        shown = ", ".join(f'"{text[:60]}"' for text in dict.fromkeys(said) if text)
        if shown:
            self._note("margins", f"headers and footers are left out: {shown}")

    # --- slides ---------------------------------------------------------------------------------------------------

    def _slides(self, root: Any) -> int:
        pages = [one for one in root if name_of(one) == "drawing:page"]
        for index, page in enumerate(pages, 1):
            self._slide(page, index, single=len(pages) == 1)
        return len(pages)

    def _slide(self, page: Any, index: int, *, single: bool) -> None:
        place = {"slide": index}
        titles: list[Any] = []
        rest: list[Any] = []
        for one in page:
            role = get(one, "presentation:class") if name_of(one) == "drawing:frame" else ""
            if role in _MARGIN_CLASSES:
                self._lines.left_out["margins"] += 1
            elif role == "title" and not titles:
                titles.append(one)
            elif name_of(one) != "presentation:notes":
                rest.append(one)
        title = as_text(self._body.read(titles, "")) if titles else ""
        pieces = self._body.read(rest, "")
        if index == 1:
            self._title = title
        if not title and not single and any(piece.kind != "blank" for piece in pieces):
            title = f"Slide {index}"
        cover = index == 1 and not single
        self._builder.heading(1 if cover else 2, title, place)
        self._write(pieces, place)
        notes = child(page, "presentation:notes")
        said = [] if notes is None else [one for one in self._body.read(notes, "") if one.text.strip()]
        if said:
            said[0] = said[0]._replace(text=f"Notes: {said[0].text}")
            with self._builder.quote():
                self._write(said, place)

    # --- sheets ---------------------------------------------------------------------------------------------------

    def _sheets(self, root: Any) -> int:
        tables = [one for one in root if name_of(one) == "table:table"]
        for table in tables:
            name = get(table, "table:name")
            where = f"sheet {name}"
            room = self._raw.limits.characters - self._builder.length
            found = grids(table, self._cell_text, partial(self._note, where=where), room)
            if not found:
                self._note("sheet-empty", "holds no cells", where)
                continue
            if cut := cut_long_texts(found):
                self._note("cells-cut", cut.message, where)
            self._builder.heading(1, name, {"sheet": name})
            left = sum(write_grid(self._builder, name, grid, self._raw.limits.characters) for grid in found)
            if left:
                self._note("text-limit", f"{left:,} rows are left out: the document holds too many characters", where)
        return len(tables)

    def _cell_text(self, cell: Any) -> str:
        """What a cell shows."""
        lines = [self._lines.read(one).text for one in cell if name_of(one) == "text:p"]
        return "\n".join(lines)

    # --- about ----------------------------------------------------------------------------------------------------

    def _meta(self) -> dict[str, str]:
        group = None if self._about is None else child(self._about, "office:meta")
        meta: dict[str, str] = {}
        for one in [] if group is None else group:
            key = _META.get(name_of(one))
            if key and one.text and one.text.strip():
                meta.setdefault(key, _plain(one.text))
        return meta

    def _tell(self, text: str) -> None:
        for what, count in sorted(self._lines.left_out.items()):
            if count:
                code, message = _LEFT_OUT[what]
                self._note(code, message.format(count))
        if self._body.is_full:
            self._note(
                "text-limit", f"holds more than {self._raw.limits.characters:,} characters: the rest is left out"
            )
        if not text:
            self._note("no-text", "holds no text")


def _plain(text: str) -> str:
    return " ".join(text.split())
