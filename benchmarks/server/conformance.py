"""The protocol for agents, judged by the tools of its makers: the conformance suite and the Inspector's command line.

Both need Node 22 or later, which nothing else here does:

    npm install --prefix FOLDER @modelcontextprotocol/conformance @modelcontextprotocol/inspector
    python -m benchmarks.server.conformance FOLDER

The suite asks over HTTP. Many of its scenarios call tools that only its own test server has; `conformance.yml` lists
them. So the Inspector calls every tool of this server, over HTTP and over standard input and output.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import seamline
from benchmarks.server.load import serving

_ROOT = Path(__file__).parents[2]
_EXPECTED = Path(__file__).with_name("conformance.yml")
_SCOPE = Path("node_modules", "@modelcontextprotocol")
_SECONDS = 300
_VACUOUS = ("tools-call-simple-text", "tools-call-error")
"""Scenarios that call a tool of the test server, and take the refusal of an unknown tool for its answer."""


@dataclass(frozen=True)
class Inspector:
    """The Inspector's command line towards one transport."""

    command: Sequence[str]
    target: Sequence[str]

    def ask(self, method: str, *options: str) -> dict[str, Any]:
        """The result of a method; it raises where the client cannot read it."""
        done = subprocess.run(
            [*self.command, *self.target, "--method", method, *options],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        if done.returncode and not done.stdout.strip():
            raise RuntimeError(f"{method}: {done.stderr.strip()[-500:]}")
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found

    def call(self, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        return self.ask("tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))


def inspect(inspector: Inspector) -> dict[str, str]:
    """Every method and tool; what was found, in words."""
    tools = [tool["name"] for tool in inspector.ask("tools/list")["tools"]]
    resources = inspector.ask("resources/list")["resources"]
    templates = inspector.ask("resources/templates/list")["resourceTemplates"]
    address, doc = resources[0]["uri"], resources[0]["name"]
    text = inspector.ask("resources/read", "--uri", address)["contents"][0]["text"]
    found = {
        "tools/list": f"{len(tools)} tools",
        "resources/list": f"{len(resources)} documents",
        "resources/templates/list": templates[0]["uriTemplate"],
        "resources/read": f"{len(text):,} characters of {doc}",
    }
    hit = _text(inspector.call("search", {"query": "answer a delivery within ten seconds", "k": 1}))
    key = re.search(r"key (\S+@\d+)", hit)
    assert key, hit
    calls: dict[str, Mapping[str, object]] = {
        "search": {"query": "how long are events kept", "k": 2, "where": 'kind = "text"', "min_score": 0},
        "context": {"query": "how long are events kept", "budget": 500},
        "get": {"doc": key[1], "neighbours": 1},
        "cite": {"keys": [key[1], "unknown@1"]},
        "outline": {"doc": doc},
        "list": {},
        "status": {},
    }
    assert set(calls) == set(tools), f"other tools than those that are called here: {tools}"
    for name, arguments in calls.items():
        found[name] = f"{len(_text(inspector.call(name, arguments))):,} characters"
    mistakes: dict[str, Mapping[str, object]] = {"get": {"doc": "no.md"}, "search": {"query": "a", "k": -1}}
    for name, wrong in mistakes.items():
        refused = inspector.call(name, wrong)
        assert refused["isError"], refused
    return found


def _text(result: Mapping[str, Any]) -> str:
    assert not result.get("isError"), result
    text = result["content"][0]["text"]
    assert isinstance(text, str)
    return text


def run_suite(node: str, folder: Path, url: str) -> bool:
    """All scenarios for servers; whether those pass that are not expected to fail."""
    program = folder / _SCOPE / "conformance" / "dist" / "index.js"
    done = subprocess.run(
        [node, str(program), "server", "--url", url, "--suite", "all", "--expected-failures", str(_EXPECTED)],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    print(done.stdout[done.stdout.find("=== SUMMARY") :].strip() or done.stderr)
    print(f"(without meaning here, as an unknown tool is refused as they expect: {', '.join(_VACUOUS)})\n")
    return not done.returncode


def main(arguments: argparse.Namespace) -> int:
    package = arguments.folder / _SCOPE / "inspector"
    launcher = json.loads((package / "package.json").read_text())["bin"]["mcp-inspector"]
    command = [arguments.node, str(package / launcher), "--cli"]
    with TemporaryDirectory() as folder:
        place = Path(folder) / "handbook"
        with seamline.open_index(place, config=seamline.IndexConfig(), root=_ROOT) as index:
            index.update([_ROOT / "examples" / "handbook"])
        with serving(place) as (_, port):
            url = f"http://127.0.0.1:{port}/mcp"
            is_kept = run_suite(arguments.node, arguments.folder, url)
            http = inspect(Inspector(command, [url, "--transport", "http"]))
        start = [sys.executable, "-P", "-m", "seamline", "mcp", "--index", str(place)]
        stdio = inspect(Inspector(command, start))
    print("| by the Inspector | HTTP | stdio |\n|---|---|---|")
    for name, said in http.items():
        print(f"| {name} | {said} | {stdio[name]} |")
    print()
    for text, kept in (("conformance suite", is_kept), ("both transports answer alike", http == stdio)):
        print(f"{'pass' if kept else 'FAIL'}  {text}")
    return 0 if is_kept and http == stdio else 1


def parse(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where both packages are installed")
    parser.add_argument("--node", default="node", help="Node 22 or later")
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main(parse(sys.argv[1:])))
