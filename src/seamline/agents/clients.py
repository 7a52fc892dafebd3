"""Configurations that make common clients start the server."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

ClientName = Literal["claude", "cursor", "vscode"]
CLIENTS: tuple[str, ...] = get_args(ClientName)
PLACES = {
    "claude": "claude_desktop_config.json of Claude Desktop, or .mcp.json of a project for Claude Code",
    "cursor": ".cursor/mcp.json of a project, or ~/.cursor/mcp.json",
    "vscode": ".vscode/mcp.json of a project",
}
"""The file that each reads."""


def command_line() -> list[str]:
    """What starts Seamline from anywhere: its script, else this Python."""
    script = shutil.which("seamline")
    return [str(Path(script).absolute())] if script else [sys.executable, "-P", "-m", "seamline"]


def configuration(client: str, arguments: Sequence[str]) -> str:
    """The JSON that a client needs to start `seamline` with these arguments."""
    program, *before = command_line()
    server: dict[str, object] = {"command": program, "args": [*before, *arguments]}
    if client == "vscode":
        return json.dumps({"servers": {"seamline": {"type": "stdio", **server}}}, indent=2, ensure_ascii=False)
    return json.dumps({"mcpServers": {"seamline": server}}, indent=2, ensure_ascii=False)
