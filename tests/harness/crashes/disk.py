"""A folder as its disk might hold it after a power loss, worked out from a journal of what was done to it.

    disk = Disk(folder)            as it is before the journal begins
    disk.apply(record)             one record after the other
    disk.write(to, now=True)       the folder as a killed process leaves it
    disk.write(to)                 as a power loss may leave it: only what was synced
    disk.write(to, rng=rng)        as another may leave it: some of the rest, too

What counts as synced is what POSIX promises and no more: the bytes of a file after a sync of the file, the entries of a
folder after a sync of the folder. Of what was not synced a disk may have any pages of any writes, and of the entries of
each folder the first few changes. Files that are changed through mapped memory are known at their syncs only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from harness.crashes.shim import Kind, Record

PAGE = 4096
"""What a disk writes as a whole."""


@dataclass(eq=False)
class DiskNode:
    """A file or a folder, whatever its name."""

    folder: bool = False
    content: bytearray = field(default_factory=bytearray)
    """Of a file, as programs see it."""
    synced: bytes = b""
    """Of a file, as it was at its last sync."""
    unsynced: list[Record] = field(default_factory=list)
    entries: dict[str, DiskNode] = field(default_factory=dict)
    """Of a folder, as programs see it."""
    kept: dict[str, DiskNode] = field(default_factory=dict)
    """Of a folder, as it was at its last sync."""
    mapped: bool = False
    """Whether it may have changed without a record."""


@dataclass(eq=False)
class Naming:
    """A change of the entries of one or two folders; None where a name goes."""

    effects: list[tuple[DiskNode, str, DiskNode | None]]

    @property
    def folders(self) -> set[DiskNode]:
        return {folder for folder, _, _ in self.effects}


class Disk:
    """Everything below a folder, with what was not synced yet."""

    def __init__(self, root: Path) -> None:
        self._root = PurePosixPath(os.path.realpath(root))
        self._nodes: dict[int, DiskNode] = {}
        self._top = self._read(root)
        self._namings: list[Naming] = []

    def apply(self, record: Record) -> None:
        """Do what a record says was done."""
        match record.kind:
            case Kind.WRITE | Kind.TRUNCATE | Kind.CONTENT:
                node = self._nodes[record.inode]
                _change(node.content, record)
                node.unsynced.append(record)
            case Kind.SYNC:
                self._sync(self._nodes[record.inode])
            case Kind.CREATE | Kind.MKDIR:
                node = self._nodes[record.inode] = DiskNode(folder=record.kind is Kind.MKDIR)
                if record.path:
                    self._name([(*self._place(record.path), node)])
            case Kind.LINK:
                self._name([(*self._place(record.other), self._nodes[record.inode])])
            case Kind.RENAME:
                old, new = self._place(record.path), self._place(record.other)
                self._name([(*old, None), (*new, old[0].entries[old[1]])])
            case Kind.UNLINK | Kind.RMDIR:
                self._name([(*self._place(record.path), None)])
            case Kind.MAPPED:
                self._nodes[record.inode].mapped = True
            case Kind.UNKNOWN:
                raise RuntimeError(f"a call that the shim cannot follow: {record.other} {record.path}")
            case Kind.MARK | Kind.DIED | Kind.FLUSH | Kind.REFUSED:
                pass

    def write(self, to: Path, *, now: bool = False, rng: np.random.Generator | None = None) -> None:
        """Make a folder of what a program sees now, or of what is left after a power loss: with `rng`, some of what was
        not synced as well."""
        kept = {} if now else self._after_loss(rng)
        for path, node in _walk(self._top, kept):
            if node.folder:
                (to / path).mkdir()
            else:
                (to / path).write_bytes(node.content if now else _after_loss(node, rng))

    def differences(self, folder: Path) -> list[str]:
        """Files that a folder has otherwise; those that may have changed without a record are left out."""
        ours = {path: node for path, node in _walk(self._top, {}) if not node.folder and not node.mapped}
        mapped = {path for path, node in _walk(self._top, {}) if node.mapped}
        theirs = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
        names = sorted({*ours, *theirs} - mapped)
        return [name for name in names if not _same(ours.get(name), theirs.get(name))]

    def _read(self, path: Path) -> DiskNode:
        """A folder that is on the disk for good, with all that is in it."""
        if path.is_dir():
            node = DiskNode(folder=True)
            node.entries = {one.name: self._read(one) for one in path.iterdir()}
            node.kept = dict(node.entries)
        else:
            data = path.read_bytes()
            node = DiskNode(content=bytearray(data), synced=data)
        self._nodes[path.stat().st_ino] = node
        return node

    def _place(self, path: str) -> tuple[DiskNode, str]:
        """The folder and the name of a path."""
        *above, name = PurePosixPath(path).relative_to(self._root).parts
        node = self._top
        for part in above:
            node = node.entries[part]
        return node, name

    def _name(self, effects: list[tuple[DiskNode, str, DiskNode | None]]) -> None:
        for folder, name, node in effects:
            _set(folder.entries, name, node)
        self._namings.append(Naming(effects))

    def _sync(self, node: DiskNode) -> None:
        if not node.folder:
            node.synced, node.unsynced = bytes(node.content), []
            return
        # A rename between two folders is one step: with it go the steps before it in both.
        folders, done = {node}, list[Naming]()
        for naming in reversed(self._namings):
            if naming.folders & folders:
                folders |= naming.folders
                done.append(naming)
        for naming in reversed(done):
            for folder, name, entry in naming.effects:
                _set(folder.kept, name, entry)
        self._namings = [naming for naming in self._namings if naming not in done]

    def _after_loss(self, rng: np.random.Generator | None) -> dict[DiskNode, dict[str, DiskNode]]:
        """The entries of all folders after a power loss."""
        kept = {node: dict(node.kept) for node in self._folders()}
        steps = {folder: 0 for naming in self._namings for folder in naming.folders}
        for naming in self._namings:
            for folder in naming.folders:
                steps[folder] += 1
        left = {folder: int(rng.integers(0, count + 1)) if rng else 0 for folder, count in steps.items()}
        for naming in self._namings:
            if all(left[folder] for folder in naming.folders):
                for folder, name, node in naming.effects:
                    _set(kept.setdefault(folder, {}), name, node)
                for folder in naming.folders:
                    left[folder] -= 1
            else:
                left |= dict.fromkeys(naming.folders, 0)
        return kept

    def _folders(self) -> Iterator[DiskNode]:
        waiting, seen = [self._top], set()
        for naming in self._namings:
            waiting += [node for _, _, node in naming.effects if node is not None and node.folder]
        while waiting:
            node = waiting.pop()
            if node.folder and node not in seen:
                seen.add(node)
                waiting += [*node.kept.values(), *node.entries.values()]
                yield node


def _walk(node: DiskNode, kept: dict[DiskNode, dict[str, DiskNode]], above: str = "") -> Iterator[tuple[str, DiskNode]]:
    """All paths below a folder: with the entries that `kept` names, or else those that a program sees."""
    for name, entry in sorted(kept.get(node, {} if kept else node.entries).items()):
        path = f"{above}/{name}" if above else name
        yield path, entry
        if entry.folder:
            yield from _walk(entry, kept, path)


def _after_loss(node: DiskNode, rng: np.random.Generator | None) -> bytes:
    """What a disk has of a file: what was synced, and some pages of what was written since."""
    content = bytearray(node.synced)
    likely = float(rng.choice((0.1, 0.5, 0.9))) if rng else 0.0
    for record in node.unsynced:
        for piece in _pieces(record):
            if rng is not None and rng.random() < likely:
                _change(content, piece)
    return bytes(content)


def _pieces(record: Record) -> Iterator[Record]:
    """A write, page by page; anything else as it is."""
    if record.kind is not Kind.WRITE:
        yield record
        return
    start, end = record.offset, record.offset + len(record.data)
    while start < end:
        stop = min(end, start - start % PAGE + PAGE)
        data = record.data[start - record.offset : stop - record.offset]
        yield record._replace(offset=start, data=data)
        start = stop


def _change(content: bytearray, record: Record) -> None:
    if record.kind is Kind.CONTENT:
        content[:] = record.data
        return
    size = record.offset + len(record.data)
    if record.kind is Kind.TRUNCATE:
        del content[record.offset :]
    if len(content) < size:
        content.extend(bytes(size - len(content)))
    if record.kind is Kind.WRITE:
        content[record.offset : size] = record.data


def _set(entries: dict[str, DiskNode], name: str, node: DiskNode | None) -> None:
    if node is None:
        entries.pop(name, None)
    else:
        entries[name] = node


def _same(node: DiskNode | None, path: Path | None) -> bool:
    return node is not None and path is not None and path.read_bytes() == node.content
