"""Notebooks: cells in order, their headings the document's, their outputs after them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.errors import SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.notebook import parse
from seamline.parse.parser_types import ParseInput, ParseLimits
from seamline.testing.parsers import check_document
from seamline.types import Document


def notebook(*cells: Any, **about: Any) -> bytes:
    return json.dumps({"nbformat": 4, "metadata": about, "cells": cells}).encode()


def markdown(*source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": list(source)}


def code(source: str, *outputs: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def read(data: bytes) -> Document:
    document = parse_bytes(data, uri="a.ipynb")
    check_document(document)
    return document


def codes(document: Document) -> set[str]:
    return {notice.code for notice in document.notices}


def test_cells_in_order_with_their_place() -> None:
    data = notebook(markdown("# Ducks\n", "\n", "- one\n", "- two"), code("print(1)"), language_info={"name": "python"})
    document = read(data)
    assert document.text == "# Ducks\n\n- one\n- two\n\n```python\nprint(1)\n```"
    assert document.title == "Ducks"
    assert [block.kind for block in document.blocks] == ["heading", "list", "item", "item", "code"]
    assert document.blocks[2].parent == 1
    assert document.place_of(document.blocks[-1].span)["paragraph"] == "cell[2]"


def test_headings_of_cells_make_sections() -> None:
    import seamline

    document = read(notebook(markdown("# A"), markdown("## B\n\ntext"), markdown("more")))
    assert [chunk.path for chunk in seamline.chunk(document, limit=64)][-1] == ("A", "B")


def test_outputs_follow_their_cell() -> None:
    outputs = (
        {"output_type": "stream", "text": ["a\n", "b\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "42", "text/html": "<b>42</b>"}},
        {"output_type": "display_data", "data": {"text/markdown": "## Found\n\nit"}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[0;31mE\x1b[0m", "v"]},
    )
    document = read(notebook(code("x", *outputs)))
    assert document.text == "```\nx\n```\n\n```\na\nb\n```\n\n```\n42\n```\n\n## Found\n\nit\n\n```\nE\nv\n```"
    assert document.place_of(document.blocks[1].span)["paragraph"] == "cell[1]/output[1]"


def test_what_has_no_text_is_counted() -> None:
    outputs = (
        {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure>"}},
        {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}},
        {"output_type": "display_data", "data": {"application/vnd.widget": {}}},
    )
    document = read(notebook(code("x", *outputs), markdown(f"![p](data:image/png;base64,{'A' * 500})")))
    assert codes(document) == {"outputs-drawn", "outputs-html", "outputs-other", "pictures-inline"}


def test_a_fence_that_a_cell_leaves_open_ends_with_it() -> None:
    document = read(notebook(markdown("```py\nx = 1"), markdown("After.")))
    assert document.text == "```py\nx = 1\n```\n\nAfter."


def test_windows_line_ends() -> None:
    assert read(notebook(markdown("# A\r\n\r\ntext\r\n"))).text == "# A\n\ntext"


def test_raw_cells_and_old_notebooks() -> None:
    assert read(notebook({"cell_type": "raw", "source": "as it is"})).text == "```\nas it is\n```"
    old = {
        "nbformat": 3,
        "worksheets": [
            {"cells": [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": "x"}]}
        ],
    }
    assert read(json.dumps(old).encode()).text == "## Old\n\n```\nx\n```"


def test_damaged_cells_are_told() -> None:
    document = read(notebook(5, {"cell_type": "code", "source": None}, markdown("Text"), code("x", "bad")))
    assert document.text == "Text\n\n```\nx\n```"
    assert [notice.message for notice in document.notices] == ["3 cells or outputs cannot be read and are left out"]


def test_halves_of_characters_are_replaced_and_told() -> None:
    document = read(b'{"cells":[{"cell_type":"markdown","source":"a \\ud800 b \\ud83d\\ude00"}]}')
    assert document.text == "a \ufffd b \U0001f600"
    assert codes(document) == {"characters-broken"}


def test_long_outputs_are_cut_and_told() -> None:
    document = read(notebook(code("x", {"output_type": "stream", "text": "line\n" * 50_000})))
    assert len(document.text) < 110_000
    assert codes(document) == {"outputs-cut"}


def test_text_stops_at_the_limit() -> None:
    text = notebook(*[markdown("word " * 100)] * 20).decode()
    parsed = parse(ParseInput(b"", text, limits=ParseLimits(characters=1_000)))
    assert len(parsed.text) < 2_000
    assert {notice.code for notice in parsed.notices} == {"text-limit"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "is no notebook"),
        (b"[]", "has no cells"),
        (b'{"cells": 5}', "has no cells"),
        (b"[" * 100_000, "nests too deep"),
    ],
)
def test_what_is_no_notebook_is_read_as_text(data: bytes, said: str) -> None:
    document = parse_bytes(data, uri="a.ipynb")
    assert document.text == data.decode()
    assert [notice.code for notice in document.notices] == ["structure-lost"]
    assert said in document.notices[0].message


ANY = st.recursive(
    st.none() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["cell_type", "source", "outputs", "data", "output_type", "text", "text/plain", "traceback"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(st.lists(ANY, max_size=5))
def test_any_cells_raise_nothing_of_their_own(cells: list[Any]) -> None:
    text = json.dumps({"cells": cells})
    try:
        parsed = parse(ParseInput(b"", text, uri="a.ipynb"))
    except SeamlineError:
        return
    source = parse_bytes(b"x", uri="a.md").source
    check_document(Document("a", source, parsed.text, parsed.blocks, anchors=parsed.anchors))
