"""Running heads and feet: lines that come back on page after page, and page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from seamline.parse.pdf.model import Line, Page
from seamline.types import Notice

_ZONE = 0.13
"""Running heads stand in this part of the page at the top, feet at the bottom."""
_NUMBERED = 0.22
"""Page numbers may stand further in, where nothing else is near."""
_SHARE = 0.4
"""A line that stands on this part of all pages runs; facing pages have different ones."""
_MOST = 100
"""A page with more numbers that stand alone is a table."""
_FAR = 1.8
"""Page numbers are at least this far from the text, in sizes of their font."""
_DIGITS = re.compile(r"\d+")
_DIGITAL = r"\W*(?:(?:page|seite|p\.)\s*)?\d{1,4}(?:\s*(?:/|of|von)\s*\d{1,4})?\W*|\d{1,2}-\d{1,3}"
_PLAIN_NUMBER = re.compile(_DIGITAL, re.IGNORECASE)
_NUMBER = re.compile(_DIGITAL + r"|\W*[ivx]{1,6}\W*", re.IGNORECASE)
"""The number of a page, also in Roman numerals; a document of one page has none of these."""
_TOLD = 5
"""So many of the lines that were left out are named."""


def without_running(pages: Sequence[Page], size: float) -> list[Line]:
    """Take running heads, feet and page numbers out of pages, and say which. `size` is that of most text."""
    number = _NUMBER if len(pages) > 1 else _PLAIN_NUMBER
    numbers = {page.number: _numbered(page, number) for page in pages}
    places = {page.number: _zones(page, numbers[page.number]) for page in pages}
    seen = Counter(key for zones in places.values() for key in {_key(where, line) for where, line in zones})
    exact = Counter(text for zones in places.values() for text in {line.text for _, line in zones})
    enough = max(2, _SHARE * len(pages))
    gone: list[Line] = []
    for page in pages:
        own = _from_the_edge(
            places[page.number],
            {
                id(line)
                for where, line in places[page.number]
                if (seen[_key(where, line)] >= enough and (line.size <= 1.15 * size or exact[line.text] >= enough))
                or id(line) in numbers[page.number]
            },
        )
        if own and len(own) < len(page.sheets[0].lines):
            lost = set(map(id, own))
            page.sheets[0].lines = [line for line in page.sheets[0].lines if id(line) not in lost]
            gone += own
    return gone


def _from_the_edge(zones: Sequence[tuple[str, Line]], running: set[int]) -> list[Line]:
    """Of lines that come back, those with nothing else between them and the edge of the page."""
    out: list[Line] = []
    for where, sign in (("top", 1), ("bottom", -1)):
        ends = [sign * line.base - line.size / 2 for at, line in zones if at == where and id(line) not in running]
        first = min(ends, default=float("inf"))
        out += [line for at, line in zones if at == where and id(line) in running and sign * line.base < first]
    return out


def _zones(page: Page, numbered: set[int]) -> list[tuple[str, Line]]:
    """The lines at the top and at the bottom of a page."""
    if not page.sheets:
        return []
    sheet = page.sheets[0]
    zones: list[tuple[str, Line]] = []
    for line in sheet.lines:
        share = _NUMBERED if line.text.isdigit() and id(line) in numbered else _ZONE
        if line.bottom <= share * sheet.height:
            zones.append(("top", line))
        elif line.top >= (1 - share) * sheet.height:
            zones.append(("bottom", line))
    return zones


def _key(where: str, line: Line) -> tuple[str, int, str]:
    return where, round(line.base / 12), _DIGITS.sub("#", line.text)


def _numbered(page: Page, number: re.Pattern[str]) -> set[int]:
    """The lines that are the number of their page, and what stands beside one, far off, as in "208      Report"."""
    if not page.sheets:
        return set()
    lines = page.sheets[0].lines
    out: set[int] = set()
    numbers = [line for line in lines if number.fullmatch(line.text)]
    if len(numbers) > _MOST:
        return set()
    held = set(map(id, numbers))
    others = [line for line in lines if id(line) not in held]
    for line in numbers:
        beside = [other for other in others if abs(other.base - line.base) < 0.5 * line.size]
        rest = [other.base for other in others if abs(other.base - line.base) >= 0.5 * line.size]
        is_last = all(base > line.base for base in rest) or all(base < line.base for base in rest)
        is_far = all(abs(base - line.base) > _FAR * line.size for base in rest)
        if is_last and is_far and all(_apart(other, line) for other in beside):
            out.update(map(id, [line, *beside]))
    return out


def _apart(other: Line, line: Line) -> bool:
    return other.left > line.right + 1.5 * line.size or other.right < line.left - 1.5 * line.size


def told(gone: Sequence[Line]) -> list[Notice]:
    """A remark on what was left out."""
    if not gone:
        return []
    count = Counter(_DIGITS.sub("#", line.text) if _NUMBER.fullmatch(line.text) else line.text for line in gone)
    named = "; ".join(f"{text[:60]!r} ({times})" for text, times in count.most_common(_TOLD))
    more = f" and {len(count) - _TOLD} more" if len(count) > _TOLD else ""
    first, last = min(line.page for line in gone), max(line.page for line in gone)
    message = f"left out {len(gone)} lines of running heads, feet and page numbers: {named}{more}"
    return [Notice("running-text", message, f"page {first}" if first == last else f"pages {first}-{last}")]
