"""Filters as programs write them: mappings from fields to what they hold, beside texts and trees.

    {"doc": "guide.md"}                        equal
    {"kind": ["table", "code"]}                one of several
    {"tokens": {">": 10, "<=": 200}}           operators, all of which hold
    {"path": "Security"}                       a list that has it
    {"meta": {"team": "docs"}, "title": None}  a field of the front matter (also `meta.team`); a field that is not there

All keys must hold. `All`, `Any`, `Not` and `Test` of `seamline.filters.tree` say everything else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any as Anything
from typing import cast, get_args

from seamline.errors import ConfigError
from seamline.filters.check import check_filter
from seamline.filters.language import parse_filter
from seamline.filters.tree import FIELDS, META, All, Any, Filter, Not, Operator, Test, Value

FilterLike = str | Filter | Mapping[str, Anything] | None
"""What `where` takes; an empty one lets everything through."""

_OPERATORS: tuple[str, ...] = get_args(Operator)


def filter_of(where: FilterLike) -> Filter | None:
    """The filter that is meant; None where there is none. A ConfigError says what cannot work."""
    if where is None or isinstance(where, str):
        return parse_filter(where) if where and where.strip() else None
    if isinstance(where, Mapping):
        parts = tuple(part for name, value in where.items() for part in _field_filters(str(name), value))
        if not parts:
            return None
        where = parts[0] if len(parts) == 1 else All(parts)
    if not isinstance(where, Filter):
        raise ConfigError(f"expected a filter as text, as a mapping or as a tree, got {type(where).__name__}")
    check_filter(where)
    return where


def _field_filters(name: str, value: object) -> Iterator[Filter]:
    if name == META.rstrip(".") and isinstance(value, Mapping):
        for inner, held in value.items():
            yield from _field_filters(f"{META}{inner}", held)
    elif isinstance(value, Mapping):
        for operator, operand in value.items():
            yield _operator_filter(name, str(operator), operand)
    elif value is None:
        yield Not(Test(name, "exists", True))
    elif isinstance(value, Collection) and not isinstance(value, str):
        yield _one_of(name, value)
    else:
        yield Test(name, "has" if FIELDS.get(name) == "list" else "=", _value(value))


def _one_of(name: str, values: Collection[object]) -> Filter:
    """Any of several: of a list, whether it has one of them."""
    if FIELDS.get(name) == "list":
        return Any(tuple(Test(name, "has", _value(value)) for value in values))
    return Test(name, "in", tuple(_value(value) for value in values))


def _operator_filter(name: str, operator: str, operand: object) -> Filter:
    if operator in ("not in", "not_in") and isinstance(operand, Collection):
        return Not(_one_of(name, operand))
    operator = "=" if operator == "==" else operator
    if operator not in _OPERATORS:
        raise ConfigError(f"unknown operator {operator!r} for {name}: expected one of {' '.join(_OPERATORS)}, not in")
    if operator == "in" and isinstance(operand, Collection) and not isinstance(operand, str):
        return _one_of(name, operand)
    if operator == "exists":
        found = Test(name, "exists", True)
        return found if operand else Not(found)
    return Test(name, cast("Operator", operator), _value(operand))


def _value(value: object) -> Anything:
    """A value as filters have it: times in UTC, a date as its midnight."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return cast("Value", value)
