"""Org -> blocks of its source. Nothing is included, evaluated or read from elsewhere.

The text is the source, so spans are its offsets. Lines are read once, from the first to the last. Where a block between
`#+begin` and `#+end` ends is known when it opens; lists nest by their margin.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from seamline.parse.org.lines import (
    AFFILIATED,
    BEGIN,
    BULLET,
    COUNTED,
    DRAWER,
    END,
    ENVIRONMENT,
    FOOTNOTE,
    HEADING,
    KEYWORD,
    PICTURE,
    PLANNING,
    PROPERTY,
    RULE,
    TABLE_RULE,
    TERM,
    plain_title,
)
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.source_lines import BlockScan, OpenBlock
from seamline.runtime import gc_paused
from seamline.text.lines import trimmed
from seamline.types import NO_DETAIL, Block, Detail, Enclosure, Notice, Span

_CODE = frozenset(("src", "example", "export"))
_DEEPEST = 6
_COMMENT = Detail(comment=True)
_READERS = frozenset(("include", "setupfile"))
_LONGEST_OPENING = 100
"""Characters of what opens a block that are repeated above its parts; of more, only the name of the block."""


@dataclass(slots=True)
class _Lead:
    """The keywords above a block that belong to it."""

    first: int
    caption: str = ""
    number: int = 0
    """The first line of the block itself."""


class OrgScan(BlockScan):
    """Reads the lines of one source."""

    def __init__(self, text: str, depth: int, *, keep_keywords: bool = False) -> None:
        super().__init__(text, depth)
        self.keep_keywords = keep_keywords
        self.meta: dict[str, Any] = {}
        self.removed: list[Span] = []
        self.includes = self.unclosed = self.too_deep = 0
        self._ends: dict[str, list[int]] = {}
        self._drawer_ends: list[int] = []
        self._headings: list[int] = []
        """Lines that are headings: what is open ends before one."""
        for number in range(len(self.lines)):
            self._index(number)
        self._head = 0
        """Blocks at the start that are no text."""

    def _index(self, number: int) -> None:
        if self.lines.indent[number] < 0:
            return
        first = self.text[self.lines.at[number]]
        if first == "#" and (found := END.match(self.lines.body(number))):
            self._ends.setdefault((found[1] or "").lower(), []).append(number)
        elif first == ":" and self.lines.body(number).upper() == ":END:":
            self._drawer_ends.append(number)
        elif first == "*" and self.lines.indent[number] == 0 and HEADING.match(self.lines.body(number)):
            self._headings.append(number)

    def run(self) -> None:
        number = 0
        while number < len(self.lines):
            number = self._step(number)
        self.leave_all()

    # --- lines ------------------------------------------------------------------------------------------------------

    def _step(self, number: int) -> int:
        lines = self.lines
        if number >= self.limit:
            return self.end_container(number)
        if lines.indent[number] < 0:
            self.blanks += 1
            return number + 1
        blanks, self.blanks = self.blanks, 0
        lead = self._read_lead(number)
        column = lines.indent[lead.number] if lead.number < len(lines) else 0
        mark = self._list_mark(lead.number)
        while self.frames[-1].kind in ("list", "item") and (
            blanks > 1 or column < self.frames[-1].column or (column == self.frames[-1].column and not mark)
        ):
            self.leave()
        if lead.number >= self.limit or lines.indent[lead.number] < 0:  # what they belong to is missing
            return self.leaf("reference", lead.first, lead.number)
        if mark:
            return self._item(lead, column, mark)
        if self.frames[-1].kind == "list":
            self.leave()
        return self._element(lead, lines.body(lead.number), column)

    def _read_lead(self, number: int) -> _Lead:
        """The keywords that belong to the block below them, and the first line of that."""
        lead = _Lead(number, number=number)
        while lead.number < self.limit and self.text.startswith("#+", self.lines.at[lead.number]):
            found = KEYWORD.match(self.lines.body(lead.number))
            name = found[1].lower() if found else ""
            if found is None or not (name in AFFILIATED or name.startswith("attr_")):
                break
            if name == "caption":
                lead.caption = " ".join(filter(None, (lead.caption, found[2])))
            lead.number += 1
        return lead

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _element(self, lead: _Lead, body: str, column: int) -> int:
        number = lead.number
        if body[0] == "*" and column == 0 and (found := HEADING.match(body)):
            self._write_lead(lead)
            return self._heading(number, len(found[1]), found[2])
        if body[0] == "#":
            return self._hashed(lead, body)
        if body[0] == "|":
            return self._table(lead)
        if body[0] == ":":
            return self._colon(lead, body)
        if body[0] == "-" and RULE.match(body):
            return self.leaf("rule", lead.first, number + 1)
        if body[0] == "[" and (found := PICTURE.match(body)) and self._is_end(number + 1):
            detail = Detail(name=found[1].rpartition("/")[2], caption=lead.caption, image=found[1])
            return self.leaf("figure", lead.first, number + 1, detail)
        if body[0] == "[" and column == 0 and FOOTNOTE.match(body):
            return self.leaf("footnote", lead.first, self._after_text(number + 1))
        if body[0] == "\\" and (found := ENVIRONMENT.match(body)):
            return self._formula(lead, found[1])
        return self.leaf("paragraph", lead.first, self._after_text(number + 1))

    def _write_lead(self, lead: _Lead) -> None:
        """Keywords above something that they cannot belong to."""
        if lead.number > lead.first:
            self.leaf("reference", lead.first, lead.number)

    def _heading(self, number: int, level: int, title: str) -> int:
        lines = self.lines
        self.out.add(
            "heading", lines.start[number], lines.end[number], min(level, _DEEPEST), Detail(title=plain_title(title))
        )
        number += 1
        if number < self.limit and lines.indent[number] >= 0 and PLANNING.match(lines.body(number)):
            number = self.leaf("paragraph", number, number + 1, _COMMENT)
        return number

    def _is_end(self, number: int) -> bool:
        return number >= self.limit or self.lines.indent[number] < 0

    def _after_text(self, number: int) -> int:
        """The line after those that go on with a paragraph: up to a blank one, or one that starts something else."""
        lines, text = self.lines, self.text
        margin = self.frames[-1].column if self.frames[-1].kind == "item" else -1
        while number < self.limit and lines.indent[number] > margin:
            at, end = lines.at[number], lines.end[number]
            first, column = text[at], lines.indent[number]
            is_item = first in "-+*0123456789" and self._list_mark(number)
            is_heading = first == "*" and column == 0 and HEADING.match(lines.body(number))
            is_mark = text.startswith(("#+", "# ", ": "), at) or (first == ":" and DRAWER.match(lines.body(number)))
            if is_item or is_heading or is_mark or first == "|" or (first == "-" and RULE.match(lines.body(number))):
                break
            if first == "[" and column == 0 and FOOTNOTE.match(text, at, end):
                break
            number += 1
        return number

    def _hashed(self, lead: _Lead, body: str) -> int:
        """A comment, a keyword, or a block between `#+begin` and `#+end`."""
        number = lead.number
        if found := BEGIN.match(body):
            return self._block(lead, (found[1] or "").lower(), found[1] or "", found[2] or "")
        if found := KEYWORD.match(body):
            name = found[1].lower()
            self.includes += name in _READERS
            if name not in AFFILIATED and len(self.frames) == 1:
                self._write_lead(lead)
                return self._keyword(number, name, found[2] or "")
            return self.leaf("reference", lead.first, number + 1, Detail(name=name))
        after = number + 1
        while body.startswith("# ") and after < self.limit and self.text.startswith("# ", self.lines.at[after]):
            after += 1
        if body == "#" or body.startswith("# "):
            return self.leaf("paragraph", lead.first, after, _COMMENT)
        return self.leaf("paragraph", lead.first, self._after_text(number + 1))

    def _keyword(self, number: int, name: str, value: str) -> int:
        """A setting of the document, or of its export: of the document, where it comes before all text."""
        is_head = self._is_head()
        if is_head:
            self.meta[name] = f"{self.meta[name]} {value}".strip() if name in self.meta else value
        span = self.lines.start[number], self.lines.end[number]
        if is_head and not self.keep_keywords:
            self.removed.append(Span(*span))
        else:
            self.out.add("front_matter" if is_head else "reference", *span, 0, None if is_head else Detail(name=name))
        return number + 1

    def _is_head(self) -> bool:
        """Whether no text came so far, comments aside."""
        blocks = self.out.blocks
        while self._head < len(blocks) and _is_aside(blocks[self._head]):
            self._head += 1
        return self._head == len(blocks)

    def _block(self, lead: _Lead, kind: str, written: str, arguments: str) -> int:
        lines, number = self.lines, lead.number
        stop = self._next(self._ends.get(kind, []), number)
        start, end = lines.start[lead.first], lines.end[number]
        word = "end" if self.text.startswith("#+begin", lines.at[number]) else "END"
        close = f"#+{word}_{written}" if written else f"#+{word}:"
        opening = Enclosure(start, end, close)
        if end - start > _LONGEST_OPENING:
            bare = lines.at[number] + len(f"#+begin_{written}" if written else "#+begin:")
            opening = Enclosure(lines.start[number], bare, close)
        if kind == "comment":
            return self.leaf("paragraph", lead.first, self._after(stop), _COMMENT)
        if kind in _CODE:
            language = arguments.split(" ", 1)[0] if kind == "src" else ""
            return self.leaf("code", lead.first, self._after(stop), Detail(opening, language=language))
        if len(self.frames) >= self.depth:
            self.too_deep += 1
            return self.leaf("paragraph", lead.first, self._after(stop), Detail(is_flat=True))
        self.out.enter("environment", start, end, 0, Detail(opening, kind or "dynamic"))
        self.frames.append(OpenBlock("block", stop, is_closed=self._after(stop) > stop))
        self.limit = stop
        return number + 1

    def _next(self, known: list[int], number: int) -> int:
        """The first of some lines after a line and before what ends the block around it; a heading ends all."""
        at, heading = bisect_right(known, number), bisect_right(self._headings, number)
        limit = min(self.limit, self._headings[heading]) if heading < len(self._headings) else self.limit
        if at < len(known) and known[at] < limit:
            return known[at]
        self.unclosed += 1
        return limit

    def _after(self, stop: int) -> int:
        """The line after a block: its own end is part of it, that of the block around it, or a heading, is not."""
        is_own = stop < self.limit and END.match(self.lines.body(stop)) is not None
        return stop + 1 if is_own else stop

    def _colon(self, lead: _Lead, body: str) -> int:
        """A drawer, lines that are shown as they are, or text."""
        number = lead.number
        if body.upper() == ":END:":
            return self.leaf("paragraph", lead.first, number + 1, _COMMENT)
        if DRAWER.match(body):
            unclosed = self.unclosed
            stop = self._next(self._drawer_ends, number)
            if self.unclosed > unclosed:
                return self.leaf("paragraph", lead.first, self._after_text(number + 1))
            if body.upper() == ":PROPERTIES:" and self._is_head():
                self._read_properties(number + 1, stop)
            return self.leaf("paragraph", lead.first, stop + 1, _COMMENT)
        if body == ":" or body.startswith(": "):
            after = number + 1
            while after < self.limit and self.lines.indent[after] >= 0 and self._is_fixed(after):
                after += 1
            return self.leaf("code", lead.first, after)
        return self.leaf("paragraph", lead.first, self._after_text(number + 1))

    def _is_fixed(self, number: int) -> bool:
        body = self.lines.body(number)
        return body == ":" or body.startswith(": ")

    def _read_properties(self, first: int, after: int) -> None:
        """Properties above all headings are those of the document."""
        for number in range(first, after):
            if found := PROPERTY.match(self.lines.body(number)):
                self.meta.setdefault(found[1].lower(), found[2])

    def _formula(self, lead: _Lead, name: str) -> int:
        """An environment of LaTeX, up to its end or the paragraph's."""
        after = lead.number
        while after < self.limit and self.lines.indent[after] >= 0:
            after += 1
            if self.text.endswith(f"\\end{{{name}}}", 0, self.lines.end[after - 1]):
                break
        opening = self.lines.at[lead.number] + len(f"\\begin{{{name}}}")
        enclosure = Enclosure(self.lines.start[lead.number], opening, f"\\end{{{name}}}")
        return self.leaf("math", lead.first, after, Detail(enclosure, name))

    def _table(self, lead: _Lead) -> int:
        lines = self.lines
        after = lead.number
        rows: list[int] = []
        header = -1
        while after < self.limit and lines.indent[after] >= 0 and self.text[lines.at[after]] == "|":
            if not TABLE_RULE.match(lines.body(after)):
                rows.append(after)
            elif rows and header < 0:
                header = after
            after += 1
        last = after - 1
        while after < self.limit and self.text.startswith(("#+TBLFM:", "#+tblfm:"), lines.at[after]):
            last, after = after, after + 1
        has_header = 0 <= header < (rows[-1] if rows else 0)
        start = lines.start[lead.first]
        opening = Enclosure(start, lines.end[lead.number - 1]) if lead.number > lead.first else None
        until = lines.end[header] if has_header else (opening.end if opening else start)
        detail = Detail(opening, header_end=until, caption=lead.caption)
        table = self.out.add("table", start, lines.end[last], 0, detail)
        self.out.blocks += [Block("row", lines.start[row], lines.end[row], 0, table) for row in rows]
        return after

    # --- lists ------------------------------------------------------------------------------------------------------

    def _list_mark(self, number: int) -> int:
        """Where the text of an item starts that a line opens; 0 where it opens none."""
        if number >= self.limit:
            return 0
        found = BULLET.match(self.text, self.lines.at[number], self.lines.end[number])
        is_heading = found is not None and found[1] == "*" and self.lines.indent[number] == 0
        return found.end() if found and not is_heading else 0

    def _item(self, lead: _Lead, column: int, after_mark: int) -> int:
        lines, number = self.lines, lead.number
        if self.frames[-1].kind == "item" and self.frames[-1].column == column:
            self.leave()
        if self.frames[-1].kind != "list" or self.frames[-1].column != column:
            if len(self.frames) + 2 > self.depth:
                self.too_deep += 1
                return self.leaf("paragraph", lead.first, self._after_text(number + 1), Detail(is_flat=True))
            level = sum(one.kind == "list" for one in self.frames)
            self.out.enter("list", lines.start[lead.first], lines.end[number], level)
            self.frames.append(OpenBlock("list", self.limit, column=column))
        counted = COUNTED.match(self.text, after_mark, lines.end[number])
        at = counted.end() if counted else after_mark
        detail = None
        if found := TERM.match(self.text, at, lines.end[number]):
            at = found.end()
            if at - lines.at[number] <= _LONGEST_OPENING:
                detail = Detail(Enclosure(lines.at[number], trimmed(self.text, lines.at[number], at)))
        self.out.enter("item", lines.start[number], lines.end[number], 0, detail)
        self.frames.append(OpenBlock("item", self.limit, column=column))
        if at >= lines.end[number]:
            self.out.end = lines.end[number]
            return number + 1
        after = self._after_text(number + 1)
        self.out.add("paragraph", at, lines.end[lines.last_text(number, after)])
        return after


def _is_aside(block: Block) -> bool:
    return block.kind == "front_matter" or (block.detail or NO_DETAIL).comment


def parse(raw: ParseInput) -> ParseResult:
    """The text is the source."""
    mode = raw.reading.front_matter
    with gc_paused():
        scan = OrgScan(raw.text, raw.limits.depth, keep_keywords=mode == "include")
        scan.run()
    title = str(scan.meta.get("title", ""))
    meta = {} if mode == "strip" else scan.meta
    return ParseResult(raw.text, scan.out.blocks, title, meta, removed=tuple(scan.removed), notices=_notices(scan))


def _notices(scan: OrgScan) -> tuple[Notice, ...]:
    """What was not read as it may be meant."""
    counts = (
        ("org-include", scan.includes, "keywords name other files, which are not read"),
        ("org-unclosed", scan.unclosed, "blocks or drawers have no end: they go on to the next heading, or are text"),
        ("org-depth", scan.too_deep, "blocks are nested too deep: each is read as one paragraph"),
    )
    return tuple(Notice(code, f"{count} {message}") for code, count, message in counts if count)
