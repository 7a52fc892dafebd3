"""Filters as LanceDB reads them: SQL conditions with values quoted in one place, and labels for what has no column.

Every comparison is true or false, never null: `not` needs no special case then. Headings and front matter are lists of
labels of an entry, each a type, a name and a value in hexadecimal digits, so that any name and value can be asked for:
`t7465616d=696e667261` is the text `infra` in the field `team`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from math import ceil, floor, isinf
from typing import Literal

from seamline.errors import StoreError
from seamline.filters.tree import (
    META,
    All,
    Any,
    FieldType,
    Filter,
    Not,
    Operator,
    Test,
    Value,
    can_hold,
    stored_test,
    type_of,
    type_of_field,
)
from seamline.records import Entry, Levels
from seamline.store import codec
from seamline.store.lance.engine import FALSE, TRUE
from seamline.text.globs import GlobPart, RegexUnits, escape_regex, text_parts, to_regex

_DEEPEST = 40
"""The engine's parser gives up at 50 brackets inside each other."""
_TOP = "\U0010ffff"
_ODD = re.compile("[\ud800-\udfff\ue000]")
_MARK = "\ue000"
_CODED = re.compile(f"{_MARK}(.)", re.DOTALL)
_LETTERS: dict[FieldType, str] = {"text": "t", "number": "n", "time": "d", "flag": "b", "list": "l"}
_WHOLE_FIELDS = {"level": 1 << 31, "tokens": 1 << 62}
"""Columns of integers, and what is beyond all that they hold."""
_NULLABLE = ("authority", "coherence", "created_at")


def coded(text: str) -> str:
    """A text without surrogates, which Arrow cannot hold: each is two other characters. Texts sort as they did, and
    what a text starts with, its coded form starts with."""
    if not _ODD.search(text):
        return text
    return _ODD.sub(lambda found: _MARK + (_TOP if found[0] == _MARK else chr(ord(found[0]) - 0xD7FF)), text)


def decoded(text: str) -> str:
    """The reverse of `coded`."""
    if _MARK not in text:
        return text
    return _CODED.sub(lambda found: _MARK if found[1] == _TOP else chr(ord(found[1]) + 0xD7FF), text)


def labels(entry: Entry) -> list[str]:
    """What of an entry is found by its labels: its headings, and its front matter by name, type and value."""
    found = {f"p={_hex(heading)}" for heading in entry.path}
    for name, value in entry.meta.items():
        if (kind := type_of(value)) is None:
            continue
        named = f"{_LETTERS[kind]}{_hex(name)}"
        values = value if isinstance(value, tuple) else (value,)
        found |= {f"e{_hex(name)}", named, *(f"{named}={_label_value(item)}" for item in values)}
    return sorted(found)


def quoted(text: str) -> str:
    """A coded text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def either(name: str, values: Collection[str]) -> str:
    """The condition that a column of texts holds one of these, which are coded."""
    return f"{name} IN ({', '.join(map(quoted, values))})" if values else FALSE


def condition(where: Filter | None, levels: Levels) -> str:
    """A filter and levels as one SQL condition; TRUE and FALSE where nothing is left to ask."""
    parts = [] if levels is None else [_level(levels)]
    if where is not None:
        parts.append(_sql(where, True, 0))
    return _joined(parts, "AND")


def _level(levels: Collection[int]) -> str:
    wanted = sorted({level for level in levels if 0 <= level < 1 << 31})
    return f"level IN ({', '.join(map(str, wanted))})" if wanted else FALSE


def _sql(where: Filter, wanted: bool, depth: int) -> str:
    """The condition that a filter is true, or that it is false. Negations are moved down to the comparisons."""
    if depth > _DEEPEST:
        raise StoreError(f"the filter is nested more than {_DEEPEST} deep: say the same with fewer brackets")
    match where:
        case Not(inner):
            return _sql(inner, not wanted, depth)
        case All(parts) | Any(parts):
            together: Literal["AND", "OR"] = "AND" if isinstance(where, All) == wanted else "OR"
            return _joined([_sql(part, wanted, depth + 1) for part in _flat(parts, type(where))], together)
        case Test():
            held = _test(stored_test(where)) if can_hold(where) else FALSE
            return held if wanted else {TRUE: FALSE, FALSE: TRUE}.get(held) or f"NOT ({held})"


def _flat(parts: Sequence[Filter], kind: type[All | Any]) -> Iterator[Filter]:
    """The parts, with those of inner filters of the same kind, and without double negations."""
    todo = [*reversed(parts)]
    while todo:
        part = todo.pop()
        while isinstance(part, Not) and isinstance(part.inner, Not):
            part = part.inner.inner
        if isinstance(part, All | Any) and isinstance(part, kind):
            todo.extend(reversed(part.inner))
        else:
            yield part


def _joined(parts: Sequence[str], operator: Literal["AND", "OR"]) -> str:
    """Conditions in a balanced tree of brackets: a hundred of them side by side are as deep as seven."""
    empty, decisive = (TRUE, FALSE) if operator == "AND" else (FALSE, TRUE)
    left = [part for part in parts if part != empty]
    if decisive in left:
        return decisive
    while len(left) > 1:
        pairs = [left[at : at + 2] for at in range(0, len(left), 2)]
        left = [f"({f' {operator} '.join(pair)})" if len(pair) > 1 else pair[0] for pair in pairs]
    return left[0] if left else empty


def _test(test: Test) -> str:
    if test.field.startswith(META):
        return _meta(test, _hex(test.field.removeprefix(META)))
    kind = type_of_field(test.field)
    if test.operator == "exists":
        return f"{test.field} IS NOT NULL" if test.field in _NULLABLE else TRUE
    if kind == "list":
        return f"array_has(labels, 'p={_hex(str(test.value))}')"
    values = [value for value in _values(test) if type_of(value) == kind]
    return _joined([_comparison(test.field, test.operator, value) for value in values], "OR")


def _values(test: Test) -> Sequence[Value]:
    return test.value if isinstance(test.value, tuple) else (test.value,)


def _comparison(name: str, operator: Operator, value: Value) -> str:
    sign = {"!=": "<>", "in": "="}.get(operator, operator)
    match value:
        case str():
            held = _text_test(name, operator, sign, value)
        case datetime():
            held = f"{name} {sign} {codec.microseconds(value)}"
        case int() | float() if name in _WHOLE_FIELDS:
            held = _whole(name, sign, float(value))
        case int() | float():
            held = f"{name} {sign} {_float(float(value))}"
        case _:
            return FALSE
    return f"({name} IS NOT NULL AND {held})" if name in _NULLABLE and held not in (TRUE, FALSE) else held


def _text_test(name: str, operator: Operator, sign: str, value: str) -> str:
    column, text = ("key", f"e{coded(value)}") if name == "id" else (name, coded(value))
    if operator == "starts":
        end = _after(text)
        return f"({column} >= {quoted(text)} AND {column} < {quoted(end)})" if end else f"{column} >= {quoted(text)}"
    if operator in ("ends", "contains", "glob"):
        parts = text_parts(operator, value)
        if column == "key":
            parts = [GlobPart("text", "e"), *parts]
        return f"regexp_like({column}, {quoted(f'(?s){to_regex(parts, _COLUMN)}')})"
    return f"{column} {sign} {quoted(text)}"


_COLUMN = RegexUnits(
    any=f"(?:{_MARK}.|[^{_MARK}])",
    inside=f"(?:{_MARK}.|[^{_MARK}/])",
    slash="/",
    literal=lambda text: escape_regex(coded(text)),
)
"""Characters as `coded` writes them."""
_LABEL = RegexUnits(
    any="(?:[0-7].|[cd].{3}|e.{5}|f.{7})",
    inside="(?:2[0-9a-e]|[013-7].|[cd].{3}|e.{5}|f.{7})",
    slash="2f",
    literal=lambda text: _hex(text),
)
"""Characters as hexadecimal digits of UTF-8."""


def _after(text: str) -> str:
    """The first text after all that start with this one; empty where there is none."""
    text = text.rstrip(_TOP)
    if not text:
        return ""
    last = ord(text[-1]) + 1
    return text[:-1] + chr(0xE000 if 0xD800 <= last <= 0xDFFF else last)


def _whole(column: str, sign: str, value: float) -> str:
    """A column of integers against any number, without a detour through floating point."""
    if abs(value) >= _WHOLE_FIELDS[column]:
        return TRUE if sign == "<>" or sign in (("<", "<=") if value > 0 else (">", ">=")) else FALSE
    if value == floor(value):
        return f"{column} {sign} {int(value)}"
    if sign in ("=", "<>"):
        return TRUE if sign == "<>" else FALSE
    return f"{column} <= {floor(value)}" if sign in ("<", "<=") else f"{column} >= {ceil(value)}"


def _float(value: float) -> str:
    return f"CAST('{value}' AS DOUBLE)" if isinf(value) else repr(value + 0.0)


def _meta(test: Test, name: str) -> str:
    """A comparison of a field of the front matter, by labels; where order counts, of the value in its label."""
    if test.operator == "exists":
        return f"array_has(labels, 'e{name}')"
    if test.operator == "has":
        return f"array_has(labels, 'l{name}={_hex(str(test.value))}')"
    parts = []
    for value in _values(test):
        kind = type_of(value)
        if kind is None or kind == "list":
            continue
        named = f"{_LETTERS[kind]}{name}"
        if test.operator in ("ends", "contains", "glob"):
            asked = to_regex(text_parts(test.operator, str(value)), _LABEL)
            parts.append(f"(array_has(labels, '{named}') AND regexp_like({_label(named)}, '{asked}'))")
        else:
            parts.append(_meta_test(test.operator, named, _label_value(value)))
    return _joined(parts, "OR")


def _meta_test(operator: Operator, named: str, value: str) -> str:
    same = f"array_has(labels, '{named}={value}')"
    if operator in ("=", "in"):
        return same
    if operator == "!=":
        return f"(array_has(labels, '{named}') AND NOT {same})"
    have = _label(named)
    held = f"starts_with({have}, '{value}')" if operator == "starts" else f"{have} {operator} '{value}'"
    return f"(array_has(labels, '{named}') AND {held})"


def _label(named: str) -> str:
    """The value of the only label of a name."""
    return f"split_part(split_part(concat('|', array_to_string(labels, '|'), '|'), '|{named}=', 2), '|', 1)"


def _label_value(value: object) -> str:
    """Hexadecimal digits that sort as the values do."""
    match value:
        case bool():
            return str(int(value))
        case datetime():
            return f"{codec.microseconds(value) + (1 << 63):016x}"
        case int() | float():
            (bits,) = struct.unpack(">Q", struct.pack(">d", float(value) + 0.0))
            return f"{bits ^ ((1 << 64) - 1 if bits >> 63 else 1 << 63):016x}"
    return _hex(str(value))


def _hex(text: str) -> str:
    return codec.text_bytes(text).hex()
