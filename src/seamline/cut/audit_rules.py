"""What the audit checks against the document: coverage, spans, and that nothing is torn.

A check is a function from the document's ground, a chunk and the chunk before it to (rule, message) pairs. Blocks are
looked up by bisection, and sentences are found once for each block that a body starts in: linear in all.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from seamline.cut.graphemes import is_boundary
from seamline.cut.sentences import sentence_starts
from seamline.types import Context, Document

ALLOWANCE = 8
"""Tokens of the limit that nothing is asked to fill to: a count of parts is that much off the count of the whole."""
PROSE = frozenset(("paragraph", "item", "quote", "footnote"))
_QUOTED = 40

_PREFIX = r"(?:[ \t>\ufeff]|[-+*][ \t]|\d{1,9}[.)][ \t])*+"
_LINE = r"(?:(?<=[\r\n])|\A)"
_MARKS = {
    "fence": re.compile(rf"{_LINE}{_PREFIX}(?P<mark>`{{3,}}+(?=[^`\r\n]*+(?:[\r\n]|\Z))|~{{3,}}+)(?P<info>[^\r\n]*+)"),
    "math": re.compile(r"(?P<mark>\$\$)(?P<info>)"),
    "comment": re.compile(r"(?P<mark><!--|-->)(?P<info>)"),
}
"""What opens and closes a pair, as it is read in text that is not of the document."""
_OPENING = re.compile(r"`{3,}|~{3,}")
_BEFORE_MARK = re.compile(_PREFIX)
_BEFORE_TEXT = re.compile(r"[\s>\ufeff]*(?:(?:[-+*]|\d{1,9}[.)])[\s>]*)*(?:\[[ xX]\]\s*)?")
"""What may stand before the first word of a line: quote and list markers, a task's box."""
_MARKUP = re.compile(r"[\s>]*+")
VISIBLE = re.compile(r"\S")
_LINE_END = re.compile(r"[\r\n]")

Found = Iterator[tuple[str, str]]


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


class Pair(NamedTuple):
    """A fenced code block, a formula or a comment: what opens must be closed."""

    kind: str
    """A key of `_MARKS`."""
    start: int
    """Of the opening mark."""
    close: int
    """Start of the closing mark; the end where the document has none."""
    end: int
    mark: str


class Table(NamedTuple):
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
    def tables(self) -> list[Table]:
        rows: dict[int, list[int]] = {i: [] for i, block in enumerate(self.blocks) if block.kind == "table"}
        for index, block in enumerate(self.blocks):
            if block.kind == "row" and block.parent in rows and len(rows[block.parent]) < 2:
                rows[block.parent].append(index)
        return [
            Table(*self.blocks[row[0]].span, self.blocks[row[1]].start, self.blocks[table].end)
            for table, row in rows.items()
            if len(row) == 2
        ]

    @cached_property
    def pairs(self) -> dict[str, list[Pair]]:
        """Everything that opens and closes, by kind and in order."""
        out: dict[str, list[Pair]] = {kind: [] for kind in _MARKS}
        for block in self.blocks:
            pair = None
            if block.kind == "code" and block.attrs:
                pair = self._fence(block.start, block.end)
            elif block.kind == "math":
                pair = self._enclosed("math", block.start, block.end, "$$", "$$")
            elif block.kind == "html":
                pair = self._enclosed("comment", block.start, block.end, "<!--", "-->")
            if pair:
                out[pair.kind].append(pair)
        return out

    def _fence(self, start: int, end: int) -> Pair | None:
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
        return Pair("fence", mark.start(), close if closed else end, end, mark[0])

    def _enclosed(self, kind: str, start: int, end: int, mark: str, close: str) -> Pair | None:
        while start < end and self.text[start] in " \t\ufeff":
            start += 1
        if not self.text.startswith(mark, start):
            return None
        at = self.text.find(close, start + len(mark), end)
        if kind == "math":
            at = end - len(close)
        return Pair(kind, start, at, at + len(close), mark) if at >= 0 else Pair(kind, start, end, end, mark)


def quoted(text: str) -> str:
    """The first characters of a text, for a message."""
    return text if len(text) <= _QUOTED else text[:_QUOTED] + "..."


# --- one chunk -------------------------------------------------------------------------------------------------------


def torn(ground: Ground, chunk: Seen, before: Seen | None) -> Found:
    for kind in _MARKS:
        rule = "torn-fence" if kind == "fence" else "torn-markup"
        if problem := next(_torn(ground, chunk, kind), ""):
            yield rule, problem


def torn_text(text: str) -> Iterator[str]:
    """A fence left open, as far as the text alone can tell."""
    if mark := _read("", "fence", text, ""):
        yield f"the fence {mark} is left open"


def _torn(ground: Ground, chunk: Seen, kind: str) -> Iterator[str]:
    """Follow what is open from the first piece of the text to the last."""
    mark, tail = "", ""
    for start, end, added in [*((c.start, c.end, c.added) for c in chunk.context), (chunk.start, chunk.end, "")]:
        pairs = _touched(ground, kind, start, end)
        inside = pairs[0] if pairs and pairs[0].start < start else None
        if inside and not mark:
            yield f"{ground.line(start)}: starts inside a {kind} that nothing before it opens"
        if mark and not inside and start < end:
            yield f"{ground.line(start)}: the {kind} {mark} opened before it has no place here"
        if inside and mark and mark != inside.mark and kind == "fence":
            for line in _MARKS["fence"].finditer(ground.text, start, min(end, inside.close)):
                if _closes(mark, line):
                    yield f"{ground.line(line.start())}: this line closes the fence {mark} opened before it"
        for at, opens, pair in _events(ground, pairs, start, end):
            if kind == "fence" and at < pair.end and not _starts_line(ground.text, tail, start, at):
                yield f"{ground.line(at)}: the fence does not start its line in the text"
            mark = pair.mark if opens else ""
        tail = _tail(tail, ground.text[start:end])
        mark = _read(mark, kind, added, tail)
        tail = _tail(tail, added)
    if mark := _read(mark, kind, chunk.closing, tail):
        yield f"{ground.line(chunk.end)}: the {kind} {mark} is left open at the end"


def _touched(ground: Ground, kind: str, start: int, end: int) -> Sequence[Pair]:
    """Pairs that a span holds some of."""
    pairs = ground.pairs[kind]
    return pairs[bisect_right(pairs, start, key=lambda p: p.end) : bisect_left(pairs, end, key=lambda p: p.start)]


def _events(ground: Ground, pairs: Sequence[Pair], start: int, end: int) -> Iterator[tuple[int, bool, Pair]]:
    """(offset, whether it opens, pair) for every mark in a span."""
    for pair in pairs:
        if start <= pair.start:
            yield pair.start, True, pair
        if pair.close < pair.end:
            if start <= pair.close < end:
                yield pair.close, False, pair
        elif pair.end <= end and (pair.kind != "fence" or VISIBLE.search(ground.text, pair.end, end)):
            yield pair.end, False, pair  # the list, quote or document around it ends, and so does it


def _read(mark: str, kind: str, text: str, tail: str) -> str:
    """What is open after a text that is not of the document; `tail` is the line it goes on."""
    if not text:
        return mark
    for found in _MARKS[kind].finditer(text):
        if found.start() == 0 and kind == "fence" and not _BEFORE_MARK.fullmatch(tail):
            continue
        if not mark and found["mark"] != "-->":
            mark = found["mark"]
        elif mark and _closes(mark, found):
            mark = ""
    return mark


def _closes(mark: str, found: re.Match[str]) -> bool:
    if mark[0] in "`~":
        return found["mark"].startswith(mark) and not found["info"].strip()
    return found["mark"] == ("-->" if mark == "<!--" else mark)


def _tail(tail: str, text: str) -> str:
    """The unfinished last line of what has been read so far."""
    at = max(text.rfind("\n"), text.rfind("\r")) + 1
    return text[at:] if at else tail + text


def _starts_line(text: str, tail: str, start: int, at: int) -> bool:
    """Whether only markers stand before the mark at `at` in a text that goes on `tail` at `start`."""
    line = max(text.rfind("\n", start, at), text.rfind("\r", start, at)) + 1
    before = text[line:at] if line else tail + text[start:at]
    return _BEFORE_MARK.fullmatch(before) is not None


def headless_table(ground: Ground, chunk: Seen, before: Seen | None) -> Found:
    for start, end in [(chunk.start, chunk.end), *(c.span for c in chunk.context if c.role == "overlap")]:
        i = bisect_right(ground.tables, start, key=lambda t: t.end)
        if i == len(ground.tables):
            continue
        table = ground.tables[i]
        if not table.header < start or end <= table.rows or _has_header(table, chunk):
            continue
        if not _header_too_large(ground, table):
            yield "headless-table", f"{ground.line(start)}: rows of the table of {ground.line(table.header)} without it"


def _has_header(table: Table, chunk: Seen) -> bool:
    return any(
        (c.start <= table.header and table.header_end <= c.end)
        or (c.role == "header" and table.header <= c.start < min(c.end, table.header_end) and c.end <= table.rows)
        for c in chunk.context
    )


def _header_too_large(ground: Ground, table: Table) -> bool:
    """Whether even its smallest cell would fill half a chunk."""
    cells = [cell for cell in re.split(r"(?<!\\)\|", ground.text[table.header : table.header_end]) if cell.strip()]
    return not cells or ground.count(min(cells, key=len)) > max(ground.limit // 2 - ALLOWANCE, 1)


def dangling_heading(ground: Ground, chunk: Seen, before: Seen | None) -> Found:
    last = bisect_left(ground.starts, chunk.end) - 1
    if last < 0 or ground.blocks[last].kind != "heading" or last + 1 >= len(ground.blocks):
        return
    heading, after = ground.blocks[last], ground.blocks[last + 1]
    if after.parent != heading.parent or (after.kind == "heading" and after.level <= heading.level):
        return
    first = last
    while first and ground.blocks[first - 1].kind == "heading" and ground.blocks[first - 1].start >= chunk.start:
        first -= 1
    tokens = ground.tokens(ground.blocks[first].start, heading.end) + ground.borrowed(chunk)
    if after.kind == "heading":
        tokens += ground.tokens(*after.span)
    if tokens <= ground.limit - ALLOWANCE:
        here = quoted(ground.text[heading.start : heading.end].strip())
        yield "dangling-heading", f"{ground.line(heading.start)}: ends in {here!r}, which is followed by {after.kind}"


def mid_sentence(ground: Ground, chunk: Seen, before: Seen | None) -> Found:
    skipped = _MARKUP.match(ground.text, chunk.start, chunk.end)
    at = skipped.end() if skipped else chunk.start
    start, end = ground.prose_at(at)
    if not start < chunk.start < end:
        return
    starts = ground.sentences(start, end)
    i = bisect_right(starts, at) - 1
    begin, stop = starts[i], starts[i + 1] if i + 1 < len(starts) else end
    if begin >= chunk.start or (chunk.start - begin < 1000 and _BEFORE_TEXT.fullmatch(ground.text, begin, chunk.start)):
        return
    tokens = ground.tokens(begin, stop)
    if tokens + ground.borrowed(chunk) > ground.limit - ALLOWANCE or _held_by_heading(ground, before, begin, tokens):
        return
    around = quoted(ground.text[max(begin, chunk.start - 20) : chunk.start]), quoted(ground.text[chunk.start : stop])
    yield "mid-sentence", f"{ground.line(chunk.start)}: starts inside a sentence: {around[0]!r} | {around[1]!r}"


def _held_by_heading(ground: Ground, before: Seen | None, begin: int, tokens: int) -> bool:
    """Whether the sentence had to start under a heading, and does not fit there."""
    if before is None or not before.start <= begin < before.end:
        return False
    i = bisect_left(ground.starts, before.start)
    while i < len(ground.blocks) and ground.blocks[i].kind == "heading":
        i += 1
    if i < len(ground.blocks) and ground.blocks[i].end <= begin:
        return False  # something else stands before the sentence
    room = ground.limit - ALLOWANCE - ground.borrowed(before)
    return begin - before.start > 16 * ground.limit or ground.tokens(before.start, begin) + tokens > room


def cut_grapheme(ground: Ground, chunk: Seen, before: Seen | None) -> Found:
    for name, at in (("starts", chunk.start), ("ends", chunk.end)):
        if is_boundary(ground.text, at):
            continue
        start, end = ground.cluster(at)
        if ground.tokens(start, end) + ground.borrowed(chunk) <= ground.limit - ALLOWANCE:
            whole = quoted(ground.text[start:end])
            yield "cut-grapheme", f"{ground.line(at)}: {name} inside the character {whole!r}"


CHECKS: Sequence[Callable[[Ground, Seen, Seen | None], Found]] = (
    torn,
    headless_table,
    dangling_heading,
    mid_sentence,
    cut_grapheme,
)
"""The checks of one chunk against its document."""
