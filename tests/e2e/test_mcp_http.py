"""The protocol over streamable HTTP: the ASGI app inside of another, on a real port, asked by the official client."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

import pytest

pytest.importorskip("mcp")
pytest.importorskip("uvicorn")

import uvicorn
from mcp.client import Client
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from harness.library import NOW, Library
from seamline.agents.server import AgentApp, AgentOptions
from seamline.embed.hashing import HashEmbedder
from seamline.records import Change, Head, Version

TEXTS = {
    "guide.md": "# Guide\n\nHow to send parcels.\n\n## Retries\n\nA delivery that fails is tried again.\n",
    "birds.md": "# Birds\n\nPigeons carry letters.\n",
}
HELLO = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",'
    b' "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}'
)
ACCEPTED = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class SlowEmbedder(HashEmbedder):
    """Waits where the question says so."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.waiting = threading.Event()

    def embed(self, texts: Sequence[str]) -> Any:
        if any("slow" in text for text in texts):
            self.waiting.set()
            self.go.wait(20)
        return super().embed(texts)


@contextmanager
def serving(library: Library, options: AgentOptions | None = None, alone: bool = False) -> Iterator[int]:
    """The app on a port of this machine, inside of another app unless it is `alone`."""
    app: Any = AgentApp(library.index(), options)
    if not alone:
        app = Starlette(routes=[Route("/", lambda request: PlainTextResponse("another")), Route("/mcp", app)])
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)
        assert not thread.is_alive()


def ask(port: int, work: Callable[[Client], Awaitable[None]], mode: str = "auto") -> None:
    async def run() -> None:
        async with Client(f"http://127.0.0.1:{port}/mcp", mode=mode) as client:
            await work(client)

    asyncio.run(asyncio.wait_for(run(), 60))


async def said(client: Client, name: str, error: bool = False, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    assert bool(result.is_error) is error, result.content
    return "".join(part.text for part in result.content if part.type == "text")


def post(port: int, **headers: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", "/mcp", HELLO, {**ACCEPTED, **headers})
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_and_resources(mode: str, alone: bool) -> None:
    async def work(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["search", "context", "get", "cite", "outline", "list", "status"]
        found = await said(client, "search", query="a delivery that fails", k=1)
        key = re.findall(r"key ([0-9a-f]{24}@1)", found)[0]
        assert f"{key}: current: " in await said(client, "cite", keys=[key])
        assert "[1 guide.md:1-7;" in await said(client, "get", doc="guide.md")
        assert "Keys:" in await said(client, "context", query="retries")
        assert "Retries" in await said(client, "outline", doc="guide.md")
        assert "2 documents" in await said(client, "list")
        assert "only reads" in await said(client, "status")
        uris = [one.uri for one in (await client.list_resources()).resources]
        assert "Pigeons" in (await client.read_resource(uris[0])).contents[0].text
        assert "only reads" in await said(client, "remove", error=True, doc="guide.md")

    with serving(Library(TEXTS), alone=alone) as port:
        ask(port, work, mode)


def test_writing_where_it_is_allowed() -> None:
    async def work(client: Client) -> None:
        await said(client, "add", doc="new.md", text="# New\n\nFerries sail at night.\n")
        assert "Ferries sail" in await said(client, "search", query="ferries sail at night", k=1)
        await said(client, "remove", doc="new.md")
        await said(client, "get", error=True, doc="new.md")

    with serving(Library(TEXTS), AgentOptions(write=True)) as port:
        ask(port, work)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_hosts_and_origins(headers: dict[str, str], status: int) -> None:
    with serving(Library(TEXTS)) as port:
        assert post(port, **headers) == status


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_call_can_be_cancelled(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "seamline.agents")
    embedder = SlowEmbedder()
    library = Library(TEXTS, embedder=embedder)

    async def work(client: Client) -> None:
        call = asyncio.create_task(client.call_tool("search", {"query": "a slow question"}))
        while not embedder.waiting.is_set():
            await asyncio.sleep(0.02)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert "documents: 2" in await said(client, "status")
        while "search cancelled" not in caplog.text:  # the server heard of it; a limit of time is around all
            await asyncio.sleep(0.02)
        assert "Pigeons" in await said(client, "search", query="pigeons letters", k=1)

    with serving(library) as port:
        ask(port, work, mode)
        embedder.go.set()


def test_fifty_calls_at_once() -> None:
    async def work(client: Client) -> None:
        words = ["pigeons", "parcels", "delivery", "letters", "tried again"]
        single = [await said(client, "search", query=word) for word in words]
        many = await asyncio.gather(*(said(client, "search", query=words[n % 5]) for n in range(50)))
        assert many == [single[n % 5] for n in range(50)]

    with serving(Library(TEXTS)) as port:
        ask(port, work)


def test_ten_megabytes_are_capped() -> None:
    library = Library(TEXTS)
    text = "A line of some words that says little.\n" * 260_000
    head = Head("big.txt", 1, "r", "big.txt", "", 0, 0, 0, NOW)
    with library.store.writer() as writer:
        writer.apply([Change(head, 0, Version("big.txt", 1, "r", "", "big.txt", text, NOW, ()))])

    async def work(client: Client) -> None:
        for shown in (
            await said(client, "get", doc="big.txt"),
            (await client.read_resource("seamline://doc/big.txt")).contents[0].text,
        ):
            assert len(shown) < 50_000
            assert "Go on with the same arguments and offset=" in shown

    with serving(library) as port:
        ask(port, work)


def test_a_body_that_is_too_large_is_refused() -> None:
    with serving(Library(TEXTS)) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/mcp", b" " * (5 << 20), ACCEPTED)
        assert connection.getresponse().status == 413
        connection.close()
