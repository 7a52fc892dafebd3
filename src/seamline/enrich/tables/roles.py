"""What the columns of a table are for: whom a row is about, when, and how much."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from seamline.tables.amounts import amount, decimal_sign
from seamline.tables.kinds import sample
from seamline.tables.read import Column, Table

_SUBJECTS = re.compile(
    r"(?:company|customer|client|product|item|name|title|country|city|state|employee|person|team|brand|model|vendor|"
    r"supplier|entity|organi[sz]ation|account|service|endpoint|setting|option|parameter|field|event|method|metric)"
    r"(?:[ _]name)?",
    re.IGNORECASE,
)
_PERIODS = {"day": 0, "date": 0, "week": 1, "month": 2, "quarter": 3, "half": 3, "season": 3, "period": 4, "year": 5}
_PERIOD = re.compile(rf"(?:fiscal|financial|calendar|reporting)?[ _]?({'|'.join(_PERIODS)})", re.IGNORECASE)
_QUARTER = re.compile(r"(?:Q[1-4]|H[12])(?:[ /'-]?\d{2,4})?|\d{4}[ -]?(?:Q[1-4]|H[12])")
_KEY = re.compile(r"(?:.*[ _])?(?:id|no|nr|number|code|key|index|sku|zip|phone)\.?", re.IGNORECASE)
_SHORT = 60
"""Characters of a name; longer cells are descriptions."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Roles:
    """Numbers of columns, from 0."""

    subject: int | None
    """Whom or what a row is about."""
    named: bool
    """Whether the subject's cells are names; else they are keys, said as `attempt 3`."""
    periods: tuple[int, ...]
    """When: finest first, so that the quarter stands before the year."""
    measures: tuple[int, ...]
    """How much."""
    others: tuple[int, ...]


def roles(table: Table) -> Roles:
    """The roles of the columns, by their names, their types and a sample of their cells."""
    seen = [table.cells(row) for row in sample(table.body, 200)]
    cells = [[row[i] for row in seen if row[i]] for i in range(len(table.columns))]
    periods = _periods(table.columns, cells)
    numbers = {i for i, values in enumerate(cells) if i not in periods and _is_measure(table, i, values)}
    subject, named = _subject(table.columns, cells, {*periods}, numbers), True
    if subject is None and len(table.columns) > 1 and 0 not in periods and _is_key(cells[0], len(seen)):
        subject, named = 0, False
    measures = tuple(i for i in sorted(numbers) if i != subject and not _KEY.fullmatch(table.columns[i].name))
    rest = (i for i in range(len(cells)) if i != subject and i not in periods and i not in measures)
    return Roles(subject, named, periods, measures, tuple(rest))


def _periods(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Columns of a calendar, at most one of each length."""
    found: dict[int, int] = {}
    for number, column in enumerate(columns):
        match = _PERIOD.fullmatch(spoken(column.name))
        length = _PERIODS[match[1].lower()] if match else None
        if length is None and cells[number] and all(_QUARTER.fullmatch(value) for value in cells[number]):
            length = 3
        if length is not None and all(len(value) <= 20 for value in cells[number]):
            found.setdefault(length, number)
    return tuple(found[length] for length in sorted(found))


def _is_measure(table: Table, number: int, values: Sequence[str]) -> bool:
    sign = decimal_sign(values) or table.decimal_sign
    return bool(values) and all(amount(value, sign) is not None for value in values)


def _subject(
    columns: Sequence[Column], cells: Sequence[Sequence[str]], periods: set[int], numbers: set[int]
) -> int | None:
    """The column of names: one that is called so, else the first, but for periods before it."""
    free = [i for i in range(len(columns)) if i not in periods and i not in numbers and columns[i].type == "text"]
    short = [i for i in free if cells[i] and max(map(len, cells[i])) <= _SHORT]
    called = [i for i in short if _SUBJECTS.fullmatch(spoken(columns[i].name))]
    first = next((i for i in range(len(columns)) if i not in periods), None)
    return called[0] if called else first if first in short else None


def _is_key(values: Sequence[str], rows: int) -> bool:
    """Whether every row has a number of its own, as attempts and versions do."""
    return len(set(values)) == len(values) == rows and all(re.fullmatch(r"\d{1,9}", value) for value in values)


def is_scale(name: str) -> bool:
    """Whether the numbers of a column called so can be averaged: not years, not keys."""
    return not _PERIOD.fullmatch(spoken(name)) and not _KEY.fullmatch(name)


def spoken(name: str) -> str:
    """The name of a column as it stands in a sentence: `unit_price` and `UnitPrice` are `unit price`."""
    words = _CAMEL.sub(" ", name.replace("_", " ").strip()).split()
    return " ".join(word.lower() if word.istitle() else word for word in words)
