"""Markdown text -> blocks in C: what `seamline.parse.markdown` does, two orders of magnitude nearer to the text."""

from collections.abc import Mapping
from typing import Any

from seamline.types import Block

def parse_blocks(text: str, after: int, block: type[Block], fenced: Mapping[str, Any], /) -> list[Block] | None:
    """All blocks of a text, in pre-order; None for the few texts that only the Python path reads.

    What stands before `after` counts as blank lines. `block` is the type of the values, `fenced` the attributes that
    all closed fences share.
    """
