"""What reaches a terminal: colour where it is wanted, control characters never."""

from __future__ import annotations

import os
import sys
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

_BIDI = (0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_VISIBLE: dict[int, str] = {
    **{code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))},
    **{code: f"\\u{code:04x}" for code in (*_BIDI, 0x2028, 0x2029)},  # these can reorder or break a line
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "    ",
}

PLAIN_WIDTH = 120
"""Columns of a preview that goes to a pipe or a file."""


@dataclass(frozen=True, slots=True)
class Style:
    """How text is decorated for one stream."""

    colour: bool = False
    glyphs: bool = True
    """Whether the stream can show the marks below; else ASCII stands in for them."""
    width: int = PLAIN_WIDTH
    """Columns that a preview line may take."""

    def paint(self, text: str, *names: str) -> str:
        """`text` in the named colours, where there is colour."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"

    def mark(self, glyph: str, plain: str) -> str:
        return glyph if self.glyphs else plain


def style_for(stream: TextIO) -> Style:
    """The style a stream asks for; a pipe or file gets plain text of a fixed width, so it is the same everywhere."""
    width = PLAIN_WIDTH
    if stream.isatty():
        from shutil import get_terminal_size

        width = max(40, get_terminal_size().columns)
    return Style(wants_colour(stream), shows_glyphs(stream), width)


def wants_colour(stream: TextIO) -> bool:
    """NO_COLOR wins over FORCE_COLOR, as in Python itself; else a terminal that is not dumb."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def shows_glyphs(stream: TextIO) -> bool:
    try:
        "│┆█░".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def visible(text: str) -> str:
    """`text` with control characters as escapes that can be read, all on one line."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_VISIBLE)


def clipped(text: str, width: int) -> str:
    """The start of `text` that fits so many columns; wide characters take two."""
    if len(text) <= width and text.isascii():
        return text
    used = 0
    for at, char in enumerate(text):
        used += _columns(char)
        if used > width:
            return _shortened(text[:at], width)
    return text


def _shortened(text: str, width: int) -> str:
    while text and columns(text) > width - 1:
        text = text[:-1]
    return text + "…"


def columns(text: str) -> int:
    """How many columns a terminal gives to printable text."""
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def say(message: str) -> None:
    """One line to people, on stderr; a stderr that is gone is no reason to fail."""
    with suppress(OSError, ValueError):
        print(f"seamline: {visible(message)}", file=sys.stderr, flush=True)


def plural(count: int, noun: str) -> str:
    """`1 chunk`, `2 chunks`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
