"""Sections: which headings stand above each part of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seamline.types import Block


class Section(NamedTuple):
    """Headings that follow each other directly, and the top-level blocks up to the next heading."""

    first: int
    """Position of its first block among the top-level blocks."""
    last: int
    """One past the position of its last block."""
    level: int
    """The highest level (smallest number) of its headings; 0 for text before any heading."""
    path: tuple[int, ...]
    """Block indices of the headings above its content, its own included, outermost first."""
    above: int
    """How many of them stand before the section."""


def find_sections(blocks: Sequence[Block], tops: Sequence[int], depth: int) -> list[Section]:
    """The sections of a document; paths keep headings up to level `depth`."""
    out: list[Section] = []
    stack: list[int] = []
    first, level = 0, 0
    after_heading = False
    for position, index in enumerate(tops):
        block = blocks[index]
        if block.kind != "heading":
            after_heading = False
            continue
        if after_heading:
            level = min(level, block.level)
        else:
            if position > first:
                out.append(_section(blocks, tops, first, position, level, stack, depth))
            first, level = position, block.level
        _push(blocks, stack, index)
        after_heading = True
    if first < len(tops):
        out.append(_section(blocks, tops, first, len(tops), level, stack, depth))
    return out


def _section(
    blocks: Sequence[Block], tops: Sequence[int], first: int, last: int, level: int, stack: Sequence[int], depth: int
) -> Section:
    path = tuple(stack) if depth >= 6 else tuple([i for i in stack if blocks[i].level <= depth])
    above = len(path)
    while above and path[above - 1] >= tops[first]:
        above -= 1
    return Section(first, last, level, path, above)


def _push(blocks: Sequence[Block], stack: list[int], index: int) -> None:
    """Pop to the level above, then push. Jumps in level stay as the author wrote them; an H1 clears the stack."""
    level = blocks[index].level
    while stack and blocks[stack[-1]].level >= level:
        stack.pop()
    stack.append(index)
