"""Other doors on the server: MCP by the official client with tokens of all kinds, and the inspector's page."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip("mcp")

import httpx
from mcp.client import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

import seamline
from harness.server import SECRETS, ServerProcess, bearer, process

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPTED = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with seamline.open_index(tmp_path / "kb", config=seamline.IndexConfig(embedder="hash")) as index:
        index.add("pumps.md", "# Pumps\n\nThe red pump needs part 7.", meta={"team": "red"})
    rows = {"read": 'rights = ["read"]', "write": 'rights = ["read", "write"]', "tenant": 'tenant = { team = "red" }'}
    text = "".join(
        f'[[token]]\nname = "{name}"\nsha256 = "{sha256(SECRETS[name].encode()).hexdigest()}"\n{row}\n'
        for name, row in rows.items()
    )
    file = tmp_path / "tokens.toml"
    file.write_text(text)
    file.chmod(0o600)
    with process("--index", str(tmp_path / "kb"), "--token-file", str(file), "-q") as server:
        yield server


def test_agents_with_tokens(server: ServerProcess) -> None:
    async def use(caller: str) -> tuple[set[str], str]:
        async with (
            create_mcp_http_client(headers=bearer(caller)) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            tools = {tool.name for tool in (await client.list_tools()).tools}
            found = await client.call_tool("search", {"query": "red pump part"})
            return tools, found.content[0].text  # type: ignore[union-attr]

    for caller, writes in (("read", False), ("write", True)):
        tools, text = asyncio.run(use(caller))
        assert ("add" in tools) == writes
        assert "pumps.md" in text


def test_who_may_and_who_may_not(server: ServerProcess) -> None:
    def hello(headers: dict[str, str]) -> httpx.Response:
        return httpx.post(f"{server.url}/mcp", json=HELLO, headers={**ACCEPTED, **headers}, timeout=30)

    assert hello({}).status_code == 401
    assert hello(bearer("tenant")).status_code == 403
    assert hello({**bearer("read"), "Host": "evil"}).status_code == 421
    assert hello({**bearer("read"), "Origin": "http://evil"}).status_code == 403
    begun = hello(bearer("write"))
    assert begun.status_code == 200
    session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
    assert hello({**bearer("read"), **session}).status_code in (400, 404)  # of somebody else


def test_an_open_session_does_not_hold_up_the_end(server: ServerProcess) -> None:
    begun = httpx.post(f"{server.url}/mcp", json=HELLO, headers={**ACCEPTED, **bearer("read")}, timeout=30)
    session = {"Mcp-Session-Id": begun.headers["mcp-session-id"], **ACCEPTED, **bearer("read")}
    with httpx.stream("GET", f"{server.url}/mcp", headers=session, timeout=30) as stream:
        assert stream.status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == 0


def test_the_page_is_open_and_what_it_asks_for_is_not(server: ServerProcess) -> None:
    page = httpx.get(f"{server.url}/")
    assert (page.status_code, "script-src 'self'" in page.headers["content-security-policy"]) == (200, True)
    for file in re.findall(r'(?:src|href)="(/inspector/static/[^"]+)"', page.text):
        assert httpx.get(server.url + file).status_code == 200

    def ask(path: str, caller: str, **body: object) -> httpx.Response:
        headers = bearer(caller) if caller else {}
        return httpx.post(f"{server.url}/inspector/{path}", json=body, headers=headers, timeout=30)

    assert ask("start", "").status_code == 401
    assert ask("start", "read").json()["index"]["documents"][0]["doc"] == "pumps.md"
    assert ask("start", "tenant").json()["index"]["documents"] == []
    assert ask("view", "read", doc="pumps.md").status_code == 200
    assert ask("view", "tenant", doc="pumps.md").status_code == 403
    assert ask("search", "tenant", query="red pump").status_code == 200
