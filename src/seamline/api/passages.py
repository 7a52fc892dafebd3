"""Parts of a stored document by name: versions, lines, sections, the chunks around a citation."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from seamline.errors import ConfigError, StoreError
from seamline.records import EntryPlace, Version
from seamline.text.lines import LINE_END

if TYPE_CHECKING:
    from seamline.api.index import Index

__all__ = [
    "OutlineRow",
    "chunks_within",
    "find_version",
    "line_range",
    "line_starts",
    "lines_of_span",
    "outline",
    "span_of_lines",
    "span_of_section",
    "span_with_neighbours",
]


def find_version(index: Index, name: str, place: str = "the index") -> Version:
    """The version that `DOC` or `DOC@VERSION` means; a document may have an @ in its name. `place` is what the index is
    called where there is no such document."""
    doc, at, number = name.rpartition("@")
    version = index.version(name)
    if version is None and at and number.isascii() and number.isdigit():
        version = index.version(doc, int(number))
        if version is None and (known := index.version_numbers(doc)):
            raise StoreError(f"{doc} has no version {number}; it has {', '.join(map(str, known))}")
    if version is None:
        raise StoreError(f"{name}: no such document in {place}: `seamline ls` lists them")
    return version


def line_range(given: str, option: str = "lines") -> tuple[int, int | None]:
    """The first and the last line of `10-40`, `10-`, `-20` or `7`; `option` is what the setting is called."""
    found = re.fullmatch(r"(\d{0,9})-(\d{0,9})", given) or re.fullmatch(r"(\d{1,9})()", given)
    if found is None or given == "-":
        raise ConfigError(f"{option}: expected A-B such as 10-40, got {given!r}")
    first = int(found[1] or 1)
    last = int(found[2]) if found[2] else first if "-" not in given else None
    if first < 1 or (last is not None and last < first):
        raise ConfigError(f"{option}: expected lines from 1 in order, got {given!r}")
    return first, last


def line_starts(text: str) -> list[int]:
    """Where each line of a text starts."""
    return [0, *(end.end() for end in LINE_END.finditer(text))]


def lines_of_span(starts: list[int], start: int, end: int) -> tuple[int, int]:
    """The first and the last line that a span touches, from 1; `starts` are those of all lines."""
    return bisect_right(starts, start), bisect_right(starts, max(start, end - 1))


def span_of_lines(version: Version, first: int, last: int | None) -> tuple[int, int]:
    """Where lines stand in the text of a version."""
    starts = line_starts(version.text)
    if first > len(starts):
        count = "1 line" if len(starts) == 1 else f"{len(starts):,} lines"
        raise StoreError(f"{version.doc} has {count}: there is no line {first}")
    return starts[first - 1], starts[last] if last is not None and last < len(starts) else len(version.text)


def span_of_section(version: Version, heading: str) -> tuple[int, int]:
    """Where what stands under a heading starts and ends: by its text, or by several of its path with > between."""
    wanted = tuple(part.strip().casefold() for part in heading.split(" > "))
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for place in version.places:
        plain = tuple(part.strip().casefold() for part in place.path)
        at = next((n for n in range(len(plain)) if plain[n : n + len(wanted)] == wanted), None)
        if place.level == 0 and at is not None:
            path = place.path[: at + len(wanted)]
            start, end = found.get(path, (place.start, place.end))
            found[path] = min(start, place.start), max(end, place.end)
    if len(found) > 1:
        named = ", ".join(f'"{" > ".join(path)}"' for path in list(found)[:3])
        raise StoreError(f"{version.doc}: several sections have this heading; say which: {named}")
    if not found:
        known = dict.fromkeys(part for place in version.places for part in place.path)
        raise StoreError(f"{version.doc}: no section {heading!r}; there are {', '.join(list(known)[:8]) or 'none'}")
    return next(iter(found.values()))


def chunks_within(version: Version, start: int, end: int) -> list[EntryPlace]:
    """The chunks that a span touches, in order."""
    return [one for one in version.places if one.level == 0 and one.start < end and start < one.end]


def span_with_neighbours(version: Version, start: int, end: int, neighbours: int) -> tuple[int, int]:
    """A span with so many chunks before and after it."""
    before = [one for one in version.places if one.level == 0 and one.end <= start][-neighbours:] if neighbours else []
    after = [one for one in version.places if one.level == 0 and one.start >= end][:neighbours]
    return min([start, *(one.start for one in before)]), max([end, *(one.end for one in after)])


class OutlineRow(NamedTuple):
    """A heading of a document, and the span of what stands under it."""

    path: tuple[str, ...]
    """The headings above and its own, outermost first."""
    start: int
    end: int


def outline(version: Version) -> list[OutlineRow]:
    """The headings of a version in order, with what stands under each, deeper headings included."""
    found: dict[tuple[str, ...], OutlineRow] = {}
    for place in version.places:
        for depth in range(1, len(place.path) + 1) if place.level == 0 else ():
            path = place.path[:depth]
            known = found.get(path)
            found[path] = OutlineRow(path, known.start if known else place.start, place.end)
    return list(found.values())
