"""Marks of LaTeX -> what is inside what: environments paired, definitions stepped over, headings with their titles."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from seamline.parse.latex.lex import BEGIN, CODE, DEFINE, END, GROUP, HEAD, HIDDEN, META, LatexMark, LatexMarks

_SPACES = re.compile(r"(?:[ \t]|(?:\r\n|\n|\r(?!\n))(?![ \t]*[\r\n])|%[^\r\n]*(?:\r\n?|\n)?)*+")
"""White space and comments that an argument may stand behind: no blank line."""
_BLANKS = re.compile(r"[ \t]*+")
_WORD = re.compile(r"\*?[ \t]*\\(?:[A-Za-z@]+|.)")
_AFTER_TITLE = re.compile(r"(?:[ \t]*\\label[ \t]*\{[^{}\r\n]{0,200}\})*(?:[ \t]*%[^\r\n]*)?")
_NEAR = 400
"""How far an optional argument may reach."""
_LONGEST_GROUP = 20_000
_LONGEST_TITLE = 2_000


class LatexHeading(NamedTuple):
    """A section command with its title."""

    start: int
    end: int
    title: tuple[int, int]
    """The span of the title's source."""
    rank: int


class LatexTree(NamedTuple):
    """The marks that count, and how they belong together."""

    marks: list[LatexMark]
    partner: dict[int, int]
    """Position of a begin among the marks -> that of its end, and back; those without one are missing."""
    flat: set[int]
    """Positions of begins and ends around headings: their blocks stand at the top, as headings must."""
    holders: set[int]
    """Positions of begins with other environments or verbatim text inside."""
    headings: dict[int, LatexHeading]
    """By position of the mark."""
    meta: dict[str, str]
    """Source of title, author and date, the first of each."""
    open: list[int]
    """Offsets of environments that are opened or closed only."""


class LatexArguments:
    """Finds arguments after a command, each in constant time but for its own length."""

    def __init__(self, text: str, lexed: LatexMarks) -> None:
        self.text = text
        self.closes = lexed.closes
        self.blanks = lexed.blanks

    def group(self, at: int) -> tuple[int, int] | None:
        """The span of the argument in braces that follows, its braces included."""
        at = _skip(_SPACES, self.text, at)
        close = self.closes.get(at)
        return None if close is None else (at, close + 1)

    def option(self, at: int) -> int:
        """One past the optional argument that follows, else where it started."""
        if not self.text.startswith("[", at):
            return at
        stop = min(len(self.text), at + _NEAR)
        inner = at + 1
        while True:
            end = self.text.find("]", inner, stop)
            brace = self.text.find("{", inner, stop if end < 0 else end)
            if brace >= 0:
                inner = self.closes.get(brace, stop) + 1
                if inner > stop:
                    return at
                continue
            return end + 1 if end >= 0 else at

    def after_arguments(self, at: int, most: int = 4) -> int:
        """One past the arguments that follow without a space between."""
        for _ in range(most):
            after = self.option(at)
            close = self.closes.get(after)
            if close is not None and close - after < _NEAR:
                after = close + 1
            if after == at:
                break
            at = after
        return at

    def after_definition(self, mark: LatexMark) -> int:
        """One past a definition."""
        at = mark.end
        if mark.name.endswith("def"):
            brace = self.text.find("{", at, at + _NEAR)
            return self.closes.get(brace, at - 1) + 1
        if word := _WORD.match(self.text, at):
            at, left = word.end(), mark.value - 1
        else:
            left = mark.value
        while left:
            at = self.option(_skip(_BLANKS, self.text, at))
            at = self.option(_skip(_BLANKS, self.text, at))
            found = self.group(at)
            if found is None:
                break
            at, left = found[1], left - 1
        return at

    def heading(self, mark: LatexMark) -> LatexHeading | None:
        """A section command with its title; None where no title follows."""
        at = self.option(_skip(_BLANKS, self.text, mark.end))
        found = self.group(at)
        if found is None:
            return None
        if mark.name.endswith("chapter") and mark.name != "chapter":
            while (more := self.closes.get(found[1])) is not None:  # names of the file come first
                found = found[1], more + 1
        start, end = found
        blank = bisect_left(self.blanks, start)
        if end - start > _LONGEST_TITLE or (blank < len(self.blanks) and self.blanks[blank] < end):
            return None
        return LatexHeading(mark.start, _skip(_AFTER_TITLE, self.text, end), (start + 1, end - 1), mark.value)


def build_tree(text: str, lexed: LatexMarks, arguments: LatexArguments) -> LatexTree:
    """Pair the environments, and leave out marks that are inside definitions, titles and footnotes."""
    tree = LatexTree([], {}, set(), set(), {}, {}, [])
    stack: list[int] = []
    waiting: dict[str, int] = {}
    after = 0
    for mark in lexed.marks:
        if mark.start < after:
            continue
        position = len(tree.marks)
        if mark.kind == DEFINE:
            after = arguments.after_definition(mark)
            continue
        if mark.kind in (META, GROUP):
            after = _argument(text, arguments, tree, mark)
            continue
        if mark.kind == HEAD:
            heading = arguments.heading(mark)
            if heading is None:
                continue
            after = heading.end
            tree.headings[position] = heading
            if stack:
                tree.flat.add(stack[-1])
        elif mark.kind == BEGIN:
            if stack:
                tree.holders.add(stack[-1])
            stack.append(position)
            waiting[mark.name] = waiting.get(mark.name, 0) + 1
        elif mark.kind in (CODE, HIDDEN):
            if stack:
                tree.holders.add(stack[-1])
        elif mark.kind == END:
            _close(tree, stack, waiting, mark, position)
        tree.marks.append(mark)
    while stack:
        _leave(tree, stack, waiting, closed=False)
    tree.open.sort()
    return tree


def _argument(text: str, arguments: LatexArguments, tree: LatexTree, mark: LatexMark) -> int:
    found = arguments.group(arguments.option(_skip(_BLANKS, text, mark.end)))
    if found is None or found[1] - found[0] > _LONGEST_GROUP:
        return mark.end
    if mark.kind == META:
        tree.meta.setdefault(mark.name, text[found[0] + 1 : found[1] - 1])
    return found[1]


def _close(tree: LatexTree, stack: list[int], waiting: dict[str, int], mark: LatexMark, position: int) -> None:
    """Pair an end with the last begin of its name; those begun after it have no end."""
    if not waiting.get(mark.name):
        tree.open.append(mark.start)
        return
    while tree.marks[stack[-1]].name != mark.name:
        _leave(tree, stack, waiting, closed=False)
    begin = _leave(tree, stack, waiting, closed=True)
    tree.partner[begin] = position
    tree.partner[position] = begin


def _leave(tree: LatexTree, stack: list[int], waiting: dict[str, int], *, closed: bool) -> int:
    begin = stack.pop()
    mark = tree.marks[begin]
    waiting[mark.name] -= 1
    if not closed:
        tree.open.append(mark.start)
    if begin in tree.flat and stack:
        tree.flat.add(stack[-1])
    return begin


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
