"""What a panic of a library written in Rust leaves of a command: one line for one document, the rest done."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PANICKING = "J\u00a0. Smith? yes. He left! 5 more. " * 200
SEEING = "import re, seamline.text.sentences as s; s._WIDE_SPACE = re.compile('(?!)')"
"""Lets `sentencex` see the space on which it panics."""
RUN = f"{SEEING}; from seamline.cli.main import run; run()"
LINE = (
    "seamline: error: {name}: sentencex failed on this text (end byte index 2 is not a char boundary; it is inside "
    "'\\u{{a0}}' (bytes 1..3 of string)): leave the document out or change the text, and report it, as this is a fault "
    "of the library"
)


@pytest.fixture
def panicking(cli, write):
    """Runs a command in which `sentencex` panics on the second of three files, with all that Rust can say."""
    for name, text in {"a.md": "# A\n\nText.\n", "b.md": PANICKING, "c.md": "# C\n\nText.\n"}.items():
        write(f"docs/{name}", text)

    def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
        given = {**cli.env, "RUST_BACKTRACE": "full", **env}
        command = [sys.executable, "-c", RUN, *args]
        return subprocess.run(command, cwd=cli.folder, env=given, capture_output=True, text=True, timeout=60)

    return run


def test_chunk(panicking) -> None:
    ended = panicking("chunk", "docs", "--json")
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [LINE.format(name="docs/b.md"), "seamline: 1 of 3 inputs failed"]
    assert [json.loads(line)["doc"] for line in ended.stdout.splitlines()] == ["docs/a.md", "docs/c.md"]


def test_index(panicking) -> None:
    ended = panicking("index", "docs", "--embedder", "hash", "--json")
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [LINE.format(name="docs/b.md")]
    assert json.loads(ended.stdout)["added"] == 2


def test_audit(panicking) -> None:
    ended = panicking("audit", "docs", "--json")
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert "panicked" not in ended.stderr
    assert json.loads(ended.stdout)["documents"] == 2


def test_debugging_shows_what_the_library_says(panicking) -> None:
    assert "panicked at" in panicking("chunk", "docs", SEAMLINE_DEBUG="1").stderr
