"""What parts of source code are put between: the headers they are under, in full or in short, or the least possible.

Comments that are too large for the code under them: as few parts as they fit into, each a comment again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from seamline.cut.atoms import PART, Atom, Frame, cost
from seamline.cut.split.code_nodes import CodeClause, CodeNode, CodeNodes
from seamline.cut.split.code_wraps import Wrap, openers
from seamline.types import Context

Count = Callable[[str], int]


class Level(NamedTuple):
    """What stands around the statements of one level."""

    frame: Frame | None = None
    """The headers around them."""
    least: Least | None = None
    """What makes them valid where the headers leave too little room."""
    bare: bool = False
    """Whether each stands alone, as nothing is around it that should be."""
    is_least: bool = True
    """Whether the frame is the least already."""

    @property
    def least_frame(self) -> Frame | None:
        return self.least.frame if self.least is not None else None


class Least:
    """The least frame around the statements under a header, made when it is asked for."""

    def __init__(self, frames: CodeFrames, clause: CodeClause, around: Least | None) -> None:
        self._frames = frames
        self._clause = clause
        self._around = around

    @cached_property
    def wrap(self) -> Wrap | None:
        return self._frames.wrap(self._clause)

    @cached_property
    def frame(self) -> Frame | None:
        """None where nothing else is valid alone."""
        return self._frames.least(self._clause, self.wrap, self._around) if self.wrap is not None else None


class LastLeast(Least):
    """The same around the last of them."""

    def __init__(self, before: Least, frames: CodeFrames) -> None:
        self._before = before
        self._frames = frames

    @cached_property
    def wrap(self) -> Wrap | None:
        return self._before.wrap

    @cached_property
    def frame(self) -> Frame | None:
        frame, wrap = self._before.frame, self.wrap
        if frame is None or wrap is None or wrap.final is None:
            return frame
        return self._frames.closed(frame, f"\n{wrap.final}")


class ToldLeast(Least):
    """The same below the constants of an enum."""

    def __init__(self, before: Least, frames: CodeFrames, doc: Context) -> None:
        self._before = before
        self._frames = frames
        self._doc = doc

    @cached_property
    def wrap(self) -> Wrap | None:
        return self._before.wrap

    @cached_property
    def frame(self) -> Frame | None:
        frame = self._before.frame
        return frame and self._frames.opened(frame, (*frame.opening, self._doc))


class CodeFrames:
    """Makes and counts the frames of one document."""

    def __init__(self, text: str, nodes: CodeNodes, count: Count) -> None:
        self._text = text
        self._nodes = nodes
        self._count = count
        self._costs: dict[Context, int] = {}
        self._closes: dict[str, int] = {"": 0}
        self._shorts: dict[tuple[Context, ...], Context] = {}
        self.room = 0

    def framed(self, node: CodeNode, clause: CodeClause, start: int, outer: Frame | None) -> Frame:
        """What a text that starts or ends inside a clause is put between."""
        if clause.before:
            outer = Frame("scope", node.start, clause.end, clause.before, "", self._cost(clause.before), 0, outer)
        head = Context("scope", *clause.head, "\n")
        if clause.short:
            self._shorts[(head,)] = clause.short
        frame = self._around(clause, start, head, outer)
        if clause.short and cost(frame) > self.room // 3:
            frame = self._around(clause, start, clause.short, outer)
        return frame if cost(frame) <= self.room // 2 else self.shortened(frame) or frame

    def shortened(self, frame: Frame | None) -> Frame | None:
        """The same frames by headers of a few tokens."""
        if frame is None or not self._shorts:
            return frame
        outer = self.shortened(frame.outer)
        short = self._shorts.get(frame.opening[:1])
        opening = (short, *frame.opening[1:]) if short else frame.opening
        kept = tuple(context for context in opening if context.role != "docstring")
        if kept == frame.opening and outer is frame.outer:
            return frame
        return frame._replace(opening=kept, opening_tokens=self._cost(kept), outer=outer)

    def untold(self, frame: Frame | None) -> Frame | None:
        """The same frames without docstrings."""
        if frame is None:
            return None
        outer = self.untold(frame.outer)
        told = [context for context in frame.opening if context.role == "docstring"]
        if not told and outer is frame.outer:
            return frame
        kept = tuple(context for context in frame.opening if context.role != "docstring")
        return frame._replace(opening=kept, opening_tokens=frame.opening_tokens - self._cost(told), outer=outer)

    def told(self, level: Level, frame: Frame, doc: Context) -> Level:
        """A level below its docstring, or below the constants of an enum."""
        if doc.role == "scope" and level.least is not None:
            level = level._replace(least=ToldLeast(level.least, self, doc))
        if level.is_least:
            return level._replace(frame=level.least_frame)
        told = self.opened(frame, (*frame.opening, doc))
        return level._replace(frame=told) if cost(told) <= self.room // 2 else level

    def inside(self, clause: CodeClause, frame: Frame, around: Level) -> Level:
        """What stands around the statements under a header: the frame of its clause, where that leaves room."""
        least = Least(self, clause, around.least)
        if cost(frame) > self.room // 2:
            return Level(least.frame, least, least.frame is None)
        return Level(frame, least, around.bare, is_least=False)

    def final(self, level: Level, clause: CodeClause) -> Level:
        """The same around the last of the statements under a header."""
        least = LastLeast(level.least, self) if level.least is not None else None
        if level.is_least:
            return level._replace(frame=least.frame if least else None, least=least)
        if level.frame is None or clause.final in (None, level.frame.close):
            return level._replace(least=least)
        return level._replace(frame=self.closed(level.frame, clause.final or ""), least=least)

    def wrap(self, clause: CodeClause) -> Wrap | None:
        return self._nodes.least(clause)

    def least(self, clause: CodeClause, wrap: Wrap, around: Least | None) -> Frame:
        """A frame in place of all that is around what is under a header."""
        at = clause.head[1]
        opening = (Context("scope", at, at, f"{wrap.opening}\n"),) if wrap.opening else ()
        close = f"\n{wrap.close}" if wrap.close else ""
        outer = around.frame if around is not None and wrap.inner else None
        role = PART if outer is None else "scope"
        return Frame(role, clause.start, _end(clause), opening, close, self._cost(opening), self._close(close), outer)

    def tightest(self, least: Least) -> Iterator[Frame]:
        """Frames for a function that leaves hardly any room: no line ends, as few tokens as can be."""
        frame, wrap = least.frame, least.wrap
        if frame is None or wrap is None or wrap.tight is None:
            return
        for opening, close in ((wrap.opening, wrap.close), wrap.tight):
            yield frame._replace(opening=(frame.opening[0]._replace(added=opening),), close=close)

    def empty(self, clause: CodeClause, start: int, body: int, frame: Frame) -> Frame:
        """What a header is put between that has nothing under it."""
        return Frame("scope", start, body + 1, (), clause.filler, 0, self._close(clause.filler), frame)

    def tail(self, clause: CodeClause, level: Level) -> Frame:
        """The least that what closes a clause needs: brackets to close."""
        at = clause.head[1]
        opening = (Context("scope", at, at, f"{openers(clause.final or clause.close)}\n"),)
        role = PART if level.least_frame is None else "scope"
        return Frame(role, clause.start, _end(clause), opening, "", self._cost(opening), 0, level.least_frame)

    def closed(self, frame: Frame, close: str) -> Frame:
        return frame._replace(close=close, close_tokens=self._close(close))

    def opened(self, frame: Frame, opening: tuple[Context, ...]) -> Frame:
        return frame._replace(opening=opening, opening_tokens=self._cost(opening))

    def _around(self, clause: CodeClause, start: int, head: Context, outer: Frame | None) -> Frame:
        close = self._close(clause.close)
        return Frame("scope", start, _end(clause), (head,), clause.close, self._cost((head,)), close, outer)

    def _close(self, close: str) -> int:
        tokens = self._closes.get(close)
        if tokens is None:
            tokens = self._closes[close] = self._count(close)
        return tokens

    def _cost(self, contexts: Sequence[Context]) -> int:
        total = 0
        for context in contexts:
            tokens = self._costs.get(context)
            if tokens is None:  # a line end may be one token with the blanks after it, or not
                tokens = self._count(self._text[context.start : context.end] + context.added) + 1
                self._costs[context] = tokens
            total += tokens
        return total


def _end(clause: CodeClause) -> int:
    """Where a frame ends: a text that reaches this closes it itself."""
    return clause.end if clause.shut else clause.end + 1


_BLOCK = re.compile(r"^[ \t]*(/\*)(?:[^*]|\*(?!/))*+(?:\*/[ \t]*(?:\r\n?|\n|\Z)|\Z)", re.MULTILINE)
_REMARK = re.compile(r"[ \t]*(?://|/\*)")
_CLOSE = "\n*/"

Lines = Callable[[int, int, str, Frame | None, int], list[Atom]]
"""(start, end, seam, frame, room) -> atoms by lines."""


def is_remark(text: str, at: int) -> bool:
    """Whether a statement is nothing but a comment: it starts with one, though its code is what is after those."""
    return _REMARK.match(text, at) is not None


def remark_atoms(
    text: str, start: int, end: int, seam: str, room: int, count: Callable[[str], int], lines: Lines
) -> list[Atom]:
    """Atoms of a range that holds comments alone; none may be joined with what is around it."""
    out: list[Atom] = []
    torn = False  # whether the last one is a part of a comment
    for begin, stop, mark in _comments(text, start, end):
        tokens = count(text[begin:stop])
        if tokens <= room:
            _join(out, [Atom(begin, stop, tokens, seam, alone=True)], room, first=not torn)
            torn = False
        else:
            frame = None
            if mark >= 0:
                opening = (Context("scope", mark, mark + 2, "\n"),)
                frame = Frame("scope", begin, stop, opening, _CLOSE, count("/*\n") + 1, count(_CLOSE) + 1)
            space = room - cost(frame)
            _join(out, lines(begin, stop, seam, frame, space), space, first=False)
            torn = True
        seam = "line"
    return out


def _join(out: list[Atom], atoms: Sequence[Atom], room: int, *, first: bool) -> None:
    """Appends atoms, each joined with the one before it where both fit; the first of them only if that is allowed."""
    for atom in atoms:
        last = out[-1] if out and first else None
        if last is not None and last.tokens + atom.tokens <= room:
            out[-1] = last._replace(end=atom.end, tokens=last.tokens + atom.tokens, exact=False)
        else:
            out.append(atom._replace(alone=True))
        first = True


def _comments(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, where `/*` stands) of the comments of a range; -1 for those that end with their line."""
    at = start
    for block in _BLOCK.finditer(text, start, end):
        if at < block.start():
            yield at, block.start(), -1
        yield block.start(), block.end(), block.start(1)
        at = block.end()
    if text[at:end].strip():
        yield at, end, -1
