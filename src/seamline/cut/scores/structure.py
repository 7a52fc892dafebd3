"""Structure scores: which kind of gap stands before a block. The table in the recipe says how good each kind is."""

from __future__ import annotations

from collections.abc import Sequence

from seamline.types import Block

_CODE = ("code", "scope")


def seam_before(text: str, blocks: Sequence[Block], tops: Sequence[int], position: int) -> str:
    """The kind of the gap before a top-level block."""
    block = blocks[tops[position]]
    if block.kind == "heading":
        return f"h{block.level}"
    if position == 0:
        return "paragraph"
    before = blocks[tops[position - 1]]
    if before.kind == "paragraph" and text[before.end - 1] in ":：":
        return "lead-in"
    if before.kind == "rule":
        return "rule"
    if block.kind == "rule":
        return "line"  # a rule ends what is above it
    if block.kind in _CODE or before.kind in _CODE:
        return "code"
    return "paragraph"


def code_seam(text: str, blocks: Sequence[Block], before: int, block: int, start: int) -> str:
    """The kind of the gap between two blocks inside a scope, at `start`; -1 for what closes the scope."""
    if before < 0 or block < 0:
        return "line"
    if _is_declaration(blocks[before]) or _is_declaration(blocks[block]):
        return "code"
    gap = text[blocks[before].end : start]
    return "scope" if gap.count("\n") + gap.count("\r") - gap.count("\r\n") > 1 else "line"


def _is_declaration(block: Block) -> bool:
    """Whether a block is a method or the like, not a statement that holds others."""
    return block.kind == "scope" and block.detail is not None and block.detail.name is not None
