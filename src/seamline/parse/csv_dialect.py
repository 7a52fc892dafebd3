"""How a table of separated values is written: which character parts its cells, and which quotes them.

Each candidate reads a sample; the one under which rows have the same width, and cells look like values, is right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from seamline.tables.kinds import type_of

SAMPLE = 20_000
"""Characters that are looked at."""
_DELIMITERS = (",", "\t", ";", "|")
"""Candidates; among equals the first wins."""
_ROWS = 200
_CELLS = 2000
"""Cells of the sample whose types are looked at."""
_DECLARED = re.compile(r"\ufeff?sep=([,;|\t:^~#])[\r\n]", re.IGNORECASE)


class Dialect(NamedTuple):
    """How cells are parted and quoted."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    """A backslash where quotes inside quoted cells follow one; usually they are doubled."""
    doubt: str = ""
    """Delimiters that would do as well."""


class Scanner:
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


def detect(text: str, *, tabs: bool = False) -> Dialect:
    """The dialect of a table; `tabs` where its name says that cells are parted by tabs."""
    if sign := declared(text):
        return Dialect(sign, _quote(text[:SAMPLE]))
    head = _whole_lines(text)
    quote = _quote(head)
    found = [(_score(head, one := Dialect(d, quote, _escape(head, d, quote))), one) for d in _DELIMITERS]
    best, dialect = max(found, key=lambda scored: scored[0])
    if best <= 0:
        return Dialect("\t" if tabs else ",", quote)
    equal = "".join(one.delimiter for score, one in found if score >= best - 1e-9)
    if tabs and "\t" in equal:
        return Dialect("\t", quote, _escape(head, "\t", quote))
    return dialect._replace(doubt=equal.replace(dialect.delimiter, ""))


def declared(text: str) -> str:
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
    scanner = Scanner(dialect)
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
