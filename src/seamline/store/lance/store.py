"""An index in a folder, on LanceDB: made, opened, and verified by reading everything, a document at a time."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from seamline.errors import StoreError
from seamline.records import Problem
from seamline.store import codec
from seamline.store.folders import WriterLock, reading
from seamline.store.lance import folder as folders
from seamline.store.lance.engine import Connection, connect, report_errors
from seamline.store.lance.filter import coded, decoded, quoted
from seamline.store.lance.folder import ENTRIES, LAYOUT, VERSIONS, LanceFolder
from seamline.store.lance.guard import Guard, GuardState, is_unfinished, read_state, verify_files
from seamline.store.lance.maintenance import Maintenance
from seamline.store.lance.reader import LanceReader
from seamline.store.lance.rows import GONE, VECTORS, entry_schema, id_of, unpack_body, vectors_of, version_schema
from seamline.store.lance.search import LanceLimits
from seamline.store.lance.writer import LanceWriter
from seamline.store.verify import verify_reader

if TYPE_CHECKING:
    from seamline.records import Entry, Head, Problem, Settings, Vector
    from seamline.types import Notice


class WholeReader(LanceReader):
    """Reads much at once, for whoever reads everything: a document in one go, all heads, seals and owners in another.
    One by one each takes 3 ms."""

    _doc = ""
    """The document that was read last."""
    _entries_of: Mapping[str, Entry] = {}
    _digests_of: Mapping[str, str] = {}

    def heads(self) -> Iterator[Head]:
        found = list(super().heads())
        self._heads = {head.doc: head for head in found}
        return iter(found)

    def checksums(self, doc: str) -> Mapping[str, str]:
        """Of a document, whose entries and digests are known from here on."""
        asked = f"(level >= 0 AND doc = {quoted(coded(doc))})"
        found = self._columns(asked, ["key", "digest", "checksum", "body", *VECTORS.values()])
        ids = [id_of(key) for key in found["key"].to_pylist()]
        rows = zip(ids, found["body"].to_pylist(), *(vectors_of(found, name) for name in VECTORS.values()), strict=True)
        self._doc, self._entries_of = doc, dict(_readable(rows))
        self._digests_of = dict(zip(ids, found["digest"].to_pylist(), strict=True))
        return dict(zip(ids, found["checksum"].to_pylist(), strict=True))

    def digests(self, doc: str) -> Mapping[str, str]:
        return self._digests_of if doc == self._doc else super().digests(doc)

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        wanted = list(ids)
        found = {id: self._entries_of[id] for id in wanted if id in self._entries_of}
        missing = [id for id in wanted if id not in found]
        return found | super().entries(missing, vectors=vectors)

    def seals(self, doc: str) -> Mapping[int, str]:
        latest = self._latest(doc)
        return {number: seal for number, seal in self._seals.get(doc, {}).items() if number <= latest}

    def owner(self, id: str) -> str | None:
        if id in self._entries_of:
            return self._entries_of[id].doc
        return self._owners.get(id) or super().owner(id)

    @cached_property
    def _seals(self) -> Mapping[str, Mapping[int, str]]:
        found: dict[str, dict[int, str]] = defaultdict(dict)
        for row in self._of_versions("number > 0", ["doc", "number", "seal"]):
            found[decoded(row["doc"])][row["number"]] = row["seal"]
        return found

    @cached_property
    def _owners(self) -> Mapping[str, str]:
        """Of entries that were removed."""
        return {id_of(row["key"]): decoded(row["doc"]) for row in self._read(f"level = {GONE}", ["key", "doc"])}


def _readable(rows: Iterable[tuple[str, bytes, Vector | None, Vector | None]]) -> Iterator[tuple[str, Entry]]:
    """Entries by id. Those that cannot be read are left out: they are asked for again, one by one."""
    for id, body, vector, summary_vector in rows:
        try:
            yield id, unpack_body(body, vector, summary_vector)
        except StoreError:
            continue


def verify_rows(reader: LanceReader) -> Iterator[Problem]:
    """Every entry and version that is not what was written; what cannot be read at all is a problem too."""
    try:
        yield from verify_reader(reader)
    except StoreError as error:
        yield Problem("entries", str(error))


SCHEME = "lance:"
R = TypeVar("R", bound=LanceReader)


class LanceStore:
    """An index in a folder. Threads may share it."""

    def __init__(self, url: str, found: LanceFolder, limits: LanceLimits) -> None:
        self._url = url
        self._folder = _folder_of(url)
        self._found = found
        self._limits = limits
        self._last: tuple[str, LanceReader] | None = None

    @classmethod
    def open(cls, url: str, *, limits: LanceLimits | None = None) -> LanceStore:
        """The index in a folder, `lance:FOLDER` or FOLDER; a StoreError says why it cannot be opened."""
        folder = _folder_of(url)
        found = folders.read_settings(folder)
        if is_unfinished(folder, (found.entries, found.versions)):
            with suppress(StoreError):  # somebody is writing, or nobody may write here: a reader sees what counts
                _recover(folder, found)
        return cls(url, found, limits or LanceLimits())

    @classmethod
    def create(cls, url: str, settings: Settings, *, root: str = "", limits: LanceLimits | None = None) -> LanceStore:
        """Make an index in a folder, or open the one that is there, if it was made with the same settings. It keeps no
        `root`: documents are named from the current folder."""
        folder = _folder_of(url)
        if not folders.exists(folder):
            _make(folder, settings)
        store = cls.open(url, limits=limits)
        codec.check_settings(store.settings, settings)
        return store

    @property
    def url(self) -> str:
        return self._url

    @property
    def settings(self) -> Settings:
        return self._found.settings

    @property
    def root(self) -> str:
        return ""

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
            names = (self._found.entries, self._found.versions)
            guard = Guard(self._folder, names)
            writer = LanceWriter(self.settings, guard, Maintenance(self._folder, guard, self._limits))
            yield writer
        finally:
            lock.release(finished=writer is not None and not writer.unfinished)
            if writer is not None:
                writer.close()

    def generation(self) -> str:
        return self._mark(read_state(self._folder))

    def verify(self) -> Iterator[Problem]:
        """Compare every file with its hash and then, where they are whole, every row with its own."""
        with reading(self._folder):
            damaged = list(verify_files(self._folder))
            yield from damaged
            if not damaged:
                yield from verify_rows(self._reader(WholeReader, read_state(self._folder)))

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
        self.__dict__.pop("_connection", None)

    def _present(self) -> LanceReader:
        """The reader of the present state: the one that was made last, with all it remembers, where nothing was written
        since."""
        state = read_state(self._folder)
        mark, last = self._mark(state), self._last
        if last is not None and last[0] == mark:
            return last[1]
        reader = self._reader(LanceReader, state)
        self._last = mark, reader
        return reader

    def _mark(self, state: GuardState) -> str:
        # With a time: another index may have been made in the same folder.
        with report_errors(f"cannot open the index in {self._folder}"):
            made = os.stat(self._folder / folders.SETTINGS).st_mtime_ns
        return f"{state.entries}-{state.versions}-{made}"

    def _reader(self, kind: type[R], state: GuardState) -> R:
        entries = self._connection.open(self._found.entries, state.entries)
        versions = self._connection.open(self._found.versions, state.versions)
        return kind(entries, versions, self.settings, self._limits)

    @cached_property
    def _connection(self) -> Connection:
        return Connection(self._folder)


def _folder_of(url: str) -> Path:
    return Path(url.removeprefix(SCHEME))


def _make(folder: Path, settings: Settings) -> None:
    """An empty index. Whoever is interrupted here leaves a folder that the next one starts from."""
    folders.prepare(folder)
    lock = WriterLock(folder)
    try:
        if folders.exists(folder):
            return  # another process was faster
        folders.clear(folder)
        with report_errors(f"cannot make an index in {folder}"):
            connection = connect(folder)
            connection.create_table(ENTRIES, schema=entry_schema(settings.dimensions))
            connection.create_table(VERSIONS, schema=version_schema())
        with reading(folder):
            Guard(folder, (ENTRIES, VERSIONS)).start()
        folders.write_settings(folder, LanceFolder(LAYOUT, settings, ENTRIES, VERSIONS))
    finally:
        lock.release(finished=folders.exists(folder))


def _recover(folder: Path, found: LanceFolder) -> None:
    """Set aside what a writer who died left unfinished: a manifest without its end is in the way of readers."""
    lock = WriterLock(folder)
    try:
        Guard(folder, (found.entries, found.versions)).recover()
    finally:
        lock.release(finished=True)
