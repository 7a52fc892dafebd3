"""An index on object storage, kept by LanceDB at `s3://BUCKET/PREFIX`: many readers on any machine, one writer.

current.json    settings, and which commits count     entries-ID.lance/    entries and heads
writer.json     who writes                            versions-ID.lance/   texts and places of all versions
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from seamline.errors import ConfigError, IndexMissing, StoreError
from seamline.remote.buckets import Bucket
from seamline.store import codec
from seamline.store.lance.bucket_guard import BucketGuard
from seamline.store.lance.bucket_state import (
    CURRENT,
    PROBE,
    WRITER,
    BucketState,
    WriterLease,
    create_state,
    pack_state,
    read_state,
    unpack_state,
)
from seamline.store.lance.engine import Connection, connect, report_errors
from seamline.store.lance.maintenance import Maintenance
from seamline.store.lance.reader import LanceReader
from seamline.store.lance.rows import entry_schema, version_schema
from seamline.store.lance.search import LanceLimits
from seamline.store.lance.store import WholeReader, verify_rows
from seamline.store.lance.writer import LanceWriter

if TYPE_CHECKING:
    from seamline.records import Problem, Settings
    from seamline.types import Notice

R = TypeVar("R", bound=LanceReader)


class LanceBucketStore:
    """An index on object storage. Threads may share it."""

    def __init__(self, bucket: Bucket, settings: Settings, limits: LanceLimits) -> None:
        self._bucket = bucket
        self._settings = settings
        self._limits = limits
        self._last: tuple[str, LanceReader] | None = None
        self._pinned: BucketState | None = None

    @classmethod
    def open(cls, url: str, *, limits: LanceLimits | None = None) -> LanceBucketStore:
        """The index at `s3://BUCKET/PREFIX`; a StoreError says why it cannot be opened."""
        bucket = _bucket(url)
        return cls(bucket, read_state(bucket).state.settings, limits or LanceLimits())

    @classmethod
    def create(
        cls, url: str, settings: Settings, *, root: str = "", limits: LanceLimits | None = None
    ) -> LanceBucketStore:
        """Make an index, or open the one that is there, if it was made with the same settings. It keeps no `root`:
        documents are named from the current folder."""
        try:
            store = cls.open(url, limits=limits)
        except IndexMissing:
            _make(_bucket(url), settings)
            store = cls.open(url, limits=limits)
        codec.check_settings(store.settings, settings)
        return store

    @property
    def url(self) -> str:
        return self._bucket.url

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def root(self) -> str:
        return ""

    @contextmanager
    def reader(self) -> Iterator[LanceReader]:
        """The present state. It stays readable for `LanceLimits.kept` after another one took its place."""
        state = self._state()
        last = self._last
        if last is None or last[0] != state.mark:
            last = self._last = state.mark, self._reader(LanceReader, state)
        yield last[1]

    @contextmanager
    def writer(self) -> Iterator[LanceWriter]:
        """The right to write, until it is given back. An IndexBusy names who has it; a StoreError says that the object
        store cannot keep two writers apart."""
        if self._pinned is not None:
            raise StoreError(
                f"the index at {self.url} is open at one of its states, for reading: open it anew to write"
            )
        self._bucket.check_conditional_writes(f"{PROBE}{uuid.uuid4().hex}")
        lease = WriterLease(self._bucket, self._limits.lease)
        try:
            guard = BucketGuard(self._bucket, self._limits.kept)
            writer = LanceWriter(self.settings, guard, Maintenance(self.url, guard, self._limits))
            try:
                yield writer
            finally:
                writer.close()
        finally:
            lease.release()

    def generation(self) -> str:
        return self._state().mark

    def present_state(self) -> str:
        """The present state, as `pin` takes it in any process."""
        return pack_state(read_state(self._bucket).state).decode()

    def pin(self, state: str) -> None:
        """Read this state from now on, whatever is written. It stays readable for `LanceLimits.kept` after another one
        took its place."""
        self._pinned = unpack_state(state.encode(), self.url)

    def _state(self) -> BucketState:
        return self._pinned or read_state(self._bucket).state

    def verify(self) -> Iterator[Problem]:
        """Compare every row with its own hash."""
        yield from verify_rows(self._reader(WholeReader, self._state()))

    def size(self) -> int:
        return sum(one.size for one in self._bucket.list())

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

    def _reader(self, kind: type[R], state: BucketState) -> R:
        entries = self._connection.open(state.entries_table, state.entries)
        versions = self._connection.open(state.versions_table, state.versions)
        return kind(entries, versions, self.settings, self._limits)

    @cached_property
    def _connection(self) -> Connection:
        return Connection(self.url)


def _bucket(url: str) -> Bucket:
    bucket = Bucket(url)
    if not bucket.url.removeprefix("s3://").partition("/")[2]:
        raise ConfigError(f"expected a prefix of its own for an index, as in {bucket.url}/index, got a whole bucket")
    return bucket


def _make(bucket: Bucket, settings: Settings) -> None:
    """An empty index. Tables have names of their own, so whoever is faster names theirs, and nobody is in the way of
    what an interrupted making left."""
    bucket.check_conditional_writes(f"{PROBE}{uuid.uuid4().hex}")
    mine = uuid.uuid4().hex[:12]
    tables = f"entries-{mine}", f"versions-{mine}"
    strange = next((one.key for one in bucket.list() if not _may_be_there(one.key)), "")
    if strange:
        raise StoreError(f"{bucket.url} holds objects of something else, such as {strange}: name an empty prefix")
    with report_errors(f"cannot make an index at {bucket.url}"):
        connection = connect(bucket.url)
        entries = connection.create_table(tables[0], schema=entry_schema(settings.dimensions))
        versions = connection.create_table(tables[1], schema=version_schema())
    state = BucketState(settings, *tables, entries.version, versions.version, commit=0, by=mine)
    if not create_state(bucket, state):
        bucket.delete([one.key for table in tables for one in bucket.list(f"{table}.lance")])


def _may_be_there(key: str) -> bool:
    return key in (CURRENT, WRITER) or key.startswith((PROBE, "entries-", "versions-"))
