"""Finding the edges of lines. CR, LF and CR LF end a line; all searches are bounded by their range."""

from __future__ import annotations


def line_start(text: str, at: int, floor: int = 0) -> int:
    """The start of the line that holds `at`, not before `floor`."""
    return max(text.rfind("\n", floor, at), text.rfind("\r", floor, at), floor - 1) + 1


def line_end(text: str, at: int, end: int) -> int:
    """The end of the line that holds `at`, without its line end."""
    stop = text.find("\n", at, end)
    if stop < 0:
        stop = text.find("\r", at, end)
        return end if stop < 0 else stop
    return stop - 1 if stop > at and text[stop - 1] == "\r" else stop


def next_line(text: str, at: int, end: int) -> int:
    """The start of the line after the one that holds `at`."""
    stop = text.find("\n", at, end)
    if stop < 0:
        stop = text.find("\r", at, end)
    return end if stop < 0 else stop + 1


def trimmed(text: str, start: int, end: int) -> int:
    """`end` without the white space before it."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
