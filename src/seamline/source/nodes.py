"""How source code is taken apart: statements, and the clauses of those that hold others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from seamline.source.wraps import Wrap
from seamline.types import Context


class Clause(NamedTuple):
    """A part of a statement with a header and what is under it: `if x:`, `else:`, `class Point {`."""

    start: int
    """Where it starts: with the comments and decorators above its header."""
    head: tuple[int, int]
    """The header that what is under it needs, up to its colon or bracket."""
    body: int
    """Where what is under the header starts."""
    end: int
    """Where what is under the header ends: at its closing bracket, or where the next clause starts."""
    before: tuple[Context, ...]
    """What stands for the clauses before it, so that it can be read without them."""
    close: str
    """What ends the statement where a text stops inside the clause."""
    short: Context | None
    """The header in a few tokens, where there is no room for all of it."""
    filler: str
    """What stands under the header where nothing else does, for languages that want a statement there."""
    place: object
    """What its outline finds the statements under the header by."""
    final: str | None = None
    """What ends the statement after the last one under the header, where that is not the same as `close`."""
    shut: bool = False
    """Whether what is last under the header ends the statement too, brackets and all."""


class Node(NamedTuple):
    """One statement."""

    start: int
    """With the comments and decorators above it."""
    code: int
    """Where its code starts, after comments."""
    end: int
    """Where its code ends."""
    clauses: tuple[Clause, ...] = ()
    """None where it holds no other statements, all of it stands on one line, or nobody asked yet."""
    tail: int = -1
    """Where what closes its last clause starts; -1 where nothing does."""
    doc: Context | None = None
    """The first line of its docstring."""
    place: object = None
    """What its outline finds its clauses by."""


class Outline(Protocol):
    """Finds statements."""

    def nodes(self, start: int, end: int) -> Sequence[Node] | None:
        """Statements that tile a range; None where the range does not start with one."""
        ...

    def opened(self, node: Node, until: int, room: int) -> Node:
        """A statement with its clauses: those it has, else what the brackets in it make. A header that may take more
        than `room` tokens is opened as well."""
        ...

    def under(self, clause: Clause) -> Sequence[Node]:
        """The statements under a header."""
        ...

    def least(self, clause: Clause) -> Wrap | None:
        """What makes statements under a header valid without any header; None where they stand alone as they are."""
        ...
