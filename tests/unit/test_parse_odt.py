"""OpenDocument files: texts, slides and sheets, packed and flat."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import ODF_NAMES, odf, survives_damage

from seamline.errors import ParseError
from seamline.parse import parse_bytes
from seamline.parse.office.odf.document import parse
from seamline.parse.parser_types import ParseInput, ParseLimits
from seamline.testing.parsers import check_document
from seamline.types import Document

NUMBERED = (
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"'
    ' style:num-suffix="."/><text:list-level-style-bullet text:level="2"/></text:list-style>'
)


def read(data: bytes, name: str = "a.odt") -> Document:
    document = parse_bytes(data, uri=name)
    check_document(document)
    return document


def codes(document: Document) -> set[str]:
    return {notice.code for notice in document.notices}


def h(text: str, level: int = 1) -> str:
    return f'<text:h text:outline-level="{level}">{text}</text:h>'


def p(text: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def test_headings_and_paragraphs_with_their_place() -> None:
    document = read(odf(h("One") + p("Some <text:span>text</text:span> here.") + h("Two", 2)))
    assert document.text == "# One\n\nSome text here.\n\n## Two"
    assert document.title == "One"
    assert document.place_of(document.blocks[1].span)["paragraph"] == "text/p[1]"


def test_lists_with_numbers_nesting_and_several_paragraphs() -> None:
    inner = f"<text:list><text:list-item>{p('sub')}</text:list-item></text:list>"
    body = (
        f'<text:list text:style-name="L1"><text:list-item>{p("one")}{inner}</text:list-item>'
        f"<text:list-item>{p('two')}{p('more of two')}</text:list-item></text:list>"
        f'{p("Between")}<text:list text:style-name="L1" text:continue-numbering="true"><text:list-item>{p("three")}'
        "</text:list-item></text:list>"
    )
    document = read(odf(body, automatic=NUMBERED))
    assert document.text == "1. one\n   - sub\n2. two\n\n   more of two\n\nBetween\n\n3. three"


def test_lists_far_too_deep_keep_their_text() -> None:
    body = "<text:list><text:list-item>" * 400 + p("deep") + "</text:list-item></text:list>" * 400
    document = read(odf(body))
    assert document.text == "- deep"


def test_tables_with_spans_and_repeats() -> None:
    def cell(text: str, more: str = "") -> str:
        return f"<table:table-cell {more}>{p(text)}</table:table-cell>"

    body = (
        "<table:table><table:table-header-rows><table:table-row>"
        + cell("Name", 'table:number-columns-spanned="2"')
        + "<table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row>"
        + cell("a", 'table:number-rows-spanned="2"')
        + cell("1")
        + "</table:table-row><table:table-row><table:covered-table-cell/>"
        + cell("2")
        + "</table:table-row></table:table>"
    )
    document = read(odf(body))
    assert document.text == "Name\n\n| a | 1 |\n| --- | --- |\n| a | 2 |"
    rows = [block for block in document.blocks if block.kind == "row"]
    assert document.place_of(rows[1].span)["paragraph"] == "text/table[1]/row[3]"


def test_notes_links_spaces_and_breaks() -> None:
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>Proof.</text:p></text:note-body></text:note>"
    )
    link = '<text:a xlink:href="https://a.example/">site</text:a>'
    document = read(odf(p(f"See {link}{note}<text:line-break/>a<text:s text:c='2000000000'/>b<text:tab/>c")))
    assert document.text == "See [site](https://a.example/)[^1] a b c\n\n[^1]: Proof."


def test_frames_and_pictures() -> None:
    frame = (
        f"<draw:frame><draw:text-box>{p('In the box')}</draw:text-box></draw:frame>"
        '<draw:frame><draw:image xlink:href="Pictures/1.png"/><svg:desc>A duck</svg:desc></draw:frame>'
    )
    document = read(odf(p("Text " + frame) + p('<draw:frame><draw:image xlink:href="x.png"/></draw:frame>')))
    assert document.text == "Text ![A duck](1.png)\n\nIn the box"
    assert codes(document) == {"pictures-undescribed"}


def test_deleted_hidden_and_commented_text_is_left_out() -> None:
    styles = (
        '<style:style style:name="T9" style:family="text"><style:text-properties text:display="none"/></style:style>'
    )
    body = (
        f"<text:tracked-changes><text:changed-region><text:deletion>{p('deleted')}</text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        + p(
            'seen<text:span text:style-name="T9">hidden</text:span><office:annotation>'
            "<text:p>why</text:p></office:annotation>"
        )
    )
    document = read(odf(body, automatic=styles))
    assert document.text == "seen"
    assert codes(document) == {"deleted-text", "hidden-text", "comments"}


def test_styles_say_title_code_and_quote() -> None:
    styles = (
        '<style:style style:name="P1" style:parent-style-name="Title"/>'
        '<style:style style:name="P2" style:parent-style-name="Preformatted_20_Text"/>'
    )
    document = read(
        odf(p("Report", "P1") + p("x = 1", "P2") + p("y = 2", "P2") + p("Said", "Quotations"), automatic=styles)
    )
    assert document.text == "# Report\n\n```\nx = 1\ny = 2\n```\n\n> Said"
    assert document.title == "Report"


def test_headers_are_told() -> None:
    styles = (
        "<office:master-styles><style:master-page><style:header><text:p>Top</text:p>"
        "</style:header></style:master-page></office:master-styles>"
    )
    assert 'left out: "Top"' in read(odf(p("Text"), styles=styles)).notices[0].message


def test_metadata() -> None:
    meta = (
        "<office:document-meta NAMES><office:meta><dc:title>Ducks</dc:title>"
        "<meta:initial-creator>Ada</meta:initial-creator></office:meta></office:document-meta>"
    )
    document = read(odf(p("Text"), meta=meta))
    assert (document.title, document.front_matter) == ("Ducks", {"author": "Ada"})


def test_flat_files() -> None:
    flat = (
        f"<office:document{ODF_NAMES}><office:body><office:text>{h('One')}{p('Text')}</office:text>"
        "</office:body></office:document>"
    )
    document = read(flat.encode(), "a.fodt")
    assert document.text == "# One\n\nText"


def test_slides() -> None:
    def page(title: str, rest: str) -> str:
        head = (
            f'<draw:frame presentation:class="title"><draw:text-box>{p(title)}</draw:text-box></draw:frame>'
            if title
            else ""
        )
        return f"<draw:page>{rest}{head}</draw:page>"

    notes = (
        f"<presentation:notes><draw:frame><draw:text-box>{p('Say it')}</draw:text-box></draw:frame>"
        "</presentation:notes>"
    )
    shape = f"<draw:custom-shape>{p('In a shape')}</draw:custom-shape>"
    document = read(odf(page("Deck", "") + page("Two", shape + notes) + page("", shape), "presentation"), "a.odp")
    assert document.text == "# Deck\n\n## Two\n\nIn a shape\n\n> Notes: Say it\n\n## Slide 3\n\nIn a shape"
    assert document.place_of(document.blocks[-1].span)["slide"] == 3


def sheet(*rows: str, name: str = "S") -> str:
    return f'<table:table table:name="{name}">{"".join(rows)}</table:table>'


def row(*cells: str, times: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'


def text(value: str) -> str:
    return f'<table:table-cell office:value-type="string">{p(value)}</table:table-cell>'


def amount(value: str) -> str:
    return f'<table:table-cell office:value-type="float" office:value="{value}">{p("shown")}</table:table-cell>'


def test_sheets_with_values_and_row_numbers() -> None:
    gap = '<table:table-cell table:number-columns-repeated="1000000"/>'
    body = sheet(
        row(gap, times=3), row(text("Year"), text("Ducks")), row(amount("2024"), amount("1.25")), row(gap, times=10**9)
    )
    document = read(odf(body, "spreadsheet"), "a.ods")
    assert document.text == "# S\n\n| Year | Ducks |\n| --- | --- |\n| 2024 | 1.25 |"
    assert document.place_of(document.blocks[-1].span)["row"] == 5
    assert not document.notices


@pytest.mark.slow
def test_repeats_without_end_are_cut_and_told() -> None:
    cell = '<table:table-cell table:number-columns-repeated="16384" office:value-type="float" office:value="1"/>'
    document = read(odf(sheet(row(cell, times=10**6)), "spreadsheet"), "a.ods")
    assert len(document.text) < 10_000_000
    assert codes(document) == {"cells-limit"}


def test_encrypted_files_say_so() -> None:
    manifest = (
        "<manifest:manifest NAMES><manifest:file-entry><manifest:encryption-data/>"
        "</manifest:file-entry></manifest:manifest>"
    )
    with pytest.raises(ParseError, match="encrypted"):
        parse_bytes(odf(p("x"), **{"META-INF__manifest": manifest}), uri="a.odt")


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(ParseError, match="no document"):
        parse_bytes(f"<office:document{ODF_NAMES}/>".encode(), uri="a.fodt")
    with pytest.raises(ParseError, match="nests deeper"):
        parse_bytes(odf("<text:section>" * 5_000), uri="a.odt")


def test_text_stops_at_the_limit() -> None:
    parsed = parse(ParseInput(odf(p("word " * 100) * 20), limits=ParseLimits(characters=1_000)))
    assert len(parsed.text) < 2_000
    assert {notice.code for notice in parsed.notices} == {"text-limit"}


WHOLE = odf(h("One") + p("Text") + sheet(row(text("a"), text("b"))), automatic=NUMBERED)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_damaged_files_raise_nothing_of_their_own(seed: int) -> None:
    survives_damage(parse, WHOLE, seed)
