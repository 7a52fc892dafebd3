"""Why a request is refused, as application/problem+json, with the texts of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from seamline.errors import ConfigError, MissingExtra, ParseError, ProviderError, SeamlineError, StoreError, TrustError
from seamline.server.json_body import encode_json
from seamline.server.records import ProblemRecord

MEDIA_TYPE = "application/problem+json"
REQUEST_ID = "seamline.request_id"
"""Key of the scope that holds the id of a request."""


_UNREAD = ("too-large", "too-slow", "two-lengths")
"""Problems after which the rest of a body is not read: the connection ends."""


class HttpProblem(Exception):
    """A request that is refused."""

    def __init__(self, status: int, name: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.name = name
        self.detail = detail
        self.headers = headers or {}


def no_index() -> HttpProblem:
    return HttpProblem(404, "no-index", "no index of this name: GET /indexes lists them")


def problem_response(problem: HttpProblem, id: str) -> Response:
    body: ProblemRecord = {
        "type": f"urn:seamline:problem:{problem.name}",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "id": id,
    }
    headers = {**problem.headers, **({"Connection": "close"} if problem.name in _UNREAD else {})}
    return Response(encode_json(body), problem.status, headers, MEDIA_TYPE)


async def answer_problem(request: Request, error: Exception) -> Response:
    """The handler of every error that is expected."""
    problem = error if isinstance(error, HttpProblem) else problem_of(error)
    return problem_response(problem, request.scope.get(REQUEST_ID, ""))


def problem_of(error: Exception) -> HttpProblem:
    """The problem that an error of ours, or of the router, is."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int):  # of Starlette: no such path, no such method, a form that cannot be read
        phrase = HTTPStatus(status).phrase
        said = getattr(error, "detail", "") or phrase
        name = phrase.lower().replace(" ", "-")
        return HttpProblem(status, name, str(said), getattr(error, "headers", None))
    if isinstance(error, ClientDisconnect):  # nobody reads it, but the log has its status
        return HttpProblem(400, "gone", "the caller went away")
    text = str(error)
    if isinstance(error, TrustError):
        return HttpProblem(503, "not-trusted", "the index names a service that this server may not use: see its log")
    if isinstance(error, ConfigError):
        return HttpProblem(422, "invalid", text.replace("`$.search.", "`$."))  # as the body has it
    if isinstance(error, ParseError):
        return HttpProblem(422, "unreadable", text)
    if isinstance(error, ProviderError):
        return HttpProblem(503, "model-failed", text, {"Retry-After": "5"})
    if isinstance(error, StoreError):
        return HttpProblem(503, "index-refused", text, {"Retry-After": "1"})
    if isinstance(error, MissingExtra):
        return HttpProblem(503, "not-installed", text)
    if isinstance(error, SeamlineError):
        return HttpProblem(422, "refused", text)
    return HttpProblem(500, "internal", "a fault of the server: its log has more under this id")
