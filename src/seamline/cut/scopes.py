"""Paths of chunks in source code: the classes and functions that a chunk is wholly inside of."""

from __future__ import annotations

from dataclasses import replace

from seamline.types import Block, Chunk


def scoped(chunks: list[Chunk]) -> list[Chunk]:
    """Chunks with the names of the scopes around them in their paths; those outside of scopes as they are."""
    at = 0  # blocks are looked at once, as chunks come in their order
    around: list[Block] = []
    for index, chunk in enumerate(chunks):
        blocks = chunk.document.blocks
        first, last = chunk.blocks
        if blocks[first].kind != "scope":
            continue
        at = max(at, first)
        while at < last and blocks[at].start <= chunk.start:
            if blocks[at].kind == "scope":
                around = [one for one in around if one.end > blocks[at].start]
                around.append(blocks[at])
            at += 1
        names = [_name(one) for one in around if one.start <= chunk.start and chunk.end <= one.end]
        if path := [name for name in names if name]:
            chunks[index] = replace(chunk, path=(*chunk.path, *path))
    return chunks


def _name(scope: Block) -> str:
    return str((scope.attrs or {}).get("name", ""))
