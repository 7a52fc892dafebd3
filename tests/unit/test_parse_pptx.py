"""Presentations: slides in order, each under its title."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import packed, pptx, shape, survives_damage, unpacked

from seamline.errors import ParseError
from seamline.parse import parse_bytes
from seamline.parse.office.pptx import parse
from seamline.parse.parser_types import ParseInput, ParseLimits
from seamline.testing.parsers import check_document
from seamline.types import Document


def read(data: bytes) -> Document:
    document = parse_bytes(data, uri="a.pptx")
    check_document(document)
    return document


def codes(document: Document) -> set[str]:
    return {notice.code for notice in document.notices}


def bullet(text: str, level: int = 0, mark: str = "") -> str:
    return f'<a:p><a:pPr lvl="{level}">{mark}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>'


def test_titles_bodies_and_levels() -> None:
    document = read(
        pptx(
            [
                shape("Ducks", kind="ctrTitle") + shape("A survey", kind="subTitle"),
                shape(bullet("One"), bullet("Sub", 1), bullet("Two"), kind="body") + shape("Rivers", kind="title"),
            ]
        )
    )
    assert document.text == "# Ducks\n\nA survey\n\n## Rivers\n\n- One\n  - Sub\n- Two"
    assert document.title == "Ducks"
    assert document.front_matter["slides"] == 2
    assert document.place_of(document.blocks[-1].span)["slide"] == 2


def test_numbers_and_no_bullets() -> None:
    one = '<a:buAutoNum type="alphaLcParenR"/>'
    slide = shape(bullet("a", 0, one), bullet("b", 0, one), bullet("plain", 0, "<a:buNone/>"), kind="body")
    assert read(pptx([slide])).text == "a) a\nb) b\n\nplain"


def test_slides_without_a_title_are_called_by_number() -> None:
    document = read(pptx([shape("First", kind="title"), shape("Loose text")]))
    assert document.text == "## First\n\n## Slide 2\n\nLoose text"


def test_tables_with_merged_cells() -> None:
    def cell(text: str, more: str = "") -> str:
        return f"<a:tc{more}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    wide, covered = cell("Count", ' gridSpan="2"'), cell("", ' hMerge="1"')
    rows = f"<a:tr>{cell('Year')}{wide}{covered}</a:tr><a:tr>{cell('2024')}{cell('1')}{cell('2')}</a:tr>"
    frame = (
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    lines = read(pptx([frame])).text.splitlines()
    assert lines == ["| Year | Count | Count |", "| --- | --- | --- |", "| 2024 | 1 | 2 |"]


def test_speaker_notes_are_a_quote() -> None:
    notes = "<p:notes NAMES><p:cSld><p:spTree>" + shape("Say hello", kind="body") + "</p:spTree></p:cSld></p:notes>"
    data = pptx(
        [shape("Title", kind="title")],
        {1: {"rN": ("notesSlide", "../notesSlides/n1.xml")}},
        ppt__notesSlides__n1=notes,
    )
    document = read(data)
    assert document.text == "## Title\n\n> Notes: Say hello"
    assert document.blocks[1].kind == "quote"


def test_charts_diagrams_and_pictures() -> None:
    chart = (
        "<c:chartSpace NAMES><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:ser>"
        "<c:tx><c:v>2024</c:v></c:tx>"
        '<c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>5</c:v></c:pt></c:val></c:ser>'
        "</c:chartSpace>"
    )
    model = "<dgm:dataModel NAMES><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>"
    frame = "<p:graphicFrame><a:graphic><a:graphicData>{}</a:graphicData></a:graphic></p:graphicFrame>"
    slide = (
        frame.format('<c:chart r:id="rC"/>')
        + frame.format('<dgm:relIds r:dm="rD"/>')
        + '<p:pic><p:nvPicPr><p:cNvPr id="1" name="x" descr="A duck"/></p:nvPicPr></p:pic>'
        + '<p:pic><p:nvPicPr><p:cNvPr id="2" name="y"/></p:nvPicPr></p:pic>'
    )
    targets = {1: {"rC": ("chart", "../charts/c.xml"), "rD": ("diagramData", "../diagrams/d.xml")}}
    document = read(pptx([slide], targets, ppt__charts__c=chart, ppt__diagrams__d=model))
    assert document.text == "Sales\n\n|  | 2024 |\n| --- | --- |\n| Q1 | 5 |\n\n- Plan\n\n[A duck]"
    assert codes(document) == {"pictures-undescribed"}


def test_groups_to_any_depth() -> None:
    slide = "<p:grpSp>" * 300 + shape("deep") + "</p:grpSp>" * 300
    assert read(pptx([slide])).text == "deep"


def test_footers_are_left_out_and_told() -> None:
    document = read(pptx([shape("Text") + shape("Footer", kind="ftr") + shape("3", kind="sldNum")]))
    assert document.text == "Text"
    assert document.notices[0].message == "2 dates, footers and slide numbers are left out"


def test_slides_that_are_missing_or_repeated_are_told() -> None:
    parts = unpacked(pptx([shape("One")]))
    more = '<p:sldId id="256" r:id="rId1"/>' * 5 + '<p:sldId id="9" r:id="rNone"/></p:sldIdLst>'
    parts["ppt/presentation.xml"] = str(parts["ppt/presentation.xml"]).replace("</p:sldIdLst>", more)
    document = read(packed(parts))
    assert document.text.endswith("One")
    assert codes(document) == {"slides-repeated", "slide-missing"}


def test_hidden_slides_are_read_and_told() -> None:
    parts = unpacked(pptx([shape("One")]))
    parts["ppt/slides/slide1.xml"] = str(parts["ppt/slides/slide1.xml"]).replace("<p:sld ", '<p:sld show="0" ')
    document = read(packed(parts))
    assert (document.text, codes(document)) == ("One", {"slide-hidden"})


def test_links_and_formulas() -> None:
    run = '<a:r><a:rPr><a:hlinkClick r:id="rL"/></a:rPr><a:t>site</a:t></a:r>'
    formula = "<m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath>"
    slide = shape(f"<a:p>{run}</a:p>", f"<a:p>{formula}</a:p>")
    document = read(pptx([slide], {1: {"rL": ("hyperlink", "https://a.example/")}}))
    assert document.text == "[site](https://a.example/)\n\n$$\na+b\n$$"


def test_text_stops_at_the_limit() -> None:
    parsed = parse(ParseInput(pptx([shape("word " * 100)] * 20), limits=ParseLimits(characters=1_000)))
    assert "text-limit" in {notice.code for notice in parsed.notices}
    assert len(parsed.text) < 2_000


def test_entities_are_refused() -> None:
    with pytest.raises(ParseError, match="document type"):
        parse_bytes(
            packed({"[Content_Types].xml": "<Types/>", "ppt/presentation.xml": "<!DOCTYPE x><x/>"}), uri="a.pptx"
        )


WHOLE = pptx([shape("Ducks", kind="ctrTitle"), shape(bullet("One"), bullet("Two", 1), kind="body")])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_damaged_files_raise_nothing_of_their_own(seed: int) -> None:
    survives_damage(parse, WHOLE, seed)
