"""What a reader should know of a text that is read whole: what is never closed in it, and what is no text in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from seamline.parse.markdown.blocks import LONGEST_FENCE, is_giant_fence
from seamline.text.headings import is_long
from seamline.text.lines import line_number
from seamline.types import Block, Notice

_DATA = re.compile(r";base64,([A-Za-z0-9+/=]{4000,})")
_FIELDS = re.compile(r"\ufeff?---[ \t]*(?:\r\n?|\n)[A-Za-z_][\w.-]*:(?:[ \t]|[\r\n])")
_MATH = re.compile(r"\$\$[ \t]*[\r\n]")
_CODE_SPAN = re.compile(r"(`+)(?!`)[^`]*\1(?!`)|\\[{}<]|\{/\*|\*/\}")
_TAG = re.compile(r"<(/?)([A-Z][\w.]*)(?=[\s/>])[^<>]*?(/?)>")
_CODE = frozenset(("code", "math", "front_matter"))
WIDE = 200
"""Columns of a table written by hand or by a program for people; more are data, or made to harm."""
TITLE = 500
"""Characters of a title that are kept beside a document."""


def notices_of_characters(text: str) -> tuple[Notice, ...]:
    """Characters that stand for none, and data that nobody reads."""
    out = []
    if count := text.count("\0"):
        out.append(Notice("nul-characters", f"holds NUL characters ({count:,}), which stay as they are"))
    if count := text.count("\ufffd"):
        message = f"{count:,} characters were lost before the file was written and read \ufffd"
        out.append(Notice("lost-characters", message))
    if ";base64," in text and (sizes := [len(found[1]) for found in _DATA.finditer(text)]):
        message = f"{len(sizes):,} files with {sum(sizes):,} characters of data are written into the text"
        out.append(Notice("data-in-text", message))
    return tuple(out)


def notices_of_unclosed(text: str, blocks: Sequence[Block], *, has_front: bool) -> tuple[Notice, ...]:
    """What Markdown opens and never closes, so that it takes the rest of the document or none of it."""
    out = []
    if not has_front and _FIELDS.match(text):
        out.append(_open("front matter is", "it is read as text", "line 1"))
    if blocks:
        last = next(block for block in reversed(blocks) if block.parent < 0)
        if text.startswith("<!--", last.start) and text.find("-->", last.start, last.end) < 0:
            size = last.end - last.start
            out.append(
                _open("a comment is", f"it takes the last {size:,} characters", f"line {line_number(text, last.start)}")
            )
    if "$" in text and text.count("$$") % 2:
        starts = (block.start for block in blocks if block.kind == "paragraph" and _MATH.match(text, block.start))
        out += [
            _open("a formula is", "it is read as text", f"line {line_number(text, start)}")
            for start in islice(starts, 1)
        ]
    return tuple(out)


def notices_of_size(text: str, blocks: Sequence[Block]) -> tuple[Notice, ...]:
    """Fences, tables and headings of Markdown that are larger than any reader's."""
    out = []
    by_kind: dict[str, list[Block]] = {"code": [], "table": [], "heading": []}
    for block in blocks:
        if block[0] in by_kind:
            by_kind[block[0]].append(block)
    bare = (block for block in by_kind["code"] if block.detail is None)
    if giant := next((block for block in bare if is_giant_fence(text, block)), None):
        message = f"a fence of more than {LONGEST_FENCE} marks is read as a line of code, and not opened again"
        out.append(Notice("fence-long", message, f"line {line_number(text, giant.start)}"))
    if wide := next((block for block in by_kind["table"] if _columns(text, block) > WIDE), None):
        message = f"a table has {_columns(text, wide):,} columns: cells that its rows do not write are not added"
        out.append(Notice("table-wide", message, f"line {line_number(text, wide.start)}"))
    if long := next(filter(is_long, by_kind["heading"]), None):
        size = long.end - long.start
        message = (
            f"a heading has {size:,} characters, as where a line of = or - follows a paragraph: it is not repeated"
        )
        out.append(Notice("heading-long", message, f"line {line_number(text, long.start)}"))
    return tuple(out)


def _columns(text: str, table: Block) -> int:
    """How many columns the first line of a table has, bars inside of cells included."""
    return text[table.start : table.end].partition("\n")[0].strip(" \t\r|").count("|") + 1


def notices_of_mdx(text: str, blocks: Iterable[Block]) -> tuple[Notice, ...]:
    """Braces and tags of MDX that are never closed, and comments that it does not know."""
    content = _CODE_SPAN.sub("", _without_code(text, blocks))
    braces = content.count("{") - content.count("}")
    comments = content.count("<!--")
    tags: Counter[str] = Counter()
    for closes, name, is_empty in _TAG.findall(content):
        tags[name] += -1 if closes else not is_empty
    out = []
    if braces > 0:
        out.append(_open("a brace is" if braces == 1 else f"{braces:,} braces are", "what follows is read as text"))
    if left := [name for name, count in tags.items() if count > 0]:
        names = ", ".join(f"<{name}>" for name in left[:5])
        out.append(_open(f"tags ({names}) are", "what is inside is read as Markdown"))
    if comments:
        out.append(
            Notice("mdx-comments", f"{comments:,} comments are written as HTML has them, which MDX does not know")
        )
    return tuple(out)


def _without_code(text: str, blocks: Iterable[Block]) -> str:
    """The text of all blocks that are no code, wherever that stands."""
    at, kept = 0, []
    for block in blocks:
        if block.kind in _CODE and block.end > at:
            kept.append(text[at : max(block.start, at)])
            at = block.end
    return "\n".join([*kept, text[at:]])


def _open(what: str, then: str, where: str = "") -> Notice:
    return Notice("not-closed", f"{what} never closed: {then}", where)
