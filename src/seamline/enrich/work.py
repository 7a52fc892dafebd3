"""What facts are made from: the chunks of one document and what is known around them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from seamline.enrich.prose import Prose, Starts
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.types import Block, Chunk, Document, Span

Columns = Mapping[str, Sequence[Any]]
"""Per field of `Facts`, one value for each chunk, in order."""


@dataclass(frozen=True)
class Work:
    """The chunks of one document, of any level, and what their facts may be taken from."""

    document: Document
    chunks: Sequence[Chunk]
    recipe: Recipe
    parts: Parts
    now: datetime | None
    starts: Starts

    @cached_property
    def prose(self) -> Prose:
        """The document's sentences; facts that do not ask for them do not pay for them."""
        return Prose(self.document, self.starts)

    @cached_property
    def levels(self) -> Mapping[int, Sequence[int]]:
        """Per level, the numbers of its chunks, in order."""
        found: dict[int, list[int]] = {}
        for at, chunk in enumerate(self.chunks):
            found.setdefault(chunk.level, []).append(at)
        return found

    def tops(self, span: Span) -> Iterator[tuple[Block, Span]]:
        """The outermost blocks that have a part in a span, each with that part."""
        blocks, tops = self.document.blocks, self.document.tops
        first = max(0, bisect_left(tops, span.start, key=lambda top: blocks[top].start) - 1)
        for at in range(first, len(tops)):
            block = blocks[tops[at]]
            if block.start >= span.end:
                return
            part = Span(max(block.start, span.start), min(block.end, span.end))
            if part.start < part.end:
                yield block, part


Make = Callable[[Work], Columns]
"""Finds one fact of all chunks of a document."""
