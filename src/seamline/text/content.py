"""Whether a text has content of its own, or only leads to some: macros, lone headings, empty fences, lists of links."""

from __future__ import annotations

import re
from collections.abc import Iterator

from seamline.text.markup import FENCE_LINE, MARKER

_AS_IT_IS = frozenset({"code", "scope", "environment", "turn", "table", "row", "math"})
"""Kinds whose text is content whatever it looks like: a tag in code is code."""
_MACRO = re.compile(r"\{\{[^{}]{0,300}\}\}|\{%[^{}%]{0,300}%\}")
_MARKUP = re.compile(
    r"<!--.*?(?:-->|$)|</?[A-Za-z][^<>]{0,500}>|\{/\*.*?(?:\*/\}|$)|\{#[^{}]{0,100}\}"  # comments, tags, anchors
    r"|(?<=\])\([^()]{0,500}\)|(?<=\])\[[^\[\]]{0,200}\]|<?\bhttps?://[^\s<>]{1,500}>?"  # targets of links
)
_LINE = re.compile(
    r"[ \t]*(?:#{1,6}(?:[ \t].*)?|:{3,}.*|\[[^\]^]{1,200}\]:.*"
    r"|import[ \t][^.;()]{1,200}[\"'][^\"']{1,200}[\"'];?)[ \t]*"
)
"""A heading, the frame of a directive, a link's definition, an import: lines that say nothing themselves."""
_LINK = re.compile(r"(?<!!)\[[^\[\]]{1,300}\](?:\([^()]{0,500}\)|\[[^\[\]]{0,200}\])|<?\bhttps?://[^\s<>]{1,500}>?")
_ITEM = re.compile(rf"[ \t>]*(?:{MARKER}[ \t]+)?")
_WORD = re.compile(r"\w+")
_OPENS = re.compile(r"\s*(?!https?://)\w")
"""A line that starts with a word which no markup, macro or target of a link takes away: most do, and need no closer
look."""
_BESIDE = 4
"""Words that an item of a list of links has beside its link, at most: `Learn more about`. All items together have no
more of them than their links have."""
_INTRODUCTION = 6
"""Words of a line that introduces such a list, at most."""


def has_content(text: str, kind: str, *, headed: bool = True) -> bool:
    """Whether words are left of a chunk's body when markup, targets of links, macros and headings are taken away; where
    it is not `headed`, there are no headings. It looks no further than the first line with a word."""
    if kind == "heading":
        return False
    return any(_OPENS.match(line) or _WORD.search(_MACRO.sub(" ", line)) for line in _own_lines(text, kind, headed))


def _own_lines(text: str, kind: str, headed: bool) -> Iterator[str]:
    """The lines of a text that may hold content, without the markup outside of code."""
    verbatim, fenced = kind in _AS_IT_IS, False
    for line in text.splitlines():
        if FENCE_LINE.match(line):
            fenced = not fenced
        elif verbatim or fenced:
            yield line
        elif not _LINE.fullmatch(line) or (not headed and line.lstrip().startswith("#")):
            yield line if _OPENS.match(line) else _MARKUP.sub(" ", line)


def is_link_list(text: str, kind: str) -> bool:
    """Whether a chunk's body is nothing but links, one or a few in each line, perhaps below an introduction."""
    if kind in _AS_IT_IS or not ("[" in text or "://" in text) or not _LINK.search(text):  # most texts have none
        return False
    links = linked = beside = 0
    for line in filter(str.strip, text.splitlines()):
        if FENCE_LINE.match(line):
            return False
        if _LINE.fullmatch(line):
            continue
        item = _ITEM.sub("", line, count=1)
        rest, found = _LINK.subn(" ", item)
        words = len(_WORD.findall(rest))
        if words > (_BESIDE if found else _INTRODUCTION):
            return False
        if found:
            links += found
            beside += words
            linked += len(_WORD.findall(_MARKUP.sub(" ", item))) - words
    return links > 0 and beside <= max(linked, links)
