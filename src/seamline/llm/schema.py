"""Whether a value is of the shape that a JSON schema asks for. Only what our own schemas use is known here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from seamline.errors import ConfigError

_KNOWN = {
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "description",
}


def problem(value: Any, schema: Mapping[str, Any]) -> str:
    """The first thing that is wrong, with its path, as in `$.claims[2].text: expected string, got 5`; empty where
    nothing is."""
    return next(_problems(value, schema, "$"), "")


def check_schema(schema: Mapping[str, Any], path: str = "$") -> None:
    """Refuse a schema that says more than is checked here: a rule that is not looked at would be broken unseen."""
    if odd := sorted(set(schema) - _KNOWN):
        raise ConfigError(f"unknown keyword {odd[0]!r} of a schema", path)
    if schema.get("type") not in _TYPES:
        raise ConfigError(f"expected a type of {', '.join(_TYPES)}, got {schema.get('type')!r}", path)
    for name, inner in schema.get("properties", {}).items():
        check_schema(inner, f"{path}.{name}")
    if "items" in schema:
        check_schema(schema["items"], f"{path}[]")


def _problems(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    expected = schema["type"]
    if not _TYPES[expected](value):
        yield f"{path}: expected {expected}, got {_shown(value)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: expected one of {', '.join(map(str, schema['enum']))}, got {_shown(value)}"
    if isinstance(value, str | list):
        yield from _sized(value, schema, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            low, high = schema.get("minimum", ""), schema.get("maximum", "")
            yield f"{path}: expected a number within {low}..{high}, got {value}"
    elif isinstance(value, dict):
        yield from _fields(value, schema, path)
    if isinstance(value, list) and "items" in schema:
        for at, item in enumerate(value):
            yield from _problems(item, schema["items"], f"{path}[{at}]")


def _fields(value: Mapping[str, Any], schema: Mapping[str, Any], path: str) -> Iterator[str]:
    inner = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{path}.{name}: missing"
    for name, part in value.items():
        if name in inner:
            yield from _problems(part, inner[name], f"{path}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{path}: {_shown(name)} is not asked for"


def _sized(value: str | Sequence[Any], schema: Mapping[str, Any], path: str) -> Iterator[str]:
    least, most, what = ("minLength", "maxLength", "characters") if isinstance(value, str) else _ITEMS
    if len(value) < schema.get(least, 0):
        yield f"{path}: expected at least {schema[least]} {what}, got {len(value)}"
    if most in schema and len(value) > schema[most]:
        yield f"{path}: expected at most {schema[most]} {what}, got {len(value)}"


_ITEMS = ("minItems", "maxItems", "items")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: _is_number(value) and float(value).is_integer(),
    "boolean": lambda value: isinstance(value, bool),
}


def _shown(value: Any) -> str:
    """A value for a message: short, and of texts no more than their start."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    plain = repr(value)
    return plain if len(plain) <= 40 else f"{plain[:37]}..."
