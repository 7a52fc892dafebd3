"""The server put together: endpoints for each operation, routes of other parts, and the guard around all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from seamline import __version__
from seamline.errors import SeamlineError
from seamline.server.endpoints import Endpoints, ServerState
from seamline.server.guard import GuardRules, RequestLog, ServerGuard
from seamline.server.indexes import ServedIndex, warm
from seamline.server.json_body import encode_json
from seamline.server.log import ServerLog
from seamline.server.metrics import ServerMetrics
from seamline.server.openapi import OPERATIONS, openapi_document
from seamline.server.parts import ServerPart
from seamline.server.pool import BoundedPool
from seamline.server.problems import REQUEST_ID, HttpProblem, answer_problem
from seamline.server.traces import TracedApp

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from seamline.api.index import Index
    from seamline.server.workers import SearchWorkers

__all__ = ["ServerApp", "ServerPart", "make_app"]

Handler = Callable[[Request], Awaitable[Response]]


class ServerApp:
    """An ASGI application with everything that it holds open."""

    def __init__(self, app: ASGIApp, state: ServerState, parts: Sequence[ServerPart]) -> None:
        self._app = app
        self._parts = parts
        self.state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def stop(self) -> None:
        """End what would never end by itself, such as streams: a server that stops waits for its answers."""
        self.state.stop()
        for part in self._parts:
            if part.stop is not None:
                await part.stop()


def make_app(
    indexes: Mapping[str, Index],
    *,
    rules: GuardRules | None = None,
    parts: Sequence[ServerPart] = (),
    log: ServerLog | None = None,
    tracer: Tracer | None = None,
    workers: SearchWorkers | None = None,
) -> ServerApp:
    """The server of these indexes by name; the first is the one that paths without a name mean. It closes them when it
    ends.

    The routes of other parts are under the same guard: `seamline.server.guard.caller_of(scope)` says who asks,
    `require(scope, "write")` refuses those who may not. An answer whose type is text/event-stream has no time limit. A
    tracer of OpenTelemetry is told of every request. Searches run in `workers`, which it closes, or in threads.
    """
    rules, log = rules or GuardRules(), log or ServerLog()
    rules = replace(rules, open_paths=[*rules.open_paths, *(path for part in parts for path in part.open_paths)])
    limits, metrics = rules.limits, ServerMetrics()
    served = {name: ServedIndex(name, index, limits, metrics, workers) for name, index in indexes.items()}
    pool = BoundedPool(limits.threads, limits.waiting, "search")
    state = ServerState(served, limits, metrics, pool, tracer, workers)
    state.openapi = encode_json(openapi_document(__version__, limits))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        warming = asyncio.create_task(_warm(state))
        yield
        warming.cancel()
        await app.stop()
        await asyncio.to_thread(state.close)

    starlette = Starlette(
        routes=[*_routes(Endpoints(state)), *(route for part in parts for route in part.routes)],
        exception_handlers={
            HttpProblem: answer_problem,
            SeamlineError: answer_problem,
            HTTPException: answer_problem,
            ClientDisconnect: answer_problem,
            Exception: answer_problem,
        },
        lifespan=lifespan,
    )
    starlette.router.redirect_slashes = False
    starlette.state.server = state

    def tell(entry: RequestLog) -> None:
        metrics.count_request(entry)
        log.request(entry)

    guard: ASGIApp = ServerGuard(_Faults(starlette, log), rules, tell)
    app = ServerApp(guard if tracer is None else TracedApp(guard, tracer), state, parts)
    return app


async def _warm(state: ServerState) -> None:
    for served in state.indexes.values():
        await asyncio.to_thread(warm, served)
    state.status = "ok"


def _routes(endpoints: Endpoints) -> list[Route]:
    """A route for each path, and for that of each index. Names of documents have slashes."""
    paths: dict[str, dict[str, Handler]] = {}
    for operation in OPERATIONS:
        path = operation.path
        if path.startswith(("/documents/", "/outline/")):
            path = path.replace("{id}", "{id:path}")
        for prefix in ("", "/indexes/{index}") if operation.of_index else ("",):
            paths.setdefault(prefix + path, {})[operation.method] = getattr(endpoints, operation.handler)
    return [Route(path, _by_method(handlers), methods=list(handlers)) for path, handlers in paths.items()]


def _by_method(handlers: Mapping[str, Handler]) -> Handler:
    """One handler for a path, so that a method which it has not is told those that it has."""

    async def handle(request: Request) -> Response:
        return await handlers["GET" if request.method == "HEAD" else request.method](request)

    return handle


class _Faults:
    """The last place to turn a fault into a line of the log. The answer to it is made before it comes here."""

    def __init__(self, app: ASGIApp, log: ServerLog) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except (HttpProblem, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 - one request must not take the others with it
            self._log.failure(scope.get(REQUEST_ID, ""), error)
