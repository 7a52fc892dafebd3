"""Markdown text -> blocks, by whichever of the two equal paths runs: `seamline._blocks`, or `markdown` in Python."""

from __future__ import annotations

from types import MappingProxyType

from seamline import native
from seamline.types import Block

FENCED = MappingProxyType({"fenced": True})
"""What all closed fences have to say about themselves."""


def parse_blocks(text: str) -> list[Block]:
    """All blocks of a Markdown text, in pre-order."""
    if native.BLOCKS is not None:
        blocks: list[Block] | None = native.BLOCKS.parse_blocks(text, Block, FENCED)
        if blocks is not None:
            return blocks
    from seamline.parse.markdown import parse_blocks as parse_in_python

    return parse_in_python(text)
