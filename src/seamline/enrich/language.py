"""Which natural language a document is written in."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from seamline.errors import MissingExtra
from seamline.extras import INDEX
from seamline.types import Document

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
    prose = _prose(document)
    if sum(map(str.isalpha, prose)) < FEWEST:
        return ""
    code, confidence = _classifier()(prose)
    return code if confidence >= SURE and len(code) == 2 else ""


def _prose(document: Document) -> str:
    """The first code points that are neither code nor addresses."""
    parts: list[str] = []
    room = SAMPLE
    for block in document.blocks:
        if room <= 0:
            break
        if block.kind in _PROSE:
            part = document.text[block.start : min(block.end, block.start + room)]
            parts.append(part)
            room -= len(part)
    return _NOT_PROSE.sub(" ", "\n".join(parts))


@cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        raise MissingExtra("language detection", INDEX) from None
    classify: Callable[[str], tuple[str, float]] = LanguageIdentifier.from_model_file(MODEL_FILE, True).classify
    return classify
