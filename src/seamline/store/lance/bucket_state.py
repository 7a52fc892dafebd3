"""Which commits of an index on object storage count, and who may write.

`current.json` holds the settings of the index and names one version of each table. It is replaced by a conditional
write: of two writers that start from the same state one is refused, whatever their clocks and locks say. A change
counts from that moment. Readers open the versions that are named.

The engine numbers the commits of a table without gaps, and a commit of somebody else takes a number. So a writer whose
commit has the next number after the state it started from knows that nothing lies between; one whose commit has not
is refused, and the next writer goes back to what is named by `restore`. `writer.json` only keeps two writers
from doing the same work: it expires, and nothing depends on it.
"""

from __future__ import annotations

import json
import os
import platform
import threading
import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from seamline.errors import IndexBusy, IndexMissing, StoreError
from seamline.records import Settings
from seamline.remote.buckets import Bucket, ObjectTaken
from seamline.store import codec
from seamline.store.lance.engine import checksum

CURRENT = "current.json"
WRITER = "writer.json"
PROBE = "probe-"
LAYOUT = 1
_STORE = "seamline"
LEASE = timedelta(seconds=60)
"""How long a writer that is not heard of keeps others out."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What was named at the end of an upkeep, and when."""

    at: str
    entries: int
    versions: int


@dataclass(frozen=True, slots=True)
class BucketState:
    """The state of an index."""

    settings: Settings
    entries_table: str
    versions_table: str
    entries: int
    """The version of the table that counts."""
    versions: int
    commit: int
    """One more for every change and every upkeep."""
    by: str
    """Of the write that named this state: how a writer knows its own after an answer was lost."""
    checkpoints: tuple[Checkpoint, ...] = ()

    @property
    def mark(self) -> str:
        """Different after every change."""
        return f"{self.entries_table}-{self.commit}"


@dataclass(frozen=True, slots=True)
class NamedState:
    """A state with the tag of the object that names it."""

    state: BucketState
    tag: str


def read_state(bucket: Bucket) -> NamedState:
    """The state that counts; an IndexMissing where there is no index."""
    found = bucket.read(CURRENT)
    if found is None:
        raise IndexMissing(
            f"there is no index at {bucket.url}: make one with `seamline index PATH --index {bucket.url}`"
        )
    return NamedState(unpack_state(found.data, bucket.url), found.tag)


def unpack_state(data: bytes, url: str) -> BucketState:
    """A state as `pack_state` wrote it, for the index at this address; a StoreError where it is damaged or too new."""
    try:
        said = json.loads(data)
        if said["store"] != _STORE:
            raise ValueError(said["store"])
        layout = said["layout"]
        if isinstance(layout, int) and layout > LAYOUT:
            raise StoreError(
                f"the index at {url} has layout {layout}, and this Seamline knows layouts up to {LAYOUT}: "
                "update Seamline (`pip install -U seamline`), or index again into another place"
            )
        if said.pop("checksum") != checksum(said):
            raise ValueError("checksum")
        return _unpack(said["state"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(
            f"{url}/{CURRENT} is damaged: restore it from an older version of the object, or index again into "
            "another place"
        ) from error


def create_state(bucket: Bucket, state: BucketState) -> bool:
    """Name the first state: from here on there is an index. False where somebody was faster."""
    try:
        bucket.create(CURRENT, pack_state(state))
    except ObjectTaken:
        return read_state(bucket).state.by == state.by
    return True


def replace_state(bucket: Bucket, old: NamedState, new: BucketState) -> NamedState:
    """Name a state in the place of the one that was read. A StoreError where that does not count any more."""
    stamped = replace(new, commit=old.state.commit + 1, by=uuid.uuid4().hex)
    try:
        return NamedState(stamped, bucket.replace(CURRENT, pack_state(stamped), old.tag))
    except ObjectTaken:
        now = read_state(bucket)
        if now.state.by == stamped.by:  # it was written, but the answer was lost and the write repeated
            return now
        raise overtaken(bucket) from None


def overtaken(bucket: Bucket) -> StoreError:
    """What a writer is told that others have overtaken."""
    return StoreError(
        f"another process changed the index at {bucket.url} meanwhile, so this change was not written: run it again"
    )


def pack_state(state: BucketState) -> bytes:
    """A state as `current.json` holds it."""
    plain = {
        **{one.name: getattr(state, one.name) for one in fields(state)},
        "settings": codec.pack_settings(state.settings),
        "checkpoints": [asdict(one) for one in state.checkpoints],
    }
    said = {"store": _STORE, "layout": LAYOUT, "state": plain}
    return json.dumps({**said, "checksum": checksum(said)}, indent=1).encode()


def _unpack(said: dict[str, Any]) -> BucketState:
    settings = codec.unpack_settings(said["settings"])
    checkpoints = tuple(Checkpoint(**one) for one in said["checkpoints"])
    return BucketState(**{**said, "settings": settings, "checkpoints": checkpoints})


class WriterLease:
    """The right to write, for as long as its holder is heard of."""

    def __init__(self, bucket: Bucket, length: timedelta = LEASE) -> None:
        self._bucket = bucket
        self._length = length
        self._said = {"id": uuid.uuid4().hex, "pid": os.getpid(), "host": platform.node(), "since": _now().isoformat()}
        self._tag = self._take()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="seamline-lease", daemon=True)
        self._thread.start()

    def release(self) -> None:
        """Give the right back. Where the store is away it expires; why the work failed is what a user must hear."""
        self._ended.set()
        self._thread.join()
        with suppress(StoreError):
            found = self._bucket.read(WRITER)
            if found is not None and found.tag == self._tag:
                self._bucket.delete([WRITER])

    def _take(self) -> str:
        data = json.dumps(self._said).encode()
        for _ in range(3):
            found = self._bucket.read(WRITER)
            with suppress(ObjectTaken):
                if found is None:
                    return self._bucket.create(WRITER, data)
                holder = _holder(found.data)
                if _now() - found.modified < self._length and not _is_dead(holder):
                    who = f"process {holder.get('pid', '?')} on {holder.get('host', '?')}"
                    raise IndexBusy(
                        f"{who}, since {holder.get('since', '?')}, is writing to the index at {self._bucket.url}: wait"
                        f" until that is done; one that died is forgotten after {self._length.total_seconds():.0f} s"
                    )
                return self._bucket.replace(WRITER, data, found.tag)
        raise IndexBusy(f"others are about to write to the index at {self._bucket.url}: run it again")

    def _renew(self) -> None:
        """A renewal that fails is left alone: whether a change counts is decided by the state."""
        data = json.dumps(self._said).encode()
        while not self._ended.wait(self._length.total_seconds() / 3):
            try:
                self._tag = self._bucket.replace(WRITER, data, self._tag)
            except ObjectTaken:
                return
            except StoreError:
                continue


def _holder(data: bytes) -> dict[str, Any]:
    try:
        said = json.loads(data)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _is_dead(holder: dict[str, Any]) -> bool:
    """Whether the holder was a process of this machine that is gone."""
    pid = holder.get("pid")
    if holder.get("host") != platform.node() or not isinstance(pid, int) or os.name == "nt":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False


def _now() -> datetime:
    return datetime.now(UTC)
