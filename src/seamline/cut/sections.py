"""Sections: which headings stand above each part of a document.

The tree of a document's sections: every heading with all that is under it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from seamline.text.headings import heading_text, is_long
from seamline.text.lines import trimmed
from seamline.types import Block, Document, Namer, Span


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
    after = -1  # the place after the last heading
    for position in [place for place, index in enumerate(tops) if blocks[index][0] == "heading"]:
        index = tops[position]
        if position == after:
            level = min(level, blocks[index].level)
        else:
            if position > first:
                out.append(_section(blocks, tops, first, position, level, stack, depth))
            first, level = position, blocks[index].level
        _push(blocks, stack, index)
        after = position + 1
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
    """Pop to the level above, then push. Jumps in level stay as the author wrote them; an H1 clears the stack. A
    paragraph that a line below it turns into a heading is none above others."""
    block = blocks[index]
    if is_long(block):
        return
    level = block.level
    while stack and blocks[stack[-1]].level >= level:
        stack.pop()
    stack.append(index)


@dataclass(frozen=True, slots=True)
class Node:
    """One section."""

    id: str
    """Derives from the document's id and the headings above, so it survives edits elsewhere."""
    title: str
    level: int
    span: Span
    """From its heading to the next heading of the same or a higher level."""
    heading: int
    """Index of its heading in `document.blocks`."""
    parent: str = ""
    """Id of the section around it; empty at the top."""
    children: tuple[str, ...] = field(default=())
    """Ids of the sections directly inside it."""


def outline(document: Document) -> list[Node]:
    """All sections of a document, in order."""
    text = document.text
    headings = [i for i, b in enumerate(document.blocks) if b.parent < 0 and b.kind == "heading"]
    namer = Namer(document.id)
    ids: list[str] = []
    parents: list[int] = []
    ends = [len(text)] * len(headings)
    stack: list[int] = []  # positions in `headings` of the open sections
    titles = [heading_text(text, document.blocks[i]) for i in headings]
    for position, index in enumerate(headings):
        block = document.blocks[index]
        while stack and document.blocks[headings[stack[-1]]].level >= block.level:
            ends[stack.pop()] = block.start
        parents.append(stack[-1] if stack else -1)
        stack.append(position)
        ids.append(namer.name("section\0" + "\0".join(titles[p] for p in stack)))
    children: list[list[str]] = [[] for _ in headings]
    for position, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(ids[position])
    return [
        Node(
            ids[position],
            titles[position],
            document.blocks[index].level,
            Span(document.blocks[index].start, ends[position]),
            index,
            ids[parents[position]] if parents[position] >= 0 else "",
            tuple(children[position]),
        )
        for position, index in enumerate(headings)
    ]


class Parents:
    """Finds the section that a chunk is a part of."""

    def __init__(self, document: Document) -> None:
        self._nodes = outline(document)
        self._starts = [node.span.start for node in self._nodes]
        self._by_id = {node.id: node for node in self._nodes}
        self._ends = {n.id: trimmed(document.text, n.span.start, n.span.end) for n in self._nodes}

    def of(self, start: int, end: int) -> str:
        """The id of the smallest section that holds a body and more; empty where only the document does."""
        position = bisect_right(self._starts, start) - 1
        node = self._nodes[position] if position >= 0 else None
        while node is not None:
            last = self._ends[node.id]
            if last >= end and (node.span.start < start or last > end):
                return node.id
            node = self._by_id.get(node.parent)
        return ""
