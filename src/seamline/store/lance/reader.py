"""One state of a LanceDB store: versions of its tables that stay as they are while others write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from seamline.store.changes import check_query
from seamline.store.codec import unpack_head
from seamline.store.lance.engine import FALSE, TRUE, TableVersion, report_errors
from seamline.store.lance.filter import coded, condition, decoded, either, quoted
from seamline.store.lance.maintenance import TableIndex, indices
from seamline.store.lance.rows import (
    HEAD,
    LACKING,
    VECTORS,
    entry_key,
    head_key,
    id_of,
    unpack_body_parts,
    unpack_entries,
    unpack_vectors,
    unpack_version,
)
from seamline.store.lance.search import Bags, LanceLimits, LanceScope, NearLeg, WordLeg, probes_for, scored
from seamline.text.words import asked_words

if TYPE_CHECKING:
    from seamline.filters.tree import Filter
    from seamline.records import Entry, EntryVectors, Head, Levels, Parts, Scored, Settings, Vector, VectorKind, Version

T = TypeVar("T")

_PAGE = 500
"""Rows that are fetched at once."""
_REMEMBERED = 10_000
"""Heads and counts that are kept."""
_LAYOUTS = 2_000
"""Versions without their texts that are kept, packed as they are stored."""
_CURRENT = "level >= 0"
_LACKING = f"array_has(labels, '{LACKING}')"
_LAYOUT = ("doc", "number", "about", "places")


class LanceReader:
    """One state of a LanceStore. Threads may share it."""

    def __init__(self, entries: TableVersion, versions: TableVersion, settings: Settings, limits: LanceLimits) -> None:
        self._entries = entries
        self._versions = versions
        self._settings = settings
        self._limits = limits
        self._heads: dict[str, Head] = {}
        self._layouts: dict[str, Mapping[str, Any]] = {}
        """Rows of current versions, without the texts."""
        self._through: dict[str, int] = {}

    def near(
        self, vector: Vector, k: int, *, where: Filter | None = None, levels: Levels = (0,), of: VectorKind = "text"
    ) -> list[Scored]:
        """The `k` entries with the highest cosine similarity: exactly in small indexes, almost always in large ones."""
        check_query(vector, self._settings)
        column = VECTORS[of]
        if k <= 0 or condition(where, levels) == FALSE:
            return []
        with report_errors("cannot search the index by vector"):
            scope, given = self._scope(where, levels), np.asarray(vector, dtype=np.float32)
            partitions = index.partitions if (index := self._indices.get(column)) else 0
            probes = self._probes(partitions, scope.first)
            leg = NearLeg(self._entries, given, column, probes, partitions)
            return scored(leg.best(k, scope))

    def matching(
        self, query: str, k: int, *, where: Filter | None = None, levels: Levels = (0,), every: bool = False
    ) -> list[Scored]:
        """The `k` entries with the highest BM25 score above 0; with `every`, of those that hold all words."""
        words, asked = asked_words(query, self._settings.stemming, every=every), condition(where, levels)
        if k <= 0 or not words or asked == FALSE:
            return []
        with report_errors("cannot search the index by words"):
            if "words" in self._indices:
                leg = WordLeg(self._entries, words, every)
                return scored(leg.best(k, self._scope(where, levels)))
            through = None if asked == TRUE else {row["key"] for row in self._read(asked, ["key"])}
            return scored(Bags(self._entries).matching(words, k, through, every=every))

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        """The entries of these ids that exist."""
        wanted = list(dict.fromkeys(map(entry_key, ids)))
        found: dict[str, Entry] = {}
        for keys in _pages(wanted):
            rows = self._columns(f"({_CURRENT} AND {either('key', keys)})", _columns_of(vectors))
            found |= {entry.id: entry for entry in unpack_entries(rows)}
        return {id: found[id] for id in map(id_of, wanted) if id in found}

    def vectors(self, ids: Iterable[str]) -> dict[str, EntryVectors]:
        """What of these entries that exist was embedded."""
        found: dict[str, EntryVectors] = {}
        for keys in _pages(list(dict.fromkeys(map(entry_key, ids)))):
            rows = self._columns(f"({_CURRENT} AND {either('key', keys)})", ["key", "body", *VECTORS.values()])
            found.update(zip(map(id_of, rows["key"].to_pylist()), unpack_vectors(rows), strict=True))
        return found

    def parts(self, ids: Iterable[str]) -> dict[str, Parts]:
        """The parts of those of these entries that have any."""
        found: dict[str, Parts] = {}
        for keys in _pages(list(dict.fromkeys(map(entry_key, ids)))):
            for row in self._read(f"({_CURRENT} AND {either('key', keys)})", ["key", "body"]):
                if (parts := unpack_body_parts(row["body"])) is not None:
                    found[id_of(row["key"])] = parts
        return found

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

    def count(self, where: Filter | None = None, *, levels: Levels = (0,)) -> int:
        asked = condition(where, levels)
        if asked == FALSE:
            return 0
        with report_errors("cannot count the entries of the index"):
            return self._counted(_CURRENT if asked == TRUE else f"({_CURRENT} AND {asked})")

    def missing_vectors(self) -> Iterator[str]:
        """The ids of entries that have yet to get a vector."""
        with report_errors("cannot read the index"):
            for batch in self._entries.batches(_LACKING, ["key"], _PAGE):
                yield from map(id_of, batch.column("key").to_pylist())

    def count_missing_vectors(self, *, levels: Levels = (0,)) -> int:
        """How many those are."""
        asked = condition(None, levels)
        if asked == FALSE:
            return 0
        with report_errors("cannot count the entries of the index"):
            return self._counted(_LACKING if asked == TRUE else f"({_LACKING} AND {asked})")

    def head(self, doc: str) -> Head | None:
        return self._heads_of([doc]).get(doc)

    def heads(self) -> Iterator[Head]:
        """All documents ever indexed, by name."""
        found = [unpack_head(row["body"]) for row in self._read(f"level = {HEAD}", ["body"])]
        return iter(sorted(found, key=lambda head: head.doc))

    def version(self, doc: str, number: int, *, text: bool = True) -> Version | None:
        latest = self._latest(doc)
        if number not in range(1, latest + 1):
            return None
        if not text and number == latest:
            return self._placed({doc: number}).get(doc)
        columns = [*_LAYOUT, *(["text"] if text else [])]
        rows = self._of_versions(f"(doc = {quoted(coded(doc))} AND number = {number})", columns)
        return unpack_version(rows[0]) if rows else None

    def layouts(self, docs: Iterable[str]) -> dict[str, Version]:
        """The current version of each of these documents that is there now, without its text."""
        heads = self._heads_of([*dict.fromkeys(docs)])
        return self._placed({doc: head.version for doc, head in heads.items() if not head.deleted})

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
    def _indices(self) -> Mapping[str, TableIndex]:
        return indices(self._entries.indices())

    def _scope(self, where: Filter | None, levels: Levels) -> LanceScope:
        strict = condition(where, levels)
        if levels is None or not self._indices:
            return LanceScope(strict)
        rows, wanted = self._counted(_CURRENT), self._counted(condition(None, levels))
        if not wanted or 2 * wanted < rows:
            return LanceScope(strict)
        return LanceScope(
            strict, condition(where, None), frozenset(levels), 1.1 * rows / wanted if wanted < rows else 1.0
        )

    def _probes(self, partitions: int, asked: str) -> int:
        if not partitions:
            return 0
        rows = self._counted(_CURRENT)
        return probes_for(partitions, rows, rows if asked == TRUE else self._counted(asked), self._limits)

    def _counted(self, asked: str) -> int:
        known = self._through.get(asked)
        if known is None:
            known = self._entries.count(asked)
            self._through = _with_room(self._through, _REMEMBERED)
            self._through[asked] = known
        return known

    def _heads_of(self, docs: Sequence[str]) -> dict[str, Head]:
        """The heads of those of the documents that have one."""
        known = self._heads
        found = {doc: known[doc] for doc in docs if doc in known}
        for keys in _pages([head_key(doc) for doc in docs if doc not in found]):
            heads = [unpack_head(row["body"]) for row in self._read(either("key", keys), ["body"])]
            found |= {head.doc: head for head in heads}
        self._heads = _with_room(known, _REMEMBERED)
        self._heads.update(found)
        return found

    def _placed(self, current: Mapping[str, int]) -> dict[str, Version]:
        """The versions of these documents and numbers, which are current ones, without their texts."""
        known = self._layouts
        found = {doc: known[doc] for doc in current if doc in known}
        for page in _pages([doc for doc in current if doc not in found]):
            docs = either("doc", [*map(coded, page)])
            numbers = ", ".join(map(str, {current[doc] for doc in page}))
            rows = self._of_versions(f"({docs} AND number IN ({numbers}))", _LAYOUT)
            named = [(decoded(row["doc"]), row) for row in rows]
            found.update((doc, row) for doc, row in named if row["number"] == current[doc])
        self._layouts = _with_room(known, _LAYOUTS)
        self._layouts.update(found)
        return {doc: unpack_version(row) for doc, row in found.items()}

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
        with report_errors("cannot read entries of the index"):
            found = self._entries.take(rows, _columns_of(vectors))
        return unpack_entries(found)

    def _read(self, asked: str, columns: Sequence[str], *, places: bool = False) -> list[dict[str, Any]]:
        return list(self._columns(asked, columns, places=places).to_pylist())

    def _columns(self, asked: str, columns: Sequence[str], *, places: bool = False) -> Any:
        with report_errors("cannot read the index"):
            return self._entries.rows(asked, columns, places=places)

    def _of_versions(self, asked: str, columns: Sequence[str]) -> list[dict[str, Any]]:
        with report_errors("cannot read the versions of the index"):
            return list(self._versions.rows(asked, columns).to_pylist())


def _columns_of(vectors: bool) -> list[str]:
    """All that is stored of an entry, with its vectors or without."""
    return ["body", *(VECTORS.values() if vectors else ())]


def _with_room(known: dict[str, T], most: int) -> dict[str, T]:
    """What is remembered; the newer half of it, where that has become too much."""
    return known if len(known) < most else dict(islice(known.items(), len(known) // 2, None))


def _pages(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """The items, so many at a time."""
    return (items[at : at + _PAGE] for at in range(0, len(items), _PAGE))
