"""Who searches, and in what: the files of search structures of one index, opened, brought up to date and made anew."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.errors import StoreError
from seamline.store.folders import WriterLock, report_disk_errors
from seamline.store.sqlite import structures
from seamline.store.sqlite.corpus import Arranged, Corpus, Recent
from seamline.store.sqlite.database import Database, ReaderPool
from seamline.store.sqlite.structures import Made, SqliteLimits, StructuresDamaged, derived_damage
from seamline.store.sqlite.truth import IndexState

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from seamline.records import Settings

_FILTERS = 64 << 20
"""Bytes of rows of filters that are remembered."""
_NOTHING = Made(0, b"", 0)
"""What structures that hold nothing were made from."""
_MISSING = "the search structures were missing, or of another history"


class Held(NamedTuple):
    """Structures in one state, open for a reader."""

    made: Made
    db: Database


class SearchFiles:
    """The search structures of one index. Threads may share it."""

    def __init__(self, folder: Path, settings: Settings, limits: SqliteLimits, remark: Callable[[str], None]) -> None:
        """`remark` is told what a user should know."""
        self._folder = folder
        self._dimensions = settings.dimensions
        self._stemming = settings.stemming
        self._limits = limits
        self._remark = remark
        self._lock = threading.RLock()
        self._pools: dict[str, ReaderPool] = {}
        self._in_memory: Held | None = None
        """Structures that could not be written to the folder."""
        self._arranged: Arranged | None = None
        self._corpus: tuple[IndexState, Corpus] | None = None
        """What was searched last, and its state."""
        self.filters: Recent[NDArray[np.int64]] = Recent(_FILTERS)
        """Rows that filters let through."""

    def close(self) -> None:
        """Give back the files, and forget what was read."""
        with self._lock:
            self._in_memory = self._arranged = self._corpus = None
            for pool in self._pools.values():
                pool.close()
            self._pools = {}

    def hold(self, held: ExitStack) -> Held | None:
        """The newest structures of the folder that can be read, as they are now and until `held` is closed; None where
        there are none."""
        with report_disk_errors(f"cannot read the index in {self._folder}"):
            files = structures.files(self._folder)
        for _, path in files:
            try:
                with ExitStack() as tried:
                    db = tried.enter_context(self._pool(path).lend())
                    tried.enter_context(db.snapshot())
                    made = structures.made_from(db, self._dimensions)
                    if made is not None:
                        held.enter_context(tried.pop_all())
                        return Held(made, db)
            except StoreError:
                continue  # damaged, or removed at this moment: they are made anew
        return None

    def is_small(self, truth: Database) -> bool:
        """Whether so little is stored that a search may as well read all of it."""
        few = self._limits.few
        return len(truth.rows("SELECT row FROM entries LIMIT ?", (few + 1,))) <= few

    def corpus(self, truth: Database, state: IndexState, found: Held | None) -> Corpus:
        """What is searched in a state; what was searched last, where nothing changed."""
        file, made = (found.db.path, found.made) if found else ("", _NOTHING)
        with self._lock:
            arranged, known = self._arranged, self._corpus
        if arranged is None or (arranged.file, arranged.made) != (file, made):
            with derived_damage(file):
                arranged, known = Arranged.read(found.db, made) if found else Arranged("", made), None
        if known is None or known[0] != state:
            known = state, Corpus.read(arranged, truth, self._stemming)
        with self._lock:
            self._arranged, self._corpus = arranged, known
        return known[1]

    def rebuild(self, held: ExitStack, truth: Database, why: str) -> Held:
        """Make structures anew from a truth that is held still: in the folder or, where that cannot be, in memory."""
        try:
            lock = WriterLock(self._folder)
            try:
                self.build(truth)
            finally:
                lock.release(finished=True)
        except StoreError:
            return self._rebuild_in_memory(truth, why)
        found = self.hold(held)
        if found is None or not structures.is_right(found.made, truth):  # another process was there already
            return self._rebuild_in_memory(truth, why)
        self._remark(f"{why}, and were made anew from the index")
        return found

    def build(self, truth: Database) -> None:
        """Structures in a new file of the folder, and no other file of them. The caller has the right to write."""
        path = structures.new_file(self._folder)
        db = Database(path, durable=False, create=True)
        try:
            structures.build(db, truth, self._dimensions, self._stemming, self._limits)
        except StoreError:
            db.close()
            structures.remove(path)
            raise
        db.close()
        structures.remove_others(self._folder, path)

    def bring_up(self, truth: Database, *, end: bool) -> None:
        """Bring the structures up to date, at the end of a run or where very much is new. What was written is safe
        without it, so a failure is only told. The caller has the right to write."""
        try:
            self._fold(truth, end)
        except StoreError as error:
            self._remark(f"the search structures could not be brought up to date, searches are slower: {error}")

    def _pool(self, path: Path) -> ReaderPool:
        with self._lock:
            if str(path) not in self._pools:
                self._pools[str(path)] = ReaderPool(lambda: Database(path, durable=False))
            return self._pools[str(path)]

    def _rebuild_in_memory(self, truth: Database, why: str) -> Held:
        if self._in_memory is None or not structures.is_right(self._in_memory.made, truth):
            db = Database(":memory:", durable=False)
            structures.build(db, truth, self._dimensions, self._stemming, self._limits)
            made = structures.made_from(db, self._dimensions)
            assert made is not None
            self._in_memory = Held(made, db)
            self._remark(f"{why}, and could not be written: this process made its own from the index")
        return self._in_memory

    def _fold(self, truth: Database, end: bool) -> None:
        with ExitStack() as held:
            found = self.hold(held)
            if found is not None and not structures.is_right(found.made, truth):
                found = None
            path, made = (Path(found.db.path), found.made) if found else (None, _NOTHING)
        if not end and truth.value("SELECT coalesce(max(row), 0) FROM entries") - made.last_row <= self._limits.burst:
            return
        with truth.snapshot():
            if path is None or not self._fold_into(path, truth, made):
                self.build(truth)
        # Structures of the state before may still be open somewhere: what they need stays.
        with truth.transaction():
            truth.run("DELETE FROM removed WHERE counter <= ?", (made.counter,))
            truth.run("DELETE FROM changes WHERE counter < ?", (made.counter,))

    def _fold_into(self, path: Path, truth: Database, made: Made) -> bool:
        """Bring a file of structures up to date; False where it is damaged."""
        try:
            with derived_damage(str(path)):
                db = Database(path, durable=False)
                try:
                    if structures.is_due(db, truth, made, self._limits):
                        structures.fold(db, truth, made, self._stemming, self._limits)
                finally:
                    db.close()
        except StructuresDamaged as damage:
            self._remark(f"{damage}; they were made anew from the index")
            return False
        structures.remove_others(self._folder, path)
        return True


class Search:
    """What one reader searches, found out when it first does."""

    def __init__(
        self, files: SearchFiles, held: ExitStack, truth: Database, state: IndexState, found: Held | None
    ) -> None:
        """`held` closes with the reader; `found` was opened before the truth, so it is not newer."""
        self._files = files
        self._held = held
        self._truth = truth
        self._state = state
        self._found = found
        self._is_checked = False

    def open(self) -> tuple[Corpus, Database | None]:
        """The entries of this state, and a connection to their structures, where there are any."""
        if not self._is_checked:
            if self._found is not None and not structures.is_right(self._found.made, self._truth):
                self._found = None
            if self._found is None and not self._files.is_small(self._truth):
                self._found = self._files.rebuild(self._held, self._truth, _MISSING)
            self._is_checked = True
        try:
            return self._opened()
        except StructuresDamaged as damage:
            return self.repair(damage)

    def repair(self, damage: StructuresDamaged) -> tuple[Corpus, Database | None]:
        """The same, with structures that are made anew."""
        self._found = self._files.rebuild(self._held, self._truth, str(damage))
        return self._opened()

    def filtered(self, sql: str, values: tuple[Any, ...], read: Callable[[], NDArray[np.int64]]) -> NDArray[np.int64]:
        """Rows that a filter lets through in this state, remembered."""
        return self._files.filters.get((self._state, sql, values), read, lambda rows: rows.nbytes + 100)

    def _opened(self) -> tuple[Corpus, Database | None]:
        corpus = self._files.corpus(self._truth, self._state, self._found)
        return corpus, self._found.db if self._found else None
