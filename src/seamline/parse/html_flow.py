"""Lists and quotes around blocks of HTML, opened when there is something to put into them.

Headings stand at the top, wherever the page has them: what is open is closed before one. An item that holds a heading
is a section then, so what follows in it stands at the top as well; a quote goes on below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seamline.parse.build import Builder

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


class Flow:
    """Writes blocks into a builder, inside the lists and quotes they stand in."""

    def __init__(self, builder: Builder, most: int) -> None:
        self._builder = builder
        self._most = most
        self._frames: list[_Frame] = []
        self._is_ready = True
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

    def _ready(self) -> None:
        """Open what is not open yet; a list only around its items."""
        shown = 0
        for index, frame in enumerate(self._frames):
            if not frame.is_open and not frame.is_section and not self._is_bare(index):
                if shown + (frame.kind == "list") >= _DEEPEST:  # a list brings an item along
                    self.flattened += 1
                    break
                self._open(frame)
            shown += frame.is_open
        self._is_ready = True

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

    def _close_all(self) -> None:
        for frame in reversed(self._frames):
            if frame.is_open:
                self._builder.close()
                frame.is_open = False
            frame.is_section = frame.kind == "item"
        self._is_ready = False

    # --- blocks ---------------------------------------------------------------------------------------------------

    def heading(self, level: int, text: str, place: Place) -> None:
        if self._frames:
            self._close_all()
        if self._has_room(text):
            self._builder.heading(level, text, place)

    def paragraph(self, text: str, place: Place, kind: str = "paragraph") -> None:
        if not self._is_ready:
            self._ready()
        if self._builder.length < self._most:
            self._builder.paragraph(text, place, kind)
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
