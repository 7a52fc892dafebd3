"""Rows of what a search finds, read once with all that an answer needs of them.

A look at 40 rows costs 2 ms, however little is read of each. So keys, texts and vectors are read together when a hit is
found, and kept for who asks for its entry next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from seamline.store.lance_rows import VECTORS, vectors_of

if TYPE_CHECKING:
    from seamline.records import Vector
    from seamline.store.lance_table import Table

T = TypeVar("T")
K = TypeVar("K")

_KEPT = 2_000
"""Rows, of some 3 kB each."""
PAGE = 500
"""Rows that are fetched at once."""
COLUMNS = ("key", "body", *VECTORS.values())
"""All that is stored of an entry, and its key."""


class Row(NamedTuple):
    """What is stored of an entry, packed."""

    key: str
    body: bytes
    vectors: tuple[Vector | None, Vector | None]


def rows_of(found: Any) -> list[Row]:
    """The rows of an Arrow table that has all of COLUMNS."""
    vectors = zip(*(vectors_of(found, name) for name in VECTORS.values()), strict=True)
    return [*map(Row, found["key"].to_pylist(), found["body"].to_pylist(), vectors)]


class Hits:
    """The rows of a table that were found lately, by where they stand."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rows: dict[int, Row] = {}
        self._places: dict[str, int] = {}

    def keep(self, found: Any) -> list[str]:
        """The keys of rows that a search found; what else was read of them is kept."""
        keys: list[str] = found["key"].to_pylist()
        places = found["_rowid"].to_pylist()
        if "body" in found.column_names:
            self._rows = with_room(self._rows, _KEPT)
            self._rows.update(zip(places, rows_of(found), strict=True))
        self.note(dict(zip(keys, places, strict=True)))
        return keys

    def rows(self, places: Sequence[int]) -> list[Row]:
        """The rows that stand in these places, those that are remembered first."""
        known = self._rows
        rows = [known[place] for place in places if place in known]
        for some in pages([place for place in places if place not in known]):
            rows += rows_of(self._table.take(some, COLUMNS))
        return rows

    def note(self, places: dict[str, int]) -> None:
        """Remember where keys stand."""
        self._places = with_room(self._places, 10 * _KEPT)
        self._places.update(places)

    def placed(self, keys: Sequence[str]) -> dict[str, int]:
        """Where those of the keys stand that are remembered."""
        known = self._places
        return {key: known[key] for key in keys if key in known}


def with_room(known: dict[K, T], most: int) -> dict[K, T]:
    """What is remembered; the newer half of it, where that has become too much."""
    return known if len(known) < most else dict(islice(known.items(), len(known) // 2, None))


def pages(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """The items, so many at a time."""
    return (items[at : at + PAGE] for at in range(0, len(items), PAGE))
