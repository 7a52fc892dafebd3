"""Segments: entries arranged for search, some thousands at a time, in a file of search structures.

A segment has the rows of its entries, their words as postings and their vectors as codes. It is never changed, but for
a note of which of its entries are dead; small ones are merged into larger ones, so that there are few.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from seamline.store.sqlite.clusters import Codes, assign, encode, join_codes, merge_codes, pack_codes, unpack_codes
from seamline.store.sqlite.database import Database, seal, unseal
from seamline.store.sqlite.truth import read_bodies, read_vectors
from seamline.store.sqlite.words import (
    Postings,
    count_pairs,
    count_words,
    merge_postings,
    pack_postings,
    unpack_postings,
)
from seamline.text.words import typed_words, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Vector, VectorKind

SCHEMA = """
CREATE TABLE state (
  one INTEGER PRIMARY KEY CHECK (one = 1), layout INTEGER, analyzer INTEGER, dimensions INTEGER, counter INTEGER,
  mark BLOB, last_row INTEGER
);
CREATE TABLE segments (number INTEGER PRIMARY KEY, about BLOB NOT NULL);
CREATE TABLE centroids (column_name TEXT PRIMARY KEY, trained INTEGER NOT NULL, vectors BLOB NOT NULL);
"""
COLUMNS: Mapping[VectorKind, str] = {"text": "vector", "summary": "summary_vector"}
"""The column of each kind of vector."""
_GROWTH = 2
"""A segment is merged with those behind it once they hold half as many entries."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Entries by place: those of all arrays."""

    number: int
    rows: NDArray[np.int64]
    """Ascending, and above those of the segment before."""
    lengths: NDArray[np.int64]
    """Words."""
    levels: NDArray[np.int64]
    dead: NDArray[np.bool_]
    """Removed, or replaced, when structures were last brought up to date."""


class Loose(NamedTuple):
    """Entries that are in no segment yet, held in memory."""

    rows: NDArray[np.int64]
    lengths: NDArray[np.int64]
    levels: NDArray[np.int64]
    postings: Mapping[str, Postings]
    vectors: Mapping[str, tuple[NDArray[np.int64], Vector]]
    """By column: places of the entries that have one, and the vectors."""


def read_loose(truth: Database, rows: Sequence[int], stemming: str) -> Loose:
    """Everything a search needs of the entries in these rows."""
    found = list(read_bodies(truth, rows))
    counted = [entry.counted for _, entry in found]
    texts = [words(text, stemming) for text in counted]
    pairs = count_pairs([typed_words(text) for text in counted])
    numbers = np.array([row for row, _ in found], np.int64)
    vectors: dict[str, tuple[NDArray[np.int64], Vector]] = {}
    for column in COLUMNS.values():
        have, matrix = read_vectors(truth, rows, column)
        vectors[column] = np.searchsorted(numbers, np.array(have, np.int64)), matrix
    return Loose(
        numbers,
        np.array([len(text) for text in texts], np.int64),
        np.array([entry.level for _, entry in found], np.int64),
        count_words(texts) | pairs,
        vectors,
    )


def read_segments(db: Database) -> list[Segment]:
    """All segments, in the order of their rows."""
    return [_unpack(number, about) for number, about in db.rows("SELECT number, about FROM segments ORDER BY number")]


def write_segment(db: Database, number: int, loose: Loose, centroids: Mapping[str, Vector]) -> None:
    """Make a segment of entries that were in none."""
    dead = np.zeros(len(loose.rows), bool)
    _create(db, Segment(number, loose.rows, loose.lengths, loose.levels, dead))
    _write_postings(db, number, sorted(loose.postings.items()))
    for column, (docs, vectors) in loose.vectors.items():
        _write_codes(db, number, column, _clustered(docs, vectors, centroids.get(column)))


def mark_dead(db: Database, segments: Iterable[Segment], removed: NDArray[np.int64]) -> None:
    """Note which entries of segments were removed."""
    for segment in segments:
        at = np.searchsorted(segment.rows, removed)
        at = at[at < len(segment.rows)]
        hit = at[np.isin(segment.rows[at], removed)]
        if len(hit) and not segment.dead[hit].all():
            dead = segment.dead.copy()
            dead[hit] = True
            about = _pack(replace(segment, dead=dead))
            db.run("UPDATE segments SET about = ? WHERE number = ?", (about, segment.number))


def drop_dead(db: Database) -> None:
    """Remove the segments of which no entry is left, as after all of them got vectors: nothing of them is merged."""
    for segment in read_segments(db):
        if segment.dead.all():
            _drop(db, segment.number)


def merge_small(db: Database) -> None:
    """Merge the last segments while those behind one hold half as many entries as it does."""
    found = read_segments(db)
    first, held = len(found) - 1, len(found[-1].rows)
    while first and len(found[first - 1].rows) <= _GROWTH * held:
        first -= 1
        held += len(found[first].rows)
    if first < len(found) - 1:
        _merge(db, found[first:])


def replace_codes(
    db: Database, truth: Database, segment: Segment, column: str, centroids: Vector | None, block: int
) -> None:
    """Put the vectors of a segment into other clusters."""
    db.run(f"DELETE FROM codes_{segment.number} WHERE column_name = ?", (column,))  # noqa: S608 - a number of ours
    parts: dict[int, list[Codes]] = defaultdict(list)
    for at in range(0, len(segment.rows), block):
        rows = segment.rows[at : at + block][~segment.dead[at : at + block]]
        have, vectors = read_vectors(truth, rows.tolist(), column)
        docs = np.searchsorted(segment.rows, np.array(have, np.int64))
        for cluster, codes in _clustered(docs, vectors, centroids):
            parts[cluster].append(codes)
    joined = ((cluster, join_codes(found)) for cluster, found in parts.items())
    _write_codes(db, segment.number, column, joined)


def read_postings(db: Database, segment: Segment, word: str) -> Postings | None:
    """Which entries of a segment hold a word."""
    found = db.row(f"SELECT docs, counts FROM postings_{segment.number} WHERE word = ?", (word,))  # noqa: S608 - ours
    return unpack_postings(*found) if found else None


def read_codes(db: Database, segment: Segment, column: str, cluster: int) -> Codes | None:
    """The vectors of a segment in a cluster."""
    found = db.value(
        f"SELECT codes FROM codes_{segment.number} WHERE column_name = ? AND cluster = ?",  # noqa: S608 - ours
        (column, cluster),
    )
    return unpack_codes(found) if found is not None else None


def count_vectors(db: Database, segments: Iterable[Segment], column: str) -> int:
    """How many vectors are in the clusters of these segments, dead ones included."""
    asked = "SELECT total(size) FROM codes_{} WHERE column_name = ?"
    return int(sum(db.value(asked.format(segment.number), (column,)) for segment in segments))


def _create(db: Database, segment: Segment) -> None:
    number = segment.number
    db.run("INSERT INTO segments (number, about) VALUES (?, ?)", (number, _pack(segment)))
    db.run(f"CREATE TABLE postings_{number} (word TEXT PRIMARY KEY, docs BLOB NOT NULL, counts BLOB NOT NULL)")
    db.run(
        f"CREATE TABLE codes_{number} (column_name TEXT NOT NULL, cluster INTEGER NOT NULL, size INTEGER NOT NULL,"
        " codes BLOB NOT NULL, PRIMARY KEY (column_name, cluster))"
    )


def _write_postings(db: Database, number: int, postings: Iterable[tuple[str, Postings]]) -> None:
    db.run_many(
        f"INSERT INTO postings_{number} (word, docs, counts) VALUES (?, ?, ?)",  # noqa: S608 - a number of ours
        ((word, *pack_postings(part)) for word, part in postings),
    )


def _write_codes(db: Database, number: int, column: str, clustered: Iterable[tuple[int, Codes]]) -> None:
    db.run_many(
        f"INSERT INTO codes_{number} (column_name, cluster, size, codes) VALUES (?, ?, ?, ?)",  # noqa: S608 - ours
        ((column, int(cluster), len(codes.docs), pack_codes(codes)) for cluster, codes in clustered),
    )


def _clustered(docs: NDArray[np.int64], vectors: Vector, centroids: Vector | None) -> Iterator[tuple[int, Codes]]:
    if not len(docs):
        return
    codes = encode(docs, vectors)
    nearest = np.zeros(len(docs), np.int64) if centroids is None else assign(vectors, centroids)
    for cluster in np.unique(nearest):
        here = nearest == cluster
        yield int(cluster), codes.take(here)


def _merge(db: Database, segments: Sequence[Segment]) -> None:
    """One segment instead of several, without their dead entries."""
    alive = [~segment.dead for segment in segments]
    starts = np.cumsum([0, *(int(mask.sum()) for mask in alive)])
    places = {
        segment.number: np.where(mask, np.cumsum(mask) - 1 + start, -1)
        for segment, mask, start in zip(segments, alive, starts, strict=False)
    }
    rows, lengths, levels = (
        np.concatenate([getattr(segment, name)[mask] for segment, mask in zip(segments, alive, strict=True)])
        for name in ("rows", "lengths", "levels")
    )
    number = segments[-1].number + 1
    _create(db, Segment(number, rows, lengths, levels, np.zeros(len(rows), bool)))
    _write_postings(db, number, _merged_postings(db, segments, places))
    for column in COLUMNS.values():
        _write_codes(db, number, column, _merged_codes(db, segments, places, column))
    for segment in segments:
        _drop(db, segment.number)


def _drop(db: Database, number: int) -> None:
    db.run("DELETE FROM segments WHERE number = ?", (number,))
    db.run(f"DROP TABLE postings_{number}")
    db.run(f"DROP TABLE codes_{number}")


def _merged_postings(
    db: Database, segments: Sequence[Segment], places: Mapping[int, NDArray[np.int64]]
) -> Iterator[tuple[str, Postings]]:
    sources = [
        db.each(f"SELECT word, {segment.number}, docs, counts FROM postings_{segment.number} ORDER BY word")  # noqa: S608
        for segment in segments
    ]
    for word, rows in groupby(merge(*sources, key=itemgetter(0, 1)), key=itemgetter(0)):
        merged = merge_postings({number: unpack_postings(docs, counts) for _, number, docs, counts in rows}, places)
        if len(merged.docs):
            yield word, merged


def _merged_codes(
    db: Database, segments: Sequence[Segment], places: Mapping[int, NDArray[np.int64]], column: str
) -> Iterator[tuple[int, Codes]]:
    asked = "SELECT DISTINCT cluster FROM codes_{} WHERE column_name = ?"
    clusters = {cluster for one in segments for (cluster,) in db.rows(asked.format(one.number), (column,))}
    for cluster in sorted(clusters):
        found = [(read_codes(db, segment, column, cluster), places[segment.number]) for segment in segments]
        merged = merge_codes([(codes, at) for codes, at in found if codes is not None])
        if len(merged.docs):
            yield cluster, merged


def _pack(segment: Segment) -> bytes:
    parts = (
        segment.rows.astype("<i8"),
        segment.lengths.astype("<i4"),
        segment.levels.astype("<i4"),
        np.packbits(segment.dead),
    )
    count = len(segment.rows).to_bytes(4, "little")
    return seal(count + b"".join(part.tobytes() for part in parts), segment.number.to_bytes(8, "little"))


def _unpack(number: int, sealed: bytes) -> Segment:
    data = unseal(sealed, "a segment", number.to_bytes(8, "little"))
    count = int.from_bytes(data[:4], "little")
    rows = np.frombuffer(data, "<i8", count, 4)
    lengths = np.frombuffer(data, "<i4", count, 4 + 8 * count).astype(np.int64)
    levels = np.frombuffer(data, "<i4", count, 4 + 12 * count).astype(np.int64)
    dead = np.unpackbits(np.frombuffer(data, np.uint8, offset=4 + 16 * count), count=count).astype(bool)
    return Segment(number, rows, lengths, levels, dead)
