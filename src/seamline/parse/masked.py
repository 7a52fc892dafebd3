"""Blocks that the Markdown parser does not see, front matter and JSX, and their places among those it does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from seamline.types import Block

_FENCE = re.compile(r"^[ \t]*(`{3,}(?=[^`\r\n]*$)|~{3,})", re.MULTILINE)
_CONTAINERS = frozenset(("list", "item", "quote", "footnote", "directive"))
_LINE_END = re.compile(r"[\r\n]|\Z")


class MaskedBlock(NamedTuple):
    """A range that was blanked; it starts at its line's start where only white space stands before it."""

    kind: Literal["esm", "jsx"]
    start: int
    end: int


def front_block(text: str, start: int, end: int) -> Block:
    """Front matter that stays in the text."""
    return Block("front_matter", start, start + len(text[start:end].rstrip()))


def jsx_blocks(text: str, masked: Iterable[MaskedBlock]) -> list[Block]:
    """Masked blocks, each followed by the code fences inside it: a component is split around those, not through."""
    out: list[Block] = []
    for kind, start, end in masked:
        parent = len(out)
        out.append(Block(kind, start, end))
        if kind == "jsx":
            out.extend(Block("code", a, b, 0, parent, {"fenced": True}) for a, b in _fences(text, start, end))
    return out


def _fences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans from an opening fence to its closing line."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text, start, end):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not _rest(text, fence.end(), end).strip():
            yield opened.start(1), fence.end()
            opened = None


def _rest(text: str, at: int, end: int) -> str:
    stop = _LINE_END.search(text, at, end)
    return text[at : stop.start() if stop else end]


def interleave(blocks: list[Block], masked: list[Block]) -> list[Block]:
    """Masked blocks, with their children, at their places: top-level ones, and those inside a list or directive."""
    if not masked:
        return blocks
    out: list[Block] = []
    moved = [0] * len(blocks)
    waiting = _families(masked)
    family = next(waiting, None)
    for index, block in enumerate(blocks):
        while family is not None and family[0].start < block.start:
            _adopt(out, family)
            family = next(waiting, None)
        moved[index] = len(out)
        out.append(block._replace(parent=moved[block.parent]) if block.parent >= 0 else block)
    while family is not None:
        _adopt(out, family)
        family = next(waiting, None)
    return out


def _families(masked: list[Block]) -> Iterator[list[Block]]:
    """Each top-level masked block with its children."""
    family: list[Block] = []
    for block in masked:
        if block.parent < 0 and family:
            yield family
            family = []
        family.append(block)
    if family:
        yield family


def _adopt(out: list[Block], family: list[Block]) -> None:
    """Append a family under the innermost container around it; one inside anything else is part of that's text."""
    first = family[0]
    around = len(out) - 1
    while around >= 0 and out[around].end < first.end:
        around = out[around].parent
    if around >= 0 and out[around].kind not in _CONTAINERS:
        return
    home = len(out)
    out.append(first._replace(parent=around))
    out.extend(block._replace(parent=home) for block in family[1:])
