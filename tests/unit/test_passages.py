"""The prose of chunks, sentence by sentence."""

from __future__ import annotations

import pytest

from seamline.api import chunk
from seamline.enrich.prose import passages, plain, together
from seamline.text.sentences import sentence_starts


def read(text: str, limit: int = 512) -> list[tuple[str, str]]:
    """Every sentence as it stands, and as it is read."""
    found = passages(chunk(text, limit=limit), sentence_starts)
    return [
        (text[sentence.span.start : sentence.span.end], sentence.text)
        for passage in found
        for sentence in passage.sentences
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- **Bold** and _thin_", "Bold and thin"),
        ("3. [a link](x.md), ![a picture](p.png), [a mark][1] and [^2]", "a link, , a mark and"),
        ("> quoted\n> on two lines", "quoted on two lines"),
        ("- [x] done", "done"),
        ("snake_case and 2*3*4 stay, as do `*these*`", "snake_case and 2*3*4 stay, as do `*these*`"),
        ("<b>loud</b> \\*star\\*", "loud *star*"),
        ("a < b and b > c", "a < b and b > c"),
    ],
)
def test_markup_is_not_read(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_only_prose_has_sentences() -> None:
    blocks = ["# Head", "One here. Two here.", "```py\nx = 1\n```", "| a | b |\n|---|---|\n| c | d |"]
    text = "\n\n".join([*blocks, "- Item one.\n  - Inner item.\n"])
    assert read(text) == [
        ("One here.", "One here."),
        ("Two here.", "Two here."),
        ("- Item one.", "Item one."),
        ("- Inner item.", "Inner item."),
    ]


def test_a_sentence_belongs_to_the_chunk_that_holds_it() -> None:
    text = " ".join(f"Sentence number {n} of a long paragraph stands here." for n in range(30)) + "\n"
    found = passages(chunk(text, limit=32, target=32), sentence_starts)
    assert len(found) > 3
    for passage in found:
        for sentence in passage.sentences:
            assert passage.chunks[0].start <= sentence.span.start < sentence.span.end <= passage.chunks[0].end


def test_chunks_without_prose_are_no_passages() -> None:
    assert passages(chunk("```\nx\n```\n"), sentence_starts) == []
    assert passages(chunk(""), sentence_starts) == []


def test_passages_of_a_section_can_be_one() -> None:
    text = "# A\n\nOne here.\n\n## B\n\nTwo here.\n\n### C\n\nThree here.\n\n## D\n\nFour here.\n"
    a, b, c, d = passages(chunk(text), sentence_starts)
    assert (a.path, c.path) == (("A",), ("A", "B", "C"))
    whole = together([b, c])
    assert whole.path == ("A", "B")
    assert whole.text == "Two here. Three here."
    assert whole.ids == (*b.ids, *c.ids)
    assert together([b, d]).path == ("A",)
