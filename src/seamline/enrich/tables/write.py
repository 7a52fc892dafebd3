"""How rows are written for search: as a Markdown table, as sentences, as JSON, as keys and values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from seamline.enrich.tables.sentences import Write, sentences, templated
from seamline.recipe import Recipe
from seamline.tables.read import Row, Table

_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})\.\d{1,15}")


class Writer(NamedTuple):
    """Writes rows of one table."""

    head: str
    """What stands above rows; empty for none."""
    write: Write


def writer(table: Table, recipe: Recipe) -> Writer:
    """What writes the rows of a table the way the recipe says."""
    settings = recipe.tabular
    if settings.rows == "sentence":
        own = templated(table, settings.template) if settings.template else None
        return Writer("", own or sentences(table))
    names = [column.name for column in table.columns]
    if settings.rows == "json":
        types = {column.name: column.type for column in table.columns}
        return Writer("", lambda row: _record(row, names, types) if _has(row) else "")
    if settings.rows == "key-value":
        return Writer("", lambda row: "; ".join(f"{name}: {_line(cell)}" for name, cell in _said(row, names)))
    head = f"{_barred(names)}\n|{' --- |' * len(names)}"
    return Writer(head, lambda row: _barred([*row.cells, *(cell for _, cell in row.more)]) if _has(row) else "")


def _record(row: Row, names: list[str], types: Mapping[str, str]) -> str:
    """A row as JSON; plain numbers and truth values of a column of such are written as those."""
    return json.dumps({name: _value(cell, types.get(name, "")) for name, cell in _said(row, names)}, ensure_ascii=False)


def _value(cell: str, kind: str) -> str | int | float | bool:
    if kind == "integer" and _INTEGER.fullmatch(cell):
        return int(cell)
    if kind in ("integer", "number") and _NUMBER.fullmatch(cell):
        return float(cell)
    return cell.lower() == "true" if kind == "boolean" and cell.lower() in ("true", "false") else cell


def _has(row: Row) -> bool:
    return any(row.cells) or bool(row.more)


def _said(row: Row, names: list[str]) -> Iterator[tuple[str, str]]:
    """Names and cells of what a row says."""
    yield from ((name, cell) for name, cell in zip(names, row.cells, strict=True) if cell)
    yield from row.more


def _barred(cells: list[str]) -> str:
    return "| " + " | ".join(_line(cell).replace("|", "\\|") for cell in cells) + " |"


def _line(cell: str) -> str:
    return " ".join(cell.split())
