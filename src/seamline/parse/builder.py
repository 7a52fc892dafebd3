"""Extracted text, block by block: what parsers of binary and markup formats write into.

The text is plain Markdown, so that people and models read headings, lists and tables as such: `## Title`, `- item`,
rows between bars under a header, code between fences. Blocks and anchors are kept as it grows; nothing is parsed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, zip_longest
from operator import sub
from typing import Any, NamedTuple

from seamline.anchors import Anchor, Anchors
from seamline.types import Block, Detail

_DEEPEST = 6
_SPACE = re.compile(r"\s+")
_TICKS = re.compile(r"`{3,}")
_FENCED = Detail(fenced=True)
CAPTION = Detail(type="caption")
"""Of a paragraph that names the table, picture or code beside it."""
_new = tuple.__new__
"""Makes a block or an anchor in a third of the time that its own constructor takes."""
_UNWRITTEN = Block("", -1, -1)
"""Holds the place of a block until it ends."""

Place = Mapping[str, Any]


class PlacedText(NamedTuple):
    """Text that stands in one place of the source."""

    text: str
    place: Place | None = None


Words = str | Sequence[PlacedText]
"""Text of a block: all in the block's place, or in runs with places of their own."""


@dataclass(slots=True)
class _Open:
    """A block that is being written."""

    index: int
    kind: str
    level: int
    detail: Detail | None
    mark: str
    """What stands before its first line, such as `- `."""
    margin: str
    """What stands before its other lines."""
    asked: bool
    """Whether it was the one to ask for a gap, and takes that back where nothing is written."""
    start: int = -1
    """-1 until its first text."""


class DocumentBuilder:
    """Collects the text, blocks and anchors of a document from its first block to its last."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._anchors: list[Anchor] = []
        self._open: list[_Open] = []
        self._gap: str | None = ""
        """What stands between the last text and the next; None until a block asks for it."""

    @property
    def length(self) -> int:
        """Characters so far."""
        return self._length

    def finish(self) -> tuple[str, list[Block], Anchors | None]:
        """The text, its blocks and where they stand; no anchors where no place was given."""
        return "".join(self._parts), self._blocks, Anchors(self._anchors) if self._anchors else None

    # --- blocks of text -------------------------------------------------------------------------------------------

    def heading(self, level: int, words: Words, place: Place | None = None, detail: Detail | None = None) -> None:
        """A heading of level 1-6; deeper ones count as 6. One without text is left out."""
        level = min(max(level, 1), _DEEPEST)
        self._running("heading", "#" * level + " ", words, place, level, detail)

    def paragraph(
        self, words: Words, place: Place | None = None, kind: str = "paragraph", detail: Detail | None = None
    ) -> None:
        """A paragraph, or another kind of running text, such as `figure` for what stands for a picture."""
        self._running(kind, "", words, place, 0, detail)

    def lines(self, lines: Iterable[str], place: Place | None = None, kind: str = "paragraph") -> None:
        """Running text whose line ends count, such as verse, an address or a letter; blank lines are left out."""
        kept = [line for line in (" ".join(line.split()) for line in lines) if line]
        self._lines(kind, kept, place)

    def footnote(self, label: str, words: Words, place: Place | None = None) -> None:
        self._running("footnote", f"[^{label}]: ", words, place)

    def math(self, formula: str, place: Place | None = None) -> None:
        """A formula that stands alone, between `$$`."""
        if formula.strip():
            self._lines("math", ["$$", *formula.strip().splitlines(), "$$"], place)

    def code(
        self, source: str, language: str = "", place: Place | None = None, places: Sequence[Place | None] = ()
    ) -> None:
        """Code between fences, line by line as it is. `places` are those of the lines, where each has its own."""
        longest = max((len(run) for run in _TICKS.findall(source)), default=2)
        fence = "`" * (longest + 1)
        if source.strip():
            lines = [fence + language, *source.strip("\r\n").splitlines(), fence]
            self._lines("code", lines, place, _FENCED, [None, *places, None] if places else ())

    def rule(self, place: Place | None = None) -> None:
        self._lines("rule", ["---"], place)

    def table(
        self, rows: Iterable[Sequence[str]], places: Sequence[Place | Sequence[Place | None] | None] = ()
    ) -> None:
        """A table; its first row is the header. Rows may be of different length. `places` are those of the rows, or,
        for a row that may be cut between its cells, a list of those of its cells."""
        given = list(rows)
        width = max(map(len, given), default=0)
        if not any(cell.strip() for row in given for cell in row):
            return
        by_cells = any(place is not None and not isinstance(place, Mapping) for place in places)
        with self._block("table"):
            if by_cells:
                self._rows_by_cells(given, width, places)
                return
            lines = [f"| {line} |" for line in join_cells(given, width)]
            with self._block("row"):
                self._put(lines[0], places[0] if places else None)  # type: ignore[arg-type]  # no cells, as just seen
            margin = "".join(one.margin for one in self._open)
            self._emit(f"\n{margin}|" + " --- |" * width)
            self._rows_after(f"\n{margin}", lines[1:], places[1:])  # type: ignore[arg-type]

    def _rows_by_cells(
        self, rows: Sequence[Sequence[str]], width: int, places: Sequence[Place | Sequence[Place | None] | None]
    ) -> None:
        for index, row in enumerate(rows):
            with self._block("row", tight=index > 0):
                cells = [*(escape_cell(cell) for cell in row), *[""] * (width - len(row))]
                self._row(cells, places[index] if index < len(places) else None)
            if index == 0:
                self._newline()
                self._emit("|" + " --- |" * width)

    def table_of_lines(
        self, header: Sequence[str], text: str, ends: Sequence[int], places: Sequence[Place | None]
    ) -> None:
        """A table whose rows after the header are written already, between bars and each on a line, which ends where
        `ends` says; only outside of lists and quotes."""
        if not any(cell.strip() for cell in header) and not text.strip("| \n"):
            return
        with self._block("table"):
            with self._block("row"):
                self._row([escape_cell(cell) for cell in header], places[0])
            self._emit("\n|" + " --- |" * len(header))
            base = self._length + 1
            starts = [base, *(base + 1 + end for end in ends[:-1])]
            self._rows_at(f"\n{text}" if ends else "", starts, [base + end for end in ends], places[1:])

    def _rows_after(self, before: str, lines: Sequence[str], places: Sequence[Place | None]) -> None:
        """The rows of a table after its header."""
        ends = list(accumulate((len(before) + len(line) for line in lines), initial=self._length))[1:]
        starts = list(map(sub, ends, map(len, lines)))
        self._rows_at(before + before.join(lines) if lines else "", starts, ends, places)

    def _rows_at(self, text: str, starts: Sequence[int], ends: Sequence[int], places: Sequence[Place | None]) -> None:
        """Rows that lie in a text, all at once: there may be very many."""
        self._emit(text)
        table = self._open[-1].index
        spans = zip(starts, ends, strict=False)
        self._blocks += [_new(Block, ("row", start, end, 0, table, None)) for start, end in spans]
        placed = zip(starts, ends, places, strict=False)
        self._anchors += [_new(Anchor, run) for run in placed if run[2] is not None]

    def _row(self, cells: Sequence[str], place: Place | Sequence[Place | None] | None) -> None:
        if place is None or isinstance(place, Mapping):
            self._put("| " + " | ".join(cells) + " |", place)
            return
        self._put("|", None)
        for cell, where in zip_longest(cells, place[: len(cells)]):
            self._emit(" ")
            self._put(cell, where)
            self._emit(" |")

    def markdown(self, source: str, blocks: Sequence[Block], place: Place | None = None) -> None:
        """A text that is Markdown already, as it is, with its blocks; only outside of lists and quotes."""
        if not blocks:
            return
        first, last = blocks[0].start, max(block.end for block in blocks)
        asked = self._gap is None
        self._gap = "\n\n" if asked else self._gap
        base = len(self._blocks)
        self._put(source[first:last], place)
        by = self._length - last
        for one in blocks:
            parent = one.parent if one.parent < 0 else one.parent + base
            self._blocks.append(one._replace(start=one.start + by, end=one.end + by, parent=parent))

    # --- blocks of blocks -----------------------------------------------------------------------------------------

    @contextmanager
    def list(self) -> Iterator[None]:
        """Around items."""
        self.open_list()
        yield
        self.close()

    @contextmanager
    def item(self, label: str = "-") -> Iterator[None]:
        """Around the blocks of an item; `label` is its mark or number, such as `3.`."""
        self.open_item(label)
        yield
        self.close()

    @contextmanager
    def quote(self) -> Iterator[None]:
        """Around quoted blocks."""
        self.open_quote()
        yield
        self.close()

    def open_list(self) -> None:
        """As `list`, for parsers that keep a stack of their own; `close` ends it."""
        depth = sum(one.kind == "list" for one in self._open)
        self._enter("list", level=depth + 1, tight=depth > 0)

    def open_item(self, label: str = "-") -> None:
        self._enter("item", mark=f"{label} ", margin=" " * min(len(label) + 1, 4), tight=True)

    def open_quote(self) -> None:
        self._enter("quote", mark="> ", margin="> ")

    # --- inside ---------------------------------------------------------------------------------------------------

    def _running(
        self, kind: str, mark: str, words: Words, place: Place | None, level: int = 0, detail: Detail | None = None
    ) -> None:
        """A block of running text: line ends in it are spaces, as a page shows them."""
        if isinstance(words, str):
            if text := " ".join(words.split()):
                self.line(kind, text, place, mark, level, detail)
            return
        with self._block(kind, level=level, detail=detail):
            before = ""
            space = False
            for run in words:
                text = _SPACE.sub(" ", run.text)
                space = space or text.startswith(" ")
                if text := text.strip(" "):
                    if not before:
                        self._put(mark, None)
                    elif space:
                        self._emit(" ")
                    self._put(text, run.place or place)
                    before = text
                    space = False
                space = space or run.text[-1:].isspace()

    def line(
        self, kind: str, text: str, place: Place | None, mark: str = "", level: int = 0, detail: Detail | None = None
    ) -> None:
        """A block of one line, which most are, in one step: text that has no white space but spaces between words."""
        if self._gap is None:
            self._gap = "\n\n"
        self._begin()
        at = self._length + len(mark)
        self._parts.append(mark + text)
        self._length = end = at + len(text)
        parent = self._open[-1].index if self._open else -1
        self._blocks.append(_new(Block, (kind, at - len(mark), end, level, parent, detail)))
        if place is not None:
            self._anchor(at, place)

    def _lines(
        self,
        kind: str,
        lines: Sequence[str],
        place: Place | None,
        detail: Detail | None = None,
        places: Sequence[Place | None] = (),
    ) -> None:
        if places:
            with self._block(kind, detail=detail):
                for index, line in enumerate(lines):
                    if index:
                        self._newline(blank=not line)
                    self._put(line, places[index] if index < len(places) else place)
            return
        if not lines:
            return
        self._enter(kind, detail=detail)
        self._put(lines[0], place)
        margin = "\n" + "".join(one.margin for one in self._open)
        blank = margin.rstrip(" ")
        self._put("".join(margin + line if line else blank for line in lines[1:]), place)
        self.close()

    @contextmanager
    def _block(self, kind: str, *, level: int = 0, detail: Detail | None = None, tight: bool = False) -> Iterator[None]:
        """A block around what is written inside."""
        self._enter(kind, level=level, detail=detail, tight=tight)
        yield
        self.close()

    def _enter(
        self,
        kind: str,
        *,
        level: int = 0,
        detail: Detail | None = None,
        mark: str = "",
        margin: str = "",
        tight: bool = False,
    ) -> None:
        asked = self._gap is None
        if asked:
            self._gap = "\n" if tight else "\n\n"
        self._open.append(_Open(len(self._blocks), kind, level, detail, mark, margin, asked))
        self._blocks.append(_UNWRITTEN)

    def close(self) -> None:
        """End the block that was opened last; where nothing was written into it, it never was."""
        one = self._open.pop()
        if one.start >= 0:
            parent = self._open[-1].index if self._open else -1
            self._blocks[one.index] = _new(Block, (one.kind, one.start, self._length, one.level, parent, one.detail))
            return
        del self._blocks[one.index :]
        if one.asked:
            self._gap = None

    def _put(self, text: str, place: Place | None) -> None:
        """Text of the innermost block; its first opens the line, and all blocks around it that are still empty."""
        if not text:
            return
        if self._gap is not None:
            self._begin()
        start = self._length
        self._emit(text)
        if place is not None:
            self._anchor(start, place)

    def _anchor(self, start: int, place: Place) -> None:
        """What was written since `start` stands in a place."""
        last = self._anchors[-1] if self._anchors else None
        if last is not None and last.place is place:
            self._anchors[-1] = last._replace(end=self._length)
        else:
            self._anchors.append(_new(Anchor, (start, self._length, place)))

    def _begin(self) -> None:
        gap, self._gap = self._gap or "", None
        if gap:
            if gap == "\n\n":
                self._emit(("\n" + "".join(one.margin for one in self._open if one.start >= 0)).rstrip(" "))
            self._emit("\n")
        for one in self._open:
            lead = one.margin
            if one.start < 0:
                one.start = self._length
                lead = one.mark
            if lead:
                self._emit(lead)

    def _newline(self, *, blank: bool = False) -> None:
        margin = "".join(one.margin for one in self._open)
        self._emit("\n" + (margin.rstrip(" ") if blank else margin))

    def _emit(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


_SPACED = (
    "  ", " |", "| ", " \n", "\n ",
    *map(chr, (*range(9, 10), *range(11, 14), *range(28, 32), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B))),
    *map(chr, (0x2028, 0x2029, 0x202F, 0x205F, 0x3000)),
)  # fmt: skip
"""What a row that is written as it is must not hold: white space that would be one space, or none, in a cell."""


def join_cells(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The cells of each row between bars. One look at all of them finds whether any needs care, as few tables do."""
    if not rows:
        return []
    empty = [""] * width
    full = [row if len(row) == width else [*row, *empty[len(row) :]] for row in rows]
    whole = "\n".join(["", *["|".join(row) for row in full], ""])
    bars, ends = (width - 1) * len(rows), len(rows) + 1
    if whole.count("|") == bars and whole.count("\n") == ends and not any(sign in whole for sign in _SPACED):
        return whole[1:-1].replace("|", " | ").split("\n")
    return [" | ".join([escape_cell(cell) for cell in row]) for row in full]


def escape_cell(text: str) -> str:
    """A cell on one line; a bar in it is escaped, as it would end the cell."""
    return _SPACE.sub(" ", text).strip().replace("|", "\\|")
