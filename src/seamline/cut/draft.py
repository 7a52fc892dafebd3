"""A chunk before it has a name: where it starts and ends, and what it borrows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seamline.types import Context


class Draft(NamedTuple):
    """A chunk whose size is proved but whose id, neighbours and position are not known yet."""

    start: int
    end: int
    tokens: int
    context: tuple[Context, ...]
    closing: str
    section: int
    """Index of the section its first content belongs to."""
    seam: str
    alone: bool = False
    """Whether it may not merge with a neighbour: its borrowed header cells are for its columns only."""


def rendered(text: str, start: int, end: int, context: Sequence[Context], closing: str) -> str:
    """The prompt view of a chunk."""
    return f"{borrowed(text, context)}{text[start:end]}{closing}"


def borrowed(text: str, context: Sequence[Context]) -> str:
    """What stands before a body."""
    return "".join([text[c.start : c.end] + c.added for c in context])
