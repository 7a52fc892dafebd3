"""A figure stays with its caption and with the paragraph that introduces it."""

from __future__ import annotations

import re
from itertools import pairwise

from seamline.text.captions import caption
from seamline.types import NO_DETAIL, Block, Document

_PICTURE = re.compile(r"\s*(?:!\[|<img\b|<picture\b)")
_POINTS = re.compile(r"\b(?:below|following|folgende[rns]?|unten|ci-dessous|suivante?s?)\b|[:：]\s*\Z", re.IGNORECASE)
_EMPHASIS = re.compile(r"([*_]{1,2})(?!\s)[^\n]{1,300}(?<!\s)\1\s*\Z")
_FLOATS = frozenset(("figure", "table", "image", "wrapfigure", "figure*", "table*", "subfigure", "listing"))


def forbidden_gaps(document: Document) -> frozenset[int]:
    """Where the text after a gap starts that belongs to what stands before it."""
    blocks = [document.blocks[top] for top in document.tops]
    return frozenset(after.start for before, after in pairwise(blocks) if _belongs(document, before, after))


def _belongs(document: Document, before: Block, after: Block) -> bool:
    text = document.text
    if after.kind == "paragraph" and not _is_picture(text, after):
        shown = _is_picture(text, before)
        return (shown or before.kind == "table") and _is_caption(text, after, strict=not shown)
    if before.kind != "paragraph":
        return False
    if _is_picture(text, after):
        return True
    is_table = after.kind == "table" or _is_float(after)
    return is_table and (
        _is_caption(text, before, strict=True) or bool(_POINTS.search(text[before.start : before.end]))
    )


def _is_picture(text: str, block: Block) -> bool:
    """Whether a block shows a picture; one in a paragraph with its caption does."""
    if block.kind == "paragraph":
        return _PICTURE.match(text, block.start, block.end) is not None
    return block.kind == "figure"


def _is_float(block: Block) -> bool:
    return block.kind in ("environment", "directive") and (block.detail or NO_DETAIL).name in _FLOATS


def _is_caption(text: str, block: Block, *, strict: bool) -> bool:
    """Whether a paragraph is a caption: by its number or, under a picture, as a line that is all emphasis."""
    part = text[block.start : block.end]
    return caption(part) is not None or (not strict and _EMPHASIS.match(part.strip()) is not None)
