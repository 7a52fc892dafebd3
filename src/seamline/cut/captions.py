"""Captions: which gaps between blocks part a caption from the table, picture or code that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seamline.text.captions import caption
from seamline.types import NO_DETAIL, Block

NAMED = frozenset(("table", "figure", "code", "html", "jsx", "directive", "environment"))
"""Kinds of blocks that may be, or show, what a caption names."""
_TEXTS = frozenset(("paragraph", "html", "figure"))
"""Kinds of blocks that may be a caption."""
_SHOWS = re.compile(r"<(?:table|img|image|picture|figure|svg|pre|video|diagram)\b", re.IGNORECASE)
_PICTURE = re.compile(r"\s*(?:\[?!\[|<img\b|<picture\b)")
_EMPHASIS = re.compile(r"([*_]{1,2})(?!\s)[^\n]{1,300}(?<!\s)\1\s*\Z")
_COMMAND = re.compile(r"\\caption(?:of\{\w{1,20}\})?\*?[ \t]*[\[{]")
_FLOATS = re.compile(
    r"(?:sub|wrap|sideways|long|list-|csv-|margin)?(?:figure|table|image|tabular|listing|algorithm)", re.I
)
_LISTINGS = frozenset(
    ("code", "code-block", "sourcecode", "literalinclude", "highlight", "mermaid", "graphviz", "plot")
)
_PAIRS = frozenset(
    form(two) for two in ("fi", "ta", "li", "al", "ab", "sc", "co") for form in (str, str.title, str.upper)
)
_LETTERS = frozenset(two[0] for two in _PAIRS)
_FIRST = _LETTERS.union("*_<>[( \t\\")
"""What a caption starts with: the first two letters of a label, or marks around one. Most paragraphs start otherwise,
and are looked at no further."""
_LOOKED_AT = 2_000
"""Characters of a block of HTML in which a picture or table is looked for."""
_FITTING = {"table": "table", "figure": "figure", "code": "listing"}
"""Per kind of block, the kind of label that is meant for it."""
_NONE: frozenset[int] = frozenset()


def caption_gaps(text: str, blocks: Sequence[Block], positions: Sequence[int]) -> frozenset[int]:
    """Of blocks that follow each other, those whose gap before them parts a caption from what it names, by their place
    in `positions`.

    A caption between two things belongs to the one that its label is meant for; else to the one before it, unless that
    has a caption of its own.
    """
    out: set[int] = set()
    captioned = -1
    last = len(positions) - 1
    for place, index in enumerate(positions):
        block = blocks[index]
        first = text[block[1]]
        if first not in _FIRST and block[5] is None:
            continue
        if block.kind not in _TEXTS:
            continue
        if first in _LETTERS and block[5] is None and text[block.start : block.start + 2] not in _PAIRS:
            continue
        before = blocks[positions[place - 1]] if place else None
        after = blocks[positions[place + 1]] if place < last else None
        is_below, is_above = (near is not None and is_named(text, near) for near in (before, after))
        if not (is_below or is_above):
            continue
        label = _label(text, block, below_picture=is_below and before is not None and _is_picture(text, before))
        if label is None:
            continue
        if is_below and is_above and before is not None and after is not None:
            fits = [label in ("", _FITTING.get(near.kind)) for near in (before, after)]
            is_below = captioned != place - 1 if fits[0] == fits[1] else fits[0]
        out.add(place if is_below else place + 1)
        captioned = place - 1 if is_below else place + 1
    return frozenset(out) if out else _NONE


def _label(text: str, block: Block, *, below_picture: bool) -> str | None:
    """What a caption says it is for, empty where it does not say; None where the block is no caption.

    Its parser says that it is one, or it opens with a label and a number. Below a picture it may also be a line that is
    all emphasis."""
    detail = block.detail or NO_DETAIL
    part = text[block.start : min(block.end, block.start + _LOOKED_AT)]
    if _PICTURE.match(part):
        return None  # a picture with its caption
    if block.kind == "html" and _SHOWS.search(part):
        return None
    if (label := caption(part)) is not None:
        return "listing" if label.kind == "algorithm" else label.kind
    if detail.type == "caption" or (block.kind == "paragraph" and "\\caption" in part and _COMMAND.search(part)):
        return ""
    return "figure" if below_picture and block.kind == "paragraph" and _EMPHASIS.match(part.strip()) else None


def is_named(text: str, block: Block) -> bool:
    """Whether a block is something that a caption may name."""
    if block.kind not in NAMED:
        return _is_picture(text, block)
    if block.kind in ("html", "jsx"):
        return _SHOWS.search(text, block.start, min(block.end, block.start + _LOOKED_AT)) is not None
    if block.kind in ("environment", "directive"):
        name = (block.detail or NO_DETAIL).name or ""
        return name in _LISTINGS or _FLOATS.match(name) is not None
    return (block.detail or NO_DETAIL).type != "caption"


def _is_picture(text: str, block: Block) -> bool:
    if block.kind == "paragraph":
        return text[block.start] in "<![ \t" and _PICTURE.match(text, block.start, block.end) is not None
    return block.kind == "figure"
