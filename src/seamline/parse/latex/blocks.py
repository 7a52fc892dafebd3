"""The tree of a LaTeX document -> blocks in pre-order, with their enclosures; tables with rows and header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from seamline.parse.latex.lex import BEGIN, BLANK, CODE, END, HEAD, HIDDEN, ITEM, ROW, RULE, LatexMark, name_set
from seamline.parse.latex.text import plain_text
from seamline.parse.latex.tree import LatexArguments, LatexTree
from seamline.text.graphemes import is_boundary
from seamline.text.lines import trimmed
from seamline.types import Block, Detail, Enclosure

_LISTS = name_set("itemize enumerate description list trivlist thebibliography compactitem compactenum")
_TABLES = name_set("tabular tabularx tabulary longtable xltabular tabu longtabu tblr longtblr supertabular NiceTabular")
_MATH = name_set(
    "equation align gather multline eqnarray flalign alignat xalignat displaymath math dmath IEEEeqnarray aligned"
    " alignedat gathered split cases array matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix $$ \\["
)
_FIGURES = name_set("figure wrapfigure SCfigure sidewaysfigure marginfigure subfigure")
_CLOSES = {"$$": "$$", "\\[": "\\]"}
_VISIBLE = re.compile(r"\S")
_COMMENTS = re.compile(r"(?:[ \t]*+%[^\r\n]*+(?:[\r\n\s]++|\Z))++")
_CAPTION = re.compile(r"\\caption\*?[ \t]*(?:\[[^\]\r\n]{0,400}\])?[ \t]*(?=\{)")
_LANGUAGE = re.compile(r"language[ \t]*=[ \t]*\{?[ \t]*(?:\[[^\]\r\n]{0,40}\])?[ \t]*([A-Za-z0-9+#-]+)")
_FIRST_LINE = re.compile(r"(?:\[[^\r\n]{0,200}\]|\{[^{}\r\n]{0,60}\}){0,3}(?=[ \t]*[\r\n])")
_BRACED = re.compile(r"\{([A-Za-z0-9+#-]{1,40})\}$")
_LONGEST_OPENING = 60
"""Characters of what parts reopen; of a longer one only `\\begin{name}`."""


class _Open(NamedTuple):
    """A container whose end is still to come."""

    block: int
    end: int
    """Position of the mark that ends it; -1 for an item, which the next one ends."""
    is_math: bool


class LatexBlocks:
    """Makes the blocks of a document from its first mark to its last."""

    def __init__(self, text: str, tree: LatexTree, arguments: LatexArguments, depth: int, top: int) -> None:
        self.text = text
        self.tree = tree
        self.arguments = arguments
        self.depth = depth
        self.top = top
        """Rank of the highest section command there is."""
        self.blocks: list[Block] = []
        self.too_deep = 0
        self._stack: list[_Open] = []
        self._lists = 0
        self._run = 0
        """Where the text begins that is in no block yet."""

    def read(self, first: int, start: int, last: int, end: int) -> None:
        """Blocks of the source from `start` to `end`, where the marks [first, last) are."""
        marks = self.tree.marks
        self._run = start
        position = first
        while position < last:
            position = self._mark(position, marks[position])
        self.paragraph(end)

    def _mark(self, position: int, mark: LatexMark) -> int:
        """Take one mark in; the position to go on at."""
        if mark.start < self._run and mark.kind not in (BEGIN, END):
            return position + 1  # in an argument of what is a block already
        if mark.kind == BLANK:
            self.paragraph(mark.start)
        elif mark.kind == HEAD:
            self._heading(position)
        elif mark.kind == CODE or mark.kind == HIDDEN:
            self._verbatim(mark)
        elif mark.kind == ITEM:
            self._item(position, mark)
        elif mark.kind == BEGIN:
            end = self.tree.partner.get(position)
            if end is not None and position not in self.tree.flat:
                return self._environment(position, mark, end)
            self._add_bare_mark(position, mark)
        elif mark.kind == END:
            self._end(position, mark)
        return position + 1

    # --- leaves ---------------------------------------------------------------------------------------------------

    def add(self, kind: str, start: int, end: int, level: int = 0, detail: Detail | None = None) -> int:
        parent = self._stack[-1].block if self._stack else -1
        self.blocks.append(Block(kind, start, end, level, parent, detail))
        return len(self.blocks) - 1

    def paragraph(self, end: int, detail: Detail | None = None) -> None:
        """The text since the last block, if there is any, as one."""
        found = _VISIBLE.search(self.text, self._run, end)
        if found is not None:
            start = self._line_start(found.start())
            stop = trimmed(self.text, start, end)
            if detail is None and self.text[found.start()] == "%" and _COMMENTS.fullmatch(self.text, start, stop):
                detail = Detail(comment=True)
            self.add("math" if self._in_math() else "paragraph", start, stop, 0, detail)
        self._run = end

    def _flush_before(self, at: int) -> int:
        """Where a block starts whose first mark is at `at`; the text before it is a paragraph."""
        start = self._line_start(at)
        self.paragraph(start)
        return start

    def _in_math(self) -> bool:
        return bool(self._stack) and self._stack[-1].is_math

    def _add_bare_mark(self, position: int, mark: LatexMark) -> None:
        """A begin or end that makes no block: a paragraph of its own."""
        if mark.name in _CLOSES:
            return
        self.paragraph(mark.start)
        self.paragraph(self._opening(position, mark) if mark.kind == BEGIN else mark.end)

    def _heading(self, position: int) -> None:
        heading = self.tree.headings[position]
        start = self._flush_before(heading.start)
        title = plain_text(self.text[slice(*heading.title)])
        level = min(heading.rank - self.top + 1, 6)
        self.add("heading", start, heading.end, level, Detail(title=title))
        self._run = heading.end

    def _verbatim(self, mark: LatexMark) -> None:
        start = self._flush_before(mark.start)
        enclosure = Enclosure(mark.start, mark.start + len("\\iffalse"), "\\fi")
        name, language = None, ""
        if mark.value:
            line = _FIRST_LINE.match(self.text, mark.value)
            opening = line.end() if line else mark.value
            enclosure, name = Enclosure(mark.start, opening, f"\\end{{{mark.name}}}"), mark.name
            options = self.text[mark.value : min(opening, mark.value + 400)]
            if found := _LANGUAGE.search(options) or (mark.name == "minted" and _BRACED.search(options)):
                language = found[1]
        detail = Detail(enclosure, name, language=language, comment=mark.kind == HIDDEN)
        self.add("code", start, mark.end, 0, detail)
        self._run = mark.end

    # --- environments ---------------------------------------------------------------------------------------------

    def _environment(self, position: int, mark: LatexMark, end: int) -> int:
        name = mark.name.rstrip("*")
        is_math = name in _MATH or self._in_math()
        holds = position in self.tree.holders
        if len(self._stack) >= self.depth:
            self.too_deep += 1
            return self._leaf("environment", position, mark, end)
        if name in _TABLES and not self._in_math():
            return self._table(position, mark, end)
        if is_math and not holds:
            return self._leaf("math", position, mark, end)
        if name in _FIGURES and not holds:
            return self._leaf("figure", position, mark, end)
        start = self._flush_before(mark.start)
        stop = self.tree.marks[end].end
        opening = self._opening(position, mark)
        detail = Detail(self._enclosure(mark, opening), mark.name)
        is_list = name in _LISTS
        self._lists += is_list
        kind, level = ("list", self._lists - 1) if is_list else ("environment", 0)
        index = self.add(kind, start, stop, level, detail)
        self._stack.append(_Open(index, end, is_math))
        self._run = opening
        return position + 1

    def _opening(self, position: int, mark: LatexMark) -> int:
        """One past a begin and its arguments."""
        if mark.name in _CLOSES:
            return mark.end
        return self._before_next(position, self.arguments.after_arguments(mark.end))

    def _before_next(self, position: int, after: int) -> int:
        """One past the arguments of a mark, which hold no other begin or end."""
        marks = self.tree.marks
        for later in range(position + 1, len(marks)):
            if marks[later].start >= after:
                break
            if marks[later].kind in (BEGIN, END):
                return marks[later].start
        return after

    def _enclosure(self, mark: LatexMark, opening: int) -> Enclosure:
        close = _CLOSES.get(mark.name) or f"\\end{{{mark.name}}}"
        return Enclosure(mark.start, opening if opening - mark.start <= _LONGEST_OPENING else mark.end, close)

    def _leaf(self, kind: str, position: int, mark: LatexMark, end: int) -> int:
        """An environment as one block."""
        start = self._flush_before(mark.start)
        stop = self.tree.marks[end].end
        opening = self._opening(position, mark)
        caption = ""
        if kind == "figure" and (found := _CAPTION.search(self.text, opening, stop)):
            caption = plain_text(self.text[found.end() + 1 : self.arguments.closes.get(found.end(), 0)])
        name = None if mark.name in _CLOSES else mark.name
        self.add(kind, start, stop, 0, Detail(self._enclosure(mark, opening), name, caption=caption))
        self._run = stop
        return end + 1

    def _table(self, position: int, mark: LatexMark, end: int) -> int:
        start = self._flush_before(mark.start)
        stop = self.tree.marks[end]
        opening = self._opening(position, mark)
        rows, header_end = table_rows(self.text, self.tree, position, end, opening)
        detail = Detail(self._enclosure(mark, opening), mark.name, header_end=header_end)
        index = self.add("table", start, stop.end, 0, detail)
        self.blocks += [Block("row", *row, 0, index) for row in rows]
        self._run = stop.end
        return end + 1

    def _end(self, position: int, mark: LatexMark) -> None:
        if all(one.end != position for one in self._stack[-2:]):  # the innermost container, around an item at most
            self._add_bare_mark(position, mark)
            return
        self.paragraph(mark.start)
        self._leave_item(mark.start)
        if self.blocks[self._stack.pop().block].kind == "list":
            self._lists -= 1
        self._run = mark.end

    # --- items ----------------------------------------------------------------------------------------------------

    def _item(self, position: int, mark: LatexMark) -> None:
        """The next item of a list; an environment that has items is one."""
        if not self._stack or self._in_math() or len(self._stack) > self.depth:
            return
        start = self._flush_before(mark.start)
        self._leave_item(start)
        block = self.blocks[self._stack[-1].block]
        if block.kind == "environment":
            self._lists += 1
            self.blocks[self._stack[-1].block] = block._replace(kind="list", level=self._lists - 1)
        after = self.arguments.option(mark.end)
        if mark.name == "bibitem":
            after = self.arguments.after_arguments(mark.end)
        elif after == mark.end and self.text.startswith(" [", after):
            after = self.arguments.option(after + 1)
        after = self._before_next(position, after)
        opening = after if after - mark.start <= _LONGEST_OPENING else mark.end
        index = self.add("item", start, after, 0, Detail(Enclosure(mark.start, opening)))
        self._stack.append(_Open(index, -1, False))
        self._run = after

    def _leave_item(self, end: int) -> None:
        if self._stack and self._stack[-1].end < 0:
            index = self._stack.pop().block
            block = self.blocks[index]
            self.blocks[index] = block._replace(end=max(block.end, trimmed(self.text, block.start, end)))

    # --- places ---------------------------------------------------------------------------------------------------

    def _line_start(self, at: int) -> int:
        """The start of the line where only blanks stand before `at`, else `at`."""
        start = at
        while start > self._run and self.text[start - 1] in " \t":
            start -= 1
        return start if start == 0 or self.text[start - 1] in "\r\n" else at


_BARE = re.compile(r"(?:\s++|%[^\r\n]*+)*+")
_HEADS = frozenset(("endhead", "endfirsthead", "endfoot", "endlastfoot"))
_PARTIAL = frozenset(("cline", "cmidrule", "addlinespace"))
"""Rules under some cells of a header, or none: one ends a header only where no other rule does."""
_BLANKS = " \t"


def table_rows(text: str, tree: LatexTree, begin: int, end: int, opening: int) -> tuple[list[tuple[int, int]], int]:
    """Spans of the rows between two marks, and where the header ends: after the opening where there is none."""
    # A row ends before a whole character: accents on its last mark are part of it.
    marks = [mark for mark in _own_marks(tree, begin, end) if mark.kind != ROW or is_boundary(text, mark.end)]
    depth = tree.marks[begin].value
    breaks = [mark for mark in marks if mark.kind == ROW]
    if any(mark.value == depth for mark in breaks):  # others are inside a cell
        marks = [mark for mark in marks if mark.kind != ROW or mark.value == depth]
    first = next((index for index, mark in enumerate(marks) if mark.kind == ROW), len(marks))
    partial = _PARTIAL if any(mark.kind == RULE and mark.name not in _PARTIAL for mark in marks[first:-1]) else ()
    rows: list[tuple[int, int]] = []
    header_end = header_rows = 0
    at = opening
    ruled = opening  # one past the last rule, while only rules follow the row
    for mark in marks:
        if mark.kind == ROW:
            _add(rows, text, at, mark.end)
            at = ruled = mark.end
        elif mark.name in _HEADS or (
            not header_rows and rows and mark.name not in partial and _is_bare(text, ruled, mark.start)
        ):
            header_end, header_rows = mark.end, len(rows)
            at = ruled = mark.end
        elif _is_bare(text, ruled, mark.start):
            ruled = mark.end
            if rows and header_end == at and header_rows == len(rows):
                header_end = at = mark.end  # rules of the header may be several
    stop = tree.marks[end].start
    if not _is_bare(text, max(at, ruled), stop):
        _add(rows, text, at, trimmed(text, at, stop))
    return rows, header_end if 0 < header_rows < len(rows) else opening


def _own_marks(tree: LatexTree, begin: int, end: int) -> Iterator[LatexMark]:
    """Row ends and rules of the table itself, not of what is nested in it."""
    position = begin + 1
    while position < end:
        mark = tree.marks[position]
        if mark.kind == BEGIN and (partner := tree.partner.get(position)) is not None:
            position = partner
        elif mark.kind in (ROW, RULE):
            yield mark
        position += 1


def _add(rows: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """A row from its first visible character, with the blanks that start its line."""
    first = start
    while first < end and text[first].isspace():
        first += 1
    while first > start and text[first - 1] in _BLANKS:
        first -= 1
    if first < end:
        rows.append((first, end))


def _is_bare(text: str, start: int, end: int) -> bool:
    """Whether there is nothing but white space and comments."""
    match = _BARE.match(text, start, max(start, end))
    return match is not None and match.end() >= end
