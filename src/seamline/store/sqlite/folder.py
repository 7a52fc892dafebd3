"""The folder of an embedded index: how it is recognised, made and kept private, and how a lost change is noticed."""

from __future__ import annotations

import os
import re
import stat
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seamline.errors import IndexMissing, StoreError
from seamline.store import codec
from seamline.store.folders import PRIVATE, WRITER, WriterLock, make_folder, report_disk_errors, sync
from seamline.store.sqlite.database import DAMAGE_REMEDY, Damaged, Database, seal, unseal
from seamline.store.sqlite.truth import LAYOUT, SCHEMA, IndexState

if TYPE_CHECKING:
    from seamline.records import Settings

TRUTH = "index.db"
ACKNOWLEDGED = "acknowledged"
_NEW = f"{TRUTH}.new"
_BESIDE = ("", "-wal", "-shm", "-journal")
"""What SQLite puts behind the name of a file."""
_OURS = re.compile(rf"(?:{TRUTH}(?:\.new)?|search-\d+\.db)(?:-wal|-shm|-journal)?|{ACKNOWLEDGED}|{WRITER}")
"""Names of files that an index has."""
_OLDER = "store"
"""What stood here before: the folder of a LanceDB store."""


def check(folder: Path) -> None:
    """Refuse a folder that has no index, or one that this user should not open."""
    if not folder.exists():
        raise IndexMissing(f"there is no index in {folder}: make one with `seamline index`")
    if not folder.is_dir():
        raise StoreError(f"{folder} is a file, and an index is a folder: name another place")
    if os.name != "nt":
        if folder.stat().st_mode & stat.S_IWOTH:
            raise StoreError(f"every user can write to {folder}: close it to them with `chmod go-w {folder}`")
        if not os.access(folder, os.R_OK | os.X_OK):
            raise StoreError(f"this user cannot read {folder}: run it as the user who made the index")
    if (folder / TRUTH).exists():
        return
    if (folder / _OLDER / "settings.json").exists():
        raise StoreError(
            f"the index in {folder} was made by an older Seamline, with LanceDB: open it as `lance:{folder / _OLDER}`,"
            f" or remove {folder} and index again"
        )
    raise IndexMissing(f"{folder} is no index, for it has no {TRUTH}: name the folder of one, or make one there")


class About(NamedTuple):
    """What an index says of itself."""

    settings: Settings
    root: str
    """The way from its folder to the one that names of documents start from; empty for the folder around it."""


def make(folder: Path, about: About) -> None:
    """An empty index. It appears at one stroke; whoever is interrupted leaves nothing that looks like one."""
    with report_disk_errors(f"cannot make an index in {folder}", "name a folder that can be written to"):
        make_folder(folder)
        _refuse_strangers(folder)
    lock = WriterLock(folder)
    try:
        if (folder / TRUTH).exists():
            return  # another process was faster
        with report_disk_errors(f"cannot make an index in {folder}"):
            for beside in _BESIDE:
                (folder / f"{_NEW}{beside}").unlink(missing_ok=True)
        _write_new(folder / _NEW, about)
        with report_disk_errors(f"cannot make an index in {folder}"):
            (folder / ACKNOWLEDGED).unlink(missing_ok=True)  # of an index that was removed by hand
            os.replace(folder / _NEW, folder / TRUTH)
            sync(folder)
    finally:
        lock.release(finished=True)


def read_about(truth: Database) -> About:
    """What the index was made with, and for."""
    found = dict(truth.rows("SELECT name, value FROM about"))
    layout = int.from_bytes(_about(found, "layout", truth.path), "little")
    if layout > LAYOUT:
        raise StoreError(
            f"{truth.path} has layout {layout}, and this Seamline knows layouts up to {LAYOUT}:"
            " update Seamline (`pip install -U seamline`), or index again into another folder"
        )
    settings = codec.unpack_settings(_about(found, "settings", truth.path).decode())
    return About(settings, codec.text_of(_about(found, "root", truth.path)))


def acknowledge(folder: Path, state: IndexState) -> None:
    """Write down, for good, that this state was acknowledged."""
    said = f"{state.counter} {state.mark.hex()}"
    with report_disk_errors(f"cannot write to the index in {folder}"):
        descriptor = os.open(folder / ACKNOWLEDGED, os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            # Always as long: on a full disk, what is written over needs no room.
            os.pwrite(descriptor, f"{zlib.crc32(said.encode()):08x} {said}".ljust(63).encode() + b"\n", 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def acknowledged(folder: Path) -> IndexState | None:
    """The state that was acknowledged last; None where nobody can tell."""
    with suppress(OSError, ValueError):
        check, counter, mark = (folder / ACKNOWLEDGED).read_bytes()[:63].decode().split()
        if check == f"{zlib.crc32(f'{counter} {mark}'.encode()):08x}":
            return IndexState(int(counter), bytes.fromhex(mark))
    return None


def has_lost(truth: Database, state: IndexState, last: IndexState | None) -> bool:
    """Whether the truth, in this state, lacks a change that was acknowledged."""
    if last is None or last.counter == 0:
        return False
    if last.counter > state.counter:
        return True
    mark = truth.value("SELECT mark FROM changes WHERE counter = ?", (last.counter,))
    return mark is not None and mark != last.mark


def _about(found: dict[str, bytes], name: str, path: str) -> bytes:
    if name not in found:
        raise Damaged(f"{path} does not say its {name}: {DAMAGE_REMEDY}")
    return unseal(found[name], f"the {name} of {path}", name.encode())


def _write_new(path: Path, about: About) -> None:
    truth = Database(path, durable=True, create=True)
    try:
        with truth.transaction():
            for statement in SCHEMA.split(";"):
                truth.run(statement)
            said = {
                "layout": LAYOUT.to_bytes(4, "little"),
                "settings": codec.pack_settings(about.settings).encode(),
                "root": codec.text_bytes(about.root),
            }
            truth.run_many(
                "INSERT INTO about (name, value) VALUES (?, ?)",
                [(name, seal(value, name.encode())) for name, value in said.items()],
            )
        truth.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        truth.close()


def _refuse_strangers(folder: Path) -> None:
    strange = sorted(name for name in os.listdir(folder) if not _OURS.fullmatch(name))
    if strange and (folder / _OLDER / "settings.json").exists():
        check(folder)
    if strange:
        raise StoreError(f"{folder} holds files that are not of an index, such as {strange[0]}: name an empty folder")
