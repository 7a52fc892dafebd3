"""The tables of a document, whatever its format: columns with names and types, rows with cells and spans.

Cells are parted by bars, separators, JSON, LaTeX or drawn borders. A splitter takes the text of one row and never
fails: a row that it cannot part is one cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import unescape
from itertools import pairwise
from typing import Any, NamedTuple

from seamline.errors import ConfigError
from seamline.text.values import MOST, common, sample, type_of
from seamline.types import NO_DETAIL, Block, Column, Detail, Document, Span

_BORDER = re.compile(r"[ \t]*(?:\+[-=+]+\+|=+(?:[ \t]+=+)*)[ \t]*(?=\r?\n)")
_HEADER_OPTION = re.compile(r":header:[ \t]*([^\r\n]+)")
_DEEPEST = 400
"""Characters before a drawn row on its line that are looked at."""
_MARKS = re.compile(r"\*\*|__|`|<br ?/?>")


class Row(NamedTuple):
    """One row under the header."""

    span: Span
    cells: list[str]
    """What it says, one text for each column; empty where it says nothing."""
    more: list[tuple[str, str]]
    """Names and texts of what it says beyond the columns."""


@dataclass(frozen=True)
class Table:
    """A table of a document."""

    document: Document
    index: int
    """Of its block."""
    header: tuple[Block, ...]
    """The rows that name the columns."""
    body: Sequence[Block]
    """The rows under them."""
    columns: tuple[Column, ...]
    """Their names are all different; `column 3` where the table names none."""
    split: Split | None
    """How a row is parted; None where rows are JSON records."""
    is_drawn: bool = False
    """Whether columns are told by where they stand on a line."""

    @property
    def block(self) -> Block:
        return self.document.blocks[self.index]

    @property
    def span(self) -> Span:
        return self.block.span

    @property
    def is_markdown(self) -> bool:
        """Whether it is written as Markdown writes tables."""
        return self.split is by_bars

    @property
    def is_json(self) -> bool:
        """Whether its rows are JSON."""
        return self.split is None

    @cached_property
    def decimal_sign(self) -> str:
        """The sign before decimals, as far as the format tells: empty where it does not. Where commas part cells, or
        the rows are JSON, it is a point."""
        dialect = (self.block.detail or NO_DETAIL).dialect
        return "." if self.split is None or (dialect and dialect.delimiter == ",") else ""

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {column.name: number for number, column in enumerate(self.columns)}

    def cells(self, row: Block) -> list[str]:
        """What a row says, one text for each column."""
        return self.read(row).cells

    def read(self, row: Block) -> Row:
        """One row of `body`."""
        text = self._text(row)
        width = len(self.columns)
        if self.split is None:
            fields = record(text)
            if fields is None:
                return Row(row.span, [""] * width, [("value", " ".join(text.split()))])
            cells = [""] * width
            more: list[tuple[str, str]] = []
            for name, value in fields.items():
                number = self._numbers.get(name)
                if number is not None:
                    cells[number] = value
                elif value:
                    more.append((name, value))
            return Row(row.span, cells, more)
        cells = self.split(text)
        if len(cells) <= width:
            return Row(row.span, cells + [""] * (width - len(cells)), [])
        beyond = enumerate(cells[width:], width + 1)
        return Row(row.span, cells[:width], [(f"column {number}", cell) for number, cell in beyond if cell])

    def _text(self, row: Block) -> str:
        """The text of a row, from the start of its line where columns are told by where they stand."""
        text, lead = self.document.text, ""
        if self.is_drawn:
            start = text.rfind("\n", max(0, row.start - _DEEPEST), row.start) + 1
            lead = text[start : row.start]
        return (lead if lead.isspace() else "") + text[row.start : row.end]

    def split_all(self, rows: Sequence[Block]) -> list[list[str]]:
        """The cells of rows, as many as each has."""
        return [self.split(self._text(row)) for row in rows] if self.split else []

    def rows(self) -> Iterator[Row]:
        return map(self.read, self.body)

    def values(self, number: int) -> list[str]:
        """What all rows say in one column."""
        if self.split is None or self.is_drawn:
            return [row.cells[number] for row in self.rows()]
        text, split = self.document.text, self.split
        rows = (split(text[row.start : row.end]) for row in self.body)
        return [cells[number] if number < len(cells) else "" for cells in rows]

    def column(self, name: str) -> int | None:
        """The number, from 0, of the column that a name means: its own, in any case, or its number from 1."""
        names = [column.name for column in self.columns]
        if name in names:
            return names.index(name)
        lower = [one.casefold() for one in names]
        if lower.count(name.casefold().strip()) == 1:
            return lower.index(name.casefold().strip())
        number = int(name) if name.isascii() and name.isdigit() and len(name) < 6 else 0
        return number - 1 if 0 < number <= len(names) else None


def tables(document: Document) -> list[Table]:
    """The tables of a document whose rows and columns are known, in order."""
    inside: dict[int, list[Block]] = {}
    for block in document.blocks:
        if block.kind == "row":
            inside.setdefault(block.parent, []).append(block)
    found = (_table(document, index, rows) for index, rows in inside.items())
    return [table for table in found if table is not None]


def tables_with_column(found: Sequence[Table], name: str, path: str) -> list[tuple[Table, int]]:
    """The tables that have a column, with its number; where there are tables and none has it, that is a mistake."""
    out = [(table, number) for table in found if (number := table.column(name)) is not None]
    if found and not out:
        names = list(dict.fromkeys(column.name for table in found for column in table.columns))
        listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        raise ConfigError(f"no table has a column {name!r}: expected one of {listed}, or its number from 1", path)
    return out


def _table(document: Document, index: int, rows: list[Block]) -> Table | None:
    block = document.blocks[index]
    if block.kind != "table":
        return None
    detail = block.detail or NO_DETAIL
    split = _split(document, block, detail)
    until = detail.header_end
    names = 1 if until is None else sum(row.start < until for row in rows)
    header, body = tuple(rows[:names]), rows[names:]
    if not body:
        return None
    is_drawn = (
        split is not None and split not in (by_bars, by_ampersands) and detail.dialect is None and detail.name is None
    )
    bare = Table(document, index, header, body, (), split, is_drawn)
    return replace(bare, columns=_columns(bare, detail))


def _split(document: Document, block: Block, detail: Detail) -> Split | None:
    """How the rows of a table are parted, by what its parser says and what it starts with."""
    text = document.text
    if detail.dialect is not None:
        return by_separator(detail.dialect.delimiter, detail.dialect.quote)
    if detail.columns is not None:
        return None
    if detail.name == "csv-table":
        return by_separator(",", '"')
    if detail.name == "psv-table":
        return by_specified_bars
    if detail.name == "list-table":
        return by_items
    if text.startswith("\\begin", block.start + _indent(text, block)):
        return by_ampersands
    if text.startswith("<", block.start + _indent(text, block)):
        return by_tags
    start = text.rfind("\n", 0, block.start) + 1
    if detail.header_end is not None and (border := _BORDER.match(text, start)):
        return by_border(border[0])
    return by_bars


def _indent(text: str, block: Block) -> int:
    part = text[block.start : block.start + 400]
    return len(part) - len(part.lstrip())


def _columns(bare: Table, detail: Detail) -> tuple[Column, ...]:
    if detail.columns is not None:
        names = [column.name for column in detail.columns]
        types = [column.type for column in detail.columns]
        if bare.split is None and _has_keys(bare):
            names, types = ["key", *names], ["text", *types]
        return tuple(map(Column, _apart(names), types))
    seen, heads = bare.split_all(sample(bare.body)), bare.split_all(bare.header)
    option = _HEADER_OPTION.search(bare.document.text, bare.block.start, bare.body[0].start)
    if not heads and option and bare.split:
        heads = [bare.split(option[1])]
    width = min(max([len(cells) for cells in (*heads, *seen)], default=0), MOST)
    names = [_name([head[i] for head in heads if i < len(head)]) for i in range(width)]
    types = [common(type_of(cells[i]) for cells in seen if i < len(cells)) for i in range(width)]
    return tuple(map(Column, _apart([name or f"column {i}" for i, name in enumerate(names, 1)]), types))


def _has_keys(bare: Table) -> bool:
    """Whether rows are members of an object, each with its key."""
    fields = record(bare.document.text[bare.body[0].start : bare.body[0].end])
    return fields is not None and next(iter(fields), "") == "key" and bare.document.text[bare.body[0].start] == '"'


def _name(heads: Sequence[str]) -> str:
    """The name of a column, of all rows of its header."""
    return " ".join(dict.fromkeys(" ".join(_MARKS.sub(" ", head).split()) for head in heads)).strip()


def _apart(names: Sequence[str]) -> list[str]:
    """Names that are all different: the second `total` is `total (2)`."""
    seen: dict[str, int] = {}
    out: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return out


Split = Callable[[str], list[str]]

_BAR = re.compile(r"(?<!\\)\|")
_CELL_SPEC = re.compile(r"(?<=\s)(?=\S)(?:([0-9]{1,4})?(?:\.[0-9]{1,4})?[*+])?[<^>]?(?:\.[<^>])?[a-z]?\Z")
"""What stands right before the bar of a cell of AsciiDoc and says how it spans and looks."""
_SPACE = re.compile(r"\s+")
_TEX_PART = re.compile(r"\\\\(?:\[[^\]]*+\])?|\\[%&#$_{}]|[{}&]|%[^\n]*+")
_TEX_RULE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|(?:cline|cmidrule)(?:\([^)]*+\))?\{[^}]*+\})")
_TEX_SPAN = re.compile(r"\\multicolumn\{(\d{1,3})\}\{[^{}]*+\}")
_TEX_SILENT = re.compile(
    r"\\(?:multirow(?:\[[^\]]*+\])?\{[^{}]*+\}(?:\[[^\]]*+\])?\{[^{}]*+\}|rule(?:\[[^\]]*+\])?\{[^{}]*+\}\{[^{}]*+\}"
    r"|(?:[vh]space|cite[a-z]*+|label|phantom|cellcolor|rowcolor|color)\*?+(?:\[[^\]]*+\])*+\{[^{}]*+\})"
)
"""Commands whose arguments are no text, and those before the text of a cell over several rows."""
_TEX_COMMAND = re.compile(r"\\[a-zA-Z]++\*?+(?:\[[^\]]*+\])?+[ \t]*+")
_TEX_MARK = re.compile(r"\\([%&#$_])")
_TEX_DOLLAR = re.compile(r"(?<!\\)\$")
_TEX_BRACES = {ord("~"): " ", ord("{"): "", ord("}"): ""}
_ITEM = re.compile(r"[ \t]*[*+•‣⁃-][ \t]+([*+•‣⁃-])")
_COLUMNS = re.compile(r"[=-]+|\+")
_HTML_CELL = re.compile(r"<t[dh]\b([^<>]{0,2000})>(.*?)(?=</?t[dhr]\b|\Z)", re.DOTALL | re.IGNORECASE)
_HTML_SPAN = re.compile(r"\bcolspan\s*=\s*[\"']?([1-9]\d{0,2})", re.IGNORECASE)
_HTML_TAG = re.compile(r"<[A-Za-z/!][^<>]{0,2000}>")


def by_bars(row: str) -> list[str]:
    """Cells between bars, as Markdown writes them; a bar after a backslash is text."""
    row = row.strip().lstrip("> \t")
    cells = row.split("|") if "\\" not in row else _BAR.split(row)
    if cells and not cells[0].strip():
        del cells[0]
    if cells and not cells[-1].strip():
        del cells[-1]
    return [cell.strip().replace("\\|", "|") for cell in cells]


def by_specified_bars(row: str) -> list[str]:
    """Cells of a row of AsciiDoc, each behind a bar, which may say how many columns the cell spans."""
    lead, *parts = _BAR.split(row)
    spec = _CELL_SPEC.search(f" {lead.strip()}")
    out: list[str] = []
    for number, part in enumerate(parts, 1):
        after = _CELL_SPEC.search(part) if number < len(parts) else None
        cell = part[: after.start()] if after else part
        out.append(" ".join(cell.replace("\\|", "|").split()))
        out += [""] * (min(int(spec[1]), MOST) - 1 if spec and spec[1] else 0)
        spec = after
    return out


def by_tags(row: str) -> list[str]:
    """Cells of a row of HTML, without their tags; one that spans columns stands in the first of them."""
    out: list[str] = []
    for cell in _HTML_CELL.finditer(row):
        wide = _HTML_SPAN.search(cell[1])
        out.append(" ".join(unescape(_HTML_TAG.sub(" ", cell[2])).split()))
        out += [""] * (min(int(wide[1]), MOST) - 1 if wide else 0)
    return out


def by_separator(delimiter: str, quote: str) -> Split:
    """Cells of separated values; a quoted one may hold separators, line ends and doubled quotes."""
    mark, part = re.escape(quote), re.escape(delimiter)
    closed = rf" *+{mark}((?:[^{mark}]|{mark}{mark})*+){mark} *+(?![^{part}])"
    cell = re.compile(rf"(?:{closed}|([^{part}]*+))(?:{part}|\Z)", re.DOTALL)
    twice = quote * 2

    def split(row: str) -> list[str]:
        if quote not in row:
            return [value.strip() for value in row.split(delimiter)]
        out: list[str] = []
        at = 0
        while found := cell.match(row, at):
            out.append((found[2] if found[1] is None else found[1].replace(twice, quote)).strip())
            at = found.end()
            if at == len(row):
                if row.endswith(delimiter):
                    out.append("")
                break
        return out

    return split


def record(row: str) -> Mapping[str, str] | None:
    """The fields of a JSON record, by name; None where it is no JSON.

    An object has its keys, an array numbered columns, another value one column; a member of an object also `key`.
    """
    key = None
    try:
        if row.startswith('"') and not isinstance(value := _decode_member(row), str):
            key, value = value
        elif not row.startswith('"'):
            value = json.loads(row.rstrip(","))
    except (ValueError, RecursionError):
        return None
    fields = _fields(value)
    return fields if key is None else {"key": key, **fields}


def _decode_member(row: str) -> Any:
    """A string, or the name and the value of a member."""
    name, end = json.JSONDecoder(strict=False).raw_decode(row)
    rest = row[end:].lstrip()
    return (name, json.loads(rest[1:].rstrip().rstrip(","))) if rest.startswith(":") else name


def _fields(value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        return {name: _format_value(one) for name, one in value.items()}
    if isinstance(value, list):
        return {f"column {number}": _format_value(one) for number, one in enumerate(value, 1)}
    return {"value": _format_value(value)}


def _format_value(value: Any) -> str:
    """A value as people write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _SPACE.sub(" ", value).strip()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def by_ampersands(row: str) -> list[str]:
    """Cells of a LaTeX row, in plain words; a cell over several columns is followed by empty ones."""
    cells: list[str] = []
    depth = at = 0
    row = _TEX_RULE.sub(" ", row)
    for found in _TEX_PART.finditer(row):
        sign = found[0]
        if sign == "{" or sign == "}":
            depth = max(0, depth + (1 if sign == "{" else -1))
        elif depth == 0 and (sign == "&" or sign.startswith(r"\\")):
            cells.append(row[at : found.start()])
            at = found.end()
    if row[at:].strip():
        cells.append(row[at:])
    out: list[str] = []
    for cell in cells:
        spans = _TEX_SPAN.search(cell)
        out.append(_plain_tex(_TEX_SPAN.sub("", cell)))
        out += [""] * (min(int(spans[1]), 100) - 1 if spans else 0)
    return out


def _plain_tex(cell: str) -> str:
    """A cell without commands; formulas stay as they are."""
    parts = _TEX_DOLLAR.split(_TEX_SILENT.sub("", cell))
    for index in range(0, len(parts), 2):  # every second part is between dollar signs
        parts[index] = _TEX_COMMAND.sub("", _TEX_MARK.sub(r"\1", parts[index])).translate(_TEX_BRACES)
    return _SPACE.sub(" ", "$".join(parts)).strip()


def by_items(row: str) -> list[str]:
    """Cells of a row that is an item of a list, each an item of the list in it."""
    found = _ITEM.match(row)
    if found is None:
        return [_SPACE.sub(" ", row).strip()]
    column, sign = found.start(1), found[1]
    cells: list[list[str]] = []
    for line in (" " * column + row[column:]).splitlines():
        before, mark, after = line[:column], line[column : column + 1], line[column + 1 :]
        if mark == sign and before.isspace() and after[:1] in (" ", "\t", ""):
            cells.append([after])
        else:
            cells[-1].append(line)
    return [" ".join(" ".join(lines).split()) for lines in cells]


def by_border(border: str) -> Split:
    """Cells under a drawn border, `=== ===` or `+---+---+`; lines of a row that are under each other join."""
    if "+" in border:
        edges = [found.start() for found in _COLUMNS.finditer(border) if found[0] == "+"]
        spans = [(low + 1, high) for low, high in pairwise(edges)]
    else:
        starts = [found.start() for found in _COLUMNS.finditer(border)]
        spans = list(pairwise([*starts, 10**9]))

    def split(row: str) -> list[str]:
        lines = row.splitlines()
        cells = [" ".join(" ".join(line[low:high].split()) for line in lines).strip() for low, high in spans]
        return [_SPACE.sub(" ", cell.strip("|")).strip() for cell in cells]

    return split
