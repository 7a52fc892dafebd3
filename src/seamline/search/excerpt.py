"""The part of a passage that is worth a glance: where it meets the query, with lines whole where lines matter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seamline.search.highlight import snippet
from seamline.text.lines import line_end, next_line
from seamline.text.markup import FENCE_LINE, MARKER
from seamline.text.sentences import sentence_starts
from seamline.types import Span

_ROOM = 160
"""Code points that an excerpt may grow by at either end to hold a whole line."""
_LEAST = 160
"""Code points that are shown of a text whose headings match best."""

_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_ITEM = re.compile(rf"[ \t>]*{MARKER}[ \t]+")


def excerpt(text: str, path: Sequence[str], query: str) -> Span:
    """A few lines of a text. The headings it opens with are left out, as its path names them."""
    top = after_headings(text, path)
    part = snippet(text, query, sentences=sentence_starts)  # headings count: they may be what was asked for
    start = _line_start(text, max(top, part.start), top, part.spans[0].start if part.spans else 0)
    lit = part.spans[-1].end if part.spans else 0
    end = _line_end(text, start, max(part.end, min(start + _LEAST, len(text))), lit)
    return Span(start, _without_opener(text, Span(start, end)))


def after_headings(text: str, path: Sequence[str]) -> int:
    """Where a text goes on after the headings and blank lines it opens with; 0 where there is nothing else."""
    at = 0
    while at < len(text):
        end, after = line_end(text, at, len(text)), next_line(text, at, len(text))
        line = text[at:end].strip()
        if line.startswith("#") or not line:
            at = after
        elif line in path and _UNDERLINE.fullmatch(text, after, line_end(text, after, len(text))):
            at = next_line(text, after, len(text))
        else:
            return at
    return 0


def _line_start(text: str, at: int, top: int, lit: int) -> int:
    """Where a line starts, for rows, code and list items that would be cut into: the next one where nothing before it
    matches, else this one."""
    line = max(top, text.rfind("\n", 0, at) + 1)
    if line == at or not (_is_row(text, line) or _ITEM.fullmatch(text, line, at)):
        return at
    if after := text.find("\n", at, lit) + 1:
        return after
    return line if at - line <= _ROOM else at


def _line_end(text: str, start: int, at: int, lit: int) -> int:
    """The end of a row or a line of code that would be cut into: its own where it holds a match, else of the one
    before."""
    if at >= len(text) or text[at] in "\r\n":
        return at
    line = text.rfind("\n", 0, at) + 1
    if not _is_row(text, line):
        return at
    if line <= start or line < lit:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        return end if end - at <= _ROOM else at
    return line - 1


def _is_row(text: str, line: int) -> bool:
    """Whether the line that starts here is one of a table or of code."""
    return text[line : line + 4].lstrip().startswith("|") or _in_code(text, line)


def _in_code(text: str, at: int) -> bool:
    return len(FENCE_LINE.findall(text[:at])) % 2 == 1


def _without_opener(text: str, part: Span) -> int:
    """The end of an excerpt without a fence that nothing follows."""
    line = max(part.start, text.rfind("\n", part.start, part.end) + 1)
    if FENCE_LINE.match(text, line, part.end) and not _in_code(text, line) and line > part.start:
        return line - 1
    return part.end
