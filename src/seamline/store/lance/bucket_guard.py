"""The guard of an index on object storage: makes commits count, and decides what may be removed.

Nobody knows there who reads. So a state stays readable for `LanceLimits.kept` after another one took its place: an
upkeep notes what it named, and only commits from before a note of that age are removed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from seamline.remote.buckets import Bucket
from seamline.store.lance.bucket_state import (
    CURRENT,
    PROBE,
    WRITER,
    BucketState,
    Checkpoint,
    NamedState,
    overtaken,
    read_state,
    replace_state,
)
from seamline.store.lance.engine import connect, report_errors
from seamline.store.lance.guard import RemovalAges

_NEVER = timedelta(days=10_000)
_NOTES = 50
"""Checkpoints in the time that a state is kept; more would only make `current.json` longer."""
_MARGIN = timedelta(minutes=1)
"""What the engine may need from the reading of its clock here to its own."""
_ROWS = {"entries": ("key", "level", "checksum", "body"), "versions": ("doc", "number", "seal")}
"""What no upkeep may change."""


class BucketGuard:
    """Records the commits of one writer."""

    def __init__(self, bucket: Bucket, kept: timedelta) -> None:
        self._bucket = bucket
        self._kept = kept
        self._named: NamedState = read_state(bucket)
        self._base = (0, 0)
        """Numbers of the commits whose content is that of the state."""
        self._rows: tuple[int, int] | None = None
        """Of all rows before an upkeep."""

    def begin(self) -> tuple[Any, Any]:
        """Open the tables with the content of the state that counts."""
        self._named, self._rows = read_state(self._bucket), None
        state = self._named.state
        connection = connect(self._bucket.url)
        with report_errors(f"cannot open the index at {self._bucket.url}"):
            entries, versions = map(connection.open_table, (state.entries_table, state.versions_table))
            for table, number in ((entries, state.entries), (versions, state.versions)):
                if table.version != number:  # of a writer that was refused or died
                    table.restore(number)
            self._base = entries.version, versions.version
        return entries, versions

    def record(self, entries: Any, versions: Any) -> None:
        """Make a change of rows count: one commit of the entries, at most one of the versions before it."""
        numbers = entries.version, versions.version
        if numbers[0] - self._base[0] != 1 or numbers[1] - self._base[1] not in (0, 1):
            raise overtaken(self._bucket)
        self._name(self._named.state, numbers)

    def begin_upkeep(self, entries: Any, versions: Any) -> None:
        """From here on, the engine may commit as often as it wants, and must not change a row."""
        if self._rows is None:
            self._rows = _fingerprint(entries, _ROWS["entries"]), _fingerprint(versions, _ROWS["versions"])

    def record_upkeep(self, entries: Any, versions: Any) -> None:
        """Make the commits of an upkeep count. A commit of another writer among them shows in the rows."""
        numbers = entries.version, versions.version
        if self._rows is None or numbers == self._base:
            return
        if self._rows != (_fingerprint(entries, _ROWS["entries"]), _fingerprint(versions, _ROWS["versions"])):
            raise overtaken(self._bucket)
        self._name(self._named.state, numbers)

    def begin_removal(self, entries: Any, versions: Any) -> None:
        """Note what is named now: from here on, the time of all that is older counts."""
        state, now = self._named.state, datetime.now(UTC)
        old = [one for one in state.checkpoints if self._is_over(one)]
        young = [one for one in state.checkpoints if one not in old]
        if not young or now - datetime.fromisoformat(young[-1].at) >= self._kept / _NOTES:
            young.append(Checkpoint(now.isoformat(), *self._base))
        self._name(replace(state, checkpoints=(*old[-1:], *young)), self._base)

    def end_removal(self) -> None:
        """Remove what writers left that died early: tables of an index that was never named, and probes."""
        state, before = self._named.state, datetime.now(UTC) - self._kept
        tables = tuple(f"{name}.lance/" for name in (state.entries_table, state.versions_table))
        strays = [one for one in self._bucket.list() if not one.key.startswith((*tables, CURRENT, WRITER))]
        fresh = {_top(one.key) for one in strays if one.modified > before}
        self._bucket.delete([one.key for one in strays if _is_ours(one.key) and _top(one.key) not in fresh])

    @contextmanager
    def removal_ages(self) -> Iterator[RemovalAges]:
        """Of what nobody can read any more."""
        yield self._removable_age

    def _removable_age(self, table: Any) -> timedelta:
        """How old a commit must be to be removed: older than all from what was named `kept` ago on."""
        state = self._named.state
        noted = [one for one in state.checkpoints if self._is_over(one)]
        if not noted:
            return _NEVER
        oldest = noted[-1].entries if table.name == state.entries_table else noted[-1].versions
        stamps = [one["timestamp"] for one in table.list_versions() if one["version"] >= oldest]
        age: timedelta = datetime.now(stamps[0].tzinfo) - min(stamps)
        return max(age + min(self._kept, _MARGIN), timedelta(milliseconds=1))

    def _is_over(self, note: Checkpoint) -> bool:
        """Whether nobody can read any more what was named before this note."""
        return datetime.fromisoformat(note.at) <= datetime.now(UTC) - self._kept

    def untag(self, table: Any, tag: str) -> None:
        """Take a tag off, where there is one."""
        if tag in table.tags.list():
            table.tags.delete(tag)

    def roll_back(self) -> None:
        """Nothing is to be done: what is not named does not count, and the next change begins with what is."""

    def _name(self, state: BucketState, numbers: tuple[int, int]) -> None:
        self._named = replace_state(self._bucket, self._named, replace(state, entries=numbers[0], versions=numbers[1]))
        self._base = numbers


def _fingerprint(table: Any, columns: Sequence[str]) -> int:
    """Equal for equal rows in any order."""
    total = 0
    for batch in table.search().select([*columns]).to_batches():
        for row in zip(*(batch.column(name).to_pylist() for name in columns), strict=True):
            total += int.from_bytes(hashlib.blake2b(repr(row).encode(), digest_size=8).digest(), "big")
    return total


def _top(key: str) -> str:
    return key.partition("/")[0]


def _is_ours(key: str) -> bool:
    return key.startswith(PROBE) or (key.startswith(("entries-", "versions-")) and ".lance/" in key)
