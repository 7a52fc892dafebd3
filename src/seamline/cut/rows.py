"""Splitting tables that are no Markdown: by rows, under whatever stands at their head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seamline.cut.atoms import Atom, Frame
from seamline.cut.headed import Headed
from seamline.cut.ladder import Count, Room, by_words
from seamline.cut.lines import trimmed
from seamline.cut.wide_rows import WideRows
from seamline.types import Block, Context

LEAST = 4
"""Tokens that what must be closed leaves to the text in it."""


class _Borrowed(NamedTuple):
    """What parts of a table are put between."""

    frame: Frame | None
    room: int
    """Tokens that parts may have without it."""
    closing: int
    """Tokens of its close."""
    tokens: int
    """All its tokens."""


def split_rows(
    text: str, rows: Sequence[Block], table: Headed, room: Room, count: Count, outer: Frame | None, most: int
) -> list[Atom]:
    """Atoms of a table: its head with the first row, then row by row; empty where it has no rows under a head.

    `room` is what frames around the table leave, `most` what there is without them.
    """
    body = [row for row in rows if row.start >= table.header_end]
    if not body:
        return []
    borrowed = _borrowed(text, table, body[0].start, room.tokens, count, outer, most)
    wide = WideRows.of(text, rows, table, room, count, outer)
    if wide is not None and borrowed.frame is outer:
        return [*wide.head(body[0].start), *(atom for row in wide.spans(body) for atom in wide.row(*row))]
    starts = [table.start, *(row.start for row in body[1:])]
    ends = [*starts[1:], table.end]
    atoms: list[Atom] = []
    for at, until in zip(starts, ends, strict=True):
        own = borrowed.room - (borrowed.tokens if at > table.start else borrowed.closing)
        tokens = count(text[at:until])
        if tokens <= own:
            atoms.append(Atom(at, until, tokens, "row", borrowed.frame))
        elif wide is not None:
            if at == table.start:
                atoms += wide.head(body[0].start)
                at = body[0].start
            atoms += wide.row(at, until)
        else:
            words = room._replace(tokens=borrowed.room - borrowed.tokens)
            pieces = by_words(text, at, until, words, count, "row")
            atoms += [Atom(piece.start, piece.end, piece.tokens, piece.seam, borrowed.frame) for piece in pieces]
    return atoms


def _borrowed(
    text: str, table: Headed, first: int, room: int, count: Count, outer: Frame | None, most: int
) -> _Borrowed:
    """A head that would take half of the room is not repeated, but for what opens the table where that must be closed;
    frames around it give way first."""
    close = count(table.close) if table.close else 0
    ways = [(table.header_end, outer, room, room // 2)]
    if close:
        ways += [
            (table.opening_end, outer, room, room * 3 // 4),
            (table.opening_end, None, most, most - LEAST),
        ]
    for until, around, space, allowed in ways:
        end = trimmed(text, table.start, min(until, first))
        opening = (Context("header", table.start, end, "\n"),) if end > table.start else ()
        head = count(text[table.start : end] + "\n") if opening else 0
        if 0 < head + close <= allowed:
            frame = Frame("header", table.start, table.end, opening, table.close, head, close, around)
            return _Borrowed(frame, space, close, head + close)
    return _Borrowed(outer, room, 0, 0)
