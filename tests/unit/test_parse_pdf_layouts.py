"""What tells headings, tables and running text of PDFs apart, in layouts that differ."""

from __future__ import annotations

import pytest
from pdf_maker import FONTS, PageMaker, pdf, rows

from seamline.parse import parse_bytes
from seamline.testing.parsers import check_document
from seamline.text.tables import tables
from seamline.types import Document


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(*pages: PageMaker) -> Document:
    document = parse_bytes(pdf(*pages), uri="a.pdf")
    check_document(document)
    return document


def headings(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == "heading"]


# --- headings ---------------------------------------------------------------------------------------------------------


def test_a_bold_question_heads_its_answer() -> None:
    page = PageMaker()
    for number, text in enumerate(("How do I read my meter?", "Who repairs it?")):
        page.text(72, 100 + 100 * number, text, font="F2").lines(72, 118 + 100 * number, rows(4))
    assert headings(read(page)) == ["# How do I read my meter?", "# Who repairs it?"]


def test_a_question_in_the_text_heads_nothing() -> None:
    plain = PageMaker().text(72, 100, "Who repairs it?").lines(72, 130, rows(4))
    bold = (
        PageMaker()
        .text(72, 100, "Who repairs it?", font="F2")
        .lines(72, 130, rows(4), font="F2")
        .lines(72, 300, rows(20))
    )
    sentence = PageMaker().text(72, 100, "Nobody repairs it.", font="F2").lines(72, 130, rows(4))
    assert [headings(read(page)) for page in (plain, bold, sentence)] == [[], [], []]


def test_a_number_makes_a_line_in_italics_a_heading() -> None:
    page = PageMaker().text(72, 80, "3.1 Study area", 14).lines(72, 110, rows(4))
    page.text(72, 180, "3.1.2 Soils and land use", font="F3").lines(72, 200, rows(4))
    page.text(72, 270, "a few words in italics", font="F3").lines(72, 290, rows(4))
    assert headings(read(page)) == ["# 3.1 Study area", "## 3.1.2 Soils and land use"]


def test_a_line_in_a_font_of_its_own_is_a_heading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FONTS, "F5", "Helvetica")
    page = PageMaker().lines(72, 72, rows(4))
    page.text(72, 150, "How it was dug", font="F5").lines(72, 166, rows(4))
    page.text(72, 240, "Figure 2: The old lock", font="F5").lines(72, 256, rows(4))
    page.text(72, 330, "words inside a text", font="F5").lines(72, 346, rows(4))
    assert headings(read(page)) == ["# How it was dug"]


def test_prose_from_a_typewriter_is_no_code() -> None:
    page = PageMaker().text(72, 72, "1. SCOPE", font="F4").lines(72, 96, [row[:60] for row in rows(5)], font="F4")
    page.text(72, 190, "2.1 Station", font="F4").lines(72, 214, [row[:60] for row in rows(5)], font="F4")
    document = read(page)
    assert headings(document) == ["# 1. SCOPE", "## 2.1 Station"]
    assert "code" not in [block.kind for block in document.blocks]


def test_a_program_stays_code_where_nothing_else_is_in_the_file() -> None:
    lines = [f"    level[{n}] = gauge(read_{n}) / {n}; // (see {n})" for n in range(1, 20)]
    document = read(PageMaker().lines(72, 72, lines, font="F4"))
    assert [block.kind for block in document.blocks] == ["code"]
    assert "level[3] = gauge(read_3) / 3; // (see 3)\n" in document.text


def test_a_number_of_several_parts_makes_a_heading_of_a_line_like_the_text() -> None:
    page = PageMaker().lines(72, 72, rows(3)).text(72, 130, "2.1 Marking of parts").lines(72, 150, rows(3))
    page.text(72, 210, "2.4 million litres were lost.").lines(72, 230, rows(3))
    assert headings(read(page)) == ["# 2.1 Marking of parts"]


def running(title: float, other: float) -> list[PageMaker]:
    first = PageMaker().text(72, 110, "Water Rights Act", title).lines(72, 150, rows(5))
    first.text(72, 250, "Part I", other).lines(72, 270, rows(5))
    pages = [PageMaker().lines(72, 100, rows(6, start=at)) for at in range(3)]
    return [page.text(72, 40, "Water Rights Act", 8) for page in (first, *pages)]


def test_a_title_that_runs_over_the_pages_is_a_title() -> None:
    assert headings(read(*running(20, 14))) == ["# Water Rights Act", "## Part I"]


def test_the_name_of_a_series_is_none() -> None:
    assert headings(read(*running(20, 19))) == ["# Part I"]


# --- running text and tables ------------------------------------------------------------------------------------------


def table_page(first: int, count: int, top: float = 60, step: float = 18, head: bool = True) -> PageMaker:
    """Rows of a table on a grid, numbered through, from the top of a page."""
    page = PageMaker()
    said = [("Gauge", "Low"), *((f"valve {n}", str(400 + 37 * n)) for n in range(first, first + count))]
    said = said if head else said[1:]
    for index, (left, right) in enumerate(said):
        page.text(80, top + 12 + step * index, left).text(230, top + 12 + step * index, right)
    return page.grid((72, 220, 372), [top + step * index for index in range(len(said) + 1)])


@pytest.mark.parametrize("head", [True, False])
def test_a_table_goes_on_over_pages_and_loses_no_row(head: bool) -> None:
    """Its rows at the top and bottom of pages differ in numbers alone, as running heads do."""
    count = 38 if head else 39
    pages = [table_page(1, 38), table_page(39, count, head=head), table_page(39 + count, 20, head=head)]
    document = read(*[page.text(300, 780, str(number)) for number, page in enumerate(pages, 1)])
    (found,) = tables(document)
    assert [column.name for column in found.columns] == ["Gauge", "Low"]
    assert [row.cells[0] for row in found.rows()] == [f"valve {n}" for n in range(1, 59 + count)]
    assert document.anchors is not None
    last = found.body[-1]
    assert document.anchors.at(last.start, last.end)["page"] == 3
    assert all(notice.code == "running-text" for notice in document.notices)


def test_tables_of_other_columns_are_tables_of_their_own() -> None:
    wide = PageMaker()
    for index in range(4):
        for column, x in enumerate((80, 230, 330)):
            wide.text(x, 72 + 18 * index, f"cell {index} {column}")
    wide.grid((72, 220, 320, 420), [60 + 18 * index for index in range(5)])
    assert [len(table.columns) for table in tables(read(table_page(1, 38), wide))] == [2, 3]


def test_a_head_that_counts_the_pages_is_left_out() -> None:
    pages = [
        PageMaker().text(72, 40, f"Report 2026, page {at + 1}").lines(72, 100, rows(5, start=at)) for at in range(3)
    ]
    document = read(*pages)
    assert "Report" not in document.text
    assert "left out 3 lines" in document.notices[0].message


def test_cells_near_each_other_are_told_by_the_rows_around_them() -> None:
    page = PageMaker().lines(72, 60, rows(3))
    said = [("Present", "Hours"), ("Ann", "12"), ("Ben", "8"), ("Christopher Stone", "9"), ("Dorothea Marsh", "31")]
    for index, (name, hours) in enumerate(said):
        page.text(72, 120 + 16 * index, name).text(156, 120 + 16 * index, hours)
    page.lines(72, 240, rows(3))
    (found,) = tables(read(page))
    assert [row.cells for row in found.rows()] == [list(pair) for pair in said[1:]]


def lined(page: PageMaker, top: float, head: str) -> None:
    """A table of three rows between lines of one width."""
    for index, row in enumerate(((head, "Mean"), ("north", "12"), ("south", "9"))):
        page.text(80, top + 12 + 16 * index, row[0]).text(240, top + 12 + 16 * index, row[1])
    for y in (top, top + 16, top + 48):
        page.rule(72, y, 320, y)


def test_tables_of_one_width_are_apart_where_text_is_between_them() -> None:
    page = PageMaker().lines(72, 72, rows(3))
    lined(page, 120, "Gauge")
    page.lines(72, 200, rows(4))
    lined(page, 270, "Valve")
    document = read(page.lines(72, 350, rows(3)))
    assert [[column.name for column in table.columns] for table in tables(document)] == [
        ["Gauge", "Mean"],
        ["Valve", "Mean"],
    ]
    assert [block.kind for block in document.blocks if block.parent < 0] == ["paragraph", "table"] * 2 + ["paragraph"]


def test_the_edge_of_a_grid_is_no_line_of_the_next_table() -> None:
    page = table_page(1, 4, top=100)
    for index in range(4):
        page.text(80, 260 + 16 * index, f"pump {index}").text(230, 260 + 16 * index, str(index))
    for index, row in enumerate((("Item", "Mean"), ("north", "12"), ("south", "9"))):
        page.text(80, 372 + 16 * index, row[0]).text(230, 372 + 16 * index, row[1])
    for y in (360, 376, 408):
        page.rule(72, y, 372, y)
    document = read(page.text(60, 345, "Balance", 14).text(60, 240, "Expenses", 14))
    assert [len(table.header) + len(table.body) for table in tables(document)] == [5, 4, 3]
    assert headings(document) == ["# Expenses", "# Balance"]
