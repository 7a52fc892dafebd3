"""Block kinds beyond CommonMark: figures, math, directives, admonitions, and tables that follow a line of text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from seamline.types import Block

_DELIMITER_ROW = re.compile(r"^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$", re.MULTILINE)
_IMAGE_ONLY = re.compile(r"!\[[^\]\n]*\]\([^()\n]*\)[ \t]*(?:\{[^}\n]*\})?\Z")
_DIRECTIVE = re.compile(r"(:{3,})[ \t]*([\w-]*)")
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?)[ \t]+[\w-]+")


def extend(text: str, blocks: list[Block]) -> list[Block]:
    """Blocks with the kinds CommonMark does not know."""
    blocks = _interrupting_tables(text, blocks)
    firsts = {text[b.start] for b in blocks if b.kind == "paragraph"}
    if firsts.isdisjoint("!$:? "):  # no paragraph can be one of the special kinds
        return blocks
    blocks = [_special(text, b) if b.kind == "paragraph" else b for b in blocks]
    if ":::" in text:
        blocks = _directives(text, blocks)
    return _admonitions(text, blocks)


def _special(text: str, block: Block) -> Block:
    """A paragraph that is one image, or one formula."""
    if text.startswith("![", block.start) and _IMAGE_ONLY.match(text, block.start, block.end):
        return block._replace(kind="figure")
    if text.startswith("$$", block.start) and text.endswith("$$", block.start + 2, block.end):
        return block._replace(kind="math")
    return block


# --- tables after a line of text -------------------------------------------------------------------------------


def _interrupting_tables(text: str, blocks: list[Block]) -> list[Block]:
    """GFM lets a table follow a line of text; pulldown-cmark keeps some of those inside the paragraph."""
    found = {
        i: row for i, b in enumerate(blocks) if b.kind == "paragraph" and (row := _delimiter_row(text, b))
    }
    if not found:
        return blocks
    out: list[Block] = []
    moved = [0] * len(blocks)  # new index of every old block
    for index, block in enumerate(blocks):
        parent = moved[block.parent] if block.parent >= 0 else -1
        moved[index] = len(out)
        block = block._replace(parent=parent)
        out.extend(_split_paragraph(text, block, found[index], len(out)) if index in found else [block])
    return out


def _delimiter_row(text: str, block: Block) -> int:
    """Offset of a line in the paragraph that could separate a header from rows, or 0."""
    if text.find("|", block.start, block.end) < 0 or text.find("\n", block.start, block.end) < 0:
        return 0
    for match in _DELIMITER_ROW.finditer(text, block.start, block.end):
        if "|" in match.group():
            return match.start()
    return 0


def _split_paragraph(text: str, block: Block, delimiter: int, index: int) -> list[Block]:
    """The paragraph's lines before the header row, then the table; or the paragraph as it was."""
    header = text.rfind("\n", 0, delimiter - 1) + 1
    if header < block.start:
        header = block.start
    delimiter_end = _line_end(text, delimiter, block.end)
    if header >= delimiter or _columns(text[header:delimiter]) != _columns(text[delimiter:delimiter_end]):
        return [block]
    out = []
    lead = text[block.start : header].rstrip()
    if lead:
        out.append(block._replace(end=block.start + len(lead)))
    table = index + len(out)
    out.append(Block("table", header, block.end, 0, block.parent))
    out.append(Block("row", header, header + len(text[header:delimiter].rstrip()), 0, table))
    start = delimiter_end + 1
    while start < block.end:
        end = _line_end(text, start, block.end)
        if text[start:end].strip():
            out.append(Block("row", start, start + len(text[start:end].rstrip()), 0, table))
        start = end + 1
    return out


def _line_end(text: str, start: int, limit: int) -> int:
    end = text.find("\n", start, limit)
    return limit if end < 0 else end


def _columns(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row.strip().strip(">").strip().strip("|")))


# --- ::: directives and !!! admonitions ------------------------------------------------------------------------


def _directives(text: str, blocks: list[Block]) -> list[Block]:
    """`:::name` ... `:::` at the top level become containers of the blocks between them.

    A directive is only made of whole top-level blocks: where the fence lines stand inside a paragraph, that
    paragraph alone is the directive when it holds both.
    """
    spans = list(_directive_spans(text, blocks))
    if not spans:
        return blocks
    return _wrap(blocks, spans, "directive")


def _directive_spans(text: str, blocks: list[Block]) -> Iterator[tuple[int, int, str]]:
    """(first top-level block, last top-level block, name) of each outermost directive."""
    open_at, open_colons, name, depth = -1, 0, "", 0
    for index, block in enumerate(blocks):
        if block.parent >= 0 or block.kind in ("code", "html", "reference"):
            continue
        for line in _fence_lines(text, block):
            match = _DIRECTIVE.match(line)
            if not match:
                continue
            colons, label = len(match[1]), match[2]
            if open_at < 0 and label:
                open_at, open_colons, name, depth = index, colons, label, 1
            elif open_at >= 0 and label:
                depth += 1
            elif open_at >= 0 and (colons >= open_colons or depth > 1):
                depth -= 1
                if colons >= open_colons and colons > 3:
                    depth = 0
                if depth == 0:
                    yield open_at, index, name
                    open_at = -1


def _fence_lines(text: str, block: Block) -> list[str]:
    """The lines of a block that start with three colons."""
    if ":::" not in text[block.start : block.end]:
        return []
    return [
        line.lstrip() for line in text[block.start : block.end].splitlines() if line.lstrip()[:3] == ":::"
    ]


def _admonitions(text: str, blocks: list[Block]) -> list[Block]:
    """`!!! note` and the indented text under it, which CommonMark reads as a paragraph and indented code."""
    tops = [i for i, b in enumerate(blocks) if b.parent < 0]
    spans = []
    for position, index in enumerate(tops):
        block = blocks[index]
        if block.kind != "paragraph" or not _ADMONITION.match(text, block.start, block.end):
            continue
        last = position
        while last + 1 < len(tops) and _is_indented_code(blocks[tops[last + 1]]):
            last += 1
        spans.append((index, tops[last], "admonition"))
    return _wrap(blocks, spans, "directive")


def _is_indented_code(block: Block) -> bool:
    return block.kind == "code" and not block.attrs


def _wrap(blocks: list[Block], spans: list[tuple[int, int, str]], kind: str) -> list[Block]:
    """Put each run of top-level blocks under a new container block."""
    out: list[Block] = []
    moved = [0] * len(blocks)
    pending = iter(spans)
    first, last, name = next(pending, (len(blocks), -1, ""))
    container = -1
    for index, block in enumerate(blocks):
        if block.parent < 0 and container >= 0 and index > last:
            container = -1
            first, last, name = next(pending, (len(blocks), -1, ""))
        if index == first:
            container = len(out)
            out.append(Block(kind, block.start, blocks[last].end, 0, -1, {"name": name}))
        moved[index] = len(out)
        parent = moved[block.parent] if block.parent >= 0 else container
        out.append(block._replace(parent=parent) if parent != block.parent else block)
    return out
