"""What parts of source code are put between: the headers they are under, in full or in short, or the least possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from seamline.cut.atoms import PART, Frame, cost
from seamline.source.nodes import Clause, Node, Outline
from seamline.source.wraps import Wrap, openers
from seamline.types import Context

Count = Callable[[str], int]


class Level(NamedTuple):
    """What stands around the statements of one level."""

    frame: Frame | None = None
    """The headers around them."""
    least: Frame | None = None
    """What makes them valid where the headers leave too little room."""
    bare: bool = False
    """Whether each stands alone, as nothing is around it that should be."""
    wrap: Wrap | None = None
    """What `least` is made of."""

    @property
    def is_least(self) -> bool:
        return self.frame is self.least


class CodeFrames:
    """Makes and counts the frames of one document."""

    def __init__(self, text: str, outline: Outline, count: Count) -> None:
        self._text = text
        self._outline = outline
        self._count = count
        self._costs: dict[Context, int] = {}
        self._closes: dict[str, int] = {"": 0}
        self._shorts: dict[tuple[Context, ...], Context] = {}
        self.room = 0

    def framed(self, node: Node, clause: Clause, start: int, outer: Frame | None) -> Frame:
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

    def told_level(self, level: Level, frame: Frame, doc: Context) -> Level:
        """A level below its docstring, or below the constants of an enum."""
        least = level.least
        if doc.role == "scope" and least is not None:
            opening = (*least.opening, doc)
            least = least._replace(opening=opening, opening_tokens=self._cost(opening))
        if level.frame is not frame:
            return level._replace(frame=least, least=least)
        return level._replace(frame=self._told(frame, doc), least=least)

    def _told(self, frame: Frame, doc: Context) -> Frame:
        """A frame that says what its function is for, where there is room."""
        told = frame._replace(opening=(*frame.opening, doc), opening_tokens=frame.opening_tokens + self._cost((doc,)))
        return told if cost(told) <= self.room // 2 else frame

    def inside(self, clause: Clause, frame: Frame, around: Level) -> Level:
        """What stands around the statements under a header: the frame of its clause, where that leaves room."""
        wrap = self._outline.least(clause)
        least = self._least(clause, wrap, around.least) if wrap is not None else None
        if cost(frame) > self.room // 2:
            return Level(least, least, least is None, wrap)
        return Level(frame, least, around.bare, wrap)

    def _least(self, clause: Clause, wrap: Wrap, around: Frame | None) -> Frame:
        """A frame in place of all that is around what is under a header."""
        at = clause.head[1]
        opening = (Context("scope", at, at, f"{wrap.opening}\n"),) if wrap.opening else ()
        close = f"\n{wrap.close}" if wrap.close else ""
        outer = around if wrap.inner else None
        role = PART if outer is None else "scope"
        return Frame(role, clause.start, _end(clause), opening, close, self._cost(opening), self._close(close), outer)

    def final(self, level: Level, clause: Clause) -> Level:
        """The same around the last of the statements under a header."""
        frame, least, wrap = level.frame, level.least, level.wrap
        if frame is not None and not level.is_least and clause.final not in (None, frame.close):
            frame = self._closed(frame, clause.final or "")
        if least is not None and wrap is not None and wrap.final is not None:
            last = self._closed(least, f"\n{wrap.final}")
            return level._replace(frame=last if level.is_least else frame, least=last)
        return level._replace(frame=frame)

    def tightest(self, level: Level) -> Iterator[Frame]:
        """Frames for a function that leaves hardly any room: no line ends, as few tokens as can be."""
        least, wrap = level.least, level.wrap
        if least is None or wrap is None or wrap.tight is None:
            return
        for opening, close in ((wrap.opening, wrap.close), wrap.tight):
            yield least._replace(opening=(least.opening[0]._replace(added=opening),), close=close)

    def empty(self, clause: Clause, start: int, body: int, frame: Frame) -> Frame:
        """What a header is put between that has nothing under it."""
        return Frame("scope", start, body + 1, (), clause.filler, 0, self._close(clause.filler), frame)

    def tail(self, clause: Clause, level: Level) -> Frame:
        """The least that what closes a clause needs: brackets to close."""
        at = clause.head[1]
        opening = (Context("scope", at, at, f"{openers(clause.final or clause.close)}\n"),)
        role = PART if level.least is None else "scope"
        return Frame(role, clause.start, _end(clause), opening, "", self._cost(opening), 0, level.least)

    def _closed(self, frame: Frame, close: str) -> Frame:
        return frame._replace(close=close, close_tokens=self._close(close))

    def _around(self, clause: Clause, start: int, head: Context, outer: Frame | None) -> Frame:
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


def _end(clause: Clause) -> int:
    """Where a frame ends: a text that reaches this closes it itself."""
    return clause.end if clause.shut else clause.end + 1
