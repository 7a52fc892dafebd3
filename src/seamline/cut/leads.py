"""Headings a chunk borrows: those above its start that its body does not hold itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from seamline.cut.draft import borrowed
from seamline.cut.sections import Section
from seamline.types import Context, Document


class Lead(NamedTuple):
    """Headings as spans, as text, and how many tokens they have."""

    context: tuple[Context, ...] = ()
    text: str = ""
    tokens: int = 0


_NONE = Lead()


class Leads:
    """Finds and counts the headings above any place of a document, each set once."""

    def __init__(
        self,
        document: Document,
        starts: Sequence[int],
        sections: Sequence[Section],
        count: Callable[[str], int],
        most: int,
    ) -> None:
        self._text = document.text
        self._blocks = document.blocks
        self._starts = starts
        self._sections = sections
        self._firsts = [section.first for section in sections]
        self._count = count
        self._most = most
        """Headings never take more tokens than this; 0 where the recipe wants none."""
        self._known: dict[tuple[int, ...], Lead] = {}
        self.bare: set[int] = set()
        """Starts of chunks that have no room for borrowed headings."""

    def at(self, section: int, start: int) -> Lead:
        """What a chunk borrows that starts at `start` in a section."""
        path, above = self._sections[section][3:]
        if not path or not self._most or start in self.bare:
            return _NONE
        if above == len(path) or self._blocks[path[-1]].start < start:
            headings = path
        elif start <= self._blocks[path[above]].start:
            headings = path[:above]
        else:
            headings = tuple([index for index in path if self._blocks[index].start < start])
        lead = self._known.get(headings)
        if lead is None:
            lead = self._known[headings] = self._made(headings)
        return lead

    def section_at(self, offset: int, first: int, last: int) -> int:
        """Which of the sections [first, last) holds an offset."""
        if last - first == 1:
            return first
        position = bisect_right(self._starts, offset) - 1
        return bisect_right(self._firsts, position) - 1

    def _made(self, headings: tuple[int, ...]) -> Lead:
        """Headings as context; the outermost give way where all would take too much."""
        blocks = self._blocks
        context = tuple([Context("heading", blocks[i].start, blocks[i].end, "\n\n") for i in headings])
        while context:
            text = borrowed(self._text, context)
            tokens = self._count(text)
            if tokens <= self._most:
                return Lead(context, text, tokens)
            context = context[1:]
        return _NONE
