"""MDX seen as Markdown: ESM and JSX are blanked with as many spaces, and become blocks of their own.

Nothing is evaluated and nothing is an error. One pass reads line by line and keeps the open tags on a stack; what
does not close, or shares its lines with prose, stays as it is. Code that never ends is the one thing that could
be read again and again, so failed attempts are paid from an allowance: hostile text costs linear time too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from seamline.parse.markdown.blocks import FENCED
from seamline.text.lines import line_end
from seamline.types import Block

_EOL = re.compile(r"\r\n?+|\n")
_BLANK = re.compile(r"(?:\r\n?+|\n)[ \t]*+(?=[\r\n])")
_INDENT = re.compile(r"[ \t]*+")
_VISIBLE = re.compile(r"[^\r\n]")
_FENCE = re.compile(r"(`{3,}+)(?=[^`\r\n]*+(?:[\r\n]|\Z))|(~{3,}+)")
_FENCE_END = re.compile(r"(`++|~++)[ \t]*+(?=[\r\n]|\Z)")
_CLOSING = {
    mark: re.compile(rf"(?:\r\n?+|\n)[ \t]*+{mark}{mark[0]}*+[ \t]*+(?=[\r\n]|\Z)") for mark in ("```", "````", "~~~")
}
"""The closing line of fences as they are mostly written, with the line end before it."""
_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:([ \t]++)|(?=[\r\n]|\Z))")
_RULE = re.compile(r"(?:-{3,}|\+{3}|\.{3})[ \t]*+(?=[\r\n]|\Z)")
_ESM = re.compile(
    r"""import(?:[ \t]*["'{*]|[ \t]+(?:type[ \t]+)?(?:[{*]|[\w$]+[ \t]*(?:,[ \t]*[{*]|[ \t]from\b)))
    |export[ \t]*[{*]
    |export[ \t]+(?:default\b
        |(?:const|let|var)[ \t]+(?:[{\[]|[\w$]+[ \t]*[=:;,])
        |type[ \t]+[\w$]+[ \t]*[=<]
        |(?:async[ \t]+)?function\b[ \t]*\*?[ \t]*[\w$]*[ \t]*[(<]
        |(?:abstract|class|declare|enum|interface|namespace)[ \t]+[\w$])""",
    re.VERBOSE,
)
_INLINE = re.compile(r"[\\<{`]")
_TICKS = re.compile(r"`++")
_SPAN_END = {n: re.compile(rf"(?<!`)`{{{n}}}(?!`)") for n in range(1, 9)}
_TAG_HEAD = re.compile(r"<(?P<slash>/?)(?:(?P<name>[A-Za-z_$][\w$.:-]*+)|(?=>))")
_TAG_PART = re.compile(
    r"""[ \t]++|(?:\r\n?+|\n)(?![ \t]*+[\r\n])|"[^"]*+"|'[^']*+'|[\w$.:-]++|=|(?P<end>/?>)|(?P<brace>\{)"""
)
DEEP = 4
"""Columns at which Markdown sees indented code, which MDX does not have."""


class MdxMask(NamedTuple):
    """Text of the same length in which only Markdown is left, and what was taken out, ascending and disjoint."""

    text: str
    blocks: list[MaskedBlock]


def mask_mdx(text: str) -> MdxMask:
    """Blank ESM, whole-line JSX tags around Markdown, and whole components and expressions without any.

    Front matter is the caller's: blank it first, or leave it; code after its closing line is found either way.
    """
    blocks = _tidy(text, sorted(_Scan(text).run(), key=lambda block: block.start))
    parts, at = [], 0
    for block in blocks:
        parts += [text[at : block.start], _VISIBLE.sub(" ", text[block.start : block.end])]
        at = block.end
    return MdxMask("".join([*parts, text[at:]]), blocks)


def _tidy(text: str, found: list[MaskedBlock]) -> list[MaskedBlock]:
    """Start blocks at their line, and join neighbours on one line, such as `</Tab></Tabs>`."""
    out: list[MaskedBlock] = []
    for kind, start, end in found:
        floor = out[-1].end if out else 0
        lead = floor + len(text[floor:start].rstrip(" \t"))
        if out and lead == floor and kind == out[-1].kind:
            out[-1] = MaskedBlock(kind, out[-1].start, end)
        else:
            at_line_start = lead == 0 or text[lead - 1] in "\r\n"
            out.append(MaskedBlock(kind, lead if at_line_start else start, end))
    return out


@dataclass(slots=True)
class _Open:
    """An opening tag that waits for its closing one."""

    name: str
    start: int
    end: int
    clean: bool
    """Only tags stand before it on its line."""
    blanks: int
    """Blank lines before it, in the whole text."""
    base: int
    """Column at which Markdown starts here: 0, or the content of the list item around it."""
    whole: bool = False
    """Its line holds nothing but tags, so the tag can be blanked alone."""
    column: int = 0
    """Of the first line inside it."""


class _Scan:
    """One pass over the lines. `texts` holds the offsets of prose in the current line, outside closed tags."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.code = _Code(text)
        self.found: list[MaskedBlock] = []
        self.stack: list[_Open] = []
        self.names: Counter[str] = Counter()
        self.lists: list[int] = []
        self.blanks = 0
        self.texts: list[int] = []
        self.opened: list[_Open] = []
        self.closed: list[tuple[_Open | None, int, int]] = []
        self.paragraph_end = -1
        self.unclosed_ticks: dict[int, int] = {}

    def run(self) -> list[MaskedBlock]:
        at, esm_may_start = int(self.text.startswith("\ufeff")), True
        while at < len(self.text):
            first = _end(_INDENT, self.text, at)
            eol, after = self._line_end(first)
            if first == eol:
                self.blanks += 1
                at, esm_may_start = after, True
            elif esm_may_start and first == at and (end := self._esm(at)) > 0:
                at = self._line_end(end)[1]
            else:
                esm_may_start = _RULE.match(self.text, at) is not None
                at = self._line(at, first, eol, after)
        return self.found

    def _line_end(self, at: int) -> tuple[int, int]:
        found = _EOL.search(self.text, at)
        return found.span() if found else (len(self.text), len(self.text))

    def _esm(self, at: int) -> int:
        end = self.code.statement(at) if _ESM.match(self.text, at) else -1
        if end > 0:
            # Of other white space a line can be made, which Markdown would see beside the blanked code.
            self.found.append(MaskedBlock("esm", at, at + len(self.text[at:end].rstrip(" \t\r\n\f\v"))))
        return end

    def _line(self, at: int, first: int, eol: int, after: int) -> int:
        """Read a line, and further ones where a fence or a tag goes on; the start of the line after."""
        column = len(self.text[at:first].expandtabs(DEEP))
        for opened in self.opened:
            opened.column = column
        self.texts, self.opened, self.closed = [], [], []
        content = self._enter_lists(first, column)
        fence = _FENCE.match(self.text, content)
        if fence:
            return self._after_fence(fence[0], fence.end())
        if self.text.startswith(">", content):  # in a quote, blanked tags would leave its marks behind
            return after
        return self._inline(content, eol, after)

    def _enter_lists(self, first: int, column: int) -> int:
        """Leave and enter list items; the offset of the line's content after their markers."""
        while self.lists and self.lists[-1] > column:
            self.lists.pop()
        while marker := _MARKER.match(self.text, first):
            gap = len(marker[1] or "")
            column += len(marker[0]) - (gap - 1 if gap > DEEP else 0) + (0 if gap else 1)
            self.lists.append(column)
            self.texts.append(first)
            first = marker.end()
        return first

    def _after_fence(self, fence: str, at: int) -> int:
        """The line after the closing fence, or the first one outside the list item that holds the code."""
        base = self.lists[-1] if self.lists else 0
        if not base and fence in _CLOSING:
            found = _CLOSING[fence].search(self.text, at)
            return self._line_end(found.end())[1] if found else len(self.text)
        at = self._line_end(at)[1]
        while at < len(self.text):
            first = _end(_INDENT, self.text, at)
            eol, after = self._line_end(first)
            if first < eol and len(self.text[at:first].expandtabs(DEEP)) < base:
                return at
            if (closing := _FENCE_END.match(self.text, first)) and closing[1].startswith(fence):
                return after
            at = after
        return at

    def _inline(self, at: int, eol: int, after: int) -> int:
        """Read the tags, expressions and code spans of a line, then decide what of it is JSX."""
        while found := _INLINE.search(self.text, at, eol):
            self._note_text(at, found.start())
            at = self._piece(found[0], found.start())
            if at > eol:
                eol, after = self._line_end(at)
        self._note_text(at, eol)
        self._settle()
        return after

    def _note_text(self, start: int, end: int) -> None:
        if self.text[start:end].strip(" \t"):
            self.texts.append(start)

    def _piece(self, piece: str, at: int) -> int:
        """Take what starts at `at`; the offset after it."""
        end = -1
        if piece == "<":
            end = self._tag(at)
        elif piece == "{":
            end = self.code.expression(at, self._paragraph(at) if self.texts else len(self.text))
            if end > 0 and not self.texts:
                self.closed.append((None, at, end))
        elif piece == "`":
            end = self._code_span(at)
            self.texts.append(at)
        elif not self.text.startswith(("\r", "\n"), at + 1):
            end = min(at + 2, len(self.text))  # an escaped character
        if end < 0:
            self.texts.append(at)
        return max(end, at + 1)

    def _paragraph(self, at: int) -> int:
        """Where the paragraph ends: inline code and expressions do not reach across a blank line."""
        if at >= self.paragraph_end:
            found = _BLANK.search(self.text, at)
            self.paragraph_end = found.start() if found else len(self.text)
        return self.paragraph_end

    def _code_span(self, at: int) -> int:
        """After the closing run of as many backticks, or after the run where there is none."""
        end = _end(_TICKS, self.text, at)
        limit, size = self._paragraph(at), end - at
        if size not in _SPAN_END or self.unclosed_ticks.get(size) == limit:
            return end
        found = _SPAN_END[size].search(self.text, end, limit)
        if found is None:
            self.unclosed_ticks[size] = limit
        return found.end() if found else end

    def _tag(self, at: int) -> int:
        tag = self.code.tag(at)
        if tag is None:
            return self.code.comment(at)
        if tag.kind == "self":
            if not self.texts:
                self.closed.append((None, at, tag.end))
        elif tag.kind == "open":
            base = self.lists[-1] if self.lists else 0
            self.opened.append(_Open(tag.name, at, tag.end, not self.texts, self.blanks, base))
            self.stack.append(self.opened[-1])
            self.names[tag.name] += 1
        elif not self.names[tag.name]:
            return -1
        else:
            self._close(tag.name, at, tag.end)
        return tag.end

    def _close(self, name: str, at: int, end: int) -> None:
        """Match the innermost tag of that name; those opened since were never closed, and stay text."""
        while True:
            opened = self.stack.pop()
            self.names[opened.name] -= 1
            if opened.name == name:
                break
        while self.texts and self.texts[-1] >= opened.start:
            self.texts.pop()
        self.closed.append((opened, at, end))

    def _settle(self) -> None:
        """At the end of a line: text after a closing tag makes it part of a sentence."""
        for opened in self.opened:
            opened.whole = not self.texts
        for tag, start, end in self.closed:
            if self.texts and self.texts[-1] >= end:
                continue
            if tag is None:
                self._found(start, end)
            elif tag.clean and (tag.blanks == self.blanks or tag.column >= tag.base + DEEP):
                while self.found and self.found[-1].start >= tag.start:
                    self.found.pop()
                self._found(tag.start, end)
            elif tag.whole:
                self._found(tag.start, tag.end)
                self._found(start, end)

    def _found(self, start: int, end: int) -> None:
        self.found.append(MaskedBlock("jsx", start, end))


class _Tag(NamedTuple):
    kind: Literal["open", "close", "self"]
    name: str
    end: int


# `https://` is no comment, nor does the apostrophe of "don't" open a string: both stand in components' text.
_CODE = re.compile(r"(?<!:)//[^\r\n]*+|/\*|[\"`(){}\[\]]|(?<![A-Za-z])'|'(?![A-Za-z])|\r\n?+|\n")
_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
_STRING = {q: re.compile(rf"(?:[^{q}\\\r\n]|\\[^\r\n])*+({q}?)") for q in "\"'"}
_CLOSER = {"(": ")", "[": "]", "{": "}", "${": "}", "`": "`"}
_MOST_DEPTH = 64
# A blank line, then what no code has at its margin: the brackets before it were never meant to close.
_MARKDOWN = re.compile(r"[ \t]*+(?:\r\n?+|\n)(?:#{1,6}[ \t]|```|~~~|import\b|export\b)")
_GOES_ON = ("=", ",", "=>", "&", "|", "?", ":", "+", "(", " from")
_CONTINUES = re.compile(r"[ \t]++[^\s]|[.?:&|+)\]}]|</|//|/\*|from\b")


class _Code:
    """Finds where JavaScript ends by its brackets, strings, templates and comments; -1 where it does not."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.allowance = 2 * len(text) + 10_000
        self.missing: set[str] = set()
        self.plain_until = 0

    def expression(self, at: int, limit: int) -> int:
        """After the brace that closes the one at `at`."""
        return self._walk(at, limit, statement=False)

    def statement(self, at: int) -> int:
        """The end of the last line of the import or export that starts at `at`, and of those right below it."""
        return self._walk(at, len(self.text), statement=True)

    def comment(self, at: int) -> int:
        """After an HTML comment, which MDX does not have but people write."""
        return self._find("-->", at + 4) if self.text.startswith("<!--", at) else -1

    def tag(self, at: int) -> _Tag | None:
        head = _TAG_HEAD.match(self.text, at)
        end = head.end() if head else -1
        while head and end > 0 and (part := _TAG_PART.match(self.text, end)):
            if part["end"]:
                kind: Literal["open", "close", "self"] = "close" if head["slash"] else "open"
                return _Tag("self" if part["end"] == "/>" else kind, head["name"] or "", part.end())
            end = self.expression(part.start(), len(self.text)) if part["brace"] else part.end()
        self.allowance -= max(end - at, 0)
        return None

    def _find(self, what: str, at: int) -> int:
        """After the next `what`; one that is missing once is missing for the rest of the text."""
        found = -1 if what in self.missing else self.text.find(what, at)
        if found < 0:
            self.missing.add(what)
            return -1
        return found + len(what)

    def _walk(self, start: int, limit: int, *, statement: bool) -> int:
        at, closers = start, list[str]()
        self.plain_until = 0
        while self.allowance >= 0 and len(closers) <= _MOST_DEPTH:
            in_template = closers[-1:] == ["`"]
            found = (_TEMPLATE if in_template else _CODE).search(self.text, at, limit)
            if found is None:
                at = limit
                if statement and not closers:
                    return at
                break
            piece, at = found[0], found.end()
            if closers and piece == closers[-1]:
                closers.pop()
                if not closers and not statement:
                    return at
            elif piece in _CLOSER:
                closers.append(_CLOSER[piece])
            elif in_template:
                continue  # an escaped character
            elif piece[0] in "\r\n" and statement and not closers and not self._goes_on(*found.span()):
                return found.start()
            elif piece in ")]}" or (piece[0] in "\r\n" and _MARKDOWN.match(self.text, at)):
                break
            elif piece in _STRING or piece == "/*":
                at = self._after_literal(piece, at, limit)
        self.allowance -= at - start
        return -1

    def _after_literal(self, piece: str, at: int, limit: int) -> int:
        """After a string or comment; a quote without its twin makes all quotes plain to the end of the line."""
        if piece == "/*":
            end = self._find("*/", at)
            return limit if end < 0 else min(end, limit)
        if at <= self.plain_until:
            return at
        string = _STRING[piece].match(self.text, at, limit)
        if string and string[1]:
            return string.end()
        self.plain_until = string.end() if string else at
        return at

    def _goes_on(self, end: int, after: int) -> bool:
        """Whether a statement whose brackets are closed continues in the line that starts at `after`."""
        tail = self.text[max(end - 8, 0) : end].rstrip(" \t")
        below = _CONTINUES.match(self.text, after) or _ESM.match(self.text, after)
        return tail.endswith(_GOES_ON) or below is not None


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a pattern that may be empty ends."""
    found = pattern.match(text, at)
    return found.end() if found else at


_FENCE_LINE = re.compile(r"^[ \t]*(`{3,}(?=[^`\r\n]*$)|~{3,})", re.MULTILINE)
_CONTAINERS = frozenset(("list", "item", "quote", "footnote", "directive"))


class MaskedBlock(NamedTuple):
    """A range that was blanked; it starts at its line's start where only white space stands before it."""

    kind: Literal["esm", "jsx"]
    start: int
    end: int


def jsx_blocks(text: str, masked: Iterable[MaskedBlock]) -> list[Block]:
    """Masked blocks, each followed by the code fences inside it: a component is split around those, not through."""
    out: list[Block] = []
    for kind, start, end in masked:
        parent = len(out)
        out.append(Block(kind, start, end))
        if kind == "jsx":
            out.extend(Block("code", a, b, 0, parent, FENCED) for a, b in _fences(text, start, end))
    return out


def _fences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans from an opening fence to its closing line."""
    opened: re.Match[str] | None = None
    for fence in _FENCE_LINE.finditer(text, start, end):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not text[fence.end() : line_end(text, fence.end(), end)].strip():
            yield opened.start(1), fence.end()
            opened = None


def interleave(blocks: list[Block], masked: list[Block]) -> list[Block]:
    """Masked blocks, with their children, at their places: top-level ones, and those inside a list or directive."""
    out: list[Block] = []
    moved = [0] * len(blocks)
    waiting = _families(masked)
    family = next(waiting, None)
    end = 0  # of the masked block before; Markdown takes what is blanked of its last line for an indent
    for index, block in enumerate(blocks):
        while family is not None and family[0].start < block.start:
            end = family[0].end if _adopt(out, family) else end
            family = next(waiting, None)
        if block.start < end < block.end:
            block = block._replace(start=end)
        moved[index] = len(out)
        out.append(block._replace(parent=moved[block.parent]) if block.parent >= 0 else block)
    while family is not None:
        _adopt(out, family)
        family = next(waiting, None)
    return out


def _families(masked: list[Block]) -> Iterator[list[Block]]:
    """Each top-level masked block with its children."""
    family: list[Block] = []
    for block in masked:
        if block.parent < 0 and family:
            yield family
            family = []
        family.append(block)
    if family:
        yield family


def _adopt(out: list[Block], family: list[Block]) -> bool:
    """Append a family under the innermost container around it; one inside anything else is part of that's text, and
    False is the answer."""
    first = family[0]
    around = len(out) - 1
    while around >= 0 and out[around].end < first.end:
        around = out[around].parent
    if around >= 0 and out[around].kind not in _CONTAINERS:
        return False
    home = len(out)
    out.append(first._replace(parent=around))
    out.extend(block._replace(parent=home) for block in family[1:])
    return True
