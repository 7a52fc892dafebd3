"""The documents that a page has open: files named on the command line, files dropped on the page, documents of an
index. A request names them by key; it never names a path."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from seamline.api import read
from seamline.api.recipes import Recipe
from seamline.api.sources import MAX_BYTES, read_file
from seamline.errors import ParseError, StoreError

if TYPE_CHECKING:
    from seamline.api.index import Index
    from seamline.types import Document

MOST_DROPPED = 16
"""Dropped files that are kept; the oldest goes first."""
MOST_DROPPED_BYTES = 2 * MAX_BYTES
_PARSED = 4
"""Parsed documents that are kept, so that a change of settings only cuts anew."""


class OpenedSource(NamedTuple):
    """The bytes of a document, and how to read them."""

    name: str
    data: bytes
    media_type: str | None = None
    encoding: str | None = None


@dataclass
class OpenedSources:
    """Files by key: those that were named keep theirs, `file-0` and so on; dropped ones get one that nobody guesses."""

    named: Sequence[OpenedSource] = ()
    _dropped: OrderedDict[str, OpenedSource] = field(default_factory=OrderedDict)
    _parsed: OrderedDict[tuple[str, object], Document] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def list_named(self) -> list[tuple[str, str]]:
        """Key and name of each file of the command line."""
        return [(f"file-{index}", source.name) for index, source in enumerate(self.named)]

    def add(self, name: str, data: bytes) -> str:
        """Keep a dropped file; its key."""
        key = f"drop-{secrets.token_urlsafe(12)}"
        with self._lock:
            self._dropped[key] = OpenedSource(name or "dropped", data)
            while len(self._dropped) > MOST_DROPPED or self._size() > MOST_DROPPED_BYTES:
                gone, _ = self._dropped.popitem(last=False)
                for known in [known for known in self._parsed if known[0] == gone]:
                    del self._parsed[known]
        return key

    def _size(self) -> int:
        return sum(len(source.data) for source in self._dropped.values())

    def get(self, key: str) -> OpenedSource:
        """The file of a key; a StoreError where it is gone."""
        found = self._dropped.get(key) or next(
            (source for index, source in enumerate(self.named) if key == f"file-{index}"), None
        )
        if found is None:
            raise StoreError("this document is not open any more: drop or choose the file again")
        return found

    def document(self, key: str, recipe: Recipe) -> Document:
        """The document of a key, parsed as a recipe wants it."""
        return self._parse(key, self.get(key), recipe)

    def indexed_document(self, index: Index, doc: str, recipe: Recipe) -> Document:
        """A document of an index: with its pages where its file is a PDF that still has the indexed text, else as it
        is stored."""
        stored = index.get(doc)
        source = _pdf_of(index, doc)
        return stored if source is None else self._parse_if_same(stored, source, recipe) or stored

    def indexed_pdf(self, index: Index, doc: str) -> bytes:
        """The PDF that a document of an index was read from; a StoreError where it is gone or has another text now.

        The check is also a guard: a name in an index that somebody else made opens no file but one whose text the index
        has already.
        """
        source = _pdf_of(index, doc)
        if source is None or self._parse_if_same(index.get(doc), source, index.recipe) is None:
            raise StoreError(f"{doc[:200]}: its file is gone or has changed since it was indexed; pages are not drawn")
        return source.data

    def _parse_if_same(self, stored: Document, source: OpenedSource, recipe: Recipe) -> Document | None:
        try:
            found = self._parse(f"doc-{sha256(source.data).hexdigest()}", source, recipe)
        except ParseError:
            return None
        return found if found.text == stored.text else None

    def _parse(self, key: str, source: OpenedSource, recipe: Recipe) -> Document:
        known = key, recipe.reading
        with self._lock:
            found = self._parsed.get(known)
        if found is None:
            found = read(
                source.data,
                filename=source.name,
                media_type=source.media_type,
                encoding=source.encoding,
                recipe=recipe,
                id=source.name,
            )
        with self._lock:
            self._parsed[known] = found
            self._parsed.move_to_end(known)
            while len(self._parsed) > _PARSED:
                self._parsed.popitem(last=False)
        return found


def _pdf_of(index: Index, doc: str) -> OpenedSource | None:
    if not doc.lower().endswith(".pdf") or not any(head.doc == doc for head in index.documents(prefix=doc)):
        return None
    path = index.file_of(doc)
    return None if path is None else OpenedSource(doc, read_file(Path(path), max_bytes=MAX_BYTES).data)
