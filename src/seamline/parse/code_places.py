"""Places in source code: bytes of the grammar's tree as code points of the text, starts of lines, ends without blanks."""

from __future__ import annotations

import re
from bisect import bisect_right

_RUNS = re.compile("[\x80-\u07ff]+|[\u0800-\uffff]+|[\U00010000-\U0010ffff]+")
"""Characters of two, three and four bytes."""
_INDENT = 256
"""Blanks before the first word of a line; a place further to the right does not start its line."""


def trim(text: str, start: int, end: int) -> int:
    """`end` without the white space before it."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def blank_between(text: str, start: int, end: int) -> bool:
    """Whether a blank line ends between two places, of which the second starts its line."""
    return text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end) > 1


class Places:
    """A text, and its places in bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode()
        self._ascii = len(self.data) == len(text)
        self._bytes: list[int] = []
        self._points: list[tuple[int, int, int]] = []
        if not self._ascii:
            self._map()

    def _map(self) -> None:
        """Note where runs of characters of one width begin, and how far points are behind bytes after them."""
        behind = 0
        for run in _RUNS.finditer(self.text):
            width = len(self.text[run.start()].encode())
            begin = run.start() + behind
            length = (run.end() - run.start()) * width
            behind += length - (run.end() - run.start())
            self._bytes.append(begin)
            self._points.append((begin + length, width, behind))

    def at(self, byte: int) -> int:
        """The code point that a byte belongs to."""
        if self._ascii:
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
        text = self.text
        if at == 0 or text[at - 1] in "\r\n\ufeff":
            return at
        if not text[at - 1].isspace():
            return -1
        low = max(at - _INDENT, 0)
        found = max(text.rfind("\n", low, at), text.rfind("\r", low, at)) + 1
        if not found and low:
            return -1
        return found if text[found:at].isspace() else -1

    def line_end(self, at: int, end: int) -> int:
        """The end of the line that holds `at`, without its line end."""
        found = self.text.find("\n", at, end)
        return found if found >= 0 else end
