"""Tables of files that hold nothing else: what Parquet and SQLite share.

Each is a heading, a line that names its columns and their types, and a table; every row knows its number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from seamline.parse.build import Builder
from seamline.parse.raw import Limits
from seamline.types import Notice

ROWS = 100_000
"""Rows that are taken of all tables of a file; twice as many take half of the time and memory a parser may use."""
_CHARACTERS = 20_000_000
"""Of all tables of a file, for the same reason."""


class Tables:
    """Writes tables until the text is as long as it may be."""

    def __init__(self, limits: Limits) -> None:
        self.builder = Builder()
        self.notices: list[Notice] = []
        self._characters = min(limits.characters, _CHARACTERS)
        self._rows = ROWS
        self._binary = 0
        self._is_full = False

    def add(
        self, name: str, columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]], total: int | None
    ) -> None:
        """A table with the (name, type) of its columns, and how many rows it has in all, where that is known."""
        place = {"sheet": name} if name else None
        if name:
            self.builder.heading(1, name, place)
        described = ", ".join(f"{column} ({kind})" for column, kind in columns)
        counted = "" if total is None else f" Rows: {total}."
        self.builder.paragraph(f"Columns: {described}.{counted}", place)
        cells = [[column for column, _ in columns], *self._kept(rows)]
        places = [place, *({**(place or {}), "row": number} for number in range(1, len(cells)))]
        self.builder.table(cells, places)
        taken = len(cells) - 1
        if self._is_full and taken != total:
            left = "rows" if total is None else f"{total - taken} of {total} rows"
            message = f"{left} after the first {taken} are left out: the text would be too long; split the file"
            self.notices.append(Notice("table-cut", message, name))

    def finish_notices(self) -> tuple[Notice, ...]:
        if self._binary:
            self.notices.append(Notice("table-binary", f"{self._binary} binary values are left out"))
        return tuple(self.notices)

    def _kept(self, rows: Iterable[Sequence[Any]]) -> Iterator[list[str]]:
        """Rows as text, as long as there is room."""
        for row in rows:
            cells = [self._cell(value) for value in row]
            self._characters -= sum(map(len, cells)) + 3 * len(cells)
            self._rows -= 1
            if self._characters < 0 or self._rows < 0:
                self._is_full = True
                return
            yield cells

    def _cell(self, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bytes | bytearray | memoryview):
            self._binary += 1
            return ""
        return _text(value)


def _text(value: Any) -> str:
    """A value as people write it; without halves of characters, which no text holds."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False, default=str)
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
