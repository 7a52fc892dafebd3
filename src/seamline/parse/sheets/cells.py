"""Sheets of XLSX read cell by cell: those that are mostly empty, repeat long texts, or that calamine cannot read."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from seamline.parse.office.ooxml import OfficePackage, child, name_of, number
from seamline.parse.parser_types import ParseInput
from seamline.parse.sheets.grid import CELL, SheetGrid, Value, group_neighbours
from seamline.parse.xml import parse_xml, refuse_doctype

_ROOMY = 4_000_000
"""Cells between the first and the last that are laid out without a thought."""
_TIMES_EMPTY = 4
_LARGE = 4_000_000
_WIDE, _MIDDLE, _NARROW = 16_384, 702, 26
_THREE_LETTERS = re.compile(rb' r="[A-Z]{3}\d')
_TWO_LETTERS = re.compile(rb' r="[A-Z]{2}')
_ROW = re.compile(rb'<row[^>]*? r="(\d{1,9})"')
_PREFIXED_ROW = re.compile(rb':row[^>]*? r="(\d{1,9})"')
_COLUMN = re.compile(rb'\sr="([A-Z]{1,3})\d')
_REFERENCE = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")
_SHARED = re.compile(rb't="s"[^>]*>\s*(?:<f[^>]*/>)?\s*<v>(\d{1,9})</v>')
_LAST_ROW = 1_048_576
_MOST_CELLS = 2_000_000
_MOST_REPEATED = 4_000_000
_TIMES_REPEATED = 10
_ERROR = b't="e"'
_UNCALCULATED = (b"</f></c>", b"</f><v></v></c>", b"</f><v/></c>", b"</f><v /></c>")
_DATE_FORMATS = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])
_DATE_SIGNS = re.compile(r"[ymdhs]", re.IGNORECASE)
_NOT_SIGNS = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|General', re.IGNORECASE)
_EPOCH = datetime(1899, 12, 30)
_EPOCH_1904 = datetime(1904, 1, 1)
_LAST_DAY = 2_958_466


class SheetMarks(NamedTuple):
    """What the XML of a sheet has anywhere, seen in one look."""

    wide: bool
    """A column whose name has two letters or more."""
    formula: bool
    error: bool
    """A cell with an error in place of a value."""
    shared: int
    """How many cells have a text that is shared."""


def read_marks(data: bytes) -> SheetMarks:
    """What a sheet has."""
    return SheetMarks(_TWO_LETTERS.search(data) is not None, b"</f>" in data, _ERROR in data, data.count(b't="s"'))


def is_sparse(data: bytes, marks: SheetMarks) -> bool:
    """Whether laying out all cells of a sheet between the first and the last would cost far more than they hold."""
    rows = _rows(data)
    width = _NARROW if not marks.wide else _WIDE if _THREE_LETTERS.search(data) else _MIDDLE
    if width * rows <= _ROOMY:
        return False
    cells = data.count(b"<c ") or data.count(b":c ")
    if not _is_roomy(width * rows, cells):
        return False
    width = max((_column(one.decode()) for one in set(_COLUMN.findall(data))), default=1)
    return _is_roomy(width * rows, cells)


def _rows(data: bytes) -> int:
    """The number of the last row. A large sheet is trusted to have its rows in order, as every program writes them; one
    that has not costs what the process around it allows."""
    start = 0
    if len(data) >= _LARGE:
        start = max(data.rfind(b"<row"), 0)
        start = max(data.rfind(b":row ", start), start)
    found = _ROW.findall(data, start) or _PREFIXED_ROW.findall(data, start)
    return max(map(int, found), default=0) or data.count(b"row>")


def _is_roomy(box: int, cells: int) -> bool:
    return box > max(_ROOMY, _TIMES_EMPTY * cells)


def count_uncalculated(data: bytes, marks: SheetMarks) -> int:
    """Formulas of a sheet that were never calculated."""
    return sum(data.count(one) for one in _UNCALCULATED) if marks.formula else 0


def count_failed(data: bytes, marks: SheetMarks) -> int:
    """Cells of a sheet that hold an error instead of a value."""
    return data.count(_ERROR) if marks.error else 0


class XlsxWorkbook:
    """What the sheets of a workbook share: texts and formats."""

    def __init__(self, package: OfficePackage, main: str, raw: ParseInput) -> None:
        self._package = package
        self._raw = raw
        relations = package.relations(main).values()
        named = {one.kind: one.target for one in relations if not one.outside}
        self._texts_part = named.get("sharedStrings", "xl/sharedStrings.xml")
        self._styles_part = named.get("styles", "xl/styles.xml")
        self._texts: list[str] | None = None
        self._dates: list[bool] | None = None
        root = package.xml(main)
        properties = child(root, "x:workbookPr")
        is_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        self._epoch = _EPOCH_1904 if is_1904 else _EPOCH
        self._longest: int | None = None
        self._shared_size = 0

    def _shared_texts(self) -> list[str]:
        """The texts that cells refer to by number."""
        if self._texts is None:
            root = self._package.xml_if_any(self._texts_part)
            self._texts = [_rich(one) for one in ([] if root is None else root) if name_of(one) == "x:si"]
        return self._texts

    def most(self, data: bytes) -> int:
        """Characters that a sheet may hold: some times what the file does, as texts that are shared are repeated."""
        self._longest_text()
        return min(max(_MOST_REPEATED, _TIMES_REPEATED * (len(data) + self._shared_size)), self._raw.limits.characters)

    def is_heavy(self, data: bytes, marks: SheetMarks) -> bool:
        """Whether repeated texts make a sheet hold more than it may."""
        most = self.most(data)
        if self._longest_text() * marks.shared <= most:
            return False
        lengths = [len(text) for text in self._shared_texts()]
        return sum(lengths[index] for at in _SHARED.findall(data) if (index := int(at)) < len(lengths)) > most

    def may_be_long(self, data: bytes) -> bool:
        """Whether a cell of a sheet may hold more than cells do; most have only short texts, and those shared."""
        return self._longest_text() > CELL or b"inlineStr" in data or b't="str"' in data

    def _longest_text(self) -> int:
        """Bytes of the longest shared text, or a little more."""
        if self._longest is None:
            shared = self._package.read(self._texts_part) if self._texts_part in self._package else b""
            refuse_doctype(shared, self._raw.uri, self._texts_part)
            self._shared_size = len(shared)
            self._longest = max(map(len, shared.split(b"</si>")))
        return self._longest

    def cells(self, data: bytes, name: str, part: str) -> list[SheetGrid]:
        """The cells of a sheet that hold something, those that are neighbours together."""
        root = parse_xml(data, self._raw.uri, part)
        found: dict[int, dict[int, Value]] = {}
        count = room = 0
        most = self.most(data)
        at_row = 0
        sheet = child(root, "x:sheetData")
        for row in [] if sheet is None else sheet:
            at_row = number(row.get("r") or "", 1, _LAST_ROW, at_row + 1)
            at_column = 0
            for cell in row:
                reference = _REFERENCE.fullmatch((cell.get("r") or "").upper())
                if reference is not None and int(reference[2]) <= _LAST_ROW:
                    at_row, at_column = int(reference[2]), _column(reference[1])
                else:
                    at_column += 1
                    if cell.get("r"):
                        self._note("cells-misplaced", "cells with a wrong reference are read where they stand", name)
                value = self._value(cell, name)
                if value == "":
                    continue
                found.setdefault(at_row, {})[at_column] = value
                count += 1
                room += len(value) if isinstance(value, str) else 8
                if count >= _MOST_CELLS or room > most:
                    self._note("cells-limit", f"cells after the first {count:,} are left out", name)
                    return list(group_neighbours(found))
        return list(group_neighbours(found))

    def _note(self, code: str, message: str, name: str) -> None:
        self._package.note(code, message, f"sheet {name}")

    def _value(self, cell: Any, name: str) -> Value:
        kind = cell.get("t") or "n"
        if kind == "inlineStr":
            inline = child(cell, "x:is")
            return "" if inline is None else _rich(inline)
        stored = child(cell, "x:v")
        text = "" if stored is None else (stored.text or "").strip()
        if kind == "s" and text:
            return self._text(text, name)
        if kind == "b":
            return text in ("1", "true")
        if kind == "e":
            return ""
        if kind != "n" or not text:
            return text
        try:
            amount = float(text)
        except ValueError:
            self._note("cells-damaged", "values that are no numbers are read as text", name)
            return text
        return self._to_date(amount, cell.get("s") or "", name)

    def _text(self, index: str, name: str) -> str:
        texts = self._shared_texts()
        at = number(index, 0, len(texts), len(texts))
        if at == len(texts):
            self._note("cells-damaged", "cells that refer to texts which are not there are left out", name)
            return ""
        return texts[at]

    def _to_date(self, amount: float, style: str, name: str) -> Value:
        dates = self._date_styles()
        if not dates or not dates[number(style, 0, len(dates) - 1, 0)]:
            return amount
        if not 0 <= amount < _LAST_DAY:
            self._note("cells-damaged", "dates that cannot be are read as numbers", name)
            return amount
        return self._epoch + timedelta(days=amount)

    def _date_styles(self) -> list[bool]:
        """Whether each cell format is one of dates."""
        if self._dates is None:
            root = self._package.xml_if_any(self._styles_part)
            own = None if root is None else child(root, "x:numFmts")
            custom = {one.get("numFmtId"): one.get("formatCode") or "" for one in ([] if own is None else own)}
            formats = None if root is None else child(root, "x:cellXfs")
            self._dates = [_is_date(one.get("numFmtId") or "", custom) for one in ([] if formats is None else formats)]
        return self._dates


def _is_date(key: str, custom: dict[str | None, str]) -> bool:
    if key in custom:
        return _DATE_SIGNS.search(_NOT_SIGNS.sub("", custom[key])) is not None
    return number(key, 0, 1_000, 0) in _DATE_FORMATS


def _rich(element: Any) -> str:
    """The text of a shared or inline string, its readings aside left out."""
    out: list[str] = []
    for one in element:
        name = name_of(one)
        if name == "x:t":
            out.append(one.text or "")
        elif name == "x:r":
            out.extend(inner.text or "" for inner in one if name_of(inner) == "x:t")
    return "".join(out)


def _column(letters: str) -> int:
    """The number of a column, from 1."""
    at = 0
    for letter in letters:
        at = 26 * at + ord(letter) - 64
    return at
