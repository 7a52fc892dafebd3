"""A table of the engine as readers use it: one version of it, and one trip to the engine's event loop per call.

The engine's own synchronous calls make up to six trips each, and cost a search by vector 2 ms more.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from seamline.store.lance.engine import lancedb, report_errors

if TYPE_CHECKING:
    from seamline.records import Vector

TRUE, FALSE = "true", "false"
"""The conditions that ask for everything, and for nothing."""

T = TypeVar("T")


def _wait(task: Coroutine[Any, Any, T]) -> T:
    from lancedb.background_loop import LOOP

    found: T = LOOP.run(task)
    return found


class Connection:
    """The tables of a folder, for readers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with report_errors(f"cannot open the index in {folder}"):
            self._connection = _wait(lancedb.connect_async(str(folder)))

    def open(self, name: str, version: int) -> TableVersion:
        """One version of a table, and nothing that is written later."""
        with report_errors(f"cannot open the index in {self._folder}"):
            return TableVersion(_wait(self._connection.open_table(name, version=version)))


class TableVersion:
    """One version of a table. Threads may share it."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def rows(self, where: str, columns: Sequence[str], *, places: bool = False) -> Any:
        """Some columns of the rows that a condition lets through, and on demand where they stand, as an Arrow table."""
        query = self._table.query().where(where).select([*columns])
        return _wait((query.with_row_id() if places else query).to_arrow())

    def batches(self, where: str, columns: Sequence[str], size: int) -> Iterator[Any]:
        """The same, so many rows at a time."""
        query = self._table.query().where(where).select([*columns])
        found = _wait(query.to_batches(max_batch_length=size))
        while (batch := _wait(anext(found, None))) is not None:
            yield batch

    def take(self, places: Sequence[int], columns: Sequence[str]) -> Any:
        """The rows that stand in these places, in any order."""
        return _wait(self._table.take_row_ids([*places]).select([*columns]).to_arrow())

    def near(
        self, vector: Vector, column: str, limit: int, where: str, *, probes: int, refine: int, columns: Sequence[str]
    ) -> Any:
        """The rows with the nearest vectors, and their `_distance`: by so many partitions of the index, which may hold
        fewer rows than asked for, or exactly where that is 0."""
        query = self._table.query().nearest_to(vector).column(column).distance_type("cosine")
        if probes:
            query = query.nprobes(probes).refine_factor(refine)
        else:
            query = query.bypass_vector_index()
        return self._found(query, limit, where, [*columns, "_distance"])

    def matching(self, words: Sequence[str], column: str, limit: int, where: str, *, columns: Sequence[str]) -> Any:
        """The rows with the highest BM25, and their `_score`."""
        from lancedb.query import MatchQuery

        query = self._table.query().nearest_to_text(MatchQuery(" ".join(words), column))
        return self._found(query, limit, where, [*columns, "_score"])

    def count(self, where: str = TRUE) -> int:
        return int(_wait(self._table.count_rows(None if where == TRUE else where)))

    def indices(self) -> list[Any]:
        return list(_wait(self._table.list_indices()))

    def _found(self, query: Any, limit: int, where: str, columns: list[str]) -> Any:
        asked = query if where == TRUE else query.where(where)
        return _wait(asked.select(columns).limit(limit).to_arrow())
