"""Plain text -> blocks: paragraphs between blank lines, or lines where each is a paragraph.

A text whose parser gave up is read so, too: it is still cut, without the structure that the parser would have found.
"""

from __future__ import annotations

import re

from seamline.errors import ParserGaveUp
from seamline.formats import Format
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.text.lines import trimmed
from seamline.types import Block, Notice

_BLANK = re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?=\r|\n)")
_TEXT = re.compile(r"[^\s\ufeff]|(?<!\A)\ufeff")
"""What is not white space. A byte order mark is one at the start of a text only."""
_LINE = re.compile(r"[^\r\n]+")
_WRAPPED = 200
"""Code points of a line that an editor or a person wrapped, at most. A longer one was never wrapped."""


def plain_blocks(text: str) -> list[Block]:
    """One paragraph block for every run of lines that are not blank; for every line of a run where one is so long that
    lines cannot be wrapped ones."""
    blocks: list[Block] = []
    at = 0
    while first := _TEXT.search(text, at):
        blank = _BLANK.search(text, first.start())
        stop = blank.start() if blank else len(text)
        start = first.start()
        while start > at and text[start - 1] not in "\r\n":
            start -= 1
        blocks += _paragraphs(text, start, trimmed(text, first.start(), stop))
        at = stop
    return blocks


def _paragraphs(text: str, start: int, end: int) -> list[Block]:
    lines = [line.span() for line in _LINE.finditer(text, start, end)]
    if len(lines) < 2 or all(stop - first <= _WRAPPED for first, stop in lines):
        return [Block("paragraph", start, end)]
    return [Block("paragraph", first, trimmed(text, first, stop)) for first, stop in lines]


def parse_unstructured(one: Format, raw: ParseInput, error: ParserGaveUp) -> ParseResult:
    """The decoded source as plain text, code by its blank lines, and a notice that says what was lost and why."""
    if one.name == "code":
        from seamline.parse.code.document import parse_without_grammar

        return parse_without_grammar(raw, error.reason)
    message = f"cut as plain text, without the structure of {one.name}: {error.reason}"
    return ParseResult(raw.text, plain_blocks(raw.text), notices=(Notice("structure-lost", message, error.where),))
