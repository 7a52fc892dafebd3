"""The file of search structures: which one is right, how it is brought up to date, and how it is made anew.

Structures are derived from the truth and disposable. They are right for a reader if they were made from a state that
the truth has in its history; what was written since is read from the truth itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from seamline.errors import StoreError
from seamline.store.sqlite import clusters, segments
from seamline.store.sqlite.database import Damaged, Database, seal, unseal
from seamline.store.sqlite.segments import COLUMNS, read_segments
from seamline.store.sqlite.truth import IndexState, read_vectors, removed_since, rows_after, state_of
from seamline.text.words import ANALYZER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from seamline.records import Vector

LAYOUT = 3
"""Of the tables and of what is counted; structures of another layout are made anew."""
_NAME = re.compile(r"search-(\d+)\.db")
_BLOCK = 20_000
"""Entries that become a segment at once: 200 MB of memory."""
_RETRAIN = 4
"""Clusters are trained anew once there are so many times as many vectors."""


@dataclass(frozen=True, slots=True)
class SqliteLimits:
    """When structures are brought up to date."""

    few: int = 64
    """Entries in no segment that are left there: they cost a first search 4 ms."""
    many: int = 500
    """However large the index is, so many are put into one."""
    burst: int = 20_000
    """So many are put into one during a run, before it ends."""
    exact: int = clusters.EXACT
    """Vectors up to which there is one cluster."""


class Made(NamedTuple):
    """What structures were made from."""

    counter: int
    mark: bytes
    last_row: int
    """Entries behind it are in no segment."""


def files(folder: Path) -> list[tuple[int, Path]]:
    """The files of structures in a folder with their numbers, the newest first."""
    found = [(int(match[1]), folder / name) for name in os.listdir(folder) if (match := _NAME.fullmatch(name))]
    return sorted(found, reverse=True)


def new_file(folder: Path) -> Path:
    """A name that no file of structures ever had here: SQLite removes files by name."""
    numbers = [number for number, _ in files(folder)]
    return folder / f"search-{max(numbers, default=0) + 1}.db"


def remove_others(folder: Path, kept: Path) -> None:
    """Remove all structures but these. Whoever reads old ones keeps them open."""
    for _, path in files(folder):
        if path != kept:
            remove(path)


def remove(path: Path) -> None:
    """Remove a file of structures."""
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(OSError):  # gone, or held open on Windows: the next one tries again
            name.unlink()


def made_from(db: Database, dimensions: int) -> Made | None:
    """What structures were made from; None where they are not finished, or of another layout."""
    if not db.value("SELECT count(*) FROM sqlite_schema WHERE name = 'state'"):
        return None
    found = db.row("SELECT layout, analyzer, dimensions, counter, mark, last_row FROM state")
    if found is None or found[:3] != (LAYOUT, ANALYZER, dimensions):
        return None
    return Made(*found[3:])


def is_right(made: Made, truth: Database) -> bool:
    """Whether structures were made from a state in the history of this truth."""
    return made.counter == 0 or truth.value("SELECT mark FROM changes WHERE counter = ?", (made.counter,)) == made.mark


def build(db: Database, truth: Database, dimensions: int, stemming: str, limits: SqliteLimits) -> None:
    """Fill a new file with structures of the present state of the truth, which is held still by the caller."""
    state = state_of(truth)
    with db.transaction():
        for statement in segments.SCHEMA.split(";"):
            db.run(statement)
    last = 0
    while len(rows := rows_after(truth, last, _BLOCK)):
        with db.transaction():
            last = _add(db, truth, rows, {}, stemming)
            segments.merge_small(db)
    _train(db, truth, limits)
    with db.transaction():
        values = (LAYOUT, ANALYZER, dimensions, *state, last)
        db.run("INSERT INTO state VALUES (1, ?, ?, ?, ?, ?, ?)", values)


def fold(db: Database, truth: Database, made: Made, stemming: str, limits: SqliteLimits) -> None:
    """Bring structures up to date with the present state of the truth, which is held still by the caller."""
    state = state_of(truth)
    centroids = read_centroids(db)
    with db.transaction():
        segments.mark_dead(db, read_segments(db), removed_since(truth, made.counter))
        segments.drop_dead(db)
        _note(db, state, made.last_row)
    last = made.last_row
    while len(rows := rows_after(truth, last, _BLOCK)):
        with db.transaction():
            last = _add(db, truth, rows, centroids, stemming)
            segments.merge_small(db)
            _note(db, state, last)
    _train(db, truth, limits)


def is_due(db: Database, truth: Database, made: Made, limits: SqliteLimits) -> bool:
    """Whether enough is in no segment, or dead in one, to be felt."""
    new = int(truth.value("SELECT count(*) FROM entries WHERE row > ?", (made.last_row,)))
    gone = int(truth.value("SELECT count(*) FROM removed WHERE counter > ?", (made.counter,)))
    if new + gone <= min(limits.few, limits.many):
        return False  # without a look at the segments, of which a million entries take 20 MB
    held = sum(len(segment.rows) for segment in read_segments(db))
    return new + gone > min(max(limits.few, held // 100), limits.many)


def read_centroids(db: Database) -> dict[str, Vector]:
    """The centroids of each column that has clusters."""
    found = db.rows("SELECT column_name, vectors FROM centroids")
    return {column: _unpack_centroids(column, data) for column, data in found}


def _add(db: Database, truth: Database, rows: NDArray[np.int64], centroids: dict[str, Vector], stemming: str) -> int:
    number = int(db.value("SELECT coalesce(max(number), 0) + 1 FROM segments"))
    segments.write_segment(db, number, segments.read_loose(truth, rows.tolist(), stemming), centroids)
    return int(rows[-1])


def _note(db: Database, state: IndexState, last_row: int) -> None:
    db.run("UPDATE state SET counter = ?, mark = ?, last_row = ?", (*state, last_row))


def _train(db: Database, truth: Database, limits: SqliteLimits) -> None:
    """Make clusters where there are vectors enough, and again where there are many more."""
    held = read_segments(db)
    for column in COLUMNS.values():
        count = segments.count_vectors(db, held, column)
        trained = db.value("SELECT trained FROM centroids WHERE column_name = ?", (column,)) or 0
        if count <= limits.exact or count < _RETRAIN * trained:
            continue
        wanted = clusters.centroids_for(count)
        centroids = clusters.train(_sample(truth, held, column, wanted * clusters.PER_CENTROID / count), wanted)
        with db.transaction():
            db.run("DELETE FROM centroids WHERE column_name = ?", (column,))
            packed = seal(centroids.astype("<f4").tobytes(), column.encode())
            db.run(
                "INSERT INTO centroids VALUES (?, ?, ?)", (column, count, len(centroids).to_bytes(4, "little") + packed)
            )
            for segment in held:
                segments.replace_codes(db, truth, segment, column, centroids, _BLOCK)


def _sample(truth: Database, held: Sequence[segments.Segment], column: str, share: float) -> Vector:
    """About this share of the vectors, from all over the index; entries may still wait for theirs."""
    rows = np.concatenate([segment.rows[~segment.dead] for segment in held])
    return read_vectors(truth, rows[:: max(1, int(1 / share))].tolist(), column)[1]


def _unpack_centroids(column: str, data: bytes) -> Vector:
    count = int.from_bytes(data[:4], "little")
    return np.frombuffer(unseal(data[4:], "the centroids", column.encode()), "<f4").reshape(count, -1)


@contextmanager
def derived_damage(path: str) -> Iterator[None]:
    """Tell damage of structures, which can be mended, from that of the truth."""
    try:
        yield
    except (Damaged, ValueError, IndexError, TypeError) as error:
        raise StructuresDamaged(f"the search structures {path} are damaged: {error}") from error


class StructuresDamaged(StoreError):
    """Search structures are not what was written: they can be made anew."""
