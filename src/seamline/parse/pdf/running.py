"""Running heads and feet: lines that come back on page after page, and page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from seamline.parse.pdf.model import PdfPage, TextLine
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
_NEAR = 2.0
"""Rows of a table are no further apart than this, in sizes of their font, where no lines hold them together."""
_NUMBERS, _LONGEST = 4, 6
"""Numbers in a line that may count the pages, and the digits they have."""
_Key = tuple[str, int, str, int, int]
"""Top or bottom, height on the page, text, and which number in it is how far from that of the page."""
_DIGITS = re.compile(r"\d+")
_DIGITAL = r"\W*(?:(?:page|seite|p\.)\s*)?\d{1,4}(?:\s*(?:/|of|von)\s*\d{1,4})?\W*|\d{1,2}-\d{1,3}"
_PLAIN_NUMBER = re.compile(_DIGITAL, re.IGNORECASE)
_NUMBER = re.compile(_DIGITAL + r"|\W*[ivx]{1,6}\W*", re.IGNORECASE)
"""The number of a page, also in Roman numerals; a document of one page has none of these."""
_TOLD = 5
"""So many of the lines that were left out are named."""


def remove_running(pages: Sequence[PdfPage], size: float) -> list[TextLine]:
    """Take running heads, feet and page numbers out of pages, and say which. `size` is that of most text."""
    number = _NUMBER if len(pages) > 1 else _PLAIN_NUMBER
    numbers = _page_numbers(pages, number)
    places = {page.number: _zones(page, numbers[page.number]) for page in pages}
    seen = Counter(
        key for zones in places.values() for key in {key for where, line in zones for key in _keys(where, line)}
    )
    exact = Counter(text for zones in places.values() for text in {line.text for _, line in zones})
    enough = max(2, _SHARE * len(pages))
    gone: list[TextLine] = []
    for page in pages:
        own = _from_the_edge(
            places[page.number],
            {
                id(line)
                for where, line in places[page.number]
                if (_most(seen, where, line) >= enough and (line.size <= 1.15 * size or exact[line.text] >= enough))
                or id(line) in numbers[page.number]
            },
        )
        own = _without_header(page, own)
        if own and len(own) < len(page.sheets[0].lines):
            lost = set(map(id, own))
            page.sheets[0].lines = [line for line in page.sheets[0].lines if id(line) not in lost]
            gone += own
    return gone


def _from_the_edge(zones: Sequence[tuple[str, TextLine]], running: set[int]) -> list[TextLine]:
    """Of lines that come back, those with nothing else between them and the edge of the page."""
    out: list[TextLine] = []
    for where, sign in (("top", 1), ("bottom", -1)):
        ends = [sign * line.base - line.size / 2 for at, line in zones if at == where and id(line) not in running]
        first = min(ends, default=float("inf"))
        out += [line for at, line in zones if at == where and id(line) in running and sign * line.base < first]
    return out


def _without_header(page: PdfPage, own: Sequence[TextLine]) -> list[TextLine]:
    """Lines without those that are the header of a table, which comes back on every page that the table is on: a row of
    cells, each over one of the row below it, that is near or in the same rules."""
    held = set(map(id, own))
    rest = [line for line in page.sheets[0].lines if id(line) not in held] if own else []
    out: list[TextLine] = []
    for row in _rows(own):
        base = min((line.base for line in rest if line.base > row[0].base), default=0.0)
        below = sorted((line for line in rest if abs(line.base - base) < 1), key=lambda line: line.left)
        is_over = len(row) == len(below) > 1 and all(
            one.left < two.right and two.left < one.right for one, two in zip(row, below, strict=True)
        )
        is_near = base - row[0].base < _NEAR * row[0].size
        is_ruled = any(rule.top <= row[0].top + 2 and rule.bottom >= base - 2 for rule in page.rules)
        if not (is_over and (is_near or is_ruled)):
            out += row
    return out


def _rows(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Lines that stand beside each other, from left to right."""
    rows: dict[int, list[TextLine]] = {}
    for line in sorted(lines, key=lambda line: line.left):
        rows.setdefault(round(line.base), []).append(line)
    return list(rows.values())


def _zones(page: PdfPage, numbered: set[int]) -> list[tuple[str, TextLine]]:
    """The lines at the top and at the bottom of a page."""
    if not page.sheets:
        return []
    sheet = page.sheets[0]
    zones: list[tuple[str, TextLine]] = []
    for line in sheet.lines:
        share = _NUMBERED if line.text.isdigit() and id(line) in numbered else _ZONE
        if line.bottom <= share * sheet.height:
            zones.append(("top", line))
        elif line.top >= (1 - share) * sheet.height:
            zones.append(("bottom", line))
    return zones


def _keys(where: str, line: TextLine) -> Iterator[_Key]:
    """What a line has in common with the same line of other pages: all of its text, or all but a number that counts the
    pages. Rows of a table that goes on, page after page, differ in other numbers."""
    at = where, round(line.base / 12)
    yield *at, line.text, 0, 0
    text = _DIGITS.sub("#", line.text)
    for place, found in enumerate(islice(_DIGITS.finditer(line.text), _NUMBERS), 1):
        if len(found[0]) <= _LONGEST:
            yield *at, text, place, int(found[0]) - line.page


def _most(seen: Counter[_Key], where: str, line: TextLine) -> int:
    return max(seen[key] for key in _keys(where, line))


def _page_numbers(pages: Sequence[PdfPage], number: re.Pattern[str]) -> dict[int, set[int]]:
    """By page, the lines that are its number, and what stands beside one, far off, as in "208      Report". The last
    row of a table may look like that; but only numbers of pages go on from one to the next."""
    found = {page.number: _lone_numbers(page, number) for page in pages}
    steps = Counter(step for own in found.values() for step in {_number_offset(line) for line, _ in own})
    out: dict[int, set[int]] = {}
    for page, own in found.items():
        counted = [
            (line, beside) for line, beside in own if not beside or len(pages) == 1 or steps[_number_offset(line)] > 1
        ]
        out[page] = {id(one) for line, beside in counted for one in (line, *beside)}
    return out


def _number_offset(line: TextLine) -> int | None:
    """How far the first number of a line is from that of its page; None for Roman numbers."""
    digits = _DIGITS.search(line.text)
    return int(digits[0]) - line.page if digits else None


def _lone_numbers(page: PdfPage, number: re.Pattern[str]) -> list[tuple[TextLine, list[TextLine]]]:
    """Lines that may be the number of a page, each with the lines beside it."""
    if not page.sheets:
        return []
    lines = page.sheets[0].lines
    out: list[tuple[TextLine, list[TextLine]]] = []
    numbers = [line for line in lines if number.fullmatch(line.text)]
    if len(numbers) > _MOST:
        return []
    held = set(map(id, numbers))
    others = [line for line in lines if id(line) not in held]
    for line in numbers:
        beside = [other for other in others if abs(other.base - line.base) < 0.5 * line.size]
        rest = [other.base for other in others if abs(other.base - line.base) >= 0.5 * line.size]
        is_last = all(base > line.base for base in rest) or all(base < line.base for base in rest)
        is_far = all(abs(base - line.base) > _FAR * line.size for base in rest)
        if is_last and is_far and all(_apart(other, line) for other in beside):
            out.append((line, beside))
    return out


def _apart(other: TextLine, line: TextLine) -> bool:
    return other.left > line.right + 1.5 * line.size or other.right < line.left - 1.5 * line.size


def removal_notices(gone: Sequence[TextLine]) -> list[Notice]:
    """A remark on what was left out."""
    if not gone:
        return []
    count = Counter(_DIGITS.sub("#", line.text) if _NUMBER.fullmatch(line.text) else line.text for line in gone)
    named = "; ".join(f"{text[:60]!r} ({times})" for text, times in count.most_common(_TOLD))
    more = f" and {len(count) - _TOLD} more" if len(count) > _TOLD else ""
    first, last = min(line.page for line in gone), max(line.page for line in gone)
    message = f"left out {len(gone)} lines of running heads, feet and page numbers: {named}{more}"
    return [Notice("running-text", message, f"page {first}" if first == last else f"pages {first}-{last}")]
