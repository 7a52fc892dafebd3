"""The tree of a document's sections: every heading with all that is under it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from seamline.cut.lines import trimmed
from seamline.headings import heading_text
from seamline.identity import Namer
from seamline.types import Document, Span


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
