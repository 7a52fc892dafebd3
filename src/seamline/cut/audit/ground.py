"""The document as the audit sees it: its blocks by offset, what must be closed, and counts that are asked for twice."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from seamline.cut.audit.roles import LineRoles, blank_spans
from seamline.text.graphemes import is_boundary
from seamline.text.sentences import sentence_starts
from seamline.types import NO_DETAIL, Context, Document

PROSE = frozenset(("paragraph", "item", "quote", "footnote"))
PAIRS = ("fence", "math", "comment")
"""The kinds of what opens and must be closed."""
_OPENING = re.compile(r"`{3,}|~{3,}")
_BAR = re.compile(r"(?<!\\)\|")
_LINE_END = re.compile(r"[\r\n]")


class Seen(NamedTuple):
    """What a chunk says of itself."""

    position: int
    """Its index among the chunks of its document."""
    id: str
    doc: str
    start: int
    end: int
    text: str
    tokens: int
    context: tuple[Context, ...]
    closing: str
    level: int = 0


class MarkPair(NamedTuple):
    """A fenced code block, a formula or a comment: what opens must be closed."""

    kind: str
    """One of `PAIRS`."""
    start: int
    """Of the opening mark."""
    close: int
    """Start of the closing mark; the end where the document has none."""
    end: int
    mark: str


class AuditedTable(NamedTuple):
    """Where a table's header row and its data rows are."""

    header: int
    header_end: int
    rows: int
    end: int


class Ground:
    """The document as the audit sees it: blocks by offset, and counts that are asked for twice."""

    def __init__(self, document: Document, count: Callable[[str], int], limit: int) -> None:
        self.document = document
        self.text = document.text
        self.blocks = document.blocks
        self.count = count
        self.limit = limit
        self._sentences: dict[int, list[int]] = {}
        self._counts: dict[tuple[int, int], int] = {}
        self._smallest: dict[int, int] = {}
        self._cluster = (0, 0)

    def line(self, offset: int) -> str:
        return f"line {self.document.line_of(offset)}"

    def tokens(self, start: int, end: int) -> int:
        """Of a span, remembered."""
        if (start, end) not in self._counts:
            self._counts[start, end] = self.count(self.text[start:end])
        return self._counts[start, end]

    def lead(self, chunk: Seen) -> str:
        """What stands before the body in the chunk's text."""
        return "".join(self.text[c.start : c.end] + c.added for c in chunk.context)

    def borrowed(self, chunk: Seen) -> int:
        """Tokens that context and closing take."""
        return self.count(self.lead(chunk) + chunk.closing)

    def sentences(self, start: int, end: int) -> list[int]:
        """Where the sentences of a run of prose start, remembered."""
        if start not in self._sentences:
            self._sentences[start] = sentence_starts(self.text, start, end)
        return self._sentences[start]

    def cluster(self, at: int) -> tuple[int, int]:
        """The grapheme cluster around an offset; the last one is remembered, as many cuts may fall into one."""
        start, end = self._cluster
        if not start < at < end:
            start = end = at
            while not is_boundary(self.text, start):
                start -= 1
            while not is_boundary(self.text, end):
                end += 1
            self._cluster = start, end
        return self._cluster

    @cached_property
    def starts(self) -> list[int]:
        return [block.start for block in self.blocks]

    def starts_block(self, at: int) -> bool:
        i = bisect_left(self.starts, at)
        return i < len(self.starts) and self.starts[i] == at

    @cached_property
    def segments(self) -> tuple[list[int], list[int]]:
        """Offsets at which the innermost block changes, and the index of that block from there on (-1: none)."""
        offsets, owners = [0], [-1]
        around: list[int] = []  # the blocks that are open
        for index, start in [*enumerate(self.starts), (-1, len(self.text) + 1)]:
            while around and self.blocks[around[-1]].end <= start:
                offsets.append(max(offsets[-1], self.blocks[around.pop()].end))
                owners.append(around[-1] if around else -1)
            if index >= 0:
                offsets.append(max(offsets[-1], start))
                owners.append(index)
                around.append(index)
        return offsets, owners

    def prose_at(self, at: int) -> tuple[int, int]:
        """The run of prose that holds an offset, (0, 0) where that is no prose."""
        offsets, owners = self.segments
        i = bisect_right(offsets, at) - 1
        owner = owners[i]
        if owner < 0 or self.blocks[owner].kind not in PROSE:
            return 0, 0
        if self.blocks[owner].kind == "paragraph":
            return self.blocks[owner].span
        return offsets[i], offsets[i + 1] if i + 1 < len(offsets) else len(self.text)

    @cached_property
    def roles(self) -> LineRoles | None:
        """The roles of the lines of a Markdown document; None for other formats."""
        if self.document.source.media_type not in ("text/markdown", "text/mdx"):
            return None
        front = [block.span for block in self.blocks if block.kind == "front_matter"]
        is_mdx = self.document.source.media_type == "text/mdx"
        return LineRoles(blank_spans(self.text, [*self.document.removed, *front]), is_mdx=is_mdx)

    @cached_property
    def tables(self) -> list[AuditedTable]:
        rows: dict[int, list[int]] = {i: [] for i, block in enumerate(self.blocks) if block.kind == "table"}
        for index, block in enumerate(self.blocks):
            if block.kind == "row" and block.parent in rows and len(rows[block.parent]) < 2:
                rows[block.parent].append(index)
        return [
            AuditedTable(*self.blocks[row[0]].span, self.blocks[row[1]].start, self.blocks[table].end)
            for table, row in rows.items()
            if len(row) == 2 and self._has_header(table, row[0])
        ]

    def smallest_cell(self, table: AuditedTable) -> int:
        """Tokens of the smallest cell of a table's header, remembered; more than any limit where it has none."""
        if table.header not in self._smallest:
            cells = [cell for cell in _BAR.split(self.text[table.header : table.header_end]) if cell.strip()]
            self._smallest[table.header] = self.count(min(cells, key=len)) if cells else self.limit + 1
        return self._smallest[table.header]

    def cell_above(self, table: AuditedTable, at: int) -> int:
        """Tokens of the header cell over an offset in a row."""
        line = max(self.text.rfind("\n", 0, at), self.text.rfind("\r", 0, at)) + 1
        heads = _BAR.split(self.text[table.header : table.header_end].lstrip(" \t>").removeprefix("|"))
        before = self.text[line:at].lstrip(" \t>").removeprefix("|")
        return self.count(heads[min(len(_BAR.findall(before)), len(heads) - 1)])

    def _has_header(self, table: int, first: int) -> bool:
        """Whether a table has a header row, as all of Markdown do."""
        block = self.blocks[table]
        until = (block.detail or NO_DETAIL).header_end
        return until is None or until > self.blocks[first].start

    @cached_property
    def pairs(self) -> dict[str, list[MarkPair]]:
        """Everything that opens and closes, by kind and in order."""
        out: dict[str, list[MarkPair]] = {kind: [] for kind in PAIRS}
        for block in self.blocks:
            pair = None
            if block.kind == "code" and block.detail and block.detail.fenced:
                pair = self._fence(block.start, block.end)
            elif block.kind == "math":
                pair = self._enclosed("math", block.start, block.end, "$$", "$$")
            elif block.kind == "html":
                pair = self._enclosed("comment", block.start, block.end, "<!--", "-->")
            if pair:
                out[pair.kind].append(pair)
        return out

    def _fence(self, start: int, end: int) -> MarkPair | None:
        stop = _LINE_END.search(self.text, start, end)
        line_end = stop.start() if stop else end
        mark = _OPENING.search(self.text, start, line_end)
        if mark is None:
            return None
        close = end
        while close > line_end and self.text[close - 1] == mark[0][0]:
            close -= 1
        last = max(self.text.rfind("\n", line_end, close), self.text.rfind("\r", line_end, close))
        closed = end - close >= len(mark[0]) and last >= 0 and not self.text[last:close].strip(" \t\r\n>")
        return MarkPair("fence", mark.start(), close if closed else end, end, mark[0])

    def _enclosed(self, kind: str, start: int, end: int, mark: str, close: str) -> MarkPair | None:
        while start < end and self.text[start] in " \t\ufeff":
            start += 1
        if not self.text.startswith(mark, start):
            return None
        at = self.text.find(close, start + len(mark), end)
        if kind == "math":
            at = end - len(close)
        return MarkPair(kind, start, at, at + len(close), mark) if at >= 0 else MarkPair(kind, start, end, end, mark)
