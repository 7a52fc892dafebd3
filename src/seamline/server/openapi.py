"""The OpenAPI document: one row for each operation, schemas from the records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from seamline.schema import records as shared
from seamline.schema.json_schema import object_schema
from seamline.server import records as ours
from seamline.server.limits import ServerLimits

ETAG = {"ETag": {"description": "The state of the index", "schema": {"type": "string"}}}
_REF = "#/$defs/"


class Operation(NamedTuple):
    """What can be asked of a path."""

    method: str
    path: str
    handler: str
    """Method of Endpoints."""
    summary: str
    answer: Any
    """The record of the answer; a media type where it is none."""
    body: Any = None
    parameters: Sequence[str] = ()

    @property
    def of_index(self) -> bool:
        """Whether it is about one index, and so also under /indexes/NAME."""
        return self.handler not in _OF_SERVER

    @property
    def statuses(self) -> list[int]:
        """How it may be answered, beside 200."""
        asked = (415, 422) if self.body else (422,) if self.parameters else ()
        conditional = self.method == "GET" and self.of_index and not isinstance(self.answer, str)
        return sorted({*_ALWAYS, *asked, *((304,) if conditional else ()), *((409,) if self.handler == "put" else ())})


_OF_SERVER = ("chunk", "list_indexes", "health", "ready", "metrics", "openapi")
_PAGE = ("prefix", "after", "limit")
_VERSION = ("version",)
OPERATIONS = (
    Operation("POST", "/search", "search", "The best passages", shared.ResultsRecord, ours.SearchRequest),
    Operation("POST", "/context", "context", "A text for a prompt", shared.ContextTextRecord, ours.ContextRequest),
    Operation("POST", "/cite", "cite", "What became of citations", ours.CiteAnswer, ours.CiteRequest),
    Operation("POST", "/documents", "put", "Put documents into the index", ours.WriteAnswer, ours.UpsertRequest),
    Operation("GET", "/documents", "documents", "The documents by name", ours.DocumentsAnswer, None, _PAGE),
    Operation("GET", "/documents/{id}", "document", "A document", shared.DocumentRecord, None, _VERSION),
    Operation("DELETE", "/documents/{id}", "remove", "Take a document out of the index", ours.WriteAnswer),
    Operation("GET", "/chunks/{id}", "stored_chunk", "A chunk and where it stands", ours.StoredChunk),
    Operation("GET", "/outline/{id}", "outline", "The headings of a document", ours.OutlineAnswer, None, _VERSION),
    Operation("GET", "/stats", "stats", "What the index holds", ours.StatsAnswer),
    Operation("GET", "/events", "events", "How writes go on, as server-sent events", "text/event-stream"),
    Operation("POST", "/chunk", "chunk", "Cut a text into chunks", ours.ChunkAnswer, ours.ChunkRequest),
    Operation("GET", "/indexes", "list_indexes", "The indexes of this server", ours.IndexesAnswer),
    Operation("GET", "/healthz", "health", "Whether the server runs", ours.HealthAnswer),
    Operation("GET", "/readyz", "ready", "Whether models are loaded", ours.HealthAnswer),
    Operation("GET", "/metrics", "metrics", "Measures for Prometheus", "text/plain"),
    Operation("GET", "/openapi.json", "openapi", "This document", "application/json"),
)

_PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "prefix": {"description": "Only names that start so", "schema": {"type": "string"}},
    "after": {"description": "Names after this one: `next` of the page before", "schema": {"type": "string"}},
    "limit": {"description": "Documents of a page", "schema": {"type": "integer", "minimum": 1, "maximum": 1000}},
    "version": {
        "description": "The version; the current one unless given",
        "schema": {"type": "integer", "minimum": 1, "maximum": 10**9},
    },
}
_PROBLEMS = {
    400: "Not JSON, or not HTTP",
    401: "No token of this server",
    403: "Not the right, or a web page of another origin",
    404: "There is no such thing",
    409: "The name belongs to another tenant",
    413: "The body is too large",
    415: "Not the media type that is expected",
    421: "Not a name of this server",
    422: "Something in it cannot work; the detail says what",
    429: "More requests per second than one caller may make",
    500: "A fault of the server",
    503: "Too much to do, too slow, or an index that refuses; Retry-After says when to come back",
}
_ALWAYS = (400, 401, 403, 404, 413, 415, 421, 429, 500, 503)


def _bounds(limits: ServerLimits) -> dict[str, dict[str, Any]]:
    """What the types do not say: the numbers and lengths that are accepted."""
    asked = {
        "query": {"maxLength": limits.query},
        "alpha": {"minimum": 0, "maximum": 1},
        "min_score": {"minimum": 0, "maximum": 1},
    }
    return {
        "SearchRequest": {**asked, "k": {"minimum": 1, "maximum": 1000}},
        "ContextRequest": {**asked, "budget": {"minimum": 1, "maximum": 1_000_000}},
        "CiteRequest": {"keys": {"minItems": 1, "maxItems": limits.batch}},
        "UpsertRequest": {"documents": {"minItems": 1, "maxItems": limits.batch}},
        "GivenDocument": {"id": {"minLength": 1, "maxLength": 512}},
    }


def openapi_document(version: str, limits: ServerLimits) -> dict[str, Any]:
    """The whole document (OpenAPI 3.1)."""
    schemas: dict[str, Any] = {}
    _add(ours.ProblemRecord, schemas)
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        described = _operation(operation, schemas)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
        if operation.of_index:
            name = {"name": "index", "in": "path", "required": True, "schema": {"type": "string"}}
            named = {
                **described,
                "operationId": f"{described['operationId']}_of_index",
                "parameters": [name, *described["parameters"]],
            }
            paths.setdefault(f"/indexes/{{index}}{operation.path}", {})[operation.method.lower()] = named
    for record, fields in _bounds(limits).items():
        for field, bounds in fields.items():
            schemas[record]["properties"][field].update(bounds)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Seamline",
            "version": version,
            "description": "Search, context and citations of indexes. Records are those of `seamline schema`.",
        },
        "security": [{"token": []}, {}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.handler,
        "summary": operation.summary,
        "parameters": [
            *(
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in re.findall(r"{(\w+)}", operation.path)
            ),
            *({"name": name, "in": "query", **_PARAMETERS[name]} for name in operation.parameters),
        ],
        "responses": _responses(operation, schemas),
    }
    if operation.body is not None:
        content: dict[str, Any] = {"application/json": {"schema": _add(operation.body, schemas)}}
        if operation.handler == "put":
            content["multipart/form-data"] = {"schema": _FORM}
        described["requestBody"] = {"required": True, "content": content}
    return described


_FORM = {
    "type": "object",
    "properties": {
        "file": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "string", "format": "binary"},
            "description": "Files; their names are the names of documents, their content says what they are",
        },
        "meta": {"type": "string", "description": "Metadata of all of them, as a JSON object"},
    },
    "required": ["file"],
}


def _responses(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    answer = operation.answer
    if isinstance(answer, str):
        schema = {"type": "object"} if answer == "application/json" else {"type": "string"}
        content = {answer: {"schema": schema}}
    else:
        content = {"application/json": {"schema": _add(answer, schemas)}}
    found: dict[str, Any] = {"200": {"description": operation.summary, "content": content}}
    for status in operation.statuses:
        if status == 304:
            found["304"] = {"description": "The caller has it: see If-None-Match", "headers": ETAG}
        else:
            problem = {"application/problem+json": {"schema": _add(ours.ProblemRecord, schemas)}}
            found[str(status)] = {"description": _PROBLEMS[status], "content": problem}
    if operation.handler == "ready":
        found["503"]["content"]["application/json"] = content["application/json"]
    return found


def _add(kind: Any, schemas: dict[str, Any]) -> dict[str, str]:
    """Put a record and those inside it among the schemas; the reference to it."""
    if kind.__name__ not in schemas:
        inner: dict[str, Any] = {}
        schemas[kind.__name__] = _refer(object_schema(kind, inner))
        for name, schema in inner.items():
            schemas.setdefault(name, _refer(schema))
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _refer(schema: Any) -> Any:
    """A schema whose references lead to where OpenAPI keeps schemas."""
    if isinstance(schema, dict):
        return {
            key: value.replace(_REF, "#/components/schemas/") if key == "$ref" else _refer(value)
            for key, value in schema.items()
        }
    return [_refer(one) for one in schema] if isinstance(schema, list) else schema
