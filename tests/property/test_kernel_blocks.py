"""The compiled block parser held against the Python one: the same blocks for every text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fuzz.pieces import MARKDOWN
from seamline.parse.markdown import blocks as either
from seamline.parse.markdown.blocks import FENCED, add_details
from seamline.parse.markdown.commonmark import parse_blocks
from seamline.testing.strategies import documents
from seamline.types import Block

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "commonmark"
EXAMPLES = [
    row["markdown"] for name in ("spec", "tables") for row in json.loads((FIXTURES / f"{name}.json").read_bytes())
]

native = pytest.importorskip("seamline._native", reason="the kernels were not built: pip install -e . with a compiler")


def both(text: str) -> tuple[list[Block], list[Block]]:
    found = native.parse_blocks(text, 0, Block, FENCED)
    assert found is not None
    return add_details(*found), parse_blocks(text)


def check(text: str) -> None:
    found, expected = both(text)
    assert found == expected


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_the_specifications_examples(line_end: str) -> None:
    assert len(EXAMPLES) > 700
    for text in EXAMPLES:
        check(text.replace("\n", line_end))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_documents(text: str) -> None:
    check(text)


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(MARKDOWN), max_size=30).map("".join))
@example("x a|b\n-\t|-\n|a\n:-\n- a\n\n  b")
@example("> [a]: b\nlazy\n\n- [c]: d\n\n  e")
@example("-\t\t- a\n>\t- b\n\n[^1]:\t- c")
def test_pieces_side_by_side(text: str) -> None:
    check(text)


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """An example with a few pieces put in or taken out, perhaps in a container."""
    text = draw(st.sampled_from(EXAMPLES))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(MARKDOWN)) + text[at + draw(st.integers(0, 5)) :]
    mark = draw(st.sampled_from(["", "", "> ", "- ", "\t", "    ", "[^a]: "]))
    return "".join(mark + line for line in text.splitlines(keepends=True))


@settings(max_examples=800, deadline=None)
@given(mutations())
def test_mutated_examples(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "text",
    [
        ">" * 20_000 + " deep",
        "- " * 5_000 + "deep\n" + "\n" * 5_000,
        "> - " * 2_000 + "deep\n" + ">\n" * 500,
        ":::a\n" * 2_000 + ":::\n" * 2_000,
        "[^a]: " * 3_000,
        "\ufeff" * 5_000,
        "* " * 5_000 + "\n" + "\t" * 5_000,
        "",
        "\ufeff",
    ],
    ids=["quotes", "lists", "mixed", "directives", "footnotes", "marks", "bullets", "empty", "mark"],
)
def test_depth_and_length(text: str) -> None:
    check(text)


def test_details_are_equal_in_kind_too() -> None:
    found, expected = both("3. a\n\n:::note\n\nx\n\n:::\n\n> ```py\n> x\n\n```\ny\n```\n")
    assert [type(b.detail) for b in found] == [type(b.detail) for b in expected]
    assert found[-1].detail is FENCED
    assert all(type(b) is Block and type(b.kind) is str for b in found)


def test_characters_beside_angle_brackets_are_no_marks() -> None:
    found, expected = both("<é x\n\nfoo\n\n<?php é>\n\n?>\n")
    assert found == expected
    assert [b.kind for b in found] == ["paragraph", "paragraph", "html"]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.integers(0, 200))
@example("\ufeff---\ra: b\r\n---\r\n# x\n", 15)
def test_what_stands_before_an_offset_is_blank(text: str, after: int) -> None:
    assert add_details(*native.parse_blocks(text, after, Block, FENCED)) == parse_blocks(either.blank(text, 0, after))


def test_what_it_leaves_to_python_is_parsed_there() -> None:
    header = "|" + "a|" * 1000 + "\n|" + "-|" * 1000 + "\n"
    text = header + "|b|\n" * 300
    assert native.parse_blocks(text, 0, Block, FENCED) is None
    assert either.parse_blocks(text) == parse_blocks(text) != []


@pytest.mark.parametrize("arguments", [(), ("x",), ("x", 0, int, None), (b"x", 0, Block, None), ("x", 0, Block)])
def test_wrong_arguments_are_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        native.parse_blocks(*arguments)
