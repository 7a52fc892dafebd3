"""Splitting tables that are no Markdown: by rows, under whatever stands at their head."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.cut.atoms import Atom, Frame
from seamline.cut.draft import borrowed
from seamline.cut.headed import Headed, widest
from seamline.cut.ladder import Count, Room, by_words
from seamline.cut.lines import trimmed
from seamline.cut.wide_rows import WideRows
from seamline.types import Block, Context

LEAST = 4
"""Tokens that what must be closed leaves to the text in it."""


MORE = " ...\n"
"""After a header that is not all of it."""
_WORD = re.compile(r"\S+")


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
    wide = WideRows.of(text, rows, table, room, count, outer)
    first = rows[0] if wide is None and rows[0].start < table.header_end else None
    head = _borrowed(text, table, first, body, room.tokens, count, outer, most)
    if wide is not None and head.frame is outer:
        return [*wide.head(body[0].start), *(atom for row in wide.spans(body) for atom in wide.row(*row))]
    starts = [table.start, *(row.start for row in body[1:])]
    ends = [*starts[1:], table.end]
    atoms: list[Atom] = []
    for at, until in zip(starts, ends, strict=True):
        own = head.room - (head.tokens if at > table.start else head.closing)
        tokens = count(text[at:until])
        if tokens <= own:
            atoms.append(Atom(at, until, tokens, "row", head.frame))
        elif wide is not None:
            if at == table.start:
                atoms += wide.head(body[0].start)
                at = body[0].start
            atoms += wide.row(at, until)
        else:
            words = room._replace(tokens=head.room - head.tokens)
            pieces = by_words(text, at, until, words, count, "row")
            atoms += [Atom(piece.start, piece.end, piece.tokens, piece.seam, head.frame) for piece in pieces]
    return atoms


def _borrowed(
    text: str,
    table: Headed,
    first: Block | None,
    body: Sequence[Block],
    room: int,
    count: Count,
    outer: Frame | None,
    most: int,
) -> _Borrowed:
    """What is put above every part: the whole head where it leaves half of the room, or all that a row needs; else its
    `first` row, or as much of that as there is room for. What must be closed is opened, whatever it costs; frames
    around it give way first."""
    close = count(table.close) if table.close else 0
    until = min(table.header_end, body[0].start)

    def ways() -> Iterator[tuple[int, int, Frame | None, int, int]]:
        """Start and end of what is repeated, the frame around it, the room there is, and how much of it is allowed."""
        yield table.start, until, outer, room, room // 2
        start = table.start if close or first is None else first.start
        spaces = ((outer, room), (None, most)) if close else ((outer, room),)
        if first is not None:
            largest = max(count(text[row.start : row.end]) for row in body)
            for around, space in spaces:
                allowed = max(space // 2, min(space * 3 // 4, space - largest - LEAST))
                yield start, until, around, space, allowed
                yield start, first.end, around, space, allowed
                yield start, _words(text, start, first, allowed - close, count), around, space, allowed
            for around, space in spaces:
                allowed = space * 3 // 4
                yield start, _words(text, start, first, allowed - close, count), around, space, allowed
        if close:
            yield table.start, table.opening_end, outer, room, room * 3 // 4
            yield table.start, table.opening_end, None, most, most - LEAST

    for start, end, around, space, allowed in ways():
        end = trimmed(text, start, end)
        if end <= start:
            continue
        opening = _opening(text, start, end, first)
        head = count(borrowed(text, opening))
        if head + close <= allowed:
            frame = Frame("header", table.start, table.end, opening, table.close, head, close, around)
            return _Borrowed(frame, space, close, head + close)
    return _Borrowed(outer, room, 0, 0)


def _opening(text: str, start: int, end: int, first: Block | None) -> tuple[Context, ...]:
    """The contexts of a head. Where its first row is cut short, that is one of its own, and says so."""
    if first is None or not first.start < end < trimmed(text, first.start, first.end):
        return (Context("header", start, end, "\n"),)
    before = trimmed(text, start, first.start) if start < first.start else start
    part = Context("header", first.start, end, MORE)
    return (Context("header", start, before, "\n"), part) if before > start else (part,)


def _words(text: str, start: int, row: Block, most: int, count: Count) -> int:
    """Where the words of a row end that fit in so many tokens with what stands before it; `start` where none does."""
    ends = [found.end() for found in _WORD.finditer(text, row.start, row.end)]

    def fits(words: int) -> bool:
        return count(text[start : ends[words - 1]] + MORE) <= most

    return ends[widest(len(ends), 0, fits) - 1] if ends and fits(1) else start
