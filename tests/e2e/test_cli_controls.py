"""No command prints what a terminal obeys or what reorders a line, whatever documents and file names hold."""

from __future__ import annotations

import json
import os
import pty
from pathlib import Path

import pytest

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
C1 = "".join(map(chr, range(0x80, 0xA0)))
HARMFUL = {*map(chr, range(32)), "\x7f", *C1, *BIDI, "\u2028", "\u2029"}
HEADING = "Retry \x1b[31mred \u202etxet \x9b2J"
BODY = f"The retry \x1b]0;owned\x07 is \x9b31m late\x7f {C1} {BIDI} \u2028 and \u2029.\tA tab.\r\nA line.\rOver it."
FRONT = 'title: "T\\e[31m \\u202ex"\n"k\\u202ey": "v\\x9b2J"\n'
DOCUMENT = f"---\n{FRONT}---\n# {HEADING}\n\n{BODY}\n"
NAME = "a\x1b[2J\u202eb\x9b.md"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, handbook):
    """An index of one document that tries everything, beside that document."""
    warm = handbook.at(tmp_path_factory.mktemp("hostile"))
    (warm.folder / NAME).write_bytes(DOCUMENT.encode())
    ended = warm("index", ".", "--embedder", "hash")
    assert ended.code == 0, ended.err
    return warm


def commands(warm) -> dict[str, list[str]]:
    """Every command that prints text of documents."""
    found = json.loads(warm("search", "retry", "--json").out)["hits"][0]["citations"][0]
    return {
        "chunk": ["chunk", NAME],
        "search": ["search", "retry"],
        "context": ["context", "retry"],
        "cite": ["cite", f"{found['id']}@{found['version']}"],
        "stats": ["stats"],
        "inspect": ["inspect", NAME],
        "audit": ["audit", NAME],
        "index": ["index", "."],
        "doctor": ["doctor"],
    }


@pytest.mark.parametrize(
    "command", ["chunk", "search", "context", "cite", "stats", "inspect", "audit", "index", "doctor"]
)
def test_json_is_safe_and_holds_the_same_text(hostile, command: str) -> None:
    ended = hostile(*commands(hostile)[command], "--json")
    assert not (HARMFUL - {"\n"}) & set(ended.out + ended.err)
    lines = ended.out.split("\n")
    assert lines.pop() == ""
    values = [json.loads(line) for line in lines]
    if command in ("chunk", "search", "context", "cite"):
        assert held(values, BODY)


def held(value: object, text: str) -> bool:
    """Whether any string in a JSON value holds a text."""
    if isinstance(value, str):
        return text in value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(held(one, text) for one in inner)


@pytest.mark.parametrize("command", ["chunk", "search", "cite", "stats", "inspect", "audit", "index", "doctor"])
def test_text_for_people_is_safe_in_a_pipe(hostile, command: str) -> None:
    options = {"chunk": ["--full", "--explain"], "search": ["--full", "--explain"], "inspect": ["--blocks"]}
    ended = hostile(*commands(hostile)[command], *options.get(command, []))
    assert not (HARMFUL - {"\n"}) & set(ended.out + ended.err)


def test_context_in_a_pipe_shows_escapes_and_says_so(hostile) -> None:
    ended = hostile("context", "retry")
    assert set(ended.out) & HARMFUL == {"\n", "\t", "\r"}
    assert "\\x1b]0;owned\\x07 is \\x9b31m late\\x7f" in ended.out
    assert "\tA tab.\r\nA line.\\rOver it." in ended.out
    assert "\\u202etxet" in ended.out
    assert "seamline: notice: control characters are printed as escapes; --raw prints them as they are" in ended.lines


def test_raw_context_is_the_text_itself(hostile) -> None:
    ended = hostile("context", "retry", "--raw")
    assert f"{BODY}\n" in f"{ended.out}\n"
    assert ended.out == json.loads(hostile("context", "retry", "--json").out)["text"]
    assert not any("escapes" in line for line in ended.lines)


def test_context_of_harmless_text_is_the_text_itself(handbook) -> None:
    ended = handbook("context", "retries")
    assert ended.out == json.loads(handbook("context", "retries", "--json").out)["text"]
    assert not any("escapes" in line for line in ended.lines)


def test_raw_json_is_refused(hostile) -> None:
    ended = hostile("context", "retry", "--raw", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert ended.lines == ["seamline: error: --raw and --json: choose one, as JSON holds the exact text in any case"]


def test_context_on_a_terminal_is_safe(hostile) -> None:
    ours, theirs = pty.openpty()
    process = hostile.start("context", "retry", "--quiet", stdout=theirs)
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 65536):
            seen += part
    except OSError:  # the other side is gone
        pass
    os.close(ours)
    process.communicate(timeout=30)
    assert set(seen.decode()) & HARMFUL == {"\n", "\r", "\t"}  # the terminal adds the carriage returns
    assert "\\x1b]0;owned" in seen.decode()


def test_names_that_are_no_text(cli, tmp_path: Path) -> None:
    name = b"bad\xff\x1b[2J\nname.md"
    try:
        (tmp_path / os.fsdecode(name)).write_text("# A\n\nText.\n")
    except OSError:
        pytest.skip("the file system takes only names that are UTF-8")
    shown = "bad\\udcff\\x1b[2J\\nname.md"
    for command in (
        ["chunk"],
        ["inspect", "--json"],
        ["inspect"],
        ["audit", "--json"],
        ["index", "--embedder", "hash"],
    ):
        ended = cli(*command, os.fsdecode(name))
        assert not (HARMFUL - {"\n"}) & set(ended.out + ended.err)
        assert shown in ended.err or "bad\\udcff\\u001b[2J\\nname.md" in ended.out or shown in ended.out


@pytest.mark.parametrize("command", [["inspect", "a.md"], ["doctor"]])
def test_json_is_utf_8_whatever_the_terminal_speaks(cli, write, command: list[str]) -> None:
    write("a.md", "# Grüße 鍵\n\nText.\n")
    ended = cli(*command, "--json", env={"PYTHONIOENCODING": "ascii"})
    value = json.loads(ended.out)
    assert command == ["doctor"] or value["title"] == "Grüße 鍵"


def test_the_traceback_of_a_fault_is_safe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from seamline.cli import main

    def fail(argv: object) -> int:
        raise ValueError("a\x1b[2J\u202e\nb")

    monkeypatch.setattr(main, "_dispatch", fail)
    monkeypatch.setenv("SEAMLINE_DEBUG", "1")
    assert main.main([]) == 70
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert not (HARMFUL - {"\n"}) & set(said)
