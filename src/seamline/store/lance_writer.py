"""Changing an embedded index: versions first, then entries and heads in the one commit that counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from seamline.errors import StoreError
from seamline.store.changes import Current, check_changes
from seamline.store.lance_engine import told
from seamline.store.lance_filter import coded, decoded, either
from seamline.store.lance_rows import HEAD, entry_rows, head_key, id_of, unpack_head, version_rows

if TYPE_CHECKING:
    from seamline.records import Change, Head, Settings
    from seamline.store.lance_guard import Guard
    from seamline.store.lance_tend import Keeper

_PAGE = 500
_COMMITS = 128
"""So many commits, and half as many rows again as there were, are put together without being asked: every commit
writes down all files there are, so thousands of small ones slow each other down."""


class LanceWriter:
    """The right to change a LanceStore."""

    def __init__(
        self, entries: Any, versions: Any, settings: Settings, guard: Guard, keeper: Keeper, *, interrupted: bool
    ) -> None:
        self._tables: tuple[Any, Any] | None = (entries, versions)
        self._settings = settings
        self._guard = guard
        self._keeper = keeper
        self._documents: set[str] | None = None
        self._commits = 0
        self._packed = -1
        self.unfinished = False
        """Whether a change was begun and not brought to its end."""
        if interrupted:
            self.unfinished = True
            self._resume()

    def apply(self, changes: Sequence[Change]) -> None:
        """Write all changes or, where one is refused or fails, none. One that reached its end is on the disk."""
        entries, versions = self._open()
        if self.unfinished:
            self._resume()
        current = self._current([change.head.doc for change in changes])
        check_changes(changes, current.__getitem__, self._settings)
        if not changes:
            return
        put = [entry for change in changes for entry in change.put]
        drop = [(id, change.head.doc) for change in changes for id in change.drop]
        rows = entry_rows(put, drop, [change.head for change in changes], self._settings.dimensions)
        texts = version_rows([change.version for change in changes if change.version])
        self.unfinished = True
        with self._undone_if_torn():
            with told("the change was not written"):
                if len(texts):
                    versions.add(texts)
                if all(now.head is None for now in current.values()):
                    entries.add(rows, on_bad_vectors="null")  # all new: nothing to look up
                else:
                    merge = entries.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
                    merge.execute(rows, on_bad_vectors="null")
            self._guard.record()
        self.unfinished = False
        self._known(entries).update(current)
        self._grown(entries)

    def tidy(self) -> None:
        """Bring the indices up to date where enough is new, and give back space."""
        entries, _ = self._open()
        if self.unfinished:
            self._resume()
        self._kept(self._keeper.tend)
        self._commits, self._packed = 0, entries.count_rows()

    def close(self) -> None:
        """Give the right back; another call of this writer is refused."""
        self._tables = None

    def _open(self) -> tuple[Any, Any]:
        if self._tables is None:
            raise StoreError("this writer was given back: take a new one from the store")
        return self._tables

    def _resume(self) -> None:
        """Put right what an interrupted change left: files that are not whole or on no list, versions that no head
        knows."""
        entries, versions = self._open()
        self._guard.undo()
        with told("cannot put right what an interrupted change left"):
            for table in (entries, versions):
                table.checkout_latest()
            latest = {head.doc: head.version for head in _heads(entries, f"level = {HEAD}")}
            found = versions.search().select(["doc", "number"]).to_arrow()
            pairs = zip(found["doc"].to_pylist(), found["number"].to_pylist(), strict=True)
            for doc, number in [(doc, n) for doc, n in pairs if n > latest.get(decoded(doc), 0)]:
                versions.delete(f"{either('doc', [doc])} AND number = {number}")
        self._documents = set(latest)
        self._guard.adopt()
        self.unfinished = False

    def _current(self, docs: Sequence[str]) -> dict[str, Current]:
        """What is stored of these documents."""
        entries, _ = self._open()
        with told("cannot read the index"):
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

    def _known(self, entries: Any) -> set[str]:
        """The documents that have a head."""
        if self._documents is None:
            found = entries.search().where(f"level = {HEAD}").select(["doc"]).to_arrow()
            self._documents = set(map(decoded, found["doc"].to_pylist()))
        return self._documents

    def _grown(self, entries: Any) -> None:
        """Put files together where there are many, and rows enough that it was worth it."""
        self._commits += 1
        if self._commits % _COMMITS:
            return
        rows = entries.count_rows()
        if self._packed < 0 or rows > 1.5 * self._packed:
            self._kept(self._keeper.pack)
            self._packed = rows

    def _kept(self, upkeep: Callable[[Any, Any], None]) -> None:
        """Do some upkeep; an interruption of it is put right as that of a change is."""
        self.unfinished = True
        with self._undone_if_torn():
            upkeep(*self._open())
        self.unfinished = False

    @contextmanager
    def _undone_if_torn(self) -> Iterator[None]:
        """Whoever reads after a failure finds the state before it, and not files that lack their ends."""
        try:
            yield
        except StoreError:
            self._guard.undo()
            raise


def _heads(entries: Any, asked: str) -> list[Head]:
    return [unpack_head(row["body"]) for row in entries.search().where(asked).select(["body"]).to_arrow().to_pylist()]
