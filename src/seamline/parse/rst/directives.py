"""Directives and tables of reStructuredText: what a directive is, where its content starts, and the rows and the header
of a table.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from seamline.parse.rst.lines import FIELD, GRID_BORDER, SIMPLE_BORDER, RstLines
from seamline.text.lines import trimmed
from seamline.types import Detail, Enclosure

DIRECTIVE = re.compile(
    r"\.\.[ \t]+(?:\|(?P<substitution>[^|]{1,200})\|[ \t]+)?"
    r"(?P<name>[^\W_]++(?:[-._+:][^\W_]++)*+)[ ]?::(?:[ \t]+|\Z)"
)
FOOTNOTE = re.compile(r"\.\.[ \t]+\[(?:[0-9]+|#[^\]\s]*|\*|[^\W_][\w.:+-]*)\](?:[ \t]+|\Z)")
TARGET = re.compile(r"\.\.[ \t]+(?:_(?![ \t]|\Z)|__:|\|[^|]+\|)")
COMMENT = re.compile(r"\.\.[ \t]+\S")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE = _words(
    "code code-block sourcecode parsed-literal literalinclude raw productionlist prompt ipython doctest testcode"
    " testsetup testcleanup testoutput graphviz graph digraph mermaid plantuml"
)
_KINDS = {
    **dict.fromkeys(_CODE, "code"),
    **dict.fromkeys(("figure", "image"), "figure"),
    "math": "math",
    **dict.fromkeys(("csv-table", "list-table"), "table"),
}
_OPAQUE = _words(
    "toctree index meta contents role default-role highlight sectionauthor codeauthor module py:module currentmodule"
    " py:currentmodule include replace unicode date tabularcolumns autosummary"
)
"""Directives whose content is no text to be read on."""
_NOTES = _words(
    "attention caution danger error hint important note tip warning admonition seealso todo rubric topic sidebar"
    " epigraph highlights pull-quote compound centered"
)
"""Directives whose text may start in their first line."""
_READERS = frozenset(("include", "literalinclude"))
_MAY_READ = frozenset(("raw", "csv-table"))
_READS = re.compile(r":(?:file|url):")
_ROW = re.compile(r"[*+•‣⁃-][ \t]+[*+•‣⁃-](?:[ \t]|\Z)")
"""The first line of a row that is an item, with its first cell."""
_LONGEST_OPENING = 100


class RstDirective(NamedTuple):
    """A directive as it stands in its lines."""

    kind: str
    is_leaf: bool
    """Whether it is one block, and its content no blocks to be read."""
    detail: Detail
    header: int
    """The last line of its arguments and options."""
    after: int
    """The number of the line after all of it."""
    indent: int
    """The column its content starts in."""
    text_at: int
    """Where its text starts, when that is in its first line; else 0."""
    reads: bool
    """Whether it asks for another file or address."""
    is_substitution: bool
    rows: list[tuple[int, int]]
    """First and last line of the rows of a table of values."""


def read_directive(lines: RstLines, number: int, column: int, found: re.Match[str]) -> RstDirective:
    name = found["name"].lower()
    is_substitution = found["substitution"] is not None
    kind = "reference" if is_substitution else _KINDS.get(name, "directive")
    is_leaf = kind != "directive" or name in _OPAQUE
    header = _header(lines, number, column)
    rows: list[tuple[int, int]] = []
    if kind == "table":
        below = lines.after_indented(number + 1, column)
        rows = lines.rows_of_values(header + 1, below) if name == "csv-table" else _items(lines, header, below)
        if name == "list-table" and not rows:  # no list of lists: what it holds is read as it stands
            kind, is_leaf = "directive", False
    argument = lines.text[found.end() : lines.end[number]]
    options = lines.text[lines.end[number] : lines.end[header]] if header > number else ""
    after = lines.after_indented(number + 1, column) if is_leaf else header + 1
    enclosure = header_end = None
    if kind in ("code", "math", "directive"):
        enclosure = _enclosure(lines, number, found.end() if name in _NOTES and argument else 0)
    if kind == "table":
        kept = _header_rows(options)
        header_end = lines.end[rows[kept - 1][1] if 0 < kept < len(rows) else header]
    language = argument if kind == "code" and " " not in argument else ""
    return RstDirective(
        kind,
        is_leaf,
        Detail(enclosure, name, language=language, header_end=header_end),
        header,
        after,
        _content_indent(lines, header, column),
        found.end() if name in _NOTES and argument and header == number else 0,
        name in _READERS or (name in _MAY_READ and bool(_READS.search(options))),
        is_substitution,
        rows,
    )


def _content_indent(lines: RstLines, header: int, column: int) -> int:
    first = header + 1
    while lines.is_blank(first) and first < len(lines):
        first += 1
    return lines.indent[first] if first < len(lines) and lines.indent[first] > column else column + 3


def _enclosure(lines: RstLines, number: int, text_at: int) -> Enclosure:
    """The first line with its end, so that a blank line follows it, as directives ask for; without text in it."""
    start = lines.start[number]
    after = lines.start[number + 1] if number + 1 < len(lines) else lines.end[number]
    if text_at:
        after = trimmed(lines.text, start, text_at)
    return Enclosure(start, after if after - start <= _LONGEST_OPENING else start)


def _header(lines: RstLines, number: int, column: int) -> int:
    """The last line of arguments and options: options follow the first line, perhaps after more arguments."""
    last = below = number
    indent = -1
    while not lines.is_blank(below + 1) and lines.indent[below + 1] > column:
        below += 1
        if FIELD.match(lines.text, lines.at[below], lines.end[below]) and indent in (-1, lines.indent[below]):
            indent, last = lines.indent[below], below
        elif indent >= 0:
            if lines.indent[below] <= indent:
                break
            last = below
    return last


def _items(lines: RstLines, header: int, after: int) -> list[tuple[int, int]]:
    """Rows of a list of lists, one for each item; none where a line at the margin starts no item with a list in it."""
    rows: list[tuple[int, int]] = []
    margin = -1
    for number in range(header + 1, after):
        indent = lines.indent[number]
        if indent < 0:
            continue
        margin = indent if margin < 0 else margin
        if indent > margin:
            rows[-1] = rows[-1][0], number
        elif indent == margin and _ROW.match(lines.text, lines.at[number], lines.end[number]):
            rows.append((number, number))
        else:
            return []
    return rows


def _header_rows(options: str) -> int:
    found = re.search(r":header-rows:[ \t]*([0-9]{1,3})", options)
    return int(found[1]) if found else 0


_CELL = re.compile(r"=+")
_SPANS = re.compile(r"-[- \t]*+\Z")


class RstTable(NamedTuple):
    """A table."""

    after: int
    """The number of the line after it."""
    rows: list[tuple[int, int]]
    """First line and the line after the last, of each row."""
    header: int
    """The line up to which a part is put under it: the last of the header, else of what opens the table."""
    is_sound: bool
    """Whether its lines agree with each other."""


def read_grid_table(lines: RstLines, first: int, at: int, column: int) -> RstTable:
    """A table of drawn cells that starts at `at`, to the first line that is none of it."""
    after = first + 1
    while after < len(lines) and lines.indent[after] == column and lines.text[lines.at[after]] in "+|":
        after += 1
    rows: list[tuple[int, int]] = []
    header = first
    widths = {lines.end[first] - at}
    begin = -1
    for number in range(first + 1, after):
        if not GRID_BORDER.match(lines.text, lines.at[number], lines.end[number]):
            begin = number if begin < 0 else begin
            continue
        widths.add(lines.end[number] - lines.at[number])
        if begin >= 0:
            rows.append((begin, number))
        begin = -1
        if "=" in lines.body(number) and header == first:
            header = number
    if begin >= 0:
        rows.append((begin, after))
    return RstTable(after, rows, header, begin < 0 and len(widths) == 1 and bool(rows))


def read_simple_table(lines: RstLines, first: int, at: int, column: int) -> RstTable | None:
    """A table between lines of equals signs that starts at `at`; None where its end is missing."""
    borders: list[int] = []
    number = first + 1
    while number < len(lines) and (lines.indent[number] < 0 or lines.indent[number] >= column):
        if lines.indent[number] == column and SIMPLE_BORDER.match(lines.text, lines.at[number], lines.end[number]):
            borders.append(number)
            if len(borders) == 2 or lines.is_blank(number + 1):
                break
        number += 1
    if not borders:
        return None
    cell = _CELL.match(lines.text, at)
    edge = (cell.end() if cell else at) - lines.start[first]
    header = borders[0] if len(borders) == 2 else first
    last = borders[-1]
    rows: list[list[int]] = []
    for number in range(first + 1, last):
        if number in borders or lines.indent[number] < 0:
            continue
        starts = lines.at[number] - lines.start[number] < edge
        spans = _SPANS.match(lines.text, lines.at[number], lines.end[number])
        if (starts and not spans) or not rows or rows[-1][1] <= header < number:
            rows.append([number, number + 1])
        else:
            rows[-1][1] = number + 1
    return RstTable(last + 1, [(begin, end) for begin, end in rows], header, bool(rows))
