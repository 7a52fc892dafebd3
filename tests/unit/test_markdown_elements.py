"""HTML inside Markdown as blocks: tables, rows, and elements that hold others."""

from __future__ import annotations

import time

import pytest

import seamline
from seamline.text.tables import tables
from seamline.types import Block, Document

TABLE = "<table>\n<tr><th>Name</th><th>Use</th></tr>\n<tr><td>a</td><td>First &amp; <b>best</b></td></tr>\n</table>"


def read(text: str) -> Document:
    return seamline.read(text, id="doc", media_type="text/markdown")


def shown(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, (block.detail.name or "") if block.detail else "") for block in document.blocks]


def test_a_table_has_rows_columns_and_cells() -> None:
    document = read(TABLE)
    assert [block.kind for block in document.blocks] == ["table", "row", "row", "html"]
    (table,) = tables(document)
    assert [column.name for column in table.columns] == ["Name", "Use"]
    assert [row.cells for row in table.rows()] == [["a", "First & best"]]


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        ("<thead><tr><td>a</td><td>b</td></tr></thead>", True),
        ("<tr><th>a</th><th>b</th></tr>", True),
        ("<tr><td>a</td><td>b</td></tr>", True),
        ('<tr><td colspan="2">--option</td></tr>', False),
        ("<tr><td>" + "a long text " * 5 + "</td><td>b</td></tr>", False),
    ],
)
def test_the_header_is_a_head_or_names_of_columns(first: str, is_header: bool) -> None:
    block = read(f"<table>\n{first}\n<tr><td>1</td><td>2</td></tr>\n</table>").blocks[0]
    assert block.detail is not None
    assert block.detail.header_end is not None
    assert (block.detail.header_end > block.start) == is_header


def test_an_element_holds_the_markdown_between_its_tags() -> None:
    document = read("<details>\n<summary>More</summary>\n\nText.\n\n- item\n\n</details>\n\nAfter.")
    assert shown(document) == [("html", "details"), ("paragraph", ""), ("list", ""), ("item", ""), ("paragraph", "")]
    assert [block.parent for block in document.blocks] == [-1, 0, 0, 2, -1]


def test_headings_are_not_put_into_elements() -> None:
    blocks: list[Block] = list(read("<div>\n\n# Title\n\nText.\n\n</div>").blocks)
    assert [(block.kind, block.parent) for block in blocks if block.kind == "heading"] == [("heading", -1)]


def test_tags_in_comments_and_pre_are_no_structure() -> None:
    assert shown(read("<div>\n<!-- <table><tr><td>x</td></tr></table> a comment that is long -->\n</div>")) == [
        ("html", "div")
    ]
    assert shown(read("<pre>\n<table><tr><td>a table that is only shown as text</td></tr></table>\n</pre>")) == [
        ("html", "pre")
    ]


def test_what_nothing_closes_reaches_to_the_end() -> None:
    items = "<li>one of two that nothing closes, and that is not short\n" * 2
    document = read(f"<ul>\n{items}")
    assert shown(document) == [("html", "ul"), ("html", "li"), ("html", "li")]


@pytest.mark.parametrize(
    "hostile", ["<div>", "<a '", '<div x="', "<table><tr><td>", "</div>", "<pre>", "<!--", "<X>\n\n"]
)
def test_hostile_html_takes_linear_time(hostile: str) -> None:
    begin = time.process_time()
    assert seamline.chunk(read("<p>\n" + hostile * (60_000 // len(hostile))))
    assert time.process_time() - begin < 10
