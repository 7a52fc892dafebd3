"""Upkeep of the tables of a LanceDB store: which indices they have, when rows are put together, what is removed.

One call of the engine's `optimize` puts small files together, adds new rows to all indices and removes old versions. It
costs 1-3 s of CPU per 100,000 rows, however few of them are new: most of that is the index of words. So a large table
is left alone until enough of it is new to be felt; 1,000 rows that are not in the index cost a query 7 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from seamline.store.lance.engine import report_errors
from seamline.store.lance.rows import VECTORS
from seamline.store.lance.search import LanceLimits, partitions_for

if TYPE_CHECKING:
    from pathlib import Path

    from seamline.store.lance.guard import RemovalAges

_ORDERED = ("key", "doc", "parent", "created_at", "updated_at")
_FEW_VALUES = ("level", "kind", "language")
_SEGMENTS = 4
_FRAGMENTS = 100
"""Files of rows, or commits; from here on their number is felt in every query."""
_NEW = 500
"""Rows that are in no index yet; from here on they are felt too."""
_TRAINING = {"sample_rate": 64, "max_iterations": 15}
"""38 s of CPU for a million vectors of 256 dimensions, and no worse found than after the default of 256 and 50."""
_NEVER = timedelta(days=10_000)
_TAG = "recorded"
_TRIES = 3
"""Right after the first indices were made, the engine commits once more."""


class TableIndex(NamedTuple):
    """An index that a table has."""

    name: str
    column: str
    new: int
    """Rows that it does not hold yet."""
    segments: int
    """Parts that a search has to look into, one after the other."""

    @property
    def partitions(self) -> int:
        """Into how many partitions an index of vectors was cut; its name says so."""
        return int(self.name.rpartition("_")[2])


class Wanted(NamedTuple):
    """An index that a table ought to have."""

    name: str
    column: str
    config: Any


def indices(listed: Iterable[Any]) -> dict[str, TableIndex]:
    """Indices by column, as the engine lists those of a table; the one made last, where an older one was not removed
    yet."""
    found = [TableIndex(one.name, one.columns[0], one.num_unindexed_rows or 0, one.num_segments or 1) for one in listed]
    vectors = [one for one in found if one.column in VECTORS.values()]
    return {one.column: one for one in (*found, *sorted(vectors, key=lambda one: one.partitions))}


class CommitGuard(Protocol):
    """Decides which commits of the engine count, and which may be removed; only one who may write has one."""

    def begin(self) -> tuple[Any, Any]:
        """Open the tables of entries and of versions, with the content that counts."""
        ...

    def record(self, entries: Any, versions: Any) -> None:
        """Make a change of rows count."""
        ...

    def roll_back(self) -> None:
        """Set aside what does not count."""
        ...

    def begin_upkeep(self, entries: Any, versions: Any) -> None:
        """Called before rows are put together or indexed; once is enough."""
        ...

    def record_upkeep(self, entries: Any, versions: Any) -> None:
        """Make that count."""
        ...

    def begin_removal(self, entries: Any, versions: Any) -> None:
        """Called before old commits are removed."""
        ...

    def removal_ages(self) -> AbstractContextManager[RemovalAges]:
        """How old a commit must be to be removed, while this lasts."""
        ...

    def end_removal(self) -> None:
        """Remove what no commit needs."""
        ...

    def untag(self, table: Any, tag: str) -> None:
        """Take a tag off, where there is one."""
        ...


class Maintenance:
    """Keeps the tables of an index in order; only a writer has one."""

    def __init__(self, place: Path | str, guard: CommitGuard, limits: LanceLimits) -> None:
        self._place = place
        self._guard = guard
        self._limits = limits

    def tidy(self, entries: Any, versions: Any) -> None:
        """Index what is worth it, put small files together where there are many, and remove what nobody needs."""
        with report_errors(f"cannot tidy the index in {self._place}"):
            due = [table for table in (entries, versions) if self._due(table)]
            self._compact(entries, versions, due)
            for table, wanted in ((entries, self._of_entries(entries)), (versions, self._of_versions(versions))):
                if wanted:
                    self._guard.begin_upkeep(entries, versions)
                    self._make_indices(table, wanted)
                    due += [] if table in due else [table]
            self._remove_old(entries, versions, due)

    def pack(self, entries: Any, versions: Any) -> None:
        """Put small files together, whatever that costs: there are so many that every commit is slow."""
        with report_errors(f"cannot tidy the index in {self._place}"):
            self._compact(entries, versions, [entries, versions])
            self._remove_old(entries, versions, [entries, versions])

    def _compact(self, entries: Any, versions: Any, tables: Sequence[Any]) -> None:
        for table in tables:
            self._guard.untag(table, _TAG)
        if tables or self._outlived(entries):
            self._guard.begin_upkeep(entries, versions)
        self._drop_outlived(entries)
        for table in tables:
            table.optimize(cleanup_older_than=_NEVER)

    def _make_indices(self, table: Any, wanted: list[Wanted]) -> None:
        for one in wanted:
            table.create_index(one.column, config=one.config, name=one.name, replace=True)
        _drop_others(table, wanted)
        # The engine fails to add rows without a vector to an index of vectors that was never optimized.
        table.optimize(cleanup_older_than=_NEVER)

    def _remove_old(self, entries: Any, versions: Any, tables: Sequence[Any]) -> None:
        """Record what was written, and only then remove what it replaces."""
        self._guard.record_upkeep(entries, versions)
        if not tables:
            return
        self._guard.begin_removal(entries, versions)
        with self._guard.removal_ages() as age_of:
            for table in tables:
                self._prune(table, age_of(table), lambda: self._guard.record_upkeep(entries, versions))
        self._guard.record_upkeep(entries, versions)
        self._guard.end_removal()

    def _prune(self, table: Any, older_than: timedelta, record: Callable[[], None]) -> None:
        """Remove old commits, and the files of none that failed ones left: nobody else is writing.

        The engine has one call for this and for putting rows together, and does that first. So the recorded commit is
        tagged: where the engine commits another one before it removes, it then refuses to remove.
        """
        for _ in range(_TRIES):
            recorded = table.version
            table.tags.create(_TAG, recorded)
            try:
                table.optimize(cleanup_older_than=older_than, delete_unverified=True)
                return
            except RuntimeError:
                if table.version == recorded:
                    raise
                record()
            finally:
                self._guard.untag(table, _TAG)

    def _drop_outlived(self, entries: Any) -> None:
        """Remove indices of vectors that are few enough again to be compared one by one. Without any vector left, the
        engine refuses to put files together: it cannot train an index of none."""
        for index in self._outlived(entries):
            entries.drop_index(index.name)

    def _outlived(self, entries: Any) -> list[TableIndex]:
        vectors = [one for one in indices(entries.list_indices()).values() if one.column in VECTORS.values()]
        return [one for one in vectors if _filled(entries, one.column) <= self._limits.exact]

    def _due(self, table: Any) -> bool:
        """Whether enough is new: anything in a small table; of a large one half a percent, or many commits."""
        rows = table.count_rows()
        commits = len(table.list_versions())
        fragments = table.stats()["fragment_stats"]["num_fragments"]
        new = max((index.new for index in indices(table.list_indices()).values()), default=0)
        if rows <= self._limits.exact:
            return bool(fragments > 1 or new or commits > 1)
        many = max(fragments, commits) > _FRAGMENTS
        return bool(many or new > max(min(_NEW, self._limits.few), rows // 200))

    def _of_entries(self, table: Any) -> list[Wanted]:
        """Indices that are missing, and of vectors those that the table has outgrown."""
        from lancedb.index import FTS, Bitmap, BTree, LabelList

        if table.count_rows() <= self._limits.count:
            return []
        # Words come as they are counted: nothing is left out, changed or cut.
        plain = {"stem": False, "lower_case": False, "remove_stop_words": False, "ascii_folding": False}
        words = FTS(base_tokenizer="whitespace", max_token_length=1024, **plain)
        wanted = [
            *(Wanted(f"{name}_order", name, BTree()) for name in _ORDERED),
            *(Wanted(f"{name}_values", name, Bitmap()) for name in _FEW_VALUES),
            Wanted("labels_values", "labels", LabelList()),
            Wanted("matching", "words", words),
        ]
        have = indices(table.list_indices())
        return [one for one in wanted if one.column not in have] + self._of_vectors(table, have)

    def _of_vectors(self, table: Any, have: Mapping[str, TableIndex]) -> list[Wanted]:
        """Trained anew when the vectors have doubled, or when additions lie in many segments."""
        wanted = []
        for column in VECTORS.values():
            rows, now = _filled(table, column), have.get(column)
            partitions = partitions_for(rows)
            outgrown = now is None or partitions >= 2 * now.partitions or now.segments > _SEGMENTS
            if rows > self._limits.exact and outgrown:
                size = table.schema.field(column).type.list_size
                wanted.append(Wanted(f"near_{column}_{partitions}", column, _near_index(partitions, size)))
        return wanted

    def _of_versions(self, table: Any) -> list[Wanted]:
        from lancedb.index import BTree

        worth = table.count_rows() > self._limits.count and "doc" not in indices(table.list_indices())
        return [Wanted("doc_order", "doc", BTree())] if worth else []


def _filled(table: Any, column: str) -> int:
    return int(table.count_rows(f"{column} IS NOT NULL"))


def _near_index(partitions: int, dimensions: int) -> Any:
    """4-bit codes take 150 bytes a vector of 256 dimensions; where they are not possible, the vectors themselves."""
    from lancedb.index import IvfFlat, IvfRq

    if dimensions % 8:
        return IvfFlat(distance_type="cosine", num_partitions=partitions, **_TRAINING)
    return IvfRq(distance_type="cosine", num_partitions=partitions, num_bits=4, **_TRAINING)


def _drop_others(table: Any, made: list[Wanted]) -> None:
    """Remove the indices that new ones of the same column replace."""
    kept = {one.column: one.name for one in made}
    for one in table.list_indices():
        if kept.get(one.columns[0], one.name) != one.name:
            table.drop_index(one.name)
