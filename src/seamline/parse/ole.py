"""Compound files, which Outlook and old Office programs write: named streams in folders, in chains of sectors.

A chain is followed at most as often as there are sectors, so that one that turns back on itself ends; what points
outside of the file ends there.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from seamline.errors import ParseError

_END = 0xFFFFFFFA
"""Numbers of sectors from here on mean that there is none."""
_ENTRY = 128
_MOST_ENTRIES = 100_000
_MINI = 64


class OleEntry(NamedTuple):
    """A stream or a folder."""

    path: tuple[str, ...]
    is_stream: bool
    start: int
    size: int


class OleFile:
    """The streams of a compound file."""

    def __init__(self, data: bytes, uri: str = "") -> None:
        if len(data) < 512:
            raise ParseError("is a compound file that breaks off: fetch it again", uri)
        self._data = data
        shift = struct.unpack_from("<H", data, 30)[0]
        if shift not in (9, 12):
            raise ParseError("is a compound file with sectors of no known size: fetch it again", uri)
        self._size = 1 << shift
        first, _, self._cutoff, first_mini = struct.unpack_from("<IIII", data, 48)
        self._fat = self._read_table(self._fat_sectors())
        self._mini_fat = self._read_table(self._chain(first_mini))
        directory = b"".join(self._sector(number) for number in self._chain(first))
        self._entries = [directory[at : at + _ENTRY] for at in range(0, len(directory) - _ENTRY + 1, _ENTRY)][
            :_MOST_ENTRIES
        ]
        if not self._entries:
            raise ParseError("is a compound file without a directory: fetch it again", uri)
        root_start, root_size = _extent(self._entries[0])
        self._mini = self._read_chain(root_start, root_size)
        self.entries = {entry.path: entry for entry in self._walk()}
        """All of them by their path."""

    def read(self, *path: str, most: int = 1 << 30) -> bytes:
        """The bytes of a stream; none where there is no such stream."""
        entry = self.entries.get(path)
        if entry is None or not entry.is_stream:
            return b""
        size = min(entry.size, most, len(self._data))
        if entry.size >= self._cutoff:
            return self._read_chain(entry.start, size)
        out = bytearray()
        number = entry.start
        for _ in range(len(self._mini_fat)):
            if number >= len(self._mini_fat) or len(out) >= size:
                break
            out += self._mini[number * _MINI : (number + 1) * _MINI]
            number = self._mini_fat[number]
        return bytes(out[:size])

    def _sector(self, number: int) -> bytes:
        return self._data[(number + 1) * self._size : (number + 2) * self._size]

    def _read_table(self, sectors: Iterator[int]) -> array[int]:
        out = array("I")
        for number in sectors:
            found = self._sector(number)
            out.frombytes(found[: len(found) // 4 * 4])
        return out

    def _fat_sectors(self) -> Iterator[int]:
        """Where the table of all chains is: the header names up to 109 sectors, a chain of lists the others."""
        most = len(self._data) // self._size + 1
        named = list(struct.unpack_from("<109I", self._data, 76))
        following = struct.unpack_from("<I", self._data, 68)[0]
        seen: set[int] = set()
        while following < _END and following not in seen and len(seen) < most:
            seen.add(following)
            found = self._sector(following)
            numbers = struct.unpack(f"<{len(found) // 4}I", found[: len(found) // 4 * 4])
            if not numbers:
                break
            named += numbers[:-1]
            following = numbers[-1]
        yield from list(dict.fromkeys(number for number in named if number < most))[:most]

    def _chain(self, number: int) -> Iterator[int]:
        for _ in range(len(self._fat)):
            if number >= len(self._fat):
                return
            yield number
            number = self._fat[number]

    def _read_chain(self, start: int, size: int) -> bytes:
        out = bytearray()
        for number in self._chain(start):
            if len(out) >= size:
                break
            out += self._sector(number)
        return bytes(out[:size])

    def _walk(self) -> Iterator[OleEntry]:
        """Everything below the root: of each folder a tree of names."""
        stack: list[tuple[int, tuple[str, ...]]] = [(struct.unpack_from("<I", self._entries[0], 76)[0], ())]
        seen: set[int] = {0}
        while stack:
            number, folder = stack.pop()
            if number >= len(self._entries) or number in seen or len(folder) > 16:
                continue
            seen.add(number)
            entry = self._entries[number]
            left, right, child = struct.unpack_from("<III", entry, 68)
            length = min(struct.unpack_from("<H", entry, 64)[0], 64)
            path = (*folder, entry[: max(length - 2, 0)].decode("utf-16-le", "replace"))
            stack += [(right, folder), (left, folder)]
            if entry[66] == 1:
                stack.append((child, path))
            yield OleEntry(path, entry[66] == 2, *_extent(entry))


def _extent(entry: bytes) -> tuple[int, int]:
    """Where a stream starts, and its size, of which old programs leave half undefined."""
    start, size = struct.unpack_from("<II", entry, 116)
    return start, size


_KINDS = {
    "__properties_version1.0": "msg",
    "EncryptedPackage": "encrypted",
    "WordDocument": "doc",
    "PowerPoint Document": "ppt",
    "Workbook": "xls",
    "Book": "xls",
}


def compound_kind(data: bytes) -> str:
    """What a compound file is, by the streams at its top: msg, doc, ppt, xls or encrypted; empty for another."""
    try:
        names = {entry.path[0] for entry in OleFile(data).entries.values()}
    except ParseError:
        return ""
    return next((kind for name, kind in _KINDS.items() if name in names), "")
