"""The documents that a page has open: files named on the command line, files dropped on the page, documents of an
index. A request names them by key; it never names a path."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from seamline.api import read
from seamline.api.recipes import Recipe
from seamline.api.sources import MAX_BYTES, read_file
from seamline.errors import StoreError

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
        source = self.get(key)
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


def indexed_file(index: Index, doc: str) -> bytes:
    """The bytes of the file behind a document of an index, as it is now; a StoreError where there is none."""
    if not any(head.doc == doc for head in index.documents(prefix=doc)):  # only names that the index itself has
        raise StoreError(f"{doc[:200]}: no such document in the index")
    path = index.file_of(doc)
    if path is None:
        raise StoreError(f"{doc}: its file is not where it was indexed from, so its pages cannot be drawn")
    return read_file(Path(path), max_bytes=MAX_BYTES).data
