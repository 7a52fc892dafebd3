"""Markdown, MDX and plain text -> what a document is made of."""

from __future__ import annotations

from typing import Any

from seamline.parse.markdown.blocks import blank, parse_blocks
from seamline.parse.markdown.elements import add_elements
from seamline.parse.markdown.front_matter import split
from seamline.parse.markdown.mdx import front_block, interleave, jsx_blocks
from seamline.parse.markdown.notices import TITLE, notices_of_mdx, notices_of_size, notices_of_unclosed
from seamline.parse.markdown.shortcodes import without_raw_headings
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.text.headings import heading_text, is_long
from seamline.types import Block, Notice, Span

MDX = "text/mdx"


def parse(raw: ParseInput) -> ParseResult:
    """Markdown or MDX: the text is the source."""
    text, mode = raw.text, raw.reading.front_matter
    head = split(text) if text[:4].lstrip("\ufeff")[:3] in ("---", "+++") else None
    data: dict[str, Any] = {}
    notices: tuple[Notice, ...] = ()
    removed: tuple[Span, ...] = ()
    after = 0
    masked: list[Block] = []
    if head is not None:
        after, data = head.end, head.data
        if head.notice is not None or mode == "include":
            # Front matter in the text is one more top-level block without children, as masked blocks are.
            masked.append(front_block(text, head.start, head.end))
            notices = () if head.notice is None else (head.notice,)
        else:
            removed = (Span(head.start, head.end),)
            data = {} if mode == "strip" else data
    shown = text
    if raw.media_type == MDX:
        from seamline.parse.markdown.mdx import mask_mdx

        hidden = mask_mdx(blank(text, 0, after))
        shown = hidden.text
        masked += jsx_blocks(text, hidden.blocks)
    blocks = add_elements(text, interleave(without_raw_headings(shown, parse_blocks(shown, after)), masked))
    notices += notices_of_unclosed(text, blocks, has_front=head is not None) + notices_of_size(text, blocks)
    if raw.media_type == MDX:
        notices += notices_of_mdx(text, blocks)
    title = _title(text, blocks, data)
    if len(title) > TITLE:
        notices += (Notice("title-cut", f"the title has {len(title):,} characters: {TITLE} are kept as such"),)
    return ParseResult(text, blocks, title[:TITLE], data, removed=removed, notices=notices)


def parse_plain(raw: ParseInput) -> ParseResult:
    """Plain text: paragraphs between blank lines."""
    from seamline.parse.plain import plain_blocks

    return ParseResult(raw.text, plain_blocks(raw.text))


def _title(text: str, blocks: list[Block], data: dict[str, Any]) -> str:
    """The front matter's title, else the first heading when it is of level 1."""
    if isinstance(data.get("title"), str):
        return str(data["title"])
    for block in blocks:
        if block.kind == "heading":
            return heading_text(text, block) if block.level == 1 and not is_long(block) else ""
    return ""
