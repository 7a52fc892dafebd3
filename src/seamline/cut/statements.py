"""Code that is too large, by its statements: each part stands under the headers it is under, and closes what it opens.

A statement is never cut from what makes it valid: the first one under a header stays with it, `else` comes with an
`if`, what is left open is closed. Where headers leave too little room, a statement stands alone without them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise

from seamline.cut.atoms import Atom, Frame, cost
from seamline.cut.ladder import LONGEST_TOKEN
from seamline.cut.lines import trimmed
from seamline.cut.remarks import remark_atoms
from seamline.cut.scores import Scorer
from seamline.source.nodes import Clause, Node, Outline
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
        outline: Outline,
        scorer: Scorer,
        count: Callable[[str], int],
        ladder: Ladder,
        *,
        docstring: bool,
    ) -> None:
        self._text = text
        self._outline = outline
        self._scorer = scorer
        self._count = count
        self._ladder = ladder
        self._docstring = docstring
        self._declared = [b.start for b in blocks if b.kind == "scope" and (b.attrs or {}).get("type") in _DECLARED]
        self._atoms: list[Atom] = []
        self._sizes: dict[tuple[int, int], int] = {}
        self._costs: dict[Context, int] = {}
        self._shorts: dict[tuple[Context, ...], Context] = {}
        self._room = 0
        self._run = 0
        """Tokens of what the last atom may not be cut from, itself included."""

    def split(self, start: int, end: int, seam: str, room: int, *, glued: bool) -> list[Atom] | None:
        """Atoms of a top-level range, each within `room`; None where its statements cannot be told."""
        nodes = self._outline.nodes(start, end)
        if not nodes:
            return None
        self._atoms, self._room, self._run = [], room, 0
        self._level([nodes[0]._replace(start=start), *nodes[1:]], end, None, seam, depth=0, glued=glued)
        return self._atoms

    # --- statements -----------------------------------------------------------------------------------------------

    def _level(
        self,
        nodes: Sequence[Node],
        end: int,
        frame: Frame | None,
        seam: str,
        *,
        depth: int,
        glued: bool,
        bare: bool = False,
    ) -> None:
        """Statements of one level; the first may be glued to the header above it."""
        starts = [nodes[0].start, *[self._begin(before, node) for before, node in pairwise(nodes)]]
        for index, (node, (start, until)) in enumerate(zip(nodes, pairwise([*starts, end]), strict=True)):
            here = node._replace(start=start)
            name = seam if not index else self._seam(here)
            self._node(here, until, frame, name, depth=depth, glued=glued and not index, bare=bare)

    def _begin(self, before: Node, node: Node) -> int:
        """Where a statement starts: at a gap that the signal knows, where that is among the comments above it."""
        return self._scorer.known_in(before.end, node.code) or node.start

    def _seam(self, node: Node) -> str:
        if self._is_declared(node):
            return "code"
        above = self._text[max(0, node.start - 200) : node.start]
        gap = above[len(above.rstrip()) :]
        return "scope" if gap.count("\n") + gap.count("\r") - gap.count("\r\n") > 1 else "line"

    def _is_declared(self, node: Node) -> bool:
        return self._declaration(node) >= 0

    def _declaration(self, node: Node) -> int:
        """Where what a statement declares starts, with the comments that belong to it; -1 where it declares nothing."""
        found = bisect_left(self._declared, node.start)
        at = self._declared[found] if found < len(self._declared) else -1
        return at if at <= node.code else -1

    def _node(
        self, node: Node, until: int, frame: Frame | None, seam: str, *, depth: int, glued: bool, bare: bool
    ) -> None:
        room = self._room
        if not self._scorer.opens(node.code, node.end):
            held = self._run if glued else 0
            around = self._affordable(node.start, until, frame, held)
            if around is not _NO_ROOM:
                self._put(node.start, until, seam, around, glued=glued, alone=bare)
                return
            if node.place is not None and depth < _DEEPEST:
                node = self._outline.opened(node, until)
            told = frame is not None and node.start < self._line_start(node)  # rather no comment than no frame
            is_one = self._is_declared(node) or not (node.clauses or told)
            if is_one and self._fits(node.start, until, room):
                self._put(node.start, until, seam, None, alone=depth > 0)
                return
            if self._without_remarks(node, until, frame, seam, depth):
                return
        if depth < _DEEPEST:
            node = self._outline.opened(node, until)
        if node.clauses and depth < _DEEPEST:
            self._open(node, until, frame, seam, depth=depth, glued=glued, bare=bare)
        else:
            self._leaf(node, until, frame, seam)

    def _without_remarks(self, node: Node, until: int, frame: Frame | None, seam: str, depth: int) -> bool:
        """A declaration in one piece, where it fits but for the comments above it."""
        if not self._is_declared(node):
            return False
        for start in (self._declaration(node), self._line_start(node)):
            if node.start < start and self._fits(start, until, self._room):
                self._remarks(node.start, start, seam)
                around = self._affordable(start, until, frame, 0)
                if around is _NO_ROOM:
                    self._put(start, until, "line", None, alone=depth > 0)
                else:
                    self._put(start, until, "line", around)
                return True
        return False

    def _leaf(self, node: Node, until: int, frame: Frame | None, seam: str) -> None:
        """One statement that is too large: the comments above it apart, the rest by lines."""
        start = self._line_start(node)
        if node.start < start:
            self._remarks(node.start, start, seam)
            seam = "line"
            around = self._affordable(start, until, frame, 0)
            if around is not _NO_ROOM:
                self._put(start, until, seam, around)
                return
            if self._fits(start, until, self._room):
                self._put(start, until, seam, None, alone=True)
                return
        self._lines(start, until, frame, seam)

    def _line_start(self, node: Node) -> int:
        at = node.code
        while at > node.start and self._text[at - 1] in " \t":
            at -= 1
        return at

    def _lines(self, start: int, end: int, frame: Frame | None, seam: str, *, alone: bool = False) -> None:
        if cost(frame) > self._room // 2:
            frame = None
        atoms = self._ladder(start, end, seam, frame, self._room - cost(frame))
        self._atoms += [atom._replace(alone=True) for atom in atoms] if alone else atoms
        self._run = 0

    def _remarks(self, start: int, end: int, seam: str) -> None:
        self._atoms += remark_atoms(self._text, start, end, seam, self._room, self._count, self._ladder)
        self._run = 0

    # --- clauses --------------------------------------------------------------------------------------------------

    def _open(
        self, node: Node, until: int, frame: Frame | None, seam: str, *, depth: int, glued: bool, bare: bool
    ) -> None:
        """A statement by its clauses."""
        starts = [node.start, *[clause.start for clause in node.clauses[1:]]]
        ends = [*starts[1:], node.tail if node.tail >= 0 else until]
        inner: Frame | None = frame
        for index, (clause, start, end) in enumerate(zip(node.clauses, starts, ends, strict=True)):
            inner = self._framed(node, clause, start, frame)
            if not self._leaves_room(clause, start, inner):
                code = clause.head[0] if index else self._line_start(node)
                if start < code and not self._fits(
                    start, clause.body, self._room - cost(inner)
                ):  # the comments above are what is least needed
                    self._remarks(start, code, seam)
                    start, seam, glued = code, "line", False
                    inner = self._framed(node, clause, start, frame)
                if frame is not None and not self._leaves_room(clause, start, inner):
                    inner, bare = self._framed(node, clause, start, None), True
            doc = node.doc if not index and (node.doc is None or self._docstring or node.doc.role == "scope") else None
            holds = glued and not index and not bare
            self._clause(clause, start, end, inner, doc, seam, depth=depth, glued=holds, bare=bare)
            seam = "line"
        if node.tail >= 0:
            self._tail(node.tail, until, inner, alone=bare)

    def _leaves_room(self, clause: Clause, start: int, frame: Frame) -> bool:
        """Whether the frames around a clause leave enough to what is in it, and to its header with all above that."""
        if cost(frame) > self._room // 2:
            return False
        return self._fits(start, clause.body, self._room - cost(frame.outer) - frame.close_tokens)

    def _framed(self, node: Node, clause: Clause, start: int, outer: Frame | None) -> Frame:
        """What a text that starts or ends inside a clause is put between."""
        if clause.before:
            outer = Frame("scope", node.start, clause.end, clause.before, "", self._cost(clause.before), 0, outer)
        head = Context("scope", *clause.head, "\n")
        if clause.short:
            self._shorts[(head,)] = clause.short
        frame = self._around(clause, start, head, outer)
        if clause.short and cost(frame) > self._room // 3:
            frame = self._around(clause, start, clause.short, outer)
        return frame if cost(frame) <= self._room // 2 else self._shortened(frame) or frame

    def _affordable(self, start: int, end: int, frame: Frame | None, held: int) -> Frame | None:
        """The frame with which a range fits, by short headers if need be; `_NO_ROOM` where it does not."""
        room = self._room - held
        if self._fits(start, end, room - cost(frame)):
            return frame
        if frame is None or not self._fits(start, end, room):
            return _NO_ROOM
        for less in (_untold(frame, self._context), self._shortened(frame)):
            if self._fits(start, end, room - cost(less)):
                return less
        return _NO_ROOM

    def _shortened(self, frame: Frame | None) -> Frame | None:
        """The same frames by headers of a few tokens."""
        if frame is None or not self._shorts:
            return frame
        outer = self._shortened(frame.outer)
        short = self._shorts.get(frame.opening[:1])
        opening = (short, *frame.opening[1:]) if short else frame.opening
        kept = tuple(context for context in opening if context.role != "docstring")
        if kept == frame.opening and outer is frame.outer:
            return frame
        return frame._replace(opening=kept, opening_tokens=self._cost(kept), outer=outer)

    def _around(self, clause: Clause, start: int, head: Context, outer: Frame | None) -> Frame:
        close = self._count(clause.close) if clause.close else 0
        return Frame("scope", start, clause.end + 1, (head,), clause.close, self._cost((head,)), close, outer)

    def _cost(self, contexts: Sequence[Context]) -> int:
        return sum(map(self._context, contexts))

    def _context(self, context: Context) -> int:
        if context not in self._costs:  # a line end may be one token with the blanks after it, or not
            self._costs[context] = self._count(self._text[context.start : context.end] + context.added) + 1
        return self._costs[context]

    def _clause(
        self,
        clause: Clause,
        start: int,
        end: int,
        frame: Frame,
        doc: Context | None,
        seam: str,
        *,
        depth: int,
        glued: bool,
        bare: bool,
    ) -> None:
        room = self._room
        held = self._run if glued else 0
        if not self._scorer.opens(start, end) and self._fits(start, end, room - cost(frame) - held):
            self._put(start, end, seam, frame, glued=glued, alone=bare)
            return
        under = self._outline.under(clause)
        if not under:
            self._lines(start, end, frame.outer, seam)
            return
        holds = self._head(clause, start, under[0].start, frame, seam, glued=glued, alone=bare)
        around: Frame | None = frame
        if cost(frame) > room // 2:
            around, bare, doc = None, True, None
        self._level(
            under[:1],
            under[1].start if len(under) > 1 else end,
            around,
            "line",
            depth=depth + 1,
            glued=holds and not bare,
            bare=bare,
        )
        if len(under) > 1:
            seam = self._seam(under[1]._replace(start=self._begin(under[0], under[1])))
            around = self._told(frame, doc, under[1].start) if around else None
            self._level(under[1:], end, around, seam, depth=depth + 1, glued=False, bare=bare)

    def _told(self, frame: Frame, doc: Context | None, start: int) -> Frame:
        """A frame that says what its function is for, where there is room."""
        if doc is None or doc.end > start:
            return frame
        told = frame._replace(opening=(*frame.opening, doc), opening_tokens=frame.opening_tokens + self._cost((doc,)))
        return told if cost(told) <= self._room // 2 else frame

    def _head(
        self, clause: Clause, start: int, body: int, frame: Frame, seam: str, *, glued: bool, alone: bool
    ) -> bool:
        """The header of a clause; whether what is under it may be kept with it."""
        held = self._run if glued else 0
        added = f"\n{clause.indent}..." if not clause.close.endswith(("}", ")", "]", ";", ",")) else ""
        empty = Frame("scope", start, body + 1, (), added, 0, self._count(added) if added else 0, frame)
        room = self._room - cost(frame.outer) - frame.close_tokens
        if not self._fits(start, body, room):
            self._lines(start, body, frame.outer, seam)
            return False
        glued = glued and self._fits(start, body, room - held)
        self._put(start, body, seam, empty, glued=glued, alone=alone)
        return True

    def _tail(self, start: int, end: int, frame: Frame | None, *, alone: bool) -> None:
        """What closes the last clause, with the statement before it where both fit."""
        tokens = self._size(start, end)
        if tokens + cost(frame) > self._room:
            self._lines(start, end, None, "line", alone=True)
            return
        glued = not self._atoms[-1].alone and 0 < self._run <= self._room - tokens - cost(frame)
        self._put(start, end, "line", frame, glued=glued and not alone, alone=alone)

    # --- atoms ----------------------------------------------------------------------------------------------------

    def _size(self, start: int, end: int) -> int:
        tokens = self._sizes.get((start, end))
        if tokens is None:
            tokens = self._sizes[start, end] = self._count(self._text[start:end])
        return tokens

    def _fits(self, start: int, end: int, room: int) -> bool:
        if end - start > LONGEST_TOKEN * max(room, 0):
            return False
        if self._size(start, end) <= room:
            return True
        return self._size(start, trimmed(self._text, start, end)) <= room

    def _put(
        self, start: int, end: int, seam: str, frame: Frame | None, *, glued: bool = False, alone: bool = False
    ) -> None:
        tokens = self._size(start, trimmed(self._text, start, end) if alone else end)
        self._run = tokens + (self._run if glued else 0)
        self._atoms.append(Atom(start, end, tokens, seam, frame, glued, alone, exact=not alone))


def _untold(frame: Frame | None, tokens: Callable[[Context], int]) -> Frame | None:
    """The same frames without docstrings."""
    if frame is None:
        return None
    outer = _untold(frame.outer, tokens)
    told = [context for context in frame.opening if context.role == "docstring"]
    if not told and outer is frame.outer:
        return frame
    kept = tuple(context for context in frame.opening if context.role != "docstring")
    less = sum(tokens(context) for context in told)
    return frame._replace(opening=kept, opening_tokens=frame.opening_tokens - less, outer=outer)
