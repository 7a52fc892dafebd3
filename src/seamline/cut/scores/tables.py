"""Tabular: rows of one key stay together, and a chunk has no more rows than asked for.

Row groups are sized by the budget and headed by the engine's own rule for tables; here it only hears where keys change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from seamline.cut.scores import Signal
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.text.lines import line_start
from seamline.text.tables import Table, tables, tables_with_column
from seamline.types import Document

WEIGHT = 0.9
"""Of a change of key against structure: a cut there costs a tenth of one between two rows of a key."""
_ROWS_PER_KEY = 2
"""Rows that keys have on average where each gets chunks of its own; below, chunks of one row would be the rule."""


def rows(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """A cut is best where the key changes, and forced there where all rows of each key stand together; it is forced
    after every so many rows where the recipe names a number."""
    settings = recipe.tabular
    if not settings.key and not settings.group:
        return Signal()
    found = tables(document)
    by_key = tables_with_column(found, settings.key, "$.tabular.key") if settings.key else []
    changes = {table.span: _changes(table, key) for table, key in by_key}
    score: dict[int, float] = {}
    forced: set[int] = set()
    for table in found:
        starts = _starts(table)
        at, grouped = changes.get(table.span, ([], False))
        if grouped:
            forced.update(starts[row] for row in at)
        else:
            score.update((starts[row], 1.0) for row in at)
        if settings.group:
            forced.update(starts[row] for row in _counted(len(starts), settings.group, at if grouped else ()))
    return Signal(score, frozenset(forced), WEIGHT, firm=bool(settings.group))


def _starts(table: Table) -> list[int]:
    """Where the text of each row starts, as the engine cuts it: Markdown by whole lines."""
    if table.is_markdown:
        text, first = table.document.text, table.block.start
        return [line_start(text, row.start, first) for row in table.body]
    return [row.start for row in table.body]


def _changes(table: Table, key: int) -> tuple[list[int], bool]:
    """Numbers of the rows whose key is not that of the row before, and whether the rows of each key stand together."""
    values = table.values(key)
    at = [number for number in range(1, len(values)) if values[number] != values[number - 1]]
    runs = len(at) + 1
    return at, runs == len(set(values)) and runs * _ROWS_PER_KEY <= len(values)


def _counted(total: int, most: int, begins: Sequence[int]) -> Iterator[int]:
    """Every so many rows, counted from each of the rows that begin a chunk."""
    edges = [0, *begins, total]
    for low, high in pairwise(edges):
        yield from range(low + most, high, most)
