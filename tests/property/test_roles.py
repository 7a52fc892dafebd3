"""Lines of HTML, lists and fences inside each other are in every chunk what they are in the document."""

from __future__ import annotations

import os
import re

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import seamline
from seamline.recipe.recipe import Recipe
from seamline.types import Budget, Chunk

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)

_WORD = st.sampled_from(
    ("seam", "budget", "Überprüfung", "retry", "429", "the", "`code`", "日本語", "webhooks,", "fits.")
)
_INLINE = st.one_of(_WORD, _WORD, st.sampled_from(("<code>x</code>", "<em>y</em>", "<br/>", "&amp;")))
_INDENT = st.sampled_from(("", "  ", "    ", "\t"))


def _words(most: int) -> st.SearchStrategy[str]:
    return st.lists(_WORD, min_size=1, max_size=most).map(lambda words: "A " + " ".join(words))


def _inline(most: int) -> st.SearchStrategy[str]:
    return st.lists(_INLINE, min_size=1, max_size=most).map(lambda words: "A " + " ".join(words))


def _fence() -> st.SearchStrategy[str]:
    lines = st.lists(
        st.one_of(_words(8), _words(8).map(lambda line: "    " + line), _words(90)), min_size=1, max_size=20
    )
    return lines.map(lambda inside: "```js\n" + "\n".join(inside) + "\n```")


def _shift(prefix: str, rest: str, block: str) -> str:
    first, *others = block.split("\n")
    return "\n".join([prefix + first, *[rest + line if line else "" for line in others]])


def _list(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    item = st.lists(inner, min_size=1, max_size=2).map(lambda blocks: "\n\n".join(["A lead", *blocks]))
    mark = st.sampled_from(("- ", "1. ", "-   "))
    return st.tuples(mark, st.lists(item, min_size=1, max_size=4)).map(
        lambda p: "\n".join(_shift(p[0], " " * len(p[0]), one) for one in p[1])
    )


def _table() -> st.SearchStrategy[str]:
    def build(parts: tuple[str, str, list[list[str]]]) -> str:
        head, indent, rows = parts
        lines = ["<table class='x'>"]
        if head == "thead":
            lines += [indent + "<thead><tr><th>Name</th><th>Use</th></tr></thead>", indent + "<tbody>"]
        elif head == "th":
            lines.append(indent + "<tr><th>Name</th><th>Use</th></tr>")
        for row in rows:
            cells = [f"{indent * 2}<td>{cell}</td>" for cell in (row * 2)[:2]]
            lines += [indent + "<tr>", *cells, indent + "</tr>"]
        return "\n".join([*lines, *([indent + "</tbody>"] if head == "thead" else []), "</table>"])

    rows = st.lists(st.lists(_inline(60), min_size=1, max_size=2), min_size=1, max_size=10)
    return st.tuples(st.sampled_from(("thead", "th", "")), _INDENT, rows).map(build)


def _html(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Elements on lines of their own, without a blank line."""

    def build(parts: tuple[str, str, list[str]]) -> str:
        name, indent, inside = parts
        child = {"ul": "li", "dl": "dd"}.get(name, "p")
        lines = [part if part.startswith("<") else f"<{child}>{part}</{child}>" for part in inside]
        shifted = "\n".join(indent + line for part in lines for line in part.split("\n"))
        return f'<{name} class="x">\n{shifted}\n</{name}>'

    parts = st.lists(st.one_of(_inline(40), inner), min_size=1, max_size=6)
    return st.tuples(st.sampled_from(("div", "ul", "section", "Note", "figure")), _INDENT, parts).map(build)


def _around_markdown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    opening = st.sampled_from(("<details>\n<summary>More</summary>", '<Note kind="x">', "<div>"))
    return st.tuples(opening, st.lists(inner, min_size=1, max_size=3)).map(
        lambda p: "\n\n".join([p[0], *p[1], "</" + re.split(r"[ >]", p[0][1:])[0] + ">"])
    )


_ELEMENTS = st.recursive(_table(), _html, max_leaves=4)
_MARKDOWN = st.recursive(st.one_of(_words(60), _fence()), _list, max_leaves=4)
_BLOCKS = st.one_of(_ELEMENTS, _html(_ELEMENTS), _MARKDOWN, _around_markdown(_MARKDOWN), st.just("## A heading"))
documents = st.lists(_BLOCKS, min_size=1, max_size=5).map("\n\n".join)


def _roles(text: str) -> list[str]:
    """By another reader than the audit's."""
    kinds = {"fence": "code", "code_block": "code", "html_block": "html", "heading_open": "heading"}
    out = [""] * (text.count("\n") + 1)
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.map and (role := kinds.get(token.type, "text" if token.type == "inline" else "")):
            out[token.map[0] : token.map[1]] = [role] * (token.map[1] - token.map[0])
    return out


def _cut(text: str, limit: int) -> list[Chunk]:
    return seamline.chunk(seamline.read(text + "\n", id="doc"), recipe=Recipe(budget=Budget(limit - 8, limit)))


@law
@given(documents, st.integers(128, 600))
def test_the_audit_finds_no_changed_role(text: str, limit: int) -> None:
    assert not seamline.audit(_cut(text, limit), limit=limit)


@law
@given(documents, st.integers(128, 600))
def test_another_reader_sees_code_html_and_headings_as_they_were(text: str, limit: int) -> None:
    known = _roles(text)
    for chunk in _cut(text, limit):
        source = chunk.document.text
        lead = chunk.text[: len(chunk.text) - len(chunk.closing) - (chunk.end - chunk.start)]
        alone = _roles(chunk.text)
        at = chunk.start
        for line in source[chunk.start : chunk.end].split("\n"):
            was = known[source.count("\n", 0, at)]
            now = alone[(lead + source[chunk.start : at]).count("\n")]
            assert not line.strip() or was == now or not {was, now} & {"code", "html", "heading"}, chunk.text
            at += len(line) + 1


@law
@given(documents, st.integers(16, 200))
def test_small_limits_keep_sizes_and_spans(text: str, limit: int) -> None:
    chunks = seamline.chunk(seamline.read(text, id="doc"), recipe=Recipe(budget=Budget(limit, limit)))
    rules = {found.rule for found in seamline.audit(chunks, limit=limit)}
    assert not rules & {"over-limit", "wrong-count", "coverage", "wrong-span", "overlap-of-bodies", "duplicate-id"}


@example("thead")
@example("th")
@given(st.sampled_from(("thead", "th")))
@law
def test_every_row_stands_under_the_header(head: str) -> None:
    rows = "".join(f"<tr><td>key{n}</td><td>{'word ' * 30}</td></tr>\n" for n in range(12))
    header = "<tr><th>Name</th><th>Use</th></tr>"
    opening = f"<thead>{header}</thead><tbody>" if head == "thead" else header
    for chunk in _cut(f"# T\n\n<table>\n{opening}\n{rows}</table>", 128):
        assert "<th>Name</th>" in chunk.text
        assert chunk.text.count("<table") == chunk.text.count("</table>") == 1
        assert chunk.text.count("<tr") == chunk.text.count("</tr>")
