"""AsciiDoc: which blocks its source holds, and what is said of odd input."""

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
    document = parse_text(text, id="harbour", media_type="asciidoc", reading=ParseOptions(**options))  # type: ignore[arg-type]
    assert document.text == text
    check_document(document)
    return document


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


# --- the header and headings -----------------------------------------------------------------------------------------


HEADER = "= Guide to {product}\nAda Pilot <ada@example.org>\nv1.2, 2026-03-01\n:product: *Ships*\n:toc: left\n\nText.\n"


def test_the_header_is_metadata() -> None:
    document = read(HEADER)
    assert document.title == "Guide to Ships"
    assert titles(document) == [(1, "Guide to Ships")]
    assert document.meta["author"] == "Ada Pilot <ada@example.org>"
    assert (document.meta["toc"], document.meta["revision"]) == ("left", "v1.2, 2026-03-01")
    assert shape(document) == ["heading", "front_matter", "paragraph"]
    assert not read(HEADER, front_matter="strip").meta


def test_attributes_above_all_text_are_left_out_of_it() -> None:
    text = "// by Ada\n:toc: left\n\nText.\n"
    assert shape(read(text)) == ["paragraph"]
    assert [read(text).text[start:end] for start, end in read(text).removed] == ["// by Ada\n:toc: left"]
    assert shape(read(text, front_matter="include")) == ["front_matter", "paragraph"]


def test_levels_of_headings_and_their_plain_words() -> None:
    text = "== One `code`\n\n=== Two <<id,see>> ===\n\n[[x]]\n==== link:a.html[Three]\n\nFour\n----\n\n# Five\n"
    assert titles(read(text)) == [(2, "One code"), (3, "Two see"), (4, "Three"), (2, "Four"), (1, "Five")]


def test_a_heading_in_a_block_is_text_unless_it_is_discrete() -> None:
    assert titles(read("====\n== No\n\n[discrete]\n== Yes\n====\n")) == [(2, "Yes")]


# --- lists -----------------------------------------------------------------------------------------------------------


def test_lists_nest_by_their_marks() -> None:
    document = read("* a\n** b\n* c\n\n. d\n")
    assert shape(document) == [
        "list", "  item", "    paragraph", "    list", "      item", "        paragraph", "  item", "    paragraph",
        "    list", "      item", "        paragraph",
    ]  # fmt: skip


def test_a_plus_attaches_a_block_and_a_blank_line_ends_the_list() -> None:
    document = read("* a\n+\n----\ncode\n----\n\nAfter.\n")
    assert shape(document) == ["list", "  item", "    paragraph", "    code", "paragraph"]


def test_blank_lines_before_a_plus_attach_to_the_item_around() -> None:
    document = read("* a\n** b\n\n+\nOf a.\n")
    assert shape(document)[-1] == "    paragraph"


def test_terms_and_what_they_mean() -> None:
    document = read("Pilot:: Boards ships.\nTug::\n  Pulls them.\n")
    assert shape(document) == ["list", "  item", "    paragraph", "  item", "    paragraph"]
    assert said(document, "paragraph") == ["Boards ships.", "  Pulls them."]


def test_callouts_and_numbers_are_items() -> None:
    assert shape(read("<1> a\n<2> b\n\n//\n\n1. c\n2. d\n")).count("  item") == 4


# --- blocks ----------------------------------------------------------------------------------------------------------


def test_code_keeps_its_title_attributes_and_language_in_every_part() -> None:
    lines = "\n".join(f"print({number})" for number in range(200))
    document = read(f".Numbers\n[source,python]\n----\n{lines}\n----\n")
    (code,) = [block for block in document.blocks if block.kind == "code"]
    assert code.detail is not None
    assert code.detail.language == "python"
    chunks = seamline.chunk(document, limit=128)
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith(".Numbers\n[source,python]\n----\n")
        assert chunk.text.rstrip().endswith("\n----")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("....\nas it is\n....\n", "code"),
        ("```sh\nls\n```\n", "code"),
        (" indented\n", "code"),
        ("[source]\nx = 1\n", "code"),
        ("[stem]\n++++\nx^2\n++++\n", "math"),
        ("++++\n<b>raw</b>\n++++\n", "code"),
        ("////\nhidden\n////\n", "paragraph"),
        ("[verse]\n____\nA line\n____\n", "paragraph"),
        ("====\nAn example.\n====\n", "environment"),
        ("[NOTE]\n--\nOpen.\n--\n", "environment"),
        ("'''\n", "rule"),
        ("image::a.png[]\n", "figure"),
        ("toc::[]\n", "reference"),
        ("NOTE: Text.\n", "paragraph"),
    ],
)
def test_kinds_of_blocks(text: str, kind: str) -> None:
    assert read(f"{text}\nText.\n").blocks[0].kind == kind


def test_a_block_that_nothing_closes_ends_with_the_one_around_it() -> None:
    document = read("====\n----\ncode\n====\n\nAfter.\n")
    assert shape(document) == ["environment", "  code", "paragraph"]
    assert codes(document) == ["asciidoc-unclosed"]


def test_nothing_is_included_or_evaluated() -> None:
    document = read("include::../../etc/passwd[]\n\nifdef::a[]\nYes.\nendif::[]\n")
    assert codes(document) == ["asciidoc-include", "asciidoc-condition"]
    assert "root:" not in document.text


def test_pictures_are_data() -> None:
    document = read(".A pump\nimage::img/pump.png[Pump, 300, 200]\n\nText image:i.png[width=16] on.\n")
    found = find_images(document)
    assert [(one.uri, one.alt, one.caption, one.width, one.height) for one in found] == [
        ("img/pump.png", "Pump", "A pump", 300, 200),
        ("i.png", "", "", 16, 0),
    ]


# --- tables ----------------------------------------------------------------------------------------------------------


TABLE = '.Speeds\n[cols="1,2",options="header"]\n|===\n|Ship |Speed\n|Barge\n|4\n2+|both\n|Ferry |12\n|===\n'


def test_rows_are_made_of_cells_and_not_of_lines() -> None:
    document = read(TABLE)
    assert said(document, "row") == ["|Ship |Speed", "|Barge\n|4", "2+|both", "|Ferry |12"]
    (table,) = tables(document)
    assert [column.name for column in table.columns] == ["Ship", "Speed"]
    assert [row.cells for row in table.rows()] == [["Barge", "4"], ["both", ""], ["Ferry", "12"]]


def test_a_table_that_is_cut_repeats_its_header_and_is_closed() -> None:
    rows = "".join(f"|Ship {number} |{number} knots in calm water\n" for number in range(60))
    document = read(f".Speeds\n|===\n|Ship |Speed\n\n{rows}|===\n")
    chunks = seamline.chunk(document, limit=128)
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith(".Speeds\n|===\n|Ship |Speed\n")
        assert chunk.text.rstrip().endswith("\n|===")


def test_cells_that_reach_down_take_columns_of_the_rows_below() -> None:
    document = read('[cols="3*"]\n|===\n.2+|a |b |c\n|d |e\n|f |g |h\n|===\n')
    assert said(document, "row") == [".2+|a |b |c", "|d |e", "|f |g |h"]


def test_separated_values_are_rows() -> None:
    document = read(',===\nship,speed\nBarge,"4\nknots"\n,===\n')
    assert said(document, "row") == ["ship,speed", 'Barge,"4\nknots"']
