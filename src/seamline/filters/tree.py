"""Filters as a typed tree. `seamline.filters.language` reads one from text; every store translates it for itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from seamline.text.globs import Glob, glob_parts

if TYPE_CHECKING:
    from typing import Any as Anything

    from seamline.records import Entry

FieldType = Literal["text", "number", "time", "flag", "list"]

FIELDS: Mapping[str, FieldType] = MappingProxyType(
    {
        "doc": "text",
        "id": "text",
        "parent": "text",
        "title": "text",
        "kind": "text",
        "language": "text",
        "media_type": "text",
        "page": "number",
        "path": "list",
        "level": "number",
        "tokens": "number",
        "authority": "number",
        "coherence": "number",
        "created_at": "time",
        "updated_at": "time",
        "source_version": "text",
        "confidence": "number",
        "needs_review": "flag",
        "modality": "text",
        "strategy": "text",
        "density": "number",
        "self_containedness": "number",
        "boundary": "number",
        "distinct": "number",
        "entities": "list",
        "entity_types": "list",
        "symbol": "text",
        "symbols": "list",
        "complexity": "number",
        "signature": "text",
        "docstring": "text",
        "calls": "list",
        "links": "list",
        "link_kinds": "list",
        "images": "list",
        "summary": "text",
        "recipe": "text",
        "position": "number",
        "relative_position": "number",
        "total_chunks": "number",
    }
)
"""What can be filtered by, beside `meta.NAME` for a field of the front matter, which may hold any type."""

ENRICHED: Mapping[str, str] = MappingProxyType(
    {
        "coherence": "coherence",
        "distinct": "coherence",
        "modality": "modality",
        "strategy": "recipe",
        "density": "density",
        "self_containedness": "self-contained",
        "boundary": "boundary",
        "entities": "entities",
        "entity_types": "entities",
        "symbol": "code",
        "symbols": "code",
        "complexity": "code",
        "signature": "code",
        "docstring": "code",
        "calls": "code",
        "links": "links",
        "link_kinds": "links",
        "images": "images",
        "summary": "summary",
        "recipe": "recipe",
        "position": "position",
        "relative_position": "position",
        "total_chunks": "position",
    }
)
"""Fields that only an index with enrichment keeps, and the fact to name: `--enrich NAME`."""

_IN_FRONT_MATTER = ("media_type", "page", "source_version", "confidence", "needs_review", *ENRICHED)
DERIVED_FIELDS: Mapping[str, str] = MappingProxyType(
    {name: f":{name}" for name in _IN_FRONT_MATTER if name != "coherence"}
)
"""Fields that an entry keeps among its front matter, under names that none of its own can have: a store keeps, indexes
and finds them as it does any other, and an index made before there were such fields needs no other layout."""

FRESHNESS = "freshness"
"""A field that no entry keeps: how much of 1 is left at the time of the question. `seamline.filters.meaning` says what
it means of fields that are kept."""

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "has", "starts", "ends", "contains", "glob", "exists"]
Value = str | float | bool | datetime | tuple[str | float | bool | datetime, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison. It is false where the entry lacks the field, or holds another type than the value's."""

    __test__ = False  # not a class of tests, whatever pytest thinks of the name

    field: str
    """A key of FIELDS, or `meta.NAME` with any NAME."""
    operator: Operator
    """`in`: equal to one of several. `has`: a list that holds the value. `starts`, `ends`, `contains`: a text with the
    value at its start, at its end, anywhere. `glob`: a text that is as `seamline.text.globs.glob_parts` says. `exists`:
    the field is there; the value is True."""
    value: Value


@dataclass(frozen=True, slots=True)
class Not:
    """True where the inner filter is false."""

    inner: Filter


@dataclass(frozen=True, slots=True)
class All:
    """True where every inner filter is; so where there is none."""

    inner: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """True where at least one inner filter is."""

    inner: tuple[Filter, ...]


Filter = Test | Not | All | Any

META = "meta."
"""What the name of a field of the front matter starts with in a filter."""
TEXT_OPERATORS = frozenset({"starts", "ends", "contains", "glob"})
"""Operators that look into a text."""
ORDERED: frozenset[FieldType] = frozenset({"text", "number", "time"})
"""Types that `<`, `<=`, `>` and `>=` compare; the others are only equal or not."""

_COMPARE: Mapping[str, Callable[[Anything, Anything], bool]] = MappingProxyType(
    {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
)


def matches(filter: Filter, entry: Entry) -> bool:
    """Whether a filter lets an entry through. What this says is right, and every store says the same.

    A Test is false where the field is missing or of another type than the value, whatever the operator; `Not` turns
    that around. Texts compare by code points, times as moments, and NaN is as good as missing.
    """
    match filter:
        case Test():
            return _holds(filter, entry)
        case Not(inner):
            return not matches(inner, entry)
        case All(parts):
            return all(matches(part, entry) for part in parts)
        case Any(parts):
            return any(matches(part, entry) for part in parts)


def type_of(value: object) -> FieldType | None:
    """The type that a value has in a filter; None for what no field holds, such as NaN."""
    match value:
        case bool():
            return "flag"
        case int():
            return "number" if fits_float(value) else None
        case float():
            return "number" if value == value else None
        case str():
            return "text"
        case datetime():
            return "time"
        case tuple():
            return "list"
    return None


def fits_float(value: int) -> bool:
    """Whether a number can be a float, which is what every store keeps and compares."""
    return abs(value) <= sys.float_info.max


def type_of_field(name: str) -> FieldType | None:
    """The type a field always has; None for a field of the front matter, which may hold any, and for no field."""
    return FIELDS.get(name)


def can_hold(test: Test) -> bool:
    """Whether a test can be true of any entry. One that never is needs no place in a query: it is false."""
    known = FIELDS.get(test.field)
    if known is None and not test.field.startswith(META):
        return False
    if test.operator == "exists":
        return True
    values = test.value if test.operator == "in" and isinstance(test.value, tuple) else (test.value,)
    return any(_fits(test.operator, known, type_of(value)) for value in values)


def _fits(operator: Operator, known: FieldType | None, given: FieldType | None) -> bool:
    """Whether an operator can hold between a field of a type (None: any) and a value of a type."""
    if given is None or given == "list":
        return False
    if operator == "has":
        return given == "text" and known in (None, "list")
    if operator in TEXT_OPERATORS:
        return given == "text" and known in (None, "text")
    return known in (None, given) and (operator in ("=", "!=", "in") or given in ORDERED)


def _holds(test: Test, entry: Entry) -> bool:
    return can_hold(test) and matches_value(test, value_of(test.field, entry))


def matches_value(test: Test, have: object) -> bool:
    """Whether a test holds of a field that has this value."""
    kind = type_of(have)
    if kind is None:
        return False
    match test.operator:
        case "exists":
            return True
        case "in":
            values = test.value if isinstance(test.value, tuple) else (test.value,)
            return any(type_of(value) == kind and have == _comparable(value) for value in values)
        case "has":
            return isinstance(have, tuple) and test.value in have
        case "starts" | "ends" | "contains" | "glob":
            return isinstance(have, str) and _is_like(have, test.operator, str(test.value))
    return type_of(test.value) == kind and _COMPARE[test.operator](have, _comparable(test.value))


def _is_like(have: str, operator: Operator, value: str) -> bool:
    match operator:
        case "starts":
            return have.startswith(value)
        case "ends":
            return have.endswith(value)
        case "contains":
            return value in have
    return glob_of(value).matches(have)


@lru_cache(maxsize=64)
def glob_of(pattern: str) -> Glob:
    """The glob of a filter, ready to be asked."""
    return Glob(glob_parts(pattern))


def stored_test(test: Test) -> Test:
    """The test as a store asks it: a derived field by the name that it is kept under. Stores ask `can_hold` first, of
    the test as it was written."""
    kept = DERIVED_FIELDS.get(test.field)
    return test if kept is None else Test(META + kept, test.operator, test.value)


def value_of(name: str, entry: Entry) -> object:
    """What an entry has in a field, numbers as floats; None where it has nothing."""
    if name in DERIVED_FIELDS:
        return _comparable(entry.meta.get(DERIVED_FIELDS[name]))
    if name.startswith(META):
        return _comparable(entry.meta.get(name[len(META) :]))
    return _comparable(getattr(entry, name)) if name in FIELDS else None


def _comparable(value: object) -> object:
    """The value as stores keep it: a number as a float, a time without an offset in UTC."""
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    if isinstance(value, int) and not isinstance(value, bool) and fits_float(value):
        return float(value)
    return value
