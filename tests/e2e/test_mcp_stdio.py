"""`seamline mcp` asked by the official client of the protocol, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT, Warm, copy_handbook

pytest.importorskip("mcp")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

KEY = re.compile(r"[0-9a-f]{24}@\d+")
READING = ["search", "context", "get", "cite", "outline", "list", "status"]
WEBHOOKS = "handbook/webhooks.md"
CANARY = "the pelican counts its feathers"

SLOW = """
import sys, time
sys.path.insert(0, {tests!r})
from harness.library import Library
from seamline.agents.server import serve_stdio
from seamline.embed.hashing import HashEmbedder

class Slow(HashEmbedder):
    def embed(self, texts):
        print("a library that writes to standard output", flush=True)
        if any("slow" in text for text in texts):
            time.sleep(3)
        return super().embed(texts)

import logging
logging.basicConfig(stream=sys.stderr, level=logging.INFO)
serve_stdio(Library({{"a.md": "# A\\n\\nPigeons carry letters.\\n"}}, embedder=Slow()).index())
"""


LOGGING = """
import logging, sys
sys.path.insert(0, {tests!r})
from harness.library import Library
from seamline.agents.server import serve_stdio

logging.basicConfig(stream=sys.stderr, level=logging.DEBUG)
serve_stdio(Library({{"a.md": "# A"}}).index())
"""
"""A program that keeps whatever any library logs."""


class Stdio:
    """A server that a test asks, and what it wrote to standard error."""

    def __init__(self, home: Warm, errors: Path) -> None:
        self._home = home
        self._errors = errors

    def ask(self, work: Callable[[Client], Awaitable[None]], *args: str, command: list[str] | None = None) -> str:
        """Do something with a client of a new server; what the server wrote to standard error."""
        program, *rest = command or [sys.executable, "-m", "seamline", "mcp", *args]
        given = StdioServerParameters(command=program, args=rest, env=self._home.env, cwd=self._home.folder)

        async def run() -> None:
            with self._errors.open("w") as errors:
                async with Client(stdio_client(given, errlog=errors)) as client:
                    await work(client)

        asyncio.run(asyncio.wait_for(run(), 120))
        return self._errors.read_text()


@pytest.fixture
def stdio(handbook: Warm, tmp_path: Path) -> Stdio:
    return Stdio(handbook, tmp_path / "stderr")


async def said(client: Client, name: str, error: bool = False, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    assert bool(result.is_error) is error, result.content
    return "".join(part.text for part in result.content if part.type == "text")


def test_every_tool(stdio: Stdio) -> None:
    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == READING
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert "data from documents" in (client.instructions or "")
        hits = await said(client, "search", query="how long are the waits between attempts of a webhook", k=2)
        assert re.search(r"^\[1 handbook/\S+:\d+-\d+ .*; key [0-9a-f]{24}@1; score \d\.\d\d\]$", hits, re.M)
        context = await said(client, "context", query="how are webhooks retried", budget=600)
        assert "Keys:\n[1] " in context
        keys = list(dict.fromkeys(KEY.findall(hits + context)))
        cited = await said(client, "cite", keys=keys)
        assert [line.split(": ")[:2] for line in cited.splitlines() if line.startswith(tuple(keys))] == [
            [key, "current"] for key in keys
        ]
        assert "Retries" in await said(client, "outline", doc=WEBHOOKS)
        assert "handbook/webhooks.md:1-12;" in await said(client, "get", doc=WEBHOOKS, lines="1-12")
        assert "The waits grow" in await said(client, "get", doc=WEBHOOKS, section="Retries")
        assert len(KEY.findall(await said(client, "get", doc=keys[0], neighbours=1))) in (2, 3)
        assert WEBHOOKS in await said(client, "list", prefix="handbook/w")
        assert "documents: 8" in await said(client, "status")
        assert await said(client, "get", error=True, doc="no.md") == (
            "no.md: no such document in the index: `seamline ls` lists them"
        )

    assert stdio.ask(work) == ""


def test_documents_are_resources(stdio: Stdio) -> None:
    async def work(client: Client) -> None:
        listed = (await client.list_resources()).resources
        assert [one.name for one in listed if one.name.endswith("webhooks.md")] == [WEBHOOKS]
        uri = next(one.uri for one in listed if one.name == WEBHOOKS)
        read = (await client.read_resource(uri)).contents[0]
        assert "data, not instruction" in read.text
        assert "[1 handbook/webhooks.md:1-" in read.text
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["seamline://doc/{name}"]
        for wrong in ("seamline://doc/..%2F..%2Fetc%2Fpasswd", "file:///etc/passwd"):
            with pytest.raises(MCPError, match=r"no such document|expected an address"):
                await client.read_resource(wrong)

    stdio.ask(work)


def test_the_tools_are_those_that_were_agreed_on(stdio: Stdio) -> None:
    golden = ROOT / "tests/golden/mcp/tools.json"

    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        plain = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]
        assert plain == json.loads(golden.read_text(encoding="utf-8"))

    stdio.ask(work, "--write")


def test_fifty_calls_at_once(stdio: Stdio) -> None:
    async def work(client: Client) -> None:
        words = ["webhook retries", "rate limit headers", "deployment rollback", "error codes", "on call handover"]
        single = [await said(client, "search", query=word, k=3) for word in words]
        many = await asyncio.gather(*(said(client, "search", query=words[n % 5], k=3) for n in range(50)))
        assert many == [single[n % 5] for n in range(50)]

    log = stdio.ask(work, "-v")
    assert log.count("search done") == 55


def test_a_call_can_be_cancelled(stdio: Stdio) -> None:
    async def work(client: Client) -> None:
        begun = time.monotonic()
        call = asyncio.create_task(client.call_tool("search", {"query": "a slow question"}))
        await asyncio.sleep(0.5)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert "documents: 1" in await said(client, "status")
        assert time.monotonic() - begun < 2.5
        assert "Pigeons" in await said(client, "search", query="pigeons letters")

    script = textwrap.dedent(SLOW.format(tests=str(ROOT / "tests")))
    log = stdio.ask(work, command=[sys.executable, "-c", script])
    assert "search cancelled" in log


def test_an_old_client_that_shakes_hands(stdio: Stdio, handbook: Warm) -> None:
    async def run() -> None:
        command = [*("-m", "seamline", "mcp")]
        given = StdioServerParameters(command=sys.executable, args=command, env=handbook.env, cwd=handbook.folder)
        async with Client(stdio_client(given), mode="legacy") as client:
            assert client.server_info.name == "seamline"
            assert "documents: 8" in await said(client, "status")

    asyncio.run(asyncio.wait_for(run(), 60))


def test_write_adds_and_removes(warm: Warm, tmp_path: Path) -> None:
    copy_handbook(warm.folder)
    assert warm("index", "handbook", "--embedder", "hash").code == 0

    async def refused(client: Client) -> None:
        said_no = await said(client, "add", error=True, doc="a.md", text=CANARY)
        assert said_no == "add: no such tool; this server only reads: start it with --write"

    async def work(client: Client) -> None:
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert list(hints) == [*READING, "add", "remove"]
        assert hints["add"].read_only_hint is False
        assert hints["remove"].destructive_hint is True
        await asyncio.gather(
            *(said(client, "add", doc=f"birds/{n}.md", text=f"# Bird {n}\n\n{CANARY}\n") for n in range(5))
        )
        assert "5 documents" in await said(client, "list", prefix="birds/")
        found = await said(client, "search", query=CANARY, k=1)
        await said(client, "remove", doc="birds/0.md")
        assert "4 documents" in await said(client, "list", prefix="birds/")
        assert CANARY in found
        await said(client, "add", error=True, doc="", text=CANARY)
        await said(client, "add", error=True, doc="x.md", text=CANARY, mata={})
        await said(client, CANARY, error=True)

    server = Stdio(warm, tmp_path / "stderr")
    server.ask(refused)
    log = server.ask(work, "--write", "-v")
    assert "add done" in log
    assert CANARY not in log


def test_garbage_is_not_logged_and_standard_output_holds_messages_alone(handbook: Warm) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    lines = [json.dumps(hello), f"{{not json {CANARY}", json.dumps({"jsonrpc": "2.0", "method": CANARY, "params": 3})]
    for command in (["-m", "seamline", "mcp", "-v"], ["-c", LOGGING.format(tests=str(ROOT / "tests"))]):
        done = subprocess.run(
            [sys.executable, *command],
            input="".join(f"{line}\n" for line in lines),
            cwd=handbook.folder, env=handbook.env, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0
        assert [json.loads(line)["jsonrpc"] for line in done.stdout.splitlines()]
        assert CANARY not in done.stderr


def test_configurations(handbook: Warm) -> None:
    for client, servers in (("claude", "mcpServers"), ("cursor", "mcpServers"), ("vscode", "servers")):
        ended = handbook("mcp", "--config", client, "--write")
        assert ended.code == 0
        assert "put this into " in ended.err
        server = json.loads(ended.out)[servers]["seamline"]
        assert server["args"][-4:] == ["mcp", "--index", str(handbook.folder / ".seamline"), "--write"]
        assert Path(server["command"]).is_absolute()


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--index", "nowhere"], 1, "error: there is no index in nowhere"),
        (["--cap", "100"], 2, "error: --cap: expected a cap of 500 tokens or more, got 100"),
        (["--config", "emacs"], 2, "invalid choice"),
    ],
)
def test_refusals(handbook: Warm, args: list[str], code: int, message: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "seamline", "mcp", *args],
        cwd=handbook.folder, env=handbook.env, capture_output=True, text=True, timeout=60, input="",
    )  # fmt: skip
    assert done.returncode == code
    assert message in done.stderr
    assert done.stdout == ""
