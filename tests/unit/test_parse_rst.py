"""reStructuredText: which blocks its source holds, and what is said of odd input."""

from __future__ import annotations

import pytest
from block_views import said, shape, titles

import seamline
from seamline.parse import parse_text
from seamline.testing.parsers import check_document
from seamline.types import NO_DETAIL, Detail, Document


def read(text: str) -> Document:
    document = parse_text(text, id="bridge", media_type="text/x-rst")
    assert document.text == text
    check_document(document)
    return document


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


# --- headings --------------------------------------------------------------------------------------------------------


def test_levels_follow_the_order_in_which_styles_appear() -> None:
    document = read("=====\nTitle\n=====\n\nA\n=\n\nB\n-\n\nC\n=\n\n  D\n  =\n")
    assert titles(document) == [(1, "Title"), (2, "A"), (3, "B"), (2, "C")]
    assert document.title == "Title"
    assert not document.notices


def test_an_overline_makes_another_style() -> None:
    assert titles(read("A\n-\n\n---\n B\n---\n\nC\n-\n")) == [(1, "A"), (2, "B"), (1, "C")]


def test_titles_are_plain_words() -> None:
    title = "Use ``code``, :ref:`a role <target>`, *stress* and a_ link"
    document = read(f"{title}\n{'=' * len(title)}\n\nWords.\n")
    assert titles(document) == [(1, "Use code, a role, stress and a link")]


def test_a_short_line_below_words_is_text_and_a_longer_one_a_title() -> None:
    assert titles(read("Some words\n---\n")) == []
    assert titles(read("Some words\n-----\n")) == [(1, "Some words")]


def test_a_title_may_look_like_a_numbered_item() -> None:
    assert titles(read("1. Start\n========\n\nWords.\n")) == [(1, "1. Start")]


def test_levels_that_jump_are_kept_and_said() -> None:
    document = read("A\n=\n\nB\n-\n\nC\n~\n\nD\n=\n\nE\n~\n\nF\n^\n\ntext\n")
    assert titles(document) == [(1, "A"), (2, "B"), (3, "C"), (1, "D"), (3, "E"), (4, "F")]
    assert codes(document) == ["rst-levels"]


def test_a_line_of_signs_alone_is_a_rule() -> None:
    assert shape(read("Words.\n\n----\n\nMore.\n")) == ["paragraph", "rule", "paragraph"]


# --- lists -----------------------------------------------------------------------------------------------------------


def test_bullets_and_numbers_nest() -> None:
    document = read("* a\n* b\n\n  1. c\n  2. d\n\n     e\n\n* f\n")
    assert shape(document) == [
        "list", "  item", "    paragraph", "  item", "    paragraph", "    list", "      item", "        paragraph",
        "      item", "        paragraph", "        paragraph", "  item", "    paragraph",
    ]  # fmt: skip
    assert [block.level for block in document.blocks if block.kind == "list"] == [0, 1]


def test_another_bullet_starts_another_list() -> None:
    assert shape(read("* a\n\n- b\n")) == ["list", "  item", "    paragraph"] * 2


@pytest.mark.parametrize("mark", ["1.", "(a)", "iv)", "#.", "B.", "•"])
def test_items_start_with_many_marks(mark: str) -> None:
    assert shape(read(f"{mark} a\n{' ' * len(mark)} b\n")) == ["list", "  item", "    paragraph"]


def test_a_name_that_starts_a_sentence_is_no_number() -> None:
    assert shape(read("A. Einstein was a really\nsmart dude.\n")) == ["paragraph"]


def test_definitions_fields_and_options_are_lists() -> None:
    document = read(
        "term : class\n  Its definition.\n\n  More.\nother\n  That.\n\n:Field: body\n   goes on\n:empty:\n\n"
        "-a            All.\n-b, --both=X  Both, and\n              more.\n/V  Odd.\n"
    )
    assert shape(document) == [
        "list", "  item", "    paragraph", "    paragraph", "  item", "    paragraph",
        "list", "  item", "    paragraph", "  item",
        "list", "  item", "    paragraph", "  item", "    paragraph", "  item", "    paragraph",
    ]  # fmt: skip
    assert said(document, "item")[4].startswith("-a ")


def test_fields_before_all_text_are_metadata() -> None:
    document = read("=====\nTitle\n=====\n\n:Author: Ann\n   Bee\n:orphan:\n\nWords.\n\n:other: x\n")
    assert document.front_matter == {"author": "Ann Bee", "orphan": ""}


def test_several_marks_in_one_line_are_lists_in_lists() -> None:
    assert shape(read("- - a\n  - b\n")) == [
        "list", "  item", "    list", "      item", "        paragraph", "      item", "        paragraph",
    ]  # fmt: skip


# --- text and code ---------------------------------------------------------------------------------------------------


def test_two_colons_announce_code() -> None:
    document = read("As follows::\n\n  x = 1\n\n   y = 2\n\nWords ::\n\n> quoted\n> lines\n\n::\n\n  z\n")
    assert shape(document) == ["paragraph", "code"] * 3
    assert said(document, "code") == ["  x = 1\n\n   y = 2", "> quoted\n> lines", "  z"]


def test_an_indented_block_is_a_quote() -> None:
    document = read("Words.\n\n   Quoted.\n\n   -- Someone\n\n  Less.\n\nMore.\n")
    assert shape(document) == ["paragraph", "quote", "  paragraph", "  paragraph", "quote", "  paragraph", "paragraph"]


def test_sessions_and_line_blocks() -> None:
    document = read(">>> 1 + 1\n2\n\n| a\n| b\n  c\n")
    assert [(block.kind, block.detail) for block in document.blocks] == [
        ("code", Detail(doctest=True)),
        ("paragraph", Detail(line_block=True)),
    ]


# --- explicit markup -------------------------------------------------------------------------------------------------


def test_code_directives_are_code() -> None:
    document = read(".. code-block:: python\n   :linenos:\n\n   x = 1\n\n     y\n\n.. math::\n\n   a = b\n\nWords.\n")
    assert shape(document) == ["code", "math", "paragraph"]
    assert (document.blocks[0].detail or NO_DETAIL).language == "python"


def test_parts_of_code_stand_under_their_directive() -> None:
    lines = "".join(f"   value_{i} = call({i})\n" for i in range(60))
    document = read(f".. code-block:: python\n   :linenos:\n\n{lines}")
    chunks = seamline.chunk(document, limit=128)
    assert len(chunks) > 3
    assert all(chunk.text.startswith(".. code-block:: python\n\n   value_") for chunk in chunks[1:])


def test_notes_hold_blocks() -> None:
    document = read(".. note:: Starts here\n   and goes on.\n\n   - a\n\n.. warning::\n\n   Words.\n\n     Quoted.\n")
    assert shape(document) == [
        "directive", "  paragraph", "  list", "    item", "      paragraph", "directive", "  paragraph", "  quote",
        "    paragraph",
    ]  # fmt: skip
    assert said(document, "paragraph")[0] == "Starts here\n   and goes on."


def test_arguments_and_options_are_not_text() -> None:
    document = read(".. function:: foo(x)\n              foo(y)\n   :module: m\n\n   Returns it.\n")
    assert shape(document) == ["directive", "  paragraph"]
    assert said(document, "paragraph") == ["   Returns it."]


def test_figures_footnotes_targets_and_comments() -> None:
    document = read(
        ".. figure:: a.png\n   :alt: A\n\n   Caption.\n\n.. [1] Note\n   on.\n\n   More.\n.. [Ref] Cited.\n"
        ".. _a: http://b\n__ http://c\n.. just a\n   comment\n\n..\n\n  Quote.\n"
    )
    assert shape(document) == [
        "figure", "footnote", "  paragraph", "  paragraph", "footnote", "  paragraph", "reference", "reference",
        "paragraph", "paragraph", "quote", "  paragraph",
    ]  # fmt: skip
    assert [b.detail for b in document.blocks if b.kind == "paragraph" and b.parent < 0] == [Detail(comment=True)] * 2


@pytest.mark.parametrize(
    "source",
    [
        ".. include:: /etc/hostname\n",
        ".. literalinclude:: /etc/hostname\n",
        ".. raw:: html\n   :file: /etc/hostname\n",
        ".. raw:: html\n   :url: http://127.0.0.1:9/\n",
        ".. csv-table:: t\n   :file: /etc/hostname\n",
    ],
)
def test_nothing_is_read_from_elsewhere(source: str) -> None:
    document = read(source)
    assert codes(document) == ["rst-include"]
    assert "".join(said(document, document.blocks[0].kind)) == source.strip()


def test_substitutions_are_left_as_they_are() -> None:
    document = read(".. |a| replace:: |b| |b|\n.. |b| replace:: |a|\n.. |d| date::\n\n|a| on |d|\n")
    assert shape(document) == ["reference", "reference", "reference", "paragraph"]
    assert document.notices[0].message.startswith("3 ")


# --- tables ----------------------------------------------------------------------------------------------------------


def test_a_grid_has_rows_under_a_header() -> None:
    document = read("+---+---+\n| A | B |\n+===+===+\n| a | b |\n|   | c |\n+---+---+\n| d     |\n+---+---+\n")
    assert shape(document) == ["table", "  row", "  row", "  row"]
    assert said(document, "row")[1] == "| a | b |\n|   | c |"
    assert document.text[: (document.blocks[0].detail or NO_DETAIL).header_end].endswith("+===+===+")
    assert not document.notices


def test_a_simple_table_has_rows_of_several_lines() -> None:
    document = read("=====  =====\nA      B\n=====  =====\na      b\n       c\n\nd      e\n=====  =====\n\nWords.\n")
    assert said(document, "row") == ["A      B", "a      b\n       c", "d      e"]
    assert shape(document)[-1] == "paragraph"


def test_a_table_inside_an_item_starts_after_its_mark() -> None:
    document = read("- +---+\n  | a |\n  +---+\n")
    assert shape(document) == ["list", "  item", "    table", "      row"]


def test_comma_separated_values_are_rows() -> None:
    document = read('.. csv-table:: T\n   :header: A, B\n\n   a, b\n   "c\n   d", e\n')
    assert said(document, "row") == ["   a, b", '   "c\n   d", e']


LIST_TABLE = """\
.. list-table:: Pumps
   :header-rows: 1

   * - Name
     - Note
   * - A
     - first line
       and second

   * - B
     -
"""


def test_a_list_of_lists_is_a_table() -> None:
    document = read(f"{LIST_TABLE}\nWords.\n")
    assert shape(document) == ["table", "  row", "  row", "  row", "paragraph"]
    assert said(document, "row")[1] == "   * - A\n     - first line\n       and second"
    assert document.text[: (document.blocks[0].detail or NO_DETAIL).header_end].endswith("     - Note")


@pytest.mark.parametrize("content", ["   Words.\n", "   * A\n   * B\n", "   * - A\n\n   Words.\n", ""])
def test_what_is_called_a_list_of_lists_and_is_none_is_read_as_it_stands(content: str) -> None:
    document = read(f".. list-table:: T\n\n{content}\nAfter.\n")
    assert shape(document)[0] == "directive"
    assert "row" not in " ".join(shape(document))


def test_rows_of_a_list_of_lists_stand_under_its_header() -> None:
    rows = "".join(f"   * - pump {i}\n     - {i} litres of water\n" for i in range(40))
    document = read(f".. list-table:: Pumps\n   :header-rows: 1\n\n   * - Name\n     - Content\n{rows}")
    for limit in (48, 64, 128):
        chunks = seamline.chunk(document, limit=limit)
        assert all("* - Name\n     - Content\n" in chunk.text for chunk in chunks)
        assert seamline.audit(chunks, limit=limit) == []


def test_parts_of_a_table_stand_under_its_header() -> None:
    rows = "".join(f"| bridge {i:3} | {i:3} trains |\n+------------+------------+\n" for i in range(40))
    document = read(f"+------------+------------+\n| Name       | Trains     |\n+============+============+\n{rows}")
    chunks = seamline.chunk(document, limit=200)
    assert len(chunks) > 3
    assert all("| Name       | Trains     |\n+============+" in chunk.text for chunk in chunks)


def test_tables_that_are_not_sound_are_said() -> None:
    assert codes(read("+---+---+\n| a | b |\n+---+--+\n")) == ["rst-table"]
    assert codes(read("===  ===\na    b\n\nWords.\n")) == ["rst-table"]


# --- odd input -------------------------------------------------------------------------------------------------------


def test_what_is_nested_too_deep_is_one_block() -> None:
    bullets = "\n\n".join(" " * 2 * i + "* a" for i in range(300))
    quotes = "\n\n".join(" " * i + "a" for i in range(400))
    for source in (bullets, quotes, "- " * 3000 + "a"):
        document = read(source)
        assert codes(document) == ["rst-depth"]
        assert len(document.blocks) < 500


def test_marks_without_an_end_are_text_and_said() -> None:
    assert codes(read("*a *a *a ``b\n")) == ["rst-inline"]
    assert codes(read("A formula :math:`{{{` here.\n")) == ["rst-math"]
    assert not codes(read("2 * 3, '*', ``*args`` and **kwargs** (a*b) `x`_ |s| \\*\n"))


@pytest.mark.parametrize(
    "source", ["", "\n", "..", "::", "-", "====", "\ufeff", "\ufeffA\n=\n", "+-+", ".. a::", "\t\ta\n\tb\n"]
)
def test_sources_of_next_to_nothing_are_read(source: str) -> None:
    read(source)


def test_tabs_fill_up_to_eight_columns() -> None:
    assert shape(read("- a\n\n\tquoted\n\n  b\n")) == [
        "list",
        "  item",
        "    paragraph",
        "    quote",
        "      paragraph",
        "    paragraph",
    ]
