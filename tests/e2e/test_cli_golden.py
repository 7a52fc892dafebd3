"""What people see, kept as files that people read. SEAMLINE_UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"
EXAMPLES = Path(__file__).parents[2] / "examples"

CASES = {
    "view": ["chunk", "page.md"],
    "explain": ["chunk", "page.md", "--limit", "96", "--explain"],
    "full": ["chunk", "page.md", "--limit", "96", "--full"],
    "overlap": ["chunk", "page.md", "--limit", "64", "--overlap", "sentences:20", "--explain"],
    "folder": ["chunk", "handbook"],
    "colour": ["chunk", "page.md", "--explain"],
    "audit": ["audit", "page.md", "--limit", "96"],
    "json": ["chunk", "page.md", "--json", "--limit", "256"],
}


@pytest.mark.parametrize("name", CASES)
def test_output_is_as_it_was(cli, write, name: str) -> None:
    write("page.md", (GOLDEN / "page.md").read_bytes())
    (cli.folder / "handbook").symlink_to(EXAMPLES / "handbook")
    env = {"COLUMNS": "110", **({"FORCE_COLOR": "1"} if name == "colour" else {})}
    ended = cli(*CASES[name], env=env)
    assert ended.code == 0, ended.err
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("SEAMLINE_UPDATE_GOLDEN"):
        golden.write_text(ended.out, encoding="utf-8")
    assert ended.out == golden.read_text(encoding="utf-8"), f"SEAMLINE_UPDATE_GOLDEN=1 rewrites {golden.name}"
