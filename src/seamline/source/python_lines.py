"""Python by its lines: where statements start, which are under which header, and what each needs to be valid alone."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from seamline.source.braces import BraceLines
from seamline.source.marks import STRING
from seamline.source.nodes import Clause, Node
from seamline.source.wraps import Wrap
from seamline.types import Context

_TEXT = r"""[^\r\n"'#()\[\]{}\\]++|"(?!"")[^"\\\r\n]*+"|'(?!'')[^'\\\r\n]*+'"""
_GROUP = rf"[(\[{{](?:{_TEXT})*+[)\]}}]"
_GROUPS = rf"[(\[{{](?:{_TEXT}|{_GROUP})*+[)\]}}]"
_PLAIN = re.compile(rf"(?:{_TEXT}|[(\[{{](?:{_TEXT}|{_GROUPS})*+[)\]}}])*+(?=[\r\n]|\Z)")
"""A line without anything that could go on in the next: what it opens, it closes."""
_MARK = re.compile(rf"(?s:{STRING})|(#[^\r\n]*+)|([(\[{{])|([)\]}}])|\\(?:\r\n?|\n)|(\r\n?|\n)")
_COMMENT, _OPEN, _CLOSE, _NEWLINE = 1, 2, 3, 4
_BLANKS = re.compile(r"[ \t\f]*+")
_BREAK = re.compile(r"\r\n?|\n")
_WORD = re.compile(r"(?:async[ \t]+)?\w+|@")
_PREFIXED = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')")
_GOES_ON = frozenset(("elif", "else", "except", "finally"))
_SHORT = {
    "if": " ...:\n",
    "while": " ...:\n",
    "with": " ...:\n",
    "match": " ...:\n",
    "elif": " ...:\n",
    "except": " ...:\n",
    "case": " _:\n",
    "for": " _ in ...:\n",
    "async for": " _ in ...:\n",
    "async with": " ...:\n",
}
"""What makes a header of its first word."""
_LONG = 120
"""Characters of a header that is not repeated whole before what follows it."""
_NAMED = re.compile(r"(?:async[ \t]+)?def[ \t]+\w+|class[ \t]+\w+")


class Line(NamedTuple):
    """One logical line: a simple statement or a header, however many lines of text it takes."""

    start: int
    """Of the line of text."""
    first: int
    """Of its code."""
    end: int
    """After its code."""
    indent: int
    word: str
    """What it starts with: a keyword, a name, or `@`."""
    opens: bool
    """Whether it is a header whose statements are on lines of their own."""
    lead: int
    """Where the comments above it start."""


class PythonLines:
    """The statements of one Python source."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.lines = list(_lines(text))
        self.stops = _stops(self.lines)

    @cached_property
    def _tops(self) -> list[Node]:
        return self._level(0, len(self.lines))

    @cached_property
    def _brackets(self) -> BraceLines:
        return BraceLines(self._text, "python")

    @cached_property
    def _top_starts(self) -> list[int]:
        return [node.start for node in self._tops]

    def nodes(self, start: int, end: int) -> Sequence[Node] | None:
        low = max(0, bisect_right(self._top_starts, start) - 1)
        found = [node for node in self._tops[low : bisect_left(self._top_starts, end)] if node.code < end]
        if found and found[0].start < start:
            if start <= found[0].code:
                found[0] = found[0]._replace(start=start)
            elif found[0].end > start:
                return None
            else:
                found = found[1:]
        return found or None

    def opened(self, node: Node, until: int, room: int) -> Node:
        if node.clauses:
            return node
        inside = self._brackets.nodes(node.start, until)
        return self._brackets.opened(inside[0], until, room) if inside and len(inside) == 1 else node

    def under(self, clause: Clause) -> Sequence[Node]:
        if isinstance(clause.place, range):
            return self._level(clause.place.start, clause.place.stop)
        return self._brackets.under(clause)

    def least(self, clause: Clause) -> Wrap | None:
        return None

    def _level(self, low: int, high: int) -> list[Node]:
        """The statements of one level among the lines [low, high)."""
        out: list[Node] = []
        at = low
        while at < high:
            first = self.lines[at]
            head = at
            while self.lines[head].word == "@" and head + 1 < high:
                head += 1
            stop = self.stops[head]
            if not self.lines[head].opens or stop == head + 1:
                out.append(Node(first.lead, first.first, self.lines[stop - 1].end))
                at = stop
                continue
            clauses, at = self._clauses(first.lead, head, high)
            out.append(Node(first.lead, first.first, self.lines[at - 1].end, clauses, -1, self._docstring(head)))
        return out

    def _clauses(self, start: int, head: int, high: int) -> tuple[tuple[Clause, ...], int]:
        lines = self.lines
        heads = [head]
        at = self.stops[head]
        while at < high and lines[at].word in _GOES_ON and lines[at].indent == lines[head].indent:
            heads.append(at)
            at = self.stops[at]
        out = []
        for index, here in enumerate(heads):
            stop = self.stops[here]
            after = lines[stop].lead if stop < len(lines) else len(self._text)
            out.append(
                Clause(
                    start if not index else lines[here].lead,
                    self._head(here),
                    lines[here + 1].lead if stop > here + 1 else after,
                    after,
                    self._before(heads, index),
                    self._closed(here) if not index and lines[here].word == "try" else "",
                    self._short(here),
                    f"\n{self._blanks(here + 1) if stop > here + 1 else ''}...",
                    range(here + 1, stop),
                )
            )
        return tuple(out), at

    def _head(self, index: int) -> tuple[int, int]:
        return self.lines[index].start, self.lines[index].end

    def _blanks(self, index: int) -> str:
        return self._text[self.lines[index].start : self.lines[index].first]

    def _closed(self, index: int) -> str:
        return f"\n{self._blanks(index)}finally: ..."

    def _before(self, heads: Sequence[int], index: int) -> tuple[Context, ...]:
        """The header of the first clause with nothing in it; `else` after `try` needs an `except` as well."""
        if not index:
            return ()
        needed = [heads[0]]
        if self.lines[heads[0]].word == "try" and self.lines[heads[index]].word == "else":
            needed += [one for one in heads[1:index] if self.lines[one].word == "except"][-1:]
        return tuple(self._empty(one) for one in needed)

    def _empty(self, index: int) -> Context:
        """A header with nothing under it; a long one by its first word."""
        start, end = self._head(index)
        short = self._short(index) if end - start > _LONG else None
        if short is not None and self.lines[index].opens:
            return short._replace(added=short.added.rstrip() + " ...\n")
        return Context("scope", start, end, " ...\n" if self.lines[index].opens else "\n")

    def _short(self, index: int) -> Context | None:
        line = self.lines[index]
        if named := _NAMED.match(self._text, line.first):
            return Context("scope", line.start, named.end(), ":\n" if named[0].startswith("class") else "(*_):\n")
        added = _SHORT.get(" ".join(line.word.split()))
        return Context("scope", line.start, line.first + len(line.word), added) if added else None

    def _docstring(self, head: int) -> Context | None:
        """The first line of a function's docstring, closed."""
        line = self.lines[head + 1]
        if not self.lines[head].word.endswith("def") or not (quote := _PREFIXED.match(self._text, line.first)):
            return None
        if (
            self._text[line.end - 1] != quote[1][0]
            or self._text.find(quote[1], quote.end()) + len(quote[1]) != line.end
        ):
            return None  # more than one string
        said = re.compile(r"\s*+[^\r\n]*").match(self._text, quote.end(), line.end)
        end = said.end() if said else line.end
        if end == line.end:
            return Context("docstring", line.start, line.end, "\n")
        end = quote.end() + len(self._text[quote.end() : end].rstrip())
        if end == quote.end() or self._text[end - 1] in "\\\"'":
            return None
        return Context("docstring", line.start, end, quote[1] + "\n")


def _stops(lines: Sequence[Line]) -> list[int]:
    """Per line, the index after the last line under it."""
    out = [0] * len(lines)
    waiting: list[int] = []
    for index, line in enumerate(lines):
        while waiting and lines[waiting[-1]].indent >= line.indent:
            out[waiting.pop()] = index
        waiting.append(index)
    for index in waiting:
        out[index] = len(lines)
    return out


def _lines(text: str) -> list[Line]:
    out: list[Line] = []
    comments: list[tuple[int, int]] = []
    at, size = (1 if text.startswith("\ufeff") else 0), len(text)
    while at < size:
        first = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if first == size:
            break
        mark = text[first]
        if mark in "\r\n":
            at = _next(text, first)
            continue
        indent = len(text[at:first].expandtabs(8)) if first > at else 0
        if mark == "#":
            comments.append((at, indent))
            at = _next(text, first)
            continue
        end, after = _end(text, first)
        # A comment that is indented deeper belongs to the line before.
        lead = next((start for start, deep in comments if deep <= indent), at)
        comments.clear()
        word = _WORD.match(text, first)
        opens = text[end - 1] == ":"
        out.append(Line(at, first, end, indent, word[0] if word else "", opens, lead))
        at = after
    return out


def _next(text: str, at: int) -> int:
    found = _BREAK.search(text, at)
    return found.end() if found else len(text)


def _end(text: str, at: int) -> tuple[int, int]:
    """Where a logical line ends, without a comment and blanks after it, and where the next line of text starts."""
    plain = _PLAIN.match(text, at)
    if plain is not None:
        end = plain.end()
        return at + len(text[at:end].rstrip()), _next(text, end)
    depth, comment = 0, -1
    for mark in _MARK.finditer(text, at):
        which = mark.lastindex
        if which == _COMMENT:
            comment = mark.start() if not depth else comment
        elif which == _OPEN:
            depth += 1
        elif which == _CLOSE:
            depth = max(0, depth - 1)
        elif which == _NEWLINE and not depth:
            end = comment if comment >= 0 else mark.start()
            return at + len(text[at:end].rstrip()), mark.end()
    end = comment if comment >= 0 else len(text)
    return at + len(text[at:end].rstrip()), len(text)
