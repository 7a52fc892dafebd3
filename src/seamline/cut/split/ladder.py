"""Splitting text that no block structure helps with: by blank lines, sentences, lines, words, clusters.

Each rung is tried in turn; a piece that fits stays whole, one that does not goes down to the next rung.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from seamline.cut.measure import LONGEST_TOKEN
from seamline.text.graphemes import boundary_before, is_boundary
from seamline.text.lines import line_start, trimmed
from seamline.text.sentences import sentence_starts

Count = Callable[[str], int]
Rung = Callable[[str, int, int], "list[tuple[int, str]]"]
"""(text, start, end) -> the offsets inside the range at which a piece may start, each with its seam."""


class Piece(NamedTuple):
    """A run of text with its size; pieces tile the range they come from."""

    start: int
    end: int
    tokens: int
    seam: str
    exact: bool = True
    """Whether `tokens` is the count of its text: counts of parts that were joined add up only nearly."""


_BLANK = re.compile(r"(?:\r\n|\r(?!\n)|\n)[ \t>]*(?:\r\n?|\n)[ \t\r\n>]*")
_LINE = re.compile(r"(?:\r\n?|\n)(?=[ \t>]*[^ \t>\r\n])")
_MARGIN = re.compile(r"[ \t]+")
_DEEP = 4  # columns of indentation that make code of a line
_JOINED = frozenset(("line", "word", "sentence", "row", "item", "paragraph"))
_LONG_CLUSTER = 256  # code points


def by_blank_lines(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """After every blank line, at the start of the next line that is not blank."""
    out = []
    for match in _BLANK.finditer(text, start, end):
        at = line_start(text, match.end(), match.start())
        if at < end:
            out.append((at, "paragraph"))
    return out


def by_sentences(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """At every sentence; markers and white space at the ends of the range have no say."""
    first = start
    while first < end and text[first] in " \t>":
        first += 1
    return [(at, "sentence") for at in sentence_starts(text, first, trimmed(text, first, end)) if at > first]


def by_lines(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """At every line that is not blank."""
    return [(match.end(), "line") for match in _LINE.finditer(text, start, end)]


def by_text_lines(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """At every line of prose that is not blank; deep indentation, which would make code of a line that starts a chunk,
    is left to the line before."""
    out = []
    for at, seam in by_lines(text, start, end):
        margin = _MARGIN.match(text, at, end)
        is_deep = margin is not None and len(margin[0].expandtabs(_DEEP)) >= _DEEP
        out.append((margin.end() if margin and is_deep else at, seam))
    return out


def by_scopes(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """In code, after a blank line where the indentation ends too."""
    base = _indent(text, start)
    return [(at, "scope") for at, _ in by_blank_code(text, start, end) if _indent(text, at) <= base]


def by_blank_code(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """In code, after every blank line."""
    return [(at, "blank") for at, _ in by_blank_lines(text, start, end)]


PROSE: tuple[Rung, ...] = (by_blank_lines, by_sentences, by_text_lines)
LINES: tuple[Rung, ...] = (by_blank_lines, by_lines)
CODE: tuple[Rung, ...] = (by_scopes, by_blank_code, by_lines)


class Room(NamedTuple):
    """How large pieces may be."""

    tokens: int
    cluster: int = 0
    """A single grapheme cluster may have this many tokens before it is cut: more than the room, if need be."""

    def less(self, tokens: int) -> Room:
        """What is left beside so many tokens."""
        return Room(self.tokens - tokens, self.cluster - tokens)


def split_by_ladder(text: str, start: int, end: int, room: Room, count: Count, rungs: Sequence[Rung]) -> list[Piece]:
    """Pieces of a range that is too large, each within `room`, cut at the highest rung that makes them fit."""
    return _open(text, start, end, room, count, rungs, "paragraph")


def _open(text: str, start: int, end: int, room: Room, count: Count, rungs: Sequence[Rung], seam: str) -> list[Piece]:
    """Pieces of a range that is too large."""
    if not rungs:
        return by_words(text, start, end, room, count, seam)
    cuts = _thin_cuts(rungs[0](text, start, end), room.tokens // 12)
    if not cuts:
        return _open(text, start, end, room, count, rungs[1:], seam)
    pieces: list[Piece] = []
    at = start
    for until, name in (*cuts, (end, "")):
        if until - at <= LONGEST_TOKEN * room.tokens and (tokens := measure(text, at, until, count)) <= room.tokens:
            pieces.append(Piece(at, until, tokens, seam))
        else:
            pieces.extend(_open(text, at, until, room, count, rungs[1:], seam))
        at, seam = until, name
    return pieces


def _thin_cuts(cuts: list[tuple[int, str]], least: int) -> list[tuple[int, str]]:
    """Cuts without those that follow another within `least` characters: such pieces would be joined again anyway."""
    out: list[tuple[int, str]] = []
    last = -least
    for cut in cuts:
        if cut[0] - last >= least or cut[1] not in _JOINED:
            out.append(cut)
            last = cut[0]
    return out


def measure(text: str, start: int, end: int, count: Count) -> int:
    """Tokens of a piece among its neighbours: a word counts with the space before it, not the one after."""
    if start and text[start - 1] == " ":
        start -= 1
        if text[end - 1] == " ":
            end -= 1
    return count(text[start:end])


def by_words(text: str, start: int, end: int, room: Room, count: Count, seam: str) -> list[Piece]:
    """Fill pieces with words up to `room`; a word that is too long is cut between grapheme clusters."""
    pieces: list[Piece] = []
    per_token = 3.0  # characters; follows the text as it goes
    while start < end:
        stop, tokens = _fill_piece(text, start, end, room, count, per_token)
        if tokens:
            per_token = max(0.25, (stop - start) / tokens)
        pieces.append(Piece(start, stop, tokens, seam))
        start, seam = stop, "word"
    return pieces


def _fill_piece(text: str, start: int, end: int, room: Room, count: Count, per_token: float) -> tuple[int, int]:
    """The end and size of one piece, as long as `room` allows give or take a tenth."""
    length = max(1, int(room.tokens * per_token))
    while True:
        stop = _break_before(text, start, min(end, start + length), end)
        tokens = measure(text, start, stop, count)
        if not is_boundary(text, stop):
            cluster = _cluster_end(text, start, end)
            size = count(text[start:cluster])
            if size <= max(room.tokens, room.cluster):
                return cluster, size
        if tokens <= room.tokens or stop - start <= 1:
            return stop, tokens
        length = max(1, min(int((stop - start) * room.tokens / tokens * 0.95), stop - start - 1))


def _cluster_end(text: str, start: int, end: int) -> int:
    """The end of the grapheme cluster at `start`; of a very long one, as much as could ever be kept."""
    at = start + 1
    while at < end and at - start < _LONG_CLUSTER and not is_boundary(text, at):
        at += 1
    return at


def _break_before(text: str, start: int, stop: int, end: int) -> int:
    """The last good place to cut in (start, stop]: after white space, else between clusters."""
    if stop >= end:
        return end
    at = stop
    while at > start + (stop - start) // 2:  # a long word is not worth more than half a piece
        if text[at - 1].isspace() and not text[at].isspace() and is_boundary(text, at):
            return at
        at -= 1
    at = boundary_before(text, stop, start)
    while at > start + 1 and bears_marks(text, at):
        at = boundary_before(text, at - 1, start)
    return at


def bears_marks(text: str, at: int) -> bool:
    """Whether white space at `at` is the base of a cluster: a body that starts there would lose it."""
    return text[at].isspace() and at + 1 < len(text) and not (text[at + 1].isspace() or is_boundary(text, at + 1))


def coalesce(pieces: list[Piece], small: int, room: int) -> list[Piece]:
    """Join pieces below `small` tokens with what follows them, so that packers see a bounded number."""
    out: list[Piece] = []
    for piece in pieces:
        if out and out[-1].tokens < small and piece.seam in _JOINED and out[-1].tokens + piece.tokens <= room:
            last = out[-1]
            out[-1] = Piece(last.start, piece.end, last.tokens + piece.tokens, last.seam, exact=False)
        else:
            out.append(piece)
    return out


def _indent(text: str, at: int) -> int:
    start = at
    while at < len(text) and text[at] in " \t":
        at += 1
    return at - start
