"""What the columns of a table hold: integers, numbers, dates, booleans or text, judged by a sample of their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

SAMPLE = 1000
"""Rows that are looked at to tell the types of columns."""
MOST = 1000
"""Columns that are described; a table may have fifty thousand."""

_LONGEST = 40
"""No number or date is longer; what is needs no look."""
_NOTHING = frozenset(("", "-", "na", "n/a", "nan", "nil", "none", "null", "#n/a", "?"))
_BOOLEAN = frozenset(("true", "false", "yes", "no"))
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d*)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)? ?%?|[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d+,\d+|\d{1,3}(?:\.\d{3})+(?:,\d+)?) ?%?")
_DATE = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?Z| ?[+-]\d\d:?\d\d)?)?"
    r"|\d{4}/\d\d?/\d\d?|\d\d?([./])\d\d?\1\d{4}|\d\d?/\d\d?/\d\d"
)
_ZEROED = re.compile(r"[+-]?0\d+")


def type_of(value: str) -> str:
    """The type of one value; empty where it says nothing."""
    value = value.strip()
    if len(value) > _LONGEST:
        return "text"
    lower = value.lower()
    if lower in _NOTHING:
        return ""
    if _INTEGER.fullmatch(value):
        return "integer"
    if _ZEROED.fullmatch(value):
        return "text"  # 01234 is a code, and would lose its zero as a number
    if _NUMBER.fullmatch(value) or _COMMA_NUMBER.fullmatch(value):
        return "number"
    if _DATE.fullmatch(value):
        return "date"
    return "boolean" if lower in _BOOLEAN else "text"


def common(types: Iterable[str]) -> str:
    """The one type that holds all values of a column; text where there is no other."""
    found = set(types) - {"", "null"}
    if found == {"integer", "number"}:
        return "number"
    return found.pop() if len(found) == 1 else "text"


def described(names: Sequence[str], types: Sequence[str]) -> list[dict[str, Any]]:
    """Columns as a table's attributes name them; one without a name goes by its number."""
    return [
        {"name": name or f"column {number}", "type": kind}
        for number, (name, kind) in enumerate(zip(names, types, strict=True), 1)
    ]


_Row = TypeVar("_Row")


def sample(rows: Sequence[_Row], most: int = SAMPLE) -> list[_Row]:
    """Rows from all over a table, at even distances, so that its end has a say too."""
    step = max(1, -(-len(rows) // most))
    return list(rows[::step])
