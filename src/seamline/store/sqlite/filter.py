"""Filters as SQL over the truth: keys and values are both bound, never written into a statement."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from seamline.errors import StoreError
from seamline.filters.tree import META, All, Filter, Not, Operator, Test, can_hold, type_of, type_of_field
from seamline.filters.tree import Any as Either
from seamline.store import codec
from seamline.store.sqlite.truth import PATH, plain_value

_NULLABLE = ("authority", "coherence", "created_at")
_SIGNS = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "in": "="}
_DEEPEST = 300
"""Levels of brackets; SQLite's own parser takes 1,000."""


class SqliteCondition(NamedTuple):
    """A condition on rows of `entries`, with the values for its question marks."""

    sql: str
    values: tuple[Any, ...] = ()


TRUE, FALSE = SqliteCondition("1"), SqliteCondition("0")


def condition(where: Filter | None, levels: Collection[int] | None) -> SqliteCondition:
    """A filter and levels as one condition. Every comparison is true or false, never null."""
    parts = [] if levels is None else [_level(levels)]
    if where is not None:
        parts.append(_translate(where, 0))
    return _join(parts, "AND")


def _level(levels: Collection[int]) -> SqliteCondition:
    wanted = sorted({level for level in levels if abs(level) < 1 << 62})
    return SqliteCondition(f"level IN ({','.join('?' * len(wanted))})", tuple(wanted)) if wanted else FALSE


def _translate(where: Filter, depth: int) -> SqliteCondition:
    if depth > _DEEPEST:
        raise StoreError(f"the filter is nested more than {_DEEPEST} deep: say the same with fewer brackets")
    match where:
        case Not(inner):
            found = _translate(inner, depth + 1)
            return SqliteCondition(f"NOT ({found.sql})", found.values)
        case All(parts):
            return _join([_translate(part, depth + 1) for part in parts], "AND")
        case Either(parts):
            return _join([_translate(part, depth + 1) for part in parts], "OR")
        case Test():
            return _test(where) if can_hold(where) else FALSE


def _join(parts: Sequence[SqliteCondition], operator: str) -> SqliteCondition:
    """Conditions in a balanced tree of brackets: a thousand of them side by side are as deep as ten."""
    left = [*parts]
    while len(left) > 1:
        pairs = [left[at : at + 2] for at in range(0, len(left), 2)]
        left = [
            SqliteCondition(
                f"({f' {operator} '.join(part.sql for part in pair)})", sum((part.values for part in pair), ())
            )
            if len(pair) > 1
            else pair[0]
            for pair in pairs
        ]
    return left[0] if left else (TRUE if operator == "AND" else FALSE)


def _test(test: Test) -> SqliteCondition:
    if test.field.startswith(META):
        return _term(codec.text_bytes(test.field.removeprefix(META)), test)
    if test.field == "path":
        return _term(PATH, test) if test.operator != "exists" else TRUE
    if test.operator == "exists":
        return SqliteCondition(f"{test.field} IS NOT NULL") if test.field in _NULLABLE else TRUE
    kind = type_of_field(test.field)
    values = [value for value in _values(test) if type_of(value) == kind]
    return _join([_column(test.field, test.operator, plain_value(value)) for value in values], "OR")


def _values(test: Test) -> Sequence[Any]:
    return test.value if isinstance(test.value, tuple) else (test.value,)


def _column(field: str, operator: Operator, value: Any) -> SqliteCondition:
    if field == "doc":
        name = _comparison("name", operator, value)
        return SqliteCondition(f"document IN (SELECT number FROM documents WHERE {name.sql})", name.values)  # noqa: S608
    found = _comparison(field, operator, value)
    return SqliteCondition(f"({field} IS NOT NULL AND {found.sql})", found.values) if field in _NULLABLE else found


def _comparison(column: str, operator: Operator, value: Any) -> SqliteCondition:
    if operator == "starts":
        # No byte of a text is 255, so this is the first value behind all that start with the prefix.
        return SqliteCondition(f"({column} >= ? AND {column} < ?)", (value, value + b"\xff"))
    return SqliteCondition(f"{column} {_SIGNS[operator]} ?", (value,))


def _term(name: bytes, test: Test) -> SqliteCondition:
    """A comparison of a heading or a field of the front matter."""
    if test.operator == "exists":
        return _held("name = ?", (name,))
    if test.operator == "has":
        return _held("name = ? AND type = 'list' AND value = ?", (name, codec.text_bytes(str(test.value))))
    parts = []
    for value in _values(test):
        kind = type_of(value)
        if kind is not None and kind != "list":
            compared = _comparison("value", test.operator, plain_value(value))
            parts.append(_held(f"name = ? AND type = ? AND {compared.sql}", (name, kind, *compared.values)))
    return _join(parts, "OR")


def _held(terms: str, values: tuple[Any, ...]) -> SqliteCondition:
    held = f"SELECT row FROM holders WHERE term IN (SELECT number FROM terms WHERE {terms})"  # noqa: S608 - ours
    return SqliteCondition(f"row IN ({held})", values)
