"""Parsers that fail or are stopped: a source that is text is still cut, and a notice says what was lost."""

from __future__ import annotations

from time import thread_time

import pytest

import seamline
from seamline.errors import MissingExtra, ParseError, ParserGaveUp
from seamline.formats import BY_MEDIA_TYPE, BY_NAME
from seamline.parse import parse_bytes, parse_text
from seamline.parse.isolate import process
from seamline.testing.parsers import check_document
from seamline.types import Document

pytestmark = pytest.mark.slow

SOURCE = "<h1>Été</h1>\n\n<p>First words.\n\n<p>Last words.\n"
TEXTS = [one.name for one in BY_NAME.values() if one.is_text and not one.is_proved]


def give(monkeypatch: pytest.MonkeyPatch, format_name: str, fault: str) -> None:
    """Let files of a format be read by a parser that does what parsers must not."""
    one = BY_NAME[format_name]
    monkeypatch.setitem(BY_MEDIA_TYPE, one.media_type, one._replace(parser=f"harness.faults:{fault}"))


def said(document: Document) -> str:
    return "; ".join(f"{notice.code}: {notice.message}" for notice in document.notices)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SECONDS", 1.0)
    monkeypatch.setattr(process, "_WALL", 60)  # a busy machine must not look like a parser that hangs


@pytest.mark.parametrize("name", TEXTS)
def test_text_whose_parser_crashed_is_cut_with_a_notice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, name, "crash")
    document = parse_bytes(SOURCE.encode(), uri="a.x", media_type=BY_NAME[name].media_type)
    assert document.text == SOURCE
    assert "the parser crashed (exit code" in said(document)
    assert said(document).startswith("no-grammar: " if name == "code" else "structure-lost: ")
    check_document(document)
    assert "Last words" in seamline.chunk(document)[-1].text


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("spin", "more than 1 s of CPU time"),
        ("hoard", "more than 512 MB"),
        ("fail", "ZeroDivisionError: by zero"),
        ("recurse", "RecursionError"),
    ],
)
def test_the_notice_says_what_was_lost_and_why(fault: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, "html", fault)
    document = parse_text(SOURCE, uri="page.html", media_type="text/html")
    assert document.text == SOURCE
    assert "structure-lost: cut as plain text, without the structure of html: " in said(document)
    assert why in said(document)
    assert "page.html" not in said(document)


def test_what_is_no_text_is_refused_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, "docx", "crash")
    with pytest.raises(ParserGaveUp, match=r"^a\.docx: the parser crashed"):
        parse_bytes(b"PK", uri="a.docx", media_type=BY_NAME["docx"].media_type)


def test_what_is_refused_on_purpose_stays_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, "html", "refuse")
    with pytest.raises(ParseError, match="broken: mend it") as caught:
        parse_text(SOURCE, media_type="text/html")
    assert not isinstance(caught.value, ParserGaveUp)
    give(monkeypatch, "html", "lack")
    with pytest.raises(MissingExtra):
        parse_text(SOURCE, media_type="text/html")


# --- code that its grammar takes too long over --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.js", '"""' * 8_000),
        ("a.c", "[[a]]" * 9_600),
        ("a.js", "-> " * 12_000),
        ("a.py", 'a = "' + "b c " * 12_000),
        ("a.c", "x = [" + "1, " * 16_000 + "]\n"),
    ],
)
def test_a_grammar_is_stopped_after_about_a_second(name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They took 2 to 26 s."""
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")
    pytest.importorskip("tree_sitter")
    start = thread_time()
    document = parse_bytes(source.encode(), uri=name)
    assert thread_time() - start < 1.7
    assert document.text == source
    assert not seamline.audit(seamline.chunk(document), limit=512)


def test_a_stopped_grammar_is_told_and_the_next_source_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")
    pytest.importorskip("tree_sitter")
    assert "no-grammar: read without a grammar: the grammar of c took too long" in said(
        parse_text("[[a]]" * 9_600, media_type="code", uri="a.c")
    )
    whole = parse_text("int a;\nint f(void) {\n  return 1;\n}\n", media_type="code", uri="b.c")
    assert not whole.notices
    assert [block.kind for block in whole.blocks] == ["code", "scope"]


def test_a_grammar_that_is_slow_after_the_last_byte_is_stopped_by_its_process() -> None:
    """32 kB of it took 51 s, all of them after the last byte was read."""
    pytest.importorskip("tree_sitter")
    resource = pytest.importorskip("resource")
    source = "a => " * 6_400
    before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    document = parse_text(source, media_type="code", uri="a.c")
    assert document.text == source
    assert "no-grammar" in said(document)
    assert "and was stopped" in said(document)
    assert sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before < 5


def test_the_short_time_of_code_is_cpu_time_and_not_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 17 processes on 2 cores, a source that takes 0.2 s was stopped after 9 s by the clock."""
    monkeypatch.setattr(process, "CODE", 0.001)
    monkeypatch.setattr(process, "_WALL", 60)
    document = parse_text("int a;\n", media_type="code", uri="a.c")
    assert not document.notices
