"""Org: which blocks its source holds, and what is said of odd input."""

from __future__ import annotations

import pytest
from block_views import said, shape, titles

import seamline
from seamline.parse import parse_text
from seamline.recipe.recipe import ParseOptions
from seamline.testing.parsers import check_document
from seamline.text.figures import find_images
from seamline.text.tables import tables
from seamline.types import Document


def read(text: str, **options: str) -> Document:
    document = parse_text(text, id="harbour", media_type="org", reading=ParseOptions(**options))  # type: ignore[arg-type]
    assert document.text == text
    check_document(document)
    return document


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


HEADER = "#+TITLE: Harbour guide\n#+AUTHOR: Ada\n#+OPTIONS: toc:nil\n\nText.\n\n#+LATEX: \\newpage\n"


def test_keywords_above_all_text_are_metadata_and_no_text() -> None:
    document = read(HEADER)
    assert document.title == "Harbour guide"
    assert dict(document.meta) == {"title": "Harbour guide", "author": "Ada", "options": "toc:nil"}
    assert len(document.removed) == 3
    assert shape(document) == ["paragraph", "reference"]
    assert shape(read(HEADER, front_matter="include")) == ["front_matter"] * 3 + ["paragraph", "reference"]


def test_headings_are_plain_words_without_state_priority_and_tags() -> None:
    text = "* NEXT [#A] Rules *bold* [1/2]  :a:b:\n** [[https://example.org][A link]]\n******** Deep\n"
    assert titles(read(text)) == [(1, "Rules bold"), (2, "A link"), (6, "Deep")]


def test_drawers_and_planning_are_no_text_of_the_section() -> None:
    document = read("* A\nSCHEDULED: <2026-03-01 Sun>\n:PROPERTIES:\n:ID: x\n:END:\nText.\n")
    assert [bool(block.detail and block.detail.comment) for block in document.blocks[1:]] == [True, True, False]


def test_lists_nest_by_their_margin() -> None:
    document = read("- a\n- b\n  1. c\n     goes on\n  2. d\n\n  of b\n- term :: meaning\nAfter.\n")
    assert shape(document) == [
        "list", "  item", "    paragraph", "  item", "    paragraph", "    list", "      item", "        paragraph",
        "      item", "        paragraph", "    paragraph", "  item", "    paragraph", "paragraph",
    ]  # fmt: skip
    assert said(document, "paragraph")[2] == "c\n     goes on"
    assert said(document, "paragraph")[-2] == "meaning"


def test_two_blank_lines_end_a_list() -> None:
    assert shape(read("- a\n\n\n  text\n")) == ["list", "  item", "    paragraph", "paragraph"]


def test_a_star_at_the_margin_is_a_heading_even_in_code() -> None:
    document = read("#+BEGIN_SRC sh\n* Heading\n#+END_SRC\n")
    assert titles(document) == [(1, "Heading")]
    assert codes(document) == ["org-unclosed"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("#+begin_example\nas it is\n#+end_example\n", "code"),
        (": fixed\n: width\n", "code"),
        ("#+BEGIN_COMMENT\nhidden\n#+END_COMMENT\n", "paragraph"),
        ("#+begin_quote\nText.\n#+end_quote\n", "environment"),
        ("#+BEGIN: clocktable\nText.\n#+END:\n", "environment"),
        ("-----\n", "rule"),
        ("[[file:a.png]]\n", "figure"),
        ("[fn:1] A note.\n", "footnote"),
        ("\\begin{align}\nx\n\\end{align}\n", "math"),
        ("# comment\n", "paragraph"),
        ("#hashtag text\n", "paragraph"),
        (":NOTE: no drawer\n", "paragraph"),
    ],
)
def test_kinds_of_blocks(text: str, kind: str) -> None:
    assert read(f"{text}\nText.\n").blocks[0].kind == kind


def test_code_is_opened_and_closed_in_every_part() -> None:
    lines = "\n".join(f"print({number})" for number in range(200))
    document = read(f"#+CAPTION: Numbers\n#+BEGIN_SRC python\n{lines}\n#+END_SRC\n")
    assert next(block.detail.language for block in document.blocks if block.detail) == "python"
    chunks = seamline.chunk(document, limit=128)
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith("#+CAPTION: Numbers\n#+BEGIN_SRC python\n")
        assert chunk.text.rstrip().endswith("\n#+END_SRC")


def test_tables_have_a_header_above_the_first_rule() -> None:
    rows = "".join(f"| Ship {number} | {number} |\n" for number in range(60))
    document = read(f"#+CAPTION: Speeds\n| Ship | Speed |\n|------+-------|\n{rows}#+TBLFM: $2=1\n")
    (table,) = tables(document)
    assert [column.name for column in table.columns] == ["Ship", "Speed"]
    assert len(table.body) == 60
    for chunk in seamline.chunk(document, limit=128)[1:]:
        assert "| Ship | Speed |\n|------+-------|" in chunk.text


def test_files_are_not_read_and_pictures_are_data() -> None:
    document = read("#+INCLUDE: /etc/passwd\n\n#+CAPTION: A pump\n[[file:img/pump.png]]\n")
    assert codes(document) == ["org-include"]
    assert [(one.uri, one.caption) for one in find_images(document)] == [("img/pump.png", "A pump")]
