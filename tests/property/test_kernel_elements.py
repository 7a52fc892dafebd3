"""The compiled reader of HTML inside Markdown held against the Python one: the same blocks for every text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fuzz.pieces import MARKDOWN, TAGS
from seamline.parse.markdown import elements
from seamline.parse.markdown.blocks import parse_blocks
from seamline.text.markup import BLOCK_ELEMENTS
from seamline.types import NO_DETAIL, Block, Detail, Enclosure

native = pytest.importorskip("seamline._native", reason="the kernels were not built: pip install -e . with a compiler")
PLACES = elements._PLACES


def check(text: str) -> list[Block]:
    blocks = parse_blocks(text)
    expected = elements._Reader(text, blocks).run()
    found = native.add_elements(text, blocks, Block, Enclosure, NO_DETAIL, PLACES)
    if found is not None:
        assert found == expected
    return expected


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(TAGS + TAGS + MARKDOWN), max_size=60).map("".join))
@example("<table><tr><td>A</td><td>B</td></tr><tr><td>c</td><td>d</td></tr></table>")
@example("<div>\n\n- a\n\n<p>b\n\n</div>\n\n# c\n\n</div>")
@example("<details><summary>a</summary>\n\nb\n\n</details>")
def test_tags_side_by_side(text: str) -> None:
    check(text)
    check("<div>\n" + text)


@pytest.mark.parametrize("name", sorted(BLOCK_ELEMENTS | elements._VOID))
def test_every_known_name(name: str) -> None:
    for one in (name, name.upper()):
        check(f"<div>\n<p>x <{one}> y <td> z </{one}> some words that fill a line of text\n<{one}>\n</{one}>\n</div>")


@pytest.mark.parametrize(
    "text",
    [
        "<div>\n" + "<div>" * 5_000 + "x",
        "<div>\n" + "<table><tr><td>" * 3_000,
        "".join(f"<x{number}>\n" for number in range(5_000)),
        "<div>\n" + "<!--" * 5_000,
        "<div>\n" + "<div a='" * 5_000,
        "<table>" + "<tr>" + "<td>" * 5_000 + "</table>",
        "<div>\n\n" * 3_000 + "</div>\n\n" * 3_000,
        "<div>\n<pre>" + "</pr" * 5_000,
    ],
    ids=["nested", "tables", "names", "comments", "quotes", "cells", "regions", "raw"],
)
def test_depth_and_length(text: str) -> None:
    check(text)


def test_values_are_those_of_the_reference() -> None:
    text = "<table>\n<tr><th>a</th></tr>\n<tr><td>b</td></tr>\n</table>\n"
    blocks = parse_blocks(text)
    found = native.add_elements(text, blocks, Block, Enclosure, NO_DETAIL, PLACES)
    assert [block.kind for block in found] == ["table", "row", "row"]
    table = found[0].detail
    assert type(table) is Detail
    assert type(table.enclosure) is Enclosure
    assert text[: table.header_end].endswith("<tr><th>a</th></tr>")


def test_names_beyond_ascii_are_left_to_python() -> None:
    text = "<div>\n<lin\u212a>\n</div>"
    blocks = parse_blocks(text)
    assert native.add_elements(text, blocks, Block, Enclosure, NO_DETAIL, PLACES) is None
    assert elements.add_elements(text, blocks) == elements._Reader(text, blocks).run() != []


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("x", [], Block, Enclosure, NO_DETAIL),
        (b"x", [], Block, Enclosure, NO_DETAIL, PLACES),
        ("x", [1], Block, Enclosure, NO_DETAIL, PLACES),
        ("x", [], int, Enclosure, NO_DETAIL, PLACES),
        ("x", [], Block, Enclosure, NO_DETAIL, (0, 1, 99)),
        ("x", [Block("html", 0, 9)], Block, Enclosure, NO_DETAIL, PLACES),
        ("x", [Block("html", 0, 1, 0, 3)], Block, Enclosure, NO_DETAIL, PLACES),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises((TypeError, ValueError)):
        native.add_elements(*arguments)
