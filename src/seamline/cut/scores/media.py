"""A figure stays with its caption and with the paragraph that introduces it."""

from __future__ import annotations

import re
from itertools import pairwise

from seamline.cut.captions import caption_gaps, is_named
from seamline.types import Block, Document

_PICTURE = re.compile(r"\s*(?:!\[|<img\b|<picture\b)")
_POINTS = re.compile(r"\b(?:below|following|folgende[rns]?|unten|ci-dessous|suivante?s?)\b|[:：]\s*\Z", re.IGNORECASE)


def forbidden_gaps(document: Document) -> frozenset[int]:
    """Where a caption, or what it names, starts; and a figure or table that the paragraph before it introduces."""
    text, tops = document.text, document.tops
    blocks = [document.blocks[top] for top in tops]
    captions = frozenset(blocks[place].start for place in caption_gaps(text, document.blocks, tops))
    return captions.union(after.start for before, after in pairwise(blocks) if _introduces(text, before, after))


def _introduces(text: str, before: Block, after: Block) -> bool:
    if before.kind != "paragraph":
        return False
    if _is_picture(text, after):
        return True
    is_shown = after.kind == "table" or (after.kind in ("environment", "directive") and is_named(text, after))
    return is_shown and _POINTS.search(text[before.start : before.end]) is not None


def _is_picture(text: str, block: Block) -> bool:
    """Whether a block shows a picture; one in a paragraph with its caption does."""
    if block.kind == "paragraph":
        return _PICTURE.match(text, block.start, block.end) is not None
    return block.kind == "figure"
