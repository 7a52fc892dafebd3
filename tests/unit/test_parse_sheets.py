"""Workbooks: the tables of each sheet, and what a hostile one costs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import cells, packed, survives_damage, unpacked, xlsx

from seamline.errors import ParseError
from seamline.parse import parse_bytes
from seamline.parse.parser_types import ParseInput, ParseLimits
from seamline.parse.sheets.cells import is_sparse, read_marks
from seamline.parse.sheets.grid import SheetGrid, format_value, group_neighbours
from seamline.parse.sheets.workbook import parse
from seamline.testing.parsers import check_document
from seamline.types import Document

DATES = (
    '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/></numFmts><cellXfs>'
    '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs>'
)


def read(data: bytes) -> Document:
    document = parse_bytes(data, uri="a.xlsx")
    check_document(document)
    return document


def codes(document: Document) -> set[str]:
    return {notice.code for notice in document.notices}


def lines(document: Document) -> list[str]:
    return [line for line in document.text.splitlines() if line and not line.startswith("| ---")]


def test_a_sheet_is_a_section_with_rows_by_number() -> None:
    document = read(xlsx({"Ducks": cells(["Year", "Count"], [2023, 1.5], [2024, 7])}))
    assert document.text == "# Ducks\n\n| Year | Count |\n| --- | --- |\n| 2023 | 1.5 |\n| 2024 | 7 |"
    assert [block.kind for block in document.blocks] == ["heading", "table", "row", "row", "row"]
    place = document.place_of(document.blocks[-1].span)
    assert (place["sheet"], place["row"]) == ("Ducks", 3)


def test_tables_apart_and_titles_above_them() -> None:
    inside = cells(["Ducks by year"], [], ["Year", "Count"], [2023, 1], top=2) + cells(
        ["Name", "City"], ["Ada", "Rome"], top=9
    )
    document = read(xlsx({"S": inside}))
    assert lines(document) == [
        "# S", "Ducks by year", "| Year | Count |", "| 2023 | 1 |", "| Name | City |", "| Ada | Rome |",
    ]  # fmt: skip
    assert [block.kind for block in document.blocks if block.parent < 0] == ["heading", "paragraph", "table", "table"]


def test_tables_side_by_side() -> None:
    document = read(xlsx({"S": cells(["a", "b", None, "c", "d"], [1, 2, None, 3, 4])}))
    assert lines(document) == ["# S", "| a | b |", "| 1 | 2 |", "| c | d |", "| 3 | 4 |"]


def test_an_empty_row_in_a_table_does_not_end_it() -> None:
    inside = cells(["Year", "Count"], [2023, 1], [2024, 2], [], [2025, 3], [2026, 4])
    assert lines(read(xlsx({"S": inside}))) == [
        "# S", "| Year | Count |", "| 2023 | 1 |", "| 2024 | 2 |", "|  |  |", "| 2025 | 3 |", "| 2026 | 4 |",
    ]  # fmt: skip


def test_tables_that_touch_at_a_corner_only() -> None:
    inside = cells(["a", "b"], ["x", "y"]) + cells([None, None, "c", "d"], [None, None, 1, 2], top=3)
    assert lines(read(xlsx({"S": inside}))) == ["# S", "| a | b |", "| x | y |", "| c | d |", "| 1 | 2 |"]


def test_values_without_header_stand_under_letters() -> None:
    assert lines(read(xlsx({"S": cells([1, 2], [3, 4])}))) == ["# S", "| A | B |", "| 1 | 2 |", "| 3 | 4 |"]


def test_merged_cells() -> None:
    inside = cells(["Kind", "Size", None], [None, "min", "max"], ["Duck", 1, 2], [None, 3, 4])
    merged = (
        '<!--after--><mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/><mergeCell ref="A3:A4"/></mergeCells>'
    )
    assert lines(read(xlsx({"S": inside + merged}))) == [
        "# S", "| Kind | Size min | Size max |", "| Duck | 1 | 2 |", "| Duck | 3 | 4 |",
    ]  # fmt: skip


def test_dates_booleans_and_numbers_as_they_are() -> None:
    inside = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>When</t></is></c><c r="B1" t="inlineStr"><is>'
        "<t>What</t></is></c></row>"
        '<row r="2"><c r="A2" s="1"><v>45292</v></c><c r="B2"><v>0.30000000000000004</v></c></row>'
        '<row r="3"><c r="A3" s="1"><v>45292.5</v></c><c r="B3"><v>123456789012345</v></c></row>'
        '<row r="4"><c r="A4" s="2"><v>45323</v></c><c r="B4" t="b"><v>1</v></c></row>'
    )
    assert lines(read(xlsx({"S": inside}, styles=DATES)))[2:] == [
        "| 2024-01-01 | 0.3 |", "| 2024-01-01 12:00:00 | 123456789012345 |", "| 2024-02-01 | TRUE |",
    ]  # fmt: skip


def test_shared_texts_and_bars_in_them() -> None:
    inside = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2">'
        '<c r="A2" t="s"><v>2</v></c><c r="B2"><v>1</v></c></row>'
    )
    assert lines(read(xlsx({"S": inside}, ["a|b", " two\nlines ", "x"]))) == [
        "# S",
        "| a\\|b | two lines |",
        "| x | 1 |",
    ]


def test_remarks_below_a_table_are_paragraphs() -> None:
    remark = "Source: counted by hand over four long summers."
    inside = cells(["Year", "Count"], [2023, 1], [2024, 2], [remark])
    assert read(xlsx({"S": inside})).text.endswith(f"| 2024 | 2 |\n\n{remark}")


def test_hidden_empty_and_failed() -> None:
    failed = '<row r="1"><c r="A1" t="e"><v>#REF!</v></c><c r="B1" t="inlineStr"><is><t>x</t></is></c></row>'
    formula = '<row r="2"><c r="A2"><f>SUM(1)</f></c></row>'
    document = read(xlsx({"A": "", "B": failed + formula}, state_B="hidden"))
    assert document.text == "# B\n\nx"
    assert codes(document) == {"sheet-empty", "sheet-hidden", "cells-failed", "formulas-uncalculated"}


def test_a_cell_far_away_costs_nothing() -> None:
    far = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far</t></is></c></row>'
    inside = cells(["Year", "Count"], [2023, 1]) + far
    document = read(xlsx({"S": inside}))
    assert lines(document) == ["# S", "| Year | Count |", "| 2023 | 1 |", "far"]
    assert document.place_of(document.blocks[-1].span)["row"] == 1_048_576
    assert is_sparse(inside.encode(), read_marks(inside.encode()))
    small = cells(["Year", "Count"], [2023, 1]).encode()
    assert not is_sparse(small, read_marks(small))


def test_cells_along_a_diagonal() -> None:
    def letters(column: int) -> str:
        first, rest = divmod(column, 26)
        return (chr(64 + first) if first else "") + chr(65 + rest)

    inside = "".join(
        f'<row r="{n * 10_000 + 1}"><c r="{letters(n)}{n * 10_000 + 1}"><v>{n}</v></c></row>' for n in range(100)
    )
    document = read(xlsx({"S": inside}))
    assert document.text.split("\n\n")[1:] == [str(n) for n in range(100)]


def test_one_long_text_in_very_many_cells_is_cut_and_told() -> None:
    inside = "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(1, 2_001))
    document = parse_bytes(xlsx({"S": inside}, ["long " * 10_000]), uri="a.xlsx")
    assert len(document.text) < 6_000_000
    assert codes(document) == {"cells-limit", "cells-cut"}


def test_sheets_that_are_one_part_are_read_once() -> None:
    parts = unpacked(xlsx({"A": cells([1, 2]), "B": cells([3, 4])}))
    known = str(parts["xl/_rels/workbook.xml.rels"])
    parts["xl/_rels/workbook.xml.rels"] = known.replace("sheet2.xml", "sheet1.xml")
    document = read(packed(parts))
    assert lines(document) == ["# A", "| A | B |", "| 1 | 2 |"]
    assert codes(document) == {"sheets-repeated"}


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ('<row r="1"><c r="A1" t="s"><v>99</v></c><c r="B1"><v>1</v></c></row>', "cells-damaged"),
        ('<row r="1"><c r="-"><v>1</v></c><c r="??"><v>2</v></c></row>', "cells-misplaced"),
    ],
)
def test_damaged_cells_are_told(inside: str, code: str) -> None:
    document = read(xlsx({"S": inside}))
    assert {"sheet-damaged", code} <= codes(document)
    assert "1" in document.text


def test_a_sheet_that_is_missing_is_told() -> None:
    parts = unpacked(xlsx({"A": cells([1]), "B": cells([2])}))
    del parts["xl/worksheets/sheet1.xml"]
    document = read(packed(parts))
    assert lines(document) == ["# B", "2"]
    assert [(notice.code, notice.where) for notice in document.notices] == [("sheet-missing", "sheet A")]


@pytest.mark.parametrize("part", ["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml", "xl/workbook.xml"])
def test_entities_are_refused(part: str) -> None:
    parts = unpacked(xlsx({"A": cells([1])}))
    parts[part] = '<!DOCTYPE x [<!ENTITY e "e">]><x/>'
    with pytest.raises(ParseError, match="document type"):
        read(packed(parts))


def test_rows_stop_at_the_limit() -> None:
    parsed = parse(ParseInput(xlsx({"S": cells(*([["a", "b"]] * 500))}), limits=ParseLimits(characters=1_000)))
    assert len(parsed.text) <= 1_100
    assert {notice.code for notice in parsed.notices} == {"text-limit"}


def test_old_workbooks_that_are_none_are_refused() -> None:
    with pytest.raises(ParseError, match=r"no workbook|encrypted"):
        parse_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 4_000, uri="a.xls")


def test_values_as_text() -> None:
    assert [format_value(value) for value in (1.0, -0.5, 1e20, True, "x")] == ["1", "-0.5", "1e+20", "TRUE", "x"]


def test_neighbours_keep_all_cells() -> None:
    found = {1: {1: "a", 2: "b"}, 2: {1: "c"}, 9: {5: "d"}}
    grids = list(group_neighbours(found))
    assert grids == [SheetGrid(0, 0, [["a", "b"], ["c", ""]]), SheetGrid(8, 4, [["d"]])]


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.integers(1, 12),
        st.dictionaries(st.integers(1, 8), st.sampled_from(["a", "bb", "c|d", 1.5, True]), min_size=1),
        min_size=1,
    )
)
def test_every_cell_is_in_the_text(found: dict[int, dict[int, object]]) -> None:
    inside = ""
    for number, row in sorted(found.items()):
        inside += f'<row r="{number}">'
        for column, value in sorted(row.items()):
            at = f"{chr(64 + column)}{number}"
            if isinstance(value, str):
                inside += f'<c r="{at}" t="inlineStr"><is><t>{value}</t></is></c>'
            elif isinstance(value, bool):
                inside += f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
            else:
                inside += f'<c r="{at}"><v>{value}</v></c>'
        inside += "</row>"
    parsed = parse(ParseInput(xlsx({"S": inside}), uri="a.xlsx"))
    source = parse_bytes(b"x", uri="a.md").source
    check_document(Document("a", source, parsed.text, parsed.blocks, anchors=parsed.anchors))
    held = [format_value(value) for row in found.values() for value in row.values()]
    for value in set(held):
        assert parsed.text.replace("\\|", "|").count(value) >= held.count(value)


WHOLE = xlsx({"A": cells(["Year", "Count"], [2023, 1]), "B": cells([1])}, ["x"], styles=DATES)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_damaged_files_raise_nothing_of_their_own(seed: int) -> None:
    survives_damage(parse, WHOLE, seed)


SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DRAWN = "http://schemas.openxmlformats.org/drawingml/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MICROSOFT = "http://schemas.microsoft.com/office"


def related(*kinds: tuple[str, str]) -> str:
    listed = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/{kind}" Target="{target}"/>' for n, (kind, target) in enumerate(kinds)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{listed}</Relationships>'


def beside(*, rows: str = cells(["Year", "Count"], [2024, 7]), **parts: str) -> bytes:
    """A workbook with a sheet, and the parts that stand beside it."""
    names = {"notes": "comments1.xml", "threads": "threadedComments/t1.xml", "drawing": "drawings/drawing1.xml"}
    kinds = {"notes": "comments", "threads": "threadedComment", "drawing": "drawing"}
    files = unpacked(xlsx({"Plan": rows}))
    files["xl/worksheets/_rels/sheet1.xml.rels"] = related(
        *((kinds[name], f"../{names[name]}") for name in parts if name in names)
    )
    files |= {f"xl/{names.get(name, name)}": text for name, text in parts.items()}
    return packed(files)


def test_comments_on_cells_are_read_with_their_cells_and_authors() -> None:
    notes = (
        f'<comments xmlns="{SPREADSHEET}"><authors><author>Ada</author></authors><commentList>'
        '<comment ref="B2" authorId="0"><text><r><t>Ada:</t></r><r><t xml:space="preserve"> an'
        " estimate</t></r></text></comment>"
        '<comment ref="A1" authorId="9"><text><t>of birth</t></text></comment></commentList></comments>'
    )
    document = read(beside(notes=notes))
    assert document.text.endswith("\n\n- Comment on A1: of birth\n- Comment on B2 by Ada: an estimate")
    place = document.place_of(document.blocks[-1].span)
    assert (place["sheet"], place["row"]) == ("Plan", 2)


def test_a_sheet_of_comments_alone_is_read() -> None:
    note = '<comment ref="A1" authorId="0"><text><t>to be filled in</t></text></comment>'
    notes = f'<comments xmlns="{SPREADSHEET}"><commentList>{note}</commentList></comments>'
    assert read(beside(rows="", notes=notes)).text == "# Plan\n\n- Comment on A1: to be filled in"


def test_replies_stand_for_the_note_that_repeats_them() -> None:
    notes = (
        f'<comments xmlns="{SPREADSHEET}"><authors><author>tc=1</author></authors><commentList><comment ref="B2" '
        'authorId="0"><text><t>[Threaded comment] old</t></text></comment></commentList></comments>'
    )
    threads = (
        f'<ThreadedComments xmlns="{MICROSOFT}/spreadsheetml/2018/threadedcomments"><threadedComment'
        f' ref="B2" personId="p">'
        '<text>Why?</text></threadedComment><threadedComment ref="B2" personId="q"><text>Rain.</text></threadedComment>'
        "</ThreadedComments>"
    )
    people = f'<personList xmlns="{MICROSOFT}/x"><person displayName="Ada" id="p"/></personList>'
    document = read(beside(notes=notes, threads=threads, **{"persons/person.xml": people}))
    assert document.text.endswith("\n\n- Comment on B2 by Ada: Why?\n- Comment on B2: Rain.")


def test_titles_of_charts_are_read_with_their_place() -> None:
    drawing = (
        f'<d:wsDr xmlns:d="{DRAWN}/spreadsheetDrawing"><d:twoCellAnchor><d:from><d:col>3</d:col>'
        "<d:row>4</d:row></d:from>"
        f'<d:graphicFrame><c:chart xmlns:c="{DRAWN}/chart" xmlns:r="{OFFICE}" r:id="r0"/></d:graphicFrame>'
        "</d:twoCellAnchor></d:wsDr>"
    )
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>{}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    chart = (
        f'<c:chartSpace xmlns:c="{DRAWN}/chart" xmlns:a="{DRAWN}/main"><c:chart>'
        f"{title.format('Ducks by year')}<c:plotArea>"
        "<c:barChart><c:ser><c:tx><c:strRef><c:f>Plan!$B$1</c:f><c:strCache><c:pt><c:v>Count</c:v></c:pt></c:strCache>"
        f"</c:strRef></c:tx></c:ser></c:barChart><c:valAx>{title.format('Ducks')}</c:valAx>"
        "</c:plotArea></c:chart></c:chartSpace>"
    )
    rels = {"drawings/_rels/drawing1.xml.rels": related(("chart", "../charts/chart1.xml")), "charts/chart1.xml": chart}
    document = read(beside(drawing=drawing, **rels))
    assert document.text.endswith("\n\nChart: Ducks by year; axes: Ducks; series: Count")
    place = document.place_of(document.blocks[-1].span)
    assert (place["sheet"], place["row"]) == ("Plan", 5)
