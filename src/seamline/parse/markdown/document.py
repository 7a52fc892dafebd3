"""Markdown, MDX and plain text -> what a document is made of.

Text between shortcodes and tags of site generators is no Markdown: `# a comment` in it is no heading. Known are Hugo's
`{{< highlight >}}` and others that hold code, `{{< tab >}}` with a language, and `raw`, `highlight`, `comment`,
`verbatim` and `codeblock` between `{% %}`, as Liquid, Jinja, Nunjucks and Hexo have them.
"""

from __future__ import annotations

import re
from typing import Any

from seamline.parse.markdown.blocks import blank, parse_blocks
from seamline.parse.markdown.elements import add_elements
from seamline.parse.markdown.front_matter import split
from seamline.parse.markdown.notices import TITLE, notices_of_mdx, notices_of_size, notices_of_unclosed
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.text.headings import heading_text, is_long
from seamline.text.lines import trimmed
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
            masked.append(Block("front_matter", head.start, trimmed(text, head.start, head.end)))
            notices = () if head.notice is None else (head.notice,)
        else:
            removed = (Span(head.start, head.end),)
            data = {} if mode == "strip" else data
    shown = text
    if raw.media_type == MDX:
        from seamline.parse.markdown.mdx import jsx_blocks, mask_mdx

        hidden = mask_mdx(blank(text, 0, after))
        shown = hidden.text
        masked += jsx_blocks(text, hidden.blocks)
    blocks = without_raw_headings(shown, parse_blocks(shown, after))
    if masked:
        from seamline.parse.markdown.mdx import interleave

        blocks = interleave(blocks, masked)
    blocks = add_elements(text, blocks)
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


# --- shortcodes and tags of site generators -----------------------------------------------------------------------

_HUGO = (
    r"\{\{<[ \t]*(?P<close>/[ \t]*)?(?P<hugo>highlight|code|codeblock|command|terminal|shell|console|raw|comment|tab)\b"
    r"(?P<rest>[^<>{}\r\n]{0,300})>\}\}"
)
_LIQUID = r"\{%-?[ \t]*(?P<end>end)?(?P<liquid>raw|highlight|comment|verbatim|codeblock|code)\b[^%{}\r\n]{0,300}%\}"
_TAG = re.compile(f"{_HUGO}|{_LIQUID}")
_LANGUAGE = re.compile(r"\b(?:lang|language|codeLang|syntax)[ \t]*=")


def find_raw_spans(text: str) -> list[tuple[int, int]]:
    """Where text stands between an opening and the close of its name, in order; what is never closed is none."""
    out: list[tuple[int, int]] = []
    name, start = "", 0
    for found in _TAG.finditer(text):
        tag = f"hugo {found['hugo']}" if found["hugo"] else f"liquid {found['liquid']}"
        closes = bool(found["close"] or found["end"])
        if name:
            if closes and tag == name:
                out.append((start, found.start()))
                name = ""
        elif not closes and (found["hugo"] != "tab" or _LANGUAGE.search(found["rest"])):
            name, start = tag, found.end()
    return out


def without_raw_headings(text: str, blocks: list[Block]) -> list[Block]:
    """The blocks of a text, of which headings between such tags are paragraphs."""
    if "{" not in text or not (spans := find_raw_spans(text)):
        return blocks
    out, at = [], 0
    for block in blocks:
        while at < len(spans) and spans[at][1] <= block.start:
            at += 1
        inside = at < len(spans) and spans[at][0] <= block.start
        out.append(block._replace(kind="paragraph", level=0) if inside and block.kind == "heading" else block)
    return out
