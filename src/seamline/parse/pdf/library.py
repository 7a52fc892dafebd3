"""PDFium's functions for single characters, called a whole page at a time.

The library has no call for all characters of a page. Through prototypes of our own, which write into one array at plain
addresses, `map` calls it without a line of Python in between: 0.4 us for each character and question instead of 3.
"""

from __future__ import annotations

import ctypes
from array import array
from collections import deque
from functools import cache
from itertools import repeat
from typing import Any, NamedTuple

from seamline.extras import needed

WHAT = "pypdfium2, which reads PDF,"
EXTRA = "pdf"


class Calls(NamedTuple):
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
def calls() -> Calls:
    with needed(WHAT, EXTRA):
        import pypdfium2.raw as raw

    def prototype(function: Any, result: Any, *arguments: Any) -> Any:
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
        return ctypes.CFUNCTYPE(result, *arguments)(address)

    number, pointer = ctypes.c_int, ctypes.c_void_p
    return Calls(
        prototype(raw.FPDFText_GetLooseCharBox, number, pointer, number, pointer),
        prototype(raw.FPDFText_GetTextObject, pointer, pointer, number),
        prototype(raw.FPDFText_GetMatrix, number, pointer, number, pointer),
        prototype(raw.FPDFText_GetFontSize, ctypes.c_double, pointer, number),
        prototype(raw.FPDFText_HasUnicodeMapError, number, pointer, number),
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
    """The characters of a page, one for each index."""
    import pypdfium2.raw as raw

    buffer = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(text_page, 0, count, buffer) - 1
    text = bytes(buffer)[: 2 * max(written, 0)].decode("utf-16-le", "surrogatepass")
    if len(text) == count:
        return text
    # Characters beyond the first plane, or without a meaning, shift the text: ask for each.
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
