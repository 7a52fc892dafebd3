"""CSV and TSV: records where they are, whatever stands in their cells."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seamline
from seamline.parse import parse_bytes, parse_text
from seamline.parse.tables.csv import CsvScanner, detect_dialect
from seamline.testing.parsers import check_document
from seamline.types import NO_DETAIL, Detail, Dialect, Document

PEOPLE = "name,born,score\nAda,1815-12-10,9.5\nAlan,1912-06-23,9.1\nGrace,1906-12-09,9.3\n"


def read(text: str, media_type: str = "text/csv") -> Document:
    document = parse_text(text, media_type=media_type, uri="table.csv")
    check_document(document)
    assert document.text == text
    return document


def rows(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == "row"]


def table(document: Document) -> Detail:
    return next(block.detail for block in document.blocks if block.kind == "table") or NO_DETAIL


def columns(document: Document) -> list[tuple[str, str]]:
    return [*(table(document).columns or ())]


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


def test_a_table_with_a_header_has_typed_columns() -> None:
    document = read(PEOPLE)
    assert [block.kind for block in document.blocks] == ["table", "row", "row", "row", "row"]
    assert table(document).header_end == len("name,born,score")
    assert columns(document) == [
        ("name", "text"),
        ("born", "date"),
        ("score", "number"),
    ]
    assert table(document).dialect == Dialect(",", '"')
    assert not document.notices


def test_records_are_numbered_without_the_header() -> None:
    document = read(PEOPLE)
    second = document.blocks[3]
    assert document.place_of(second.span) == {"lines": [3, 3], "record": 2, "records": [2, 2]}
    assert document.place_of(document.blocks[1].span) == {"lines": [1, 1]}


def test_chunks_of_a_long_table_repeat_the_header_and_say_which_records_they_hold() -> None:
    document = read("id,note\n" + "".join(f"{i},something about {i}\n" for i in range(300)))
    chunks = seamline.chunk(document, limit=100)
    assert all(chunk.text.startswith("id,note\n") for chunk in chunks)
    seen = [number for chunk in chunks for number in range(chunk.place["records"][0], chunk.place["records"][1] + 1)]
    assert seen == list(range(1, 301))


def test_a_row_that_is_too_wide_is_cut_by_columns_under_their_names_beside_its_key() -> None:
    names = ",".join(f"column{i}" for i in range(40))
    document = read(f"{names}\n" + "\n".join(",".join(f"k{r}v{i}" for i in range(40)) for r in range(3)) + "\n")
    chunks = seamline.chunk(document, limit=96)
    inner = next(
        chunk
        for chunk in chunks
        if chunk.document.text[chunk.start :].startswith("k1v") and chunk.context[-1].role == "key"
    )
    head, row = inner.text.splitlines()
    assert head.startswith("column0,")
    assert row.startswith("k1v0,")
    assert [name.removeprefix("column") for name in head.strip(",").split(",")] == [
        value.split("v")[1] for value in row.strip(",").split(",")
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found(delimiter: str, newline: str) -> None:
    text = newline.join(delimiter.join(cells) for cells in (["a", "b", "c"], ["1", "x", "2.5"], ["2", "y", "3.5"]))
    document = read(text)
    assert table(document).dialect == Dialect(delimiter, '"')
    assert len(rows(document)) == 3


def test_decimal_commas_do_not_part_cells() -> None:
    document = read("price;weight\n1,5;2,5\n3,25;4,75\n")
    assert table(document).dialect == Dialect(";", '"')
    assert [kind for _, kind in columns(document)] == ["number", "number"]


def test_a_first_line_may_declare_the_delimiter() -> None:
    document = read("sep=;\na,b;c\n1,2;3\n")
    assert (table(document).dialect or Dialect("")).delimiter == ";"
    assert document.blocks[0].kind == "paragraph"


def test_a_delimiter_in_doubt_is_noted() -> None:
    document = read("a,b\tc;d\n" * 5)
    assert codes(document) == ["csv-delimiter"]


def test_quoted_cells_hold_delimiters_quotes_and_line_ends() -> None:
    document = read('id,text\n1,"a, ""b""\n\nc"\n2,"x"\n')
    assert rows(document) == ["id,text", '1,"a, ""b""\n\nc"', '2,"x"']
    assert not document.notices


def test_a_quote_that_is_never_closed_does_not_swallow_the_rest() -> None:
    document = read('id,text\n1,"never closed\n2,row\n3,"closed"\n4,row\n')
    assert len(rows(document)) == 5
    assert codes(document) == ["csv-unclosed-quote"]
    assert document.notices[0].where == "line 2"


def test_single_quotes_and_escapes_are_understood() -> None:
    assert rows(read("a,b\n1,'x, y'\n2,'z'\n"))[1] == "1,'x, y'"
    escaped = read('a,b\n1,"say \\"hi\\", now"\n2,"x"\n')
    assert rows(escaped)[1] == '1,"say \\"hi\\", now"'
    assert not escaped.notices


def test_ragged_rows_are_kept_and_counted() -> None:
    document = read("a,b,c\n1\n1,2,3,4,5\n,,\n\n1,2\n1,2,3\n")
    assert rows(document) == ["a,b,c", "1", "1,2,3,4,5", ",,", "1,2", "1,2,3"]
    assert codes(document) == ["csv-ragged"]
    assert document.notices[0].where == "lines 2, 3, 6"


def test_no_header_is_made_up() -> None:
    document = read("1,2,3\n4,5,6\n7,8,9\n")
    assert table(document).header_end == 0
    assert columns(document) == [(f"column {i}", "integer") for i in (1, 2, 3)]
    assert document.place_of(document.blocks[1].span)["record"] == 1


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("Industry\nFinance\nHealth\nSales\n", True),
        ("Ada,London\nAlan,London\nGrace,New York\nAda,Paris\n", False),
        ("2020-01-01,5\n2020-01-02,6\n", False),
        ("when,count\n2020-01-01,5\n2020-01-02,6\n", True),
        ("id,id,,\n1,2,3,4\n5,6,7,8\n", True),
        ("only,one,line\n", False),
    ],
)
def test_header_or_not(text: str, header: bool) -> None:
    assert (table(read(text)).header_end != 0) is header


def test_codes_with_leading_zeros_are_text() -> None:
    assert columns(read("zip,n\n01234,1\n09876,2\n")) == [
        ("zip", "text"),
        ("n", "integer"),
    ]


def test_lines_above_a_table_are_paragraphs() -> None:
    document = read("Sales of the north\n\nid,amount\n1,5\n2,6\n")
    assert [block.kind for block in document.blocks] == ["paragraph", "table", "row", "row", "row"]
    assert document.place_of(document.blocks[-1].span)["record"] == 2


def test_rows_of_empty_cells_count_as_records_but_are_no_blocks() -> None:
    document = read("a\tb\n1\tx\n\t\n2\ty\n", "text/tab-separated-values")
    assert rows(document) == ["a\tb", "1\tx", "2\ty"]
    assert document.place_of(document.blocks[-1].span)["record"] == 3


def test_formulas_are_text() -> None:
    document = read('name,note\n=HYPERLINK("http://evil"),+1+1\n-2+3,@SUM(A1)\n')
    assert rows(document)[1] == '=HYPERLINK("http://evil"),+1+1'


def test_a_huge_field_and_many_columns_are_read() -> None:
    assert len(rows(read("id,text\n1," + "x" * 200_000 + "\n"))) == 2
    wide = read(",".join(f"c{i}" for i in range(3000)) + "\n" + "1," * 2999 + "1\n")
    assert codes(wide) == ["table-wide"]
    assert len(columns(wide)) == 1000


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", " \n\t\n"])
def test_nothing_is_said_to_be_nothing(text: str) -> None:
    assert codes(read(text)) == ["table-empty"]


def test_utf_16_as_spreadsheets_save_it() -> None:
    document = parse_bytes("name\tcity\nÄda\tParis\n".encode("utf-16"), uri="sheet.csv")
    check_document(document)
    assert rows(document) == ["name\tcity", "Äda\tParis"]


def test_the_same_twice() -> None:
    first, second = read(PEOPLE), read(PEOPLE)
    assert first.blocks == second.blocks
    assert first.anchors == second.anchors


@given(
    st.lists(
        st.lists(st.text("ab ,;\"'\n\r\\|1.", max_size=8), min_size=2, max_size=4).filter(lambda row: any(row)),
        min_size=1,
        max_size=8,
    )
)
def test_what_the_standard_library_writes_is_read_back_cell_by_cell(table: list[list[str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    text = out.getvalue()
    scanner = CsvScanner(detect_dialect("a,b\n")[0]._replace(quote='"'))
    found = []
    for start, end in scanner.records(text):
        cells = [text[low:high] for low, high in scanner.cells(text, start, end)]
        assert scanner.width(text, start, end) == len(cells)
        found.append([cell[1:-1].replace('""', '"') for cell in cells])
    assert found == table


@given(st.text(st.sampled_from("a1,;\t|\"'\\ \r\n\ufeff\x00é"), max_size=60))
def test_any_text_is_a_document(text: str) -> None:
    read(text)
