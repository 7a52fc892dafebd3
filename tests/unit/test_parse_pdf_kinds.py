"""PDFs that are easily read wrong: forms, notes, turned pages, boxes beside the text, scripts of all kinds."""

from __future__ import annotations

import pytest
from pdf_maker import PageMaker, pdf, rows

from seamline.parse import parse_bytes
from seamline.parse.media import ocr
from seamline.parse.media.ocr import OcrWord
from seamline.parse.parser_types import ParseInput, ParseOptions
from seamline.parse.pdf import parse
from seamline.testing.parsers import check_document
from seamline.types import Document


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(data: bytes) -> Document:
    document = parse_bytes(data, uri="a.pdf")
    check_document(document)
    return document


def headings(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == "heading"]


def unicode_map(**letters: str) -> str:
    """What the letters of a font mean."""
    pairs = " ".join(
        f"<{ord(letter):02X}> <{meaning.encode('utf-16-be').hex().upper()}>" for letter, meaning in letters.items()
    )
    return f"1 begincodespacerange <00> <FF> endcodespacerange {len(letters)} beginbfchar {pairs} endbfchar"


# --- characters -------------------------------------------------------------------------------------------------------


def test_characters_beyond_the_first_plane_are_whole_and_have_one_box() -> None:
    maps = unicode_map(A="\U0001d400", B="\U00010330")
    document = read(pdf(PageMaker().text(72, 100, "let A be B"), unicode_map=maps))
    assert document.text == "let \U0001d400 be \U00010330"
    assert not document.notices


def test_half_a_character_is_marked() -> None:
    maps = "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <42> <D800> endbfchar"
    assert read(pdf(PageMaker().text(72, 100, "or B"), unicode_map=maps)).text == "or \ufffd"


def test_arabic_drawn_letter_by_letter_from_left_to_right_reads_from_right_to_left() -> None:
    maps = unicode_map(A="\u0633", B="\u0644", C="\u0627", D="\u0645")
    document = read(pdf(PageMaker().glyphs(72, 100, "DCBA", across=6), unicode_map=maps))
    assert document.text == "\u0633\u0644\u0627\u0645"


# --- pages ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_page_that_is_shown_turned_reads_as_one_that_is_not(turn: int) -> None:
    page = PageMaker(turn=turn).glyphs(72, 90, "houndandhound", 20, across=10)  # letters of one width
    page.lines(72, 120, rows(4)).glyphs(72, 200, "dogandhound", across=5)
    document = read(pdf(page))
    assert [one.removeprefix("# ").replace("a nd", "and") for one in headings(document)] == ["houndandhound"]
    assert rows(4)[1] in document.text.replace("\n", " ")
    assert document.text.replace("a nd", "and").endswith("dogandhound")


def test_columns_that_run_down_the_page_read_from_right_to_left() -> None:
    maps = unicode_map(A="\u65e5", B="\u672c", C="\u8a9e", D="\u7e26", E="\u66f8", F="\u304d")
    page = PageMaker()
    for column, letters in enumerate(("ABCABC", "DEFDEF", "CBACBA")):
        page.glyphs(400 - 20 * column, 100, letters, 12, down=13)
    document = read(pdf(page, unicode_map=maps))
    wanted = "ABCABCDEFDEFCBACBA".translate({ord(k): v for k, v in zip("ABCDEF", "日本語縦書き", strict=True)})
    assert document.text == wanted
    assert document.anchors is not None
    left, top, right, bottom = document.anchors[0].place["box"]
    assert 395 < left < 405
    assert bottom - top > 3 * (right - left)


# --- forms and notes --------------------------------------------------------------------------------------------------


def form() -> PageMaker:
    page = PageMaker().lines(72, 72, rows(3))
    for row, (label, value) in enumerate((("Name", "Ada Field"), ("Town", "Lower Brook"), ("Boat", "Maid"))):
        y = 150 + 30 * row
        page.text(72, y, label).note("Widget", 150, y - 12, 400, y + 4, f"/FT /Tx /T (f{row}) /V ({value})")
    return page


def test_values_of_a_form_are_read_beside_their_labels() -> None:
    text = " ".join(read(pdf(form())).text.replace("|", " ").split())
    assert "Name Ada Field" in text
    assert "Town Lower Brook" in text
    assert "Boat Maid" in text


def test_boxes_that_are_checked_are_told_from_others() -> None:
    page = PageMaker().lines(72, 72, rows(3))
    for row, (label, state) in enumerate((("Fishing", "Yes"), ("Racing", "Off"))):
        y = 150 + 30 * row
        look = "/AP << /N << /Yes << >> /Off << >> >> >>"
        page.note("Widget", 72, y - 10, 84, y + 2, f"/FT /Btn /T (b{row}) /V /{state} /AS /{state} {look}")
        page.text(90, y, label)
    text = read(pdf(page)).text
    assert text.endswith("- [x] Fishing\n- [ ] Racing")


def test_what_notes_say_stands_after_the_paragraph_beside_them() -> None:
    page = PageMaker().lines(72, 100, rows(4)).lines(72, 300, rows(4, start=5))
    page.note("Text", 500, 110, 520, 130, "/Contents (ask the harbour master)")
    page.note("FreeText", 80, 200, 300, 220, "/Contents (not before May)")
    page.note("Link", 72, 300, 100, 310, "/Contents (a link)")
    page.note("Text", 500, 310, 520, 330, "/F 2 /Contents (hidden)")
    blocks = read(pdf(page)).text.split("\n\n")
    assert blocks[1:3] == ["ask the harbour master", "not before May"]
    assert len(blocks) == 4
    assert not any("link" in one or "hidden" in one for one in blocks)


# --- boxes ------------------------------------------------------------------------------------------------------------


def boxed() -> PageMaker:
    page = PageMaker().text(72, 72, "Title of it all", 20)
    page.lines(72, 100, rows(7)).lines(72, 250, [f"{row} {row}" for row in rows(6)])
    page.grid((300, 580), (92, 180)).text(310, 110, "In the box", 12, "F2")
    return page.lines(310, 130, rows(3, start=4))


def test_a_box_is_not_read_across_and_parts_no_paragraph() -> None:
    document = read(pdf(boxed()))
    plain = " ".join(document.text.split())
    assert " ".join(rows(7)) in plain
    assert "In the box " + " ".join(rows(3, start=4)) in plain
    assert headings(document) == ["# Title of it all"]


def test_a_frame_around_the_page_is_no_box() -> None:
    page = PageMaker().grid((40, 570), (40, 760)).text(72, 90, "Framed", 20).lines(72, 120, rows(10))
    document = read(pdf(page))
    assert headings(document) == ["# Framed"]
    assert not any(block.kind == "table" for block in document.blocks)


# --- headings ---------------------------------------------------------------------------------------------------------


def test_a_logo_over_the_title_is_no_heading() -> None:
    pages = []
    for number in range(3):
        page = PageMaker().text(450, 40, "NORDTIDE", 8).lines(72, 160, rows(20, start=number))
        pages.append(page)
    pages[0].text(72, 75, "NORDTIDE", 27, "F2").text(72, 120, "Guide to the recorder", 20, "F2")
    assert headings(read(pdf(*pages))) == ["# Guide to the recorder"]


def test_a_list_of_bold_lines_is_no_row_of_headings() -> None:
    page = PageMaker().text(72, 72, "Members", 16, "F2").lines(72, 100, rows(5))
    for row, name in enumerate(("Ada Field", "Bo Lind", "Cy Marsh", "Di Wood", "Ed Hill", "Fay Moor")):
        page.text(72, 200 + 26 * row, name, 10, "F2")
    page.lines(72, 400, rows(6))
    assert headings(read(pdf(page))) == ["# Members"]


# --- text that says nothing -------------------------------------------------------------------------------------------


class _Reads:
    """An engine that sees the same words on every page."""

    name = "scripted"

    def read(self, image: object, language: str) -> list[OcrWord]:
        return [
            OcrWord(word, 100.0 + 80 * at, 100, 170.0 + 80 * at, 130, 0.9, 0)
            for at, word in enumerate(("seen", "by", "sight", "alone"))
        ]


def garbled() -> bytes:
    maps = unicode_map(**dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "\ue000"))
    return pdf(PageMaker().lines(72, 100, rows(6)), unicode_map=maps)


def test_text_without_meaning_is_read_by_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seamline.parse.pdf.parser.choose_engine", lambda _: _Reads())
    result = parse(ParseInput(garbled(), uri="a.pdf"))
    assert result.text == "seen by sight alone"
    assert [notice.code for notice in result.notices] == ["ocr"]


def test_text_without_meaning_is_told_where_there_is_no_engine() -> None:
    result = parse(ParseInput(garbled(), uri="a.pdf", reading=ParseOptions(ocr="off")))
    assert {"unreadable-text", "needs-review"} <= {notice.code for notice in result.notices}
    assert result.confidence == 0.0
    assert ocr.REMEDY  # the remedy is named where OCR is not switched off
