"""Where blocks of HTML stand in the source: from the tags around them, as text has no place of its own.

A block that an element holds alone stands from its start tag to its end tag. Text between blocks stands between their
tags. An element that is never closed ends where the next tag begins, which is known only later.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seamline.text.lines import trimmed

if TYPE_CHECKING:
    from turbohtml import Element

_SPACE = re.compile(r"\s*")
_PAIR = re.compile("\r\n")


Point = tuple[int, int]
"""A place in the source, in which every line ends in one character: the offset, and the line from 1."""


class HtmlPlaces:
    """Places of one source. With `part` they name the file in an archive and nothing in it but elements."""

    def __init__(self, markup: str, part: str = "") -> None:
        self.pairs: list[int] = []
        """Where line ends of two characters stand, in the source in which they are one."""
        self.markup = markup
        if "\r" in markup:
            self.pairs = [found.start() - count for count, found in enumerate(_PAIR.finditer(markup))]
            self.markup = markup.replace("\r\n", "\n").replace("\r", "\n")
        self._part = part
        self._before: Element | None = None
        """The last tag that text stands after is one of this element."""
        self._is_after = False
        """Whether it is its end tag."""
        self._last: Point = (0, 1)
        self._open: dict[str, Any] | None = None
        """A place whose end is not known yet; it starts at `_last`."""

    def pass_tag(self, element: Element, *, is_end: bool) -> None:
        """A tag was passed: text after it belongs to what comes next."""
        if self._open is not None:
            self._close_before(_start_of(element, is_end))
        self._before, self._is_after = element, is_end

    def around(self, element: Element, *, is_end: bool, name: str = "") -> Mapping[str, Any]:
        """The place of text that ends at a tag: that of the whole element, where the text is all there is in it."""
        before = self._before
        if self._part or (is_end and before is element and not self._is_after):
            return self.of(element, name)
        start = _end_of(before, self._is_after) if before is not None else None
        place = self._begin(self._after_space(start or self._last), name)
        self._close_before(_start_of(element, is_end))
        return place

    def of(self, element: Element, name: str = "") -> Mapping[str, Any]:
        """The place of a whole element."""
        if self._part:
            return {"part": self._part, "element": name} if name else {"part": self._part}
        location = element.source_location
        if location is None:
            return self._begin(self._last, name)
        tag, close, _ = location
        place = self._begin((tag.start_offset, tag.start_line), name)
        if close is not None:
            self._close((close.end_offset, close.end_line))
        return place

    def finish(self) -> None:
        """The source ends, and with it what is still open."""
        if self._open is not None:
            self._close_before((len(self.markup), self.markup.count("\n") + 1))

    def _begin(self, start: Point, name: str) -> dict[str, Any]:
        if self._open is not None:
            self._close_before(start)
        at, line = start
        if self.pairs:
            at = self._offset(at)
        place: dict[str, Any] = {"source": [at, at], "lines": [line, line]}
        if name:
            place["element"] = name
        self._open, self._last = place, start
        return place

    def _close_before(self, end: Point | None) -> None:
        """What is open ends here, less the white space before; nothing ends where no tag is."""
        if end is None:
            return
        begin = self._last[0]
        offset, line = end
        stop = trimmed(self.markup, begin, offset)
        self._close((stop, line - self.markup.count("\n", stop, offset)))

    def _close(self, end: Point) -> None:
        place, self._open = self._open, None
        if place is None or end[0] <= self._last[0]:  # misplaced tags may come in any order
            return
        place["source"][1] = self._offset(end[0]) if self.pairs else end[0]
        place["lines"][1] = end[1]
        self._last = end

    def _after_space(self, point: Point) -> Point:
        offset, line = point
        found = _SPACE.match(self.markup, offset)
        stop = found.end() if found else offset
        return stop, line + self.markup.count("\n", offset, stop)

    def _offset(self, offset: int) -> int:
        """In the source as it is, where CR LF are two characters."""
        return offset + bisect_left(self.pairs, offset) if self.pairs else offset


def _start_of(element: Element, is_end: bool) -> Point | None:
    """Where a tag starts; None for one that is not in the source."""
    location = element.source_location
    if location is None:
        return None
    tag = location.end_tag if is_end else location.start_tag
    return None if tag is None else (tag.start_offset, tag.start_line)


def _end_of(element: Element, is_end: bool) -> Point | None:
    location = element.source_location
    if location is None:
        return None
    tag = location.end_tag if is_end else location.start_tag
    return None if tag is None else (tag.end_offset, tag.end_line)
