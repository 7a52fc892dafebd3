"""Markdown text -> blocks, by whichever of the two equal paths runs: `seamline._blocks`, or `markdown` in Python."""

from __future__ import annotations

import re
from types import MappingProxyType

from seamline import native
from seamline.collector import paused
from seamline.types import Block

FENCED = MappingProxyType({"fenced": True})
"""What all closed fences have to say about themselves."""

_VISIBLE = re.compile(r"[^\r\n]+")


def parse_blocks(text: str, after: int = 0) -> list[Block]:
    """All blocks of a Markdown text, in pre-order; what stands before `after` counts as blank lines."""
    with paused():
        if native.BLOCKS is not None:
            blocks: list[Block] | None = native.BLOCKS.parse_blocks(text, after, Block, FENCED)
            if blocks is not None:
                return blocks
        from seamline.parse.markdown import parse_blocks as parse_in_python

        return parse_in_python(blank(text, 0, after) if after else text)


def blank(text: str, start: int, end: int) -> str:
    """The text with a range turned into blank lines of equal length."""
    return text[:start] + _VISIBLE.sub(lambda line: " " * len(line[0]), text[start:end]) + text[end:]
