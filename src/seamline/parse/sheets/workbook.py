"""Spreadsheets (XLSX, XLSB, XLS, ODS): each sheet a section, with its tables; rows keep the numbers of the sheet. After
them come the titles of its charts and the comments on its cells, in XLSX.

Cells come from calamine, which is fast but lays out every cell between the first and the last. So the extent of a sheet
is looked at first, and one that is mostly empty is read cell by cell instead.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

from seamline.errors import ParseError, needed
from seamline.parse.builder import DocumentBuilder
from seamline.parse.office.ooxml import OfficePackage, attribute, child, name_of
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.sheets.beside import SheetRemark, read_beside, write_beside
from seamline.parse.sheets.cells import (
    SheetMarks,
    XlsxWorkbook,
    count_failed,
    count_uncalculated,
    is_sparse,
    read_marks,
)
from seamline.parse.sheets.grid import SheetGrid, cut_long_texts, write_grid
from seamline.parse.xml import refuse_doctype
from seamline.runtime import gc_paused
from seamline.types import Notice


def parse(raw: ParseInput) -> ParseResult:
    """A workbook."""
    with gc_paused():
        return _parse_workbook(raw)


def _parse_workbook(raw: ParseInput) -> ParseResult:
    if not raw.data.startswith(b"PK"):
        return _Old(raw).parse()
    package = OfficePackage(raw)
    if "content.xml" in package and "xl/workbook.xml" not in package:
        from seamline.parse.office.odf.document import parse as parse_odf

        return parse_odf(raw)
    return _Book(raw, package).parse()


class _Writer:
    """Collects the sheets of a workbook."""

    def __init__(self, raw: ParseInput) -> None:
        self._limits = raw.limits
        self.builder = DocumentBuilder()
        self.notices: list[Notice] = []
        self.is_full = False

    def note(self, code: str, message: str, where: str = "") -> None:
        notice = Notice(code, message, where)
        if notice not in self.notices:
            self.notices.append(notice)

    def sheet(
        self,
        name: str,
        grids: Sequence[SheetGrid],
        remarks: Sequence[SheetRemark] = (),
        *,
        may_be_long: bool = True,
    ) -> None:
        if may_be_long and (cut := cut_long_texts(grids)):
            self.note("cells-cut", cut.message, f"sheet {name}")
        grids = [grid for grid in grids if grid.rows]  # a sheet of charts or comments alone has none
        if not grids and not remarks:
            self.note("sheet-empty", "holds no cells", f"sheet {name}")
            return
        self.builder.heading(1, name, {"sheet": name})
        left = sum(write_grid(self.builder, name, grid, self._limits.characters) for grid in grids)
        if left:
            self.is_full = True
            self.note(
                "text-limit",
                f"holds more than {self._limits.characters:,} characters: {left:,} rows are left out",
                f"sheet {name}",
            )
        else:
            write_beside(self.builder, name, remarks)

    def parse(self, meta: dict[str, Any], sheets: int) -> ParseResult:
        text, blocks, anchors = self.builder.finish()
        if not text:
            self.note("no-text", "holds no text")
        title = meta.pop("title", "")
        return ParseResult(text, blocks, title, {**meta, "sheets": sheets}, anchors, notices=tuple(self.notices))


class _Old:
    """A workbook that is no package: XLS."""

    def __init__(self, raw: ParseInput) -> None:
        self._raw = raw

    def parse(self) -> ParseResult:
        book = open_workbook(self._raw.data, self._raw.uri)
        writer = _Writer(self._raw)
        for sheet in book.sheets_metadata:
            if writer.is_full:
                break
            if "Visible" not in str(sheet.visible):
                writer.note("sheet-hidden", "is hidden, and read all the same", f"sheet {sheet.name}")
            grid = _lay_out_sheet(book, sheet.name)
            if isinstance(grid, str):
                writer.note("sheet-unreadable", f"cannot be read and is left out ({grid})", f"sheet {sheet.name}")
            else:
                writer.sheet(sheet.name, [grid])
        return writer.parse({}, len(book.sheets_metadata))


class _Book:
    """A workbook that is a package: XLSX, and its binary kind."""

    def __init__(self, raw: ParseInput, package: OfficePackage) -> None:
        self._raw = raw
        self._package = package
        self._main = package.main("xl/workbook.xml")
        self._writer = _Writer(raw)

    def parse(self) -> ParseResult:
        if self._main.endswith(".bin"):
            return _Old(self._raw).parse()
        listed = list(self._list_sheets())
        workbook = XlsxWorkbook(self._package, self._main, self._raw)
        book: Any = None
        for name, part, state in listed:
            if self._writer.is_full:
                self._writer.note("text-limit", "is left out: the sheets before it fill the document", f"sheet {name}")
                continue
            data = self._sheet_data(name, part)
            if data is None:
                continue
            if state in ("hidden", "veryHidden"):
                self._writer.note("sheet-hidden", "is hidden, and read all the same", f"sheet {name}")
            grids: list[SheetGrid] = []
            marks = read_marks(data)
            if not is_sparse(data, marks) and not workbook.is_heavy(data, marks):
                book = book or open_workbook(self._raw.data, self._raw.uri)
                grid = _lay_out_sheet(book, name)
                if isinstance(grid, str):
                    self._writer.note("sheet-damaged", f"is damaged, read as far as possible ({grid})", f"sheet {name}")
                else:
                    grids = [grid]
            grids = grids or workbook.cells(data, name, part)
            self._tell(data, marks, f"sheet {name}")
            remarks = read_beside(self._package, part)
            self._writer.sheet(name, grids, remarks, may_be_long=workbook.may_be_long(data))
        self._tell_beside()
        self._writer.notices[:0] = self._package.notices
        meta: dict[str, Any] = dict(self._package.core())
        return self._writer.parse(meta, len(listed))

    def _tell(self, data: bytes, marks: SheetMarks, where: str) -> None:
        """What cells hold that is no value."""
        if count := count_uncalculated(data, marks):
            self._writer.note(
                "formulas-uncalculated", f"{count:,} formulas have no value: open and save it first", where
            )
        if count := count_failed(data, marks):
            self._writer.note("cells-failed", f"{count:,} cells with an error such as #REF! are left out", where)

    def _list_sheets(self) -> Iterator[tuple[str, str, str]]:
        """Name, part and state of the sheets; several that are one part are read once."""
        root = self._package.xml(self._main)
        relations = self._package.relations(self._main)
        seen: set[str] = set()
        sheets = child(root, "x:sheets")
        repeated = 0
        for one in [] if sheets is None else sheets:
            if name_of(one) != "x:sheet":
                continue
            relation = relations.get(attribute(one, "id"))
            part = "" if relation is None or relation.outside else relation.target
            if part in seen:
                repeated += 1
                continue
            seen.add(part)
            yield one.get("name") or "", part, one.get("state") or ""
        if repeated:
            self._writer.note("sheets-repeated", f"{repeated:,} sheets are the same part as another and read once")

    def _sheet_data(self, name: str, part: str) -> bytes | None:
        """The XML of a sheet, unpacked under limits and without document type."""
        if part not in self._package:
            self._writer.note("sheet-missing", "is listed, but its part is not there", f"sheet {name}")
            return None
        data = self._package.read(part)
        refuse_doctype(data, self._raw.uri, part)
        return data

    def _tell_beside(self) -> None:
        """What sheets hold beside cells."""
        parts = [part.lower() for part in self._package.parts()]
        pictures = sum(part.startswith("xl/media/") for part in parts)
        if any(part == "xl/xmlmaps.xml" for part in parts):
            self._writer.note("xml-maps", "maps to data in other files are left out, and those are never read")
        if pictures:
            self._writer.note("images", f"{pictures:,} pictures are left out")


def open_workbook(data: bytes, uri: str) -> Any:
    """The workbook as calamine reads it."""
    with needed("python-calamine, which reads spreadsheets,", "office"):
        import python_calamine as calamine
    try:
        return calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    except calamine.PasswordError:
        raise ParseError("is encrypted: open it with its password and save a copy without one", uri) from None
    except (calamine.CalamineError, calamine.ZipError, calamine.XmlError, OSError, ValueError) as error:
        raise ParseError(f"is no workbook that can be read ({error}): save it anew", uri) from None


def _lay_out_sheet(book: Any, name: str) -> SheetGrid | str:
    """The cells of a sheet, or why there are none."""
    import python_calamine as calamine

    try:
        sheet = book.get_sheet_by_name(name)
    except (
        calamine.CalamineError,
        calamine.ZipError,
        calamine.XmlError,
        calamine.WorksheetNotFound,
        ValueError,
    ) as error:
        return str(error)
    if sheet.start is None:
        return SheetGrid(0, 0, [], ())
    merged = tuple((*first, *last) for first, last in sheet.merged_cell_ranges or ())
    top, left = sheet.start
    return SheetGrid(top, left, sheet.to_python(), merged)
