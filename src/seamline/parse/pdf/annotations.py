"""What lies on a page and is no part of its text: values of form fields, notes, text boxes and stamps.

The value of a field becomes words at the place of the field, so that it is read beside its label. What notes, text
boxes and stamps say is read beside the text, as a box is. A stamp is often drawn without saying what it says: it is
drawn into the page (`flatten`), and what the page then has more is its text.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from seamline.parse.pdf.model import Box, PdfWord, TextLine, TextStyle, line_of, turn_box
from seamline.parse.pdf.text import PageGeometry, ReadWord

_MOST = 500
"""Annotations of a page that are looked at."""
_LONGEST = 20_000
"""Characters of one."""
_TEXT, _FREE_TEXT, _STAMP, _WIDGET = 1, 3, 13, 20
_SAYING = {_TEXT, _FREE_TEXT, 4, 5, 6, 7, 8, 9, 10, 11, 12, _STAMP, 14, 15}
"""Kinds that may say something: notes, text boxes, shapes, marked text, stamps, insertions, drawings."""
_BUTTONS = {2, 3}
"""Kinds of fields: check boxes and radio buttons."""
_VALUES = {4, 5, 6}
"""And those that hold text: lists to choose from, and text."""
_HIDDEN = 0b10 | 0b100000
"""Flags of what is neither shown nor printed."""
_CHECKED, _UNCHECKED = "\u2611", "\u2610"
_SIZE = 10.0
"""Of text whose field does not say it."""
_SMALLEST, _LARGEST = 4.0, 24.0
_WIDTH = 0.5
"""Of a character, in sizes of its font."""


class PageNote(NamedTuple):
    """What an annotation says, where, and whether it is a field or drawn by the file itself."""

    text: str
    box: Box
    """On the page as shown."""
    is_field: bool
    is_drawn: bool
    size: float = _SIZE


def read_notes(page: Any, form: Any, geometry: PageGeometry) -> tuple[list[PageNote], int]:
    """What lies on a page, and how many more annotations there are than are looked at."""
    import pypdfium2.raw as raw

    count = max(raw.FPDFPage_GetAnnotCount(page), 0)
    found: list[PageNote] = []
    for index in range(min(count, _MOST)):
        handle = raw.FPDFPage_GetAnnot(page, index)
        if not handle:
            continue
        try:
            note = _read_note(handle, form, geometry)
        finally:
            raw.FPDFPage_CloseAnnot(handle)
        if note is not None:
            found.append(note)
    return found, max(count - _MOST, 0)


def _read_note(handle: Any, form: Any, geometry: PageGeometry) -> PageNote | None:
    import pypdfium2.raw as raw

    kind = raw.FPDFAnnot_GetSubtype(handle)
    if (kind not in _SAYING and kind != _WIDGET) or raw.FPDFAnnot_GetFlags(handle) & _HIDDEN:
        return None
    box = _place(handle, geometry)
    if box is None:
        return None
    if kind == _WIDGET:
        said, size = _field_value(handle, form)
        return PageNote(said, box, True, False, size) if said else None
    said = _string(handle, b"Contents")
    is_drawn = kind in (_FREE_TEXT, _STAMP) and bool(raw.FPDFAnnot_HasKey(handle, b"AP"))
    return PageNote(said, box, False, is_drawn) if said or is_drawn else None


def _place(handle: Any, geometry: PageGeometry) -> Box | None:
    """Where an annotation lies on the page as shown; None where it has no place."""
    import pypdfium2.raw as raw

    rect = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(handle, ctypes.byref(rect)):
        return None
    left, right = sorted((rect.left - geometry.left, rect.right - geometry.left))
    top, bottom = sorted((geometry.top - rect.top, geometry.top - rect.bottom))
    width, height = geometry.right - geometry.left, geometry.top - geometry.bottom
    return turn_box(Box(left, top, right, bottom), geometry.turn, width, height)


def _field_value(handle: Any, form: Any) -> tuple[str, float]:
    """What a field holds, and the size of its font."""
    import pypdfium2.raw as raw

    if form is None:
        return _string(handle, b"V"), _SIZE
    kind = raw.FPDFAnnot_GetFormFieldType(form, handle)
    size = ctypes.c_float()
    told = raw.FPDFAnnot_GetFontSize(form, handle, size)
    points = size.value if told and _SMALLEST <= size.value <= _LARGEST else _SIZE
    if kind in _BUTTONS:
        state = _string(handle, b"AS") or _string(handle, b"V")
        return (_CHECKED if state not in ("", "Off") else _UNCHECKED), points
    if kind not in _VALUES:
        return "", points

    def ask(buffer: Any, length: int) -> int:
        return int(raw.FPDFAnnot_GetFormFieldValue(form, handle, buffer, length))

    return _wide(ask), points


def _string(handle: Any, key: bytes) -> str:
    import pypdfium2.raw as raw

    return _wide(lambda buffer, length: int(raw.FPDFAnnot_GetStringValue(handle, key, buffer, length)))


def _wide(ask: Any) -> str:
    """A string that PDFium writes into a buffer; empty where there is none, or more than anybody writes on a page."""
    length = ask(None, 0)
    if not 2 < length <= 2 * _LONGEST:
        return ""
    buffer = (ctypes.c_ushort * (length // 2))()
    ask(buffer, length)
    text = bytes(buffer).decode("utf-16-le", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in text if c == "\n" or c.isprintable()).strip("\0 \n")


def field_words(notes: Sequence[PageNote], geometry: PageGeometry) -> list[ReadWord]:
    """The values of fields as words of the page."""
    out: list[ReadWord] = []
    for note in notes:
        if note.is_field:
            for line in _set_words(note, geometry):
                out += [ReadWord(word, geometry.turn, not at) for at, word in enumerate(line)]
    return out


def note_lines(notes: Sequence[PageNote], page: int, geometry: PageGeometry) -> list[list[TextLine]]:
    """What notes say that the file does not draw: the lines of each."""
    said = [note for note in notes if note.text and not note.is_field and not note.is_drawn]
    return [[line_of(page, line, geometry.turn) for line in _set_words(note, geometry)] for note in said]


def _set_words(note: PageNote, geometry: PageGeometry) -> list[list[PdfWord]]:
    """The words of a note in lines inside of its box, on the page turned so that its text is upright."""
    box = turn_box(note.box, (4 - geometry.turn) % 4, geometry.width, geometry.height)
    lines = [line.split() for line in note.text.split("\n") if line.strip()]
    size = note.size
    first = (box.top + box.bottom) / 2 + 0.35 * size if len(lines) == 1 else box.top + size
    style = TextStyle(size)
    out: list[list[PdfWord]] = []
    for row, words in enumerate(lines):
        step = min(_WIDTH * size, box.width / max(sum(map(len, words)) + len(words), 1))
        base, at = first + 1.2 * size * row, box.left + 1
        line: list[PdfWord] = []
        for word in words:
            edges = [at + step * index for index in range(len(word) + 1)]
            line.append(
                PdfWord(word, at, base - 0.8 * size, edges[-1], base + 0.2 * size, base, style, edges, spaced=True)
            )
            at = edges[-1] + step
        out.append(line)
    return out
