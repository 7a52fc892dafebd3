"""What reaches a terminal: colour where it is wanted, one line of progress while a long batch runs, control characters
never."""

from __future__ import annotations

import os
import re
import sys
import time
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

_HARMFUL = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""DEL and C1 controls, which a terminal obeys; marks, overrides and isolates of bidirectional text and two line ends,
which change what is read; lone surrogates, which no stream can encode."""
_IN_LINE = re.compile(f"[\x00-\x1f{_HARMFUL}]")
_IN_LINES = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{_HARMFUL}]|\r(?!\n)")
_IN_JSON = re.compile(f"[{_HARMFUL}]")
_SHORT = {"\n": "\\n", "\r": "\\r"}

PLAIN_WIDTH = 120
"""Columns of a preview that goes to a pipe or a file."""


@dataclass(frozen=True, slots=True)
class TerminalStyle:
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


def style_for(stream: TextIO) -> TerminalStyle:
    """The style a stream asks for; a pipe or file gets plain text of a fixed width, so it is the same everywhere."""
    width = PLAIN_WIDTH
    if stream.isatty():
        from shutil import get_terminal_size

        width = max(40, get_terminal_size().columns)
    return TerminalStyle(wants_colour(stream), shows_glyphs(stream), width)


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
    return _IN_LINE.sub(_escape, text.replace("\t", "    "))


def visible_lines(text: str) -> str:
    """The same with line ends and tabs as they are."""
    return _IN_LINES.sub(_escape, text)


def escape_json(line: str) -> str:
    """JSON that reads as the same value and that no terminal obeys; C0 controls are escaped in all JSON."""
    if line.isascii() and "\x7f" not in line:
        return line
    return _IN_JSON.sub(lambda char: f"\\u{ord(char.group()):04x}", line)


def _escape(char: re.Match[str]) -> str:
    code = ord(char.group())
    return _SHORT.get(char.group()) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def clip(text: str, width: int) -> str:
    """The start of `text` that fits so many columns; wide characters take two."""
    if len(text) <= width and text.isascii():
        return text
    used = 0
    for at, char in enumerate(text):
        used += _columns(char)
        if used > width:
            return _shorten(text[:at], width)
    return text


def clip_middle(text: str, width: int) -> str:
    """`text` in so many columns, without its middle where it is too long: both ends of a path or of headings tell
    more than what is between them."""
    if columns(text) <= width:
        return text
    tail, left = "", max(1, width - 1) // 2
    for char in reversed(text):
        if columns(char + tail) > left:
            break
        tail = char + tail
    head = clip(text, max(1, width - columns(tail)))
    return f"{head}{tail}"


def _shorten(text: str, width: int) -> str:
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


MANY = 20
"""Inputs from which a batch is long from the start."""
SLOW = 1.0
"""Seconds after which any batch is long."""
_PAUSE = 0.1


def _terminal_width() -> int:
    """Columns of the terminal behind standard error; it may have been resized since the last line."""
    try:
        return max(20, os.get_terminal_size(sys.stderr.fileno()).columns or 80)
    except (OSError, ValueError):
        return 80


class Progress:
    """How far a batch is; shown on stderr where that is a terminal."""

    def __init__(self, total: int, *, wanted: bool) -> None:
        self._total = total
        self._wanted = wanted and sys.stderr.isatty()
        self._begun = time.monotonic()
        self._drawn = self._begun - _PAUSE  # the first line of a long batch appears at once
        self._shown = False

    def step(self, done: int, name: str) -> None:
        """`done` inputs are finished and `name` is next."""
        self.show(f"{done}/{self._total} {visible(name)}", long=self._total > MANY)

    def show(self, line: str, *, long: bool = False) -> None:
        """Draw a line, where the batch is long and the last one is not too recent."""
        now = time.monotonic()
        long = long or now - self._begun > SLOW
        if self._wanted and long and now - self._drawn >= _PAUSE:
            self._drawn, self._shown = now, True
            print(f"\r\x1b[K{clip(line, _terminal_width() - 1)}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away, as before anything else is printed."""
        if self._shown:
            self._shown = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
