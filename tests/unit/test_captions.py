"""Which gaps part a caption from what it names."""

from __future__ import annotations

import pytest

import seamline
from seamline.cut.captions import caption_gaps

TABLE = "| a | b |\n| - | - |\n| 1 | 2 |"
CODE = "```py\nx = 1\n```"
PICTURE = "![A pump](pump.png)"


def kept(*parts: str) -> list[int]:
    """The places whose gap before them is not cut."""
    document = seamline.read("\n\n".join(parts), id="doc", media_type="text/markdown")
    return sorted(caption_gaps(document.text, document.blocks, document.tops))


@pytest.mark.parametrize("caption", ["Table 1: Sizes", "**Table 1.** Sizes", "Tabelle 3 – Maße", "*Tab. 2:* sizes"])
def test_caption_before_or_after_stays(caption: str) -> None:
    assert kept("Text.", caption, TABLE, "Text.") == [2]
    assert kept("Text.", TABLE, caption, "Text.") == [2]


def test_sentence_about_a_table_is_no_caption() -> None:
    assert kept("Table 1 shows the sizes.", TABLE) == []
    assert kept("Figure 2 is below", PICTURE) == []


def test_caption_between_two_tables_goes_by_what_came_before() -> None:
    assert kept("Table 1: A", TABLE, "Table 2: B", TABLE) == [1, 3]
    assert kept(TABLE, "Table 1: A", TABLE, "Table 2: B") == [1, 3]


def test_label_decides_between_code_and_a_table() -> None:
    assert kept(CODE, "Table 1: A", TABLE) == [2]
    assert kept(TABLE, "Listing 1: A", CODE) == [2]


def test_line_of_emphasis_is_a_caption_below_a_picture_only() -> None:
    assert kept(PICTURE, "*The pump from below*") == [1]
    assert kept(TABLE, "*The pump from below*") == []


def test_html_pictures_and_tables_have_captions_too() -> None:
    assert kept('<img src="a.png" alt="pump">', '<span class="caption">Figure 4-1: A</span>') == [1]
    assert kept("<table><tr><td>1</td></tr></table>", '<p align="center">Table 2: B</p>') == [1]


def test_lead_in_gives_way_to_a_caption() -> None:
    """A line that introduces both goes to the chunk before, where all three do not fit."""
    lead = "word " * 30 + "follows:"
    text = f"# A\n\n{'Some more words here. ' * 12}\n\n{lead}\n\nTable 1: {'size ' * 20}\n\n{TABLE}\n"
    bodies = [text[chunk.start : chunk.end] for chunk in seamline.chunk(text, target=60, limit=64)]
    assert any("Table 1:" in body and "| 1 | 2 |" in body for body in bodies)


def test_element_caption_of_a_page_needs_no_number() -> None:
    page = "<h1>T</h1><table><caption>Browser support</caption><tr><th>a<th>b<tr><td>1<td>2</table>"
    document = seamline.read(page, id="doc", media_type="text/html")
    assert len(caption_gaps(document.text, document.blocks, document.tops)) == 1


def test_latex_caption_stays_in_an_environment_that_is_cut() -> None:
    rows = "\n".join(f"a{n} & b{n} \\\\" for n in range(6))
    table = (
        f"\\caption{{Sizes of parts}}\n\n\\begin{{tabular}}{{ll}}\nname & size \\\\ \\hline\n{rows}\n\\end{{tabular}}"
    )
    notes = "\n\n".join(f"Note {n}: {'words ' * 30}" for n in range(4))
    text = f"\\section{{A}}\n\\begin{{table}}\n{table}\n\n{notes}\n\\end{{table}}\n"
    chunks = seamline.chunk(seamline.read(text, id="doc", media_type="application/x-tex"), target=120, limit=128)
    assert any("\\caption" in text[c.start : c.end] and "a5 & b5" in text[c.start : c.end] for c in chunks)
