"""Changing a LanceDB store: versions first, then entries and heads in the one commit that counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from seamline.errors import StoreError
from seamline.store.changes import Current, check_changes, check_vectors, fill_vectors
from seamline.store.codec import unpack_head
from seamline.store.lance.engine import report_errors
from seamline.store.lance.filter import coded, decoded, either
from seamline.store.lance.rows import (
    HEAD,
    VECTORS,
    entry_key,
    entry_rows,
    head_key,
    id_of,
    unpack_entries,
    version_rows,
)

if TYPE_CHECKING:
    from seamline.records import Change, Entry, Head, Settings
    from seamline.store.lance.maintenance import CommitGuard, Maintenance

_PAGE = 500
_COMMITS = 128
"""So many commits, and half as many rows again as there were, are put together without being asked: every commit
writes down all files there are, so thousands of small ones slow each other down."""


class LanceWriter:
    """The right to change a LanceStore."""

    def __init__(self, settings: Settings, guard: CommitGuard, maintenance: Maintenance) -> None:
        self._settings = settings
        self._guard = guard
        self._maintenance = maintenance
        self._documents: set[str] | None = None
        self._commits = 0
        self._packed = -1
        self._closed = False
        self.unfinished = True
        """Whether a change was begun and not brought to its end."""
        self._tables = self._start()

    def apply(self, changes: Sequence[Change]) -> None:
        """Write all changes or, where one is refused or fails, none. One that reached its end is on the disk."""
        entries, versions = self._open()
        current = self._current([change.head.doc for change in changes])
        check_changes(changes, current.__getitem__, self._settings)
        if not changes:
            return
        put = [entry for change in changes for entry in change.put]
        drop = [(id, change.head.doc) for change in changes for id in change.drop]
        rows = entry_rows(put, drop, [change.head for change in changes], self._settings)
        texts = version_rows([change.version for change in changes if change.version])
        with self._undone_on_failure(), report_errors("the change was not written"):
            if len(texts):
                versions.add(texts)
            if all(now.head is None for now in current.values()):
                entries.add(rows, on_bad_vectors="null")  # all new: nothing to look up
            else:
                merge = entries.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
                merge.execute(rows, on_bad_vectors="null")
            self._guard.record(entries, versions)
        self._known(entries).update(current)
        self._pack_if_grown(entries, versions)

    def add_vectors(self, entries: Sequence[Entry]) -> int:
        """Give entries the vectors that they lack; how many were given something."""
        table, versions = self._open()
        check_vectors(entries, self._settings)
        filled = list(self._filled({entry.id: entry for entry in entries}))
        if not filled:
            return 0
        rows = entry_rows(filled, (), (), self._settings)
        with self._undone_on_failure(), report_errors("the vectors were not written"):
            table.merge_insert("key").when_matched_update_all().execute(rows, on_bad_vectors="null")
            self._guard.record(table, versions)
        self._pack_if_grown(table, versions)
        return len(filled)

    def tidy(self) -> None:
        """Bring the indices up to date where enough is new, and give back space."""
        entries, versions = self._open()
        with self._undone_on_failure():
            self._maintenance.tidy(entries, versions)
        self._commits, self._packed = 0, entries.count_rows()

    def close(self) -> None:
        """Give the right back; another call of this writer is refused."""
        self._closed = True

    def _open(self) -> tuple[Any, Any]:
        if self._closed:
            raise StoreError("this writer was given back: take a new one from the store")
        if self.unfinished:
            self._tables = self._start()
        return self._tables

    def _start(self) -> tuple[Any, Any]:
        """Open the tables at the commits that count."""
        tables = self._guard.begin()
        self._documents, self.unfinished = None, False
        return tables

    def _current(self, docs: Sequence[str]) -> dict[str, Current]:
        """What is stored of these documents."""
        entries, _ = self._open()
        with report_errors("cannot read the index"):
            known = self._known(entries) if docs else set()
            here = [doc for doc in docs if doc in known]
            ids: dict[str, set[str]] = {doc: set() for doc in here}
            heads: dict[str, Head] = {}
            for at in range(0, len(here), _PAGE):
                some = here[at : at + _PAGE]
                heads |= {head.doc: head for head in _heads(entries, either("key", [head_key(doc) for doc in some]))}
                asked = f"(level >= 0 AND {either('doc', [*map(coded, some)])})"
                for row in entries.search().where(asked).select(["key", "doc"]).to_arrow().to_pylist():
                    ids[decoded(row["doc"])].add(id_of(row["key"]))
        return {doc: Current(heads.get(doc), ids.get(doc, ())) for doc in docs}

    def _filled(self, given: Mapping[str, Entry]) -> Iterator[Entry]:
        """Those of the entries that lack something which is given, with it."""
        entries, _ = self._open()
        ids = list(given)
        for at in range(0, len(ids), _PAGE):
            asked = f"(level >= 0 AND {either('key', [*map(entry_key, ids[at : at + _PAGE])])})"
            with report_errors("cannot read the index"):
                rows = entries.search().where(asked).select(["digest", "body", *VECTORS.values()]).to_arrow()
            for stored, digest in zip(unpack_entries(rows), rows["digest"].to_pylist(), strict=True):
                if entry := fill_vectors(stored, digest, given[stored.id], dual=self._settings.dual):
                    yield entry

    def _known(self, entries: Any) -> set[str]:
        """The documents that have a head."""
        if self._documents is None:
            found = entries.search().where(f"level = {HEAD}").select(["doc"]).to_arrow()
            self._documents = set(map(decoded, found["doc"].to_pylist()))
        return self._documents

    def _pack_if_grown(self, entries: Any, versions: Any) -> None:
        """Put files together where there are many, and rows enough that it was worth it."""
        self._commits += 1
        if self._commits % _COMMITS:
            return
        rows = entries.count_rows()
        if self._packed < 0 or rows > 1.5 * self._packed:
            with self._undone_on_failure():
                self._maintenance.pack(entries, versions)
            self._packed = rows

    @contextmanager
    def _undone_on_failure(self) -> Iterator[None]:
        """Set aside what was committed where it does not come to its end."""
        self.unfinished = True
        try:
            yield
        except StoreError:
            self._guard.roll_back()
            raise
        self.unfinished = False


def _heads(entries: Any, asked: str) -> list[Head]:
    return [unpack_head(row["body"]) for row in entries.search().where(asked).select(["body"]).to_arrow().to_pylist()]
