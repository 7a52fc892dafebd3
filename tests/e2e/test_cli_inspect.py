"""`seamline inspect`, as a subprocess."""

from __future__ import annotations

import json
import re
from pathlib import Path

from harness.server import is_listening

PAGE = (
    "---\ntitle: Guide\n---\n# Guide\n\nSome words.\n\n## Retries\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)


def test_the_outline_of_a_file(cli, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    ended = cli("inspect", "a.md")
    assert ended.code == 0
    assert ended.out.startswith("a.md  text/markdown, ")
    assert "class      prose (too little speaks for another class" in ended.out
    assert "h1 # Guide  :4\n  h2 ## Retries  :8\n" in ended.out
    assert "paragraph Some" not in ended.out


def test_all_blocks_with_their_places(cli, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    out = cli("inspect", "--blocks", "a.md").out
    assert "  paragraph Some words.  :6\n" in out
    assert "    list - one - two  :10-11\n      item - one  :10\n" in out
    assert "      row | a | b |  :13\n" in out


def test_colour_where_it_is_wanted(cli, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    assert "\x1b[1m# Guide\x1b[0m" in cli("inspect", "a.md", env={"FORCE_COLOR": "1"}).out


def test_json_for_programs(cli, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    record = json.loads(cli("inspect", "--json", "a.md").out)
    assert record["class"] == "prose"
    assert record["metadata"] == {"title": "Guide"}
    assert record["blocks"][0] == {"kind": "heading", "level": 1, "parent": -1, "start": 21, "end": 28, "lines": [4, 4]}


def test_a_file_that_cannot_be_read_does_not_stop_the_others(cli, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    (tmp_path / "b.pdf").write_bytes(b"")
    ended = cli("inspect", "b.pdf", "missing.md", "a.md")
    assert ended.code == 1
    assert "b.pdf: is empty: there is nothing to read" in ended.err
    assert "missing.md: no such file" in ended.err
    assert "h1 # Guide" in ended.out


def test_standard_input(cli, tmp_path: Path) -> None:
    assert "h1 # Hi  :1" in cli("inspect", "-", stdin=b"# Hi\n").out


def test_a_file_or_a_page(cli) -> None:
    without = cli("inspect")
    assert without.code == 2
    assert "FILE" in without.err
    mixed = cli("inspect", "--web", "--json")
    assert mixed.code == 2
    assert "leave --json and --blocks out" in mixed.err


def test_the_page_is_for_this_machine_alone(cli, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    with cli.start("inspect", "--web", "a.md") as process:
        try:
            address = re.search(rb"http://127\.0\.0\.1:(\d+)/", process.stderr.readline())
            assert address
            assert is_listening("127.0.0.1", int(address[1]))
            assert not is_listening("127.0.0.2", int(address[1]))  # it would, if it listened on every address
        finally:
            process.terminate()
