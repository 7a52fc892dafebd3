"""What an index says of itself: documents and their versions, chunks, citations, counts. Searches are in `index`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.api.stats import Stats, stats_of
from seamline.protocols import Reader, Store
from seamline.records import Head, Problem, Version
from seamline.search.citations import Resolved, resolve
from seamline.search.options import SearchOptions
from seamline.types import Document, Notice

if TYPE_CHECKING:
    from datetime import datetime

    from seamline.api.call_graph import CallStep
    from seamline.api.contents import IndexedChunk
    from seamline.filters.tree import Filter
    from seamline.index.transfer import TransferCounts
    from seamline.recipe.recipe import Recipe


class IndexContents:
    """The methods of an index that only read what it holds."""

    root: Path

    @property
    def _store(self) -> Store:
        raise NotImplementedError

    def get(self, doc: str, *, version: int | None = None) -> Document:
        """A document as it is in the index now, or was in a version; a StoreError where there is none.

        Its text is exact. Blocks are found in it anew: those of an extracted text, such as that of a PDF, as Markdown;
        where its chunks stand on pages, `chunks` tells.
        """
        from seamline.api.contents import stored_document

        with self._store.reader() as reader:
            return stored_document(reader, doc, version)

    def chunks(self, doc: str | None = None, *, vectors: bool = False) -> Iterator[IndexedChunk]:
        """The chunks of a document in order, or of all documents, one after the other as they are asked for; with
        their vectors where these are wanted. A StoreError where there is no such document."""
        from seamline.api.contents import check_document, stored_chunks

        with self._store.reader() as reader:
            if doc is not None:
                check_document(reader, doc)
        return stored_chunks(self._store, doc, vectors=vectors)

    def heads(self, prefix: str = "") -> list[Head]:
        """All documents whose names start so, those that are gone included."""
        with self._store.reader() as reader:
            return [head for head in reader.heads() if head.doc.startswith(prefix)]

    def version(self, doc: str, number: int | None = None) -> Version | None:
        """A version of a document, with its text: the current one, unless a number is given."""
        with self._store.reader() as reader:
            if number is None:
                head = reader.head(doc)
                number = head.version if head is not None and not head.deleted else None
            return None if number is None else reader.version(doc, number)

    def version_numbers(self, doc: str) -> list[int]:
        """The versions of a document that are kept."""
        with self._store.reader() as reader:
            return reader.versions(doc)

    def file_of(self, doc: str) -> str | None:
        """The absolute path of the file that a document was read from; None where there is none by its name."""
        path = os.path.abspath(self.root / doc)
        return path if "\0" not in doc and os.path.isfile(path) else None

    def export(self, folder: str | Path, *, format: str = "parquet") -> TransferCounts:
        """Write documents, all their versions, chunks and vectors into a new folder, as Parquet files or, with
        `format="lance"`, as datasets of Lance; `import_index` of `seamline.api.transfer` makes an index of them. A
        StoreError where something is there already."""
        from seamline.index.transfer import export_index

        return export_index(self._store, folder, format=format)

    def missing_vectors(self) -> int:
        """How many chunks have no vector yet, as an update makes those last: they are found by words alone."""
        with self._store.reader() as reader:
            return reader.count_missing_vectors()

    def cite(self, key: str) -> Resolved:
        """What became of a citation, `ID` or `ID@VERSION`, and what it said."""
        with self._store.reader() as reader:
            return replace(resolve(reader, key), key=key)

    def callers(self, name: str, *, depth: int = 1) -> list[CallStep]:
        """What calls a function or a class in any file, up to so many calls away; needs `enrich = ["code"]`."""
        from seamline.api.call_graph import find_callers

        with self._store.reader() as reader:
            return find_callers(reader, name, depth)

    def callees(self, name: str, *, depth: int = 1) -> list[CallStep]:
        """What a function or a class calls that any file defines, up to so many calls away."""
        from seamline.api.call_graph import find_callees

        with self._store.reader() as reader:
            return find_callees(reader, name, depth)

    def stats(self) -> Stats:
        """What the index holds."""
        with self._store.reader() as reader:
            return stats_of(reader, self._store.size())

    def documents(self, *, prefix: str = "") -> list[Head]:
        """All documents that are in the index now, by name; those whose names start with a prefix."""
        with self._store.reader() as reader:
            return [head for head in reader.heads() if not head.deleted and head.doc.startswith(prefix)]

    def verify(self) -> Iterator[Problem]:
        """Read everything, and compare it with the checksums it was written with."""
        return self._store.verify()


def vector_notices(reader: Reader, options: SearchOptions) -> list[Notice]:
    """What a search by meaning could not look at yet."""
    missing = reader.count_missing_vectors() if options.legs != "bm25" else 0
    if not missing:
        return []
    total = reader.count()
    return [
        Notice(
            "vectors-missing",
            f"meaning: {100 * (total - missing) // total}% of the chunks have vectors so far;"
            " run `seamline index` to go on",
        )
    ]


def filter_at(where: Filter | None, now: datetime, options: SearchOptions) -> Filter | None:
    """A filter by fields that entries keep, at the moment of a search."""
    if where is None:
        return None
    from seamline.filters.meaning import stored_filter

    return stored_filter(where, now, options.decay)


def field_notices(recipe: Recipe, where: Filter | None, options: SearchOptions) -> list[Notice]:
    """What to say of fields that are asked for and that an index of this recipe does not keep."""
    if where is None and not options.fields and not options.sort:
        return []
    from seamline.filters.meaning import fields_of, missing_fields
    from seamline.search.fields import sort_key

    return missing_fields([*fields_of(where), *options.fields, sort_key(options.sort)], recipe.enrich)
