"""One state of an embedded index: versions of its tables that stay as they are while others write."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from seamline.errors import StoreError
from seamline.store import lance_search
from seamline.store.lance_engine import told
from seamline.store.lance_filter import FALSE, TRUE, coded, condition, decoded, either, quoted
from seamline.store.lance_rows import (
    HEAD,
    VECTORS,
    entry_key,
    head_key,
    id_of,
    unpack_entry,
    unpack_head,
    unpack_version,
    vectors_of,
)
from seamline.store.lance_search import Bags, Found, Limits, Plan, plan, scored
from seamline.store.lance_tend import Index, indices
from seamline.words import query_words

if TYPE_CHECKING:
    from seamline.filters import Filter
    from seamline.records import Entry, Head, Scored, Settings, Vector, VectorKind, Version

_PAGE = 500
"""Rows that are fetched at once."""
_REMEMBERED = 10_000
"""Heads that are kept, and places of rows, so that hits are fetched by place: half the cost of looking them up."""
_CURRENT = "level >= 0"


class LanceReader:
    """One state of a LanceStore. Threads may share it."""

    def __init__(self, entries: Any, versions: Any, settings: Settings, limits: Limits) -> None:
        self._entries = entries
        self._versions = versions
        self._settings = settings
        self._limits = limits
        self._rows: dict[str, int] = {}
        self._heads: dict[str, Head] = {}
        self._through: dict[str, int] = {}

    def near(
        self,
        vector: Vector,
        k: int,
        *,
        where: Filter | None = None,
        levels: Collection[int] | None = (0,),
        of: VectorKind = "text",
    ) -> list[Scored]:
        """The `k` entries with the highest cosine similarity: exactly in small indexes, almost always in large ones."""
        if vector.shape != (self._settings.dimensions,):
            raise StoreError(f"expected a vector of {self._settings.dimensions} dimensions, got shape {vector.shape}")
        asked, column = condition(where, levels), VECTORS[of]
        if k <= 0 or asked == FALSE:
            return []
        with told("cannot search the index by vector"):
            given = np.asarray(vector, dtype=np.float32)
            found = lance_search.near(self._entries, given, column, k, asked, self._plan(column, asked))
        return self._noted(found)

    def matching(
        self, query: str, k: int, *, where: Filter | None = None, levels: Collection[int] | None = (0,)
    ) -> list[Scored]:
        """The `k` entries with the highest BM25 score above 0."""
        words, asked = query_words(query), condition(where, levels)
        if k <= 0 or not words or asked == FALSE:
            return []
        with told("cannot search the index by words"):
            if "words" in self._indices:
                return self._noted(lance_search.matching(self._entries, words, k, asked))
            through = None if asked == TRUE else {row["key"] for row in self._read(asked, ["key"])}
            return self._noted(self._bags.matching(words, k, through))

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        """The entries of these ids that exist."""
        wanted = dict.fromkeys(map(entry_key, ids))
        known = [self._rows[key] for key in wanted if key in self._rows]
        others = [key for key in wanted if key not in self._rows]
        found: dict[str, Entry] = {}
        for rows in _pages(known):
            found |= {entry.id: entry for entry in self._taken(rows, vectors)}
        for keys in _pages(others):
            asked = f"({_CURRENT} AND {either('key', keys)})"
            places = [row["_rowid"] for row in self._read(asked, ["key"], places=True)]
            found |= {entry.id: entry for entry in self._taken(places, vectors)}
        return {id: found[id] for id in (id_of(key) for key in wanted) if id in found}

    def select(self, where: Filter | None = None, *, vectors: bool = False) -> Iterator[Entry]:
        """Every entry of any level that the filter lets through, by document and id."""
        asked = condition(where, None)
        if asked == FALSE:
            return
        condition_ = _CURRENT if asked == TRUE else f"({_CURRENT} AND {asked})"
        rows = self._read(condition_, ["key", "doc"], places=True)
        ordered = sorted((decoded(row["doc"]), id_of(row["key"]), row["_rowid"]) for row in rows)
        for page in _pages(ordered):
            taken = {entry.id: entry for entry in self._taken([place for _, _, place in page], vectors)}
            yield from (taken[id] for _, id, _ in page)

    def count(self, where: Filter | None = None, *, levels: Collection[int] | None = (0,)) -> int:
        asked = condition(where, levels)
        if asked == FALSE:
            return 0
        with told("cannot count the entries of the index"):
            return self._counted(_CURRENT if asked == TRUE else f"({_CURRENT} AND {asked})")

    def head(self, doc: str) -> Head | None:
        if (known := self._heads.get(doc)) is not None:
            return known
        rows = self._read(either("key", [head_key(doc)]), ["body"])
        head = unpack_head(rows[0]["body"]) if rows else None
        if head is not None and len(self._heads) < _REMEMBERED:
            self._heads[doc] = head
        return head

    def heads(self) -> Iterator[Head]:
        """All documents ever indexed, by name."""
        found = [unpack_head(row["body"]) for row in self._read(f"level = {HEAD}", ["body"])]
        return iter(sorted(found, key=lambda head: head.doc))

    def version(self, doc: str, number: int, *, text: bool = True) -> Version | None:
        if number not in range(1, self._latest(doc) + 1):
            return None
        columns = ["doc", "number", "about", "places", *(["text"] if text else [])]
        rows = self._of_versions(f"(doc = {quoted(coded(doc))} AND number = {number})", columns)
        return unpack_version(rows[0]) if rows else None

    def versions(self, doc: str) -> list[int]:
        return sorted(self.seals(doc))

    def owner(self, id: str) -> str | None:
        rows = self._read(either("key", [entry_key(id)]), ["doc"])
        return decoded(rows[0]["doc"]) if rows else None

    def digests(self, doc: str) -> Mapping[str, str]:
        return self._hashes(doc, "digest")

    def checksums(self, doc: str) -> Mapping[str, str]:
        return self._hashes(doc, "checksum")

    def seals(self, doc: str) -> Mapping[int, str]:
        latest = self._latest(doc)
        if not latest:
            return {}
        # A later version than the head's is of a change that was never finished.
        rows = self._of_versions(f"(doc = {quoted(coded(doc))} AND number <= {latest})", ["number", "seal"])
        return {row["number"]: row["seal"] for row in rows}

    @cached_property
    def _indices(self) -> Mapping[str, Index]:
        return indices(self._entries)

    @cached_property
    def _bags(self) -> Bags:
        return Bags(self._entries, keep=self._entries.count_rows() <= self._limits.count)

    def _plan(self, column: str, asked: str) -> Plan:
        index = self._indices.get(column)
        if index is None:
            return Plan()
        rows = self._counted(_CURRENT)
        return plan(index.partitions, rows, rows if asked == TRUE else self._counted(asked), self._limits)

    def _counted(self, asked: str) -> int:
        if asked not in self._through:
            self._through[asked] = self._entries.count_rows(asked)
        return self._through[asked]

    def _noted(self, found: Sequence[Found]) -> list[Scored]:
        """The hits, with their places remembered."""
        if len(self._rows) < _REMEMBERED:
            self._rows.update((hit.key, hit.row) for hit in found)
        return scored(found)

    def _latest(self, doc: str) -> int:
        head = self.head(doc)
        return head.version if head else 0

    def _hashes(self, doc: str, column: str) -> dict[str, str]:
        rows = self._read(f"({_CURRENT} AND doc = {quoted(coded(doc))})", ["key", column])
        return dict(sorted((id_of(row["key"]), row[column]) for row in rows))

    def _taken(self, rows: Sequence[int], vectors: bool) -> list[Entry]:
        """The entries in these places, in any order."""
        if not rows:
            return []
        names = [*VECTORS.values()] if vectors else []
        with told("cannot read entries of the index"):
            found = self._entries.take_row_ids(list(rows)).select(["body", *names]).to_arrow()
        bodies = found["body"].to_pylist()
        columns = [vectors_of(found, name) for name in names] or [[None] * len(bodies)] * len(VECTORS)
        return [unpack_entry(body, *both) for body, *both in zip(bodies, *columns, strict=True)]

    def _read(self, asked: str, columns: Sequence[str], *, places: bool = False) -> list[dict[str, Any]]:
        return list(self._columns(asked, columns, places=places).to_pylist())

    def _columns(self, asked: str, columns: Sequence[str], *, places: bool = False) -> Any:
        with told("cannot read the index"):
            query = self._entries.search().where(asked).select([*columns])
            return (query.with_row_id(True) if places else query).to_arrow()

    def _of_versions(self, asked: str, columns: Sequence[str]) -> list[dict[str, Any]]:
        with told("cannot read the versions of the index"):
            return list(self._versions.search().where(asked).select([*columns]).to_arrow().to_pylist())


def _pages(items: Sequence[Any]) -> Iterator[Any]:
    return (items[at : at + _PAGE] for at in range(0, len(items), _PAGE))
