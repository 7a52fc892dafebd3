"""The current versions of documents, each fetched once per search: where entries stand, and the text around them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from seamline.errors import StoreError
from seamline.protocols import Reader
from seamline.records import ABOUT, Entry, EntryPlace, SourceSpan, Version
from seamline.search.hits import Citation

if TYPE_CHECKING:
    from seamline.schema.records import SpanPlace

LONGEST_QUOTE = 2000
"""Code points that are quoted of a place that a text was made from: a table may have megabytes."""


@dataclass(frozen=True)
class Layout:
    """The places of one version, by id and by level."""

    version: Version

    @cached_property
    def by_id(self) -> dict[str, EntryPlace]:
        return {place.id: place for place in self.version.places}

    @cached_property
    def chunks(self) -> list[EntryPlace]:
        """Places of level 0, in document order."""
        return [place for place in self.version.places if place.level == 0]

    @cached_property
    def sections(self) -> list[EntryPlace]:
        """Places of inner levels, a section before those in it."""
        return [place for place in self.version.places if 0 < place.level < ABOUT]

    @cached_property
    def _starts(self) -> list[int]:
        return [place.start for place in self.chunks]

    def number(self, place: EntryPlace) -> int:
        """Position of a chunk among the chunks."""
        return bisect_left(self._starts, place.start)

    def inside(self, start: int, end: int) -> list[EntryPlace]:
        """The chunks that stand within a span."""
        first = bisect_left(self._starts, start)
        last = bisect_left(self._starts, end)
        return [place for place in self.chunks[first:last] if place.end <= end]

    def touching(self, start: int, end: int) -> list[EntryPlace]:
        """The chunks that have a part in a span."""
        first = max(0, bisect_left(self._starts, start + 1) - 1)
        return [place for place in self.chunks[first : bisect_left(self._starts, end)] if place.end > start]

    def holding(self, start: int, end: int) -> EntryPlace | None:
        """The chunk that holds a whole span."""
        found = self.touching(start, end)
        return found[0] if len(found) == 1 and found[0].start <= start and end <= found[0].end else None

    def around(self, start: int, end: int) -> EntryPlace | None:
        """The smallest section that holds a span and more."""
        held = [s for s in self.sections if s.start <= start and end <= s.end and s.end - s.start > end - start]
        return min(held, key=lambda s: (s.end - s.start, s.start), default=None)


@runtime_checkable
class Keeper(Protocol):
    """A reader that remembers layouts from one search to the next."""

    def layouts_of(self, docs: Iterable[str]) -> Mapping[str, Layout]:
        """The layouts of those of the documents that are there now."""
        ...


class DocumentCache:
    """Layouts of the documents one search touches. Each is fetched once, its text only where it is needed."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._layouts: dict[str, Layout] = {}
        self._texts: dict[str, str] = {}
        self._entries: dict[str, Entry] = {}

    def keep(self, entries: Mapping[str, Entry]) -> None:
        """Remember entries that were fetched already."""
        self._entries.update(entries)

    def entries(self, ids: Iterable[str]) -> dict[str, Entry]:
        """Entries by id, each fetched once."""
        asked = list(dict.fromkeys(ids))
        missing = [id for id in asked if id not in self._entries]
        if missing:
            self._entries.update(self.reader.entries(missing))
        return {id: self._entries[id] for id in asked if id in self._entries}

    def fetch(self, docs: Iterable[str]) -> None:
        """Look up where the entries of these documents stand, all at once: one by one takes ten times as long."""
        missing = [doc for doc in dict.fromkeys(docs) if doc not in self._layouts]
        if not missing:
            return
        if isinstance(self.reader, Keeper):
            self._layouts.update(self.reader.layouts_of(missing))
        else:
            self._layouts.update((doc, Layout(version)) for doc, version in self.reader.layouts(missing).items())

    def layout(self, doc: str) -> Layout:
        """Where the entries of a document stand now."""
        self.fetch((doc,))
        found = self._layouts.get(doc)
        if found is None:
            raise StoreError(_missing(doc))
        return found

    def text(self, doc: str) -> str:
        """The whole current text of a document."""
        found = self._texts.get(doc)
        if found is None:
            version = self.reader.version(doc, self.layout(doc).version.number)
            if version is None:
                raise StoreError(_missing(doc))
            found = self._texts[doc] = version.text
        return found

    def place(self, entry: Entry) -> EntryPlace:
        """Where an entry stands now."""
        place = self.layout(entry.doc).by_id.get(entry.id)
        if place is None:
            number = self.layout(entry.doc).version.number
            raise StoreError(f"version {number} of {entry.doc} has no place for {entry.id}: run `{_REMEDY}`")
        return place

    def citations(self, entry: Entry) -> tuple[Citation, ...]:
        """The citation of an entry as it stands now; of a text about chunks, one for each place it was made from."""
        if entry.level < ABOUT:
            return (self.cite(entry),)
        layout, place, text = self.layout(entry.doc), self.place(entry), self.text(entry.doc)
        out = []
        for start, end, anchor in place.spans or (SourceSpan(place.start, place.end, place.anchor),):
            held = layout.holding(start, end)  # what people look up is the chunk, where one holds it all
            at = EntryPlace(held.id if held else place.id, place.level, start, end, anchor, (held or place).path)
            out.append(cite_place(layout.version, at, text[start : min(end, start + LONGEST_QUOTE)]))
        return tuple(out)

    def sources(self, entry: Entry) -> list[str]:
        """Ids of the chunks that hold the places a text about chunks was made from, in document order."""
        layout, place = self.layout(entry.doc), self.place(entry)
        spans = place.spans or (SourceSpan(place.start, place.end, place.anchor),)
        return list(dict.fromkeys(one.id for start, end, _ in spans for one in layout.touching(start, end)))

    def cite(self, entry: Entry) -> Citation:
        """The citation of an entry as it stands now; of a text about chunks, of the first place it was made from."""
        if entry.level == ABOUT:
            return self.citations(entry)[0]
        place = self.place(entry)
        # A chunk carries its slice; only a section's has to be fetched.
        quote = entry.body if entry.level == 0 else self.text(entry.doc)[place.start : place.end]
        return cite_place(self.layout(entry.doc).version, place, quote)

    def slice(self, doc: str, place: EntryPlace) -> Citation:
        """The citation of any place of a document."""
        return cite_place(self.layout(doc).version, place, self.text(doc)[place.start : place.end])


_REMEDY = "seamline doctor --verify"


def _missing(doc: str) -> str:
    return f"the current version of {doc} is missing: run `{_REMEDY}`"


def cite_place(version: Version, place: EntryPlace, quote: str) -> Citation:
    """The citation of a place of a version."""
    return Citation(
        id=place.id,
        doc=version.doc,
        version=version.number,
        uri=version.uri,
        path=place.path,
        anchor=cast("SpanPlace", place.anchor),
        start=place.start,
        end=place.end,
        quote=quote,
    )


def neighbours(chunks: Sequence[EntryPlace], number: int) -> tuple[EntryPlace | None, EntryPlace | None]:
    """The chunks before and after one."""
    before = chunks[number - 1] if number > 0 else None
    after = chunks[number + 1] if number + 1 < len(chunks) else None
    return before, after
