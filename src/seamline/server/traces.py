"""Traces for OpenTelemetry: a span for each request, and one for each search inside it. They name routes and numbers,
never texts, questions or documents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seamline import __version__
from seamline.errors import ConfigError, needed

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""Variables that say where traces go, as OpenTelemetry defines them; without one there are none."""


def load_provider(environment: Mapping[str, str] = os.environ) -> TracerProvider | None:
    """What sends traces to the place that the environment names; None where it names none. `shutdown` sends the last
    ones."""
    wanted = environment.get("OTEL_TRACES_EXPORTER", "otlp").strip().lower()
    off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    if off or wanted == "none" or not any(environment.get(name) for name in ENDPOINTS):
        return None
    if wanted != "otlp":
        raise ConfigError(f"OTEL_TRACES_EXPORTER: expected otlp or none, got {wanted!r}")
    with needed("OpenTelemetry, which OTEL_EXPORTER_OTLP_ENDPOINT asks for,", "traces"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    name = environment.get("OTEL_SERVICE_NAME", "seamline")
    provider = TracerProvider(resource=Resource.create({"service.name": name, "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


class TracedApp:
    """A span for each request, as a child of that which the caller names in `traceparent`."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from opentelemetry.trace import SpanKind, Status, StatusCode
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        method = scope["method"]
        around = TraceContextTextMapPropagator().extract(dict(Headers(scope=scope)))
        with self._tracer.start_as_current_span(
            method,
            around,
            SpanKind.SERVER,
            {"http.request.method": method},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:

            async def watch(message: Message) -> None:
                if message["type"] == "http.response.start":
                    status = message["status"]
                    span.set_attribute("http.response.status_code", status)
                    if status >= 500:
                        span.set_status(Status(StatusCode.ERROR))
                await send(message)

            await self._app(scope, receive, watch)
            if route := getattr(scope.get("route"), "path", ""):
                span.update_name(f"{method} {route}")
                span.set_attribute("http.route", route)


@contextmanager
def trace(tracer: Tracer | None, name: str, index: str) -> Iterator[None]:
    """A span around a piece of work; nothing where there is no tracer. What an error says may quote a question or a
    document, so the span only has that there was one."""
    if tracer is None:
        yield
        return
    from opentelemetry.trace import Status, StatusCode

    with tracer.start_as_current_span(
        name, attributes={"seamline.index": index}, record_exception=False, set_status_on_exception=False
    ) as span:
        is_done = False
        try:
            yield
            is_done = True
        finally:
            if not is_done:
                span.set_status(Status(StatusCode.ERROR))
