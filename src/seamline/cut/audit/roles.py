"""The role of every line as a CommonMark reader sees it, in the document and in a chunk that is read alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_END = re.compile(r"\r\n?|\n")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_LEAVES = {"Paragraph": "text", "HtmlBlock": "html", "Heading": "heading", "CodeBlock": "code", "Table": "table"}
_BLANK = "\r\n"


class Line(NamedTuple):
    """What a line is."""

    role: str = ""
    """code, table, heading, html, rule, list (the first line of an item), text; empty for none of these."""
    start: int = 0
    """Of the block that gives it the role."""
    end: int = 0
    fenced: bool = False


_NO_ROLE = Line()


class LineRoles:
    """The roles of the lines of one text. In MDX, lines of nothing but tags have none: what is between them is
    Markdown, where CommonMark would read HTML up to a blank line."""

    def __init__(self, text: str, *, is_mdx: bool = False) -> None:
        self.is_mdx = is_mdx
        self.text = text = blank_tags(text) if is_mdx else text
        self.starts = [0, *(found.end() for found in _END.finditer(text))]
        self.lines = [_NO_ROLE] * len(self.starts)
        for role, start, end, fenced in _events(text):
            self._add(text, role, start, end, fenced)

    def at(self, offset: int) -> Line:
        return self.lines[self.number(offset)]

    def number(self, offset: int) -> int:
        """Of the line that holds an offset, from 0."""
        return bisect_right(self.starts, offset) - 1

    def _add(self, text: str, role: str, start: int, end: int, fenced: bool) -> None:
        while start < end and text[start] in _BLANK:
            start += 1  # blocks that tabs indent are reported from the line end before them
        while end > start and text[end - 1].isspace():
            end -= 1
        if start == end and role != "list":
            return
        first, last = self.number(start), self.number(max(start, end - 1))
        line = Line("text" if role == "list" else role, start, end, fenced)
        for number in range(first, last + 1):
            if role != "text" or self.lines[number].role != "list":
                self.lines[number] = line
        if role == "list":
            self.lines[first] = Line("list", start, end)


def _events(text: str) -> Iterator[tuple[str, int, int, bool]]:
    """Role, start, end and fence of every block, outer before inner."""
    import pyromark  # loads a library: an audit that does not ask for roles goes without

    from seamline.errors import report_panics

    twin = _BEYOND_ASCII.sub("@", re.sub(r"\r(?!\n)", "\n", text))  # the reader counts bytes: one for each character
    if text.startswith("\ufeff"):
        twin = "\n" + twin[1:]
    with report_panics("pyromark"):
        events = pyromark.events_with_range(twin, options=pyromark.Options.ENABLE_TABLES, merge_text=True)
    for event, place in events:
        if event == "Rule":
            yield "rule", place["start"], place["end"], False
        elif "Start" in event:
            tag = event["Start"]
            name, value = (tag, None) if isinstance(tag, str) else next(iter(tag.items()))
            if name == "Item":
                yield "list", place["start"], place["end"], False
            elif name in _LEAVES:
                yield _LEAVES[name], place["start"], place["end"], name == "CodeBlock" and isinstance(value, dict)


class ChangedLine(NamedTuple):
    """A line of a chunk that is something else when the chunk is read alone."""

    offset: int
    """In the document."""
    was: Line
    now: Line
    is_whole: bool
    """Whether the chunk owns all of it."""


def changed_lines(known: LineRoles, chunk_text: str, lead: int, start: int, end: int) -> Iterator[ChangedLine]:
    """Lines of the span [start, end) of a text that are something else in a chunk, where that span starts at `lead`."""
    text = known.text
    alone = LineRoles(chunk_text, is_mdx=known.is_mdx)
    number = known.number(start)
    while number < len(known.starts) and known.starts[number] < end:
        line_end = known.starts[number + 1] if number + 1 < len(known.starts) else len(text)
        first, stop = max(known.starts[number], start), min(line_end, end)
        shown = text[first:stop]
        if shown.strip().strip("\ufeff"):
            visible = first + len(shown) - len(shown.lstrip())
            was, now = known.lines[number], alone.at(lead + visible - start)
            if was.role != now.role:
                is_whole = not text[known.starts[number] : first].strip() and not text[stop:line_end].strip()
                yield ChangedLine(visible, was, now, is_whole)
        number += 1


def blank_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with ranges turned into blank lines of equal length."""
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\r\n]", " ", text[start:end]) + text[end:]
    return text


_LINE = re.compile(r"^[ \t>]*(?=<[/>A-Za-z])", re.MULTILINE)
_NAME = re.compile(r"</?(?:[A-Za-z][\w.:-]*)?")
_FARTHEST = 4_000
"""Characters of a tag that is looked for."""
_LOOKS = 50
"""How many times a text is looked through at most."""


def blank_tags(text: str) -> str:
    """A text of equal length in which lines of nothing but tags are blank, also tags of several lines."""
    out: list[str] = []
    at = looked = 0
    for found in _LINE.finditer(text):
        if found.end() < at:
            continue
        end = _tags_end(text, found.end())
        looked += _FARTHEST if end == found.end() else 0
        if looked > _LOOKS * (len(text) + _FARTHEST):
            break  # tags without an end, one in each line: made to harm
        if end > found.end():
            out += [text[at : found.end()], re.sub(r"[^\r\n]", " ", text[found.end() : end])]
            at = end
    return "".join([*out, text[at:]])


def _tags_end(text: str, start: int) -> int:
    """Where the tags end that fill a line and begin at `start`; `start` where something else stands in it."""
    at = start
    while text.startswith("<", at):
        after = _tag_end(text, at)
        if after < 0:
            return start
        at = after
        while at < len(text) and text[at] in " \t":
            at += 1
    return at if at == len(text) or text[at] in "\r\n" else start


def _tag_end(text: str, start: int) -> int:
    """One past the `>` of a tag, -1 where it has none: quoted values and braces may hold one."""
    name = _NAME.match(text, start)
    at, depth, most = name.end() if name else start + 1, 0, min(len(text), start + _FARTHEST)
    while at < most:
        sign = text[at]
        if sign == ">" and not depth:
            return at + 1
        if sign in "\"'`" and (close := text.find(sign, at + 1, most)) >= 0:
            at = close
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
        elif sign == "<" and not depth:
            return -1
        at += 1
    return -1
