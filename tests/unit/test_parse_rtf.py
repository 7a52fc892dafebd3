"""Rich Text Format: its text, structure and characters, and what is left out of it."""

from __future__ import annotations

import time

import pytest
from block_views import said, shape
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.errors import SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.office.rtf import RtfReader
from seamline.parse.parser_types import ParseLimits
from seamline.testing.parsers import check_document
from seamline.types import Document

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Cyr;}{\f2\fcharset128 Jp;}}"
    r"{\colortbl;\red0;}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Kapitel;}{\s2 heading 2;}{\s3 caption;}}"
)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(body: str) -> Document:
    document = parse_bytes(f"{HEAD}{body}}}".encode("latin-1"), uri="a.rtf")
    check_document(document)
    return document


def test_headings_by_outline_level_and_by_the_name_of_a_style() -> None:
    document = read(r"\pard\s1 One\par\pard Text.\par\pard\s2 Two\par\pard\outlinelevel2 Three\par")
    assert [(b.level, document.text[b.start : b.end]) for b in document.blocks if b.kind == "heading"] == [
        (1, "# One"), (2, "## Two"), (3, "### Three"),
    ]  # fmt: skip
    assert document.title == "One"


def test_characters_of_code_pages_fonts_and_unicode() -> None:
    document = read(
        r"Caf\'e9 \u8364?5 {\f1 \'cf\'f0\'e8} {\f2 \'82\'a0\'83A} "
        r"{\uc2\u9731\'3f\'3f} \u-10179?\u-8704? \endash\~\{x\}\par"
    )
    assert document.text == "Café €5 При あア ☃ 😀 – {x}"


def test_lists_nest_by_their_level() -> None:
    document = read(
        r"\pard{\listtext 1.\tab}\ls1\ilvl0 one\par"
        r"\pard{\listtext\'b7\tab}\ls1\ilvl1 inner\par\pard{\pntext 2.\tab}two\par"
    )
    assert document.text == "1. one\n   - inner\n\n2. two"


def test_tables_and_footnotes() -> None:
    rows = r"\trowd\pard\intbl Ship{\footnote\pard {{{{A \b note.}}}}}\cell Speed\cell\row"
    rows += r"\trowd\pard\intbl A\par B\cell 4\cell\row"
    document = read(rf"{rows}\pard After.\par")
    assert said(document, "row") == ["| Ship[^1] | Speed |", "| A B | 4 |"]
    assert said(document, "footnote") == ["[^1]: A note."]
    assert shape(document)[-1] == "paragraph"


def test_what_is_no_text_is_left_out_and_told() -> None:
    document = read(
        r"{\info{\title Rules}{\author Ada}}{\header Top\par}{\pict 00ff}{\v secret}{\*\unknown gone}"
        r'Seen {\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt a link}}.{\bin3 }}}\par'
    )
    assert document.text == "Seen a link."
    assert (document.title, document.meta["author"]) == ("Rules", "Ada")
    assert {notice.code for notice in document.notices} == {"images", "running-text", "hidden-text"}


def test_chunks_name_the_paragraph_they_come_from() -> None:
    document = read(r"One.\par Two.\par")
    assert document.anchors is not None
    assert [run.place["paragraph"] for run in document.anchors] == ["p[1]", "p[2]"]


SCRAPS = (
    r"{", r"}", r"\par ", r"\cell ", r"\row ", r"\intbl ", r"\pard", r"\u-10179?", r"\'e9", r"\'", "\\", "text ",
    r"{\footnote ", r"{\listtext ", r"{\*\x ", r"{\stylesheet", r"{\fonttbl", r"\s1 ", r"\f2 ", r"\bin99999999 ",
    r"\trowd", r"\ansicpg65001 ", r"\ansicpg99 ", r"\*", r"\~", r"\outlinelevel99 ", r"\ilvl-3 ", r"\uc99 ", r"\v ",
    "é", "\n",
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(SCRAPS), max_size=60).map("".join))
def test_no_source_makes_it_fail(body: str) -> None:
    try:
        document = parse_bytes((HEAD + body).encode("latin-1"), uri="a.rtf")
    except SeamlineError:
        return
    check_document(document, limits=(64,))


def test_too_many_groups_are_refused() -> None:
    with pytest.raises(SeamlineError, match="nests groups"):
        read("{" * 100_000)


@pytest.mark.parametrize(
    "piece", ["\\'e9", "\\u8364?", "{a}", "\\par a", "{\\footnote a}", "\\cell\\row", "{\\*\\x a}", "a"]
)
def test_time_grows_with_the_length(piece: str) -> None:
    def spent(count: int) -> float:
        before = time.process_time()
        RtfReader(HEAD + piece * count, ParseLimits().characters).read()
        return time.process_time() - before

    small, large = (min(spent(count) for _ in range(3)) for count in (4_000, 32_000))
    assert large < 8 * 2.2 * small + 0.05
