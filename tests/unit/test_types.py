"""Values that follow from others."""

from __future__ import annotations

import seamline
from seamline.types import Block, Document, Source


def test_the_confidence_of_a_chunk_is_that_of_its_blocks() -> None:
    text = "Sure.\n\nUnsure words."
    blocks = [Block("paragraph", 0, 5), Block("paragraph", 7, 20, attrs={"confidence": 0.5})]
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
