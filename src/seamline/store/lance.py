"""An index in a folder, on LanceDB: nothing to start, many readers, one writer.

A commit of the engine is atomic and leaves the state before it as it was, so a reader is an older version of the
tables. What Seamline adds stands beside it: `lance_home` (the folder), `locks` (who writes), `lance_guard` (a hash
of every file), `lance_rows` (what a row is), `lance_search` (exact, or almost), `lance_tend` (upkeep).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from seamline.errors import StoreError
from seamline.store import codec, lance_home
from seamline.store.lance_engine import connect, told
from seamline.store.lance_guard import Guard, verify_files
from seamline.store.lance_home import ENTRIES, LAYOUT, VERSIONS, Found
from seamline.store.lance_layouts import migrate
from seamline.store.lance_reader import LanceReader
from seamline.store.lance_rows import entry_schema, version_schema
from seamline.store.lance_search import Limits
from seamline.store.lance_table import Tables
from seamline.store.lance_tend import Keeper
from seamline.store.lance_verify import WholeReader, verify_rows
from seamline.store.lance_writer import LanceWriter
from seamline.store.locks import WriterLock, reading

if TYPE_CHECKING:
    from seamline.records import Problem, Settings
    from seamline.types import Notice

R = TypeVar("R", bound=LanceReader)


class LanceStore:
    """An index in a folder. Threads may share it."""

    def __init__(self, folder: Path, found: Found, limits: Limits) -> None:
        self._folder = folder
        self._found = found
        self._limits = limits
        self._last: tuple[tuple[str, str], LanceReader] | None = None

    @classmethod
    def open(cls, url: str, *, limits: Limits | None = None) -> LanceStore:
        """The index in a folder, brought to the present layout where it has an older one; a StoreError says why it
        cannot be opened."""
        folder = Path(url)
        found = lance_home.look(folder)
        if found.layout < LAYOUT:
            found = migrate(folder)
        return cls(folder, found, limits or Limits())

    @classmethod
    def create(cls, url: str, settings: Settings, *, limits: Limits | None = None) -> LanceStore:
        """Make an index in a folder, or open the one that is there, if it was made with the same settings."""
        folder = Path(url)
        if not lance_home.exists(folder):
            _make(folder, settings)
        store = cls.open(url, limits=limits)
        codec.check_settings(store.settings, settings)
        return store

    @property
    def url(self) -> str:
        return str(self._folder)

    @property
    def settings(self) -> Settings:
        return self._found.settings

    @contextmanager
    def reader(self) -> Iterator[LanceReader]:
        """The present state, until it is closed; it stays readable that long, whatever others write or tidy."""
        with reading(self._folder):
            yield self._present()

    @contextmanager
    def writer(self) -> Iterator[LanceWriter]:
        """The right to write, until it is given back. A StoreError names who has it."""
        lock = WriterLock(self._folder)
        writer: LanceWriter | None = None
        try:
            if lock.interrupted:
                lance_home.sweep(self._folder, self._found)
            names = (self._found.entries, self._found.versions)
            guard = Guard(self._folder, names)
            keeper = Keeper(self._folder, guard, self._limits)
            with told(f"cannot open the index in {self._folder}"):
                entries, versions = map(connect(self._folder).open_table, names)
            writer = LanceWriter(entries, versions, self.settings, guard, keeper, interrupted=lock.interrupted)
            yield writer
        finally:
            lock.release(finished=writer is not None and not writer.unfinished)
            if writer is not None:
                writer.close()

    def generation(self) -> str:
        return lance_home.newest(self._folder, self._found.entries)

    def verify(self) -> Iterator[Problem]:
        """Compare every file with its hash and then, where they are whole, every row with its own."""
        with reading(self._folder):
            damaged = list(verify_files(self._folder))
            yield from damaged
            if not damaged:
                yield from verify_rows(self._reader(WholeReader))

    def size(self) -> int:
        total = 0
        for here, _, names in os.walk(self._folder):
            for name in names:
                with suppress(FileNotFoundError):  # somebody tidies
                    total += os.stat(os.path.join(here, name)).st_size
        return total

    def forget(self, docs: Sequence[str]) -> list[str]:
        """Refused: what is deleted leaves traces that are beyond this store."""
        raise StoreError("LanceDB keeps files of older versions: remove the index and make it anew without them")

    def vectors(self) -> None:
        """None: vectors are not kept apart from their entries."""

    def answers(self) -> None:
        """None: answers are not kept."""

    def remarks(self) -> list[Notice]:
        """Nothing happens here that a user should know."""
        return []

    def close(self) -> None:
        """Let go of the tables. Readers that are open stay usable."""
        self._last = None
        self.__dict__.pop("_tables", None)

    def _present(self) -> LanceReader:
        """The reader of the present state: the one that was made last, with all it remembers, where nothing was written
        since."""
        while True:
            mark, last = self._mark(), self._last
            if last is not None and last[0] == mark:
                return last[1]
            reader = self._reader(LanceReader)
            if self._mark() == mark:
                self._last = mark, reader
                return reader

    def _mark(self) -> tuple[str, str]:
        return lance_home.newest(self._folder, self._found.entries), lance_home.newest(
            self._folder, self._found.versions
        )

    def _reader(self, kind: type[R]) -> R:
        # Entries first: every version that their heads speak of was written before them.
        entries, versions = self._tables.open(self._found.entries), self._tables.open(self._found.versions)
        return kind(entries, versions, self.settings, self._limits)

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self._folder)


def _make(folder: Path, settings: Settings) -> None:
    """An empty index. Whoever is interrupted here leaves a folder that the next one starts from."""
    lance_home.prepare(folder)
    lock = WriterLock(folder)
    try:
        if lance_home.exists(folder):
            return  # another process was faster
        lance_home.clear(folder)
        with told(f"cannot make an index in {folder}"):
            connection = connect(folder)
            connection.create_table(ENTRIES, schema=entry_schema(settings.dimensions))
            connection.create_table(VERSIONS, schema=version_schema())
        with reading(folder):
            Guard(folder, (ENTRIES, VERSIONS)).adopt()
        lance_home.announce(folder, Found(LAYOUT, settings, ENTRIES, VERSIONS))
    finally:
        lock.release(finished=lance_home.exists(folder))
