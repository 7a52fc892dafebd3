"""Lists and quotes around blocks of HTML, opened when there is something to put into them.

Headings stand at the top, wherever the page has them: what is open is closed before one. An item that holds a heading
is a section then, so what follows in it stands at the top as well; a quote goes on below. Lists have bullets, numbers
as the page counts them, or terms with what is said of them.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seamline.parse.builder import DocumentBuilder
from seamline.types import Detail

if TYPE_CHECKING:
    from turbohtml import Element


_DEEPEST = 24
"""Containers in each other that are shown as such. Every line stands behind the margins of all of them, so that text
grows with the square of the depth; pages that people wrote stay far below."""

Place = Mapping[str, Any]


@dataclass(slots=True)
class _Frame:
    kind: str
    label: str = ""
    is_open: bool = False
    is_section: bool = False
    """An item that a heading ended."""


class HtmlFlow:
    """Writes blocks into a builder, inside the lists and quotes they stand in."""

    def __init__(self, builder: DocumentBuilder, most: int) -> None:
        self._builder = builder
        self._most = most
        self._frames: list[_Frame] = []
        self._is_ready = True
        self._shown = 0
        """How many of them are open."""
        self._looked = 0
        """Frames before this were opened, or need not be. Looking at all of them for each block would cost as much as
        the page is deep."""
        self._ended = 0
        """Frames before this were closed by a heading and not opened since."""
        self.flattened = 0
        """Containers that stand too deep to be shown."""
        self.dropped = 0
        """Characters past the most that are extracted."""

    # --- containers -----------------------------------------------------------------------------------------------

    def push(self, kind: str, label: str = "") -> None:
        """What follows is in a `list`, `item` or `quote`."""
        self._frames.append(_Frame(kind, label))
        self._is_ready = False

    def pop(self) -> None:
        if self._frames.pop().is_open:
            self._builder.close()
            self._shown -= 1
        left = len(self._frames)
        if self._looked > left:
            self._looked = left
        if self._ended > left:
            self._ended = left

    def _ready(self) -> None:
        """Open what is not open yet; a list only around its items."""
        self._is_ready = True
        for index in range(max(self._looked - 1, 0), len(self._frames)):
            frame = self._frames[index]
            if frame.is_open or frame.is_section or self._is_bare(index):
                continue
            if self._shown + (frame.kind == "list") >= _DEEPEST:  # a list brings an item along
                self.flattened += 1
                self._looked = index
                return
            self._open(frame)
            self._ended = min(self._ended, index)
        self._looked = len(self._frames)

    def _is_bare(self, index: int) -> bool:
        """Whether it is a list, and what comes next is no item of it."""
        if self._frames[index].kind != "list":
            return False
        after = self._frames[index + 1] if index + 1 < len(self._frames) else None
        return after is None or after.kind != "item" or after.is_section

    def _open(self, frame: _Frame) -> None:
        if frame.kind == "list":
            self._builder.open_list()
        elif frame.kind == "item":
            self._builder.open_item(frame.label)
        else:
            self._builder.open_quote()
        frame.is_open = True
        self._shown += 1

    def _close_all(self) -> None:
        for frame in reversed(self._frames[self._ended :]):
            if frame.is_open:
                self._builder.close()
                frame.is_open = False
            frame.is_section = frame.kind == "item"
        self._shown = self._looked = 0
        self._ended = len(self._frames)
        self._is_ready = False

    # --- blocks ---------------------------------------------------------------------------------------------------

    def heading(self, level: int, text: str, place: Place) -> None:
        if self._frames:
            self._close_all()
        if self._has_room(text):
            self._builder.heading(level, text, place)

    def paragraph(self, text: str, place: Place, kind: str = "paragraph", detail: Detail | None = None) -> None:
        """Text on one line, as `inline_text` gives it."""
        if not self._is_ready:
            self._ready()
        if self._builder.length < self._most:
            self._builder.line(kind, text, place, detail=detail)
        else:
            self.dropped += len(text)

    def lines(self, lines: Sequence[str], place: Place, kind: str = "paragraph") -> None:
        if self._begins(*lines):
            self._builder.lines(lines, place, kind)

    def code(self, source: str, language: str, place: Place) -> None:
        if self._begins(source):
            self._builder.code(source, language, place)

    def math(self, formula: str, place: Place) -> None:
        if self._begins(formula):
            self._builder.math(formula, place)

    def rule(self, place: Place) -> None:
        if self._begins("---"):
            self._builder.rule(place)

    def table(self, rows: Sequence[Sequence[str]], places: Sequence[Place | None]) -> None:
        if self._begins(*(cell for row in rows for cell in row)):
            self._builder.table(rows, places)

    def _begins(self, *texts: str) -> bool:
        if not self._is_ready:
            self._ready()
        return self._has_room(*texts)

    def _has_room(self, *texts: str) -> bool:
        """Whether there is room for more text; what finds none is counted."""
        if self._builder.length < self._most:
            return True
        self.dropped += _length(texts)
        return False


def _length(texts: Iterable[str]) -> int:
    return sum(map(len, texts))


_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_LARGEST_ROMAN = 39
_LARGEST = 10**9


@dataclass(slots=True)
class _List:
    tag: str
    next: int
    """Number of the next item."""
    step: int
    style: str
    has_item: bool = False
    """Whether an item of terms is open."""
    is_defined: bool = False
    """Whether something was said of its terms: the next term is another item."""


class HtmlLists:
    """The lists around the place where a page is read."""

    def __init__(self, flow: HtmlFlow) -> None:
        self._flow = flow
        self._lists: list[_List] = []

    def enter(self, element: Element) -> None:
        step = -1 if element.attr("reversed") is not None else 1
        start = read_number(element.attr("start"))
        if start is None:
            start = 1 if step > 0 else len([child for child in element.children if getattr(child, "tag", "") == "li"])
        self._lists.append(_List(element.tag, start, step, element.attr("type") or ""))
        self._flow.push("list")

    def leave(self) -> None:
        if self._lists.pop().has_item:
            self._flow.pop()
        self._flow.pop()

    def item(self, element: Element) -> None:
        """An item; one that is in no list is one of a list without a name."""
        here = self._lists[-1] if self._lists else None
        if here is None:
            self._flow.push("list")
        self._flow.push("item", _label(here, element) if here is not None and here.tag == "ol" else "-")

    def end_item(self) -> None:
        self._flow.pop()
        if not self._lists:
            self._flow.pop()

    def term(self, element: Element) -> None:
        """A term starts an item, and what is said of it stands in the same; both may come several times."""
        if not self._lists or self._lists[-1].tag != "dl":
            return
        here = self._lists[-1]
        is_term = element.tag == "dt"
        if here.has_item and is_term and here.is_defined:
            self._flow.pop()
            here.has_item = False
        if not here.has_item:
            self._flow.push("item", "-")
            here.has_item = True
        here.is_defined = not is_term


def _label(here: _List, element: Element) -> str:
    """The number of an item; those that follow count on from it."""
    number = read_number(element.attr("value"))
    if number is None:
        number = here.next
    here.next = number + here.step
    return format_number(number, element.attr("type") or here.style) + "."


def read_number(told: str | None) -> int | None:
    """A number that an attribute gives."""
    if not told or not (digits := told.strip()).lstrip("+-").isdecimal() or len(digits) > 10:
        return None
    try:
        number = int(digits)
    except ValueError:  # signs between or after digits
        return None
    return number if abs(number) < _LARGEST else None


def format_number(number: int, style: str) -> str:
    """A number as the page shows it: letters and Roman numbers where it asks for them and there are some."""
    if style in ("a", "A") and 1 <= number <= len(string.ascii_lowercase):
        letter = string.ascii_lowercase[number - 1]
        return letter.upper() if style == "A" else letter
    if style in ("i", "I") and 1 <= number <= _LARGEST_ROMAN:
        out = ""
        for value, sign in _ROMAN:
            out += sign * (number // value)
            number %= value
        return out.upper() if style == "I" else out
    return str(number)
