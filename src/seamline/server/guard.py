"""What stands around every route, those of other parts included: where a request may come from, who asks, how much and
how long. It is ASGI middleware, so that a route cannot be reached beside it."""

from __future__ import annotations

import asyncio
import math
import re
import secrets
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seamline.server.limits import RateLimit, ServerLimits
from seamline.server.problems import REQUEST_ID, HttpProblem, problem_response
from seamline.server.tokens import CALLER, READ, WRITE, Caller, Tokens

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/openapi.json"})
"""What needs no token: it tells nothing about documents."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
READ_ONLY = "seamline.read_only"
"""Key of the scope that says why nobody may write."""
UNLIMITED = "seamline.unlimited"
"""Key of the scope that holds a function: from its call on, the request has no time limit."""
PIECE = 1 << 16
"""Bytes of an answer that are sent at once."""
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::(?P<port>\d{1,5}))?")
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
"""Of every answer that does not say otherwise."""


@dataclass(frozen=True, slots=True)
class GuardRules:
    """Whom a server answers."""

    tokens: Tokens = field(default_factory=lambda: Tokens(()))
    """Without any, everybody on this machine may read."""
    write: bool = False
    """Whether everybody may write as well, where there are no tokens."""
    hosts: Collection[str] = LOOPBACK
    """Names that callers may know this server by."""
    origins: Collection[str] = ()
    """Web pages that may call it beside its own, as in https://kb.example.org."""
    limits: ServerLimits = field(default_factory=ServerLimits)
    read_only: str = ""
    """Why nobody may write, whatever tokens say; empty where they may."""
    open_paths: Collection[str] = OPEN_PATHS


@dataclass(frozen=True, slots=True)
class RequestLog:
    """One request, without anything of its content."""

    id: str
    method: str
    path: str
    status: int
    seconds: float
    caller: str
    client: str


class ServerGuard:
    """Answers what may not pass, and keeps what passes within its limits."""

    def __init__(self, app: ASGIApp, rules: GuardRules, log: Callable[[RequestLog], None]) -> None:
        self._app = app
        self._rules = rules
        self._log = log
        self._rates = RateLimit(rules.limits.rate)
        self._anyone = Caller("", frozenset({READ, WRITE} if rules.write else {READ}))
        self._hosts = {name.lower() for name in rules.hosts}
        self._requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:  # a WebSocket: there are none here
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = time.perf_counter()
        id = scope[REQUEST_ID] = secrets.token_hex(8)
        answer = _Answer(send, self._rules.limits.seconds)
        self._requests += 1
        try:
            scope[CALLER] = self._admit(scope)
            if self._rules.read_only:
                scope[READ_ONLY] = self._rules.read_only
                scope[CALLER] = replace(scope[CALLER], rights=scope[CALLER].rights - {WRITE})
            await self._within_limits(scope, receive, answer)
        except HttpProblem as problem:
            await answer.refuse(problem, id, scope, receive)
        finally:
            self._requests -= 1
            caller = scope.get(CALLER)
            self._log(
                RequestLog(
                    id,
                    scope["method"],
                    scope["path"],
                    answer.status,
                    time.perf_counter() - begun,
                    caller.name if caller else "",
                    (scope.get("client") or ("",))[0],
                )
            )

    async def _within_limits(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        limits = self._rules.limits
        try:
            async with asyncio.timeout(limits.seconds) as deadline:
                answer.deadline = deadline
                scope[UNLIMITED] = lambda: deadline.reschedule(None)
                await self._app(scope, _Body(receive, limits.body).receive, answer.send)
        except TimeoutError:
            raise HttpProblem(
                503, "too-slow", f"no answer within {limits.seconds:g} seconds: ask for less", {"Retry-After": "1"}
            ) from None

    def _admit(self, scope: Scope) -> Caller:
        """The caller of a request; an HttpProblem says why it may not pass."""
        headers = Headers(scope=scope)
        self._check_place(headers)
        if self._requests > self._rules.limits.requests:
            raise HttpProblem(503, "busy", "too many requests are open: come back soon", {"Retry-After": "1"})
        caller = self._caller(headers)
        client = (scope.get("client") or ("",))[0]
        wait = self._rates.wait(f"token {caller.name}" if caller and caller.name else f"address {client}")
        if wait:
            after = {"Retry-After": str(math.ceil(wait))}
            raise HttpProblem(429, "too-many", "more requests per second than one caller may make", after)
        self._check_length(headers)
        if caller is not None:
            return caller
        if self._is_open(scope["path"]):
            return Caller()
        raise HttpProblem(
            401,
            "no-token",
            "expected a token of this server, as in `Authorization: Bearer TOKEN`",
            {"WWW-Authenticate": 'Bearer realm="seamline"'},
        )

    def _check_place(self, headers: Headers) -> None:
        """Refuse names that are not ours, as in DNS rebinding, and web pages of others."""
        given = headers.getlist("host")
        found = _HOST.fullmatch(given[0]) if len(given) == 1 else None
        if found is None or found["name"].strip("[]").lower() not in self._hosts:
            raise HttpProblem(421, "host", "this server does not go by the name in the Host header: see --allow-host")
        for origin in headers.getlist("origin"):
            ours = origin in self._rules.origins or origin.lower() in {f"{s}://{given[0].lower()}" for s in _SCHEMES}
            if not ours:
                raise HttpProblem(
                    403, "origin", "web pages of this Origin may not call this server: see --allow-origin"
                )

    def _caller(self, headers: Headers) -> Caller | None:
        """Who asks, by its token; None where it has none of ours."""
        if not len(self._rules.tokens):
            return self._anyone
        kind, _, secret = headers.get("authorization", "").partition(" ")
        return self._rules.tokens.find(secret.strip()) if kind.lower() == "bearer" and secret.strip() else None

    def _is_open(self, path: str) -> bool:
        return any(path == one or (one.endswith("/*") and path.startswith(one[:-1])) for one in self._rules.open_paths)

    def _check_length(self, headers: Headers) -> None:
        if "content-length" in headers and "transfer-encoding" in headers:  # a proxy may believe the other one
            raise HttpProblem(400, "two-lengths", "expected Content-Length or Transfer-Encoding, got both")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self._rules.limits.body:
            raise too_large(self._rules.limits.body)
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise HttpProblem(415, "encoded", "expected a body that is not compressed")


_SCHEMES = ("http", "https")


def too_large(most: int) -> HttpProblem:
    return HttpProblem(413, "too-large", f"expected a body of at most {most:,} bytes: send less at once")


class _Body:
    """The body of a request, as long as it is short enough; it is counted while it comes in."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = most
        self._seen = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self._seen > self._most:
            raise too_large(self._most)
        return message


class _Answer:
    """The answer to a request on its way out, with the headers that all have. Once it has begun, the caller has so many
    seconds to take each piece of it: one who does not read holds neither the answer nor a place."""

    def __init__(self, send: Send, seconds: float) -> None:
        self._send = send
        self._seconds = seconds
        self._is_stream = False
        self.status = 0
        """0 until it has begun."""
        self.deadline: asyncio.Timeout | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            self._is_stream = headers.get("content-type", "").startswith("text/event-stream")
        for piece in _pieces(message):
            self._allow(self._seconds)
            await self._send(piece)  # waits until most of what was sent before is taken
        if self._is_stream:
            self._allow(None)

    def _allow(self, seconds: float | None) -> None:
        """Time from now on; None for any."""
        if self.deadline is not None and not self.deadline.expired():
            self.deadline.reschedule(None if seconds is None else asyncio.get_running_loop().time() + seconds)

    async def refuse(self, problem: HttpProblem, id: str, scope: Scope, receive: Receive) -> None:
        """Say why, unless the answer has begun: then its connection ends, which the server sees to."""
        if not self.status:
            self.deadline = None
            await problem_response(problem, id)(scope, receive, self.send)


def _pieces(message: Message) -> Iterator[Message]:
    """A message whose body is small enough to be waited for."""
    body = message.get("body", b"")
    if len(body) <= PIECE:
        yield message
        return
    for start in range(0, len(body), PIECE):
        is_last = start + PIECE >= len(body)
        more = message.get("more_body", False) if is_last else True
        yield {"type": "http.response.body", "body": body[start : start + PIECE], "more_body": more}


def caller_of(scope: Scope) -> Caller:
    """Who asks; for routes of other parts too."""
    caller = scope[CALLER]
    assert isinstance(caller, Caller)
    return caller


def require(scope: Scope, right: str) -> Caller:
    """The caller, where it has a right; an HttpProblem where it has not."""
    caller = caller_of(scope)
    if right not in caller.rights:
        remedy = scope.get(READ_ONLY) or (
            "this token has not the right to write"
            if caller.name
            else "this server only reads: start it with --write, or with tokens"
        )
        raise HttpProblem(403, "no-right", remedy)
    return caller


def require_whole(scope: Scope) -> Caller:
    """The caller, where it sees whole indexes: numbers about all documents tell something of each."""
    caller = require(scope, READ)
    if caller.is_limited:
        raise HttpProblem(403, "no-right", "this token sees a part of the index, and this is about the whole")
    return caller
