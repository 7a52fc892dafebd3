"""What the cells of a row say, however its format parts them: bars, separators, JSON, LaTeX, drawn borders.

A splitter takes the text of one row. It never fails: a row that it cannot part is one cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

Split = Callable[[str], list[str]]

_BAR = re.compile(r"(?<!\\)\|")
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


def by_bars(row: str) -> list[str]:
    """Cells between bars, as Markdown writes them; a bar after a backslash is text."""
    row = row.strip().lstrip("> \t")
    cells = row.split("|") if "\\" not in row else _BAR.split(row)
    if cells and not cells[0].strip():
        del cells[0]
    if cells and not cells[-1].strip():
        del cells[-1]
    return [cell.strip().replace("\\|", "|") for cell in cells]


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
        if row.startswith('"') and not isinstance(value := _decoded(row), str):
            key, value = value
        elif not row.startswith('"'):
            value = json.loads(row.rstrip(","))
    except (ValueError, RecursionError):
        return None
    fields = _fields(value)
    return fields if key is None else {"key": key, **fields}


def _decoded(row: str) -> Any:
    """A string, or the name and the value of a member."""
    name, end = json.JSONDecoder(strict=False).raw_decode(row)
    rest = row[end:].lstrip()
    return (name, json.loads(rest[1:].rstrip().rstrip(","))) if rest.startswith(":") else name


def _fields(value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        return {name: _written(one) for name, one in value.items()}
    if isinstance(value, list):
        return {f"column {number}": _written(one) for number, one in enumerate(value, 1)}
    return {"value": _written(value)}


def _written(value: Any) -> str:
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
