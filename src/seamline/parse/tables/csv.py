"""CSV and TSV: one table, a row for each record, wherever its cells hold line ends. The text is the source.

Nothing in a cell is ever worked out: a formula is text. Which character parts cells, and which quotes them, is found by
trying each candidate on a sample: under the right one rows have the same width, and cells look like values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from seamline.anchors import RecordAnchors
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.runtime import gc_paused
from seamline.text.lines import trimmed
from seamline.text.values import MOST, common, name_columns, sample, type_of
from seamline.types import Block, Detail, Dialect, Notice

TSV = "text/tab-separated-values"
_PREAMBLE = 10
"""Lines above a table that may say what it is about."""
_HEAD = 200
"""Rows that say how wide a table is."""
_LONG_NAME = 80
"""Names of columns are shorter than this."""

_Spans = list[tuple[int, int]]


def parse(raw: ParseInput) -> ParseResult:
    """A table of separated values."""
    with gc_paused():
        return _parse_table(raw)


def _parse_table(raw: ParseInput) -> ParseResult:
    text = raw.text
    dialect, doubt = detect_dialect(text, tabs=raw.media_type == TSV)
    scanner = CsvScanner(dialect)
    rows = [span for span in scanner.records(text) if not text[span[0]].isspace() or _is_record(text[slice(*span)])]
    if rows[:1] == [(0, 1)] and text[0] == "\ufeff":
        del rows[0]
    above = _preamble(scanner, text, rows)
    if len(rows) == above:
        return ParseResult(text, _paragraphs(text, rows), notices=(_EMPTY,))
    shape = _shape(scanner, text, rows[above:])
    blocks = _paragraphs(text, rows[:above])
    table = len(blocks)
    lines, numbers = _rows(text, rows[above:], shape, table)
    if not lines:
        return ParseResult(text, blocks, notices=(_EMPTY,))
    header_end = lines[0].end if shape.header else lines[0].start
    detail = Detail(header_end=header_end, columns=name_columns(shape.names, shape.types), dialect=dialect)
    if shape.header:
        lines[0] = lines[0]._replace(detail=Detail(dialect=dialect))
    blocks.append(Block("table", lines[0].start, lines[-1].end, 0, -1, detail))
    blocks += lines
    notices = (*_doubts(dialect, doubt, shape), *_odd_rows(scanner, text, rows[above:], shape))
    return ParseResult(text, blocks, anchors=RecordAnchors(lines, numbers), notices=notices)


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
    spans = [(start, trimmed(text, start, end)) for start, end in rows]
    return [Block("paragraph", start, end) for start, end in spans if end > start]


def _preamble(scanner: CsvScanner, text: str, rows: _Spans) -> int:
    """How many lines stand above the table: those of one cell, before the first of a table that has more."""
    first = 1 if len(rows) > 1 and declared_delimiter(text) else 0
    if _usual_width(scanner, text, rows[:_HEAD]) < 2:
        return first
    for index, row in enumerate(rows[first:_PREAMBLE], first):
        if abs(scanner.width(text, *row)) > 1:
            return index
    return first


def _usual_width(scanner: CsvScanner, text: str, rows: _Spans) -> int:
    """The width most rows have; the greater of two."""
    widths = Counter(abs(scanner.width(text, *row)) for row in rows)
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _shape(scanner: CsvScanner, text: str, rows: _Spans) -> _Shape:
    width = _usual_width(scanner, text, rows[:_HEAD])
    first = scanner.values(text, *rows[0], most=MOST)
    seen = [scanner.values(text, *row, most=MOST) for row in sample(rows[1:])]
    columns = list(_transpose(seen, min(max(width, len(first)), MOST)))
    types = [common(map(type_of, column)) for column in columns]
    header = _is_header(first, columns, types)
    if not header:
        types = [
            common((type_of(first[i]) if i < len(first) else "", kind if any(columns[i]) else ""))
            for i, kind in enumerate(types)
        ]
    names = [first[i].lstrip("\ufeff") if header and i < len(first) else "" for i in range(len(types))]
    return _Shape(width, header, names, types)


def _transpose(rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
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
            end = trimmed(text, start, end)
            if end <= start:
                missing.add(number)
                continue
        blocks.append(Block("row", start, end, 0, table))
    first = 0 if shape.header else 1
    numbers = range(first, len(rows) + first)
    return blocks, [number for number in numbers if number - first not in missing] if missing else numbers


def _doubts(dialect: Dialect, doubt: str, shape: _Shape) -> list[Notice]:
    out = []
    if doubt:
        others = " or ".join(map(repr, doubt))
        out.append(Notice("csv-delimiter", f"read with {dialect.delimiter!r} between cells; {others} would do as well"))
    if shape.width > MOST:
        out.append(Notice("table-wide", f"{shape.width} columns: the first {MOST} are described, all are kept"))
    return out


def _odd_rows(scanner: CsvScanner, text: str, rows: _Spans, shape: _Shape) -> list[Notice]:
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


SAMPLE = 20_000
"""Characters that are looked at."""
_DELIMITERS = (",", "\t", ";", "|")
"""Candidates; among equals the first wins."""
_ROWS = 200
_CELLS = 2000
"""Cells of the sample whose types are looked at."""
_DECLARED = re.compile(r"\ufeff?sep=([,;|\t:^~#])[\r\n]", re.IGNORECASE)


class CsvScanner:
    """Finds records and cells. Every pattern is possessive, so that no text is looked at more than a few times.

    A quoted cell ends at a quote that a delimiter or a line end follows. Where there is none, the quote is text: one
    that is never closed does not swallow the rest of the file.
    """

    def __init__(self, dialect: Dialect) -> None:
        self.delimiter = dialect.delimiter
        self.quote = dialect.quote
        mark, part = re.escape(dialect.quote), re.escape(dialect.delimiter)
        skip = r"\\" if dialect.escape else ""
        doubled = rf"(?:{mark}{mark}|\\.)" if dialect.escape else f"{mark}{mark}"
        closed = rf" *+{mark}[^{mark}{skip}]*+(?:{doubled}[^{mark}{skip}]*+)*+{mark} *+(?![^{part}\r\n])"
        line = rf" *+{mark}[^{mark}{skip}\r\n]*+(?:{doubled}[^{mark}{skip}\r\n]*+)*+{mark}[^{part}\r\n]*+"
        field = rf"(?:{closed}|{line}|[^{part}\r\n]*+)"
        plain = rf"[^{mark}\r\n]++(?![^\r\n])"
        self._record = re.compile(rf"(?=[^\r\n])(?:{plain}|{field}(?:{part}{field})*+)", re.DOTALL)
        self._cell = re.compile(rf"(?:{closed}|{line}|([^{part}\r\n]*+))", re.DOTALL)
        self._quoted = re.compile(rf"(?<![^{part}\r\n]){closed}", re.DOTALL)

    def records(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of each record, without its line end; blank lines hold none."""
        pattern = self._record if self.quote in text else _LINE
        return (found.span() for found in pattern.finditer(text))

    def width(self, text: str, start: int, end: int) -> int:
        """How many cells a record has; below 0 where a quote in it is never closed."""
        if text.find(self.quote, start, end) < 0:
            return text.count(self.delimiter, start, end) + 1
        left = self._quoted.sub("", text[start:end])
        if self.quote not in left:
            return left.count(self.delimiter) + 1
        spans = list(self._spans(text, start, end))
        return -len(spans) if any(is_open for _, _, is_open in spans) else len(spans)

    def cells(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        """Start and end of each cell of a record, quotes included."""
        if text.find(self.quote, start, end) >= 0:
            return [(low, high) for low, high, _ in self._spans(text, start, end)]
        out: list[tuple[int, int]] = []
        while (at := text.find(self.delimiter, start, end)) >= 0:
            out.append((start, at))
            start = at + 1
        return [*out, (start, end)]

    def _spans(self, text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        """Cells, and whether each opens a quote that it does not close."""
        while found := self._cell.match(text, start, end):
            yield *found.span(), found[1] is not None and found[1].lstrip(" ").startswith(self.quote)
            start = found.end() + 1
            if start > end:
                return

    @cached_property
    def _twice(self) -> str:
        return self.quote * 2

    def values(self, text: str, start: int, end: int, most: int | None = None) -> list[str]:
        """What the cells of a record say, without their quotes."""
        out = []
        for low, high in self.cells(text, start, end)[:most]:
            value = text[low:high].strip()
            if len(value) > 1 and value[0] == value[-1] == self.quote:
                value = value[1:-1].replace(self._twice, self.quote)
            out.append(value)
        return out


_LINE = re.compile(r"[^\r\n]+")


def detect_dialect(text: str, *, tabs: bool = False) -> tuple[Dialect, str]:
    """The dialect of a table, and the delimiters that would do as well; `tabs` where its name says tabs."""
    if sign := declared_delimiter(text):
        return Dialect(sign, _quote(text[:SAMPLE])), ""
    head = _whole_lines(text)
    quote = _quote(head)
    found = [(_score(head, one := Dialect(d, quote, _escape(head, d, quote))), one) for d in _DELIMITERS]
    best, dialect = max(found, key=lambda scored: scored[0])
    if best <= 0:
        return Dialect("\t" if tabs else ",", quote), ""
    equal = "".join(one.delimiter for score, one in found if score >= best - 1e-9)
    if tabs and "\t" in equal:
        return Dialect("\t", quote, _escape(head, "\t", quote)), ""
    return dialect, equal.replace(dialect.delimiter, "")


def declared_delimiter(text: str) -> str:
    """The delimiter that a first line such as `sep=;` names, as spreadsheets write it; empty where there is none."""
    found = _DECLARED.match(text)
    return found[1] if found else ""


def _whole_lines(text: str) -> str:
    """The sample without a last line that is cut off; a first line that fills it stays as it is."""
    if len(text) <= SAMPLE:
        return text
    head = text[:SAMPLE]
    cut = max(head.rfind("\n"), head.rfind("\r"))
    return head[:cut] if cut > 0 else head


def _quote(head: str) -> str:
    """The double quote, but where cells are put between single ones and there is no double one."""
    quoted = re.search(r"(?:^|[,;|\t])'[^'\r\n]*+'(?=[,;|\t\r\n]|\Z)", head, re.MULTILINE)
    return "'" if quoted and '"' not in head else '"'


def _escape(head: str, delimiter: str, quote: str) -> str:
    """A backslash where it stands before quotes that no cell ends with."""
    inside = re.search(rf"\\{re.escape(quote)}(?![{re.escape(delimiter)}\r\n]|\Z)", head)
    return "\\" if inside else ""


def _score(head: str, dialect: Dialect) -> float:
    """How well a dialect explains the sample, 0-1: rows of one width, of more than one cell, with cells of a type."""
    scanner = CsvScanner(dialect)
    rows = [span for span, _ in zip(scanner.records(head), range(_ROWS), strict=False)]
    widths = Counter(abs(scanner.width(head, *row)) for row in rows)
    if not widths:
        return 0.0
    width, same = max(widths.items(), key=lambda item: (item[1], item[0]))
    if width < 2:
        return 0.0
    typed = looked = 0
    for row in rows:
        if looked >= _CELLS:
            break
        for value in scanner.values(head, *row, most=_CELLS):
            looked += 1
            typed += type_of(value) != "text"
    share = same / sum(widths.values())
    return share * share * (1 - 0.5 / width) * (0.75 + 0.25 * typed / looked)
