"""The builder of extracted text: its blocks are those the Markdown parser finds in what it wrote."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.parse import parse_text
from seamline.parse.builder import DocumentBuilder, PlacedText
from seamline.testing.parsers import check_document
from seamline.types import Document, Source


def built(builder: DocumentBuilder) -> Document:
    text, blocks, anchors = builder.finish()
    return Document("x", Source("x.pdf", "application/pdf"), text, blocks, anchors=anchors)


def shape(document: Document, *, tight: bool = True) -> list[tuple[str, int, int]]:
    """Kinds and spans; Markdown has no paragraph block in an item of one paragraph, and one in a footnote."""
    inside = {i for i, b in enumerate(document.blocks) if b.kind in ("item", "footnote")}
    return [
        (b.kind, b.start, b.end)
        for b in document.blocks
        if not (b.kind == "paragraph" and b.parent in inside and tight)
    ]


def example() -> DocumentBuilder:
    out = DocumentBuilder()
    out.heading(1, "Title  of\nit", {"page": 1})
    out.paragraph(
        [PlacedText("a line", {"page": 1}), PlacedText(" and more", {"page": 2}), PlacedText("ends", {"page": 2})]
    )
    with out.list():
        with out.item():
            out.paragraph("one")
            with out.list():
                with out.item("1."):
                    out.paragraph("nested")
                with out.item("2."):
                    out.code("x = 1\n\ny", "python")
        with out.item():
            out.paragraph("   ")
        with out.item():
            out.paragraph("last")
    with out.quote():
        out.paragraph("q1")
        out.paragraph("q2")
    out.table([["a|b", "c"], ["1"]], [{"page": 2}, {"page": 3}])
    out.footnote("1", "note")
    out.math("x^2")
    out.rule()
    return out


def test_the_text_reads_as_markdown() -> None:
    assert built(example()).text == (
        "# Title of it\n\na line and moreends\n\n- one\n  1. nested\n  2. ```python\n     x = 1\n\n     y\n     ```\n"
        "- last\n\n> q1\n>\n> q2\n\n| a\\|b | c |\n| --- | --- |\n| 1 |  |\n\n[^1]: note\n\n$$\nx^2\n$$\n\n---"
    )


def test_blocks_are_those_of_the_markdown_parser() -> None:
    document = built(example())
    assert shape(document) == shape(parse_text(document.text, id="x"))


def test_places_follow_the_text() -> None:
    document = built(example())
    at = document.text.index("and more")
    assert document.anchors is not None
    assert document.anchors.at(at, at + 3) == {"pages": [2, 2], "page": 2}
    assert document.anchors.at(0, len(document.text))["pages"] == [1, 3]
    check_document(document, (32, 64, 512))


def test_the_mark_of_a_heading_is_in_no_run() -> None:
    out = DocumentBuilder()
    out.heading(2, "Title", {"page": 1, "box": (0, 0, 50, 10), "edges": [0, 10, 20, 30, 40, 50]})
    document = built(out)
    assert document.anchors is not None
    assert document.text[document.anchors[0].start : document.anchors[0].end] == "Title"


def test_nothing_written_leaves_no_block() -> None:
    out = DocumentBuilder()
    with out.list(), out.item():
        out.paragraph("")
    out.table([["", ""], []])
    out.code("\n")
    out.heading(1, " \n ")
    assert out.finish() == ("", [], None)


def test_a_fence_is_longer_than_any_in_the_code() -> None:
    out = DocumentBuilder()
    out.code("```\ninner\n````")
    document = built(out)
    assert document.text.startswith("`````\n")
    assert shape(document) == shape(parse_text(document.text, id="x"))


def test_a_stack_of_its_own_writes_what_context_managers_write() -> None:
    first, second = DocumentBuilder(), DocumentBuilder()
    with first.quote(), first.list(), first.item("1."):
        first.paragraph("a\n b", {"part": "x"})
        first.code("c\n\nd", "py")
    second.open_quote()
    second.open_list()
    second.open_item("1.")
    second.paragraph("a\n b", {"part": "x"})
    second.code("c\n\nd", "py")
    for _ in range(3):
        second.close()
    assert first.finish() == second.finish()
    text, blocks, _ = second.finish()
    assert text == "> 1. a b\n>\n>    ```py\n>    c\n>\n>    d\n>    ```"
    assert [(block.kind, block.parent) for block in blocks] == [
        ("quote", -1), ("list", 0), ("item", 1), ("paragraph", 2), ("code", 2),
    ]  # fmt: skip


def test_what_was_opened_for_nothing_never_was() -> None:
    builder = DocumentBuilder()
    builder.paragraph("a")
    builder.open_list()
    builder.open_item()
    builder.paragraph("  ")
    builder.close()
    builder.close()
    builder.lines(["", " "])
    builder.paragraph("b")
    text, blocks, anchors = builder.finish()
    assert text == "a\n\nb"
    assert [block.kind for block in blocks] == ["paragraph", "paragraph"]
    assert anchors is None


def test_lines_count_where_they_are_told_to() -> None:
    builder = DocumentBuilder()
    place = {"part": "1"}
    builder.lines(["one  two", "", "three "], place)
    text, blocks, anchors = builder.finish()
    assert text == "one two\nthree"
    assert len(blocks) == 1
    assert anchors is not None
    assert [(run.start, run.end) for run in anchors] == [(0, 13)]


words = st.text("ab |`#>-*.1\n", min_size=0, max_size=12)


@st.composite
def builders(draw: st.DrawFn) -> DocumentBuilder:
    out = DocumentBuilder()

    def fill(depth: int) -> None:
        for kind in draw(st.lists(st.sampled_from(("text", "code", "table", "list", "quote", "heading")), max_size=4)):
            if kind == "text":
                out.paragraph([PlacedText(draw(words), {"record": 1}) for _ in range(draw(st.integers(1, 3)))])
            elif kind == "code":
                out.code(draw(words))
            elif kind == "table":
                out.table(draw(st.lists(st.lists(words, max_size=3), max_size=3)))
            elif kind == "heading" and not depth:
                out.heading(draw(st.integers(0, 8)), draw(words))
            elif kind == "list" and depth < 3:
                with out.list():
                    for _ in range(draw(st.integers(0, 3))):
                        with out.item(draw(st.sampled_from(("-", "1.", "12.")))):
                            fill(depth + 1)
            elif kind == "quote" and depth < 3:
                with out.quote():
                    fill(depth + 1)

    fill(0)
    return out


@settings(max_examples=60, deadline=None)
@given(builders())
def test_whatever_is_written_keeps_the_contract_of_parsers(out: DocumentBuilder) -> None:
    check_document(built(out), (64,))
