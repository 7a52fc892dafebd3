"""A question stays with its answer, and the best cut is before the next question."""

from __future__ import annotations

from itertools import pairwise

from seamline.cut.scores import NO_SIGNAL, Signal
from seamline.text.questions import questions
from seamline.types import Document

WEIGHT = 0.8


def answers(document: Document) -> Signal:
    """What a document of questions and answers says about its gaps; nothing where it is none."""
    asked = frozenset(questions(document))
    if not asked:
        return NO_SIGNAL
    blocks = [document.blocks[top] for top in document.tops]
    forbidden = frozenset(
        after.start
        for before, after in pairwise(blocks)
        if before.kind == "paragraph" and before.start in asked and after.start not in asked and after.kind != "heading"
    )
    starts = {block.start for block in blocks[1:]}
    return Signal(dict.fromkeys(asked & starts, 1.0), weight=WEIGHT, forbidden=forbidden)
