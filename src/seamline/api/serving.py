"""What a server asks of an index beside searches: which state it is in, what a caller with a filter may see, and which
names a caller may give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from seamline.errors import ConfigError
from seamline.filters.mapping import FilterLike, filter_of
from seamline.filters.meaning import fields_of
from seamline.filters.tree import All, Filter, Test
from seamline.protocols import PinnableStore

if TYPE_CHECKING:
    from seamline.api.index import Index
    from seamline.records import Head

__all__ = ["Filter", "FilterLike", "both_filters", "check_name", "document_head", "fields_of", "filter_of"]
__all__ += ["generation", "is_visible", "names", "pin_state", "present_state"]

LONGEST_NAME = 512
"""Characters of the name of a document."""
_REFUSED = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\\]|^~|^\w+:")
"""Controls, marks that turn the direction of text, backslashes, homes, drives and addresses."""


def generation(index: Index) -> str:
    """A mark that is different after every change of the index, by whoever made it."""
    return index._store.generation()


def present_state(index: Index) -> str:
    """The present state of an index on object storage, as `pin_state` takes it on any machine."""
    return _pinnable(index).present_state()


def pin_state(index: Index, state: str) -> None:
    """Read one state of an index from now on, until another is pinned."""
    _pinnable(index).pin(state)


def _pinnable(index: Index) -> PinnableStore:
    if isinstance(index._store, PinnableStore):
        return index._store
    raise ConfigError(f"--index: expected s3://BUCKET/PREFIX, whose states any machine can open, got {index.url}")


def both_filters(forced: Filter | None, where: FilterLike) -> Filter | None:
    """A filter that lets through what both do."""
    asked = filter_of(where)
    if forced is None or asked is None:
        return forced or asked
    return All((forced, asked))


def document_head(index: Index, doc: str) -> Head | None:
    """What a document is now; one that is removed has a head as well."""
    with index._store.reader() as reader:
        return reader.head(doc)


def is_visible(index: Index, doc: str, forced: Filter | None) -> bool:
    """Whether a document is in the index now and the filter lets some of it through."""
    with index._store.reader() as reader:
        head = reader.head(doc)
        if head is None or head.deleted:
            return False
        return forced is None or reader.count(All((forced, Test("doc", "=", doc)))) > 0


def names(index: Index, forced: Filter) -> set[str]:
    """The documents that the filter lets some of through."""
    with index._store.reader() as reader:
        return {entry.doc for entry in reader.select(forced)}


def check_name(doc: str) -> None:
    """Refuse, with a ConfigError, names of documents that something could take for a place of the machine."""
    parts = doc.split("/")
    if not doc.strip() or len(doc) > LONGEST_NAME:
        raise ConfigError(f"expected a name of 1 to {LONGEST_NAME} characters for a document, got {len(doc)}")
    if _REFUSED.search(doc) or any(part in ("", ".", "..") for part in parts):
        raise ConfigError(
            f"{doc[:80]!r}: expected the name of a document, as in `guides/pumps.md`: no path from the root or upward,"
            " no backslashes, no control characters"
        )
