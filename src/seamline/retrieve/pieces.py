"""Where a part of a passage may start and end: at sentences and list items, at rows of a table, never within code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from seamline.records import Entry
from seamline.retrieve.highlight import Sentences


class Piece(NamedTuple):
    """A stretch of a text that is shown whole or not at all."""

    start: int
    end: int
    header: str = ""
    """What a part that starts here needs before it: the header of the table this row belongs to."""
    own: int = 0
    """How many code points after its start the first row comes, where the piece holds the header itself."""


class _Block(NamedTuple):
    start: int
    end: int
    text: str
    framed: bool
    """A fence or a formula, which is no use in part."""


_KINDS = {"paragraph", "list", "quote", "text", "table"}
_MARK = r"(?P<mark>`{3,}|~{3,}|\$\$)"
_OPENS = re.compile(rf"[ \t>]*{_MARK}")
_DASHES = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")


def divisible(entry: Entry) -> bool:
    """Whether parts of a text can stand alone: those of code cannot, nor of a fence that others go on with."""
    lead = entry.text[: entry.lead]
    return entry.kind in _KINDS and not entry.tail and not any(_OPENS.match(line) for line in lead.splitlines())


def pieces(entry: Entry, sentences: Sentences | None) -> list[Piece]:
    """The pieces of an entry's body, in order; together they are all of it."""
    above = _header(entry.text[: entry.lead])
    out: list[Piece] = []
    for block in _blocks(entry.body):
        rows = [] if block.framed else _rows(block, above if block.start == 0 else "")
        if rows:
            out += rows
        elif block.framed or "|" in block.text[:1] or sentences is None:
            out.append(Piece(block.start, block.end))
        else:
            out += _sentences(block, sentences)
    return out


def _blocks(text: str) -> Iterator[_Block]:
    """Stretches between blank lines, list items and fences."""
    at, start, closing, blank = 0, 0, "", False
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        mark = _OPENS.match(line)
        if closing:
            if mark and mark["mark"].startswith(closing):
                yield _Block(start, end, text[start:end], framed=True)
                start, closing = end, ""
        elif mark or (blank and line.strip()) or _ITEM.match(line):
            if start < at:
                yield _Block(start, at, text[start:at], framed=False)
            start, closing = at, mark["mark"] if mark else ""
        blank = not line.strip()
        at = end
    if start < len(text):
        yield _Block(start, len(text), text[start:], framed=bool(closing))


def _rows(block: _Block, above: str) -> list[Piece]:
    """The rows of a table: the first with the header where the table starts here, the others with it borrowed."""
    lines = block.text.splitlines(keepends=True)
    header, own = above, 0
    if _is_header(lines[:2]):
        header = "".join(lines[:2])
        own = len(header)
        lines = ["".join(lines[:3]), *lines[3:]]
    elif not header or "|" not in lines[0]:
        return []
    out, at = [], block.start
    for n, line in enumerate(lines):
        holds = own if n == 0 else 0
        out.append(Piece(at, at + len(line), "" if holds else header, holds))
        at += len(line)
    return out


def _header(lead: str) -> str:
    """The header of a table, where a borrowed text ends with one."""
    last = lead.splitlines(keepends=True)[-2:]
    return "".join(last) if _is_header(last) else ""


def _is_header(lines: Sequence[str]) -> bool:
    """Whether two lines are the names of columns and the dashes below them."""
    return len(lines) == 2 and all("|" in line for line in lines) and bool(_DASHES.match(lines[1].rstrip("\r\n")))


def _sentences(block: _Block, sentences: Sentences) -> Iterator[Piece]:
    starts = [start for start in sentences(block.text) if start > 0]
    edges = [0, *starts, len(block.text)]
    for start, end in pairwise(edges):
        yield Piece(block.start + start, block.start + end)
