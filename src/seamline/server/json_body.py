"""JSON as it is read from requests, strictly, and written into answers."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from seamline.errors import ConfigError

if TYPE_CHECKING:
    from starlette.requests import Request

Record = TypeVar("Record")

DEEPEST = 64
"""Arrays and objects inside one another."""


def encode_json(value: object) -> bytes:
    """JSON in UTF-8. A text may hold half a surrogate pair, which only an escape can write."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


async def read_record(request: Request, kind: type[Record]) -> Record:
    """The body of a request as a record. Only `application/json` is read: a web page can send other types to a server
    of the machine without asking it first."""
    from seamline.schema.plain import from_plain, rules_of
    from seamline.server.problems import HttpProblem

    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise HttpProblem(415, "media-type", f"expected Content-Type: application/json, got {media_type[:80]!r}")
    try:
        plain = parse_json(await request.body())
    except ValueError as error:
        raise HttpProblem(400, "not-json", f"the body is not JSON: {error}") from None
    if not isinstance(plain, dict):
        raise ConfigError(f"expected an object, got {type(plain).__name__}", "$")
    wanted: Any = kind
    known = [rule.name for rule in rules_of(wanted)]
    if unknown := [name for name in plain if name not in known]:
        raise ConfigError(f"unknown key {unknown[0][:80]!r}: expected some of {', '.join(known)}", "$")
    return from_plain(kind, plain)


def parse_json(data: bytes) -> Any:
    """The value; a ValueError for what is no JSON, for numbers that no float holds, for a key that comes twice, for
    half a surrogate pair, and for too deep a nesting."""
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError(f"more than {DEEPEST} levels") from None
    _check(value, 0)
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _check(value: Any, depth: int) -> None:
    if depth > DEEPEST:
        raise ValueError(f"more than {DEEPEST} levels")
    if isinstance(value, str):
        if not value.isascii():
            value.encode()  # a UnicodeEncodeError is a ValueError
    elif isinstance(value, list):
        for one in value:
            _check(one, depth + 1)
    elif isinstance(value, dict):
        for key, one in value.items():
            _check(key, depth + 1)
            _check(one, depth + 1)
