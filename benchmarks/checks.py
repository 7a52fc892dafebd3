"""Naive re-checks of a chunking, written without seamline so that its audit is not its own judge.

Each check reads the source and the chunks as `Piece`: a text, and the span it claims.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from benchmarks.peers import Piece

FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
CONTAINER = re.compile(r"^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*[ \t]*")
DELIMITER = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
HEADING = re.compile(r"^ {0,3}#{1,6}(?:[ \t]|$)")
FRONT_MATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:.*?\r?\n)?\1[ \t]*(?:\r?\n|\Z)", re.DOTALL)


class Finding(NamedTuple):
    rule: str
    chunk: int
    """Its position."""
    what: str


class Line(NamedTuple):
    start: int
    text: str
    fenced: bool
    """Inside a fenced code block, its two fence lines included."""


def scan(text: str) -> tuple[list[Line], str]:
    """The lines of a text, and the fence that is still open at its end."""
    lines, fence, at = [], "", 0
    for raw in text.splitlines(keepends=True):
        stripped = raw.rstrip("\r\n")
        mark = FENCE.match(stripped[CONTAINER.match(stripped).end() :])  # type: ignore[union-attr]
        inside = bool(fence)
        if fence and mark and mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
        elif not fence and mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
        lines.append(Line(at, stripped, inside or bool(fence)))
        at += len(raw)
    return lines, fence


def torn_fences(source: str, pieces: Sequence[Piece]) -> Iterator[Finding]:
    """A chunk that opens a fence and does not close it; a source that does so itself is not judged."""
    if scan(source)[1]:
        return
    for index, piece in enumerate(pieces):
        fence = scan(piece.text)[1]
        if fence:
            yield Finding("torn-fence", index, f"{fence} is open at the end")


def headless_tables(source: str, pieces: Sequence[Piece]) -> Iterator[Finding]:
    """A row of a table's body, whole in the chunk, with no delimiter row above it there."""
    rows = table_rows(scan(source)[0])
    for index, piece in enumerate(pieces):
        if not any(row in piece.text for row in rows):
            continue
        headed = False
        for line in piece.text.splitlines():
            headed = headed or bool(DELIMITER.match(line.lstrip("> \t")) and "-" in line)
            if not headed and line.strip() in rows:
                yield Finding("headless-table", index, line.strip()[:60])
                break


def table_rows(lines: Sequence[Line]) -> set[str]:
    """Body rows of the tables that start with a header, a delimiter row and pipes in both."""
    rows: set[str] = set()
    heads: set[str] = set()
    body = False
    for before, line in pairwise(lines):
        if line.fenced or "|" not in line.text:
            body = False
        elif body:
            rows.add(line.text.strip())
        elif DELIMITER.match(line.text.lstrip("> \t")) and _may_head(before):
            body = True
            heads.add(before.text.strip())
    return rows - heads - {row for row in rows if len(row) < 8}


def _may_head(line: Line) -> bool:
    """A line with pipes, and not one that opens an HTML comment around the table."""
    return "|" in line.text and not line.fenced and not line.text.lstrip().startswith("<")


def dangling_headings(source: str, pieces: Sequence[Piece]) -> Iterator[Finding]:
    """A chunk that ends in a heading although the source goes on with something else than a heading."""
    lines = scan(source)[0]
    starts = [line.start for line in lines]
    for index, piece in enumerate(pieces):
        if piece.start is None or piece.end is None:
            continue
        last = bisect_right(starts, piece.start + len(source[piece.start : piece.end].rstrip()) - 1) - 1
        after = next((line for line in lines[last + 1 :] if line.text.strip()), None)
        if _is_heading(lines[last]) and after and not _is_heading(after):
            yield Finding("dangling-heading", index, lines[last].text[:60])


def _is_heading(line: Line) -> bool:
    return not line.fenced and bool(HEADING.match(line.text))


def coverage(source: str, pieces: Sequence[Piece]) -> Iterator[Finding]:
    """Spans that overlap or go back, and text that no chunk owns (front matter may be metadata)."""
    front = FRONT_MATTER.match(source)
    free = front.end() if front else 0
    at = 0
    for index, piece in enumerate((*pieces, Piece("", len(source), len(source)))):
        if piece.start is None or piece.end is None:
            yield Finding("coverage", index, "no span")
            continue
        if piece.start < at or piece.end < piece.start:
            yield Finding("coverage", index, f"[{piece.start}, {piece.end}) after {at}")
        lost = source[max(at, free) : piece.start].strip()
        if lost:
            yield Finding("coverage", index, f"lost before it: {lost[:60]!r}")
        at = max(at, piece.end)


def spans(source: str, pieces: Sequence[Piece]) -> Iterator[Finding]:
    """A chunk whose text does not hold the slice of the source it claims."""
    for index, piece in enumerate(pieces):
        if piece.start is not None and source[piece.start : piece.end] not in piece.text:
            yield Finding("wrong-span", index, f"[{piece.start}, {piece.end}) is not in its text")


def over_limit(pieces: Sequence[Piece], limit: int, count: Callable[[str], int]) -> Iterator[Finding]:
    for index, piece in enumerate(pieces):
        tokens = count(piece.text)
        if tokens > limit:
            yield Finding("over-limit", index, f"{tokens} tokens > {limit}")


def naive(source: str, pieces: Sequence[Piece], limit: int, count: Callable[[str], int]) -> list[Finding]:
    """Everything above."""
    found = list(over_limit(pieces, limit, count))
    for check in (torn_fences, headless_tables, dangling_headings, coverage, spans):
        found += check(source, pieces)
    return found
