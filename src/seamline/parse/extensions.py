"""Block kinds beyond CommonMark: figures, math, directives, admonitions, and tables as GFM has them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import NamedTuple

from seamline.types import Block

_BRACKETS = r"\[[^\[\]\n]*+\]"
_PARENTHESES = r"\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*+\)"
_TARGET = rf"(?:{_PARENTHESES}|{_BRACKETS})"
_IMAGE = rf"!{_BRACKETS}{_TARGET}(?:\{{[^{{}}\n]*+\}})?+"
_IMAGES_ONLY = re.compile(rf"(?:(?:{_IMAGE}|\[{_IMAGE}\]{_TARGET})\s*+)++\Z")
_SPECIAL = frozenset("!$:? [\ufeff")
"""What a paragraph of a special kind, or a fence line in it, can start with."""


def extend(text: str, blocks: list[Block]) -> list[Block]:
    """Blocks with the kinds CommonMark does not know."""
    directives = ":::" in text
    if not directives and _SPECIAL.isdisjoint([text[b.start] for b in blocks if b.kind == "paragraph"]):
        return blocks
    blocks = [_special(text, b) if b.kind == "paragraph" and text[b.start] in _SPECIAL else b for b in blocks]
    if directives:
        blocks = _wrap(blocks, _directives(text, blocks))
    if "!!!" in text or "???" in text:
        blocks = _wrap(blocks, list(_admonitions(text, blocks)))
    return blocks


def _special(text: str, block: Block) -> Block:
    """A paragraph that is nothing but images, or one formula."""
    if text.startswith("$$", block.start):
        one = text.find("$$", block.start + 2, block.end) == block.end - 2
        return block._replace(kind="math") if one else block
    first = block.start
    while text[first] in " \t\ufeff":
        first += 1
    if text.startswith(("![", "[!["), first) and _IMAGES_ONLY.match(text, first, block.end):
        return block._replace(kind="figure")
    return block


def _innermost(blocks: list[Block], at: int) -> int:
    """Index of the smallest block around an offset, -1 where there is none."""
    index = bisect_right(blocks, at, key=itemgetter(1)) - 1
    while index >= 0 and blocks[index].end <= at:
        index = blocks[index].parent
    return index


# --- tables ----------------------------------------------------------------------------------------------------

_CELL = r":?+-++:?+[ \t]*+"
_DELIMITER_ROW = re.compile(rf"\n([ \t>]*+)(\|?+[ \t]*+{_CELL}(?:\|[ \t]*+{_CELL})*+\|?+)[ \t]*+$", re.MULTILINE)
_LIST_MARKER = re.compile(r"[ \t\ufeff]*+(?:[-+*]|\d{1,9}[.)])[ \t]++")
_MARGIN = re.compile(r"[ \t>]*+")
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
    lines = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
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
    tables: set[int] = set()  # start of the delimiter rows that are right
    for match in _DELIMITER_ROW.finditer(text):
        margin, row = match.span(2)
        holder = _innermost(blocks, margin)
        if holder < 0 or text[margin:row].isspace():
            continue
        block = blocks[holder]
        if block.kind == "table":
            if _is_deep(match[1], block) or match[2].startswith(("- ", "-\t")):
                continue
            tables.add(match.start() + 1)
        elif block.kind in ("paragraph", "heading", "item"):
            header = text.rfind("\n", 0, match.start()) + 1
            if "|" not in match[2]:
                if ":" not in match[2] or text.find("|", header, match.start()) < 0:
                    continue
                edits.append(_Edit(margin + match[2].index(":"), "|"))
            if header > block.start and (lead := _lead(text, blocks, holder, header)):
                leads.append(lead)
    edits += _false_tables(text, blocks, tables)
    return sorted(edits), leads


def _is_deep(margin: str, block: Block) -> bool:
    """Indented like code, which the parser overlooks."""
    return block.parent < 0 and len(margin.expandtabs(_DEEP)) >= _DEEP


def _false_tables(text: str, blocks: list[Block], right: set[int]) -> Iterator[_Edit]:
    """Spoil second lines that the parser takes for a delimiter row and GFM does not."""
    for index, block in enumerate(blocks):
        if block.kind == "table":
            row = text.find("\n", blocks[index + 1].end) + 1
            if row not in right:
                content = _MARGIN.match(text, row).end()  # type: ignore[union-attr]  # matches anything
                is_item = text.startswith(("- ", "-\t"), content) and not _is_deep(text[row:content], block)
                yield _Edit(text.index("|", content) if is_item else content, "x")


def _lead(text: str, blocks: list[Block], holder: int, header: int) -> _Lead | None:
    """The line above a header row, where it is text of the same block."""
    block = blocks[holder]
    line = text.rfind("\n", 0, header - 1) + 1
    if block.kind == "item" and block.start >= line:
        marker = _LIST_MARKER.match(text, block.start)
        start = marker.end() if marker else block.start
    elif block.parent < 0:
        start = max(line, block.start)
    else:
        margin = _MARGIN.match(text, max(line, block.start))
        start = margin.end() if margin else line
    if start >= header - 1 or _innermost(blocks, start) != holder:
        return None
    parent = holder if block.kind == "item" else block.parent
    in_header = _MARGIN.match(text, header)
    return _Lead(
        start,
        header - 1,
        in_header.end() if in_header else header,
        block,
        blocks[parent].start if parent >= 0 else -1,
    )


def _apply(text: str, edits: list[_Edit], leads: list[_Lead]) -> str:
    parts, at = [], 0
    hidden = [_Edit(lead.start, "#".ljust(lead.end - lead.start)) for lead in leads]
    for start, new in sorted(edits + hidden):
        parts += [text[at:start], new]
        at = start + len(new)
    return "".join([*parts, text[at:]])


def _is_interrupted(blocks: list[Block], lead: _Lead) -> bool:
    """Whether a table now follows the lead in the same place of the tree: not where only lazy lines make one."""
    row = _innermost(blocks, lead.header)
    if row < 0 or blocks[row].kind != "row":
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

_COLONS = re.compile(r"^( {0,3}+)(:{3,}+)[ \t]*+(\S?[^\r\n]*+)", re.MULTILINE)
_NAME = re.compile(r"[\w-]+")
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?)[ \t]+([\w-]+)")


class _Run(NamedTuple):
    """Sibling blocks, with all that is in them, to be put into a directive: a half-open range of indices."""

    first: int
    stop: int
    name: str


class _Open(NamedTuple):
    """A directive that waits for its closing fence."""

    colons: int
    first: int
    name: str
    fewest: int
    """Least colons of this one and those around it: a shorter fence closes nothing."""


def _directives(text: str, blocks: list[Block]) -> list[_Run]:
    """Top-level blocks between `:::name` and `:::`, those in which the two lines stand included.

    A fence closes the innermost directive with as many colons, else the innermost with fewer; directives opened
    inside that one and not yet closed, like those still open at the end, are none.
    """
    tops = [i for i, b in enumerate(blocks) if b.parent < 0]
    runs: list[tuple[int, int, int, str]] = []
    stack: list[_Open] = []
    depths: dict[int, list[int]] = {}  # for every number of colons, where in the stack it is
    closed_in = -1
    for order, (colons, title, top) in enumerate(_colon_lines(text, blocks, tops)):
        if title:
            name = _NAME.search(title)
            first = top if top > closed_in else top + 1  # a block belongs to the first directive that has it
            fewest = min(colons, stack[-1].fewest) if stack else colons
            depths.setdefault(colons, []).append(len(stack))
            stack.append(_Open(colons, first, name[0] if name else "", fewest))
        elif stack and colons >= stack[-1].fewest:
            depth = depths[colons][-1] if depths.get(colons) else -1
            while len(stack) > max(depth, 0) and (opened := stack.pop()):
                depths[opened.colons].pop()
                if len(stack) == depth or (depth < 0 and opened.colons < colons):
                    break
            closed_in = top
            if opened.first <= top:
                runs.append((opened.first, -top, order, opened.name))
    tops.append(len(blocks))
    return [_Run(tops[first], tops[1 - last], name) for first, last, _, name in sorted(runs)]
