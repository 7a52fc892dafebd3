"""What each path answers. Everything goes through `seamline.api`; work is done in threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from seamline import api
from seamline.api import serving
from seamline.api.search import SearchOptions
from seamline.errors import ConfigError, StoreError
from seamline.server.connections import while_connected
from seamline.server.guard import UNLIMITED, require, require_whole
from seamline.server.indexes import GivenContent, ServedIndex, missing
from seamline.server.json_body import encode_json, parse_json, read_record
from seamline.server.limits import ServerLimits
from seamline.server.metrics import MEDIA_TYPE, ServerMetrics
from seamline.server.pool import BoundedPool
from seamline.server.problems import HttpProblem, no_index
from seamline.server.records import (
    ChunkRequest,
    CiteRequest,
    ContextRequest,
    DocumentHead,
    HeadingRecord,
    SearchRequest,
    StatsAnswer,
    StoredChunk,
    UpsertRequest,
)
from seamline.server.tokens import READ, WRITE
from seamline.server.traces import trace
from seamline.text.headings import heading_text

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from seamline.server.tokens import Caller
    from seamline.server.workers import SearchWorkers

PAGE, MOST_PAGE = 100, 1000
"""Documents of a page."""
LONGEST_KEY = 200
_JSON = "application/json"
_CHOICES = ("legs", "mode", "fusion", "alpha", "min_score", "show", "fields", "sort", "collapse", "links")
"""What a request says about a search that SearchOptions has too."""


@dataclass
class ServerState:
    """What the endpoints share."""

    indexes: Mapping[str, ServedIndex]
    """By name; the first is meant where a path names none."""
    limits: ServerLimits
    metrics: ServerMetrics
    pool: BoundedPool
    tracer: Tracer | None = None
    workers: SearchWorkers | None = None
    openapi: bytes = b""
    status: str = "starting"
    """starting, ok, stopping."""

    def stop(self) -> None:
        """End what would never end by itself."""
        self.status = "stopping"
        for served in self.indexes.values():
            served.events.close()

    def close(self) -> None:
        """Finish what was begun, and give up the indexes."""
        self.pool.close()
        if self.workers is not None:
            self.workers.close()
        for served in self.indexes.values():
            served.close()


class Endpoints:
    """The handlers of all paths."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._default = next(iter(state.indexes.values()))

    # --- asking

    async def search(self, request: Request) -> Response:
        caller, served = require(request.scope, READ), self._served(request)
        asked = await read_record(request, SearchRequest)
        self._check_query(asked["query"])
        options = _options(asked, caller)
        where = serving.both_filters(caller.forced, asked.get("where", ""))

        return await self._find(
            request,
            served,
            "search",
            asked["query"],
            k=asked.get("k"),
            where=where,
            options=options,
            adaptive=asked.get("adaptive", False),
            reranker=bool(asked.get("reranker")),
        )

    async def context(self, request: Request) -> Response:
        caller, served = require(request.scope, READ), self._served(request)
        asked = await read_record(request, ContextRequest)
        self._check_query(asked["query"])
        options = _options(asked, caller)
        where = serving.both_filters(caller.forced, asked.get("where", ""))
        budget = asked.get("budget", 4000)
        if not 1 <= budget <= 1_000_000:
            raise ConfigError(f"expected a whole number from 1 to 1000000, got {budget}", "$.budget")

        return await self._find(
            request,
            served,
            "context",
            asked["query"],
            budget=budget,
            where=where,
            options=options,
            packing=asked.get("packing", "greedy"),
            sources=asked.get("sources", "inline"),
            weak=asked.get("weak"),
            whole=asked.get("whole", True),
            reranker=bool(asked.get("reranker")),
        )

    async def cite(self, request: Request) -> Response:
        caller, served = require(request.scope, READ), self._served(request)
        keys = (await read_record(request, CiteRequest))["keys"]
        self._check_batch(keys, "$.keys")
        if long := [key for key in keys if len(key) > LONGEST_KEY]:
            raise ConfigError(f"expected citations of at most {LONGEST_KEY} characters, got {len(long[0])}", "$.keys")
        body = await self._run(
            request, served, lambda: encode_json({"citations": [served.cite(key, caller) for key in keys]})
        )
        return Response(body, media_type=_JSON)

    async def chunk(self, request: Request) -> Response:
        require(request.scope, READ)
        asked = await read_record(request, ChunkRequest)
        if "filename" in asked:
            serving.check_name(asked["filename"])
        body = await self._run(request, self._default, lambda: encode_json(_cut(asked)))
        return Response(body, media_type=_JSON)

    # --- documents

    async def documents(self, request: Request) -> Response:
        caller, served = require(request.scope, READ), self._served(request)
        prefix, after = request.query_params.get("prefix", ""), request.query_params.get("after", "")
        limit = _number(request, "limit", 1, MOST_PAGE) or PAGE

        def work() -> object:
            shown = None if caller.forced is None else serving.names(served.index, caller.forced)
            heads = [
                head
                for head in served.index.documents(prefix=prefix)
                if head.doc > after and (shown is None or head.doc in shown)
            ]
            page: list[DocumentHead] = [
                {
                    "doc": head.doc,
                    "version": head.version,
                    "title": head.title,
                    "chunks": head.chunks,
                    "tokens": head.tokens,
                    "indexed_at": head.indexed_at.isoformat(),
                }
                for head in heads[:limit]
            ]
            return {"documents": page, "next": page[-1]["doc"] if len(heads) > limit else None}

        return await self._conditional(request, served, work)

    async def document(self, request: Request) -> Response:
        caller, served = require(request.scope, READ), self._served(request)
        doc, version = request.path_params["id"], _number(request, "version", 1, 10**9)

        def work() -> object:
            _check_version(served, doc, version, caller)
            return served.index.get(doc, version=version).to_dict()

        return await self._conditional(request, served, work)

    async def outline(self, request: Request) -> Response:
        caller, served = require(request.scope, READ), self._served(request)
        doc, version = request.path_params["id"], _number(request, "version", 1, 10**9)

        def work() -> object:
            _check_version(served, doc, version, caller)
            document = served.index.get(doc, version=version)
            number = version or served.index.version_numbers(doc)[-1]
            headings: list[HeadingRecord] = [
                {
                    "level": block.level,
                    "title": heading_text(document.text, block),
                    "start": block.span.start,
                    "end": block.span.end,
                    "line": document.text.count("\n", 0, block.span.start) + 1,
                }
                for block in document.blocks
                if block.kind == "heading"
            ]
            return {"doc": doc, "version": number, "title": document.title, "headings": headings}

        return await self._conditional(request, served, work)

    async def stored_chunk(self, request: Request) -> Response:
        caller, served = require(request.scope, READ), self._served(request)
        id = request.path_params["id"]

        def work() -> StoredChunk:
            found = served.index.cite(id) if len(id) <= LONGEST_KEY and "@" not in id else None
            for doc in dict.fromkeys(one.doc for one in (found.now if found else ())):
                if serving.is_visible(served.index, doc, caller.forced):
                    for one in served.index.chunks(doc):
                        if one.id == id:
                            return _chunk_record(one)
            raise HttpProblem(404, "no-chunk", "no such chunk in the index now: POST /cite tells what became of it")

        return await self._conditional(request, served, work)

    async def put(self, request: Request) -> Response:
        caller, served = require(request.scope, WRITE), self._served(request)
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type == "multipart/form-data":
            given = await self._uploads(request)
        else:
            records = (await read_record(request, UpsertRequest))["documents"]
            given = [
                GivenContent(one["id"], one["text"], one.get("meta", {}), one.get("media_type")) for one in records
            ]
        self._check_batch(given, "$.documents")
        request.scope[UNLIMITED]()  # a write that has begun is finished
        return Response(encode_json(await self._guarded(served, served.put(given, caller))), media_type=_JSON)

    async def remove(self, request: Request) -> Response:
        caller, served = require(request.scope, WRITE), self._served(request)
        request.scope[UNLIMITED]()
        done = await self._guarded(served, served.remove(request.path_params["id"], caller))
        return Response(encode_json(done), media_type=_JSON)

    async def _uploads(self, request: Request) -> list[GivenContent]:
        """The files of a form: their names are those of documents, and `meta` is metadata of all of them."""
        limits = self._state.limits
        given: list[GivenContent] = []
        async with request.form(max_files=limits.batch, max_fields=8, max_part_size=1 << 20) as form:
            text = form.get("meta", "{}")
            try:
                meta = parse_json(text.encode("utf-8", "replace")) if isinstance(text, str) else None
            except ValueError as error:
                raise HttpProblem(400, "not-json", f"meta is not JSON: {error}") from None
            if not isinstance(meta, dict):
                raise ConfigError("expected an object", "$.meta")
            for _, part in form.multi_items():
                if isinstance(part, UploadFile):
                    given.append(GivenContent(part.filename or "", await part.read(), meta))
        return given

    # --- the server itself

    async def stats(self, request: Request) -> Response:
        require_whole(request.scope)
        served = self._served(request)
        mark, alerts = await self._run(request, served, lambda: (served.stats()[0], served.measure()))
        state = ",".join([mark, *alerts])  # alerts come and go while the index stays
        return await self._conditional(request, served, lambda: _stats_record(served, alerts), state)

    async def events(self, request: Request) -> Response:
        require_whole(request.scope)
        return StreamingResponse(self._served(request).events.listen(), media_type="text/event-stream")

    async def list_indexes(self, request: Request) -> Response:
        require(request.scope, READ)
        return Response(encode_json({"indexes": list(self._state.indexes)}), media_type=_JSON)

    async def health(self, request: Request) -> Response:
        return Response(encode_json({"status": "ok"}), media_type=_JSON)

    async def ready(self, request: Request) -> Response:
        status = self._state.status
        return Response(encode_json({"status": status}), 200 if status == "ok" else 503, media_type=_JSON)

    async def metrics(self, request: Request) -> Response:
        require_whole(request.scope)
        for served in self._state.indexes.values():
            await self._run(request, served, served.measure)
        return Response(self._state.metrics.render(), media_type=MEDIA_TYPE)

    async def openapi(self, request: Request) -> Response:
        return Response(self._state.openapi, media_type=_JSON)

    # --- shared

    async def _find(self, request: Request, served: ServedIndex, kind: str, query: str, **options: Any) -> Response:
        def work() -> tuple[str, bytes]:
            timer = self._state.metrics.latency.labels(served.name, kind).time()
            with timer, trace(self._state.tracer, kind, served.name):
                return served.find(kind, query, options)

        mark, body = await self._run(request, served, work)
        return _marked(body, mark)

    def _served(self, request: Request) -> ServedIndex:
        name = request.path_params.get("index")
        if name is None:
            return self._default
        found = self._state.indexes.get(name)
        if found is None:
            raise no_index()
        return found

    async def _run(self, request: Request, served: ServedIndex, work: Callable[[], Any]) -> Any:
        return await self._guarded(served, while_connected(request, self._state.pool.run(work)))

    async def _guarded(self, served: ServedIndex, awaited: Any) -> Any:
        """What is awaited; messages about an index do not name places of this machine."""
        try:
            return await awaited
        except StoreError as error:
            raise type(error)(served.without_paths(str(error))) from error

    async def _conditional(
        self, request: Request, served: ServedIndex, work: Callable[[], object], state: str | None = None
    ) -> Response:
        """An answer that is the same as long as the state is, which is that of the index unless given: 304 where the
        caller has it."""
        known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]

        def marked() -> tuple[str, bytes | None]:
            mark = served.generation() if state is None else state
            return mark, None if etag(mark) in known else encode_json(work())

        mark, body = await self._run(request, served, marked)
        return _marked(body, mark)

    def _check_query(self, query: str) -> None:
        if len(query) > self._state.limits.query:
            raise ConfigError(
                f"expected at most {self._state.limits.query:,} characters, got {len(query):,}", "$.query"
            )

    def _check_batch(self, items: list[Any], at: str) -> None:
        most = self._state.limits.batch
        if not 1 <= len(items) <= most:
            raise ConfigError(f"expected 1 to {most:,}, got {len(items):,}", at)


def etag(generation: str) -> str:
    """The state of an index as a header; how many changes there were is nobody's business."""
    return f'"{sha256(generation.encode()).hexdigest()[:16]}"'


def _marked(body: bytes | None, mark: str) -> Response:
    headers = {"ETag": etag(mark), "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    return Response(status_code=304, headers=headers) if body is None else Response(body, 200, headers, _JSON)


def _options(asked: Mapping[str, Any], caller: Caller) -> SearchOptions:
    given = {name: asked[name] for name in _CHOICES if name in asked}
    if given.get("links") and caller.forced is not None:
        raise ConfigError("expected 0, as the token has a filter, and links may lead beyond it", "$.links")
    return SearchOptions(**{**given, "fields": tuple(given.get("fields", ()))})


def _number(request: Request, name: str, low: int, high: int) -> int | None:
    """A number of the query string; None where it is not given."""
    given = request.query_params.get(name)
    if given is None:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) < 12 and low <= int(given) <= high):
        raise ConfigError(f"{name}: expected a whole number from {low} to {high}, got {given[:40]!r}")
    return int(given)


def _check_version(served: ServedIndex, doc: str, version: int | None, caller: Caller) -> None:
    """Refuse what is not there, or not for the caller. Old versions of a document that is removed can be read by
    callers who see the whole index."""
    if version is None or caller.is_limited:
        served.check_visible(doc, caller)
    if version is not None:
        numbers = served.index.version_numbers(doc)
        if not numbers:
            raise missing(doc)
        if version not in numbers:
            has = ", ".join(map(str, numbers))
            raise HttpProblem(404, "no-version", f"{doc}: no version {version} in the index; there are: {has}")


def _cut(asked: ChunkRequest) -> object:
    """The chunks of a text. As bytes, since a text of one line could name a file of this machine."""
    media_type = asked.get("media_type") or (None if "filename" in asked else "text/markdown")
    document = api.read(asked["text"].encode(), filename=asked.get("filename"), media_type=media_type)
    chunks = api.chunk(
        document,
        recipe=asked.get("preset"),
        strategy=asked.get("strategy"),
        tokenizer=asked.get("tokenizer"),
        target=asked.get("target"),
        limit=asked.get("limit"),
        floor=asked.get("floor"),
        overlap=asked.get("overlap"),
    )
    return {"chunks": [one.to_dict() for one in chunks], "notices": document.to_dict()["notices"]}


def _chunk_record(one: Any) -> StoredChunk:
    meta = {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in one.meta.items()}
    return {
        "id": one.id,
        "doc": one.doc,
        "text": one.text,
        "title": one.entry.title,
        "path": list(one.path),
        "kind": one.entry.kind,
        "tokens": one.entry.tokens,
        "meta": {name: value for name, value in meta.items() if not name.startswith(":")},
        "citation": one.citation.to_dict(),
    }


def _stats_record(served: ServedIndex, alerts: Sequence[str]) -> StatsAnswer:
    mark, stats = served.stats()
    settings = served.index.settings
    return {
        "index": served.name,
        "generation": mark,
        **stats.counts,
        "duplicate_rate": stats.duplicates.rate,
        "needs_review": dict(stats.needs_review),
        "completeness": stats.completeness,
        "alerts": [*alerts],
        "embedder": settings.embedder,
        "dimensions": settings.dimensions,
        "fingerprint": settings.fingerprint,
        "size": stats.size,
        "indexed_at": stats.indexed_at.isoformat() if stats.indexed_at else None,
    }
