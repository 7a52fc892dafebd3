"""Code that is too large, by its statements: each part stands under the headers it is under, and closes what it opens.

A statement is never cut from what makes it valid: the first one under a header stays with it, `else` comes with an
`if`, what is left open is closed. Where headers leave too little room, the least that is valid stands for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise

from seamline.code_outline import CodeOutline
from seamline.cut.atoms import Atom, Frame, context_text, cost, part_of
from seamline.cut.measure import LONGEST_TOKEN
from seamline.cut.scores import Scorer
from seamline.cut.split.code_frames import CodeFrames, CodeLevel, Least, is_remark, remark_atoms
from seamline.cut.split.code_nodes import CodeClause, CodeNode, CodeNodes
from seamline.text.lines import trimmed
from seamline.types import Block, Context

_DEEPEST = 40
"""Statements inside each other that are told apart."""
_NO_ROOM = Frame("none", 0, 0, (), "", 0, 0)
_DECLARED = frozenset(("function", "method", "class", "struct", "interface", "enum", "trait", "impl", "property"))

Ladder = Callable[[int, int, str, Frame | None, int], list[Atom]]
"""(start, end, seam, frame, room) -> atoms by lines."""


class Statements:
    """Makes atoms of the statements of one document."""

    def __init__(
        self,
        text: str,
        blocks: Sequence[Block],
        outline: CodeOutline,
        scorer: Scorer,
        count: Callable[[str], int],
        ladder: Ladder,
        *,
        docstring: bool,
    ) -> None:
        self._text = text
        self._nodes = CodeNodes(text, outline)
        self._scorer = scorer
        self._count = count
        self._ladder = ladder
        self._docstring = docstring
        self._declared = [b.start for b in blocks if b.kind == "scope" and b.detail and b.detail.type in _DECLARED]
        self._frames = CodeFrames(text, self._nodes, count)
        self._atoms: list[Atom] = []
        self._sizes: dict[tuple[int, int], int] = {}
        self._room = 0
        self._run = 0
        """Tokens of what the last atom may not be cut from, itself included."""

    def split(self, start: int, end: int, seam: str, room: int, *, forbidden: bool) -> list[Atom] | None:
        """Atoms of a top-level range, each within `room`; None where its statements cannot be told."""
        nodes = self._nodes.nodes(start, end)
        if not nodes:
            return None
        self._atoms, self._room, self._run = [], room, 0
        self._frames.room = room
        top = CodeLevel()
        self._level([nodes[0]._replace(start=start), *nodes[1:]], end, top, top, seam, depth=0, forbidden=forbidden)
        return self._atoms

    # --- statements -----------------------------------------------------------------------------------------------

    def _level(
        self,
        nodes: Sequence[CodeNode],
        end: int,
        level: CodeLevel,
        final: CodeLevel,
        seam: str,
        *,
        depth: int,
        forbidden: bool,
    ) -> None:
        """Statements of one level; the first may have to stay with the header above, the last has `final` around it."""
        if self._scorer.opens(nodes[0].start, end):
            starts = [nodes[0].start, *[self._begin(before, node) for before, node in pairwise(nodes)]]
            moved = zip(nodes, starts, strict=True)
            nodes = [node if node.start == start else node._replace(start=start) for node, start in moved]
        ends = [*[node.start for node in nodes[1:]], end]
        last = len(nodes) - 1
        for index, node in enumerate(nodes):
            name = self._seam(node) if index else seam
            around = final if index == last else level
            self._node(node, ends[index], around, name, depth=depth, forbidden=forbidden and not index)

    def _begin(self, before: CodeNode, node: CodeNode) -> int:
        """Where a statement starts: at a gap that the signal knows, where that is among the comments above it."""
        return self._scorer.known_in(before.end, node.code) or node.start

    def _seam(self, node: CodeNode) -> str:
        if self._is_declared(node):
            return "code"
        text, start = self._text, node.start
        if text.endswith("\n", 0, start) and not text[start - 2 : start - 1].isspace():
            return "line"
        above = text[max(0, start - 200) : start]
        gap = above[len(above.rstrip()) :]
        return "scope" if gap.count("\n") + gap.count("\r") - gap.count("\r\n") > 1 else "line"

    def _is_declared(self, node: CodeNode) -> bool:
        return self._declaration(node) >= 0

    def _declaration(self, node: CodeNode) -> int:
        """Where what a statement declares starts, with the comments that belong to it; -1 where it declares nothing."""
        found = bisect_left(self._declared, node.start)
        at = self._declared[found] if found < len(self._declared) else -1
        return at if at <= node.code else -1

    def _node(self, node: CodeNode, until: int, level: CodeLevel, seam: str, *, depth: int, forbidden: bool) -> None:
        if not self._scorer.opens(node.code, node.end):
            held = self._run if forbidden else 0
            around = self._affordable(node.start, until, level.frame, held)
            if around is not _NO_ROOM:
                self._put(node.start, until, seam, around, forbidden=forbidden, alone=level.bare)
                return
            if depth < _DEEPEST:
                node = self._nodes.opened(node, until, self._room, by_brackets=not self._nodes.is_python)
            told = level.frame is not None and node.start < self._line_start(node)  # rather no comment than no frame
            is_one = self._is_declared(node) or not (node.clauses or told)
            if is_one and self._fits(node.start, until, self._room):
                self._apart(node.start, until, seam, level)
                return
            if self._without_remarks(node, until, level, seam):
                return
        if depth < _DEEPEST:
            node = self._nodes.opened(node, until, self._room)
        if node.clauses and depth < _DEEPEST:
            self._open(node, until, level, seam, depth=depth, forbidden=forbidden)
        else:
            self._leaf(node, until, level, seam)

    def _apart(self, start: int, until: int, seam: str, level: CodeLevel) -> None:
        """What fits a chunk, but not with all that is around it: with the least of that, else alone."""
        least = level.least_frame
        if least is not None and level.least and not self._fits(start, until, self._room - cost(least)):
            code, least = self._tightly(start, until, level.least, least)
            if start < code and self._atoms:
                self._atoms[-1] = self._atoms[-1]._replace(end=code)  # blanks are left to what is before them
                start = code
        self._put(start, until, seam, least, alone=level.bare or level.frame is not None)

    def _tightly(self, start: int, until: int, least: Least, full: Frame) -> tuple[int, Frame | None]:
        """A frame that a range fits in to the last token, and where the range then starts; none where there is none."""
        text, stop = self._text, trimmed(self._text, start, until)
        code = start + len(text[start:stop]) - len(text[start:stop].lstrip(" \t"))
        if full.outer is None:
            for begin, frame in ((start, full), *((code, frame) for frame in self._frames.tightest(least))):
                shown = context_text(text, frame.opening) + text[begin:stop] + frame.close
                if self._count(shown) <= self._room:
                    return begin, frame
        return start, None

    def _without_remarks(self, node: CodeNode, until: int, level: CodeLevel, seam: str) -> bool:
        """A declaration in one piece, where it fits but for the comments above it."""
        if not self._is_declared(node):
            return False
        for start in (self._declaration(node), self._line_start(node)):
            if node.start < start and self._fits(start, until, self._room):
                self._remarks(node.start, start, seam)
                self._whole(start, until, level)
                return True
        return False

    def _whole(self, start: int, until: int, level: CodeLevel) -> None:
        """A statement in one piece below its comments."""
        around = self._affordable(start, until, level.frame, 0)
        if around is _NO_ROOM:
            self._apart(start, until, "line", level)
        else:
            self._put(start, until, "line", around)

    def _leaf(self, node: CodeNode, until: int, level: CodeLevel, seam: str) -> None:
        """One statement that is too large: the comments above it apart, the rest by lines."""
        if is_remark(self._text, node.code):
            self._remarks(node.start, until, seam)
            return
        start = self._line_start(node)
        if node.start < start:
            self._remarks(node.start, start, seam)
            seam = "line"
            if self._fits(start, until, self._room):
                self._whole(start, until, level)
                return
        self._lines(start, until, level, seam)

    def _line_start(self, node: CodeNode) -> int:
        at = node.code
        while at > node.start and self._text[at - 1] in " \t":
            at -= 1
        return at

    def _lines(self, start: int, end: int, level: CodeLevel, seam: str, *, alone: bool = False) -> None:
        frame = level.frame if cost(level.frame) <= self._room // 2 else level.least_frame
        atoms = self._ladder(start, end, seam, frame, self._room - cost(frame))
        self._atoms += [atom._replace(alone=True) for atom in atoms] if alone else atoms
        self._run = 0

    def _remarks(self, start: int, end: int, seam: str) -> None:
        self._atoms += remark_atoms(self._text, start, end, seam, self._room, self._count, self._ladder)
        self._run = 0

    # --- clauses --------------------------------------------------------------------------------------------------

    def _open(self, node: CodeNode, until: int, level: CodeLevel, seam: str, *, depth: int, forbidden: bool) -> None:
        """A statement by its clauses."""
        starts = [node.start, *[clause.start for clause in node.clauses[1:]]]
        ends = [*starts[1:], node.tail if node.tail >= 0 else until]
        around = level
        for index, (clause, start, end) in enumerate(zip(node.clauses, starts, ends, strict=True)):
            frame = self._frames.framed(node, clause, start, around.frame)
            if not self._leaves_room(clause, start, frame):
                code = clause.head[0] if index else self._line_start(node)
                if start < code and not self._fits(
                    start, clause.body, self._room - cost(frame)
                ):  # the comments above are what is least needed
                    self._remarks(start, code, seam)
                    start, seam, forbidden = code, "line", False
                    frame = self._frames.framed(node, clause, start, around.frame)
                if not around.is_least and not self._leaves_room(clause, start, frame):
                    around = CodeLevel(level.least_frame, level.least, level.least_frame is None)
                    frame = self._frames.framed(node, clause, start, around.frame)
            doc = node.doc if not index and (node.doc is None or self._docstring or node.doc.role == "scope") else None
            holds = forbidden and not index and not around.bare
            inner = CodeLevel(frame, around.least, around.bare, is_least=False)
            self._clause(clause, start, end, inner, doc, seam, depth, forbidden=holds)
            seam = "line"
        if node.tail >= 0:
            self._tail(node.clauses[-1], node.tail, until, inner)

    def _leaves_room(self, clause: CodeClause, start: int, frame: Frame) -> bool:
        """Whether the frames around a clause leave enough to what is in it, and to its header with all above that."""
        if cost(frame) > self._room // 2:
            return False
        return self._fits(start, clause.body, self._room - cost(frame.outer) - frame.close_tokens)

    def _affordable(self, start: int, end: int, frame: Frame | None, held: int) -> Frame | None:
        """The frame with which a range fits, by short headers if need be; `_NO_ROOM` where it does not."""
        room = self._room - held
        if self._fits(start, end, room - cost(frame)):
            return frame
        if frame is None or not self._fits(start, end, room):
            return _NO_ROOM
        for less in (self._frames.untold(frame), self._frames.shortened(frame)):
            if self._fits(start, end, room - cost(less)):
                return less
        return _NO_ROOM

    def _clause(
        self,
        clause: CodeClause,
        start: int,
        end: int,
        level: CodeLevel,
        doc: Context | None,
        seam: str,
        depth: int,
        *,
        forbidden: bool,
    ) -> None:
        """One clause, with its own frame as that of `level`."""
        frame = level.frame
        assert frame is not None
        held = self._run if forbidden else 0
        if not self._scorer.opens(start, end) and self._fits(start, end, self._room - cost(frame) - held):
            self._put(start, end, seam, frame, forbidden=forbidden, alone=level.bare)
            return
        under = self._nodes.under(clause)
        if not under:
            self._lines(start, end, CodeLevel(frame.outer, level.least), seam)
            return
        holds = self._head(clause, start, under[0].start, level, seam, forbidden=forbidden)
        inner = self._frames.inside(clause, frame, level)
        final = self._frames.final(inner, clause)
        told = 1  # how many have nothing but the header above them
        while told < len(under) and doc is not None and doc.end > under[told].start:
            told += 1
        first = final if len(under) == told else inner
        below = under[told].start if len(under) > told else end
        self._level(under[:told], below, inner, first, "line", depth=depth + 1, forbidden=holds and not inner.bare)
        if len(under) > told:
            seam = self._seam(under[told]._replace(start=self._begin(under[told - 1], under[told])))
            if doc is not None:
                inner = self._frames.told(inner, frame, doc)
                final = self._frames.final(inner, clause)
            self._level(under[told:], end, inner, final, seam, depth=depth + 1, forbidden=False)

    def _head(self, clause: CodeClause, start: int, body: int, level: CodeLevel, seam: str, *, forbidden: bool) -> bool:
        """The header of a clause; whether what is under it may be kept with it."""
        frame = level.frame
        assert frame is not None
        if body <= start:
            return False
        held = self._run if forbidden else 0
        room = self._room - cost(frame.outer) - frame.close_tokens
        if not self._fits(start, body, room):
            self._lines(start, body, CodeLevel(frame.outer, level.least), seam)
            return False
        forbidden = forbidden and self._fits(start, body, room - held)
        empty = self._frames.empty(clause, start, body, frame)
        self._put(start, body, seam, empty, forbidden=forbidden, alone=level.bare)
        return True

    def _tail(self, clause: CodeClause, start: int, end: int, level: CodeLevel) -> None:
        """What closes the last clause, with the statement before it where both fit."""
        tokens = self._size(start, end)
        if tokens + cost(level.frame) > self._room:
            least = CodeLevel() if level.bare else CodeLevel(self._frames.tail(clause, level))
            self._lines(start, end, least, "line", alone=True)
            return
        forbidden = not self._atoms[-1].alone and 0 < self._run <= self._room - tokens - cost(level.frame)
        self._put(start, end, "line", level.frame, forbidden=forbidden and not level.bare, alone=level.bare)

    # --- atoms ----------------------------------------------------------------------------------------------------

    def _size(self, start: int, end: int) -> int:
        tokens = self._sizes.get((start, end))
        if tokens is None:
            tokens = self._sizes[start, end] = self._count(self._text[start:end])
        return tokens

    def _fits(self, start: int, end: int, room: int) -> bool:
        if end - start > LONGEST_TOKEN * max(room, 0):
            return False
        over = self._size(start, end) - room
        if over <= 0:
            return True
        stop = trimmed(self._text, start, end)
        return over <= end - stop and self._size(start, stop) <= room  # a blank is a token at most

    def _put(
        self, start: int, end: int, seam: str, frame: Frame | None, *, forbidden: bool = False, alone: bool = False
    ) -> None:
        tokens = self._size(start, trimmed(self._text, start, end) if alone else end)
        if forbidden and self._atoms and part_of(self._atoms[-1].frame) != part_of(frame):
            forbidden = False
        self._run = tokens + (self._run if forbidden else 0)
        self._atoms.append(Atom(start, end, tokens, seam, frame, forbidden, alone, exact=not alone))
