"""Plain text -> blocks: paragraphs between blank lines."""

from __future__ import annotations

import re

from seamline.types import Block

_BLANK = re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?=\r|\n)")
_TEXT = re.compile(r"[^\s\ufeff]")


def plain_blocks(text: str) -> list[Block]:
    """One paragraph block for every run of lines that are not blank."""
    blocks: list[Block] = []
    at = 0
    while first := _TEXT.search(text, at):
        blank = _BLANK.search(text, first.start())
        stop = blank.start() if blank else len(text)
        start = first.start()
        while start > at and text[start - 1] not in "\r\n":
            start -= 1
        blocks.append(Block("paragraph", start, first.start() + len(text[first.start() : stop].rstrip())))
        at = stop
    return blocks
