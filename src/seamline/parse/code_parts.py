"""Parts of a scope or a file as they come: small statements put together, comments at their places."""

from __future__ import annotations

import re
from typing import Any

from seamline.parse.code_places import Places
from seamline.parse.code_scopes import Declared, Node

_RUN = 200
"""Bytes of statements that are put together inside a scope."""
_TOP_RUN = 800
"""Bytes of statements that are put together at the top."""
CLOSER = re.compile(rb"[^\w\r\n/#]*(?:(?:end|fi|done|esac)\b|//|/\*|#|[\r\n]|\Z)")
"""A line that only closes what is open, and may say so in a comment."""
_IMPORTS = {"imports": True}
_HEADER = {"header": True}


Part = tuple[int, int, dict[str, Any] | None, Node, Declared | None]
"""A block to be: its start and end in bytes, its attributes, what it may be opened to, what that declares. A plain
tuple, as one is made for every few lines."""


class Gathering:
    """Collects the parts of one node."""

    def __init__(self, places: Places, is_top: bool) -> None:
        self._places = places
        self._count = places.data.count
        self._most = _TOP_RUN if is_top else _RUN
        self._is_top = is_top
        self._out: list[Part] = []
        self._run = (0, 0)

    @property
    def is_opening(self) -> bool:
        """Whether a docstring may come: after a signature, or first in a file."""
        return not self._run[1] and (not self._out if self._is_top else len(self._out) == 1)

    def done(self) -> list[Part]:
        self._flush()
        return self._out

    def alone(self, start: int, end: int) -> None:
        """The opening of a scope."""
        self._flush()
        if start < end:
            self._out.append((start, end, None, None, None))

    def scope(self, part: Part) -> None:
        self._flush()
        self._out.append(part)

    def rest(self, start: int, end: int) -> None:
        """What stands after a scope and before the next piece: inside a scope, marks that close it are left out."""
        data = self._places.data
        while start < end and data[start] in b" \t\r\n":
            start += 1
        if start < end and (self._is_top or not CLOSER.match(data, start, end)):
            self.statement(start, start, end)

    def remark(self, start: int, end: int) -> None:
        """A comment by itself; the first of a file is its header."""
        if self._is_top and self._is_first():
            self._out.append((start, end, _HEADER, None, None))
        else:
            self.statement(start, start, end)

    def imports(self, begin: int, start: int, end: int) -> None:
        begin = self._header(begin, start)
        last = self._out[-1] if self._out and not self._run[1] else None
        if last is not None and last[2] is _IMPORTS:
            self._out[-1] = (last[0], end, _IMPORTS, None, None)
            return
        self._flush()
        self._out.append((begin, end, _IMPORTS, None, None))

    def docstring(self, start: int, end: int) -> None:
        """Of a scope, it stays with the signature; of a file, it is the header."""
        self._flush()
        if self._is_top:
            self._out.append((start, end, _HEADER, None, None))
        else:
            first = self._out.pop()
            self._out.append((first[0], end, None, None, None))

    def large(self, begin: int, start: int, end: int, node: Node) -> None:
        begin = self._header(begin, start)
        self._flush()
        self._out.append((begin, end, None, node, None))

    def statement(self, begin: int, start: int, end: int) -> None:
        first, last = self._run
        if not last:
            self._run = (self._header(begin, start) if self._is_top else begin, end)
            return
        if end - first > self._most or (
            self._count(b"\n", last, begin) > 1 and (not self._is_top or last - first > self._most // 3)
        ):
            self._out.append((first, last, None, None, None))
            first = begin
        self._run = (first, end)

    def _header(self, begin: int, start: int) -> int:
        """Where a piece starts without the comment above it, if that is the header of the file."""
        if not (self._is_top and begin < start and self._is_first()):
            return begin
        self._out.append((begin, self._places.trim(begin, start), _HEADER, None, None))
        return start

    def _is_first(self) -> bool:
        return not self._out and not self._run[1]

    def _flush(self) -> None:
        first, last = self._run
        if last:
            self._out.append((first, last, None, None, None))
            self._run = (0, 0)
