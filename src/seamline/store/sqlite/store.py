"""An index in a folder: nothing to start, any number of readers, one writer."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seamline.errors import StoreError
from seamline.records import Problem
from seamline.store import codec
from seamline.store.disk_errors import report_disk_errors
from seamline.store.locks import WriterLock
from seamline.store.sqlite import folder as home
from seamline.store.sqlite import structures
from seamline.store.sqlite.caches import SqliteAnswers, SqliteVectors
from seamline.store.sqlite.corpus import Arranged, Corpus, Recent
from seamline.store.sqlite.database import Database, Pool
from seamline.store.sqlite.erasure import erase
from seamline.store.sqlite.folder import TRUTH
from seamline.store.sqlite.reader import SqliteReader
from seamline.store.sqlite.structures import Limits, Made, StructuresDamaged, derived_damage
from seamline.store.sqlite.truth import State, state_of
from seamline.store.sqlite.writer import SqliteWriter
from seamline.store.verify import verify_reader
from seamline.types import Notice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Settings

_FILTERS = 64 << 20
"""Bytes of rows of filters that are remembered."""
_NOTHING = Made(0, b"", 0)
"""What structures that hold nothing were made from."""
_MISSING = "the search structures were missing, or of another history"
_LOST = (
    "it lacks changes that were acknowledged: it was replaced by an older copy, or its -wal file was removed; run"
    " `seamline index` to bring it up to date with its documents"
)


class SqliteStore:
    """An index in a folder. Threads may share it."""

    def __init__(self, folder: Path, settings: Settings, limits: Limits) -> None:
        self._folder = folder
        self._settings = settings
        self._limits = limits
        self._lock = threading.RLock()
        self._truths = Pool(lambda: Database(folder / TRUTH, durable=True))
        self._searches: dict[str, Pool] = {}
        self._in_memory: tuple[Made, Database] | None = None
        """Structures that could not be written to the folder."""
        self._arranged: Arranged | None = None
        self._corpus: tuple[State, Corpus] | None = None
        """What was searched last, and its state."""
        self._filters: Recent[NDArray[np.int64]] = Recent(_FILTERS)
        self._remarks: list[Notice] = []

    @classmethod
    def open(cls, url: str, *, limits: Limits | None = None) -> SqliteStore:
        """The index in a folder; a StoreError says why it cannot be opened."""
        folder = Path(url)
        home.check(folder)
        truth = Database(folder / TRUTH, durable=True)
        try:
            return cls(folder, home.read_settings(truth), limits or Limits())
        finally:
            truth.close()

    @classmethod
    def create(cls, url: str, settings: Settings, *, limits: Limits | None = None) -> SqliteStore:
        """Make an index in a folder, or open the one that is there, if it was made with the same settings."""
        folder = Path(url)
        if not (folder / TRUTH).exists():
            home.make(folder, settings)
        store = cls.open(url, limits=limits)
        codec.check_settings(store.settings, settings)
        return store

    @property
    def url(self) -> str:
        return str(self._folder)

    @property
    def settings(self) -> Settings:
        return self._settings

    @contextmanager
    def reader(self) -> Iterator[SqliteReader]:
        """The present state, until it is closed; it stays readable that long, whatever others write or tidy."""
        with ExitStack() as held:
            # In this order: what was acknowledged and what structures were made from is then in the truth's history.
            last = home.acknowledged(self._folder)
            found = self._hold_structures(held)
            truth = held.enter_context(self._truths.lend())
            held.enter_context(truth.snapshot())
            state = state_of(truth)
            if home.has_lost(truth, state, last):
                raise StoreError(f"{truth.path}: {_LOST}")
            yield SqliteReader(truth, self._settings, _Search(self, held, truth, state, found))

    @contextmanager
    def writer(self) -> Iterator[SqliteWriter]:
        """The right to write, until it is given back. A StoreError names who has it."""
        home.check(self._folder)
        lock = WriterLock(self._folder)
        try:
            truth = Database(self._folder / TRUTH, durable=True)
            try:
                self._resume(truth)
                writer = SqliteWriter(
                    truth,
                    self._settings,
                    lambda state: home.acknowledge(self._folder, state),
                    lambda end: self._bring_up(truth, end),
                )
                try:
                    yield writer
                finally:
                    writer.close()
            finally:
                truth.close()
        finally:
            lock.release(finished=True)

    def forget(self, docs: Sequence[str]) -> list[str]:
        """Erase documents with every version of them; the names of those that were there."""
        home.check(self._folder)
        lock = WriterLock(self._folder)
        try:
            self.close()  # no connection of ours holds an old state, or pages in memory
            truth = Database(self._folder / TRUTH, durable=True)
            try:
                erased = erase(truth, docs)
                home.acknowledge(self._folder, state_of(truth))
                with truth.snapshot():
                    self._build(truth)
            finally:
                truth.close()
        finally:
            lock.release(finished=True)
        return erased

    def vectors(self) -> SqliteVectors:
        """Vectors that were made before, by the text they are of."""
        return SqliteVectors(self._truths)

    def answers(self) -> SqliteAnswers:
        """Answers of language models that were given before."""
        return SqliteAnswers(self._truths)

    def generation(self) -> str:
        with self._truths.lend() as truth:
            state = state_of(truth)
        return f"{state.counter}-{state.mark.hex()}"

    def remarks(self) -> list[Notice]:
        """What happened since the last call that a user should know."""
        with self._lock:
            found, self._remarks = self._remarks, []
        return found

    def verify(self) -> Iterator[Problem]:
        """Read every page of every file and every row, and compare them with their checksums."""
        for _, path in structures.files(self._folder):
            yield from _check_pages(path)
        damaged = list(_check_pages(self._folder / TRUTH))
        yield from damaged
        if not damaged:
            try:
                with self.reader() as reader:
                    yield from verify_reader(reader)
            except StoreError as error:
                yield Problem(TRUTH, str(error))

    def size(self) -> int:
        total = 0
        for name in os.listdir(self._folder):
            with suppress(FileNotFoundError):  # somebody tidies
                total += os.stat(self._folder / name).st_size
        return total

    def close(self) -> None:
        """Give back the files. Readers that are open stay usable."""
        with self._lock:
            self._in_memory = self._arranged = self._corpus = None
            for pool in (self._truths, *self._searches.values()):
                pool.close()
            self._searches = {}

    def _hold_structures(self, held: ExitStack) -> tuple[Made, Database] | None:
        """The newest structures of the folder that can be read, held still; None where there are none."""
        with report_disk_errors(f"cannot read the index in {self._folder}"):
            files = structures.files(self._folder)
        for _, path in files:
            try:
                with ExitStack() as tried:
                    db = tried.enter_context(self._pool(path).lend())
                    tried.enter_context(db.snapshot())
                    made = structures.made_from(db, self._settings.dimensions)
                    if made is not None:
                        held.enter_context(tried.pop_all())
                        return made, db
            except StoreError:
                continue  # damaged, or removed at this moment: they are made anew
        return None

    def _pool(self, path: Path) -> Pool:
        with self._lock:
            if str(path) not in self._searches:
                self._searches[str(path)] = Pool(lambda: Database(path, durable=False))
            return self._searches[str(path)]

    def _corpus_of(
        self, truth: Database, state: State, found: tuple[Made, Database] | None
    ) -> tuple[Corpus, Database | None]:
        """What is searched in a state; what was searched last, where nothing changed."""
        made, db = found or (_NOTHING, None)
        file = db.path if db else ""
        with self._lock:
            arranged, known = self._arranged, self._corpus
        if arranged is None or (arranged.file, arranged.made) != (file, made):
            with derived_damage(file):
                arranged, known = Arranged.read(db, made) if db else Arranged("", made), None
        if known is None or known[0] != state:
            known = state, Corpus.read(arranged, truth)
        with self._lock:
            self._arranged, self._corpus = arranged, known
        return known[1], db

    def _rebuild(self, held: ExitStack, truth: Database, why: str) -> tuple[Made, Database]:
        """Make structures anew from a truth that is held still: in the folder or, where that cannot be, in memory."""
        try:
            lock = WriterLock(self._folder)
            try:
                self._build(truth)
            finally:
                lock.release(finished=True)
        except StoreError:
            return self._rebuild_in_memory(truth, why)
        found = self._hold_structures(held)
        if found is None or not structures.is_right(found[0], truth):  # another process was there already
            return self._rebuild_in_memory(truth, why)
        self._remark(f"{why}, and were made anew from {TRUTH}")
        return found

    def _rebuild_in_memory(self, truth: Database, why: str) -> tuple[Made, Database]:
        if self._in_memory is None or not structures.is_right(self._in_memory[0], truth):
            db = Database(":memory:", durable=False)
            structures.build(db, truth, self._settings.dimensions, self._limits)
            self._in_memory = self._present(db), db
            self._remark(f"{why}, and could not be written: this process made its own from {TRUTH}")
        return self._in_memory

    def _build(self, truth: Database) -> Path:
        """Structures in a new file of the folder, and no other file of them."""
        path = structures.new_file(self._folder)
        db = Database(path, durable=False, create=True)
        try:
            structures.build(db, truth, self._settings.dimensions, self._limits)
        except StoreError:
            db.close()
            structures.remove(path)
            raise
        db.close()
        structures.remove_others(self._folder, path)
        return path

    def _present(self, db: Database) -> Made:
        made = structures.made_from(db, self._settings.dimensions)
        if made is None:
            raise StructuresDamaged(f"the search structures {db.path} were made and cannot be read")
        return made

    def _bring_up(self, truth: Database, end: bool) -> None:
        """Bring the structures up to date, at the end of a run or where very much is new. What was written is safe
        without it, so a failure is only told."""
        try:
            self._fold(truth, end)
            if end:
                truth.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        except StoreError as error:
            self._remark(f"the search structures could not be brought up to date, searches are slower: {error}")

    def _fold(self, truth: Database, end: bool) -> None:
        with ExitStack() as held:
            found = self._hold_structures(held)
            right = found is not None and structures.is_right(found[0], truth)
            path = Path(found[1].path) if found is not None and right else None
            made = found[0] if found is not None and right else _NOTHING
        if not end and truth.value("SELECT coalesce(max(row), 0) FROM entries") - made.last_row <= self._limits.burst:
            return
        with truth.snapshot():
            if path is None or not self._fold_into(path, truth, made):
                self._build(truth)
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
                        structures.fold(db, truth, made, self._limits)
                finally:
                    db.close()
        except StructuresDamaged as damage:
            self._remark(f"{damage}; they were made anew from {TRUTH}")
            return False
        structures.remove_others(self._folder, path)
        return True

    def _resume(self, truth: Database) -> None:
        """Start from what the truth is, and say so where it lost something."""
        state, last = state_of(truth), home.acknowledged(self._folder)
        if home.has_lost(truth, state, last):
            self._remark(f"{truth.path} lacked changes that were acknowledged; this run starts from what it has")
        if state != last:
            home.acknowledge(self._folder, state)

    def _remark(self, message: str) -> None:
        with self._lock:
            self._remarks.append(Notice("index", message))


class _Search:
    """What a reader searches, found out when it first does."""

    def __init__(
        self,
        store: SqliteStore,
        held: ExitStack,
        truth: Database,
        state: State,
        found: tuple[Made, Database] | None,
    ) -> None:
        """`held` closes with the reader."""
        self._store = store
        self._held = held
        self._truth = truth
        self._state = state
        self._found = found
        self._checked = False

    def open(self) -> tuple[Corpus, Database | None]:
        """The corpus of this state, and a connection to its structures."""
        if not self._checked:
            if self._found is not None and not structures.is_right(self._found[0], self._truth):
                self._found = None
            if self._found is None and not self._is_small():
                self._found = self._store._rebuild(self._held, self._truth, _MISSING)
            self._checked = True
        try:
            return self._store._corpus_of(self._truth, self._state, self._found)
        except StructuresDamaged as damage:
            return self.repair(damage)

    def repair(self, damage: StructuresDamaged) -> tuple[Corpus, Database | None]:
        """The same, made anew."""
        self._found = self._store._rebuild(self._held, self._truth, str(damage))
        return self._store._corpus_of(self._truth, self._state, self._found)

    def filtered(self, sql: str, values: tuple[Any, ...], read: Callable[[], NDArray[np.int64]]) -> NDArray[np.int64]:
        """Rows that a filter lets through in this state."""
        return self._store._filters.get((self._state, sql, values), read, lambda rows: rows.nbytes + 100)

    def _is_small(self) -> bool:
        """Whether so little is stored that a search reads all of it."""
        few = self._store._limits.few
        return len(self._truth.rows("SELECT row FROM entries LIMIT ?", (few + 1,))) <= few


def _check_pages(path: Path) -> Iterator[Problem]:
    """Read every page of a file."""
    try:
        database = Database(path, durable=True)
        try:
            said = [row[0] for row in database.rows("PRAGMA integrity_check")]
        finally:
            database.close()
    except StoreError as error:
        yield Problem(path.name, str(error))
    else:
        yield from (Problem(path.name, message) for message in said if message != "ok")
