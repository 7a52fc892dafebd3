"""What a table holds as a whole: its columns with types, how many rows, what the columns range over; and all rows of a
key together, wherever in the table they stand."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from math import fsum
from statistics import median

from seamline.enrich.tables.rows import Rewriter, check_template, is_scale, texts
from seamline.errors import ConfigError
from seamline.facts import Derived, Holders
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Recipe
from seamline.text.captions import caption
from seamline.text.headings import heading_text
from seamline.text.tables import Row, Table, tables, tables_with_column
from seamline.text.values import Amount, amount, decimal_sign, written
from seamline.types import Chunk, Column, Document

_TOP = 5
"""Values of a column of categories that are named."""
_LONGEST = 60
"""Characters of a value that is named."""
_TITLE = 200
"""Characters of a caption that are repeated."""
_NOTHING = frozenset(("", "-", "–", "—", "n/a", "na", "null", "nan"))
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?|\d{4}/\d\d/\d\d")


def table_summary(document: Document, chunks: Sequence[Chunk], recipe: Recipe, tokenizer: Tokenizer) -> list[Derived]:
    """One text for each table; several, with some columns each, where it is too long for one."""
    chunks = [chunk for chunk in chunks if chunk.level == 0]
    if not chunks:
        return []
    holders = Holders(chunks)
    out: list[Derived] = []
    titles = _Titles(document)
    for table in tables(document):
        of = holders.of([table.span])
        head, lines = summarised(table, titles.of(table))
        for text, _ in texts(head, lines, recipe.budget.limit, tokenizer.count) if of else ():
            out.append(Derived(document, "table-summary", text, (table.span,), of, tokens=tokenizer.count(text)))
    return out


def summarised(table: Table, title: str) -> tuple[str, list[str]]:
    """A line about the table, and one about each column."""
    rows = [table.cells(row) for row in table.body]
    count = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
    width = "1 column" if len(table.columns) == 1 else f"{len(table.columns)} columns"
    head = f"Table{f' “{title}”' if title else ''}: {count}, {width}."
    lines = [_column(table, column, [row[i] for row in rows]) for i, column in enumerate(table.columns)]
    return head, lines


class _Titles:
    """What tables of a document are about."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._headings = [index for index, block in enumerate(document.blocks) if block.kind == "heading"]

    def of(self, table: Table) -> str:
        """The caption before or after a table, else the heading above it, else the title of the document."""
        text, blocks = self._document.text, self._document.blocks
        after = table.index + len(table.header) + len(table.body) + 1
        for index in (table.index - 1, after):
            if 0 <= index < len(blocks) and blocks[index].kind == "paragraph":
                near = text[blocks[index].start : blocks[index].end]
                if caption(near):
                    return " ".join(near.split())[:_TITLE]
        above = bisect_left(self._headings, table.index)
        return heading_text(text, blocks[self._headings[above - 1]]) if above else self._document.title


def _column(table: Table, column: Column, cells: Sequence[str]) -> str:
    said = [" ".join(cell.split()) for cell in cells if cell.strip().lower() not in _NOTHING]
    sign = decimal_sign(set(said)) or table.decimal_sign
    numbers = {cell: amount(cell, sign) for cell in set(said)}  # categories and years repeat
    amounts = [one for cell in said if (one := numbers[cell]) is not None]
    units = {(one.before, one.after) for one in amounts}
    if len(amounts) == len(said) and len(units) == 1 and column.type != "date":
        kind = "number" if column.type == "text" else column.type
        parts = _numbers(said, amounts, averaged=is_scale(column.name))
    elif said and (column.type == "date" or all(map(_ISO.fullmatch, said))):
        kind, parts = "date", _dates(said)
    else:
        kind = "text" if column.type in ("integer", "number", "date") and said else column.type
        parts = _categories(said)
    if empty := len(cells) - len(said):
        parts.append(f"{empty:,} empty")
    return f"- {column.name} ({kind}): {'; '.join(parts) or 'nothing'}"


def _numbers(said: Sequence[str], amounts: Sequence[Amount], *, averaged: bool) -> list[str]:
    """Range, mean and median, in the unit that all cells share."""
    order = sorted(range(len(amounts)), key=lambda i: amounts[i].value)
    values = [one.value for one in amounts]
    low, high = said[order[0]], said[order[-1]]
    if values[order[0]] == values[order[-1]]:
        return [f"always {low}"]
    parts = [f"{low} to {high}"]
    if not averaged:
        return [*parts, f"{len(set(values)):,} distinct"]
    scales = {one.scale for one in amounts}
    like = amounts[0] if len(scales) == 1 else amounts[0]._replace(scale="")
    places = max(one.places for one in amounts) + 1
    mean = written(fsum(values) / len(values), like, places)
    return [*parts, f"mean {mean}", f"median {written(median(values), like, places)}"]


def _dates(said: Sequence[str]) -> list[str]:
    """Range of dates, where they are written so that they sort; the others are counted."""
    if all(map(_ISO.fullmatch, said)):
        low, high = min(said), max(said)
        return [f"{low} to {high}" if low < high else f"always {low}", f"{len(set(said)):,} distinct"]
    return _categories(said)


def _categories(said: Sequence[str]) -> list[str]:
    counts = Counter(said)
    if not counts:
        return []
    top = counts.most_common(_TOP)
    shown = [value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…" for value, _ in top]
    if len(counts) == len(said):
        listed = ", ".join(shown) + (", …" if len(counts) > _TOP else "")
        return [f"{len(counts):,} distinct, none twice: {listed}"]
    named = ", ".join(f"{value} ({times:,})" for value, (_, times) in zip(shown, top, strict=True))
    return [f"{len(counts):,} distinct; most often {named}"]


def pivot(document: Document, chunks: Sequence[Chunk], recipe: Recipe, tokenizer: Tokenizer) -> list[Derived]:
    """Per value of the column `tabular.key`, one text with its rows, or several where they are too long for one. Rows
    without a key are in none."""
    found = tables(document)
    chunks = [chunk for chunk in chunks if chunk.level == 0]
    if not found or not chunks:
        return []
    if not recipe.tabular.key:
        names = ", ".join(dict.fromkeys(column.name for table in found for column in table.columns))
        raise ConfigError(f"a pivot needs a key: set it to one of {names[:400]}", "$.tabular.key")
    check_template(found, recipe.tabular.template if recipe.tabular.rows == "sentence" else "")
    holders = Holders(chunks)
    out: list[Derived] = []
    for table, number in tables_with_column(found, recipe.tabular.key, "$.tabular.key"):
        again = Rewriter(table, "pivot", holders, recipe, tokenizer)
        groups: dict[str, list[Row]] = {}
        for row in table.rows():
            if key := " ".join(row.cells[number].split()):
                groups.setdefault(key, []).append(row)
        for key, rows in groups.items():
            count = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
            title = f"{table.columns[number].name}: {key} ({count})"
            out += again.texts(rows, title)
    return out
