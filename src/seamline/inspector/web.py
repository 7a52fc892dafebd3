"""The routes of the page, for the server and for `seamline inspect --web`; the page itself lies in `static/`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from seamline.api.sources import MAX_BYTES
from seamline.errors import ConfigError, SeamlineError
from seamline.inspector.settings import choices, recipe_of, settings_of_recipe
from seamline.inspector.sources import OpenedSource, OpenedSources
from seamline.inspector.view import inspect_document, place_words

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from seamline.api.index import Index
    from seamline.filters.mapping import FilterLike

SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_MODULES = ("app", "chunks", "citation", "compare", "dom", "help", "lists", "pages", "search", "settings", "virtual")
STATIC = {"inspector.css": "text/css", **{f"{name}.js": "text/javascript" for name in _MODULES}}
"""All files of the page beside `index.html`."""
OPEN_PATHS = ("/", *(f"/inspector/static/{name}" for name in STATIC))
"""The page itself, which holds nothing of anybody: a server that asks for tokens lets everyone load it, as a browser
cannot send a token before there is a page to type it into."""
MOST_JSON = 64_000
"""Bytes of a request that holds no document."""
MOST_SHOWN = 100
"""Hits of a search on the page."""
MOST_DOCUMENTS = 5_000
"""Names of documents that the page lists."""
_AT_ONCE = 2
"""Documents that are cut, and searches that run, at the same time."""


@dataclass(frozen=True, slots=True)
class IndexAccess:
    """An index, and the filter that a caller cannot leave."""

    index: Index
    where: FilterLike = ""


IndexOf = Callable[[Request], IndexAccess | None]
"""The index that a request may read; None where there is none."""


class PageError(SeamlineError):
    """A request that is refused."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def routes(
    sources: OpenedSources | None = None, index_of: IndexOf | None = None, *, max_bytes: int = MAX_BYTES
) -> list[Route]:
    """The page at `/`, its files below `/inspector/static/` and its data below `/inspector/`.

    `index_of` says which index a request may read; checks of Host, Origin and tokens are the business of the
    application around these routes. Where an index is read through a filter, only its search is offered.
    """
    page = InspectorPage(sources or OpenedSources(), index_of or (lambda request: None), max_bytes)
    return [
        Route("/", _static_file("index.html", "text/html"), methods=["GET"]),
        *(
            Route(f"/inspector/static/{name}", _static_file(name, kind), methods=["GET"])
            for name, kind in STATIC.items()
        ),
        Route("/inspector/start", page.answer(page.start), methods=["POST"]),
        Route("/inspector/drop", page.drop, methods=["POST"]),
        Route("/inspector/view", page.answer(page.view), methods=["POST"]),
        Route("/inspector/picture", page.answer(page.picture), methods=["POST"]),
        Route("/inspector/search", page.answer(page.search), methods=["POST"]),
        Route("/inspector/why", page.answer(page.why), methods=["POST"]),
        Route("/inspector/chunks", page.answer(page.chunks), methods=["POST"]),
        Route("/inspector/cite", page.answer(page.cite), methods=["POST"]),
    ]


def _static_file(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def send(request: Request) -> Response:
        body = files("seamline.inspector").joinpath("static", name).read_bytes()
        return Response(body, media_type=f"{kind}; charset=utf-8", headers=dict(SECURITY_HEADERS))

    return send


Body = Mapping[str, object]
Answer = Callable[[Request, Body], object]


class InspectorPage:
    """What the page asks for. Each answer is made in a thread."""

    def __init__(self, sources: OpenedSources, index_of: IndexOf, max_bytes: int) -> None:
        self._sources = sources
        self._index_of = index_of
        self._max_bytes = max_bytes
        self._busy: asyncio.Semaphore | None = None

    def answer(self, make: Answer) -> Callable[[Request], Awaitable[Response]]:
        """A handler: JSON in, JSON out, errors as problems."""

        async def handle(request: Request) -> Response:
            try:
                if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
                    raise PageError("expected a body of application/json", 415)  # so that no other site can send one
                body = _object(await _read_body(request, MOST_JSON))
                async with self._turn():
                    return _json(await asyncio.to_thread(make, request, body))
            except SeamlineError as error:
                return _problem(error)

        return handle

    def _turn(self) -> asyncio.Semaphore:
        if self._busy is None:
            self._busy = asyncio.Semaphore(_AT_ONCE)
        return self._busy

    async def drop(self, request: Request) -> Response:
        """Keep a file; the body is the file, its name stands in a header."""
        try:
            if request.headers.get("content-type", "") != "application/octet-stream":
                raise PageError("expected a body of application/octet-stream", 415)
            data = await _read_body(request, self._max_bytes)
            name = unquote(request.headers.get("x-file-name", ""))[:200].replace("\\", "/").rpartition("/")[2]
            return _json({"key": self._sources.add(name, data), "name": name})
        except SeamlineError as error:
            return _problem(error)

    def start(self, request: Request, body: Body) -> object:
        """What the page offers."""
        access = self._index_of(request)
        named = [{"key": key, "name": name} for key, name in self._sources.list_named()]
        return {"files": named, "choices": choices(), "index": _about_index(access) if access else None}

    def view(self, request: Request, body: Body) -> object:
        """A document, cut."""
        given = body.get("recipe", {})
        if not isinstance(given, dict):
            raise PageError("expected an object at recipe")
        doc = _text(body, "doc", "")
        if doc:
            index = self._whole_index(request)
            recipe = recipe_of(given, index.recipe)
            return inspect_document(self._sources.indexed_document(index, doc, recipe), recipe)
        recipe = recipe_of(given)
        return inspect_document(self._sources.document(_text(body, "key"), recipe), recipe)

    def picture(self, request: Request, body: Body) -> object:
        """A page of a PDF."""
        from base64 import b64encode

        from seamline.api.pictures import page_picture

        doc = _text(body, "doc", "")
        if doc:
            data = self._sources.indexed_pdf(self._whole_index(request), doc)
        else:
            data = self._sources.get(_text(body, "key")).data
        drawn = page_picture(data, _whole(body, "page", 1, 1, 1_000_000))
        return {
            "picture": f"data:image/png;base64,{b64encode(drawn.png).decode()}",
            "width": drawn.width,
            "height": drawn.height,
            "pages": drawn.pages,
        }

    def search(self, request: Request, body: Body) -> object:
        """Both legs, and what they make together."""
        from seamline.inspector.search import search_view

        access = self._index(request)
        return search_view(access.index, _text(body, "query"), _whole(body, "k", 10, 1, MOST_SHOWN), access.where)

    def why(self, request: Request, body: Body) -> object:
        """Why a chunk is not among the hits."""
        from seamline.inspector.search import why_not

        k = _whole(body, "k", 10, 1, MOST_SHOWN)
        return why_not(self._whole_index(request), _text(body, "query"), _text(body, "id"), k)

    def chunks(self, request: Request, body: Body) -> object:
        """The chunks of a document of the index, to choose one."""
        found = self._whole_index(request).chunks(_text(body, "doc"))
        return [
            {"id": chunk.id, "place": place_words(chunk.citation.anchor), "start": chunk.entry.body[:80]}
            for chunk in found
        ]

    def cite(self, request: Request, body: Body) -> object:
        """A citation, and its history."""
        from seamline.inspector.search import history_view

        return history_view(self._whole_index(request), _text(body, "key"))

    def _index(self, request: Request) -> IndexAccess:
        access = self._index_of(request)
        if access is None:
            raise PageError("no index is open: make one with `seamline index PATH`", 404)
        return access

    def _whole_index(self, request: Request) -> Index:
        """An index that may be read without a filter."""
        access = self._index(request)
        if access.where:
            raise PageError("this caller may only search: whole documents and citations are not filtered", 403)
        return access.index


def _about_index(access: IndexAccess) -> object:
    heads = [] if access.where else access.index.documents()
    return {
        "url": access.index.url,
        "whole": not access.where,
        "settings": settings_of_recipe(access.index.recipe),
        "documents": [{"doc": head.doc, "title": head.title, "chunks": head.chunks} for head in heads[:MOST_DOCUMENTS]],
        "total": len(heads),
    }


async def _read_body(request: Request, most: int) -> bytes:
    """The body, as long as it is within the limit; what is longer is not kept."""
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise PageError(f"the body is larger than {most:,} bytes", 413)
            parts.append(part)
    except ClientDisconnect:
        raise PageError("the client went away", 400) from None
    return b"".join(parts)


def _object(body: bytes) -> Body:
    try:
        found = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise PageError("the body is not JSON") from None
    if not isinstance(found, dict):
        raise PageError("expected a JSON object")
    return found


def _text(body: Body, name: str, default: str | None = None) -> str:
    found = body.get(name, default)
    if not isinstance(found, str) or (not found and default is None):
        raise PageError(f"expected a text at {name}")
    return found


def _whole(body: Body, name: str, default: int, low: int, high: int) -> int:
    found = body.get(name, default)
    if not isinstance(found, int) or isinstance(found, bool) or not low <= found <= high:
        raise PageError(f"expected a whole number from {low} to {high} at {name}")
    return found


def _json(value: object, status: int = 200, kind: str = "application/json") -> Response:
    try:
        body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half of a pair: escaped, it passes
        body = json.dumps(value, separators=(",", ":")).encode()
    return Response(body, status, dict(SECURITY_HEADERS), media_type=kind)


def _problem(error: SeamlineError) -> Response:
    status = error.status if isinstance(error, PageError) else 400 if isinstance(error, ConfigError) else 422
    said = {"title": type(error).__name__, "status": status, "detail": str(error)}
    return _json(said, status, "application/problem+json")


class LoopbackGuard:
    """Refuses requests that a page of another site, or a name that was bound to this machine, made a browser send."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
            origin = headers.get("origin")
            trusted = origin is None or origin.removeprefix("http://") in self._hosts
            if headers.get("host") not in self._hosts or not trusted:
                await _json({"title": "Forbidden", "status": 403, "detail": "wrong Host or Origin"}, 403)(
                    scope, receive, send
                )
                return
        await self._app(scope, receive, send)


def inspector_app(sources: Sequence[OpenedSource], index: Index | None, port: int) -> Starlette:
    """The page alone, for one user of this machine."""
    access = IndexAccess(index) if index is not None else None
    return Starlette(
        routes=routes(OpenedSources(sources), lambda request: access),
        middleware=[Middleware(LoopbackGuard, port=port)],
    )


def serve_page(
    sources: Sequence[OpenedSource], index: Index | None, announce: Callable[[str], None], port: int = 0
) -> None:
    """Serve the page on a port of this machine, any free one unless it is given, until Ctrl-C; `announce` gets its
    address."""
    import socket

    import uvicorn

    try:
        listener = socket.create_server(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        raise ConfigError(f"port {port} cannot be used: {error}") from None
    with listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(inspector_app(sources, index, port), log_level="warning", lifespan="off")
        announce(f"http://127.0.0.1:{port}/")
        uvicorn.Server(config).run(sockets=[listener])
