"""What office documents are read into before they are written down: paragraphs with what they are, and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_ENDS = re.compile(r"[.!?:;,…。！？]['\"”’)\]]?$")


class Picture(NamedTuple):
    """Something that is looked at."""

    alt: str
    target: str
    """The part that holds it, or the chart or diagram that it is."""
    kind: str = "picture"
    """picture, chart, diagram or object."""


class Piece(NamedTuple):
    """A paragraph or a table."""

    kind: str
    """heading, paragraph, item, continued (of the item before), code, quote, caption, figure, math, table, blank."""
    text: str
    path: str
    """Where it stands in the source."""
    level: int = 0
    """Of a heading from 1, of an item from 0."""
    label: str = ""
    """What stands before an item."""
    key: str = ""
    """Which list an item is of."""
    role: str = ""
    """`title` of a heading that names the document; `mono` of code that only its font shows to be such."""
    notes: tuple[tuple[str, str], ...] = ()
    """Label and key of the notes it refers to."""
    pictures: tuple[Picture, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """Cells of a table."""
    places: tuple[str, ...] = ()
    """Where its rows stand."""


def as_text(pieces: Sequence[Piece]) -> str:
    """Pieces on one line, as a cell or a note holds them: a semicolon where no sentence ended."""
    out: list[str] = []
    for piece in pieces:
        text = _one(piece)
        if not text:
            continue
        if out:
            out.append(" " if _ENDS.search(out[-1][-3:]) else "; ")
        out.append(text)
    return "".join(out)


def _one(piece: Piece) -> str:
    if piece.kind == "table":
        return "; ".join(", ".join(cell for cell in row if cell) for row in piece.rows if any(row))
    text = " ".join(piece.text.split())
    if piece.kind == "math":
        return f"${text}$"
    return f"{piece.label} {text}" if piece.kind == "item" and piece.label not in ("", "-") else text


def notes_of(pieces: Sequence[Piece]) -> tuple[tuple[str, str], ...]:
    return tuple(note for piece in pieces for note in piece.notes)
