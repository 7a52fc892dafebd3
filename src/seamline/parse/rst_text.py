"""What reStructuredText says in plain words, and which of its inline marks have no end."""

from __future__ import annotations

import re

_ROLE = re.compile(r":[\w.+:-]{1,60}:(?=`)")
_QUOTED = re.compile(
    r"``(.+?)``|`([^`<]*?)[ \t]*(?:<[^<>`]*>)?`_{0,2}|\*\*(?=\S)(.+?)(?<=\S)\*\*|\*(?=\S)(.+?)(?<=\S)\*"
)
_REFERENCE = re.compile(r"(?<=\w)__?(?=\W|\Z)|\\(.)|\|(?=\S)([^|]+)(?<=\S)\|_?", re.DOTALL)
_LONGEST_TITLE = 2_000

_OPEN = re.compile(
    r"(?:(?<=[\s'\"(\[{<\-/:])|\A)(?P<mark>\*\*(?=[^\s*])|\*(?=[^\s*])|``(?=\S)|`(?=[^\s`])|\|(?=[^\s|]))|\\.|``",
    re.DOTALL,
)
_PAIRS = frozenset(("''", '""', "()", "[]", "{}", "<>"))
_AFTER = r"(?=\Z|[\s'\")\]}>\-/\\.,:;!?_*])"
_CLOSES = {
    "*": re.compile(rf"(?<=[^\s\\])\*{_AFTER}"),
    "**": re.compile(rf"(?<=[^\s\\])\*\*{_AFTER}"),
    "`": re.compile(rf"(?<=[^\s\\])`{_AFTER}"),
    "``": re.compile(rf"(?<=\S)``{_AFTER}"),
    "|": re.compile(rf"(?<=[^\s\\])\|{_AFTER}"),
}
_MATH = re.compile(r":math:`([^`]*)`")


def plain(title: str) -> str:
    """A title without its marks."""
    if len(title) > _LONGEST_TITLE or not any(mark in title for mark in "`*|\\_"):
        return title
    bare = _QUOTED.sub(lambda found: next((one for one in found.groups() if one is not None), ""), _ROLE.sub("", title))
    return _REFERENCE.sub(lambda found: found[1] or found[2] or "", bare).strip()


def open_marks(text: str, start: int, end: int) -> int:
    """How many inline marks of a paragraph have no end. One that has none is not looked for again."""
    count = 0
    absent: set[str] = set()
    at = start
    while found := _OPEN.search(text, at, end):
        at = found.end()
        mark = found["mark"]
        if mark is None or text[found.start() - 1 : found.start()] + text[at : at + 1] in _PAIRS:
            continue
        if mark in absent:
            count += 1
            continue
        close = _CLOSES[mark].search(text, at + 1, end)
        if close is None:
            absent.add(mark)
            count += mark != "|"  # a bar alone is text
        else:
            at = close.end()
    return count


def odd_formulas(text: str, start: int, end: int) -> int:
    """How many formulas in a paragraph open other braces than they close."""
    return sum(found[1].count("{") != found[1].count("}") for found in _MATH.finditer(text, start, end))
