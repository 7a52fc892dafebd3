"""The values the steps of the PDF parser hand on: words, lines, tables, figures, pages, passages.

All boxes are in points from the top left corner of the page as it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def within(self, other: Box) -> Box:
        """The part of it that lies in another; its sides are the wrong way round where none does."""
        return Box(*map(max, self[:2], other[:2]), *map(min, self[2:], other[2:]))


class TextStyle(NamedTuple):
    """How characters look."""

    size: float
    """Height of the font in points, as shown."""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    """Whether all characters are equally wide, as in code."""
    font: str = ""
    """Its family, to tell fonts apart that differ in nothing else."""


class PdfWord(NamedTuple):
    """Characters of one line and one style, without a space."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    base: float
    """Where the letters stand, measured from the top of the page."""
    style: TextStyle
    edges: Sequence[float] | None
    """Where each character begins and the last ends; None for text that does not run from left to right."""
    glued: bool = False
    """Whether no space stands between the word before and this one."""
    spaced: bool = False
    """Whether the source puts a space after it, also at the end of a line."""
    sure: float = 1.0
    """How sure it is what the page shows: below 1 where it was read by sight."""
    role: str = ""
    """What the tags of the document call the text it is of, such as `H1`."""


@dataclass(slots=True)
class TextLine:
    """Words that stand side by side."""

    page: int
    words: list[PdfWord]
    left: float
    top: float
    right: float
    bottom: float
    base: float
    size: float
    """Of most of its characters."""
    turn: int = 0
    """Quarter turns by which the text is turned on the page; the box is that of the page turned upright."""
    backward: bool = False
    """Whether it runs from right to left."""

    @property
    def text(self) -> str:
        return "".join(word.text if word.glued or not i else " " + word.text for i, word in enumerate(self.words))

    @property
    def box(self) -> Box:
        return Box(self.left, self.top, self.right, self.bottom)

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def font(self) -> str:
        """The font of nearly all its characters; empty where there are several."""
        fonts: dict[str, int] = {}
        for word in self.words:
            fonts[word.style.font] = fonts.get(word.style.font, 0) + len(word.text)
        most = max(fonts, key=lambda font: fonts[font])
        return most if fonts[most] > 0.9 * sum(fonts.values()) else ""

    def share(self, name: str) -> float:
        return style_share(self.words, name)


def box_around(boxes: Iterable[Box | PdfWord | TextLine]) -> Box:
    """The smallest box that holds all of some."""
    lefts, tops, rights, bottoms = zip(*((one.left, one.top, one.right, one.bottom) for one in boxes), strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


def style_share(words: Sequence[PdfWord], name: str) -> float:
    """The share of characters whose style is bold, italic or mono."""
    own = sum(len(word.text) for word in words if getattr(word.style, name))
    return own / max(sum(len(word.text) for word in words), 1)


def line_of(page: int, words: list[PdfWord], turn: int = 0, *, backward: bool = False) -> TextLine:
    """The line that words make; they stay in the order given."""
    sizes: dict[float, int] = {}
    bases: dict[float, float] = {}
    for word in words:
        size = word.style.size
        sizes[size] = sizes.get(size, 0) + len(word.text)
        bases.setdefault(size, word.base)
    size = max(sizes, key=lambda one: (sizes[one], one))
    return TextLine(page, words, *box_around(words), bases[size], size, turn, backward)


class PdfTable(NamedTuple):
    """Rows of cells; the first is the header."""

    page: int
    box: Box
    rows: list[list[list[PdfWord]]]
    """The words of each cell."""
    places: list[Box]
    """The box of each row."""
    turn: int = 0
    pages: list[int] | None = None
    """The page of each row, where it goes on over several."""

    def page_of(self, row: int) -> int:
        return self.pages[row] if self.pages else self.page


class PdfFigure(NamedTuple):
    """A picture with what is written in it."""

    page: int
    box: Box
    lines: list[TextLine]
    alt: str = ""


PagePiece = TextLine | PdfTable | PdfFigure


@dataclass(slots=True)
class PageSheet:
    """The words of a page that run in one direction, and the page turned so that they are upright."""

    turn: int
    width: float
    height: float
    lines: list[TextLine] = field(default_factory=list)
    """In the order of the source, each as far as words stand close to each other."""


@dataclass(slots=True)
class PdfPage:
    """A page as it was read."""

    number: int
    width: float
    height: float
    sheets: list[PageSheet] = field(default_factory=list)
    """By direction, that of most words first."""
    rules: list[Box] = field(default_factory=list)
    """Straight lines, and edges of boxes."""
    images: list[Box] = field(default_factory=list)
    characters: int = 0
    unreadable: int = 0
    """Characters without a meaning in Unicode."""
    unmapped: int = 0
    """Pieces of text whose font does not say which characters they are."""
    notes: int = 0
    """Notes, text boxes and fields of forms that lie on the page and were not read: there are too many."""
    asides: list[list[TextLine]] = field(default_factory=list)
    """The lines of each note, text box and stamp that lies on the page."""
    hidden: int = 0
    """Characters that nobody sees: outside the page, or drawn without ink."""
    scanned: bool = False
    """Whether it is a picture of text."""
    garbled: bool = False
    """Whether its text says nothing: its fonts do not tell which characters they hold."""
    sure: float = 1.0


def turn_box(box: Box, turn: int, width: float, height: float) -> Box:
    """A box of a page of that size, on the page turned clockwise by so many quarters."""
    left, top, right, bottom = box
    if turn == 1:
        return Box(height - bottom, left, height - top, right)
    if turn == 2:
        return Box(width - right, height - bottom, width - left, height - top)
    if turn == 3:
        return Box(top, width - right, bottom, width - left)
    return box


@dataclass(slots=True)
class PdfPassage:
    """A block of the document."""

    kind: str
    """paragraph, heading, item, code, footnote, figure or table."""
    lines: list[TextLine] = field(default_factory=list)
    level: int = 0
    label: str = ""
    """The mark of an item or a footnote, which its lines no longer hold."""
    mark: PdfWord | None = None
    """Where the label stands, and how it looks."""
    indent: float = 0.0
    """Where an item's mark stands."""
    table: PdfTable | None = None
    figure: PdfFigure | None = None
    gap: float = 0.0
    """White space above it, in points."""
    full: bool = False
    """Whether its last line is as long as the column is wide."""
    indented: bool = False
    """Whether its first line stands further in than its column."""
    aside: bool = False
    """Whether it stands beside the text, in a box or a note."""

    @property
    def page(self) -> int:
        if self.table is not None:
            return self.table.page
        return self.figure.page if self.figure is not None else self.lines[0].page

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        return self.lines[0].size if self.lines else 0.0

    @property
    def box(self) -> Box:
        return box_around(self.lines)

    def share(self, name: str) -> float:
        return style_share([word for line in self.lines for word in line.words], name)
