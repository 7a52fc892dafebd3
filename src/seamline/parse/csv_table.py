"""CSV and TSV: one table, a row for each record, wherever its cells hold line ends. The text is the source.

Nothing in a cell is ever worked out: a formula is text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from seamline.collector import paused
from seamline.parse.csv_dialect import Dialect, Scanner, declared, detect
from seamline.parse.numbered import Numbered
from seamline.parse.raw import Parsed, Raw
from seamline.tables.kinds import MOST, common, described, sample, type_of
from seamline.types import Block, Notice

TSV = "text/tab-separated-values"
_PREAMBLE = 10
"""Lines above a table that may say what it is about."""
_HEAD = 200
"""Rows that say how wide a table is."""
_LONG_NAME = 80
"""Names of columns are shorter than this."""

_Spans = list[tuple[int, int]]


def parse(raw: Raw) -> Parsed:
    """A table of separated values."""
    with paused():
        return _parsed(raw)


def _parsed(raw: Raw) -> Parsed:
    text = raw.text
    dialect = detect(text, tabs=raw.media_type == TSV)
    scanner = Scanner(dialect)
    rows = [span for span in scanner.records(text) if not text[span[0]].isspace() or _is_record(text[slice(*span)])]
    if rows[:1] == [(0, 1)] and text[0] == "\ufeff":
        del rows[0]
    above = _preamble(scanner, text, rows)
    if len(rows) == above:
        return Parsed(text, _paragraphs(text, rows), notices=(_EMPTY,))
    shape = _shape(scanner, text, rows[above:])
    blocks = _paragraphs(text, rows[:above])
    table = len(blocks)
    lines, numbers = _rows(text, rows[above:], shape, table)
    if not lines:
        return Parsed(text, blocks, notices=(_EMPTY,))
    written = {"delimiter": dialect.delimiter, "quote": dialect.quote}
    attrs = {
        "header_end": lines[0].end if shape.header else lines[0].start,
        "columns": described(shape.names, shape.types),
        "dialect": written,
    }
    if shape.header:
        lines[0] = lines[0]._replace(attrs=written)
    blocks.append(Block("table", lines[0].start, lines[-1].end, 0, -1, attrs))
    blocks += lines
    notices = (*_doubts(dialect, shape), *_odd_rows(scanner, text, rows[above:], shape))
    return Parsed(text, blocks, anchors=Numbered(lines, numbers), notices=notices)


_EMPTY = Notice("table-empty", "there is no record in it")


class _Shape(NamedTuple):
    """What a table looks like."""

    width: int
    header: bool
    names: list[str]
    types: list[str]


def _is_record(line: str) -> bool:
    """Whether a line is more than blank; tabs alone part empty cells."""
    return "\t" in line or not line.isspace()


def _paragraphs(text: str, rows: _Spans) -> list[Block]:
    """Lines above a table, each a paragraph."""
    spans = [(start, start + len(text[start:end].rstrip())) for start, end in rows]
    return [Block("paragraph", start, end) for start, end in spans if end > start]


def _preamble(scanner: Scanner, text: str, rows: _Spans) -> int:
    """How many lines stand above the table: those of one cell, before the first of a table that has more."""
    first = 1 if len(rows) > 1 and declared(text) else 0
    if _usual_width(scanner, text, rows[:_HEAD]) < 2:
        return first
    for index, row in enumerate(rows[first:_PREAMBLE], first):
        if abs(scanner.width(text, *row)) > 1:
            return index
    return first


def _usual_width(scanner: Scanner, text: str, rows: _Spans) -> int:
    """The width most rows have; the greater of two."""
    widths = Counter(abs(scanner.width(text, *row)) for row in rows)
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _shape(scanner: Scanner, text: str, rows: _Spans) -> _Shape:
    width = _usual_width(scanner, text, rows[:_HEAD])
    first = scanner.values(text, *rows[0], most=MOST)
    seen = [scanner.values(text, *row, most=MOST) for row in sample(rows[1:])]
    columns = list(_turned(seen, min(max(width, len(first)), MOST)))
    types = [common(map(type_of, column)) for column in columns]
    header = _is_header(first, columns, types)
    if not header:
        types = [
            common((type_of(first[i]) if i < len(first) else "", kind if any(columns[i]) else ""))
            for i, kind in enumerate(types)
        ]
    names = [first[i].lstrip("\ufeff") if header and i < len(first) else "" for i in range(len(types))]
    return _Shape(width, header, names, types)


def _turned(rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    return [[row[i] for row in rows if i < len(row)] for i in range(width)]


def _is_header(first: list[str], columns: list[list[str]], types: list[str]) -> bool:
    """Whether the first row names the columns: it is of other types than they are, and repeats none of their values."""
    if not any(columns) or not any(first) or max(map(len, first)) > _LONG_NAME:
        return False
    score = 0.0
    for name, column, kind in zip(first, columns, types, strict=False):
        own = type_of(name)
        if own != kind and own:
            score += 1 if any(map(type_of, column)) else 0
        elif own and kind != "text":
            score -= 1
        elif name and name in column:
            score -= 0.5
        elif own:
            score += 0.25
    return score > 0


def _rows(text: str, rows: _Spans, shape: _Shape, table: int) -> tuple[list[Block], Sequence[int]]:
    """Blocks of the rows and their numbers, 0 for the header; a row of nothing but tabs is counted, and no block."""
    blocks: list[Block] = []
    missing: set[int] = set()
    for number, (start, end) in enumerate(rows):
        if text[end - 1].isspace():
            end = start + len(text[start:end].rstrip())
            if end <= start:
                missing.add(number)
                continue
        blocks.append(Block("row", start, end, 0, table))
    first = 0 if shape.header else 1
    numbers = range(first, len(rows) + first)
    return blocks, [number for number in numbers if number - first not in missing] if missing else numbers


def _doubts(dialect: Dialect, shape: _Shape) -> list[Notice]:
    out = []
    if dialect.doubt:
        others = " or ".join(map(repr, dialect.doubt))
        out.append(Notice("csv-delimiter", f"read with {dialect.delimiter!r} between cells; {others} would do as well"))
    if shape.width > MOST:
        out.append(Notice("table-wide", f"{shape.width} columns: the first {MOST} are described, all are kept"))
    return out


def _odd_rows(scanner: Scanner, text: str, rows: _Spans, shape: _Shape) -> list[Notice]:
    """Rows that are not like the others."""
    ragged: list[int] = []
    unclosed: list[int] = []
    for index, (start, end) in enumerate(rows):
        width = scanner.width(text, start, end)
        if width != shape.width:
            (unclosed if width < 0 else ragged).append(index)
    found: list[tuple[str, list[int], str]] = [
        ("csv-ragged", ragged, f"have more or fewer than {shape.width} cells: kept as they are"),
        (
            "csv-unclosed-quote",
            unclosed,
            "open a quote that is never closed: it was read as text, to the end of its line",
        ),
    ]
    return [
        Notice(code, f"{len(odd)} of {len(rows)} rows {what}", _where(text, rows, odd))
        for code, odd, what in found
        if odd
    ]


def _where(text: str, rows: _Spans, odd: list[int]) -> str:
    """The lines of the first few."""
    lines, line, at = [], 1, 0
    for index in islice(odd, 3):
        start = rows[index][0]
        line += text.count("\n", at, start)
        at = start
        lines.append(str(line))
    return f"line {lines[0]}" if len(odd) == 1 else f"lines {', '.join(lines)}" + (", ..." if len(odd) > 3 else "")
