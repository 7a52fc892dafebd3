"""Values that follow from others."""

from __future__ import annotations

import seamline
from seamline.text.headings import LONGEST_LINE, with_headings
from seamline.types import Block, Detail, Document, Source


def test_the_confidence_of_a_chunk_is_that_of_its_blocks() -> None:
    text = "Sure.\n\nUnsure words."
    blocks = [Block("paragraph", 0, 5), Block("paragraph", 7, 20, detail=Detail(confidence=0.5))]
    document = Document("x", Source("x.pdf", "application/pdf"), text, blocks, confidence=0.7)
    (chunk,) = seamline.chunk(document)
    assert chunk.confidence == round((5 + 13 * 0.5) / 18, 3)
    assert chunk.to_dict()["confidence"] == chunk.confidence
    plain = seamline.chunk(seamline.read(text, id="x"))[0]
    assert plain.confidence == 1.0
    assert "confidence" not in plain.to_dict()


def test_a_document_that_was_judged_as_a_whole_lends_its_confidence() -> None:
    document = Document("x", Source("x.mp3", "audio/mpeg"), "Words.", [Block("turn", 0, 6)], confidence=0.7)
    assert seamline.chunk(document)[0].confidence == 0.7


PAGE = "---\ntitle: Lamps\n---\n\n# Oil\n\nIntro.\n\n## Wick\n\nTrim it."


def test_the_embed_view_stands_under_title_and_headings() -> None:
    last = seamline.chunk(seamline.read(PAGE, id="a.md"), limit=16)[-1]
    assert last.render("embed") == f"Lamps > Oil > Wick\n\n{last.text}"
    assert last.render() == last.text == last.render("prompt")


def test_a_title_that_is_a_heading_is_not_said_twice() -> None:
    last = seamline.chunk(seamline.read("# Oil\n\nIntro.\n\n## Wick\n\nTrim it.", id="a.md"), limit=16)[-1]
    assert last.document.title == "Oil"
    assert last.render("embed").startswith("Oil > Wick\n\n")


def test_without_title_and_headings_the_embed_view_is_the_text() -> None:
    (only,) = seamline.chunk(seamline.read("Trim the wick.", id="a.txt"))
    assert only.render("embed") == "Trim the wick."


def test_of_a_long_line_of_headings_the_nearest_are_kept() -> None:
    assert with_headings("title", ("outer " * 100, "inner"), "text").startswith("outer outer")
    assert with_headings("title", ("outer " * 100, "inner"), "text").endswith("outer  > inner\n\ntext")
    assert with_headings("", ("x" * 1000,), "text") == f"{'x' * LONGEST_LINE}\n\ntext"
