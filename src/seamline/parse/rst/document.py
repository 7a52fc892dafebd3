"""reStructuredText -> blocks of its source. Nothing is included, evaluated or read from elsewhere.

The text is the source, so spans are its offsets. Lines are read once, from the first to the last, with a stack of what
they are inside of; what is indented beyond all measure is one block.
"""

from __future__ import annotations

from typing import Any

from seamline.gc_pause import paused
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.rst.lines import FIELD, odd_formulas, open_marks
from seamline.parse.rst.scan import RstScan
from seamline.text.headings import heading_text
from seamline.types import NO_DETAIL, Block, Notice


def parse(raw: ParseInput) -> ParseResult:
    text = raw.text
    with paused():
        scan = RstScan(text, raw.limits.depth)
        scan.run()
    meta = _fields(text, scan.blocks)
    return ParseResult(text, scan.blocks, _title(text, scan.blocks, meta), meta, notices=_notices(scan, text))


def _fields(text: str, blocks: list[Block]) -> dict[str, Any]:
    """What a list of fields says of the document: one that comes before all text, headings aside."""
    for index, block in enumerate(blocks):
        if block.parent >= 0 or block.kind in ("heading", "reference") or (block.detail or NO_DETAIL).comment:
            continue
        if block.kind != "list" or text[block.start] != ":":
            break
        items = [one for one in blocks[index:] if one.parent == index]
        marks = [(one, FIELD.match(text, one.start, one.end)) for one in items]
        return {
            text[one.start : mark.end()].strip().strip(":").lower(): " ".join(text[mark.end() : one.end].split())
            for one, mark in marks
            if mark
        }
    return {}


def _title(text: str, blocks: list[Block], meta: dict[str, Any]) -> str:
    """The only heading of the first level where it comes first, else what a field says."""
    first = [block for block in blocks if block.kind == "heading"][:1]
    if first and sum(block.kind == "heading" and block.level == 1 for block in blocks) == 1 and first[0].level == 1:
        return heading_text(text, first[0])
    return str(meta.get("title", ""))


def _notices(scan: RstScan, text: str) -> tuple[Notice, ...]:
    """What was not read as it may be meant."""
    inline = formulas = 0
    for block in scan.blocks:
        if block.kind == "paragraph" and not block.detail:
            inline += open_marks(text, block.start, block.end)
            formulas += odd_formulas(text, block.start, block.end)
    counts = (
        ("rst-include", scan.includes, "directives name other files or addresses, which are not read"),
        ("rst-substitution", scan.substitutions, "substitutions are left as they are written"),
        ("rst-levels", scan.odd_levels, "headings skip a level or come in a style that is new too late"),
        ("rst-table", scan.odd_tables, "tables are not drawn soundly: their rows may not be what they look like"),
        ("rst-depth", scan.too_deep, "blocks are nested too deep: each is read as one paragraph"),
        ("rst-inline", inline, "inline marks have no end: read as text"),
        ("rst-math", formulas, "formulas open other braces than they close"),
    )
    return tuple(Notice(code, f"{count} {message}") for code, count, message in counts if count)
