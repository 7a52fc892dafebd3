"""Two texts word by word: what is gone in red or `[-...-]`, what is new in green or `{+...+}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from seamline.cli.style import Style, visible

Kind = Literal["same", "gone", "new"]

_MOST = 4_000_000
"""Pairs of words up to which texts are compared word by word, and pairs of lines beyond that; half a second."""
# Runs of letters and digits, but single characters of scripts that put no spaces between words.
_WORD = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u2e80-\ua4cf\uf900-\ufaff]+|\n|[^\S\n]+|.", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_AROUND = 1
"""Unchanged lines that are shown around a change."""


class Piece(NamedTuple):
    """A run of words that both texts have, or only one of them."""

    kind: Kind
    text: str


def compared(before: str, after: str, style: Style, *, full: bool = False) -> list[str] | None:
    """The lines of both texts as one, those without a change left out unless all is wanted; None where the texts are
    too long to be compared."""
    pieces = differences(before.replace("\r\n", "\n"), after.replace("\r\n", "\n"))
    if pieces is None:
        return None
    lines = list(_lines(pieces))
    kept = range(len(lines)) if full else _near_changes(lines)
    return list(_shown(lines, list(kept), style))


def differences(before: str, after: str) -> list[Piece] | None:
    """Pieces that make up `before` without the new ones, and `after` without those that are gone."""
    for unit in (_WORD, _LINE):
        left, right = unit.findall(before), unit.findall(after)
        if len(left) * len(right) <= _MOST:
            return list(_pieces(left, right))
    return None


def _pieces(left: list[str], right: list[str]) -> Iterator[Piece]:
    """What both have, and what one of them has; words that were replaced side by side are one piece."""
    gone = new = between = ""
    for tag, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        before, after = "".join(left[i:j]), "".join(right[k:m])
        if tag == "equal":
            if gone and new and before.isspace() and "\n" not in before:
                between = before
                continue
            yield from _told(gone, new, before)
            gone = new = ""
        elif between and tag == "replace":
            gone, new = gone + between + before, new + between + after
        else:
            yield from _told(gone, new, between)
            gone, new = before, after
        between = ""
    yield from _told(gone, new, between)


def _told(gone: str, new: str, same: str) -> Iterator[Piece]:
    pieces = (Piece("gone", gone), Piece("new", new), Piece("same", same))
    return (piece for piece in pieces if piece.text)


def _lines(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """The pieces line by line; one that goes over a line end is in both lines."""
    line: list[Piece] = []
    for kind, text in pieces:
        first, *rest = text.split("\n")
        line.append(Piece(kind, first))
        for more in rest:
            yield line
            line = [Piece(kind, more)]
    yield line


def _near_changes(lines: list[list[Piece]]) -> list[int]:
    """The lines with a change, and those beside them that say something."""
    changed = [n for n, line in enumerate(lines) if _is_changed(line)]
    near = {n + step for n in changed for step in range(-_AROUND, _AROUND + 1)}
    return sorted(n for n in near if 0 <= n < len(lines) and not _is_blank(lines[n]))


def _is_changed(line: list[Piece]) -> bool:
    return any(piece.kind != "same" and piece.text for piece in line)


def _is_blank(line: list[Piece]) -> bool:
    return not any(piece.text.strip() for piece in line)


def _shown(lines: list[list[Piece]], kept: list[int], style: Style) -> Iterator[str]:
    """The kept lines, with a mark where something that is not blank was left out."""
    dots, last = style.mark("…", "..."), -1
    for n in kept:
        if not all(map(_is_blank, lines[last + 1 : n])):
            yield dots
        yield "".join(_painted(piece, style) for piece in lines[n])
        last = n
    if not all(map(_is_blank, lines[last + 1 :])):
        yield dots


def _painted(piece: Piece, style: Style) -> str:
    text = visible(piece.text)
    if piece.kind == "same" or not text:
        return text
    if style.colour:
        return style.paint(text, "red" if piece.kind == "gone" else "green")
    return f"[-{text}-]" if piece.kind == "gone" else f"{{+{text}+}}"
