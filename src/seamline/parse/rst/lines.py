"""The lines of a reStructuredText source, what one line can be, and the plain words of inline markup."""

from __future__ import annotations

import re

from seamline.parse.source_lines import SourceLines

ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*+\Z")
BULLET = re.compile(r"([*+\-•‣⁃])(?:[ \t]+|\Z)")
ENUMERATOR = re.compile(r"(\()?(?:[0-9]{1,9}|[A-Za-z]|[ivxlcdmIVXLCDM]{1,12}|#)([.)])(?:[ \t]+|\Z)")
FIELD = re.compile(r":(?![: ])(?:[^:\\]|\\.|:(?![ `]|\Z))*+(?<! ):(?:[ \t]+|\Z)", re.DOTALL)
_VALUE = r"[A-Za-z<][\w<>|.,-]{0,40}"
_ONE_OPTION = rf"(?:-[A-Za-z0-9](?:[ ]?{_VALUE})?|(?:--|/)[A-Za-z0-9][\w-]{{0,60}}(?:[ =]{_VALUE})?)"
OPTION = re.compile(rf"{_ONE_OPTION}(?:, {_ONE_OPTION}){{0,8}}(?:[ ]{{2,}}|[ ]*\Z)")
GRID = re.compile(r"\+-[-+]+-\+\Z")
GRID_BORDER = re.compile(r"\+[-=+]+\+\Z")
SIMPLE = re.compile(r"=+(?:[ \t]++=++)+\Z")
SIMPLE_BORDER = re.compile(r"=[= \t]*+\Z")


class RstLines(SourceLines):
    """Lines of reStructuredText."""

    def adornment(self, number: int) -> str:
        """The line where it is one sign again and again from the first column on, else nothing."""
        if number >= len(self.start) or self.indent[number] != 0:
            return ""
        first = self.text[self.at[number]]
        if first.isalnum() or self.text[self.end[number] - 1] != first:
            return ""
        found = ADORNMENT.match(self.text, self.at[number], self.end[number])
        return found[0] if found else ""


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


def plain_title(title: str) -> str:
    """A title without its marks."""
    if len(title) > _LONGEST_TITLE or not any(mark in title for mark in "`*|\\_"):
        return title
    bare = _QUOTED.sub(lambda found: next((one for one in found.groups() if one is not None), ""), _ROLE.sub("", title))
    return _REFERENCE.sub(lambda found: found[1] or found[2] or "", bare).strip()


def count_open_marks(text: str, start: int, end: int) -> int:
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


def count_odd_formulas(text: str, start: int, end: int) -> int:
    """How many formulas in a paragraph open other braces than they close."""
    return sum(found[1].count("{") != found[1].count("}") for found in _MATH.finditer(text, start, end))
