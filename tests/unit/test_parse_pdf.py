"""PDF: what a person sees on the pages is what the document says, in the order it is read, with boxes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_maker import PageMaker, pdf, rows

from seamline.errors import ParseError, SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.parser_types import ParseInput, ParseLimits, ParseResult
from seamline.parse.pdf import parse
from seamline.testing.parsers import check_document
from seamline.types import Document, Source

PDF = "application/pdf"


def read(data: bytes, **options: Any) -> Document:
    """A document that keeps the contract of parsers, and comes out the same a second time."""
    parsed = parse(ParseInput(data, **options))
    assert parsed == parse(ParseInput(data, **options))
    document = as_document(parsed)
    check_document(document)
    return document


def as_document(parsed: ParseResult) -> Document:
    return Document(
        "doc",
        Source("a.pdf", PDF),
        parsed.text,
        parsed.blocks,
        title=parsed.title,
        front_matter=parsed.meta,
        notices=parsed.notices,
        anchors=parsed.anchors,
        confidence=parsed.confidence,
    )


def blocks(document: Document) -> list[tuple[str, str]]:
    """Kind and text of the blocks at the top."""
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks if block.parent < 0]


def kinds(document: Document) -> list[str]:
    return [kind for kind, _ in blocks(document)]


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


def boxes(document: Document, text: str) -> list[list[float]]:
    """Where a part of the text stands."""
    assert document.anchors is not None
    start = document.text.index(text)
    found: list[list[float]] = document.anchors.at(start, start + len(text))["boxes"]
    return found


# --- lines and paragraphs -------------------------------------------------------------------------------------------


def test_lines_become_paragraphs_and_a_gap_parts_them() -> None:
    page = PageMaker().lines(72, 100, rows(3)).lines(72, 160, rows(2, start=3))
    assert blocks(read(pdf(page))) == [("paragraph", " ".join(rows(3))), ("paragraph", " ".join(rows(2, start=3)))]


def test_a_first_line_that_is_set_in_opens_a_paragraph() -> None:
    page = PageMaker().lines(72, 100, rows(2)).text(86, 124, rows(1, start=2)[0][:-8]).lines(72, 136, rows(1, start=3))
    assert kinds(read(pdf(page))) == ["paragraph", "paragraph"]


def test_a_line_that_somebody_ended_ends_a_paragraph() -> None:
    page = PageMaker().lines(72, 100, [*rows(1), "Short and done.", *rows(1, start=1)])
    assert [text for _, text in blocks(read(pdf(page)))] == [f"{rows(1)[0]} Short and done.", rows(1, start=1)[0]]


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("a docu-", "ment of", "a document of"),
        ("of Anglo-", "Saxon kings", "of Anglo-Saxon kings"),
        ("pages 12-", "14 and", "pages 12-14 and"),
        ("either and/", "or both", "either and/or both"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_goes_where_the_word_goes_on(first: str, second: str, joined: str) -> None:
    page = PageMaker().lines(72, 100, [f"{rows(1)[0]} {first}", f"{second} {rows(1)[0]}"])
    assert joined in read(pdf(page)).text


def test_a_compound_that_the_document_writes_elsewhere_keeps_its_hyphen() -> None:
    lines = [f"a self-locking nut {rows(1)[0]}", f"{rows(1, start=1)[0]} one self-", f"locking nut {rows(1)[0]}"]
    assert "one self-locking nut" in read(pdf(PageMaker().lines(72, 100, lines))).text


def test_every_character_has_its_edge_and_a_part_of_a_line_a_tight_box() -> None:
    document = read(pdf(PageMaker().text(72, 100, "Hello wide world")))
    assert document.anchors is not None
    (run,) = document.anchors
    assert len(run.place["edges"]) == len("Hello wide world") + 1
    assert list(run.place["edges"]) == sorted(run.place["edges"])
    ((page, left, top, right, bottom),) = boxes(document, "wide")
    whole = run.place["box"]
    assert page == 1
    assert whole[0] < left < right < whole[2]
    assert top < 100 < bottom  # the letters stand on y = 100


def test_the_matrix_scales_a_font_of_size_one() -> None:
    small = PageMaker().lines(72, 200, rows(4))
    small.ops.append("BT /F1 1 Tf 20 0 0 20 72 650 Tm (A Large Title) Tj ET")
    assert blocks(read(pdf(small)))[0] == ("heading", "# A Large Title")


# --- columns, pages, running text -----------------------------------------------------------------------------------


def two_columns(y: float, count: int, start: int) -> PageMaker:
    left = [" ".join(row.split()[:5]) for row in rows(count, start=start)]
    right = [" ".join(row.split()[:5]) for row in rows(count, start=start + 3)]
    page = PageMaker()
    for index in range(count):  # across the page, line by line, as some programs write
        page.text(72, y + 12 * index, f"L{index} {left[index]}").text(320, y + 12 * index, f"R{index} {right[index]}")
    return page


def test_two_columns_are_read_one_after_the_other_below_a_title_across() -> None:
    page = two_columns(140, 12, 0).text(72, 100, "A Title Across Both Of The Columns Of The Page", 16)
    document = read(pdf(page))
    assert blocks(document)[0][0] == "heading"
    order = [document.text.index(f"{side}{index} ") for side in "LR" for index in range(12)]
    assert order == sorted(order)


def test_a_paragraph_goes_on_in_the_next_column_and_on_the_next_page() -> None:
    page = PageMaker().lines(72, 640, [*rows(6)[:-1], f"{rows(1)[0]} and"])
    following = PageMaker().lines(72, 72, [f"this goes {rows(1)[0]}", "to its end."])
    document = read(pdf(page, following))
    assert len(blocks(document)) == 1
    assert "kappa and this goes alpha" in document.text
    assert document.anchors is not None
    assert document.anchors.at(0, len(document.text))["pages"] == [1, 2]


def test_running_heads_and_page_numbers_are_left_out_and_told() -> None:
    pages = [
        PageMaker().text(72, 40, "Report of the Year").lines(72, 100, rows(5, start=at)).text(300, 760, str(at + 1))
        for at in range(4)
    ]
    document = read(pdf(*pages))
    assert "Report" not in document.text
    (notice,) = document.notices
    assert notice.code == "running-text"
    assert "left out 8 lines" in notice.message
    assert "'Report of the Year' (4)" in notice.message


def test_a_line_of_text_that_comes_back_is_no_running_head_below_a_heading() -> None:
    pages = [
        PageMaker().text(72, 60, f"Chapter of {name}", 16).lines(72, 80, rows(5))
        for name in ("Apples", "Pears", "Plums")
    ]
    document = read(pdf(*pages))
    assert document.text.count(rows(1)[0]) == 3
    assert kinds(document) == ["heading", "paragraph"] * 3


def test_a_turned_page_has_its_boxes_where_it_is_shown() -> None:
    document = read(pdf(PageMaker(turn=90).upward(300, 500, "Upright when shown")))
    assert document.text == "Upright when shown"
    ((_, left, top, right, bottom),) = boxes(document, "Upright when shown")
    # Shown, the page is 792 x 612; what was at (300, 792 - 500) from the bottom left is at (292, 300).
    assert 290 < left < 294
    assert top < 300 < bottom
    assert right - left > bottom - top


def test_text_that_runs_up_the_page_is_read_with_boxes_for_its_words() -> None:
    document = read(pdf(PageMaker().lines(72, 100, rows(3)).upward(40, 500, "Sideways note")))
    assert document.text.endswith("Sideways note")
    (box,) = boxes(document, "Sideways")
    assert box[4] - box[2] > box[3] - box[1]


# --- headings -------------------------------------------------------------------------------------------------------


def test_headings_by_size_and_weight() -> None:
    page = PageMaker().text(72, 72, "The Title", 20).text(72, 110, "A Section", 14, "F2").lines(72, 130, rows(4))
    page.text(72, 200, "In Bold", 10, "F2").lines(72, 216, rows(4))
    document = read(pdf(page))
    assert [text for kind, text in blocks(document) if kind == "heading"] == [
        "# The Title",
        "## A Section",
        "### In Bold",
    ]
    assert document.title == "The Title"


def test_bookmarks_say_levels() -> None:
    page = PageMaker().text(72, 72, "Part One", 12, "F2").lines(72, 90, rows(3))
    page.text(72, 160, "First Chapter", 12, "F2").lines(72, 180, rows(3))
    document = read(pdf(page, outline=[("Part One", 0, 0), ("First Chapter", 0, 1)]))
    assert [text for kind, text in blocks(document) if kind == "heading"] == ["# Part One", "## First Chapter"]


def test_numbers_say_levels_of_headings_that_look_alike() -> None:
    page = PageMaker().text(72, 72, "1 One", 12, "F2").lines(72, 90, rows(3))
    page.text(72, 160, "1.1 Below", 12, "F2").lines(72, 180, rows(3))
    assert [text for kind, text in blocks(read(pdf(page))) if kind == "heading"] == ["# 1 One", "## 1.1 Below"]


def test_metadata_is_told() -> None:
    data = pdf(
        PageMaker().text(72, 100, "Body"),
        info="/Title (A Report) /Author (Ada) /CreationDate (D:20240131120000+02'00')",
    )
    document = read(data)
    assert document.title == "A Report"
    assert document.front_matter == {"author": "Ada", "created": "2024-01-31T12:00:00+02:00", "pages": 1}


# --- lists, tables, figures, footnotes, code ------------------------------------------------------------------------


def test_lists_nest_by_where_their_marks_stand() -> None:
    page = PageMaker().lines(72, 72, rows(2))
    for y, x, mark, text in [
        (110, 80, "-", "first"),
        (124, 100, "-", "inner"),
        (138, 100, "-", "inner too"),
        (152, 80, "-", "second"),
    ]:
        page.text(x, y, mark).text(x + 14, y, text)
    assert blocks(read(pdf(page)))[1] == ("list", "- first\n  - inner\n  - inner too\n- second")


def test_numbered_items_keep_their_numbers_and_their_lines() -> None:
    page = PageMaker().text(72, 100, "1.").lines(90, 100, rows(2)).text(72, 124, "2.").lines(90, 124, rows(2, start=3))
    document = read(pdf(page))
    assert blocks(document) == [("list", f"1. {' '.join(rows(2))}\n2. {' '.join(rows(2, start=3))}")]


def ruled_page() -> PageMaker:
    page = PageMaker().lines(72, 72, rows(3)).grid([72, 160, 250, 340], [120, 140, 160, 180])
    for row, y in enumerate((134, 154, 174)):
        for column, x in enumerate((76, 164, 254)):
            page.text(x, y, f"r{row}c{column}")
    return page


def test_a_ruled_table() -> None:
    assert blocks(read(pdf(ruled_page())))[1] == (
        "table",
        "| r0c0 | r0c1 | r0c2 |\n| --- | --- | --- |\n| r1c0 | r1c1 | r1c2 |\n| r2c0 | r2c1 | r2c2 |",
    )


def test_cells_that_no_line_parts_are_one() -> None:
    page = PageMaker().rule(72, 120, 340, 120).rule(72, 140, 340, 140).rule(72, 160, 340, 160)
    page.rule(72, 120, 72, 160).rule(340, 120, 340, 160).rule(160, 120, 160, 160).rule(250, 140, 250, 160)
    page.text(76, 134, "a").text(230, 134, "wide").text(76, 154, "b").text(164, 154, "c").text(254, 154, "d")
    assert blocks(read(pdf(page))) == [("table", "| a | wide |  |\n| --- | --- | --- |\n| b | c | d |")]


def test_a_table_between_three_lines_across() -> None:
    page = PageMaker().rule(72, 100, 400, 100).rule(72, 120, 400, 120).rule(72, 170, 400, 170)
    for y, cells in [
        (114, ("Land", "People", "City")),
        (134, ("Austria", "8.9", "Vienna")),
        (150, ("Italy", "59", "Rome")),
    ]:
        for x, cell in zip((76, 200, 320), cells, strict=True):
            page.text(x, y, cell)
    assert blocks(read(pdf(page))) == [
        ("table", "| Land | People | City |\n| --- | --- | --- |\n| Austria | 8.9 | Vienna |\n| Italy | 59 | Rome |")
    ]


def test_a_table_by_alignment_alone() -> None:
    page = PageMaker().lines(72, 72, rows(2))
    for y, cells in [
        (120, ("Name", "Price")),
        (134, ("Apples", "1.20")),
        (148, ("Pears", "2.40")),
        (162, ("Figs", "9.00")),
    ]:
        page.text(72, y, cells[0]).text(300, y, cells[1])
    assert blocks(read(pdf(page)))[1] == (
        "table",
        "| Name | Price |\n| --- | --- |\n| Apples | 1.20 |\n| Pears | 2.40 |\n| Figs | 9.00 |",
    )


def test_a_figure_has_its_labels_and_its_caption() -> None:
    page = PageMaker().lines(72, 72, rows(5)).picture(72, 150, 300, 300).text(150, 200, "a label", 7)
    page.text(72, 316, "Figure 3: What it shows", 9).lines(72, 350, rows(3))
    document = read(pdf(page))
    assert blocks(document)[1] == ("figure", "Figure 3: What it shows a label")


def test_a_sentence_that_begins_with_a_figure_is_text() -> None:
    page = PageMaker().lines(72, 72, [f"Figure 3 shows {rows(1)[0]}", *rows(2)])
    assert kinds(read(pdf(page))) == ["paragraph"]


def test_footnotes_are_told_and_referred_to_where_the_text_goes_on_behind_them() -> None:
    page = PageMaker().lines(72, 600, rows(3)).text(72, 636, "a claim").text(101.5, 632, "1", 6)
    page.text(112, 636, " ".join(rows(1)[0].split()[:8])).text(72, 700, "1", 6).text(78, 704, "Said by Ada.", 8)
    following = PageMaker().lines(72, 72, [f"and goes on {rows(1)[0]}", *rows(2)])
    document = read(pdf(page, following))
    assert blocks(document)[0] == ("footnote", "[^1]: Said by Ada.")
    assert "claim[^1] alpha" in document.text


def test_code_keeps_its_lines_and_spaces() -> None:
    page = (
        PageMaker()
        .lines(72, 72, rows(3))
        .text(72, 120, "def f(x):", 9, "F4")
        .text(72 + 4 * 5.4, 131, "return x", 9, "F4")
    )
    document = read(pdf(page))
    assert blocks(document)[1] == ("code", "```\ndef f(x):\n    return x\n```")
    assert len(boxes(document, "return x")) == 1


# --- what nobody sees, and what cannot be read ----------------------------------------------------------------------


def test_hidden_text_is_left_out_and_told() -> None:
    page = PageMaker().text(72, 100, "Seen").text(72, 120, "Unseen", more="3 Tr").text(72, 140, "Tiny", 0.5)
    document = read(pdf(page.text(72, 900, "Outside")))
    assert document.text == "Seen"
    (notice,) = document.notices
    assert notice.code == "hidden-text"
    assert "17 characters" in notice.message


def test_text_under_a_scan_is_its_text() -> None:
    page = PageMaker().picture(0, 0, 612, 792).text(72, 100, "Read by somebody before", more="3 Tr")
    assert read(pdf(page)).text == "Read by somebody before"


def test_characters_without_a_meaning_are_marked_and_told() -> None:
    maps = "1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <41> <E123> <42> <D800> endbfchar"
    document = read(pdf(PageMaker().text(72, 100, "and A or B"), unicode_map=maps))
    assert document.text == "and \ufffd or \ufffd"
    assert "unreadable-characters" in codes(document)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"%PDF-1.7\n", "damaged"),
        (b"<html>not found</html>", "is no PDF"),
        (pdf(PageMaker().text(72, 100, "Secret"), password="hush"), "needs a password"),
        (pdf(), "no pages"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, says: str) -> None:
    with pytest.raises(ParseError, match=says):
        parse(ParseInput(data, uri="a.pdf"))


def test_a_damaged_index_is_mended_and_told() -> None:
    whole = pdf(PageMaker().text(72, 100, "Still here"))
    document = read(whole[: whole.index(b"xref\n0")] + b"trailer << /Root 1 0 R >>\n")
    assert document.text == "Still here"
    assert "repaired" in codes(document)


def test_a_page_that_cannot_be_read_is_told() -> None:
    data = pdf(PageMaker().text(72, 100, "First"), PageMaker().text(72, 100, "Second"))
    kids = data[data.index(b"/Kids [") : data.index(b"]", data.index(b"/Kids ["))]
    last = kids.split()[-3]
    document = read(data.replace(kids, kids.replace(last + b" 0 R", b"99" + b" 0 R"), 1))
    assert document.text == "First"
    assert codes(document) == ["pages-unreadable"]


def test_too_many_pages_or_characters_are_cut_and_told() -> None:
    data = pdf(*(PageMaker().text(72, 100, f"Page number {number}") for number in range(5)))
    document = read(data, limits=ParseLimits(parts=2))
    assert document.text.count("Page") == 2
    assert codes(document) == ["pages-left-out"]
    document = read(data, limits=replace(ParseLimits(), characters=20))
    assert codes(document) == ["pages-left-out"]


def test_an_empty_page_is_told() -> None:
    assert codes(read(pdf(PageMaker()))) == ["no-text"]


def test_an_unknown_filter_and_deep_objects_are_told() -> None:
    data = pdf(PageMaker().text(72, 100, "Body"))
    deep = b"<< /A " * 9000 + b">>" * 9000
    data = data.replace(b"trailer\n<<", b"99 0 obj << /Filter /Nope >> " + deep + b" endobj\ntrailer\n<<", 1)
    assert {"unknown-filter", "too-deep"} <= set(codes(read(data)))


def test_many_pieces_take_linear_time_and_lose_nothing() -> None:
    page = PageMaker()
    for at in range(3000):
        page.text(50 + at % 100 * 5, 50 + at // 100 * 12, chr(97 + at % 26), 6)
    document = read(pdf(page))
    assert sum(character.isalpha() for character in document.text) == 3000


BASE = pdf(ruled_page(), two_columns(100, 8, 0), outline=[("r0c0", 0, 0)])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_broken_file_is_read_or_refused(data: st.DataObject) -> None:
    broken = bytearray(BASE)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(broken) - 1))
        match data.draw(st.sampled_from(["flip", "cut", "copy"])):
            case "flip":
                broken[at] = data.draw(st.integers(0, 255))
            case "cut":
                del broken[at : at + data.draw(st.integers(1, 40))]
            case _:
                broken[at:at] = broken[max(at - 30, 0) : at]
    try:
        document = parse_bytes(bytes(broken), uri="a.pdf", media_type=PDF)
    except SeamlineError:
        return
    check_document(document, limits=(64,))


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(SeamlineError):
        parse_bytes(b"%PDF-1.7\n" + data, uri="a.pdf", media_type=PDF)


def test_a_pdf_may_begin_late() -> None:
    made = pdf(PageMaker().text(72, 100, "Some words."))
    document = parse_bytes(b"HTTP/1.1 200 OK\r\n" * 200 + made, uri="a.pdf")
    assert "Some words." in document.text
