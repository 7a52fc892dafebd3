"""The folder of an embedded index: how it is recognised, made and kept private.

settings.json     what the index was made with; the index exists once this does
entries.lance     entries and heads        versions.lance    texts and places of all versions
files.log         every file with its hash
writer.lock       who writes                readers.lock      whether somebody reads
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from seamline.errors import IndexMissing, StoreError
from seamline.records import Settings
from seamline.store import codec
from seamline.store.lance_engine import told
from seamline.store.lance_guard import LIST, PRIVATE_FOLDER, replace_private
from seamline.store.locks import READERS, WRITER

LAYOUT = 2
"""Of the folder and its tables; see `seamline.store.lance_layouts` for how older ones become this one."""
SETTINGS = "settings.json"
ENTRIES = "entries"
VERSIONS = "versions"
_STORE = "seamline"
_OURS = {f"{SETTINGS}.new", f"{LIST}.new", LIST, READERS, WRITER, f"{ENTRIES}.lance", f"{VERSIONS}.lance"}
"""What a folder may hold in which the making of an index was interrupted."""


class Found(NamedTuple):
    """What the settings file of an index says."""

    layout: int
    settings: Settings
    entries: str
    """Name of the table of entries."""
    versions: str


def look(folder: Path) -> Found:
    """What index is in a folder; a StoreError says why there is none that can be used."""
    if not folder.exists():
        raise IndexMissing(f"there is no index in {folder}: make one with `seamline index`")
    if not folder.is_dir():
        raise StoreError(f"{folder} is a file, and an index is a folder: name another place")
    _private(folder)
    found = _settings(folder)
    if found.layout > LAYOUT:
        raise StoreError(
            f"the index in {folder} has layout {found.layout}, and this Seamline knows layouts up to {LAYOUT}:"
            " update Seamline (`pip install -U seamline`), or index again into another folder"
        )
    return found


def exists(folder: Path) -> bool:
    """Whether there is an index, in whatever state."""
    return (folder / SETTINGS).exists()


def prepare(folder: Path) -> None:
    """Make the folder for a new index. One with files of something else in it is refused."""
    with told(f"cannot make an index in {folder}", "name a folder that can be written to"):
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        folder.chmod(PRIVATE_FOLDER)
        names = set(os.listdir(folder))
    if names - _OURS:
        raise StoreError(
            f"{folder} holds files that are not of an index, such as {min(names - _OURS)}: name an empty folder"
        )


def clear(folder: Path) -> None:
    """Remove what an interrupted making of an index left."""
    with told(f"cannot make an index in {folder}"):
        for name in (f"{ENTRIES}.lance", f"{VERSIONS}.lance"):
            if (folder / name).exists():
                rmtree(folder / name)
        (folder / LIST).unlink(missing_ok=True)


def sweep(folder: Path, found: Found) -> None:
    """Remove tables that the index no longer uses."""
    with told(f"cannot remove old tables of the index in {folder}"):
        for path in folder.glob("*.lance"):
            if path.stem not in (found.entries, found.versions):
                rmtree(path)


def newest(folder: Path, table: str) -> str:
    """A mark of the newest commit of a table. The engine counts its names down, so that the newest stands first."""
    with told(f"cannot open the index in {folder}"):
        commits = folder / f"{table}.lance" / "_versions"
        while True:
            name = min(name for name in os.listdir(commits) if name.endswith(".manifest"))
            # With its time: a commit that was undone is followed by another of the same number.
            try:
                return f"{name.removesuffix('.manifest')}-{os.stat(commits / name).st_mtime_ns}"
            except FileNotFoundError:
                continue  # undone at this moment


def announce(folder: Path, found: Found) -> None:
    """Write the settings file: from here on there is an index, or it has another layout."""
    said = {
        "store": _STORE,
        "layout": found.layout,
        "settings": codec.pack_settings(found.settings),
        "entries": found.entries,
        "versions": found.versions,
    }
    with told(f"cannot write the settings of the index in {folder}"):
        replace_private(folder / SETTINGS, json.dumps({**said, "checksum": _checksum(said)}, indent=1).encode())


def _settings(folder: Path) -> Found:
    if not exists(folder):
        raise IndexMissing(f"{folder} is no index, for it has no {SETTINGS}: name the folder of one, or make one there")
    with told(f"cannot read the settings of the index in {folder}"):
        data = (folder / SETTINGS).read_bytes()
    try:
        said = json.loads(data)
    except ValueError as error:
        raise _damaged(folder) from error
    if not isinstance(said, dict) or said.get("store") != _STORE:
        raise _damaged(folder)
    checksum = said.pop("checksum", "")
    if isinstance(layout := said.get("layout"), int) and layout > LAYOUT:
        # Of a newer Seamline, which may write this file differently.
        return Found(layout, Settings(0, "", "", "", 0, "", 0), "", "")
    if checksum != _checksum(said) or not isinstance(layout, int):
        raise _damaged(folder)
    settings = codec.unpack_settings(said["settings"])
    return Found(layout, settings, said.get("entries", ENTRIES), said.get("versions", VERSIONS))


def _damaged(folder: Path) -> StoreError:
    return StoreError(
        f"{folder / SETTINGS} is damaged: restore it from a copy, or remove the folder {folder} and index again"
    )


def _private(folder: Path) -> None:
    """Refuse a folder that other users can write to: they could put a text of theirs into answers."""
    if os.name == "nt":
        return
    if folder.stat().st_mode & stat.S_IWOTH:
        raise StoreError(f"every user can write to {folder}: close it to them with `chmod go-w {folder}`")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise StoreError(f"this user cannot read {folder}: run it as the user who made the index")


def _checksum(said: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
