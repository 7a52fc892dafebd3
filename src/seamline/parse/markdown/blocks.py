"""Markdown text -> blocks, by whichever of the two equal paths runs: the kernel `parse_blocks`, or Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from seamline.native import KERNELS
from seamline.runtime import gc_paused
from seamline.types import Block, Detail

FENCED = Detail(fenced=True)
"""What all closed fences have to say about themselves."""

LONGEST_FENCE = 100
"""Marks of a fence; one that is longer is a drawing, and would fill the chunks that it is to stand around."""
_GIANTS = ("`" * (LONGEST_FENCE + 1), "~" * (LONGEST_FENCE + 1))
_GIANT = re.compile(rf"[ \t\ufeff]*(?:{'|'.join(_GIANTS)})")

_VISIBLE = re.compile(r"[^\r\n]+")


def parse_blocks(text: str, after: int = 0) -> list[Block]:
    """All blocks of a Markdown text, in pre-order; what stands before `after` counts as blank lines."""
    blocks = _parse_either_way(text, after)
    if any(run in text for run in _GIANTS):
        return [block._replace(detail=None) if is_giant_fence(text, block) else block for block in blocks]
    return blocks


def _parse_either_way(text: str, after: int) -> list[Block]:
    with gc_paused():
        if KERNELS is not None and (found := KERNELS.parse_blocks(text, after, Block, FENCED)):
            return add_details(*found)
        from seamline.parse.markdown.commonmark import parse_blocks as parse_in_python

        return parse_in_python(blank(text, 0, after) if after else text)


def add_details(blocks: list[Block], details: Sequence[tuple[int, dict[str, Any]]]) -> list[Block]:
    """The blocks of the kernel, which names the fields of a detail by the index of its block."""
    known: dict[object, Detail] = {}  # most say that a list starts with 1
    for index, fields in details:
        key = tuple(fields.items())
        detail = known.get(key) or known.setdefault(key, Detail(**fields))
        blocks[index] = Block(*blocks[index][:5], detail)
    return blocks


def is_giant_fence(text: str, block: Block) -> bool:
    """Whether a block is code that starts with more marks than a fence may have: nothing of it is opened again."""
    return block.kind == "code" and _GIANT.match(text, block.start) is not None


def blank(text: str, start: int, end: int) -> str:
    """The text with a range turned into blank lines of equal length."""
    return text[:start] + _VISIBLE.sub(lambda line: " " * len(line[0]), text[start:end]) + text[end:]
