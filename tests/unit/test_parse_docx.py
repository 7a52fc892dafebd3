"""Word documents: what is kept, what it becomes, what is left out and said so."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import STRICT, cell, docx, item, p, packed, row, table

from seamline.errors import ParseError, SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.office.docx.document import parse
from seamline.parse.parser_types import ParseInput, ParseLimits
from seamline.testing.parsers import check_document
from seamline.types import NO_DETAIL, Document

HEADINGS = "".join(
    f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/>'
    f'<w:pPr><w:outlineLvl w:val="{n - 1}"/></w:pPr></w:style>'
    for n in (1, 2, 3)
)


def numbering(*levels: tuple[str, str], start: int = 1, key: int = 1, more: str = "") -> str:
    inside = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="{start}"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (kind, text) in enumerate(levels)
    )
    return (
        f'<w:abstractNum w:abstractNumId="{key}">{inside}</w:abstractNum>'
        f'<w:num w:numId="{key}"><w:abstractNumId w:val="{key}"/>{more}</w:num>'
    )


def read(data: bytes, name: str = "a.docx") -> Document:
    document = parse_bytes(data, uri=name)
    check_document(document)
    return document


def codes(document: Document) -> set[str]:
    return {notice.code for notice in document.notices}


def kinds(document: Document) -> list[str]:
    return [block.kind for block in document.blocks if block.parent < 0]


def test_paragraphs_and_headings_with_their_place() -> None:
    document = read(docx(p("One", "Heading1") + p("Text.") + p("Two", "Heading2"), styles=HEADINGS))
    assert document.text == "# One\n\nText.\n\n## Two"
    assert document.title == "One"
    assert document.place_of(document.blocks[1].span)["paragraph"] == "body/p[2]"


@pytest.mark.parametrize("name", ["heading 2", "Überschrift 2", "Titre 2", "标题 2", "Заголовок 2", "見出し 2"])
def test_headings_are_known_by_name_in_other_languages(name: str) -> None:
    styles = f'<w:style w:type="paragraph" w:styleId="x2"><w:name w:val="{name}"/></w:style>'
    assert read(docx(p("Here", "x2"), styles=styles)).text == "## Here"


def test_a_style_that_is_not_there_counts_by_its_id() -> None:
    assert read(docx(p("Here", "Heading3"))).text == "### Here"


def test_a_style_based_on_a_heading_is_one_unless_it_says_otherwise() -> None:
    styles = HEADINGS + (
        '<w:style w:type="paragraph" w:styleId="mine"><w:name w:val="mine"/><w:basedOn w:val="Heading2"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="toc"><w:name w:val="TOC Heading"/><w:basedOn w:val="Heading1"/>'
        '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
    )
    assert read(docx(p("A", "mine") + p("Contents", "toc"), styles=styles)).text == "## A\n\nContents"


def test_styles_based_on_each_other_end() -> None:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{a}"><w:name w:val="{a}"/><w:basedOn w:val="{b}"/></w:style>'
        for a, b in (("a", "b"), ("b", "a"))
    )
    assert read(docx(p("Text", "a"), styles=styles)).text == "Text"


def test_the_title_style_names_the_document() -> None:
    styles = '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>'
    document = read(docx(p("My report", "Title") + p("Text"), styles=styles))
    assert (document.title, document.text) == ("My report", "# My report\n\nText")


def test_lists_count_restart_and_nest() -> None:
    lists = numbering(("decimal", "%1."), ("lowerLetter", "%2)"), ("bullet", "o"))
    body = item("one") + item("sub", 1) + item("sub", 1) + item("deep", 2) + item("two") + item("again", 1)
    document = read(docx(body, numbering=lists))
    assert document.text.splitlines() == ["1. one", "   a) sub", "   b) sub", "      - deep", "2. two", "   a) again"]
    assert kinds(document) == ["list"]


def test_a_list_goes_on_after_text_and_starts_where_it_says() -> None:
    document = read(docx(item("a") + p("Between.") + item("b"), numbering=numbering(("upperRoman", "%1."), start=4)))
    assert document.text == "IV. a\n\nBetween.\n\nV. b"


def test_a_list_that_overrides_its_start() -> None:
    more = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'
    document = read(docx(item("a") + item("b"), numbering=numbering(("decimal", "%1)"), more=more)))
    assert document.text == "7) a\n8) b"


def test_numbered_headings_show_their_number() -> None:
    styles = HEADINGS.replace(
        '<w:outlineLvl w:val="0"/>', '<w:outlineLvl w:val="0"/><w:numPr><w:numId w:val="1"/></w:numPr>'
    )
    document = read(
        docx(p("A", "Heading1") + p("B", "Heading1"), styles=styles, numbering=numbering(("decimal", "%1")))
    )
    assert document.text == "# 1 A\n\n# 2 B"


def test_tables_with_merged_cells() -> None:
    merge = '<w:vMerge w:val="restart"/>'
    document = read(
        docx(
            table(
                row(cell(p("Kind")), cell(p("Size"))),
                row(cell(p("Duck"), merge), cell(p("1"))),
                row(cell(p(), "<w:vMerge/>"), cell(p("2"))),
                row(cell(p("wide"), '<w:gridSpan w:val="2"/>')),
            )
        )
    )
    assert document.text.splitlines() == [
        "| Kind | Size |",
        "| --- | --- |",
        "| Duck | 1 |",
        "| Duck | 2 |",
        "| wide |  |",
    ]
    rows = [block for block in document.blocks if block.kind == "row"]
    assert document.place_of(rows[2].span)["paragraph"] == "body/tbl[1]/tr[3]"


def test_cells_with_several_paragraphs_lists_and_tables() -> None:
    inner = table(row(cell(p("x")), cell(p("y"))))
    body = table(
        row(cell(p("A")), cell(p("B"))), row(cell(p("First.") + p("no end") + p("last")), cell(inner + item("n")))
    )
    document = read(docx(body, numbering=numbering(("decimal", "%1."))))
    assert document.text.splitlines()[2] == "| First. no end; last | x, y; 1. n |"


def test_a_table_that_arranges_the_page_is_taken_apart() -> None:
    body = table(row(cell(p("Left", "Heading1") + p("Text left.")), cell(p("Right"))))
    assert read(docx(body, styles=HEADINGS)).text == "# Left\n\nText left.\n\nRight"


def test_spans_that_no_table_has_are_capped() -> None:
    document = read(docx(table(row(cell(p("a"), '<w:gridSpan w:val="100000000"/>'), cell(p("b"))), columns=0)))
    assert len(document.text) < 2_000
    assert read(docx(table(row(cell(p("a"), '<w:gridSpan w:val="abc"/>'), cell(p("b")))))).text.startswith("| a | b |")


def test_nested_tables_to_any_depth() -> None:
    body = p("core")
    for _ in range(300):
        body = table(row(cell(body + p())), columns=1)
    assert read(docx(body)).text == "core"


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(ParseError, match="nests deeper"):
        read(docx("<w:tbl><w:tr><w:tc>" * 5_000))


def test_inserted_text_is_kept_and_deleted_text_is_not() -> None:
    body = (
        "<w:p><w:r><w:t>old </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom></w:p>"
    )
    document = read(docx(body))
    assert document.text == "old new"
    assert [notice.message for notice in document.notices] == ["8 characters that tracked changes delete are left out"]


def test_hidden_text_is_left_out_and_counted() -> None:
    styles = '<w:style w:type="character" w:styleId="ghost"><w:name w:val="ghost"/><w:rPr><w:vanish/></w:rPr></w:style>'
    body = (
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>abc</w:t></w:r><w:r><w:t>seen</w:t></w:r>"
        '<w:r><w:rPr><w:rStyle w:val="ghost"/></w:rPr><w:t>de</w:t></w:r>'
        '<w:r><w:rPr><w:vanish w:val="false"/></w:rPr><w:t> too</w:t></w:r></w:p>'
    )
    document = read(docx(body, styles=styles))
    assert document.text == "seen too"
    assert "5 characters of hidden text" in document.notices[0].message


def test_text_boxes_are_read_once() -> None:
    box = "<w:txbxContent>" + p("In the box") + "</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>Before</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx>"
        f"{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict>"
        "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    document = read(docx(body))
    assert document.text == "Before\n\nIn the box"
    assert document.place_of(document.blocks[1].span)["paragraph"] == "body/p[1]/box[1]/p[1]"


def test_content_controls_are_read() -> None:
    body = f"<w:sdt><w:sdtPr/><w:sdtContent>{p('Control')}</w:sdtContent></w:sdt>" + (
        "<w:p><w:sdt><w:sdtContent><w:r><w:t>inline</w:t></w:r></w:sdtContent></w:sdt></w:p>"
    )
    assert read(docx(body)).text == "Control\n\ninline"


def test_notes_stand_after_what_refers_to_them() -> None:
    body = '<w:p><w:r><w:t>Claim</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>' + p("Next.")
    notes = f'<w:footnote w:id="2">{p("The proof.")}</w:footnote>'
    document = read(docx(body, footnotes=notes))
    assert document.text == "Claim[^1]\n\n[^1]: The proof.\n\nNext."
    assert kinds(document) == ["paragraph", "footnote", "paragraph"]


def test_a_note_that_is_missing_is_told() -> None:
    document = read(docx('<w:p><w:r><w:t>x</w:t><w:endnoteReference w:id="9"/></w:r></w:p>'))
    assert document.text == "x[^e1]"
    assert codes(document) == {"note-missing"}


def test_fields_show_their_result() -> None:
    body = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "https://a.example/"</w:instrText>'
        '</w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>there</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
        '<w:p><w:fldSimple w:instr="PAGE"><w:r><w:t>12</w:t></w:r></w:fldSimple></w:p>'
    )
    assert read(docx(body)).text == "[there](https://a.example/)\n\n12"


def test_links_lead_outside_only() -> None:
    body = (
        '<w:p><w:hyperlink r:id="rA"><w:r><w:t>site</w:t></w:r></w:hyperlink><w:r><w:t> and </w:t></w:r>'
        '<w:hyperlink w:anchor="x"><w:r><w:t>below</w:t></w:r></w:hyperlink><w:hyperlink r:id="rB"><w:r>'
        "<w:t> bad</w:t></w:r></w:hyperlink></w:p>"
    )
    targets = {"rA": ("hyperlink", "https://a.example/x"), "rB": ("hyperlink", "javascript://x")}
    assert read(docx(body, targets=targets)).text == "[site](https://a.example/x) and below bad"


def test_pictures_are_figures_with_their_caption() -> None:
    styles = '<w:style w:type="paragraph" w:styleId="Caption"><w:name w:val="caption"/></w:style>'
    picture = (
        '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="A duck"/><a:graphic><a:graphicData>'
        '<pic:pic><pic:blipFill><a:blip r:embed="rI"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline>'
        "</w:drawing></w:r></w:p>"
    )
    body = picture + p("Figure 1: duck", "Caption") + picture.replace(' descr="A duck"', "")
    document = read(docx(body, styles=styles, targets={"rI": ("image", "media/image1.png")}))
    assert document.text == "![A duck](image1.png) Figure 1: duck"
    assert document.blocks[0].kind == "figure"
    assert (document.blocks[0].detail or NO_DETAIL).image == "word/media/image1.png"
    assert codes(document) == {"pictures-undescribed"}


def test_formulas_are_latex() -> None:
    fraction = "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>"
    power = "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>10</m:t></m:r></m:sup></m:sSup>"
    body = (
        f"<w:p><w:r><w:t>With </w:t></w:r><m:oMath>{power}</m:oMath></w:p>"
        f"<w:p><m:oMathPara><m:oMath>{fraction}</m:oMath></m:oMathPara></w:p>"
    )
    document = read(docx(body))
    assert document.text == "With $x^{10}$\n\n$$\n\\frac{a}{b}\n$$"
    assert kinds(document) == ["paragraph", "math"]


def test_code_by_style_and_by_font() -> None:
    styles = '<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>'
    font = '<w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr><w:t>{}</w:t></w:r>'
    body = p("def f():", "Code") + p("    return 1", "Code") + p("Then")
    body += f"<w:p>{font.format('x = 1;')}</w:p>" + p("and") + f"<w:p>{font.format('a plain memo')}</w:p>"
    assert read(docx(body, styles=styles)).text == (
        "```\ndef f():\n    return 1\n```\n\nThen\n\n```\nx = 1;\n```\n\nand\n\na plain memo"
    )


def test_tables_of_contents_are_lists_and_quotes_are_quotes() -> None:
    body = p("Intro\t1", "TOC1") + p("Why\t2", "TOC2") + p("Said so", "Quote")
    assert read(docx(body)).text == "- Intro 1\n  - Why 2\n\n> Said so"


def test_charts_are_tables() -> None:
    def points(texts: list[str]) -> str:
        return "".join(f'<c:pt idx="{n}"><c:v>{text}</c:v></c:pt>' for n, text in enumerate(texts))

    chart = (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">'
        f"<c:ser><c:tx>{points(['Ducks'])}</c:tx><c:cat>{points(['2023', '2024'])}</c:cat>"
        f"<c:val>{points(['1', '4.4000000000000004'])}</c:val></c:ser></c:chartSpace>"
    )
    body = '<w:p><w:r><w:drawing><a:graphic><c:chart r:id="rC"/></a:graphic></w:drawing></w:r></w:p>'
    document = read(docx(body, targets={"rC": ("chart", "charts/c1.xml")}, word__charts__c1=chart))
    assert document.text.splitlines() == ["|  | Ducks |", "| --- | --- |", "| 2023 | 1 |", "| 2024 | 4.4 |"]


def test_what_is_left_out_is_told() -> None:
    document = read(
        docx(
            p("Body"),
            header1=p("Secret header"),
            comments=f'<w:comment w:id="1">{p("Really?")}</w:comment>',
        )
    )
    assert document.text == "Body"
    assert codes(document) == {"margins", "comments"}
    assert any("Secret header" in notice.message for notice in document.notices)


def test_content_in_other_formats_is_told() -> None:
    body = p("Body") + '<w:altChunk r:id="rH"/>'
    document = read(docx(body, targets={"rH": ("aFChunk", "chunk.html")}))
    assert [(notice.code, notice.where) for notice in document.notices] == [("foreign-content", "part word/chunk.html")]


def test_strict_documents_are_read_like_others() -> None:
    body = p("One", "Heading1") + table(row(cell(p("a")), cell(p("b"))))
    assert read(docx(body, space=STRICT, styles=HEADINGS)).text == read(docx(body, styles=HEADINGS)).text


def test_metadata() -> None:
    core = (
        '<cp:coreProperties xmlns:cp="urn:x" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>On &lt;ducks&gt;'
        "</dc:title><dc:creator>Ada</dc:creator></cp:coreProperties>"
    )
    document = read(docx(p("Text"), docProps__core=core))
    assert (document.title, document.front_matter) == ("On <ducks>", {"author": "Ada"})


def test_an_empty_document_is_told() -> None:
    assert codes(read(docx(p()))) == {"no-text"}


def test_damaged_xml_is_read_as_far_as_it_goes() -> None:
    broken = packed(
        {"[Content_Types].xml": "<Types/>", "word/document.xml": docx_xml(p("Kept") + "<w:p><w:r><w:t>cut")}
    )
    document = read(broken)
    assert document.text.startswith("Kept")
    assert {"xml-damaged", "package-incomplete"} <= codes(document)


def docx_xml(body: str) -> str:
    return f'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}'


def test_part_names_in_other_case_are_found() -> None:
    parts = {"[CONTENT_TYPES].XML": "<Types/>", "WORD\\DOCUMENT.XML": docx_xml(p("Text") + "</w:body></w:document>")}
    document = read(packed(parts))
    assert document.text == "Text"
    assert "package-part-names" in codes(document)


def test_entities_are_refused_in_any_part() -> None:
    for part in ("word/document.xml", "word/styles.xml", "[Content_Types].xml", "_rels/.rels"):
        parts = {"[Content_Types].xml": "<Types/>", "word/document.xml": docx_xml(p("Text") + "</w:body></w:document>")}
        parts[part] = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><x>&e;</x>'
        with pytest.raises(ParseError, match="document type"):
            parse_bytes(packed(parts), uri="a.docx")


def test_no_document_no_result() -> None:
    with pytest.raises(ParseError, match=r"no part word/document\.xml"):
        parse_bytes(packed({"[Content_Types].xml": "<Types/>", "word/other.xml": "<x/>"}), uri="a.docx")


def test_text_stops_at_the_limit() -> None:
    raw = ParseInput(docx(p("word " * 100) * 20), uri="a.docx", limits=ParseLimits(characters=2_000))
    parsed = parse(raw)
    assert 2_000 < len(parsed.text) < 3_000
    assert "text-limit" in {notice.code for notice in parsed.notices}


def test_very_many_rows_of_merged_cells() -> None:
    rows = [row(cell(p("x"), '<w:vMerge w:val="restart"/>'), cell(p("y")))]
    rows += [row(cell(p(), "<w:vMerge/>"), cell(p("y")))] * 2_000
    assert read(docx(table(*rows))).text.count("| x | y |") == 2_001


def test_the_same_bytes_give_the_same_document() -> None:
    data = docx(p("A", "Heading1") + item("b") + table(row(cell(p("c")), cell(p("d")))), styles=HEADINGS)
    first, second = parse(ParseInput(data)), parse(ParseInput(data))
    assert (first.text, first.blocks, first.notices) == (second.text, second.blocks, second.notices)
    assert list(first.anchors or ()) == list(second.anchors or ())


WHOLE = docx(
    p("A", "Heading1") + item("b") + table(row(cell(p("c")), cell(p("d")))) + "<w:p><m:oMath/></w:p>",
    styles=HEADINGS,
    numbering=numbering(("decimal", "%1.")),
)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_damaged_files_raise_nothing_of_their_own(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(WHOLE)
    for _ in range(chance.randint(1, 12)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    survives(bytes(data[: chance.choice((len(data), chance.randrange(len(data))))]))


TAGS = (
    "<w:p>", "</w:p>", "<w:r>", "</w:r>", "<w:t>x</w:t>", "<w:tbl>", "</w:tbl>", "<w:tr>", "</w:tr>", "<w:tc>",
    "</w:tc>", "<w:sdt>", "</w:sdt>", "<w:hyperlink>", "</w:hyperlink>", "<w:drawing>", "<w:txbxContent>", "<m:oMath>",
    "<mc:AlternateContent>", '<w:fldChar w:fldCharType="begin"/>', '<w:fldChar w:fldCharType="end"/>',
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(TAGS),
        max_size=40,
    )
)
def test_any_tags_in_any_order(tags: list[str]) -> None:
    survives(docx("".join(tags)))


def survives(data: bytes) -> None:
    try:
        parsed = parse(ParseInput(data, uri="a.docx"))
    except SeamlineError:
        return
    check_document(
        Document("a", parse_bytes(b"x", uri="a.md").source, parsed.text, parsed.blocks, anchors=parsed.anchors)
    )


def test_files_from_the_command_line_are_read_by_content(tmp_path: Path) -> None:
    path = tmp_path / "no-suffix"
    path.write_bytes(docx(p("Text")))
    from seamline.parse import parse_file

    assert parse_file(path).text == "Text"
