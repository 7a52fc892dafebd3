"""ZIP archives that documents come in, unpacked under limits: by what comes out, not by what it claims."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from seamline.errors import ParseError
from seamline.parse.parser_types import ParseInput

_PIECE = 1 << 18
_SMALL, _IN_ALL = 1 << 20, 1 << 24
"""Bytes of one part, and of all, that are unpacked only to see whether they are whole."""
_DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, ValueError, EOFError, KeyError)
"""What the standard library raises for archives that are broken, encrypted, or packed in a way it does not know."""


class Archive:
    """The parts of an archive, read one at a time; what all of them hold together is limited."""

    def __init__(self, raw: ParseInput) -> None:
        self._uri = raw.uri
        self._limits = raw.limits
        self._spent = 0
        try:
            self._zip = zipfile.ZipFile(BytesIO(raw.data))
        except _DAMAGED as error:
            raise ParseError(f"is a damaged archive ({error}): fetch it again, or save it anew", raw.uri) from None
        self.names = [name for name in self._zip.namelist() if not name.endswith("/")]
        if len(self.names) > raw.limits.parts:
            raise ParseError(f"has {len(self.names):,} parts, and {raw.limits.parts:,} are the most", raw.uri)
        self._known = frozenset(self.names)
        self._read: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def read(self, name: str) -> bytes:
        """One part. Raises a ParseError where it is missing, damaged, encrypted or too large."""
        out = bytearray()
        self._read.add(name)
        try:
            with self._zip.open(name) as part:
                while piece := part.read(_PIECE):
                    out += piece
                    self._spend(name, len(piece), len(out))
        except _DAMAGED as error:
            raise ParseError(f"its part {name} cannot be unpacked ({error}): save it anew", self._uri) from None
        return bytes(out)

    def find_damaged(self) -> list[str]:
        """Small parts in XML that nobody read so far and that cannot be unpacked: the file is not what was written."""
        out = []
        room = _IN_ALL
        for info in self._zip.infolist():
            if info.filename in self._read or not info.filename.endswith(".xml") or info.file_size > min(_SMALL, room):
                continue
            room -= info.file_size
            try:
                self._zip.read(info)
            except _DAMAGED:
                out.append(info.filename)
        return out

    def find(self, *names: str) -> str:
        """The first of these names that is there, empty for none."""
        return next((name for name in names if name in self._known), "")

    def _spend(self, name: str, more: int, part: int) -> None:
        self._spent += more
        if part > self._limits.part:
            raise ParseError(f"its part {name} unpacks to more than {self._limits.part:,} bytes: refused", self._uri)
        if self._spent > self._limits.expanded:
            raise ParseError(f"unpacks to more than {self._limits.expanded:,} bytes: refused", self._uri)
