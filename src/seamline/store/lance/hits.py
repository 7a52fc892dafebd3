"""Rows of what a search finds, read once with all that an answer needs of them.

A look at 40 rows costs 2 ms, however little is read of each, and every column of them up to 1 ms more. So a search
reads the packed entries, which say their ids and levels too; they are kept for who asks for the entries next. Vectors
are read of what is found by words: a fusion needs them there, and of what is found by vector it knows the score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from seamline.store.lance.rows import VECTORS, entry_key, vectors_of
from seamline.store.packing import unpack_entry

if TYPE_CHECKING:
    from seamline.records import Entry
    from seamline.store.lance.table import TableVersion

T = TypeVar("T")
K = TypeVar("K")

_KEPT = 2_000
"""Rows, of some 3 kB each."""
PAGE = 500
"""Rows that are fetched at once."""
COLUMNS = ("body", *VECTORS.values())
"""All that is stored of an entry."""
PLAIN = ("body",)
"""The same without its vectors."""
MARKS = ("key", "level")
"""What is read of rows that are too many to be kept."""


class Row(NamedTuple):
    """An entry as far as it was read."""

    entry: Entry
    whole: bool
    """Whether its vectors were read too."""

    def lent(self, vectors: bool) -> Entry:
        """The entry, with or without its vectors."""
        bare = self.entry.vector is None and self.entry.summary_vector is None
        return self.entry if vectors or bare else replace(self.entry, vector=None, summary_vector=None)


class Mark(NamedTuple):
    """Which entry a row is of."""

    key: str
    level: int


def rows_of(found: Any) -> list[Row]:
    """The rows of an Arrow table that has all of COLUMNS, or of PLAIN."""
    bodies = found["body"].to_pylist()
    if not {*VECTORS.values()}.issubset(found.column_names):
        return [Row(unpack_entry(body), False) for body in bodies]
    vectors = zip(*(vectors_of(found, name) for name in VECTORS.values()), strict=True)
    return [Row(unpack_entry(body, *both), True) for body, both in zip(bodies, vectors, strict=True)]


class Hits:
    """The rows of a table that were found lately, by where they stand."""

    def __init__(self, table: TableVersion) -> None:
        self._table = table
        self._rows: dict[int, Row] = {}
        self._places: dict[str, int] = {}

    def keep(self, found: Any) -> list[Mark]:
        """Which entries a search found; what else was read of them is kept."""
        places = found["_rowid"].to_pylist()
        if "body" in found.column_names:
            rows = rows_of(found)
            marks = [Mark(entry_key(row.entry.id), row.entry.level) for row in rows]
            self._remember(places, rows)
        else:
            marks = [*map(Mark, found["key"].to_pylist(), found["level"].to_pylist())]
        self._places = with_room(self._places, 10 * _KEPT)
        self._places.update((mark.key, place) for mark, place in zip(marks, places, strict=True))
        return marks

    def rows(self, places: Sequence[int], *, vectors: bool) -> list[Row]:
        """The rows that stand in these places, those that are remembered first."""
        known = self._rows
        held = {place: known[place] for place in places if place in known}
        held = {place: row for place, row in held.items() if row.whole or not vectors}
        rows = [*held.values()]
        for some in pages([place for place in places if place not in held]):
            rows += rows_of(self._table.take(some, COLUMNS if vectors else PLAIN))
        return rows

    def placed(self, keys: Sequence[str]) -> dict[str, int]:
        """Where those of the keys stand that are remembered."""
        known = self._places
        return {key: known[key] for key in keys if key in known}

    def _remember(self, places: Sequence[int], rows: Sequence[Row]) -> None:
        """Keep rows; one that is known with its vectors stays so."""
        known = with_room(self._rows, _KEPT)
        known.update((place, row) for place, row in zip(places, rows, strict=True) if row.whole or place not in known)
        self._rows = known


def with_room(known: dict[K, T], most: int) -> dict[K, T]:
    """What is remembered; the newer half of it, where that has become too much."""
    return known if len(known) < most else dict(islice(known.items(), len(known) // 2, None))


def pages(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """The items, so many at a time."""
    return (items[at : at + PAGE] for at in range(0, len(items), PAGE))
