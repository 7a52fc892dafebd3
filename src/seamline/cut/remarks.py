"""Comments that are too large for the code under them: as few parts as they fit into, each a comment again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from seamline.cut.atoms import Atom, Frame, cost
from seamline.types import Context

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
