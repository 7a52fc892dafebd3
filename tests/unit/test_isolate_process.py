"""Parsers in a process of their own. Real child processes, really killed."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from harness import environment
from seamline.errors import MissingExtra, ParseError
from seamline.formats import Format
from seamline.parse.isolate import process, wire
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.types import Block, Column, Detail, Dialect, Enclosure

pytestmark = pytest.mark.slow

RAW = ParseInput(b"", "Text, été 👩‍👩‍👧‍👦.", "bad.xyz", "text/plain")


def parse(name: str, raw: ParseInput = RAW) -> ParseResult:
    return process.parse_apart(Format("test", "x/test", (), f"harness.faults:{name}", True), raw)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SECONDS", 1.0)
    monkeypatch.setattr(process, "_WALL", 60)  # a busy machine must not look like a parser that hangs


def test_a_result_comes_back_whole() -> None:
    assert parse("echo").text == RAW.text


def test_one_child_serves_many_documents() -> None:
    parse("echo")
    first = process._workers[0]
    for _ in range(20):
        parse("echo")
    assert process._workers[0] is first


def test_what_a_library_prints_is_no_answer() -> None:
    assert parse("shout").text == RAW.text
    assert parse("echo").text == RAW.text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("spin", "more than 1 s of CPU time"),
        ("hoard", "more than 512 MB"),
        ("crash", "the parser crashed"),
        ("leave", "the parser crashed"),
        ("panic", "the parser crashed"),
        ("fail", "ZeroDivisionError: by zero"),
        ("recurse", "RecursionError"),
        ("phone", "PermissionError: a parser tried socket.getaddrinfo, which none may"),
        ("start", "PermissionError: a parser tried subprocess.Popen, which none may"),
        ("surrogate", "UnicodeEncodeError"),
        ("absent", "AttributeError"),
    ],
)
def test_what_a_parser_must_not_do_ends_in_a_clear_error_and_the_next_document_is_read(name: str, said: str) -> None:
    with pytest.raises(ParseError, match=said) as caught:
        parse(name)
    assert str(caught.value).startswith("bad.xyz: ")
    assert parse("echo").text == RAW.text


def test_a_parser_that_hangs_without_doing_anything_is_stopped_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_WALL", 2)
    with pytest.raises(ParseError, match="took longer than 2 s"):
        parse("sleep")
    assert parse("echo").text == RAW.text


def test_a_parser_that_asks_for_more_time_gets_it() -> None:
    assert parse("slow").text == RAW.text


def test_errors_keep_their_kind_and_place() -> None:
    with pytest.raises(ParseError, match=r"^bad\.xyz, line 3: broken: mend it$") as caught:
        parse("refuse")
    assert caught.value.where == "line 3"
    with pytest.raises(MissingExtra, match=r"run `pip install 'seamline\[odd\]'`"):
        parse("lack")


def test_threads_take_turns() -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(parse("echo", RAW._replace(text=f"text {n}")).text))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [f"text {n}" for n in range(8)]


def test_large_documents_pass_the_pipe() -> None:
    text = "word " * 4_000_000
    assert parse("echo", RAW._replace(text=text)).text == text


def test_a_process_that_was_forked_starts_a_child_of_its_own() -> None:
    parse("echo")
    child = os.fork()
    if not child:
        try:
            os._exit(0 if parse("echo").text == RAW.text else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert parse("echo").text == RAW.text


def test_without_isolation_the_parser_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")
    with pytest.raises(ZeroDivisionError):
        parse("fail")


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """When a process ends, its parsers end too."""
    import subprocess
    import sys

    script = (
        "import seamline.parse.isolate.process as w\n"
        "from seamline.formats import Format; from seamline.parse.parser_types import ParseInput\n"
        "w.parse_apart(Format('t', 'x/t', (), 'harness.faults:echo', True), ParseInput(b'', 'x'))\n"
        "print(w._workers[0]._process.pid)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment())
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.stdout), 0)


# --- the wire ------------------------------------------------------------------------------------------------------


def sent(parsed: ParseResult) -> tuple[list[Any], bytes]:
    """What the parent gets of an answer: its JSON, and the bytes beside it."""
    frame = wire.write_answer(parsed)
    size, _ = wire.HEADER.unpack(frame[: wire.HEADER.size])
    beside = wire.HEADER.size + size
    return json.loads(frame[wire.HEADER.size : beside]), frame[beside:]


def test_details_go_over_the_wire() -> None:
    columns = (Column("x", "integer"), Column("y", "text"))
    detail = Detail(Enclosure(0, 2, "}"), "", "object", header_end=0, columns=columns, dialect=Dialect(";"), pause=0.0)
    blocks = [Block("table", 0, 4, 0, -1, detail), Block("row", 0, 4, 0, 0)]
    read = wire.read_answer(*sent(ParseResult("a: b", blocks)))
    assert read.blocks == blocks
    assert type(read.blocks[0].detail) is Detail


@pytest.mark.parametrize(
    "said",
    [
        [],
        {"unknown": 1},
        {"fenced": 1},
        {"name": None},
        {"enclosure": [0, 9, ""]},
        {"enclosure": [0, 1, 2]},
        {"header_end": -1},
        {"columns": [["x"]]},
        {"dialect": [",", '"', "", "more"]},
    ],
)
def test_a_detail_that_is_none_is_refused(said: object) -> None:
    answer, beside = sent(ParseResult("text", [Block("paragraph", 0, 4)]))
    answer[2][0][5] = said
    with pytest.raises((TypeError, ValueError, LookupError)):
        wire.read_answer(answer, beside)
