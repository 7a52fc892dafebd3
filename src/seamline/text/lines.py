"""Finding the edges of lines. CR, LF and CR LF end a line; the cost of a search is the length of its line.

A plain `rfind` of the line end that a text does not use would look through all of the text, for every line.
"""

from __future__ import annotations

import re

LINE_END = re.compile(r"\r\n?|\n")
_WINDOW = 128


def line_start(text: str, at: int, floor: int = 0) -> int:
    """The start of the line that holds `at`, not before `floor`."""
    window = _WINDOW
    while True:
        low = max(floor, at - window)
        found = max(text.rfind("\n", low, at), text.rfind("\r", low, at))
        if found >= 0:
            return found + 1
        if low == floor:
            return floor
        window *= 4


def line_end(text: str, at: int, end: int) -> int:
    """The end of the line that holds `at`, without its line end."""
    found = LINE_END.search(text, at, end)
    return found.start() if found else end


def next_line(text: str, at: int, end: int) -> int:
    """The start of the line after the one that holds `at`."""
    found = LINE_END.search(text, at, end)
    return found.end() if found else end


def trimmed(text: str, start: int, end: int) -> int:
    """`end` without the white space before it."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def counts_apart(text: str, at: int) -> bool:
    """Whether the tokens before and after a line start are apart for an additive tokenizer: a slash may go with marks
    at the end of the line before, and a blank line, also one of spaces, with its line end."""
    if not text[at].isspace():
        return text[at] != "/"
    while at < len(text) and text[at].isspace():
        if text[at] in "\r\n":
            return False
        at += 1
    return at < len(text)


def line_number(text: str, at: int) -> int:
    """The number, from 1, of the line that holds `at`."""
    return 1 + sum(1 for _ in LINE_END.finditer(text, 0, at))


def line_starts(text: str) -> list[int]:
    """Where every line starts."""
    if "\r" in text:
        return [0, *(end.end() for end in LINE_END.finditer(text))]
    starts = [0]
    while at := text.find("\n", starts[-1]) + 1:
        starts.append(at)
    return starts
