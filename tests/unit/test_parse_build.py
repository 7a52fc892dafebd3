"""The builder of extracted text: blocks in blocks, lines that count, and nothing where nothing was written."""

from __future__ import annotations

from seamline.parse.build import Builder


def test_a_stack_of_its_own_writes_what_context_managers_write() -> None:
    first, second = Builder(), Builder()
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
    builder = Builder()
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
    builder = Builder()
    place = {"part": "1"}
    builder.lines(["one  two", "", "three "], place)
    text, blocks, anchors = builder.finish()
    assert text == "one two\nthree"
    assert len(blocks) == 1
    assert anchors is not None
    assert [(run.start, run.end) for run in anchors] == [(0, 13)]
