"""Parts beside the server's own paths: guarded as all are, with sessions of each caller, traced, and ended with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

import seamline
from harness.server import bearer, running, tokens
from seamline.errors import ConfigError, MissingExtra, StoreError
from seamline.server.guard import GuardRules, caller_of, require
from seamline.server.limits import ServerLimits
from seamline.server.parts import ServerPart, sessions_part
from seamline.server.traces import load_provider

CONFIG = seamline.IndexConfig(embedder="hash")


@pytest.fixture
def index() -> Iterator[seamline.Index]:
    with seamline.open_index("memory:", config=CONFIG) as index:
        index.add("a.md", "The pump is red.")
        yield index


async def _whoami(request: Request) -> Response:
    require(request.scope, "write")
    return PlainTextResponse(caller_of(request.scope).name)


async def _stream(request: Request) -> Response:
    async def lines() -> Any:
        for n in range(4):
            yield f"data: {n}\n\n"
            await asyncio.sleep(0.2)

    return StreamingResponse(lines(), media_type="text/event-stream")


async def _page(request: Request) -> Response:
    return PlainTextResponse("page")


async def _texts(request: Request) -> Response:
    require(request.scope, "read")
    return PlainTextResponse("texts")


def test_parts_are_guarded_too(index: seamline.Index) -> None:
    routes = [Route("/whoami", _whoami), Route("/stream", _stream)]
    routes += [Route("/app/texts", _texts), Route("/app/{name}", _page)]
    rules = GuardRules(tokens(), limits=ServerLimits(seconds=0.3))
    with running({"kb": index}, rules, [ServerPart(routes, ["/app/*"])]) as server:
        client = server.client
        assert client.get("/whoami").status_code == 401
        assert client.get("/whoami", headers=bearer("read")).status_code == 403
        assert client.get("/whoami", headers=bearer("write")).text == "write"
        assert client.get("/whoami", headers={**bearer("write"), "Host": "evil"}).status_code == 421
        assert client.get("/stream", headers=bearer("read")).text.count("data:") == 4  # not cut by the time limit
        assert client.get("/app/index.html").text == "page"
        assert client.get("/app/texts").status_code == 403  # whoever needs no token has no right either
        assert client.get("/app/texts", headers=bearer("read")).text == "texts"
        assert client.get("/application").status_code == 401


class CountingApp:
    """Counts its requests, and answers a stream that ends when it is closed."""

    def __init__(self, name: str, write: bool) -> None:
        self.about = f"{name} {'writes' if write else 'reads'}"
        self.requests = 0
        self.is_closed = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.requests += 1
        answer: Response = PlainTextResponse(f"{self.about} {self.requests}")
        if scope["method"] == "GET":
            answer = StreamingResponse(self._wait(), media_type="text/event-stream")
        await answer(scope, receive, send)

    async def _wait(self) -> Any:
        yield ": open\n\n"
        await self.is_closed.wait()

    async def close(self) -> None:
        self.is_closed.set()


def test_every_caller_has_sessions_of_its_own(index: seamline.Index) -> None:
    other = seamline.open_index("memory:", config=CONFIG)
    indexes = {"kb": index, "wiki": other}
    made: list[CountingApp] = []

    def make(one: seamline.Index, write: bool) -> CountingApp:
        made.append(CountingApp("kb" if one is index else "wiki", write))
        return made[-1]

    with running(indexes, GuardRules(tokens()), [sessions_part("/mcp", indexes, make)]) as server:

        def ask(caller: str, path: str = "/mcp") -> str:
            answer = server.client.post(path, headers=bearer(caller) if caller else {})
            return answer.text if answer.status_code == 200 else str(answer.status_code)

        assert not made  # what it needs is imported by those who use it
        assert [ask("read"), ask("write"), ask("write")] == ["kb reads 1", "kb writes 1", "kb writes 2"]
        assert ask("read", "/indexes/wiki/mcp") == "wiki reads 1"
        assert [ask(""), ask("tenant"), ask("read", "/indexes/none/mcp")] == ["401", "403", "404"]
        with httpx.stream("GET", f"{server.url}/mcp", headers=bearer("read"), timeout=20) as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": open"
            asyncio.run(server.app.stop())
            assert not [line for line in lines if line]
        assert all(app.is_closed.is_set() for app in made)


def test_a_part_whose_package_is_missing(index: seamline.Index) -> None:
    def make(one: seamline.Index, write: bool) -> CountingApp:
        raise MissingExtra("mcp", "pip install 'seamline[mcp]'")

    with running({"kb": index}, parts=[sessions_part("/mcp", {"kb": index}, make)]) as server:
        answer = server.client.post("/mcp")
        assert (answer.status_code, "seamline[mcp]" in answer.json()["detail"]) == (503, True)
        assert server.client.get("/healthz").status_code == 200


# --- traces


def test_requests_and_searches_are_traced(index: seamline.Index) -> None:
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with running({"kb": index}, tracer=provider.get_tracer("test")) as server:
        parent = {"traceparent": "00-" + "ab" * 16 + "-" + "cd" * 8 + "-01"}
        server.client.post("/search", json={"query": "xylophone"}, headers=parent)
        server.client.get("/documents/secret-name.md")
        server.client.get("/healthz", headers={"Host": "evil"})
    search, request, missing, refused = exporter.get_finished_spans()
    assert [one.name for one in (search, request, missing)] == ["search", "POST /search", "GET /documents/{id:path}"]
    assert search.parent is not None
    assert search.parent.span_id == request.context.span_id
    assert request.context.trace_id == int("ab" * 16, 16)
    statuses = [(one.attributes or {})["http.response.status_code"] for one in (request, missing, refused)]
    assert statuses == [200, 404, 421]
    told = "".join(one.to_json() for one in (search, request, missing, refused))
    assert "xylophone" not in told
    assert "secret-name" not in told


def test_traces_of_what_fails_say_nothing_of_why(index: seamline.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    def search(query: str, **options: object) -> object:
        raise (StoreError if query == "expected" else KeyError)("the text of a document")

    monkeypatch.setattr(index, "search", search)
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with running({"kb": index}, tracer=provider.get_tracer("test")) as server:
        for query, status in (("expected", 503), ("a fault", 500)):
            assert server.client.post("/search", json={"query": query}).status_code == status
    spans = exporter.get_finished_spans()
    assert [one.name for one in spans] == ["search", "POST /search"] * 2
    assert {one.status.status_code.name for one in spans} == {"ERROR"}
    assert "the text" not in "".join(one.to_json() for one in spans)


def test_traces_are_sent_only_where_the_environment_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    assert load_provider({}) is None
    assert load_provider({**place, "OTEL_SDK_DISABLED": "true"}) is None
    assert load_provider({**place, "OTEL_TRACES_EXPORTER": "none"}) is None
    with pytest.raises(ConfigError, match="expected otlp or none"):
        load_provider({**place, "OTEL_TRACES_EXPORTER": "zipkin"})
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    found = load_provider({**place, "OTEL_SERVICE_NAME": "kb"})
    assert found is not None
    assert found.resource.attributes["service.name"] == "kb"
    found.shutdown()
