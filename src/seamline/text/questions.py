"""Questions that stand before their answers, as in an FAQ, beside those that are headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seamline.types import Document

FEWEST_QUESTIONS = 2
"""Questions that make a document one of questions and answers."""
_SHARE = 0.25
"""Of the blocks that are no headings, at the least: a story asks questions too."""
_LONGEST = 250
"""Characters of a question."""
_LABEL = re.compile(
    r"^[ \t>*_]*(?:Q|Question|Frage|F|Problem|Symptoms?)[ \t]?\d{0,3}[.:)][*_]*\s", re.IGNORECASE | re.MULTILINE
)
_BOLD = re.compile(r"^[ \t]*(?:\d{1,3}[.)][ \t]+|[-*+][ \t]+)?(\*\*|__)(?=\S)[^\n]{2,200}?[?？]\1", re.MULTILINE)
_FIRST = ("Q", "*", "_", "Frage", "F:", "Problem", "Symptom", "question")
"""What a paragraph starts with that asks by a label or in bold. Every document is looked through, so this is fast."""


def questions(document: Document) -> list[int]:
    """Where questions start that the text after them answers; none where too few blocks ask one."""
    text, blocks = document.text, document.blocks
    if text.count("?") + text.count("？") < FEWEST_QUESTIONS and "roblem:" not in text and "ymptom" not in text:
        return []
    found: list[int] = []
    asking = others = 0
    for top in document.tops:
        kind, start, end, _, _, _ = blocks[top]
        if kind == "heading":
            continue
        others += 1
        if kind == "paragraph":
            if text[end - 1] not in "?？" and not text.startswith(_FIRST, start):
                continue
        elif kind != "list" or "**" not in text[start : start + 8]:
            continue
        if inside := list(_asked(text, kind, start, end)):
            asking += 1
            found += inside
    return found if len(found) >= FEWEST_QUESTIONS and asking >= _SHARE * others else []


def _asked(text: str, kind: str, start: int, end: int) -> Iterator[int]:
    """Where the questions of a block start: at labels, as bold lines, or the block itself where it is one line."""
    if kind == "paragraph" and end - start <= _LONGEST and text[end - 1] in "?？" and "\n" not in text[start:end]:
        yield start
        return
    for pattern in (_LABEL, _BOLD):
        if pattern.match(text, start, end):
            yield from [one.start() for one in pattern.finditer(text, start, end)]
            return
