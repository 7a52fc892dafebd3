"""PDFium's functions for single characters, called a whole page at a time; looks and tags of text from them.

The library has no call for all characters of a page. Through prototypes of our own, which write into one array at plain
addresses, `map` calls it without a line of Python in between: 0.4 us for each character and question instead of 3.
Text objects tell size, weight, slant, direction and whether they are drawn at all; tags tell which text is a heading.
"""

from __future__ import annotations

import ctypes
import re
from array import array
from collections import deque
from collections.abc import Mapping
from functools import cache
from itertools import repeat
from math import atan2, hypot, pi
from typing import Any, NamedTuple

from seamline.errors import needed
from seamline.parse.pdf.model import TextStyle

WHAT = "pypdfium2, which reads PDF,"
EXTRA = "pdf"


class PdfiumCalls(NamedTuple):
    """Prototypes by address."""

    box: Any
    """(text page, index, address) -> the box of a character is written there."""
    part: Any
    """(text page, index) -> its text object."""
    matrix: Any
    """(text page, index, address) -> the matrix that a character is drawn through is written there, as six floats."""
    size: Any
    """(text page, index) -> the size of its font, before the matrix."""
    unmapped: Any
    """(text page, index) -> 1 where its font does not say which character it is."""
    generated: Any
    """(text page, index) -> 1 where PDFium put the character in."""
    font: Any
    """(text object) -> its font."""
    ink: Any
    """(text object) -> how it is drawn; 3 is not at all."""
    mark: Any
    """(page object) -> the number the tags of the document know it by, or -1."""
    shape: Any
    """(page, index) -> its object at an index."""
    kind: Any
    """(page object) -> 1 text, 2 path, 3 image, 5 form."""
    bounds: Any
    """(page object, four addresses) -> its left, bottom, right and top are written there."""
    font_name: Any
    font_flags: Any
    font_weight: Any


@cache
def calls() -> PdfiumCalls:
    with needed(WHAT, EXTRA):
        import pypdfium2.raw as raw

    def prototype(function: Any, result: Any, *arguments: Any) -> Any:
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
        return ctypes.CFUNCTYPE(result, *arguments)(address)

    number, pointer = ctypes.c_int, ctypes.c_void_p
    return PdfiumCalls(
        prototype(raw.FPDFText_GetLooseCharBox, number, pointer, number, pointer),
        prototype(raw.FPDFText_GetTextObject, pointer, pointer, number),
        prototype(raw.FPDFText_GetMatrix, number, pointer, number, pointer),
        prototype(raw.FPDFText_GetFontSize, ctypes.c_double, pointer, number),
        prototype(raw.FPDFText_HasUnicodeMapError, number, pointer, number),
        prototype(raw.FPDFText_IsGenerated, number, pointer, number),
        prototype(raw.FPDFTextObj_GetFont, pointer, pointer),
        prototype(raw.FPDFTextObj_GetTextRenderMode, number, pointer),
        prototype(raw.FPDFPageObj_GetMarkedContentID, number, pointer),
        prototype(raw.FPDFPage_GetObject, pointer, pointer, number),
        prototype(raw.FPDFPageObj_GetType, number, pointer),
        prototype(raw.FPDFPageObj_GetBounds, number, pointer, pointer, pointer, pointer, pointer),
        prototype(raw.FPDFFont_GetBaseFontName, ctypes.c_size_t, pointer, ctypes.c_char_p, ctypes.c_size_t),
        prototype(raw.FPDFFont_GetFlags, number, pointer),
        prototype(raw.FPDFFont_GetWeight, number, pointer),
    )


def characters(text_page: Any, count: int) -> str:
    """The characters of a page, one for each index; those beyond the first plane as two halves."""
    import pypdfium2.raw as raw

    buffer = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(text_page, 0, count, buffer) - 1
    text = bytes(buffer)[: 2 * max(written, 0)].decode("utf-16-le", "surrogatepass")
    if len(text) == count:
        return text
    if written == count:  # characters beyond the first plane: each half has an index
        return "".join(map(chr, buffer[:count]))
    # Characters without a meaning shift the text: ask for each.
    codes = (raw.FPDFText_GetUnicode(text_page, index) for index in range(count))
    return "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)


def boxes(text_page: Any, count: int) -> array[float]:
    """Left, top, right and bottom of every character, in the coordinates of the page's content."""
    memory = (ctypes.c_float * (4 * count))()
    start = ctypes.addressof(memory)
    handle = ctypes.cast(text_page, ctypes.c_void_p).value
    deque(map(calls().box, repeat(handle), range(count), range(start, start + 16 * count, 16)), maxlen=0)
    out = array("f")
    out.frombytes(bytes(memory))
    return out


def shapes_of(page: Any, count: int) -> list[tuple[int, int]]:
    """The kind and the address of every object of a page that is no text."""
    ask = calls()
    handle = ctypes.cast(page, ctypes.c_void_p).value
    found = list(filter(None, map(ask.shape, repeat(handle), range(count))))
    return [(kind, shape) for kind, shape in zip(map(ask.kind, found), found, strict=True) if kind != 1]


def parts(text_page: Any, count: int) -> list[int | None]:
    """The text object that every character is of, as a number; None for spaces that PDFium put in."""
    handle = ctypes.cast(text_page, ctypes.c_void_p).value
    return list(map(calls().part, repeat(handle), range(count)))


def is_generated(text_page: Any, index: int) -> bool:
    """Whether PDFium put a character in that the file does not have, as a space between two words."""
    return bool(calls().generated(ctypes.cast(text_page, ctypes.c_void_p).value, index))


def font_size(text_page: Any, index: int) -> float:
    """The size that a character is drawn in, in points."""
    ask, matrix = calls(), (ctypes.c_float * 6)()
    handle = ctypes.cast(text_page, ctypes.c_void_p).value
    ask.matrix(handle, index, ctypes.addressof(matrix))
    return float(abs(ask.size(handle, index)) * hypot(matrix[2], matrix[3]))


_BOLD = re.compile(r"bold|black|heavy|demi|CMBX|CMB1|SFBX|LMRoman\w*-?bold", re.IGNORECASE)
_REGULAR = re.compile(r"regular|book$", re.IGNORECASE)
"""Fonts that say so are not bold, whatever their strokes measure."""
_ITALIC = re.compile(r"italic|oblique|slanted|CMTI|CMSL|SFTI|SFSL", re.IGNORECASE)
_MONO = re.compile(r"courier|mono|consol|menlo|typewriter|CMTT|SFTT|lucidasanstyp|fixed|nimbusmon", re.IGNORECASE)
_FIXED_PITCH, _SLANTED, _FORCE_BOLD = 1, 1 << 6, 1 << 18
_BOLD_WEIGHT = 700
_INVISIBLE = 3


class FontFace(NamedTuple):
    """What a font is, whatever its size."""

    bold: bool
    italic: bool
    mono: bool
    name: str = ""


_NO_FACE = FontFace(bold=False, italic=False, mono=False)


class TextLook(NamedTuple):
    """What is true of all characters of a text object."""

    style: TextStyle
    base: float
    """The line it stands on, on the page as shown, or on the page turned so that it is upright."""
    turn: int
    """Quarter turns of the text on the page as shown, clockwise."""
    inked: bool
    role: str = ""


class TextLooks:
    """The looks of a page's text objects, asked for once each."""

    def __init__(self) -> None:
        self._faces: dict[int, FontFace] = {}
        self._known: dict[int, TextLook] = {}
        self._same: dict[tuple[float, ...], TextLook] = {}
        """Objects of one line and font look the same: by matrix, size, font, ink and mark."""
        self._calls = calls()
        self._matrix = (ctypes.c_float * 6)()
        self._address = ctypes.addressof(self._matrix)
        self._text_page: Any = None
        self.unmapped = 0
        """Text objects of the page that begin with a character that their font gives no meaning."""
        self.asked = 0
        """Text objects of the page."""
        self._turn = 0
        self._corner = (0.0, 0.0, 0.0, 0.0)
        self._roles: Mapping[int, str] = {}

    def begin(
        self, text_page: Any, turn: int, corner: tuple[float, float, float, float], roles: Mapping[int, str]
    ) -> None:
        """Of another page: by how many quarters it is shown turned, its corners, and what its tags say."""
        self._known.clear()
        self._same.clear()
        self._faces.clear()  # a font that is let go with its page may leave its address to another
        self._text_page = ctypes.cast(text_page, ctypes.c_void_p).value
        self._turn, self._corner, self._roles = turn, corner, roles
        self.unmapped = self.asked = 0

    def of(self, part: int, index: int) -> TextLook:
        """Of the text object that the character at `index` is of."""
        look = self._known.get(part)
        if look is None:
            look = self._known[part] = self._ask(part, index)
        return look

    def _ask(self, part: int, index: int) -> TextLook:
        ask = self._calls
        ask.matrix(self._text_page, index, self._address)
        a, b, c, d, e, f = self._matrix
        self.unmapped += ask.unmapped(self._text_page, index) == 1
        self.asked += 1
        size = ask.size(self._text_page, index)
        font, ink = (ask.font(part) or 0, ask.ink(part)) if part else (0, 0)
        mark = ask.mark(part) if self._roles and part else -1
        key = (a, b, c, d, e if b else 0.0, f, size, font, ink, mark)
        look = self._same.get(key)
        if look is None:
            angle = -round(atan2(b, a) / (pi / 2)) % 4 if b else (2 if a < 0 else 0)
            # The size in the file may read 1.0, where the matrix does the scaling.
            style = TextStyle(round(abs(size) * hypot(c, d), 1), *self._face(font))
            turn = (angle + self._turn) % 4
            look = TextLook(style, self._base(e, f, angle), turn, ink != _INVISIBLE, self._roles.get(mark, ""))
            self._same[key] = look
        return look

    def _base(self, x: float, y: float, angle: int) -> float:
        """Where the letters stand on the page turned so that text at an angle is upright."""
        left, bottom, right, top = self._corner
        return (top - y, right - x, y - bottom, x - left)[angle]

    def _face(self, font: int) -> FontFace:
        face = self._faces.get(font)
        if face is None:
            face = self._faces[font] = _face(font)
        return face


def _face(font: int) -> FontFace:
    if not font:
        return _NO_FACE
    buffer = ctypes.create_string_buffer(256)
    calls().font_name(font, buffer, 256)
    name = buffer.value.decode("utf-8", "replace").split("+")[-1]
    flags = max(calls().font_flags(font), 0)
    is_heavy = calls().font_weight(font) >= _BOLD_WEIGHT or bool(flags & _FORCE_BOLD)
    bold = bool(_BOLD.search(name)) or (is_heavy and not _REGULAR.search(name))
    italic = bool(_ITALIC.search(name)) or bool(flags & _SLANTED)
    return FontFace(bold, italic, bool(_MONO.search(name)) or bool(flags & _FIXED_PITCH), name)


_MOST = 5_000
"""Elements of a page's tree that are looked at."""
_ROLES = {"H1", "H2", "H3", "H4", "H5", "H6", "Title"}


def roles(page: Any) -> dict[int, str]:
    """What the marked content of a page is, by its number: only titles and headings of a level."""
    import pypdfium2.raw as raw

    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    out: dict[int, str] = {}
    try:
        count = raw.FPDF_StructTree_CountChildren(tree)
        stack = [(raw.FPDF_StructTree_GetChildAtIndex(tree, index), "") for index in range(min(count, _MOST))]
        seen = 0
        while stack and seen < _MOST:
            element, above = stack.pop()
            seen += 1
            if element:
                role = _role(element) or above
                if role:
                    _collect(element, role, out)
                children = min(raw.FPDF_StructElement_CountChildren(element), _MOST)
                stack += [(raw.FPDF_StructElement_GetChildAtIndex(element, at), role) for at in range(children)]
    finally:
        raw.FPDF_StructTree_Close(tree)
    return out


def _role(element: Any) -> str:
    import pypdfium2.raw as raw

    buffer = (ctypes.c_ushort * 16)()
    size = raw.FPDF_StructElement_GetType(element, buffer, 32)
    name = bytes(buffer)[: max(size - 2, 0)].decode("utf-16-le", "replace") if size <= 32 else ""
    return name if name in _ROLES else ""


def _collect(element: Any, role: str, out: dict[int, str]) -> None:
    import pypdfium2.raw as raw

    for index in range(min(max(raw.FPDF_StructElement_CountChildren(element), 0), _MOST)):
        number = raw.FPDF_StructElement_GetChildMarkedContentID(element, index)
        if number >= 0:
            out[number] = role
