"""Places in source code, in bytes as the grammar counts them: starts and ends of lines, and their code points."""

from __future__ import annotations

import re
from bisect import bisect_right

_WIDE = re.compile("[^\x00-\x7f]+")
_RUNS = re.compile("[\x80-\u07ff]+|[\u0800-\uffff]+|[\U00010000-\U0010ffff]+")
"""Characters of two, three and four bytes; on their own they are found three times as slowly."""
_INDENT = 256
"""Blanks before the first word of a line; a place further to the right does not start its line."""
_LF, _SPACE = b"\n "
WHITE = b" \n\r\t\f\v\x1c\x1d\x1e\x1f"
"""What `str.isspace` says of ASCII."""


class Places:
    """A text as bytes, and the code point of each."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode()
        self.is_ascii = len(self.data) == len(text)
        """Whether bytes and code points are the same."""
        self._bytes: list[int] = []
        self._points: list[tuple[int, int, int]] = []
        if not self.is_ascii:
            self._map()

    def _map(self) -> None:
        """Note where runs of characters of one width begin, and how far points are behind bytes after them."""
        behind = 0
        found = (run for wide in _WIDE.finditer(self.text) for run in _RUNS.finditer(self.text, *wide.span()))
        for run in found:
            width = len(self.text[run.start()].encode())
            begin = run.start() + behind
            length = (run.end() - run.start()) * width
            behind += length - (run.end() - run.start())
            self._bytes.append(begin)
            self._points.append((begin + length, width, behind))

    def point(self, byte: int) -> int:
        """The code point that a byte belongs to."""
        if self.is_ascii:
            return byte
        index = bisect_right(self._bytes, byte) - 1
        if index < 0:
            return byte
        end, width, behind = self._points[index]
        if byte >= end:
            return byte - behind
        return end - behind - (end - byte + width - 1) // width

    def line_start(self, at: int) -> int:
        """The start of the line, where only blanks stand before `at`; else -1."""
        data = self.data
        before = data[at - 1] if at else _LF
        if before > _SPACE:
            return 3 if at == 3 and data.startswith(b"\xef\xbb\xbf") else -1
        if before in b"\n\r":
            return at
        low = at - _INDENT if at > _INDENT else 0
        found = data.rfind(b"\n", low, at)
        if found < 0:
            found = data.rfind(b"\r", low, at)
            if found < 0 and low:
                return -1
        return found + 1 if data[found + 1 : at].isspace() else -1

    def line_end(self, at: int, end: int) -> int:
        """The end of the line that holds `at`, without its line end."""
        found = self.data.find(b"\n", at, end)
        return found if found >= 0 else end

    def trim(self, start: int, end: int) -> int:
        """`end` without the white space before it."""
        data = self.data
        while end > start and data[end - 1] in WHITE:
            end -= 1
        return end

    def blank_between(self, start: int, end: int) -> bool:
        """Whether a blank line ends between two places, of which the second starts its line."""
        lines = self.data.count(b"\n", start, end) or self.data.count(b"\r", start, end)
        return lines > 1

    def string(self, start: int, end: int) -> str:
        return self.data[start:end].decode(errors="replace")

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span in code points, without white space at its end, of which `trim` sees only what is ASCII."""
        if self.is_ascii:
            return start, end
        start, end = self.point(start), self.point(end)
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return start, end
