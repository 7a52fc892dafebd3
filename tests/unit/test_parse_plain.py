"""Plain text: which lines are a paragraph."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.parse.plain import plain_blocks

LONG = "word " * 50 + "end."


def paragraphs(text: str) -> list[str]:
    return [text[block.start : block.end] for block in plain_blocks(text)]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_wrapped_lines_are_one_paragraph(newline: str) -> None:
    text = newline.join(["One line", "and another.", "", "A second", "paragraph.  ", "   ", ""])
    assert paragraphs(text) == [newline.join(["One line", "and another."]), newline.join(["A second", "paragraph."])]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_that_nobody_wrapped_are_a_paragraph_each(newline: str) -> None:
    text = newline.join([LONG, "A short one. ", LONG, "", "Wrapped", "again."])
    assert paragraphs(text) == [LONG, "A short one.", LONG, newline.join(["Wrapped", "again."])]


def test_indentation_stays_with_its_line() -> None:
    assert paragraphs(f"  {LONG}\n\tTabbed.") == [f"  {LONG}", "\tTabbed."]


@given(st.lists(st.sampled_from([LONG, "short", " ", "\n", "\r\n", "\r", "\t", "\ufeff", "\u2028", "é"])).map("".join))
def test_paragraphs_hold_all_that_is_no_white_space(text: str) -> None:
    blocks = plain_blocks(text)
    assert all(a.end <= b.start for a, b in pairwise(blocks))
    assert all(block.start < block.end and not text[block.end - 1].isspace() for block in blocks)
    outside, at = [], 0
    for block in blocks:
        outside.append(text[at : block.start])
        at = block.end
    assert not "".join([*outside, text[at:]]).replace("\ufeff", "").strip()
