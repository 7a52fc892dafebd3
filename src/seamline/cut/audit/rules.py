"""What the audit checks against the document: coverage, spans, and that nothing is torn.

A check is a function from the document's ground, a chunk and the chunk before it to (rule, message) pairs. Blocks are
looked up by bisection, and sentences are found once for each block that a body starts in: linear in all.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from seamline.cut.audit.ground import AuditedTable, Ground, MarkPair, Seen
from seamline.cut.audit.roles import ChangedLine, changed_lines
from seamline.text.graphemes import is_boundary

ALLOWANCE = 8
"""Tokens of the limit that nothing is asked to fill to: a count of parts is that much off the count of the whole."""
TAGS = 16
"""Tokens of the tags around part of a cell of an HTML table: table, row and cell, opened and closed."""
_QUOTED = 40

_PREFIX = r"(?:[ \t>\ufeff]|[-+*][ \t]|\d{1,9}[.)][ \t])*+"
_LINE = r"(?:(?<=[\r\n])|\A)"
_MARKS = {
    "fence": re.compile(rf"{_LINE}{_PREFIX}(?P<mark>`{{3,}}+(?=[^`\r\n]*+(?:[\r\n]|\Z))|~{{3,}}+)(?P<info>[^\r\n]*+)"),
    "math": re.compile(r"(?P<mark>\$\$)(?P<info>)"),
    "comment": re.compile(r"(?P<mark><!--|-->)(?P<info>)"),
}
"""What opens and closes a pair, as it is read in text that is not of the document."""
_BEFORE_MARK = re.compile(_PREFIX)
_BEFORE_TEXT = re.compile(r"[\s>\ufeff]*(?:(?:[-+*]|\d{1,9}[.)])[\s>]*)*(?:\[[ xX]\]\s*)?")
"""What may stand before the first word of a line: quote and list markers, a task's box."""
_MARKUP = re.compile(r"[\s>]*+")
VISIBLE = re.compile(r"\S")

Found = Iterator[tuple[str, str]]


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


def _touched(ground: Ground, kind: str, start: int, end: int) -> Sequence[MarkPair]:
    """Pairs that a span holds some of."""
    pairs = ground.pairs[kind]
    return pairs[bisect_right(pairs, start, key=lambda p: p.end) : bisect_left(pairs, end, key=lambda p: p.start)]


def _events(ground: Ground, pairs: Sequence[MarkPair], start: int, end: int) -> Iterator[tuple[int, bool, MarkPair]]:
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
        if not _header_too_large(ground, table, start):
            yield "headless-table", f"{ground.line(start)}: rows of the table of {ground.line(table.header)} without it"


def _has_header(table: AuditedTable, chunk: Seen) -> bool:
    return any(
        (c.start <= table.header and table.header_end <= c.end)
        or (c.role == "header" and table.header <= c.start < min(c.end, table.header_end) and c.end <= table.rows)
        for c in chunk.context
    )


def _header_too_large(ground: Ground, table: AuditedTable, at: int) -> bool:
    """Whether even its smallest cell would fill half a chunk, or the cell above `at` would; of HTML the row, which is
    not cut, with the tags it needs."""
    most = max(ground.limit // 2 - ALLOWANCE, 1)
    if ground.text.startswith("<", table.header):
        return ground.tokens(table.header, table.header_end) + TAGS > most
    return ground.smallest_cell(table) > most or ground.cell_above(table, at) > most


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
    tokens = ground.tokens(ground.blocks[first].start, heading.end)
    if tokens > ground.limit - ground.limit // 8 - ALLOWANCE // 2:
        return  # headings that fill seven eighths of a chunk fill it
    tokens += ground.borrowed(chunk)
    if after.kind == "heading":
        tokens += ground.tokens(*after.span)
    elif after.kind == "directive":
        tokens += ground.tokens(after.start, _first_content(ground, last + 1))
    if tokens <= ground.limit - ALLOWANCE:
        here = quoted(ground.text[heading.start : heading.end].strip())
        yield "dangling-heading", f"{ground.line(heading.start)}: ends in {here!r}, which is followed by {after.kind}"


def _first_content(ground: Ground, directive: int) -> int:
    """Where the first content of a directive starts, below the opening lines of it and of those it opens with."""
    at = directive
    while at + 2 < len(ground.blocks) and ground.blocks[at].kind == "directive":
        at += 2 if ground.blocks[at + 1].start == ground.blocks[at].start else 1
    return ground.blocks[at].start


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
    """A character on both sides of a cut that would fit into either chunk, beside what that chunk borrows.

    White space around a body is in no chunk, also where marks on it make it part of a character.
    """
    text, at = ground.text, chunk.start
    borrowed = max(ground.borrowed(one) for one in (before, chunk) if one is not None)
    if not is_boundary(text, at):
        start, _ = ground.cluster(at)
        if not (text[start:at].isspace() and ground.starts_block(at)):
            yield from _cut_character(ground, at, "starts", borrowed)
    if before is not None and before.end < at and not is_boundary(text, before.end):
        _, end = ground.cluster(before.end)
        if not text[before.end : end].isspace():
            yield from _cut_character(ground, before.end, "the chunk before it ends", borrowed)


def _cut_character(ground: Ground, at: int, name: str, borrowed: int) -> Found:
    start, end = ground.cluster(at)
    if ground.tokens(start, end) + borrowed <= ground.limit - ALLOWANCE:
        yield "cut-grapheme", f"{ground.line(at)}: {name} inside the character {quoted(ground.text[start:end])!r}"


def changed_role(ground: Ground, chunk: Seen) -> Found:
    """The first line of Markdown that is something else in the chunk. Asked last: it reads every chunk."""
    known = ground.roles
    if known is None:
        return
    lead = len(ground.lead(chunk))
    text = ground.lead(chunk) + ground.text[chunk.start : chunk.end] + chunk.closing
    for line in changed_lines(known, text, lead, chunk.start, chunk.end):
        if not _may_change(ground, chunk, line):
            was, now = line.was.role or "no block", line.now.role or "no block"
            here = quoted(ground.text[line.offset : chunk.end].split("\n", 1)[0].strip())
            yield "changed-role", f"{ground.line(line.offset)}: {was} in the document, {now} here: {here!r}"
            return


def _may_change(ground: Ground, chunk: Seen, line: ChangedLine) -> bool:
    """Whether the line could not keep its role, or only a reader that knows less than the parser sees a change."""
    was, now = line.was, line.now
    if not line.is_whole and not was.fenced:
        return True  # a line that is too large for a chunk, and no code between fences
    is_cut = not chunk.start <= was.start <= was.end <= chunk.end
    if (was.role in ("text", "heading") and is_cut) or (was.role == "text" and now.role == "table"):
        return True  # a paragraph or heading that had to be cut; a table below a line of text
    if ground.document.source.media_type == "text/mdx" and not (was.fenced or was.role in ("table", "heading")):
        return True  # what MDX and CommonMark both know; the rest of MDX is text to this reader
    if _holds_long_fence(ground, chunk):
        return True
    if was.role != "table":
        return False
    i = bisect_right(ground.tables, line.offset, key=lambda t: t.end)
    if i == len(ground.tables) or ground.tables[i].header > line.offset:
        return True  # a table of another reader
    table = ground.tables[i]
    is_header_cut = line.offset < table.rows and not (chunk.start <= table.header and table.rows <= chunk.end)
    return is_header_cut or ground.tokens(table.header, table.rows) > max(ground.limit // 2 - ALLOWANCE, 1)


def _holds_long_fence(ground: Ground, chunk: Seen) -> bool:
    """Whether a chunk has part of a code block whose fence is too large to be repeated."""
    for block in ground.blocks:
        if block.kind == "code" and block.start < chunk.end and chunk.start < block.end:
            line_end = ground.text.find("\n", block.start, block.end)
            if ground.tokens(block.start, line_end if line_end >= 0 else block.end) > ground.limit // 4:
                return True
    return False


CHECKS: Sequence[Callable[[Ground, Seen, Seen | None], Found]] = (
    torn,
    headless_table,
    dangling_heading,
    mid_sentence,
    cut_grapheme,
)
"""The checks of one chunk against its document."""
