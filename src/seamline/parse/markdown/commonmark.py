"""Markdown text -> blocks: CommonMark and GFM structure with exact source spans.

pulldown-cmark (through pyromark) finds the structure; this file turns its events into `Block`s. What CommonMark
does not know (figures, math, directives, tables after a line of text) is found afterwards, in `extensions`.
The kernel `parse_blocks` gives the same blocks, faster; this is what it is held against, and what runs without it.
"""

from __future__ import annotations

import re

import pyromark

from seamline.errors import report_panics
from seamline.parse.markdown.blocks import FENCED, LONGEST_FENCE
from seamline.parse.markdown.extensions import extend, gfm_tables
from seamline.text.lines import line_start
from seamline.types import Block, Detail

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_MATH  # without it, `_` and `*` inside formulas cost inline events
)

_PLAIN = {
    "Paragraph": "paragraph",
    "Item": "item",
    "TableHead": "row",
    "TableRow": "row",
    "HtmlBlock": "html",
}
_WHITE = " \t\r\n\f\v"
_INDENT = " \t\ufeff"
_LINE = re.compile(r"[^\s](?:[^\r\n]*[^\s])?")
_LONE_CR = re.compile(r"\r(?!\n)")
_BY_ANGLES = re.compile(r"(?<=<)[^\x00-\x7f]|[^\x00-\x7f](?=>)")

_Raw = tuple[str, int, int, int, Detail | None]


def parse_blocks(text: str) -> list[Block]:
    """All blocks of a Markdown text, in pre-order."""
    return extend(text, _mark_unclosed(text, commonmark(text)))


def commonmark(text: str) -> list[Block]:
    """The blocks CommonMark and GFM define, and `reference` blocks for link definitions."""
    twin = _ascii_twin(text)
    blocks = _nest(text, _block_starts(twin))
    if any(block.start == block.end for block in blocks):
        blocks = _with_all_rows(text, blocks)
    if "|" in text:
        return gfm_tables(twin, blocks, lambda edited: _nest(text, _block_starts(edited)))
    return blocks


def _with_all_rows(text: str, blocks: list[Block]) -> list[Block]:
    """Tables with the rows that stand in them as a paragraph behind an empty one: CommonMark parsers fill up rows that
    lack cells, and stop to read rows where that would be too many."""
    out: list[Block] = []
    moved: list[int] = []
    for block in blocks:
        moved.append(len(out))
        parent = moved[block.parent] if block.parent >= 0 else -1
        if block.kind == "paragraph" and parent >= 0 and out[parent].kind == "table":
            lines = (line for line in _LINE.finditer(text, block.start, block.end))
            out += [Block("row", line.start(), line.end(), 0, parent) for line in lines]
        elif block.start < block.end:
            out.append(block._replace(parent=parent))
    return out


def _ascii_twin(text: str) -> str:
    """A text of equal length and block structure in which every code point is one byte.

    The parser speaks of bytes. No character outside ASCII has a meaning for blocks, so each can stand as `?`,
    and byte offsets become code point offsets: six times cheaper than converting them one by one. Beside `<` and
    `>` a `?` would mean something, so there it is `@`.
    """
    if "\r" in text:
        text = _LONE_CR.sub("\n", text)  # it knows these, but not as the end of an info string
    if text.isascii():
        return text
    twin = text.encode("ascii", "replace").decode("ascii")
    if "<?" in twin or "?>" in twin:
        twin = _BY_ANGLES.sub("@", text).encode("ascii", "replace").decode("ascii")
    return "\n" + twin[1:] if text[0] == "\ufeff" else twin  # a byte order mark indents nothing


def _block_starts(text: str) -> list[_Raw]:
    """Block starts as (kind, start, end, level, attributes), in document order."""
    raw: list[_Raw] = []
    add = raw.append
    with report_panics("pyromark"):
        events = pyromark.events_with_range(text, options=_OPTIONS, merge_text=True)
    # An event is a name, or a dict with one key; `in` works on both, and a generator is the cheapest filter
    # for the nine in ten events that are text and inline marks.
    for event, place in (pair for pair in events if "Start" in pair[0] or pair[0] == "Rule"):
        if event == "Rule":
            add(("rule", place["start"], place["end"], 0, None))
            continue
        tag = event["Start"]
        if type(tag) is str:
            kind = _PLAIN.get(tag)
            if kind is not None:
                add((kind, place["start"], place["end"], 0, None))
            continue
        ((name, value),) = tag.items()
        if name == "Heading":
            add(("heading", place["start"], place["end"], int(value["level"][1]), None))
        elif name == "CodeBlock":
            add(("code", place["start"], place["end"], 0, FENCED if type(value) is dict else None))
        elif name == "List":
            add(("list", place["start"], place["end"], 0, None if value is None else Detail(first=value)))
        elif name == "Table":
            add(("table", place["start"], place["end"], 0, None))
        elif name == "BlockQuote":
            add(("quote", place["start"], place["end"], 0, None))
        elif name == "FootnoteDefinition":
            add(("footnote", place["start"], place["end"], 0, None))
    return raw


def _nest(text: str, raw: list[_Raw]) -> list[Block]:
    """Whole lines, trimmed ends and parents."""
    blocks: list[Block] = []
    add = blocks.append
    parents: list[int] = []  # indices of the open blocks
    raw_ends: list[int] = []  # and where they end, white space included
    covered = 0  # end of the last top-level block
    for kind, start, raw_end, level, detail in raw:
        while start < raw_end and text[start] in "\r\n":
            start += 1  # tab-indented blocks are reported from the line end before them
        while raw_ends and raw_ends[-1] <= start:
            raw_ends.pop()
            parents.pop()
        end = raw_end
        if raw_ends and raw_ends[-1] == raw_end:
            end = blocks[parents[-1]].end  # shares its parent's trailing white space
        else:
            while end > start and text[end - 1] in _WHITE:
                end -= 1
        if raw_ends:
            parent = parents[-1]
            if kind == "list":
                level = blocks[parent].level + 1
                if text[end - 1] == ">" and text[raw_end - 1] not in "\r\n" and raw_end < len(text):
                    end = _whole_lines(text, end)  # in a quote, lists are reported up to the text of the next line
                while text[start] in _INDENT:
                    start += 1  # or from their tabs
            elif kind == "item":
                level = blocks[parent].level
                while text[start] in _INDENT:
                    start += 1
        else:
            parent = -1
            if start and text[start - 1] in _INDENT:
                start = _block_start(text, start)
            if start - covered > 2 and (reference := _reference(text, covered, start)):
                add(reference)
            covered = end
        parents.append(len(blocks))
        raw_ends.append(raw_end)
        add(Block(kind, start, end, level, parent, detail))
    if len(text) - covered > 2 and (reference := _reference(text, covered, len(text))):
        add(reference)
    return blocks


def _whole_lines(text: str, end: int) -> int:
    """The end of a list without a last line that holds nothing but quote marks."""
    head = line_start(text, end)
    if text[head:end].strip(" \t>"):
        return end
    while text[head - 1] in _WHITE:
        head -= 1
    return head


def _block_start(text: str, start: int) -> int:
    """Back over the indentation of a top-level block."""
    while start > 0 and text[start - 1] in _INDENT:
        start -= 1
    return start


def _reference(text: str, start: int, end: int) -> Block | None:
    """Text that no block claims: link reference definitions, which CommonMark takes out of the flow."""
    gap = text[start:end]
    if gap.isspace():
        return None
    bare = gap.rstrip(_WHITE).lstrip(_WHITE + "\ufeff")
    if not bare:
        return None
    start += gap.index(bare[0])
    return Block("reference", _block_start(text, start), start + len(bare))


_FENCE = re.compile(r"`{3,}|~{3,}")


def _mark_unclosed(text: str, blocks: list[Block]) -> list[Block]:
    """Say so of fences that nothing closes: the last block's, or one that ends with the list or quote around it."""
    last = len(blocks) - 1
    for index, block in enumerate(blocks):
        if block.kind == "code" and block.detail and (index == last or block.parent >= 0):
            fence = _FENCE.match(text, block.start + _indentation(text, block.start))
            if fence and len(fence.group()) <= LONGEST_FENCE and not _is_closed(text, block, fence):
                close = _container_prefix(text, fence.start()) + fence.group()
                blocks[index] = block._replace(detail=block.detail._replace(unclosed=close))
    return blocks


def _is_closed(text: str, block: Block, fence: re.Match[str]) -> bool:
    """Whether the block's last line is a closing fence: the same mark, at least as long, and nothing else."""
    at = block.end
    while at > fence.end() and text[at - 1] == fence.group()[0]:
        at -= 1
    line = max(text.rfind("\n", fence.end(), at), text.rfind("\r", fence.end(), at)) + 1
    return block.end - at >= len(fence.group()) and line > 0 and not text[line:at].strip(" \t>")


def _indentation(text: str, start: int) -> int:
    at = start
    while at < len(text) and text[at] in _INDENT:
        at += 1
    return at - start


def _container_prefix(text: str, fence: int) -> str:
    """What stands before a fence on its line, list markers as spaces."""
    return re.sub(r"[^>\s]", " ", text[line_start(text, fence) : fence])
