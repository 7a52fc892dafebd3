"""Which natural language a document is written in."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from seamline.enrich.identify import identify
from seamline.types import Block, Document, Span

SAMPLE = 1000
"""Code points of prose that are looked at, in half a millisecond: of 250 READMEs and pages none got another answer from
4,000."""
FEWEST = 12
"""Letters below which nobody could tell."""
SURE = 0.5
"""Confidence from which an answer counts; the text of a README in English gets 0.9 and more."""

_PROSE = frozenset(("heading", "paragraph", "item", "quote"))
_NOT_PROSE = re.compile(r"`[^`\n]*`|https?://\S+|\[\[?[^]\n]*\]\([^)\n]*\)|[#*_>|~-]+|\d+")


def language(document: Document) -> str:
    """ISO 639-1 code of the document's prose; empty where there is too little of it, or too much doubt."""
    declared = document.front_matter.get("lang") or document.front_matter.get("language")
    if isinstance(declared, str) and re.fullmatch(r"[A-Za-z]{2}(?:[-_]\w+)*", declared):
        return declared[:2].lower()
    code, confidence = detect(plain_prose(document, Span(0, len(document.text))))
    return code if confidence >= SURE else ""


def detect(prose: str, fewest: int = FEWEST) -> tuple[str, float]:
    """The language of a text, and how sure that is, 0-1; empty and 0 where it has too few letters."""
    if sum(map(str.isalpha, prose)) < fewest:
        return "", 0.0
    code, confidence = identify(prose)
    return (code, confidence) if len(code) == 2 else ("", 0.0)


def plain_prose(document: Document, span: Span) -> str:
    """The first code points of a span that are neither code nor addresses."""
    parts: list[str] = []
    room = SAMPLE
    for block in _touched(document, span):
        if room <= 0:
            break
        start = max(block.start, span.start)
        if block.kind in _PROSE and start < block.end:
            part = document.text[start : min(block.end, span.end, start + room)]
            parts.append(part)
            room -= len(part)
    return _NOT_PROSE.sub(" ", "\n".join(parts))


def _touched(document: Document, span: Span) -> Iterator[Block]:
    """Blocks that start in a span, after those that go on in it, the innermost first."""
    blocks = document.blocks
    first = bisect_left(blocks, span.start, key=lambda block: block.start)
    at = first - 1
    while at >= 0:
        if blocks[at].end > span.start:
            yield blocks[at]
        at = blocks[at].parent
    for index in range(first, len(blocks)):
        if blocks[index].start >= span.end:
            return
        yield blocks[index]
