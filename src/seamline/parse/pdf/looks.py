"""How the text objects of a page look: size, weight, slant, direction, and whether they are drawn at all."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from math import atan2, hypot, pi
from typing import Any, NamedTuple

from seamline.parse.pdf.library import calls
from seamline.parse.pdf.model import Style

_BOLD = re.compile(r"bold|black|heavy|demi|CMBX|CMB1|SFBX|LMRoman\w*-?bold", re.IGNORECASE)
_ITALIC = re.compile(r"italic|oblique|slanted|CMTI|CMSL|SFTI|SFSL", re.IGNORECASE)
_MONO = re.compile(r"courier|mono|consol|menlo|typewriter|CMTT|SFTT|lucidasanstyp|fixed|nimbusmon", re.IGNORECASE)
_FIXED_PITCH, _SLANTED, _FORCE_BOLD = 1, 1 << 6, 1 << 18
_BOLD_WEIGHT = 700
_INVISIBLE = 3


class Face(NamedTuple):
    """What a font is, whatever its size."""

    bold: bool
    italic: bool
    mono: bool
    name: str = ""


_NO_FACE = Face(bold=False, italic=False, mono=False)


class Look(NamedTuple):
    """What is true of all characters of a text object."""

    style: Style
    base: float
    """The line it stands on, on the page as shown, or on the page turned so that it is upright."""
    turn: int
    """Quarter turns of the text on the page as shown, clockwise."""
    inked: bool
    role: str = ""


class Looks:
    """The looks of a page's text objects, asked for once each."""

    def __init__(self) -> None:
        self._faces: dict[int, Face] = {}
        self._known: dict[int, Look] = {}
        self._same: dict[tuple[float, ...], Look] = {}
        """Objects of one line and font look the same: by matrix, size, font, ink and mark."""
        self._calls = calls()
        self._matrix = (ctypes.c_float * 6)()
        self._address = ctypes.addressof(self._matrix)
        self._text_page: Any = None
        self.unmapped = 0
        """Text objects of the page that begin with a character that their font gives no meaning."""
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
        self._turn, self._corner, self._roles, self.unmapped = turn, corner, roles, 0

    def of(self, part: int, index: int) -> Look:
        """Of the text object that the character at `index` is of."""
        look = self._known.get(part)
        if look is None:
            look = self._known[part] = self._asked(part, index)
        return look

    def _asked(self, part: int, index: int) -> Look:
        ask = self._calls
        ask.matrix(self._text_page, index, self._address)
        a, b, c, d, e, f = self._matrix
        self.unmapped += ask.unmapped(self._text_page, index) == 1
        size = ask.size(self._text_page, index)
        font, ink = (ask.font(part) or 0, ask.ink(part)) if part else (0, 0)
        mark = ask.mark(part) if self._roles and part else -1
        key = (a, b, c, d, e if b else 0.0, f, size, font, ink, mark)
        look = self._same.get(key)
        if look is None:
            angle = -round(atan2(b, a) / (pi / 2)) % 4 if b else (2 if a < 0 else 0)
            # The size in the file may read 1.0, where the matrix does the scaling.
            style = Style(round(abs(size) * hypot(c, d), 1), *self._face(font))
            turn = (angle + self._turn) % 4
            look = Look(style, self._base(e, f, angle), turn, ink != _INVISIBLE, self._roles.get(mark, ""))
            self._same[key] = look
        return look

    def _base(self, x: float, y: float, angle: int) -> float:
        """Where the letters stand on the page turned so that text at an angle is upright."""
        left, bottom, right, top = self._corner
        return (top - y, right - x, y - bottom, x - left)[angle]

    def _face(self, font: int) -> Face:
        face = self._faces.get(font)
        if face is None:
            face = self._faces[font] = _face(font)
        return face


def _face(font: int) -> Face:
    if not font:
        return _NO_FACE
    buffer = ctypes.create_string_buffer(256)
    calls().font_name(font, buffer, 256)
    name = buffer.value.decode("utf-8", "replace").split("+")[-1]
    flags = max(calls().font_flags(font), 0)
    bold = bool(_BOLD.search(name)) or calls().font_weight(font) >= _BOLD_WEIGHT or bool(flags & _FORCE_BOLD)
    italic = bool(_ITALIC.search(name)) or bool(flags & _SLANTED)
    return Face(bold, italic, bool(_MONO.search(name)) or bool(flags & _FIXED_PITCH), name)
