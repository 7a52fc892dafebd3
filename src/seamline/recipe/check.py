"""What a value of a configuration must be; what it is not is said with its place."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping

from seamline.errors import ConfigError

_LARGEST = 2**63 - 1  # what TOML promises an integer can hold


def expect_int(value: object, path: str, low: int = -_LARGEST, high: int = _LARGEST) -> int:
    """`value` if it is an integer of that range; true and false are not integers here."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"expected int{_range(low, high, _LARGEST)}, got {show_value(value)}", path)
    return value


def expect_number(value: object, path: str, low: float, high: float = sys.float_info.max) -> float:
    """`value` if it is a finite number of that range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ConfigError(f"expected number{_range(low, high, sys.float_info.max)}, got {show_value(value)}", path)
    return value


def expect_bool(value: object, path: str) -> bool:
    """`value` if it is true or false."""
    if not isinstance(value, bool):
        raise ConfigError(f"expected bool, got {show_value(value)}", path)
    return value


def expect_text(value: object, path: str) -> str:
    """`value` if it is a string with something in it."""
    if not isinstance(value, str) or not value:
        raise ConfigError(f"expected a non-empty string, got {show_value(value)}", path)
    return value


def expect_choice(value: object, choices: Iterable[str], path: str, otherwise: str = "") -> str:
    """`value` if it is one of `choices`; the error suggests the nearest of them, or `otherwise` where none is near."""
    known = tuple(choices)
    if isinstance(value, str) and value in known:
        return value
    near = nearest(value, known)
    hint = f'; did you mean "{near}"?' if near else otherwise
    raise ConfigError(f"expected one of {', '.join(known)}, got {show_value(value)}{hint}", path)


def expect_choices(value: object, choices: Iterable[str], path: str) -> tuple[str, ...]:
    """`value` if it is a tuple of different `choices`."""
    if not isinstance(value, tuple):
        raise ConfigError(f"expected an array of names, got {show_value(value)}", path)
    known = tuple(choices)
    for one in value:
        expect_choice(one, known, path)
    if len(set(value)) < len(value):
        raise ConfigError(f"expected each name once, got {', '.join(value)}", path)
    return value


def nearest(value: object, known: Iterable[str]) -> str:
    """The known word that `value` is a likely misspelling of, else nothing."""
    from difflib import get_close_matches  # only on the way to an error: start-up does not pay for it

    word = value[:64].lower() if isinstance(value, str) else ""
    return next(iter(get_close_matches(word, known, n=1)), "")


def show_value(value: object) -> str:
    """A value as an error message shows it: as TOML writes it, and never long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value if len(value) <= 60 else value[:59] + "…", ensure_ascii=False)
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, int) and abs(value) > _LARGEST:
        return "an int of more than 64 bits"
    return str(value)


def _range(low: float, high: float, largest: float) -> str:
    if high < largest:
        return f" {low}..{high}"
    return f" >= {low}" if low > -largest else ""
