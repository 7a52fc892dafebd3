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
                out.append(Section(first, position, level, _path(blocks, stack, depth)))
            first, level = position, block.level
        _push(blocks, stack, index)
        after_heading = True
    if first < len(tops):
        out.append(Section(first, len(tops), level, _path(blocks, stack, depth)))
    return out


def _path(blocks: Sequence[Block], stack: Sequence[int], depth: int) -> tuple[int, ...]:
    if depth >= 6:
        return tuple(stack)
    return tuple(index for index in stack if blocks[index].level <= depth)


def _push(blocks: Sequence[Block], stack: list[int], index: int) -> None:
    """Pop to the level above, then push. Jumps in level stay as the author wrote them; an H1 clears the stack."""
    level = blocks[index].level
    while stack and blocks[stack[-1]].level >= level:
        stack.pop()
    stack.append(index)
