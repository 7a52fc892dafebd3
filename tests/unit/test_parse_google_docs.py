"""Pages that Google Docs exports, alone and in an archive with images; tables whose cells hold more than words."""

from __future__ import annotations

import io
import zipfile

import pytest

import seamline
from seamline.testing.parsers import check_document
from seamline.types import Document

PAGE = """<html><head><title>Pumps</title></head><body class="c5 doc-content">
<p class="c2 title" id="h.a"><span>All about pumps</span></p><p class="c3 subtitle"><span>Second edition</span></p>
<h1 id="h.b"><span>Parts</span></h1>
<ul class="c1 lst-kix_abc1-0 start"><li class="li-bullet-0">Body</li></ul>
<ul class="c1 lst-kix_abc1-1 start"><li>Seal</li><li>Valve</li></ul>
<ul class="c1 lst-kix_abc1-2 start"><li>Spring</li></ul>
<ul class="c1 lst-kix_abc1-0"><li>Motor</li></ul>
<h2><span>Care</span></h2><p><span><img alt="" src="images/image1.png" title=""></span></p><p>Oil it.</p>
<ul class="lst-kix_zz-0 start"><li>Once a year</li></ul>
</body></html>"""


def read(page: str) -> Document:
    document = seamline.read(page, id="doc", media_type="text/html")
    check_document(document)
    return document


def test_titles_and_lists_are_what_the_author_sees() -> None:
    assert read(PAGE).text == (
        "# All about pumps\n\nSecond edition\n\n## Parts\n\n- Body\n  - Seal\n  - Valve\n    - Spring\n- Motor\n\n"
        "### Care\n\nOil it.\n\n- Once a year"
    )


def test_the_title_is_the_root_of_paths() -> None:
    assert seamline.chunk(read(PAGE))[-1].path == ("All about pumps", "Parts", "Care")


def test_images_of_an_archive_are_figures_that_name_their_file() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("Pumps.html", PAGE)
        archive.writestr("images/image1.png", b"\x89PNG")
        archive.writestr("images/image2.png", b"\x89PNG")
    document = seamline.read(out.getvalue(), filename="Pumps.zip")
    (figure,) = [block for block in document.blocks if block.kind == "figure"]
    assert document.text[figure.start : figure.end] == "![image1.png](images/image1.png)"
    assert figure.detail is not None
    assert (figure.detail.name, figure.detail.image) == ("image1.png", "images/image1.png")
    assert [notice.code for notice in document.notices] == ["images", "images"]


def test_other_pages_keep_their_paragraphs_and_lists() -> None:
    page = "<p class=title>Not one</p><ul class=a-0><li>x</ul><ul class=a-1><li>y</ul>"
    assert read(page).text == "Not one\n\n- x\n\n- y"


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("<pre>a = 1\nb = 2</pre>", "a = 1 b = 2"),
        ("<h3>Head</h3>text", "Head text"),
        ("<ul><li>one<li>two</ul>", "one two"),
        ("<table><tr><td>x<td>y</table>", "x y"),
    ],
)
def test_a_table_with_headers_stays_one_whatever_its_cells_hold(cell: str, shown: str) -> None:
    document = read(f"<table><tr><th>Name<th>Use</tr><tr><td>{cell}</td><td>word</td></tr></table>")
    assert document.text == f"| Name | Use |\n| --- | --- |\n| {shown} | word |"


def test_regular_rows_of_code_are_a_table_without_headers_too() -> None:
    row = "<tr><td><pre>x</pre></td><td>word</td></tr>"
    assert read(f"<table>{row}{row}{row}</table>").blocks[0].kind == "table"


def test_tables_that_lay_out_a_page_are_none() -> None:
    for page in (
        "<table><tr><td><h1>Title</h1></td><td>right</td></tr><tr><td>a</td><td>b</td></tr></table>",
        "<table><tr><td><pre>left</pre><td>right</table>",
    ):
        assert read(page).blocks[0].kind != "table"
    inner = "<table><tr><td>x<td>y<tr><td>1<td>2</table>"
    assert read(f"<table><tr><td>{inner}</td><td>b</td></tr><tr><td>c</td></tr></table>").text.startswith("| x | y |")
