"""Whatever reStructuredText is nested in what: its blocks keep the contract, and no source makes the parser fail."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamline.parse import parse_text
from seamline.testing.parsers import check_document
from seamline.types import Document

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)

RST = "text/x-rst"
WORDS = ("the", "bridge", "over", "a", "river", "carries", "six", "trains", "an", "hour", "in", "both", "directions")


def read(text: str) -> Document:
    return parse_text(text, id="bridge", media_type=RST)


def indented(text: str, margin: str) -> str:
    return "\n".join(margin + line if line else line for line in text.split("\n"))


sentences = st.lists(st.sampled_from(WORDS), min_size=3, max_size=25).map(
    lambda words: " ".join(words).capitalize() + "."
)
prose = st.lists(sentences, min_size=1, max_size=4).map("\n".join)
code = st.lists(st.sampled_from(("x = 1", "", "  call(x)", "- no item")), min_size=1, max_size=20).map(
    lambda lines: "As follows::\n\n" + indented("\n".join(["first", *lines, "last"]), "   ")
)
rows = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), min_size=2, max_size=20)
BORDER = "+------------+------------+"
grids = rows.map(
    lambda cells: "\n".join([BORDER, *(line for a, b in cells for line in (f"| {a:10} | {b:10} |", BORDER))])
)
SIMPLE = "==========  =========="
simples = rows.map(
    lambda cells: "\n".join([SIMPLE, "A           B", SIMPLE, *(f"{a:10}  {b}" for a, b in cells), SIMPLE])
)


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bodies = st.lists(inner, min_size=1, max_size=3).map("\n\n".join)
    items = st.lists(bodies, min_size=1, max_size=3)
    return st.one_of(
        items.map(lambda parts: "\n\n".join("- " + indented(part, "  ")[2:] for part in parts)),
        items.map(lambda parts: "\n\n".join(f"{i}. " + indented(part, "   ")[3:] for i, part in enumerate(parts, 1))),
        bodies.map(lambda body: "Some words first.\n\n" + indented(body, "  ")),
        bodies.map(lambda body: ".. note::\n\n" + indented(body, "   ")),
        bodies.map(lambda body: ".. confval:: name\n   :type: text\n\n" + indented(body, "   ")),
        bodies.map(lambda body: "A term\n" + indented(body, "   ")),
    )


blocks = st.recursive(prose | code | grids | simples, nested, max_leaves=10)
headings = st.sampled_from(("=", "-", "~")).map(lambda sign: f"Six trains\n{sign * 10}")
sources = st.lists(blocks | blocks | headings, min_size=1, max_size=6).map("\n\n".join)


@law
@given(sources)
def test_a_generated_source_keeps_the_contract(source: str) -> None:
    document = read(source)
    assert {notice.code for notice in document.notices} <= {"rst-levels"}
    check_document(document)


@law
@given(sources)
def test_line_ends_change_nothing_but_offsets(source: str) -> None:
    plain = read(source)
    for end in ("\r\n", "\r"):
        other = read(source.replace("\n", end))
        assert [(b.kind, b.level, b.parent) for b in plain.blocks] == [
            (b.kind, b.level, b.parent) for b in other.blocks
        ]
        texts = [other.text[b.start : b.end].replace(end, "\n") for b in other.blocks]
        assert texts == [plain.text[b.start : b.end] for b in plain.blocks]


SCRAPS = (
    "word", " ", "  ", "    ", "\t", "\n", "\n", "\n\n", "\r\n", "\r", "- ", "* ", "1. ", "(a) ", ":field: ", "-o  ",
    "::\n\n", ".. ", ".. note::", ".. code-block:: x\n", ".. [1] ", ".. |a| date::", ".. _t: u", "..", "====", "====\n",
    "---", "===  ===\n", "+---+---+\n", "| a | b |\n", "+===+===+\n", "| ", ">>> ", "__ x", "*", "``", "`", "é",
    "\U0001f600", "\ufeff", "\x85", ":file: x",
)  # fmt: skip


@law
@given(st.lists(st.sampled_from(SCRAPS), max_size=60).map("".join))
def test_no_source_makes_it_fail(source: str) -> None:
    document = read(source)
    assert document.text == source
    assert read(source).blocks == document.blocks
    check_document(document, limits=(64,))
