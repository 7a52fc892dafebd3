"""Paths of chunks in source code: the classes and functions that a chunk is wholly inside of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seamline.types import Block, Chunk


class ScopePaths:
    """Names of the scopes around chunks, which are asked about in their order: blocks are looked at once."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._at = 0
        self._around: list[Block] = []

    def of(self, start: int, end: int, first: int, last: int) -> tuple[str, ...]:
        """The names around a body that touches the blocks [first, last), outermost first; none outside of scopes."""
        blocks = self._blocks
        if blocks[first].kind != "scope":
            return ()
        at = max(self._at, first)
        while at < last and blocks[at].start <= start:
            if blocks[at].kind == "scope":
                self._around = [one for one in self._around if one.end > blocks[at].start]
                self._around.append(blocks[at])
            at += 1
        self._at = at
        names = [_name(one) for one in self._around if one.start <= start and end <= one.end]
        return tuple([name for name in names if name])


def scoped(chunks: list[Chunk]) -> list[Chunk]:
    """Chunks with the names of the scopes around them in their paths; those outside of scopes as they are."""
    if not chunks:
        return chunks
    paths = ScopePaths(chunks[0].document.blocks)
    for index, chunk in enumerate(chunks):
        if path := paths.of(chunk.start, chunk.end, *chunk.blocks):
            chunks[index] = replace(chunk, path=(*chunk.path, *path))
    return chunks


def _name(scope: Block) -> str:
    return str((scope.attrs or {}).get("name", ""))
