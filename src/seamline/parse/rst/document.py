"""reStructuredText -> blocks of its source. Nothing is included, evaluated or read from elsewhere.

The text is the source, so spans are its offsets. Lines are read once, from the first to the last, with a stack of what
they are inside of; what is indented beyond all measure is one block.
"""

from __future__ import annotations

from typing import Any

from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.rst.directives import (
    COMMENT,
    DIRECTIVE,
    FOOTNOTE,
    TARGET,
    RstDirective,
    RstTable,
    read_directive,
    read_grid_table,
    read_simple_table,
)
from seamline.parse.rst.lines import (
    BULLET,
    ENUMERATOR,
    FIELD,
    GRID,
    OPTION,
    SIMPLE,
    RstLines,
    count_odd_formulas,
    count_open_marks,
    plain_title,
)
from seamline.parse.source_lines import column_width
from seamline.runtime import gc_paused
from seamline.text.headings import heading_text
from seamline.text.lines import trimmed
from seamline.types import NO_DETAIL, Block, Detail, Enclosure, Notice

_DEEPEST = 6
_SHORT = 4
"""Below this many signs a line under or over another is text, unless it is as long as that."""
_LONGEST_OPENING = 100


class _Inside:
    """A block that lines may still belong to."""

    __slots__ = ("block", "floor", "indent", "mark")

    def __init__(self, block: int, floor: int, indent: int, mark: str = "") -> None:
        self.block = block
        self.floor = floor
        """Lines that are indented less are after it."""
        self.indent = indent
        """The column its blocks start in."""
        self.mark = mark
        """Of a list, what its items start with; empty of other blocks."""


class RstScan:
    """Reads the lines of one source."""

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.lines = RstLines(text)
        self.depth = depth
        self.blocks: list[Block] = []
        self.includes = self.substitutions = self.odd_levels = self.odd_tables = self.too_deep = 0
        self._stack = [_Inside(-1, 0, 0)]
        self._styles: list[str] = []
        self._level = 0
        self._end = 0
        """Where the last block ends so far."""

    def run(self) -> None:
        lines, number = self.lines, 0
        while number < len(lines):
            column = lines.indent[number]
            if column < 0:
                number += 1
                continue
            while column < self._stack[-1].floor:
                self._leave()
            if self._stack[-1].mark and column > self._stack[-1].indent:
                self._leave()
            inside = self._stack[-1]
            inside.indent = min(inside.indent, column)
            if column > inside.indent:
                if len(self._stack) > self.depth:
                    number = self._swallow(number, lines.start[number], column - 1)
                    continue
                self._enter("quote", lines.start[number], column, column)
            number = self._element(number, lines.at[number], column)
        while len(self._stack) > 1:
            self._leave()

    # --- blocks ---------------------------------------------------------------------------------------------------

    def _add(self, kind: str, start: int, end: int, level: int = 0, detail: Detail | None = None) -> int:
        self.blocks.append(Block(kind, start, end, level, self._stack[-1].block, detail))
        self._end = end
        return len(self.blocks) - 1

    def _enter(
        self, kind: str, start: int, floor: int, indent: int, mark: str = "", detail: Detail | None = None
    ) -> None:
        level = sum(bool(one.mark) for one in self._stack) if kind == "list" else 0
        index = self._add(kind, start, start + 1, level, detail)
        self._stack.append(_Inside(index, floor, indent, mark))

    def _leave(self) -> None:
        index = self._stack.pop().block
        block = self.blocks[index]
        self.blocks[index] = block._replace(end=max(block.end, self._end))

    def _swallow(self, number: int, start: int, column: int) -> int:
        """All that is indented beyond a column, as one paragraph."""
        self.too_deep += 1
        after = self.lines.after_indented(number + 1, column)
        self._add("paragraph", start, self.lines.end[self.lines.last_text(number, after)], 0, Detail(is_flat=True))
        return after

    def _start(self, number: int, at: int) -> int:
        """Where a block starts whose text does: with the line, where it is the first of it."""
        return self.lines.start[number] if at == self.lines.at[number] else at

    def _leaf(self, kind: str, first: int, after: int, at: int, detail: Detail | None = None) -> int:
        """Whole lines as one block; the number of the line after them."""
        last = max(first, self.lines.last_text(first, after))
        self._add(kind, self._start(first, at), self.lines.end[last], 0, detail)
        return after

    # --- what a line starts ---------------------------------------------------------------------------------------

    def _element(self, number: int, at: int, column: int) -> int:
        """Read the block that starts at `at`; the number of the line to go on with."""
        while True:
            mark, after_mark = self._list_mark(number, at, column)
            if not mark:
                break
            if len(self._stack) >= self.depth:
                return self._swallow(number, at, column)
            self._item(number, at, column, mark, after_mark)
            if mark == "term" or after_mark >= self.lines.end[number]:
                self._end = self.lines.end[number]
                return number + 1
            column = self._stack[-1].indent
            at = after_mark
        if self._stack[-1].mark:
            self._leave()
        return self._other(number, at, column)

    def _list_mark(self, number: int, at: int, column: int) -> tuple[str, int]:
        """What kind of item starts here, and where its text does; nothing where none starts."""
        lines, text = self.lines, self.text
        end, first = lines.end[number], text[at]
        if first in "*+-•‣⁃" and (found := BULLET.match(text, at, end)):
            return first, found.end()
        if first == ":" and (found := FIELD.match(text, at, end)):
            return "field", found.end()
        if first in "-/" and (found := OPTION.match(text, at, end)):
            return "option", found.end()
        if (first.isalnum() or first in "(#") and (found := ENUMERATOR.match(text, at, end)):
            is_closed = found[1] is None or found[2] == ")"
            if is_closed and self._may_number(number + 1, column):
                return f"enumerated {found[1] or ''}{found[2]}", found.end()
        if self._is_term(number, at, column):
            return "term", end
        return "", at

    def _may_number(self, below: int, column: int) -> bool:
        """Whether a line can stand below a numbered one: else that is a sentence which starts like one."""
        lines = self.lines
        if lines.is_blank(below) or lines.indent[below] > column:
            return True
        return lines.indent[below] == column and bool(ENUMERATOR.match(self.text, lines.at[below], lines.end[below]))

    def _is_term(self, number: int, at: int, column: int) -> bool:
        """Whether a line is a term: one line of text with its definition indented right below it."""
        lines, text = self.lines, self.text
        if number + 1 >= len(lines) or lines.indent[number + 1] <= column:
            return False
        if text.startswith(("..", "| ", ">>> ", "__ "), at) or text.endswith("::", at, lines.end[number]):
            return False
        return not (at == lines.at[number] and self._is_drawn(number))

    def _is_drawn(self, number: int) -> bool:
        """Whether a line starts a table or is an overline."""
        lines, text = self.lines, self.text
        at, end = lines.at[number], lines.end[number]
        if text[at] in "+=" and (GRID.match(text, at, end) or SIMPLE.match(text, at, end)):
            return True
        return bool(lines.adornment(number))

    def _item(self, number: int, at: int, column: int, mark: str, after_mark: int) -> None:
        """Start an item, and a list where it is the first."""
        lines = self.lines
        inside = self._stack[-1]
        if inside.mark != mark:
            if inside.mark:
                self._leave()
            self._enter("list", at, column, column, mark)
        detail: Detail | None = None
        floor = indent = column + column_width(self.text[at:after_mark])
        if mark in ("term", "field", "option"):
            floor = column + 1
            below = number + 1
            indent = lines.indent[below] if not lines.is_blank(below) else floor + 1
            opening = lines.end[number] if mark == "term" else after_mark
            if opening - at <= _LONGEST_OPENING:
                detail = Detail(Enclosure(at, trimmed(self.text, at, opening)))
        elif after_mark >= lines.end[number]:
            floor = indent = column + 2 if lines.is_blank(number + 1) else max(column + 1, lines.indent[number + 1])
        self._enter("item", at, floor, max(indent, floor), "", detail)

    # --- other blocks ---------------------------------------------------------------------------------------------

    def _other(self, number: int, at: int, column: int) -> int:
        lines, text = self.lines, self.text
        end, first = lines.end[number], text[at]
        if first == "." and text.startswith("..", at) and (end == at + 2 or text[at + 2] in " \t"):
            return self._explicit(number, at, column)
        if first == "_" and (text.startswith("__ ", at) or end == at + 2 == lines.at[number] + 2):
            return self._leaf("reference", number, number + 1, at)
        if first == "+" and GRID.match(text, at, end):
            return self._table(number, at, read_grid_table(lines, number, at, column))
        if first == "=" and SIMPLE.match(text, at, end):
            found = read_simple_table(lines, number, at, column)
            if found is not None:
                return self._table(number, at, found)
            self.odd_tables += 1
        if len(self._stack) == 1 and at == lines.at[number] and column == 0:
            after = self._heading(number)
            if after:
                return after
        if first == ">" and text.startswith(">>>", at):
            return self._leaf("code", number, self._to_blank(number, column), at, Detail(doctest=True))
        if first == "|" and (end == at + 1 or text[at + 1] == " "):
            return self._leaf("paragraph", number, self._to_blank(number, column), at, Detail(line_block=True))
        return self._paragraph(number, at, column)

    def _to_blank(self, number: int, column: int) -> int:
        """The number of the line after the last that follows without a blank one and is not indented less."""
        number += 1
        while number < len(self.lines) and self.lines.indent[number] >= column:
            number += 1
        return number

    def _heading(self, number: int) -> int:
        """A section title or a rule; 0 where the line is neither."""
        lines = self.lines
        over = lines.adornment(number)
        if over:
            if lines.is_blank(number + 1):
                return self._leaf("rule", number, number + 1, lines.at[number]) if len(over) >= _SHORT else 0
            under = lines.adornment(number + 2)
            if not under or under[0] != over[0]:
                return 0
            title = lines.body(number + 1)
            if len(under) < min(len(title), _SHORT):
                return 0
            return self._add_heading(number, number + 2, title, over[0] * 2)
        under = lines.adornment(number + 1)
        title = lines.body(number)
        if not under or len(under) < min(len(title), _SHORT):
            return 0
        return self._add_heading(number, number + 1, title, under[0])

    def _add_heading(self, first: int, last: int, title: str, style: str) -> int:
        """A heading; its level is the place of its style among those seen so far."""
        if style in self._styles:
            level = self._styles.index(style) + 1
            self.odd_levels += level > self._level + 1
        else:
            self.odd_levels += len(self._styles) > self._level
            self._styles.append(style)
            level = len(self._styles)
        self._level = level
        detail = Detail(title=plain_title(title))
        self._add("heading", self.lines.start[first], self.lines.end[last], min(level, _DEEPEST), detail)
        return last + 1

    def _table(self, number: int, at: int, found: RstTable) -> int:
        lines = self.lines
        self.odd_tables += not found.is_sound
        detail = Detail(header_end=lines.end[found.header])
        index = self._add("table", self._start(number, at), lines.end[found.after - 1], 0, detail)
        for first, after in found.rows:
            self.blocks.append(Block("row", lines.start[first], lines.end[lines.last_text(first, after)], 0, index))
        return found.after

    def _paragraph(self, number: int, at: int, column: int) -> int:
        """Lines of text, and the literal block that they announce."""
        lines = self.lines
        after = number + 1
        while after < len(lines) and lines.indent[after] == column:
            after += 1
        self._leaf("paragraph", number, after, at)
        if not self.text.endswith("::", at, lines.end[after - 1]):
            return after
        below = after
        while below < len(lines) and lines.indent[below] < 0:
            below += 1
        if below == len(lines):
            return below
        if lines.indent[below] > column:
            after = lines.after_indented(below, column)
        elif lines.indent[below] == column and below > after and self._is_quoted(below):
            sign, after = self.text[lines.at[below]], below
            while after < len(lines) and lines.indent[after] == column and self.text[lines.at[after]] == sign:
                after += 1
        else:
            return after
        return self._leaf("code", below, after, lines.at[below])

    def _is_quoted(self, number: int) -> bool:
        """Whether a line starts with a sign that quotes it: no letter, and no list, directive or title."""
        lines = self.lines
        first = self.text[lines.at[number]]
        return first in "!\"#$%&'*+,-./:;<=>?@[\\]^_`{|}~" and not self._is_drawn(number) and first not in ".:_"

    # --- explicit markup ------------------------------------------------------------------------------------------

    def _explicit(self, number: int, at: int, column: int) -> int:
        """What starts with two dots: a footnote, a target, a directive, else a comment."""
        lines, text = self.lines, self.text
        end = lines.end[number]
        if found := FOOTNOTE.match(text, at, end):
            if len(self._stack) >= self.depth:
                return self._swallow(number, at, column)
            below = number + 1
            indent = lines.indent[below] if not lines.is_blank(below) else column + 3
            self._enter("footnote", self._start(number, at), column + 1, max(indent, column + 1))
            if found.end() >= end:
                self._end = end
                return number + 1
            return self._first_paragraph(number, found.end(), column)
        if found := DIRECTIVE.match(text, at, end):
            return self._directive(number, at, column, read_directive(lines, number, column, found))
        if TARGET.match(text, at, end):
            return self._leaf("reference", number, lines.after_indented(number + 1, column), at)
        if COMMENT.match(text, at, end) or not lines.is_blank(number + 1):
            return self._leaf("paragraph", number, lines.after_indented(number + 1, column), at, Detail(comment=True))
        return self._leaf("paragraph", number, number + 1, at, Detail(comment=True))

    def _first_paragraph(self, number: int, at: int, column: int) -> int:
        """Text that starts in the line of its mark, and all lines below it up to a blank one."""
        after = number + 1
        while after < len(self.lines) and self.lines.indent[after] > column:
            after += 1
        self._add("paragraph", at, self.lines.end[after - 1])
        return after

    def _directive(self, number: int, at: int, column: int, found: RstDirective) -> int:
        self.includes += found.reads
        self.substitutions += found.is_substitution
        start = self._start(number, at)
        if found.is_leaf or len(self._stack) >= self.depth:
            after = self._leaf(found.kind, number, found.after, at, found.detail)
            index = len(self.blocks) - 1
            for first, last in found.rows:
                self.blocks.append(Block("row", self.lines.start[first], self.lines.end[last], 0, index))
            return after
        self._enter("directive", start, column + 1, found.indent, "", found.detail)
        self._end = self.lines.end[found.header]
        if found.text_at:
            return self._first_paragraph(number, found.text_at, column)
        return found.header + 1


def parse(raw: ParseInput) -> ParseResult:
    text = raw.text
    with gc_paused():
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
            inline += count_open_marks(text, block.start, block.end)
            formulas += count_odd_formulas(text, block.start, block.end)
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
