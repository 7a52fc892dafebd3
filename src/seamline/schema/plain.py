"""Named tuples and frozen dataclasses as plain JSON values, and back: an object with a key for each field that has
not its default. What does not fit is refused with its path, as in `$.blocks[3].kind`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints, is_typeddict

from seamline.errors import ConfigError

Value = TypeVar("Value")

_PLAIN = (str, int, float, bool, NoneType)


class FieldRule(NamedTuple):
    """How a field of a value, or a key of a record, is read."""

    name: str
    kind: Any
    is_required: bool
    default: Any = None


def to_plain(value: object) -> Any:
    """A value as JSON has it."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): to_plain(inner) for key, inner in value.items()}
    kind: Any = type(value)
    if is_record(kind):
        if is_pair(kind):
            return list(cast("tuple[int, int]", value))
        found = ((rule, getattr(value, rule.name)) for rule in rules_of(kind))
        return {rule.name: to_plain(inner) for rule, inner in found if rule.is_required or inner != rule.default}
    if isinstance(value, Sequence):
        return [to_plain(inner) for inner in value]
    raise TypeError(f"expected a value that JSON can hold, got {type(value).__name__}")


def from_plain(kind: type[Value], plain: object, at: str = "$") -> Value:
    """The value of a kind that `to_plain` made this of; of a TypedDict, the record itself with its known keys. A
    ConfigError says what does not fit."""
    return cast("Value", _read(kind, plain, at))


def _read(kind: Any, plain: Any, at: str) -> Any:
    if kind is Any or kind is object:
        return plain
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _read_union(get_args(kind), plain, at)
    if origin is Literal:
        if plain not in get_args(kind):
            raise _mismatch(f"one of {', '.join(map(repr, get_args(kind)))}", plain, at)
        return plain
    if origin is not None:
        return _read_many(origin, get_args(kind), plain, at)
    if kind is datetime:
        return _read_time(plain, at)
    if kind is float and isinstance(plain, int) and not isinstance(plain, bool):
        return plain
    if kind in _PLAIN:
        if not isinstance(plain, kind) or (isinstance(plain, bool) and kind is not bool):
            raise _mismatch(_NAMES[kind], plain, at)
        return plain
    if is_pair(kind):
        return kind(*_read_many(tuple, (int, int), plain, at))
    found = _read_object(kind, plain, at)
    return found if is_typeddict(kind) else kind(**found)


def _read_object(kind: Any, plain: Any, at: str) -> dict[str, Any]:
    if not isinstance(plain, Mapping):
        raise _mismatch("an object", plain, at)
    found = {}
    for rule in rules_of(kind):
        if rule.name in plain:
            found[rule.name] = _read(rule.kind, plain[rule.name], f"{at}.{rule.name}")
        elif rule.is_required:
            raise ConfigError(f"expected the key {rule.name!r}, got {', '.join(plain) or 'none'}", at)
    return found


def _read_union(kinds: tuple[Any, ...], plain: Any, at: str) -> Any:
    if plain is None and NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not NoneType]
    for kind in rest[:-1]:
        try:
            return _read(kind, plain, at)
        except ConfigError:
            continue
    return _read(rest[-1], plain, at)


def _read_many(origin: Any, inner: tuple[Any, ...], plain: Any, at: str) -> Any:
    if issubclass(origin, Mapping):
        if not isinstance(plain, Mapping):
            raise _mismatch("an object", plain, at)
        return {key: _read(inner[1], value, f"{at}.{key}") for key, value in plain.items()}
    if not isinstance(plain, Sequence) or isinstance(plain, str):
        raise _mismatch("an array", plain, at)
    if origin is tuple and inner[-1] is not Ellipsis:
        if len(plain) != len(inner):
            raise _mismatch(f"an array of {len(inner)}", plain, at)
        return tuple(_read(kind, one, f"{at}[{n}]") for n, (kind, one) in enumerate(zip(inner, plain, strict=True)))
    items = (_read(inner[0], one, f"{at}[{n}]") for n, one in enumerate(plain))
    return tuple(items) if origin is tuple else list(items)


def _read_time(plain: Any, at: str) -> datetime:
    try:
        return datetime.fromisoformat(plain)
    except (TypeError, ValueError):
        raise _mismatch("a time in ISO 8601", plain, at) from None


_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "true or false", NoneType: "null"}


def _mismatch(expected: str, got: object, at: str) -> ConfigError:
    shown = repr(got)
    return ConfigError(f"expected {expected}, got {shown if len(shown) <= 60 else shown[:60] + '…'}", at)


def is_record(kind: Any) -> bool:
    """Whether a class is a named tuple or a dataclass."""
    return is_dataclass(kind) or hasattr(kind, "_fields")


def is_pair(kind: Any) -> bool:
    """Whether a class is a span: two numbers, written as an array."""
    return getattr(kind, "_fields", ()) == ("start", "end")


@lru_cache(maxsize=64)
def rules_of(kind: Any) -> tuple[FieldRule, ...]:
    """The fields of a named tuple or dataclass, or the keys of a TypedDict."""
    if is_typeddict(kind):
        required = kind.__required_keys__
        return tuple(FieldRule(name, hint, name in required) for name, hint in get_type_hints(kind).items())
    hints = get_type_hints(kind)
    if is_dataclass(kind):
        return tuple(
            FieldRule(f.name, hints[f.name], f.default is MISSING and f.default_factory is MISSING, _default(f))
            for f in fields(kind)
        )
    defaults = kind._field_defaults
    return tuple(FieldRule(name, hints[name], name not in defaults, defaults.get(name)) for name in kind._fields)


def _default(field: Any) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default
