"""Block kinds beyond CommonMark: figures, math, directives, admonitions, and tables as GFM has them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import NamedTuple

from seamline.types import Block, Detail

_BRACKETS = r"\[[^\[\]\n]*+\]"
_PARENTHESES = r"\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*+\)"
_TARGET = rf"(?:{_PARENTHESES}|{_BRACKETS})"
_IMAGE = rf"!{_BRACKETS}{_TARGET}(?:\{{[^{{}}\n]*+\}})?+"
_IMAGES_ONLY = re.compile(rf"(?:(?:{_IMAGE}|\[{_IMAGE}\]{_TARGET})\s*+)++\Z")
_SPECIAL = "!$[ \t\ufeff"
"""What a paragraph of a special kind can start with."""


def extend(text: str, blocks: list[Block]) -> list[Block]:
    """Blocks with the kinds CommonMark does not know."""
    firsts = {text[b.start] for b in blocks if b.kind == "paragraph"}  # most documents are sorted out by these
    if not firsts.isdisjoint(_SPECIAL) and ("![" in text or "$$" in text):
        blocks = [_special(text, b) if b.kind == "paragraph" and text[b.start] in _SPECIAL else b for b in blocks]
    if ":::" in text:
        blocks = _wrap(blocks, _directives(text, blocks))
    if not firsts.isdisjoint("!?"):
        blocks = _wrap(blocks, list(_admonitions(text, blocks)))
    return blocks


def _special(text: str, block: Block) -> Block:
    """A paragraph that is nothing but images, or one formula."""
    if text.startswith("$$", block.start):
        one = text.find("$$", block.start + 2, block.end) == block.end - 2
        return block._replace(kind="math") if one else block
    first = block.start
    while first < block.end and text[first] in " \t\ufeff":
        first += 1
    if text.startswith(("![", "[!["), first) and _IMAGES_ONLY.match(text, first, block.end):
        return block._replace(kind="figure")
    return block


def _latest(blocks: list[Block], at: int) -> int:
    """Index of the last block that starts at an offset or before it."""
    return bisect_right(blocks, at, key=itemgetter(1)) - 1


def _innermost(blocks: list[Block], at: int) -> int:
    """Index of the smallest block around an offset, -1 where there is none."""
    index = _latest(blocks, at)
    while index >= 0 and blocks[index].end <= at:
        index = blocks[index].parent
    return index


# --- tables ----------------------------------------------------------------------------------------------------

_CELL = r":?+-++:?+[ \t]*+"
_DELIMITER_ROW = re.compile(rf"\n([ \t>]*+)(\|?+[ \t]*+{_CELL}(?:\|[ \t]*+{_CELL})*+\|?+[ \t]*+)$", re.MULTILINE)
_LIST_MARKER = re.compile(r"[ \t\ufeff]*+(?:[-+*]|\d{1,9}[.)])[ \t]++")
_MARGIN = re.compile(r"[ \t>]*+")
_PIPE = re.compile(r"(?<!\\)\|")
_BULLET = ("- ", "-\t")
_DEEP = 4  # columns of indentation that make code of a line


class _Edit(NamedTuple):
    """Text of equal length to put in a place, so that the parser sees a table, or none."""

    start: int
    new: str


class _Lead(NamedTuple):
    """A paragraph's last line before a table's header row, on which the parser should end the paragraph."""

    start: int
    end: int
    header: int
    """Offset in the header row."""
    text: Block
    """What holds both: a paragraph, a setext heading, or a list item without paragraphs."""
    parent: int
    """Start of the block that is to hold the table, -1 at the top."""


def gfm_tables(text: str, blocks: list[Block], parse: Callable[[str], list[Block]]) -> list[Block]:
    """Tables where GFM has them: the parser knows none after a line of text, and some that are not.

    Where it errs, it is shown the text with a few characters changed, lengths kept: an empty heading for the line
    above a header row ends the paragraph there, and everything else about the table follows by its own rules.
    """
    lines = text.replace("\r\n", " \n") if "\r" in text else text
    edits, leads = _table_edits(lines, blocks)
    if not edits and not leads:
        return blocks
    found = parse(_apply(lines, edits, leads))
    good = [lead for lead in leads if _is_interrupted(found, lead)]
    if len(good) < len(leads):
        found = parse(_apply(lines, edits, good))
    return _without_leads(found, good)


def _table_edits(text: str, blocks: list[Block]) -> tuple[list[_Edit], list[_Lead]]:
    edits: list[_Edit] = []
    leads: list[_Lead] = []
    taken: set[int] = set()  # runs of text that have their table: what follows in them are rows
    right: set[int] = set()  # offsets of the tables' delimiter rows
    for match in _DELIMITER_ROW.finditer(text):
        at = match.start(2)
        holder = _innermost(blocks, at)
        kind = blocks[holder].kind if holder >= 0 else ""
        if kind == "table" and not _is_deep(match[1], blocks[holder]) and not match[2].startswith(_BULLET):
            right.add(match.start() + 1)
        elif kind in ("paragraph", "heading", "item"):
            header = text.rfind("\n", 0, match.start()) + 1
            run = _latest(blocks, at)
            if run in taken or blocks[holder].start > match.start():  # a block that starts here has no header row
                continue
            if _columns(text[header : match.start()]) != _columns(match[2]):
                continue
            row = match[2].replace("\t", " ")
            if "|" not in row:
                if ":" not in row or text.find("|", header, match.start()) < 0:
                    continue
                row = row.replace(":", "|", 1)
            if row != match[2]:
                edits.append(_Edit(at, row))
            taken.add(run)
            if header > blocks[holder].start and (lead := _lead(text, blocks, holder, header)):
                leads.append(lead)
    edits += _false_tables(text, blocks, right)
    return edits, leads


def _columns(row: str) -> int:
    return len(_PIPE.findall(row.strip(" \t>").strip("|")))


def _is_deep(margin: str, block: Block) -> bool:
    """Indented like code, which the parser overlooks."""
    return block.parent < 0 and len(margin.expandtabs(_DEEP)) >= _DEEP


def _false_tables(text: str, blocks: list[Block], right: set[int]) -> Iterator[_Edit]:
    """Spoil second lines that the parser takes for a delimiter row and GFM does not."""
    for index, block in enumerate(blocks):
        if block.kind == "table":
            row = text.find("\n", blocks[index + 1].end) + 1
            if row not in right:
                content = _end(_MARGIN, text, row)
                is_item = text.startswith(_BULLET, content) and not _is_deep(text[row:content], block)
                yield _Edit(text.index("|", content) if is_item else content, "x")


def _lead(text: str, blocks: list[Block], holder: int, header: int) -> _Lead | None:
    """The line above a header row, where it is text of the same block."""
    block = blocks[holder]
    start = max(text.rfind("\n", 0, header - 1) + 1, block.start)
    if block.kind == "item" and start == block.start:
        start = _end(_LIST_MARKER, text, start)
    elif block.parent >= 0:
        start = _end(_MARGIN, text, start)
    if start >= header - 1 or _innermost(blocks, start) != holder:
        return None
    parent = holder if block.kind == "item" else block.parent
    return _Lead(
        start,
        header - 1,
        _end(_MARGIN, text, header),
        block,
        blocks[parent].start if parent >= 0 else -1,
    )


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a match ends; `at` where there is none."""
    found = pattern.match(text, at)
    return found.end() if found else at


def _apply(text: str, edits: list[_Edit], leads: list[_Lead]) -> str:
    parts, at = [], 0
    hidden = [_Edit(lead.start, "#".ljust(lead.end - lead.start)) for lead in leads]
    for start, new in sorted(edits + hidden):
        parts += [text[at:start], new]
        at = start + len(new)
    return "".join([*parts, text[at:]])


def _is_interrupted(blocks: list[Block], lead: _Lead) -> bool:
    """Whether a table now follows the lead in the same place of the tree: not where only lazy lines make one."""
    row, line = _innermost(blocks, lead.header), _innermost(blocks, lead.start)
    if row < 0 or blocks[row].kind != "row" or blocks[line].kind != "heading":
        return False
    table = blocks[blocks[row].parent]
    parent = blocks[table.parent].start if table.parent >= 0 else -1
    return parent == lead.parent and row == blocks[row].parent + 1


def _without_leads(blocks: list[Block], leads: list[_Lead]) -> list[Block]:
    """The headings that stood for the last lines of paragraphs become text again."""
    gone: set[int] = set()
    blocks = blocks.copy()
    for lead in leads:
        index = _innermost(blocks, lead.start)
        heading = blocks[index]
        if lead.text.kind == "item":
            gone.add(index)
        elif index and blocks[index - 1].kind == "paragraph" and blocks[index - 1].start == lead.text.start:
            blocks[index - 1] = blocks[index - 1]._replace(end=heading.end)
            gone.add(index)
        else:
            blocks[index] = heading._replace(kind="paragraph", level=0)
    return _without(blocks, gone)


def _without(blocks: list[Block], gone: set[int]) -> list[Block]:
    """The list less blocks that hold no others."""
    if not gone:
        return blocks
    out: list[Block] = []
    moved: list[int] = []
    for index, block in enumerate(blocks):
        moved.append(len(out))
        if index not in gone:
            out.append(block._replace(parent=moved[block.parent]) if block.parent >= 0 else block)
    return out


# --- ::: directives and !!! admonitions ------------------------------------------------------------------------

_COLONS = re.compile(r"(:::+)[ \t]*+([^\r\n]*+)")
_NAME = re.compile(r"[\w-]+")
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?)[ \t]+([\w-]+)")


class _Run(NamedTuple):
    """Sibling blocks, with all that is in them, to be put into a directive."""

    first: int
    last: int
    stop: int
    """One past the last block inside the last one."""
    name: str


class _Open(NamedTuple):
    """A directive that waits for its closing fence."""

    colons: int
    first: int
    """The top-level block that holds the fence."""
    order: int
    name: str
    fewest: int
    """Least colons of this one and those around it: a shorter fence closes nothing."""


def _directives(text: str, blocks: list[Block]) -> list[_Run]:
    """Top-level blocks from `:::name` to `:::`, those in which the two lines stand included."""
    tops = [i for i, b in enumerate(blocks) if b.parent < 0]
    found: list[tuple[int, int, int, str]] = []
    stack = _Stack()
    closed_in = -1
    for colons, title, top in _colon_lines(text, blocks, tops):
        if title:
            first = top if top > closed_in else top + 1  # a block belongs to the first directive that has it
            name = _NAME.search(title)
            stack.open(colons, first, name[0] if name else "")
        elif (opened := stack.close(colons)) and opened.first <= top:
            closed_in = top
            found.append((opened.first, -top, opened.order, opened.name))
    tops.append(len(blocks))
    return [_Run(tops[first], tops[-last], tops[1 - last], name) for first, last, _, name in sorted(found)]


class _Stack:
    """The open directives. What a fence closes is found without a search, so that hostile text costs no more."""

    def __init__(self) -> None:
        self.opened: list[_Open] = []
        self.depths: dict[int, list[int]] = {}  # of those with so many colons
        self.count = 0

    def open(self, colons: int, first: int, name: str) -> None:
        self.depths.setdefault(colons, []).append(len(self.opened))
        fewest = min(colons, self.opened[-1].fewest) if self.opened else colons
        self.opened.append(_Open(colons, first, self.count, name, fewest))
        self.count += 1

    def close(self, colons: int) -> _Open | None:
        """Take out the innermost directive with as many colons, else with fewer, and drop those inside it."""
        if not self.opened or colons < self.opened[-1].fewest:
            return None
        same = self.depths.get(colons)
        depth = same[-1] if same else len(self.opened) - 1
        while self.opened[depth].colons > colons:
            depth -= 1
        closed = self.opened[depth]
        for dropped in self.opened[depth:]:
            self.depths[dropped.colons].pop()
        del self.opened[depth:]
        return closed


def _colon_lines(text: str, blocks: list[Block], tops: list[int]) -> Iterator[tuple[int, str, int]]:
    """Fence lines at the top level, as (colons, what follows them, position of their block in `tops`).

    Lines in code, HTML and list items do not count; one right below a list or table, which Markdown takes into
    it, does.
    """
    for match in _COLONS.finditer(text):
        line = match.start()
        while line and text[line - 1] == " ":
            line -= 1
        indent = match.start() - line
        if indent >= _DEEP or (line and text[line - 1] not in "\r\n\ufeff"):
            continue
        holder = _innermost(blocks, match.start())
        if holder < 0 or blocks[holder].kind in ("code", "html", "reference"):
            continue
        top = bisect_right(tops, holder) - 1
        if indent < 2 or blocks[tops[top]].kind != "list":
            yield len(match[1]), match[2], top


def _admonitions(text: str, blocks: list[Block]) -> Iterator[_Run]:
    """`!!! note` and the indented text under it, which CommonMark reads as a paragraph and indented code."""
    for first, block in enumerate(blocks):
        if block.kind != "paragraph" or (block.parent >= 0 and blocks[block.parent].kind != "directive"):
            continue
        match = _ADMONITION.match(text, block.start, block.end)
        if match:
            stop = first + 1
            while stop < len(blocks) and _is_indented_code(blocks[stop]) and blocks[stop].parent == block.parent:
                stop += 1
            yield _Run(first, stop - 1, stop, match[1])


def _is_indented_code(block: Block) -> bool:
    return block.kind == "code" and not block.detail


def _wrap(blocks: list[Block], runs: list[_Run]) -> list[Block]:
    """Put each run of siblings under a new directive block. Runs come in order, outer before inner."""
    if not runs:
        return blocks
    out: list[Block] = []
    moved: list[int] = []
    around: list[tuple[int, int, int]] = []  # containers: where they stop, the old parent, the new one
    pending = runs[::-1]
    for index, block in enumerate(blocks):
        while around and index >= around[-1][0]:
            around.pop()
        parent = moved[block.parent] if block.parent >= 0 else -1
        if around and block.parent == around[-1][1]:
            parent = around[-1][2]
        while pending and pending[-1].first == index:
            run = pending.pop()
            around.append((run.stop, block.parent, len(out)))
            out.append(Block("directive", block.start, blocks[run.last].end, 0, parent, Detail(name=run.name)))
            parent = len(out) - 1
        moved.append(len(out))
        out.append(block if parent == block.parent else Block(*block[:4], parent, block.detail))
    return out
