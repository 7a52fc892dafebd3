"""The folder of a LanceDB store: how it is recognised, made and kept private.

settings.json     what the index was made with; the index exists once this does
entries.lance     entries and heads        versions.lance    texts and places of all versions
current.json      which commits count      files-N.log       every file of them with its hash
writer.lock       who writes               readers.lock      whether somebody reads
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from seamline.errors import IndexMissing, StoreError
from seamline.records import Settings
from seamline.store import codec
from seamline.store.folders import READERS, WRITER, make_folder
from seamline.store.lance.engine import checksum, report_errors, write_checked
from seamline.store.lance.guard import CURRENT

LAYOUT = 4
"""Of the folder and its tables. 1 had no column of labels, 2 no `current.json`; 3 counted words of headings once."""
SETTINGS = "settings.json"
ENTRIES = "entries"
VERSIONS = "versions"
_STORE = "seamline"
_LOG = "files-1.log"
_MADE = {f"{SETTINGS}.new", CURRENT, f"{CURRENT}.new", _LOG, READERS, WRITER, f"{ENTRIES}.lance", f"{VERSIONS}.lance"}
"""What a folder may hold in which the making of an index was interrupted."""


class LanceFolder(NamedTuple):
    """What the settings file of an index says."""

    layout: int
    settings: Settings
    entries: str
    """Name of the table of entries."""
    versions: str


def read_settings(folder: Path) -> LanceFolder:
    """What index is in a folder; a StoreError says why there is none that can be used."""
    if not folder.exists():
        raise IndexMissing(f"there is no index in {folder}: make one with `seamline index`")
    if not folder.is_dir():
        raise StoreError(f"{folder} is a file, and an index is a folder: name another place")
    _check_private(folder)
    found = _read(folder)
    if found.layout > LAYOUT:
        raise StoreError(
            f"the index in {folder} has layout {found.layout}, and this Seamline knows layouts up to {LAYOUT}:"
            " update Seamline (`pip install -U seamline`), or index again into another folder"
        )
    if found.layout < LAYOUT:
        raise StoreError(
            f"the index in {folder} has layout {found.layout}, and this Seamline reads layout {LAYOUT}, so it is"
            " too old: index again into another folder"
        )
    return found


def exists(folder: Path) -> bool:
    """Whether there is an index, in whatever state."""
    return (folder / SETTINGS).exists()


def prepare(folder: Path) -> None:
    """Make the folder for a new index. One with files of something else in it is refused."""
    with report_errors(f"cannot make an index in {folder}", "name a folder that can be written to"):
        make_folder(folder)
        names = set(os.listdir(folder))
    if names - _MADE:
        raise StoreError(
            f"{folder} holds files that are not of an index, such as {min(names - _MADE)}: name an empty folder"
        )


def clear(folder: Path) -> None:
    """Remove what an interrupted making of an index left."""
    with report_errors(f"cannot make an index in {folder}"):
        for name in (f"{ENTRIES}.lance", f"{VERSIONS}.lance"):
            if (folder / name).exists():
                rmtree(folder / name)
        for name in (CURRENT, _LOG):
            (folder / name).unlink(missing_ok=True)


def write_settings(folder: Path, found: LanceFolder) -> None:
    """Write the settings file: from here on there is an index, or it has another layout."""
    said = {
        "store": _STORE,
        "layout": found.layout,
        "settings": codec.pack_settings(found.settings),
        "entries": found.entries,
        "versions": found.versions,
    }
    with report_errors(f"cannot write the settings of the index in {folder}"):
        write_checked(folder / SETTINGS, said)


def _read(folder: Path) -> LanceFolder:
    if not exists(folder):
        raise IndexMissing(f"{folder} is no index, for it has no {SETTINGS}: name the folder of one, or make one there")
    with report_errors(f"cannot read the settings of the index in {folder}"):
        data = (folder / SETTINGS).read_bytes()
    try:
        said = json.loads(data)
    except ValueError as error:
        raise _damaged(folder) from error
    if not isinstance(said, dict) or said.get("store") != _STORE:
        raise _damaged(folder)
    check = said.pop("checksum", "")
    if isinstance(layout := said.get("layout"), int) and layout > LAYOUT:
        # Of a newer Seamline, which may write this file differently.
        return LanceFolder(layout, Settings(0, "", "", "", 0, "", 0), "", "")
    if check != checksum(said) or not isinstance(layout, int):
        raise _damaged(folder)
    settings = codec.unpack_settings(said["settings"])
    return LanceFolder(layout, settings, said.get("entries", ENTRIES), said.get("versions", VERSIONS))


def _damaged(folder: Path) -> StoreError:
    return StoreError(
        f"{folder / SETTINGS} is damaged: restore it from a copy, or remove the folder {folder} and index again"
    )


def _check_private(folder: Path) -> None:
    """Refuse a folder that other users can write to: they could put a text of theirs into answers."""
    if os.name == "nt":
        return
    if folder.stat().st_mode & stat.S_IWOTH:
        raise StoreError(f"every user can write to {folder}: close it to them with `chmod go-w {folder}`")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise StoreError(f"this user cannot read {folder}: run it as the user who made the index")
