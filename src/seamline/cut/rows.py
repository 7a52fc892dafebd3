"""Splitting tables that are no Markdown: by rows, under whatever stands at their head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seamline.cut.atoms import Atom, Frame
from seamline.cut.ladder import Count, Room, by_words
from seamline.cut.lines import trimmed
from seamline.types import Block, Context


class Headed(NamedTuple):
    """The extent of a table and of its head."""

    start: int
    end: int
    opening_end: int
    """Where ends what opens the table, such as `\\begin{tabular}{ll}`; its start where nothing does."""
    header_end: int
    """Where the head ends that parts are put under; the start where there is none."""
    close: str
    """What ends a part that is not the last."""


def split_rows(
    text: str, rows: Sequence[Block], table: Headed, room: Room, count: Count, outer: Frame | None
) -> list[Atom]:
    """Atoms of a table: its head with the first row, then row by row; empty where it has no rows under a head."""
    body = [row for row in rows if row.start >= table.header_end]
    if not body:
        return []
    frame, taken, closing = _frame(text, table, body[0].start, room, count, outer)
    starts = [table.start, *(row.start for row in body[1:])]
    ends = [*starts[1:], table.end]
    atoms: list[Atom] = []
    for at, until in zip(starts, ends, strict=True):
        own = room.tokens - (taken if at > table.start else closing)
        tokens = count(text[at:until])
        if tokens <= own:
            atoms.append(Atom(at, until, tokens, "row", frame))
        else:
            pieces = by_words(text, at, until, room._replace(tokens=room.tokens - taken), count, "row")
            atoms += [Atom(piece.start, piece.end, piece.tokens, piece.seam, frame) for piece in pieces]
    return atoms


def _frame(
    text: str, table: Headed, first: int, room: Room, count: Count, outer: Frame | None
) -> tuple[Frame | None, int, int]:
    """What parts borrow, its tokens, and those of its close.

    A head that would take half of the room is not repeated, but for what opens the table where that must be closed.
    """
    close = count(table.close) if table.close else 0
    for end, most in ((table.header_end, room.tokens // 2), (table.opening_end, room.tokens * 3 // 4)):
        end = trimmed(text, table.start, min(end, first))
        opening = (Context("header", table.start, end, "\n"),) if end > table.start else ()
        head = count(text[table.start : end] + "\n") if opening else 0
        if 0 < head + close <= most:
            frame = Frame("header", table.start, table.end, opening, table.close, head, close, outer)
            return frame, head + close, close
    return outer, 0, 0
