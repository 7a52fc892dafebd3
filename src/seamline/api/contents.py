"""What an index holds, read back: documents of any version, and chunks with their citations and vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from seamline.enrich.facts import attributes
from seamline.errors import StoreError
from seamline.formats import format_of_suffix
from seamline.protocols import Reader, Store
from seamline.records import Entry, Head, MetaValue, Version
from seamline.search.documents import cite_place
from seamline.search.hits import Citation
from seamline.types import Document, Span

if TYPE_CHECKING:
    from seamline.records import Vector

_MARKDOWN = "text/markdown"


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as an index keeps it, and where it stands."""

    entry: Entry
    citation: Citation

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def doc(self) -> str:
        """Name of the document."""
        return self.entry.doc

    @property
    def text(self) -> str:
        """What is shown to a reader or a model: context, body and closing."""
        return self.entry.text

    @property
    def path(self) -> tuple[str, ...]:
        """Heading texts above it, outermost first."""
        return self.entry.path

    @property
    def meta(self) -> Mapping[str, MetaValue]:
        """Metadata of the document that can be filtered by."""
        return self.entry.own_meta

    @property
    def vector(self) -> Vector | None:
        """Its embedding, where that was asked for and is made."""
        return self.entry.vector


def check_document(reader: Reader, doc: str) -> Head:
    """What a document is now; a StoreError where there is none."""
    head = reader.head(doc)
    if head is None or head.deleted:
        raise StoreError(f"{doc}: no such document in the index: `documents` lists them")
    return head


def stored_chunks(store: Store, doc: str | None, *, vectors: bool) -> Iterator[IndexedChunk]:
    """The chunks of a document, or of all, in order. Each document is read when its first chunk is asked for."""
    with store.reader() as reader:
        docs = [head.doc for head in reader.heads() if not head.deleted] if doc is None else [doc]
    for name in docs:
        with store.reader() as reader:
            found = list(_chunks(reader, name, vectors=vectors))
        yield from found


def _chunks(reader: Reader, doc: str, *, vectors: bool) -> Iterator[IndexedChunk]:
    version = reader.layouts([doc]).get(doc)
    if version is None:  # removed since
        return
    places = [place for place in version.places if place.level == 0]
    entries = reader.entries([place.id for place in places], vectors=vectors)
    for place in places:
        entry = entries[place.id]
        yield IndexedChunk(entry, cite_place(version, place, entry.body))


def stored_document(reader: Reader, doc: str, number: int | None) -> Document:
    """A document of a version; of the current one where no number is given."""
    if number is None:
        number = check_document(reader, doc).version
    version = reader.version(doc, number)
    if version is None:
        has = ", ".join(map(str, reader.versions(doc))) or "none"
        raise StoreError(f"{doc}: no version {number} in the index; there are: {has}")
    document = replace(_parse(version), title=version.title)
    head = reader.head(doc)
    if head is None or head.deleted or head.version != number:
        return document
    return replace(document, front_matter={**document.front_matter, **_stored_meta(reader, version, document)})


def _parse(version: Version) -> Document:
    """The blocks of a stored text: by its own format where that keeps the text as it is, else as Markdown, which is
    what text that was extracted is written in."""
    from seamline import parse

    named = format_of_suffix(PurePosixPath(version.uri).suffix.lower())
    if named is not None and named.is_text and named.is_proved:
        found = parse.parse_text(version.text, id=version.doc, uri=version.uri, media_type=named.media_type)
        if found.text == version.text:
            return found
    end = max((place.end for place in version.places), default=len(version.text))
    found = parse.parse_text(version.text[:end], id=version.doc, uri=version.uri, media_type=_MARKDOWN)
    rest = version.text[end:]
    if not rest.strip():
        return replace(found, text=version.text)
    # What stands after the last chunk was left out of them, such as the menus of a page.
    start = end + len(rest) - len(rest.lstrip())
    return replace(found, text=version.text, removed=(*found.removed, Span(start, end + len(rest.rstrip()))))


def _stored_meta(reader: Reader, version: Version, document: Document) -> dict[str, Any]:
    """Metadata that was given beside the text: what the index has and the front matter does not say."""
    first = next((place.id for place in version.places if place.level == 0), None)
    if first is None:
        return {}
    own = attributes(document.front_matter)
    stored = reader.entries([first])[first].own_meta
    return {name: list(v) if isinstance(v, tuple) else v for name, v in stored.items() if own.get(name) != v}
