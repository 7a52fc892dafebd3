"""The transcript of the page about agents: every call is made, and answered as the page shows."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from pages import ROOT, Code, Reader, blocks, matches

pytest.importorskip("mcp")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

PAGE = ROOT / "docs/howto/agents.md"


def calls() -> list[tuple[Code, Code]]:
    """The calls of the page, each with the answer below it."""
    found = blocks(PAGE)
    return [(call, said) for call, said in pairwise(found) if '"tool"' in call.body]


def test_every_call_is_answered_as_shown(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    reader.type("seamline index examples/handbook")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    given = StdioServerParameters(command=sys.executable, args=["-m", "seamline", "mcp"], env=env, cwd=reader.folder)

    async def run() -> list[str]:
        wrong = []
        async with Client(given) as client:
            for call, said in calls():
                asked = json.loads(call.body)
                result = await client.call_tool(asked["tool"], asked["arguments"])
                got = "".join(part.text for part in result.content if part.type == "text")
                if not matches(said.body, got):
                    wrong.append(f"{said.place}:\n{got}")
        return wrong

    assert len(calls()) >= 4
    assert not asyncio.run(asyncio.wait_for(run(), 60))
