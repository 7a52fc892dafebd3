"""An index in a folder: nothing to start, any number of readers, one writer."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.errors import StoreError
from seamline.records import Problem
from seamline.store import codec
from seamline.store.folders import WriterLock
from seamline.store.sqlite import folder as home
from seamline.store.sqlite import structures
from seamline.store.sqlite.caches import SqliteAnswers, SqliteVectors
from seamline.store.sqlite.database import Database, ReaderPool
from seamline.store.sqlite.erasure import erase
from seamline.store.sqlite.folder import TRUTH, About
from seamline.store.sqlite.reader import SqliteReader
from seamline.store.sqlite.structures import SqliteLimits
from seamline.store.sqlite.truth import state_of
from seamline.store.sqlite.upkeep import Search, SearchFiles
from seamline.store.sqlite.writer import SqliteWriter
from seamline.store.verify import verify_reader
from seamline.types import Notice

if TYPE_CHECKING:
    from seamline.records import Settings

_LOST = (
    "it lacks changes that were acknowledged: it was replaced by an older copy, or its -wal file was removed; run"
    " `seamline index` to bring it up to date with its documents"
)


class SqliteStore:
    """An index in a folder. Threads may share it."""

    def __init__(self, folder: Path, about: About, limits: SqliteLimits) -> None:
        self._folder = folder
        self._settings = settings = about.settings
        self.root = about.root
        self._truths = ReaderPool(lambda: Database(folder / TRUTH, durable=True))
        self._search = SearchFiles(folder, settings.dimensions, limits, self._remark)
        self._lock = threading.Lock()
        self._remarks: list[Notice] = []

    @classmethod
    def open(cls, url: str, *, limits: SqliteLimits | None = None) -> SqliteStore:
        """The index in a folder; a StoreError says why it cannot be opened."""
        folder = Path(url)
        home.check(folder)
        truth = Database(folder / TRUTH, durable=True)
        try:
            return cls(folder, home.read_about(truth), limits or SqliteLimits())
        finally:
            truth.close()

    @classmethod
    def create(cls, url: str, settings: Settings, *, root: str = "", limits: SqliteLimits | None = None) -> SqliteStore:
        """Make an index in a folder, or open the one that is there, if it was made with the same settings."""
        folder = Path(url)
        if not (folder / TRUTH).exists():
            home.make(folder, About(settings, root))
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
            found = self._search.hold(held)
            truth = held.enter_context(self._truths.lend())
            held.enter_context(truth.snapshot())
            state = state_of(truth)
            if home.has_lost(truth, state, last):
                raise StoreError(f"{truth.path}: {_LOST}")
            yield SqliteReader(truth, self._settings, Search(self._search, held, truth, state, found))

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
                    self._search.build(truth)
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
        self._truths.close()
        self._search.close()

    def _bring_up(self, truth: Database, end: bool) -> None:
        self._search.bring_up(truth, end=end)
        if end:
            with suppress(StoreError):  # somebody reads: the log is given back another time
                truth.rows("PRAGMA wal_checkpoint(TRUNCATE)")

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
