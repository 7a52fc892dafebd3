"""Lists of a Word document: what stands before each item, counted as Word counts it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from seamline.parse.docx_styles import Styles
from seamline.parse.ooxml import attribute, is_on, name_of, number, value

_LEVELS = 9
_MOST = 1_000_000
_LONGEST_LABEL = 40
_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_BIGGEST_ROMAN = 3999


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list is numbered."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    restarts: bool = True
    legal: bool = False
    style: str = ""


@dataclass(frozen=True, slots=True)
class _List:
    """A use of a list: its pattern, and what it changes about it."""

    pattern: str
    levels: dict[int, Level]
    starts: dict[int, int]


class Numbering:
    """The lists of a document and how far each has counted."""

    def __init__(self, root: Any | None, styles: Styles) -> None:
        self._patterns: dict[str, dict[int, Level]] = {}
        self._links: dict[str, str] = {}
        self._lists: dict[str, _List] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[tuple[str, int]] = set()
        self._styles = styles
        for one in [] if root is None else root:
            if name_of(one) == "w:abstractNum":
                self._pattern(one)
            elif name_of(one) == "w:num":
                self._list(one)

    def _pattern(self, one: Any) -> None:
        key = attribute(one, "abstractNumId")
        self._patterns[key] = dict(_level(each) for each in one if name_of(each) == "w:lvl")
        if link := value(one, "w:numStyleLink"):
            self._links[key] = link

    def _list(self, one: Any) -> None:
        levels: dict[int, Level] = {}
        starts: dict[int, int] = {}
        for change in one:
            if name_of(change) != "w:lvlOverride":
                continue
            index = number(attribute(change, "ilvl"), 0, _LEVELS - 1, 0)
            levels |= dict(_level(each) for each in change if name_of(each) == "w:lvl")
            if start := value(change, "w:startOverride"):
                starts[index] = number(start, 0, _MOST, 1)
        self._lists[attribute(one, "numId")] = _List(value(one, "w:abstractNumId"), levels, starts)

    def level_of(self, key: str, given: str, style: str) -> int:
        """The level, from 0, that a paragraph has in a list: as it says, else the one that is tied to its style."""
        if given:
            return number(given, 0, _LEVELS - 1, 0)
        if style and (used := self._used(key)) is not None:
            levels = self._patterns.get(used.pattern, {})
            return next((index for index, one in levels.items() if one.style == style), 0)
        return 0

    def label(self, key: str, index: int) -> str | None:
        """What stands before the next item of a list: `-` for a bullet, a number, or None where there is nothing."""
        used = self._used(key)
        if used is None:
            return None
        levels = {**self._patterns.get(used.pattern, {}), **used.levels}
        counts = self._counts.setdefault(used.pattern, [None] * _LEVELS)
        for each, start in used.starts.items():
            if (key, each) not in self._begun and each <= index:
                self._begun.add((key, each))
                counts[each] = start - 1
        for each in range(index):
            if counts[each] is None:
                counts[each] = levels.get(each, Level()).start
        level = levels.get(index, Level(format="bullet"))
        before = counts[index]
        counts[index] = level.start if before is None else before + 1
        for each in range(index + 1, _LEVELS):
            if levels.get(each, Level()).restarts:
                counts[each] = None
                if (key, each) in self._begun:
                    counts[each] = used.starts[each] - 1
        return _written(level, levels, counts)

    def _used(self, key: str) -> _List | None:
        """A list; one that only names a numbering style is the list of that style."""
        used = self._lists.get(key)
        if used is not None and used.pattern in self._links:
            used = self._lists.get(self._styles.numbering_of(self._links[used.pattern]), used)
        return used


def _level(one: Any) -> tuple[int, Level]:
    index = number(attribute(one, "ilvl"), 0, _LEVELS - 1, 0)
    return index, Level(
        number(value(one, "w:start"), 0, _MOST, 1),
        value(one, "w:numFmt") or "decimal",
        value(one, "w:lvlText")[:_LONGEST_LABEL],
        value(one, "w:lvlRestart") != "0",
        bool(is_on(one, "w:isLgl")),
        value(one, "w:pStyle"),
    )


def _written(level: Level, levels: dict[int, Level], counts: list[int | None]) -> str | None:
    if level.format == "bullet":
        return "-"
    if not level.text.strip():
        return None

    def counted(found: re.Match[str]) -> str:
        index = int(found[1]) - 1
        one = levels.get(index, Level())
        count = counts[index]
        return numeral(one.start if count is None else count, "decimal" if level.legal else one.format)

    return " ".join(_PLACE.sub(counted, level.text).split())[:_LONGEST_LABEL] or None


def numeral(count: int, written: str) -> str:
    """A number as a list writes it."""
    if count > 0 and written in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 10)
        return letter if written == "lowerLetter" else letter.upper()
    if 0 < count <= _BIGGEST_ROMAN and written in ("lowerRoman", "upperRoman"):
        roman = _roman(count)
        return roman if written == "lowerRoman" else roman.upper()
    if written == "decimalZero":
        return f"{count:02}"
    return "" if written == "none" else str(count)


def _roman(count: int) -> str:
    out = ""
    for size, letters in _ROMAN:
        times, count = divmod(count, size)
        out += letters * times
    return out
