"""AsciiDoc -> blocks of its source. Nothing is included, evaluated or read from elsewhere.

The text is the source, so spans are its offsets. Lines are read once, from the first to the last. Where a block that is
delimited ends is known when it opens: at the next line that is the same, or with the block around it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from seamline.parse.asciidoc.lines import (
    BLOCK_ATTRIBUTES,
    BLOCK_TITLE,
    BULLET,
    CONDITION,
    DELIMITER,
    FENCE,
    HEADING,
    MACRO,
    NUMBER,
    RULES,
    TERM,
    AttributeValues,
    BlockLead,
    is_underline,
    plain_title,
    underline_level,
)
from seamline.parse.asciidoc.tables import read_table
from seamline.parse.builder import CAPTION
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.source_lines import BlockScan, OpenBlock
from seamline.runtime import gc_paused
from seamline.text.lines import trimmed
from seamline.types import Block, Detail, Enclosure, Notice, Span

_CONTAINERS = {"=": "example", "*": "sidebar", "_": "quote", "-": "open"}
_CODE_STYLES = frozenset(("source", "listing", "literal", "console", "plantuml", "mermaid", "graphviz", "ditaa"))
_MATH_STYLES = frozenset(("stem", "latexmath", "asciimath"))
_PICTURES = frozenset(("image", "video", "audio"))
_COMMENT = Detail(comment=True)
_AUTHOR = re.compile(r"[^\W\d_][\w.'-]*(?: [\w.'-]+){0,3}(?:\s+<[^<>\s]{1,200}>)?(?:;.*)?\Z")
_REVISION = re.compile(r"v?[0-9][\w.]*(?:,|:|\Z)|.*\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b")
_LONGEST_OPENING = 100
"""Characters of the lines that open a block which are repeated above its parts; of more, those of the delimiter."""
_LONGEST_DELIMITER = 40
"""Characters of a delimiter that is repeated."""


class AsciidocScan(BlockScan):
    """Reads the lines of one source."""

    def __init__(self, text: str, depth: int, *, keep_header: bool = False) -> None:
        super().__init__(text, depth)
        self.keep_header = keep_header
        self.attributes = AttributeValues()
        self.title = ""
        self.removed: list[Span] = []
        """What is said of the document above all text, where that is not to be text itself."""
        self.includes = self.conditions = self.unclosed = self.too_deep = 0
        self._stops: dict[str, list[int]] = {}
        for number in range(len(self.lines)):
            if self.lines.indent[number] == 0 and DELIMITER.match(text, self.lines.at[number], self.lines.end[number]):
                self._stops.setdefault(self.lines.body(number), []).append(number)
        self._is_attached = False
        """Whether the next block belongs to the open item, as a `+` before it says."""
        self._is_defined = False
        """Whether the next block says what a term means, so that its margin is none of code."""
        self._has_heading = False

    def run(self) -> None:
        number = self._read_header(self.lines.after_blank(0))
        while number < len(self.lines):
            number = self._step(number)
        self.leave_all()

    # --- the header of a document -----------------------------------------------------------------------------------

    def _read_header(self, number: int) -> int:
        """The title with what is said of the document below it; the line after them."""
        first = number
        while number < len(self.lines) and self._is_remark(number):
            number += 1
        found = HEADING.match(self._body(number))
        is_titled = found is not None and found[1] in "=#"
        if is_titled and found is not None:
            if number > first:
                self._add_header(first, number)
            title = len(self.out.blocks)
            self._add_heading(number, number, len(found[1]), found[2])
            number = first = number + 1
            if _AUTHOR.match(self._body(number)) and self.lines.indent[number] == 0:
                self.attributes.values.setdefault("author", self._body(number))
                number += 1
                if _REVISION.match(self._body(number)):
                    self.attributes.values.setdefault("revision", self._body(number))
                    number += 1
            while number < len(self.lines) and self._is_remark(number):
                number += 1
            self.title = plain_title(found[2], self.attributes.values)  # it may name what only now has a value
            self.out.blocks[title] = self.out.blocks[title]._replace(detail=Detail(title=self.title))
        if number > first:
            self._add_header(first, number)
        return number

    def _body(self, number: int) -> str:
        return self.lines.body(number) if number < len(self.lines) else ""

    def _is_remark(self, number: int) -> bool:
        """Whether a line of the header is a comment, or gives an attribute a value."""
        body = self._body(number)
        is_comment = body.startswith("//") and not body.startswith("///")
        return is_comment or (self.lines.indent[number] == 0 and self.attributes.read(body))

    def _add_header(self, first: int, after: int) -> None:
        last = self.lines.last_text(first, after)
        span = Span(self.lines.start[first], self.lines.end[last])
        if self.keep_header or self.out.blocks:  # below a title it is text: chunks hold all from the first block on
            self.out.add("front_matter", *span)
        else:
            self.removed.append(span)

    # --- lines ------------------------------------------------------------------------------------------------------

    def _step(self, number: int) -> int:
        """Read the block that starts in a line; the line to go on with."""
        lines = self.lines
        if number >= self.limit:
            self._is_attached = False
            return self.end_container(number)
        if lines.indent[number] < 0:
            self.blanks += 1
            return number + 1
        body = lines.body(number)
        if body == "+" and self.frames[-1].kind == "item":
            return self._attach(number)
        self.blanks = 0
        return self._element(number)

    def _attach(self, number: int) -> int:
        """The next block belongs to the open item; to that of the list around it for each blank line above."""
        for _ in range(self.blanks):
            if sum(one.kind == "item" for one in self.frames) > 1 and self.frames[-3].kind == "item":
                self.leave()
                self.leave()
        self.blanks = 0
        self._is_attached = True
        self.out.end = self.lines.end[number]
        return number + 1

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _element(self, number: int) -> int:
        lines = self.lines
        first, lead, number = number, *self._read_lead(number)
        if number >= self.limit:
            return self.leaf("paragraph", first, self.limit, _COMMENT)
        mark, after_mark = self._list_mark(number)
        is_item = bool(mark) and first == number
        if not self._is_attached and not is_item and not self._is_literal_of_item(number):
            self.leave_lists()
        is_definition, self._is_defined, self._is_attached = self._is_defined, False, False
        body, column = lines.body(number), lines.indent[number]
        if column == 0 and (after := self._marked(number, lead, body)):
            return after
        if mark:
            return self._item(number, lead, mark, after_mark)
        is_text = column == 0 or bool(lead.style) or is_definition
        return self._paragraph(number, lead) if is_text else self._literal(number, lead)

    def _marked(self, number: int, lead: BlockLead, body: str) -> int:
        """A block that a line at the margin starts and that is no list and no text; 0 where the line starts none."""
        if body in self._stops:
            return self._delimited(number, lead, body)
        if found := FENCE.match(body):
            return self._fenced(number, lead, found)
        return self._single(number, lead, body) or self._heading(number, lead, body)

    def _is_literal_of_item(self, number: int) -> bool:
        """Whether a line is indented below an item, and so goes on with it."""
        return self.frames[-1].kind == "item" and self.lines.indent[number] > 0

    def _read_lead(self, number: int) -> tuple[BlockLead, int]:
        """The lines that say what the block below them is, and the first line of that block."""
        lead = BlockLead(number)
        at = number
        while at < self.limit and self.lines.indent[at] == 0:
            body = self.lines.body(at)
            if body[0] == "[" and BLOCK_ATTRIBUTES.match(body):
                if not body.startswith("[["):
                    lead.attributes = ",".join(filter(None, (lead.attributes, body[1:-1])))
            elif body[0] == "." and not NUMBER.match(body) and (found := BLOCK_TITLE.match(body)):
                lead.title = found[1]
            else:
                break
            at = self.lines.after_blank(at + 1)
        return lead, min(at, self.limit)

    def _single(self, number: int, lead: BlockLead, body: str) -> int:
        """A block of one line that is no heading; 0 where the line is none."""
        if body in RULES:
            return self.leaf("rule", lead.first, number + 1)
        if body.startswith("//") and not body.startswith("///"):
            return self.leaf("paragraph", lead.first, number + 1, _COMMENT)
        if self.attributes.read(body):
            return self.leaf("reference", lead.first, number + 1)
        if CONDITION.match(body):
            self.conditions += body.startswith("if")
            return self.leaf("reference", lead.first, number + 1, _COMMENT)
        found = MACRO.match(body)
        if found is None:
            return 0
        if found[1] in _PICTURES and found[2]:
            alt = re.split(r",|\w=", found[3], maxsplit=1)[0].strip().strip('"')
            title = plain_title(lead.title, self.attributes.values)
            detail = Detail(name=found[2].rpartition("/")[2], caption=title, image=found[2], alt=alt)
            return self.leaf("figure", lead.first, number + 1, detail)
        self.includes += found[1] == "include"
        return self.leaf("reference", lead.first, number + 1, Detail(name=found[1]))

    def _heading(self, number: int, lead: BlockLead, body: str) -> int:
        """A section title; 0 where the line is none. They stand at the top, but for those that are only to look so."""
        is_discrete = lead.style in ("discrete", "float")
        if len(self.frames) > 1 and not is_discrete and self.frames[-1].kind == "block":
            return 0
        if found := HEADING.match(body):
            self.leave_lists()
            return self._add_heading(lead.first, number, len(found[1]), found[2])
        below = self._body(number + 1) if number + 1 < self.limit else ""
        if self.frames[-1].kind == "root" and is_underline(body, below) and self.lines.indent[number + 1] == 0:
            return self._add_heading(lead.first, number + 1, underline_level(below), body)
        return 0

    def _add_heading(self, first: int, last: int, level: int, title: str) -> int:
        plain = plain_title(re.sub(r"\s+=+\Z", "", title), self.attributes.values) or title
        if level == 1 and not self._has_heading:
            self.title = plain
        self._has_heading = True
        self.out.add("heading", self.lines.start[first], self.lines.end[last], level, Detail(title=plain))
        return last + 1

    def _literal(self, number: int, lead: BlockLead) -> int:
        """Lines that are indented, as they are."""
        after = number + 1
        while after < self.limit and self.lines.indent[after] >= 0 and self.lines.body(after) != "+":
            after += 1
        return self.leaf("code", lead.first, after)

    def _paragraph(self, number: int, lead: BlockLead) -> int:
        after = self._after_text(number + 1)
        if lead.style in _CODE_STYLES:
            return self.leaf("code", lead.first, after, Detail(language=lead.language))
        return self.leaf("paragraph", lead.first, after)

    def _after_text(self, number: int) -> int:
        """The line after those that go on with a paragraph: up to a blank one, or one that starts something else."""
        lines = self.lines
        in_item = self.frames[-1].kind == "item"
        while number < self.limit and lines.indent[number] >= 0:
            body = lines.body(number)
            if lines.indent[number] == 0 and (
                body in self._stops or FENCE.match(body) or (body[0] == "[" and BLOCK_ATTRIBUTES.match(body))
                or CONDITION.match(body)
            ):  # fmt: skip
                break
            if in_item and (body == "+" or self._list_mark(number)[0]):
                break
            number += 1
        return number

    # --- lists ------------------------------------------------------------------------------------------------------

    def _list_mark(self, number: int) -> tuple[str, int]:
        """What kind of item starts in a line, and where its text does; nothing where none starts."""
        text, at, end = self.text, self.lines.at[number], self.lines.end[number]
        if text[at] in "*-•" and (found := BULLET.match(text, at, end)):
            return found[1], found.end()
        if (text[at] in ".<" or text[at].isalnum()) and (found := NUMBER.match(text, at, end)):
            return found[1] if found[1][0] == "." else _style_of(found[1]), found.end()
        if (text.find("::", at, end) > at or text.find(";;", at, end) > at) and (found := TERM.match(text, at, end)):
            return f"term {found[1]}", found.end()
        return "", at

    def _item(self, number: int, lead: BlockLead, mark: str, after_mark: int) -> int:
        """Start an item in the list of its mark, which is a new one where none is open."""
        lines, marks = self.lines, [one.mark for one in self.frames]
        bottom = max(index for index, one in enumerate(self.frames) if one.kind in ("root", "block"))
        while mark in marks[bottom:] and self.frames[-1].mark != mark:
            self.leave()
            marks.pop()
        if self.frames[-1].mark != mark:
            if len(self.frames) + 2 > self.depth:
                self.too_deep += 1
                return self.leaf("paragraph", lead.first, self._after_text(number + 1), Detail(is_flat=True))
            if self.frames[-1].kind == "list":
                self.leave()
            level = sum(one.kind == "list" for one in self.frames)
            self.out.enter("list", lines.start[lead.first], lines.end[number], level)
            self.frames.append(OpenBlock("list", self.limit, mark=mark))
        is_term = mark.startswith("term")
        at, opening = lines.at[number], trimmed(self.text, lines.at[number], after_mark)
        has_frame = is_term and opening - at <= _LONGEST_OPENING
        detail = Detail(Enclosure(at, opening)) if has_frame else None
        self.out.enter("item", lines.start[number], lines.end[number], 0, detail)
        self.frames.append(OpenBlock("item", self.limit))
        if after_mark >= lines.end[number]:
            self._is_attached = self._is_defined = True
            self.out.end = lines.end[number]
            return number + 1
        after = self._after_text(number + 1)
        self.out.add("paragraph", after_mark, lines.end[lines.last_text(number, after)])
        return after

    # --- delimited blocks -------------------------------------------------------------------------------------------

    def _stop_of(self, number: int, delimiter: str) -> int:
        """The line that ends a block which a line opens: the next that is its delimiter, else the end around it."""
        known = self._stops.get(delimiter, [])
        at = bisect_right(known, number)
        if at < len(known) and known[at] < self.limit:
            return known[at]
        self.unclosed += 1
        return self.limit

    def _delimited(self, number: int, lead: BlockLead, body: str) -> int:
        stop = self._stop_of(number, body)
        if body[0] in "|,:!":
            return self._table(number, lead, body, stop)
        style = lead.style.lower()
        is_verse = style == "verse" and body[0] == "_"
        is_code = style in _CODE_STYLES or (body[0] == "-" and len(body) > 2)
        if body[0] in _CONTAINERS and not is_code and not is_verse:
            return self._container(number, lead, body, stop)
        if body[0] == "/" or style == "comment":
            return self.leaf("paragraph", lead.first, self._after(stop), _COMMENT)
        if is_verse:
            return self.leaf("paragraph", lead.first, self._after(stop), Detail(line_block=True))
        kind = "math" if body[0] == "+" and style in _MATH_STYLES else "code"
        detail = Detail(self._opening(number, lead, body), language=lead.language if kind == "code" else "")
        return self.leaf(kind, lead.first, self._after(stop), detail)

    def _after(self, stop: int) -> int:
        """The line after a block: its own delimiter is part of it, that of the block around it is not."""
        return stop + 1 if stop < self.limit else stop

    def _fenced(self, number: int, lead: BlockLead, found: re.Match[str]) -> int:
        """Code between fences, as Markdown has it."""
        stop = self._stop_of(number, found[1])
        detail = Detail(self._opening(number, lead, found[1]), language=found[2])
        return self.leaf("code", lead.first, self._after(stop), detail)

    def _opening(self, number: int, lead: BlockLead, close: str) -> Enclosure | None:
        """What parts of a block are put between: its title, attributes and delimiter, of much only the last."""
        if len(close) > _LONGEST_DELIMITER:
            return None
        start, end = self.lines.start[lead.first], self.lines.end[number]
        return Enclosure(start if end - start <= _LONGEST_OPENING else self.lines.start[number], end, close)

    def _container(self, number: int, lead: BlockLead, body: str, stop: int) -> int:
        if len(self.frames) >= self.depth:
            self.too_deep += 1
            return self.leaf("paragraph", lead.first, self._after(stop), Detail(is_flat=True))
        name = lead.style.lower() or _CONTAINERS[body[0]]
        detail = Detail(self._opening(number, lead, body), name)
        self.out.enter("environment", self.lines.start[lead.first], self.lines.end[number], 0, detail)
        self.out.end = self.lines.end[number]
        self.frames.append(OpenBlock("block", stop, is_closed=self._after(stop) > stop))
        self.limit = stop
        return number + 1

    def _table(self, number: int, lead: BlockLead, body: str, stop: int) -> int:
        lines = self.lines
        found = read_table(lines, number, stop, lead)
        if lead.first < number and lines.end[number] - lines.start[lead.first] > _LONGEST_OPENING:
            self.leaf("paragraph", lead.first, number, CAPTION)  # it would leave its rows no room for their header
            lead.first = number
        opening = self._opening(number, lead, body)
        header = found.rows[0][1] if found.has_header else lines.end[number]
        name = "csv-table" if body[0] == "," or lead.named("format") == "csv" else "psv-table"
        detail = Detail(opening, name, header_end=header, caption=plain_title(lead.title, self.attributes.values))
        after = self.leaf("table", lead.first, self._after(stop), detail)
        table = len(self.out.blocks) - 1
        self.out.blocks += [Block("row", start, end, 0, table) for start, end in found.rows]
        return after


def _style_of(mark: str) -> str:
    """What numbered items of one list have in common."""
    if mark[0] == "<":
        return "<1>"
    return "1." if mark[0].isdigit() else ("A" if mark[0].isupper() else "a") + mark[-1]


def parse(raw: ParseInput) -> ParseResult:
    """The text is the source."""
    mode = raw.reading.front_matter
    with gc_paused():
        scan = AsciidocScan(raw.text, raw.limits.depth, keep_header=mode == "include")
        scan.run()
    values = scan.attributes.values
    meta: dict[str, Any] = {} if mode == "strip" else dict(values)
    title = scan.title or values.get("title", "")
    return ParseResult(raw.text, scan.out.blocks, title, meta, removed=tuple(scan.removed), notices=_notices(scan))


def _notices(scan: AsciidocScan) -> tuple[Notice, ...]:
    """What was not read as it may be meant."""
    counts = (
        ("asciidoc-include", scan.includes, "includes name other files, which are not read"),
        ("asciidoc-condition", scan.conditions, "conditions are not evaluated: text of all branches is kept"),
        ("asciidoc-unclosed", scan.unclosed, "blocks have no end: they go on to the end of what they are in"),
        ("asciidoc-depth", scan.too_deep, "blocks are nested too deep: each is read as one paragraph"),
    )
    return tuple(Notice(code, f"{count} {message}") for code, count, message in counts if count)
