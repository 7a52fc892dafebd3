"""The compiled reading of brackets and lines against the Python it mirrors."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamline.native import CUTS
from seamline.source.marks import (
    LANGUAGES,
    Line,
    Marks,
    pattern,
)

pytestmark = pytest.mark.skipif(CUTS is None, reason="the compiled core is not in use")

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "200"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
PIECES = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "`",
    "\\",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "\f",
    "a",
    "é",
    "𝒳",
    ";",
    ",",
]
WORDS = [
    "//",
    "/*",
    "*/",
    "# a",
    "x = 1",
    "if (a) {\n",
    "}\n",
    'r#"',
    '"#',
    '"""',
    "${",
    "\n\n",
    "\u2028",
    "\x85",
    "\x1c",
]
SOURCES = st.lists(st.sampled_from([*PIECES, *WORDS]), max_size=60).map("".join)


def by_python(text: str, start: int, end: int, language: str, parts: list[tuple[int, int]]) -> Marks:
    marks = Marks("", 0, 0, language)
    marks.places, marks.partner, marks.lines, marks.matched = [], [], [], True
    marks.scan(text, start, end, pattern(language), parts)
    return marks


@law
@given(SOURCES, st.sampled_from(sorted(LANGUAGES)), st.data())
def test_both_read_the_same(text: str, language: str, data: st.DataObject) -> None:
    assert CUTS is not None
    bounds = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
    if len(bounds) % 2:
        bounds.pop()
    parts = list(zip(bounds[::2], bounds[1::2], strict=True))
    start, end = bounds[0], bounds[-1]
    expected = by_python(text, start, end, language, parts)
    places, partner, lines, matched = CUTS.read_marks(text, start, end, pattern(language), parts, Line)
    assert (places, partner, lines, matched) == (
        expected.places,
        expected.partner,
        expected.lines,
        expected.matched,
    )
    assert all(type(line) is Line for line in lines)
