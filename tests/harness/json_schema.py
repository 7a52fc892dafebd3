"""A check of the few keywords that our JSON Schemas use. One that it does not know is an error, not a pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_SILENT = {"$schema", "$id", "$defs", "title", "description"}


def objections(
    schema: Mapping[str, Any], value: Any, at: str = "$", root: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """What is wrong with a value, place by place."""
    root = schema if root is None else root
    for keyword, wanted in schema.items():
        if keyword in _SILENT:
            continue
        match keyword:
            case "type":
                if not isinstance(value, _KINDS[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
                    yield f"{at}: expected {wanted}, got {value!r}"
            case "required":
                yield from (f"{at}: no {name}" for name in wanted if isinstance(value, dict) and name not in value)
            case "properties":
                for name, inner in wanted.items():
                    if isinstance(value, dict) and name in value:
                        yield from objections(inner, value[name], f"{at}.{name}", root)
            case "items":
                for n, one in enumerate(value if isinstance(value, list) else ()):
                    yield from objections(wanted, one, f"{at}[{n}]", root)
            case "$ref":
                yield from objections(root["$defs"][wanted.removeprefix("#/$defs/")], value, at, root)
            case "anyOf":
                if all(any(True for _ in objections(one, value, at, root)) for one in wanted):
                    yield f"{at}: {value!r} fits none of {len(wanted)}"
            case "enum":
                if value not in wanted:
                    yield f"{at}: expected one of {wanted}, got {value!r}"
            case _:
                yield f"{at}: no check of the keyword {keyword}"
