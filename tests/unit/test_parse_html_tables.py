"""Tables of HTML: rows of equal columns under one header, whatever cells span."""

from __future__ import annotations

import pytest

from seamline.parse import parse_bytes
from seamline.testing.parsers import check_document
from seamline.types import Document


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(markup: str) -> Document:
    document = parse_bytes(markup.encode(), uri="page.html")
    check_document(document)
    return document


def rows(markup: str) -> list[str]:
    return [line for line in read(markup).text.splitlines() if line.startswith("|") and "---" not in line]


def test_a_table_has_a_header_and_rows_with_places() -> None:
    markup = (
        "<table id=t><caption>Prices</caption><thead><tr><th>Item<th>Price</thead>\n"
        "<tbody><tr id=r1><td>Tea<td>2 | 3\n<tr><td>Cake<ul><li>big<li>small</ul><td><img alt=logo>4</td></tr></table>"
    )
    document = read(markup)
    assert document.text == (
        "Prices\n\n| Item | Price |\n| --- | --- |\n| Tea | 2 \\| 3 |\n| Cake big small | [logo]4 |"
    )
    assert [block.kind for block in document.blocks] == ["paragraph", "table", "row", "row", "row"]
    places = [document.place_of(block.span) for block in document.blocks]
    sources = [markup[slice(*place["source"])] for place in places]
    assert sources[2:4] == ["<tr><th>Item<th>Price", "<tr id=r1><td>Tea<td>2 | 3"]
    assert sources[4].startswith("<tr><td>Cake")
    assert sources[4].endswith("</tr>")
    assert [place["element"] for place in places[2:]] == ["t", "r1", "t"]
    assert [place["lines"] for place in places[2:]] == [[1, 1], [2, 2], [3, 3]]


def test_a_cell_that_spans_columns_stands_in_the_first() -> None:
    assert rows("<table><tr><td>a<td>b<td>c<tr><td colspan=2>d<td>e</table>") == ["| a | b | c |", "| d |  | e |"]


def test_a_cell_that_spans_rows_is_in_each_of_them() -> None:
    markup = "<table><tr><th>k<th>v<tr><td rowspan=2>a<td>1<tr><td>2<tr><td>b<td>3</table>"
    assert rows(markup) == ["| k | v |", "| a | 1 |", "| a | 2 |", "| b | 3 |"]


def test_a_span_of_rows_ends_with_its_group() -> None:
    markup = "<table><tr><th>k<th>v<tbody><tr><td rowspan=9>a<td>1<tbody><tr><td>b<td>2</table>"
    assert rows(markup) == ["| k | v |", "| a | 1 |", "| b | 2 |"]
    markup = "<table><tr><th>k<th>v<tbody><tr><td rowspan=0>a<td>1<tr><td>2</table>"
    assert rows(markup) == ["| k | v |", "| a | 1 |", "| a | 2 |"]


def test_rows_of_headers_become_one() -> None:
    markup = (
        "<table><thead><tr><th rowspan=2>Year<th colspan=2>Sales<tr><th>Q1<th>Q2</thead>"
        "<tr><td>2024<td>1<td>2<tr><td>2025<td>3<td>4</table>"
    )
    assert rows(markup) == ["| Year | Sales Q1 | Sales Q2 |", "| 2024 | 1 | 2 |", "| 2025 | 3 | 4 |"]
    document = read(markup)
    row = next(block for block in document.blocks if block.kind == "row")
    start, end = document.place_of(row.span)["source"]
    assert markup[start:end] == "<tr><th rowspan=2>Year<th colspan=2>Sales<tr><th>Q1<th>Q2"


def test_a_header_of_rows_is_no_header_of_columns() -> None:
    markup = "<table><tr><th>Year<th>Sum<tr><th rowspan=3>2024<tr><td>1<tr><td>2</table>"
    assert rows(markup) == ["| Year | Sum |", "| 2024 |  |", "| 2024 | 1 |", "| 2024 | 2 |"]


def test_rows_that_each_have_a_header_stand_under_an_empty_one() -> None:
    assert rows("<table><tr><th>Kingdom<td>Animalia<tr><th>Class<td>Aves</table>") == [
        "|  |  |",
        "| Kingdom | Animalia |",
        "| Class | Aves |",
    ]


def test_a_first_row_of_one_cell_says_what_the_table_is_about() -> None:
    document = read("<table><tr><th colspan=2>Duck<tr><td>a<td>b<tr><td>c<td>d</table>")
    assert document.text == "Duck\n\n| a | b |\n| --- | --- |\n| c | d |"


def test_a_header_too_long_to_be_repeated_is_a_row() -> None:
    assert rows(f"<table><tr><td>{'long ' * 300}<td>b<tr><td>c<td>d</table>")[0] == "|  |  |"


@pytest.mark.parametrize(
    "markup",
    [
        "<table role=presentation><tr><td>left<td>right</table>",
        "<table><tr><td>left<p>right</table>",
        "<table><tr><td><h2>left</h2><td>right</table>",
        "<table><tr><td><table><tr><td>left</table><td>right</table>",
        "<table><tr><td><pre>left</pre><td>right</table>",
    ],
)
def test_tables_that_lay_out_a_page_are_no_tables(markup: str) -> None:
    document = read(markup)
    assert "table" not in [block.kind for block in document.blocks]
    assert "left" in document.text
    assert "right" in document.text


def test_a_table_in_an_item_stays_in_it() -> None:
    document = read("<ul><li>see<table><tr><th>a<th>b<tr><td>1<td>2</table></ul>")
    assert document.text == "- see\n\n  | a | b |\n  | --- | --- |\n  | 1 | 2 |"


def test_columns_that_spans_only_claim_cost_nothing() -> None:
    markup = "<table><tr><td colspan=1000>a<td colspan=99999999>b<tr><td>c<td>d</table>"
    assert rows(markup) == ["| a |  | b |", "| c | d |  |"]


def test_spans_that_are_no_numbers_are_one() -> None:
    assert rows("<table><tr><td colspan=x rowspan=-2>a<td colspan='2 '>b<tr><td>c<td>d</table>") == [
        "| a | b |",
        "| c | d |",
    ]


def test_empty_tables_are_nothing() -> None:
    assert read("<table></table><table><tr><td> <td> </table><p>x").text == "x"
