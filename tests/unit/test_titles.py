"""The title of the front matter above chunks; headings that are none; text of site generators."""

from __future__ import annotations

import pytest

import seamline
from seamline.recipe.recipe import Recipe
from seamline.types import Chunk

TEXT = "---\ntitle: Night bus guide\n---\n\nOpening words.\n\n## Tickets\n\nBuy one.\n"
OFF = Recipe(breadcrumb_title=False)


def chunks(text: str, recipe: Recipe | None = None) -> list[Chunk]:
    return seamline.chunk(seamline.read(text, id="doc", media_type="text/markdown", recipe=recipe), recipe=recipe)


def test_the_title_is_the_root_of_paths_and_texts() -> None:
    first, second = chunks(TEXT)
    assert first.path == ("Night bus guide",)
    assert first.text == "# Night bus guide\n\nOpening words."
    assert second.breadcrumb == "Night bus guide > Tickets"
    assert second.text == "# Night bus guide\n\n## Tickets\n\nBuy one."
    assert not seamline.audit([first, second], limit=512)


def test_the_title_changes_no_id() -> None:
    on, off = chunks(TEXT), chunks(TEXT, OFF)
    assert [one.id for one in on] == [one.id for one in off]
    assert off[0].path == ()
    assert off[1].text == "## Tickets\n\nBuy one."


def test_a_heading_that_says_the_title_says_it_once() -> None:
    (only,) = chunks("---\ntitle: Guide\n---\n\n# guide\n\nWords.\n")
    assert only.path == ("guide",)
    assert only.text == "# guide\n\nWords."


def test_front_matter_in_the_text_needs_no_title_above_it() -> None:
    first, second = chunks(TEXT, Recipe(front_matter="include"))
    assert first.text.startswith("---\ntitle")
    assert second.text.startswith("# Night bus guide\n\n## Tickets")


def test_the_title_counts_and_gives_way() -> None:
    text = f"---\ntitle: {'word ' * 60}\n---\n\n## A\n\n{'Some words. ' * 40}\n"
    found = chunks(text, Recipe(budget=seamline.Budget(60, 64)))
    assert all(one.tokens <= 64 for one in found)
    assert all(one.text.startswith("## A") for one in found)
    assert len(found[0].path[0]) <= 200
    assert found[0].path[0].endswith("word…")


def test_a_paragraph_that_a_line_turns_into_a_heading_is_no_breadcrumb() -> None:
    paragraph = "Some long text that nobody means as a heading. " * 10
    document = seamline.read(f"{paragraph}\n=\n\nWords.\n\n## Next\n\nMore.\n", id="doc", media_type="text/markdown")
    assert document.title == ""
    assert [notice.code for notice in document.notices] == ["heading-long"]
    assert seamline.chunk(document)[-1].path == ("Next",)


@pytest.mark.parametrize(
    ("opening", "close"),
    [
        ("{{< highlight bash >}}", "{{< /highlight >}}"),
        ('{{< tab header="Linux" lang="bash" >}}', "{{< /tab >}}"),
        ("{% raw %}", "{% endraw %}"),
        ("{%- highlight sh -%}", "{%- endhighlight -%}"),
    ],
)
def test_comments_between_shortcodes_are_no_headings(opening: str, close: str) -> None:
    text = f"# Title\n\n{opening}\n\n# a comment\n\nmake\n\n{close}\n\n## After\n"
    document = seamline.read(text, id="doc", media_type="text/markdown")
    assert [document.text[b.start : b.end] for b in document.blocks if b.kind == "heading"] == ["# Title", "## After"]


@pytest.mark.parametrize("opening", ['{{< tab name="Linux" >}}', "{{% note %}}", "{% raw %}"])
def test_markdown_between_shortcodes_keeps_its_headings(opening: str) -> None:
    """Of a tab without a language, a note, and what is never closed."""
    document = seamline.read(f"{opening}\n\n# Heading\n\nWords.\n", id="doc", media_type="text/markdown")
    assert sum(block.kind == "heading" for block in document.blocks) == 1
