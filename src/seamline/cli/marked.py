"""Text with marked spans as lines for a terminal: wrapped, painted, and without control characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from seamline.cli.style import Style, columns, visible
from seamline.types import Span

_END = re.compile(r"\r\n?|\n")
_GOES_ON = re.compile(r"\r?\n(?=[^\W\d_])")
_NOTHING = re.compile(r"\s*(?:\|[ \t:|-]*)?")
"""A line that is blank, or the rule under the header of a table."""
_LONG = 60
"""Columns from which a line that prose goes on after was broken by its author's editor, and not for a reason."""
_BACK = 2000
"""How far back the start of such a line is looked for."""


def wrapped(
    text: str, part: Span, marks: Sequence[Span], style: Style, width: int, *, airy: bool = False
) -> Iterator[str]:
    """A part of a text in lines of at most so many columns: lines of a paragraph joined; blank lines and the rules of
    tables only where there is room for air."""
    flowing = _GOES_ON.sub(_joined, text)
    for line in _lines(flowing, part):
        if not _NOTHING.fullmatch(flowing, line.start, line.end):
            yield from (painted(flowing, row, marks, style) for row in _rows(flowing, line, width))
        elif airy:
            yield painted(flowing, line, (), style)


def whole(text: str, marks: Sequence[Span], style: Style) -> Iterator[str]:
    """All lines of a text as they are."""
    return (painted(text, line, marks, style) for line in _lines(text, Span(0, len(text))))


def painted(text: str, part: Span, marks: Sequence[Span], style: Style) -> str:
    """A part of one line, with what is marked in it standing out."""
    pieces, at = [], part.start
    for mark in marks:
        start, end = max(mark.start, at), min(mark.end, part.end)
        if start < end:
            pieces += [visible(text[at:start]), style.paint(visible(text[start:end]), "bold", "yellow")]
            at = end
    return "".join([*pieces, visible(text[at : part.end])]).rstrip()


def _lines(text: str, part: Span) -> Iterator[Span]:
    at = part.start
    for end in _END.finditer(text, part.start, part.end):
        yield Span(at, end.start())
        at = end.end()
    yield Span(at, part.end)


def _joined(line_end: re.Match[str]) -> str:
    """A line end inside a paragraph as blanks, so that no offset changes; any other as it is."""
    text, at = line_end.string, line_end.start()
    low = max(0, at - _BACK)
    line = text[max(text.rfind("\n", low, at), text.rfind("\r", low, at), low - 1) + 1 : at]
    prose = len(line) >= _LONG and line[0] not in "|#`~ \t"
    return " " * len(line_end.group()) if prose else line_end.group()


def _rows(text: str, line: Span, width: int) -> Iterator[Span]:
    """A line cut at spaces, or where there are none, at the width."""
    start, end = line
    while start < end:
        stop, space, used = start, start, 0
        while stop < end and (used := used + columns(visible(text[stop]))) <= width:
            space = stop if text[stop] == " " else space
            stop += 1
        if stop < end and text[stop] != " " and space > start:
            stop = space
        stop = max(stop, start + 1)
        yield Span(start, stop)
        start = stop
        while start < end and text[start] == " ":
            start += 1
