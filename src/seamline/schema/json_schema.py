"""A JSON Schema (2020-12) for each record, made from its class: keys, types, and the docstrings as descriptions."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from inspect import cleandoc, getsource
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from seamline.errors import ConfigError
from seamline.schema import records
from seamline.schema.plain import rules_of

RECORDS: Mapping[str, Any] = {
    "chunk": records.ChunkRecord,
    "derived": records.DerivedRecord,
    "document": records.DocumentRecord,
    "citation": records.CitationRecord,
    "hit": records.HitRecord,
    "results": records.ResultsRecord,
    "context": records.ContextTextRecord,
    "resolved": records.ResolvedRecord,
}
"""The records that have a schema, by name."""

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def json_schema(name: str) -> dict[str, Any]:
    """The schema of a record by its name; a ConfigError lists the names there are."""
    if name not in RECORDS:
        raise ConfigError(f"no schema of {name!r}: expected one of {', '.join(RECORDS)}")
    found: dict[str, Any] = {}
    body = object_schema(RECORDS[name], found)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:seamline:schema:{name}:{records.VERSION}",
        "title": name,
        **body,
        **({"$defs": dict(sorted(found.items()))} if found else {}),
    }


def object_schema(kind: Any, found: dict[str, Any]) -> dict[str, Any]:
    """The schema of a record: an object of known keys, to which others may be added. The records inside are put into
    `found`, where `#/$defs/NAME` leads to."""
    said = _field_docs(kind)
    rules = rules_of(kind)
    properties = {
        rule.name: {**_schema(rule.kind, found), **({"description": said[rule.name]} if rule.name in said else {})}
        for rule in rules
    }
    return {
        "description": cleandoc(kind.__doc__ or ""),
        "type": "object",
        "properties": properties,
        "required": [rule.name for rule in rules if rule.is_required],
    }


def arguments_schema(kind: Any) -> dict[str, Any]:
    """The schema of a call: a dataclass whose fields are `Annotated` with what they mean. No other key is allowed, and
    what has a default may be left out."""
    hints = get_type_hints(kind, include_extras=True)
    properties = {}
    for rule in rules_of(kind):
        kinds = [one for one in get_args(rule.kind) if one is not NoneType] if _is_optional(rule.kind) else [rule.kind]
        default = {} if rule.is_required or rule.default is None else {"default": rule.default}
        said = {"description": hints[rule.name].__metadata__[0]}
        properties[rule.name] = {**_schema(kinds[0], {}), **said, **default}
    required = [rule.name for rule in rules_of(kind) if rule.is_required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _is_optional(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind)


def _schema(kind: Any, found: dict[str, Any]) -> dict[str, Any]:
    if kind is Any:
        return {}
    if kind in _TYPES:
        return {"type": _TYPES[kind]}
    if is_typeddict(kind):
        name = kind.__name__
        if name not in found:
            found[name] = {}  # there while it is made, so that a record may hold itself
            found[name] = object_schema(kind, found)
        return {"$ref": f"#/$defs/{name}"}
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(one, found) for one in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is dict:
        return {"type": "object"}
    if origin is list:
        return {"type": "array", "items": _schema(inner[0], found)}
    raise TypeError(f"no JSON Schema of {kind}")


def _field_docs(kind: Any) -> dict[str, str]:
    """The docstring under each key of a record, those of its bases included."""
    return _class_docs(kind.__module__)[kind.__name__]


@lru_cache(maxsize=8)
def _class_docs(module: str) -> dict[str, dict[str, str]]:
    """By class, read from the source: a TypedDict keeps neither its bases nor what is said of its keys. Bases that a
    module imports are those of `records`."""
    found = {} if module == records.__name__ else dict(_class_docs(records.__name__))
    for node in ast.parse(getsource(sys.modules[module])).body:
        if isinstance(node, ast.ClassDef):
            bases = [found.get(base.id, {}) for base in node.bases if isinstance(base, ast.Name)]
            own = dict(_attribute_docs(node))
            found[node.name] = {name: text for docs in (*bases, own) for name, text in docs.items()}
    return found


def _attribute_docs(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, after in zip(node.body, node.body[1:], strict=False):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, cleandoc(text)
