"""What parsers of line-based markup share: the lines of a source, and the blocks that lines open and close."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from seamline.types import Block, Detail

_LINE = re.compile(r"([ \t\f\v]*)([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_TAB = 8


class SourceLines:
    """Lines by number from 0. A blank one has the indent -1."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.start: list[int] = []
        self.at: list[int] = []
        """Where the text of the line starts."""
        self.end: list[int] = []
        """Where it ends, without white space."""
        self.indent: list[int] = []
        """Columns before it; a tab fills up to a multiple of eight."""
        first = 1 if text.startswith("\ufeff") else 0
        for line in _LINE.finditer(text, first):
            margin, body = line[1], line[2].rstrip()
            start = line.start()
            at = start + len(margin)
            self.start.append(start)
            self.at.append(at)
            self.end.append(at + len(body))
            self.indent.append(column_width(margin) if body else -1)

    def __len__(self) -> int:
        return len(self.start)

    def body(self, number: int) -> str:
        """The text of a line, without white space around it."""
        return self.text[self.at[number] : self.end[number]]

    def is_blank(self, number: int) -> bool:
        """Whether a line holds no text; so do those after the last."""
        return number >= len(self.start) or self.indent[number] < 0

    def after_blank(self, number: int) -> int:
        """The number of the first line from `number` on that holds text."""
        while number < len(self.start) and self.indent[number] < 0:
            number += 1
        return number

    def after_indented(self, number: int, column: int) -> int:
        """The number of the first line from `number` on that is neither blank nor indented beyond a column."""
        while number < len(self.start) and (self.indent[number] < 0 or self.indent[number] > column):
            number += 1
        return number

    def last_text(self, first: int, after: int) -> int:
        """The last line of a range that is not blank; the one before the range where all are."""
        after -= 1
        while after >= first and self.indent[after] < 0:
            after -= 1
        return after

    def rows_of_values(self, first: int, after: int) -> list[tuple[int, int]]:
        """First and last line of rows of comma-separated values; an open quote goes on in the next line."""
        rows: list[tuple[int, int]] = []
        is_open = False
        for number in range(first, after):
            if self.indent[number] < 0:
                continue
            if is_open:
                rows[-1] = rows[-1][0], number
            else:
                rows.append((number, number))
            is_open ^= self.body(number).count('"') % 2 == 1
        return rows


def column_width(text: str) -> int:
    """Columns of a text that starts in the first."""
    if "\t" not in text:
        return len(text)
    columns = 0
    for one in text:
        columns = columns + _TAB - columns % _TAB if one == "\t" else columns + 1
    return columns


@dataclass(slots=True)
class LineBlocks:
    """The blocks of a source as its lines are read. Those that are open are a stack; each ends where the last block in
    it does."""

    blocks: list[Block] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    """Indices of the blocks around the next one, outermost first."""
    end: int = 0
    """Where the last block ends so far."""

    def add(self, kind: str, start: int, end: int, level: int = 0, detail: Detail | None = None) -> int:
        """A block that holds no others; its index."""
        self.blocks.append(Block(kind, start, end, level, self.open[-1] if self.open else -1, detail))
        self.end = end
        return len(self.blocks) - 1

    def enter(self, kind: str, start: int, end: int, level: int = 0, detail: Detail | None = None) -> None:
        """A block around those that follow, which holds at least what is before `end`."""
        self.open.append(self.add(kind, start, end, level, detail))

    def leave(self) -> None:
        index = self.open.pop()
        block = self.blocks[index]
        self.blocks[index] = block._replace(end=max(block.end, self.end))


@dataclass(slots=True)
class OpenBlock:
    """A container or a list that lines may still belong to."""

    kind: Literal["root", "block", "list", "item"]
    limit: int
    """The line that ends it."""
    mark: str = ""
    """Of a list, what its items start with."""
    column: int = 0
    """Of a list and its items, the margin."""
    is_closed: bool = False
    """Of a block, whether the line that ends it is its own close."""


class BlockScan:
    """Reads the blocks of a source from its lines: what is open around a line, each a block of `out` but the root."""

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.lines = SourceLines(text)
        self.depth = depth
        """Frames that may be open at once."""
        self.out = LineBlocks()
        self.frames = [OpenBlock("root", len(self.lines))]
        self.limit = len(self.lines)
        """The line that ends the innermost container."""
        self.blanks = 0
        """Blank lines right before this one."""

    def leaf(self, kind: str, first: int, after: int, detail: Detail | None = None) -> int:
        """Whole lines as one block; the number of the line after them."""
        last = max(first, self.lines.last_text(first, after))
        self.out.add(kind, self.lines.start[first], self.lines.end[last], 0, detail)
        return after

    def leave(self) -> None:
        """Close the innermost list, item or container."""
        self.frames.pop()
        self.out.leave()

    def leave_lists(self) -> None:
        """Close all lists down to the innermost container."""
        while self.frames[-1].kind in ("item", "list"):
            self.leave()

    def leave_all(self) -> None:
        """Close what the source leaves open."""
        while len(self.frames) > 1:
            self.leave()

    def end_container(self, number: int) -> int:
        """Close what ends with a line; the line after it where that is its own close."""
        self.leave_lists()
        is_own = self.frames[-1].is_closed
        if is_own:
            self.out.end = self.lines.end[number]
        self.leave()
        self.limit = next(one.limit for one in reversed(self.frames) if one.kind in ("root", "block"))
        self.blanks = 0
        return number + 1 if is_own else number
