"""What has content of its own, and what only leads to some."""

from __future__ import annotations

import time

import pytest

from harness.library import NOW, Library
from seamline.pipeline import retrieve
from seamline.search.options import SearchOptions
from seamline.search.search import SearchEngine
from seamline.text.content import has_content, is_link_list

EMPTY = {
    "{{Specifications}}": "paragraph",
    '{{< glossary_tooltip term_id="pod" >}}': "paragraph",
    "## See also\n": "heading",
    "## Browser compatibility\n\n{{Compat}}\n": "paragraph",
    "```js\n```\n": "code",
    "```rust\n{{#rustdoc_include ../listings/main.rs}}\n```\n": "code",
    "<Steps>\n": "jsx",
    '</TabItem>\n\n<TabItem value="npm">\n': "text",
    "<!-- to be written -->\n": "html",
    ":::note\n:::\n": "directive",
    "import Tabs from '@theme/Tabs';\n": "esm",
    "[one]: https://example.org/one\n": "reference",
    "---\n": "rule",
    "": "text",
}
FULL = {
    "Pods": "paragraph",
    "## Pods\n\nA pod runs.": "paragraph",
    "```html\n<input>\n```": "code",
    "# a comment": "code",
    "| {{a}} | b |": "table",
    "![The control plane](plane.svg)": "paragraph",
    "See {{Compat}}": "paragraph",
    "[^1]: The note.": "footnote",
    "- [Pods](pods.md)": "list",
    "1. 水泵": "list",
    ":::note\n\nRead this.\n:::": "directive",
}


@pytest.mark.parametrize(("text", "kind"), EMPTY.items())
def test_what_is_left_without_markup_is_nothing(text: str, kind: str) -> None:
    assert not has_content(text, kind)


@pytest.mark.parametrize(("text", "kind"), FULL.items())
def test_what_says_something_has_content(text: str, kind: str) -> None:
    assert has_content(text, kind)


def test_a_line_with_a_hash_is_a_heading_only_where_there_are_headings() -> None:
    assert has_content("# not a heading", "paragraph", headed=False)
    assert not has_content("# a heading", "paragraph")


@pytest.mark.parametrize(
    "text",
    [
        "- [Pods](pods.md)\n- [Nodes][nodes]\n",
        "## See also\n\nSee also:\n\n* [Pods](pods.md), [Nodes](nodes.md)\n* The [API](api.md)\n",
        "https://example.org/a\n\n<https://example.org/b>\n",
        "## What's next\n\n* Learn more about [how pods are scheduled](s.md).\n* See [Volume](v.md).\n",
    ],
)
def test_lists_of_nothing_but_links(text: str) -> None:
    assert is_link_list(text, "list")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("- [Pods](pods.md) run containers on a node\n", "list"),
        ("Use the [kubelet](k.md) API to start [pods](p.md).", "paragraph"),
        ("- plain\n- items\n", "list"),
        ("* Learn more about [pods](p.md).\n* Learn how to drain a [node](n.md).\n", "list"),
        ("```js\nopen(https://example.org/a)\n```\n", "text"),
        ("- Ada Lovelace ([@ada](https://example.org/ada))\n", "list"),
        ("![alone](a.png)", "paragraph"),
        ("[a](b)", "code"),
        ("## [A heading](that.md)\n", "heading"),
    ],
)
def test_other_texts_are_no_lists_of_links(text: str, kind: str) -> None:
    assert not is_link_list(text, kind)


@pytest.mark.parametrize("part", ["{{", "<a ", "[a](", "](", "<!--", "{/*", "https://a", "import a '", "[a]"])
def test_hostile_lines_take_linear_time(part: str) -> None:
    text = part * 20_000
    begun = time.process_time()
    has_content(text, "text")
    is_link_list(text, "text")
    assert time.process_time() - begun < 3


PAGE = """# Gadgets

## Gadget

A gadget turns the handle of the mill.

## Specifications of the gadget

{{Specifications}}

## Usage

Turn the gadget to the left.

## See also

- [Gadget](gadget.md)
- [Gadget handle](handle.md)
"""


def test_what_has_no_content_is_not_found_and_links_come_after_what_they_lead_to() -> None:
    library = Library({"gadget.md": PAGE})
    with library.store.reader() as reader:
        engine = SearchEngine(reader, library.embedder, NOW)
        for legs in ("bm25", "dense", "hybrid"):
            found = retrieve(engine, "gadget specifications", SearchOptions(legs=legs, k=20)).hits
            assert found
            assert not any("{{Specifications}}" in hit.entry.text for hit in found)
        bm25 = retrieve(engine, "gadget", SearchOptions(legs="bm25", k=20)).hits
        assert bm25[0].why.links is None
        (links,) = [hit for hit in bm25 if hit.entry.path[-1] == "See also"]
        assert links.why.links == 0.5
        assert reader.count_missing_vectors() == 0
