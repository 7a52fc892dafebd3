"""Which filters make sense: known fields, types that fit, trees of a bearable size."""

from __future__ import annotations

from difflib import get_close_matches

from seamline.errors import ConfigError
from seamline.filters.tree import (
    FIELDS,
    FRESHNESS,
    META,
    ORDERED,
    TEXT_OPERATORS,
    All,
    Any,
    FieldType,
    Filter,
    Not,
    Test,
    type_of,
)
from seamline.text.globs import wildcards

LONGEST = 10_000
"""Characters of a filter."""
MOST_TERMS = 1_000
"""Comparisons of a filter, and values in its lists."""
DEEPEST = 64
"""Parentheses and `not` inside one another."""
ALSO_CALLED = {
    "chunk_id": "id",
    "source_doc_id": "doc",
    "source": "doc",
    "source_doc_title": "title",
    "url": "doc",
    "chunk_type": "kind",
    "type": "kind",
    "token_count": "tokens",
    "section_path": "path",
    "breadcrumb": "path",
    "section_title": "path",
    "section": "path",
    "heading": "path",
    "entity_tags": "entities",
    "date": "created_at",
    "callers": "calls",
    "position_index": "position",
    "self_contained": "self_containedness",
    "density_score": "density",
    "boundary_quality": "boundary",
    "version": "source_version",
}
"""Names that other systems have for fields."""
MOST_WILDCARDS = 64
"""`*`, `**` and `?` of one glob; the regular expressions of databases have limits of their own above that."""

_SPOKEN: dict[FieldType, str] = {
    "text": "a text in quotes",
    "number": "a number",
    "time": "a date or time without quotes",
}


def check_filter(filter: Filter) -> None:
    """Refuse, with a ConfigError, a filter that no text could mean: an unknown field, a type that does not fit, more
    terms or a deeper tree than is allowed."""
    terms, parts, waiting = 0, 0, [(filter, 0)]
    while waiting:
        part, depth = waiting.pop()
        terms += size(part) if isinstance(part, Test) else 0
        parts += 1
        if depth > DEEPEST or terms > MOST_TERMS or parts > LONGEST:
            raise ConfigError(f"expected a filter of at most {MOST_TERMS:,} terms and {DEEPEST} levels")
        match part:
            case Test():
                if wrong := objection(part):
                    raise ConfigError(wrong)
            case Not(inner):
                waiting.append((inner, depth + 1 + (binding(inner) < 2)))
            case All((inner,)) | Any((inner,)):
                waiting.append((inner, depth + 1))
            case All(several):
                waiting.extend((inner, depth + (binding(inner) < 2)) for inner in several)
            case Any(several):
                waiting.extend((inner, depth + (binding(inner) < 1)) for inner in several)


def size(test: Test) -> int:
    """How many terms a test counts for: itself and, of a list, every value."""
    return 1 + len(test.value) if isinstance(test.value, tuple) else 1


def binding(filter: Filter) -> int:
    """How closely a filter holds together in text: 0 for `or`, 1 for `and`, 2 for `not`, 3 for a single term."""
    while isinstance(filter, All | Any) and len(filter.inner) == 1:
        filter = filter.inner[0]
    match filter:
        case Any(parts) if parts:
            return 0
        case All(parts) if parts:
            return 1
        case Not():
            return 2
    return 3


def unknown_field(name: str) -> str:
    """What to say of a field that does not exist."""
    known = [*FIELDS, FRESHNESS]
    near = [ALSO_CALLED[name.lower()]] if name.lower() in ALSO_CALLED else get_close_matches(name.lower(), known, 1)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known)}."
    return f"unknown field {short(name)}: {hint} A field of the front matter is meta.NAME"


def objection(test: Test) -> str:
    """What is wrong with a test by itself; empty where nothing is."""
    known = FIELDS.get(test.field, "number" if test.field == FRESHNESS else None)
    if known is None and not test.field.startswith(META):
        return unknown_field(test.field)
    if test.field == FRESHNESS and test.operator not in ("<", "<=", ">", ">="):
        return f"expected <, <=, > or >= after {FRESHNESS}, which changes all the time, got `{test.operator}`"
    if test.operator == "exists":
        return "" if test.value is True else f"expected no value after exists, got {test.value!r}"
    values = test.value if isinstance(test.value, tuple) else (test.value,)
    if isinstance(test.value, tuple) != (test.operator == "in"):
        return f"expected {'several values' if test.operator == 'in' else 'one value'}, got {short(repr(test.value))}"
    return next((wrong for value in values if (wrong := _mismatch(test, known, value))), "")


def _mismatch(test: Test, known: FieldType | None, value: object) -> str:
    given, field = type_of(value), short(test.field)
    if given is None or given == "list":
        return f"expected a text, a number, a time or true or false, got {short(repr(value))}"
    if test.operator == "has" and known not in (None, "list"):
        return f"expected a list before `has`, but {field} is a {known}: use = or in"
    if test.operator != "has" and known == "list":
        return f"expected `has` after {field}, which is a list, got `{test.operator}`"
    if test.operator in TEXT_OPERATORS and known not in (None, "text"):
        return f"expected a text before `{test.operator}`, but {field} is a {known}"
    want = "text" if test.operator == "has" or test.operator in TEXT_OPERATORS else known
    if want is not None and want != given:
        return f"expected {_SPOKEN[want]} for {field}, got {_value_text(value)}"
    if test.operator in ("<", "<=", ">", ">=") and given not in ORDERED:
        return f"expected a value with an order, got {_value_text(value)}: use = or !="
    if test.operator == "glob" and isinstance(value, str) and wildcards(value) > MOST_WILDCARDS:
        return f"expected a glob of at most {MOST_WILDCARDS} wildcards, got {wildcards(value)}"
    return ""


def short(text: str) -> str:
    """A piece of the filter, fit to be shown."""
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def _value_text(value: object) -> str:
    kind = type_of(value)
    if kind == "flag":
        return str(value).lower()
    if isinstance(value, str):
        return f"the {kind} {short(value)}"
    return f"the {kind} {value:g}" if isinstance(value, float) else f"the {kind} {value}"
