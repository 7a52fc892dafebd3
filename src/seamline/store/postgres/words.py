"""BM25 in PostgreSQL: an inverted index in packed rows, scored by numpy, exact at any moment.

`postings` holds, for a word on a level, keys of entries with their counts and lengths, some thousand in a row.
`recent` holds what changed since those rows were written: the words of each new entry, and of each that is gone. A
search reads both; `fold` turns the second into the first when there is enough of it.

One row for each word of each entry, scored in SQL, took 23 ms a query at 100,000 entries and 11 kB an entry; this takes
2 ms and 0.6 kB.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seamline.errors import StoreError
from seamline.records import Entry, Levels
from seamline.store import bm25
from seamline.store.postgres.connect import Connection
from seamline.text.words import words

_DENSE = 64
"""Scores are summed in an array over all keys where it is at most so many times longer than the postings."""

MOST_KEYS = 2**32 - 1
"""Packed postings have room for no larger key. Each entry that is written takes one, and none is used twice."""

Keys = NDArray[np.int64]
Scores = NDArray[np.float64]
Postings = NDArray[np.uint32]
"""Three rows: keys, which ascend, counts, lengths."""


class Bag(NamedTuple):
    """The words of one entry."""

    key: int
    level: int
    counts: Mapping[str, int]
    length: int


class Totals(NamedTuple):
    """What BM25 needs to know of all entries."""

    worded: int
    """Entries that have words."""
    words: int
    """Their words."""


def bag(key: int, entry: Entry, stemming: str) -> Bag:
    """What is counted of an entry."""
    found = words(entry.counted, stemming)
    return Bag(key, int(entry.level), Counter(found), len(found))


def score(
    connection: Connection, asked: Sequence[str], levels: Levels, totals: Totals, *, every: bool = False
) -> tuple[Keys, Scores]:
    """Key and score of every entry of these levels that has one of these words, with `every` all of them, in no
    order."""
    if not asked or not totals.worded:
        return np.empty(0, np.int64), np.empty(0)
    found = _found(connection, asked, levels)
    average = totals.words / totals.worded
    keys, scores = [], []
    for word in asked:
        postings, holding = found[word]
        if postings.shape[1]:
            keys.append(postings[0].astype(np.int64))
            norms = bm25.norms(postings[2], average)
            scores.append(bm25.idf(totals.worded, holding) * bm25.weights(postings[1], norms))
    if not keys or (every and len(keys) < len(asked)):
        return np.empty(0, np.int64), np.empty(0)
    held, sums = _summed(np.concatenate(keys), np.concatenate(scores))
    if not every:
        return held, sums
    for word in keys:
        kept = np.isin(held, word)
        held, sums = held[kept], sums[kept]
    return held, sums


def pack(postings: Postings) -> bytes:
    """Postings as bytes."""
    return postings.astype("<u4", copy=False).tobytes()


def unpack(data: bytes) -> Postings:
    """What `pack` packed."""
    if len(data) % 12:
        raise StoreError("the stored words are damaged: index again from scratch")
    return np.frombuffer(data, dtype="<u4").reshape(3, -1)


def _found(connection: Connection, asked: Sequence[str], levels: Levels) -> dict[str, tuple[Postings, int]]:
    """Living postings on these levels, and how many entries of all levels hold the word."""
    parts: dict[str, list[Postings]] = {word: [] for word in asked}
    holding = dict.fromkeys(asked, 0)
    wanted = None if levels is None else list(levels)
    cursor = connection.cursor(binary=True)
    rows = cursor.execute(
        "SELECT word, count, CASE WHEN %(levels)s::integer[] IS NULL OR level = ANY(%(levels)s) THEN data END"
        " FROM postings WHERE word = ANY(%(words)s)",
        {"levels": wanted, "words": list(asked)},
    )
    for word, count, data in rows:
        holding[word] += count
        if data is not None:
            parts[word].append(unpack(data))
    gone: dict[str, list[int]] = defaultdict(list)
    for word, one in _recent_with(connection, asked):
        holding[word] += -1 if one.gone else 1
        if one.gone:
            gone[word].append(one.key)
        elif wanted is None or one.level in wanted:
            parts[word].append(np.array([[one.key], [one.times], [one.length]], np.uint32))
    return {word: (living(parts[word], gone[word]), holding[word]) for word in asked}


def living(parts: Sequence[Postings], gone: Sequence[int]) -> Postings:
    """These postings but for the entries that are gone."""
    if not parts:
        return np.empty((3, 0), np.uint32)
    postings = np.concatenate(parts, axis=1)
    return postings[:, ~np.isin(postings[0], gone)] if gone else postings


class _Change(NamedTuple):
    key: int
    gone: bool
    level: int
    length: int
    times: int


def _recent_with(connection: Connection, asked: Sequence[str]) -> Iterator[tuple[str, _Change]]:
    rows = connection.execute(
        "SELECT asked.word, key, gone, level, length, (counts ->> asked.word)::integer"
        " FROM recent CROSS JOIN unnest(%(words)s::text[]) AS asked (word)"
        " WHERE counts ?| %(words)s AND counts ? asked.word",
        {"words": list(asked)},
    )
    return ((word, _Change(*rest)) for word, *rest in rows)


def note(connection: Connection, bags: Sequence[Bag], *, gone: bool = False) -> None:
    """Write down the words of entries that came, or went, since the last fold."""
    with connection.cursor().copy("COPY recent (key, gone, level, length, counts) FROM STDIN") as copy:
        for one in bags:
            if one.counts:
                copy.write_row((one.key, gone, one.level, one.length, json.dumps(one.counts)))


def recent(connection: Connection, *, gone: bool) -> Iterator[Bag]:
    """Entries whose words came, or went, since the last fold."""
    rows = connection.execute("SELECT key, level, counts, length FROM recent WHERE gone = %s ORDER BY key", (gone,))
    return (Bag(*row) for row in rows)


def _summed(keys: Keys, scores: Scores) -> tuple[Keys, Scores]:
    """The sum of the scores of every key; equal parts give equal sums, as they are added in the same order."""
    if int(keys.max()) <= _DENSE * len(keys):
        sums: Scores = np.bincount(keys, scores).astype(np.float64)
        held = np.flatnonzero(sums)
        return held.astype(np.int64), sums[held]
    present, at = np.unique(keys, return_inverse=True)
    return present, np.bincount(at, scores).astype(np.float64)


BLOCK = 4096
"""Postings in a full row."""

Row = tuple[str, int, int, int, int, bytes]
"""Of `postings`: word, level, how many there are, the first key, the last, and the postings."""


def fold(connection: Connection) -> None:
    """Bring `postings` up to date with `recent`, and empty that; inside a transaction of the caller."""
    _write(connection, _without_gone(connection))
    _write(connection, _added(connection))
    connection.execute("DELETE FROM recent")


def merge(connection: Connection, least: int) -> None:
    """Join the small rows of every word that has at least `least`; inside a transaction of the caller."""
    scattered = connection.execute(
        "SELECT word, level FROM postings WHERE count < %s GROUP BY word, level HAVING count(*) >= %s",
        (BLOCK // 2, least),
    ).fetchall()
    for start in range(0, len(scattered), BLOCK):
        _write(connection, _joined(connection, scattered[start : start + BLOCK]))


def _added(connection: Connection) -> Iterator[Row]:
    """The words of new entries, by word. Sorted as one table: a list for each of 50,000 words took four times as
    long."""
    names: dict[int, dict[str, int]] = defaultdict(dict)
    groups: list[int] = []
    columns: tuple[list[int], list[int], list[int]] = ([], [], [])
    seen: list[tuple[str, int]] = []
    for one in recent(connection, gone=False):
        known = names[one.level]
        for word in one.counts:
            if word not in known:
                known[word] = len(seen)
                seen.append((word, one.level))
            groups.append(known[word])
        held = len(one.counts)
        for column, numbers in zip(columns, ([one.key] * held, one.counts.values(), [one.length] * held), strict=True):
            column.extend(numbers)
    order = np.argsort(np.array(groups, np.int64), kind="stable")
    table = np.array(columns, np.uint32)[:, order]
    edges = np.searchsorted(np.array(groups, np.int64)[order], np.arange(len(seen) + 1)).tolist()
    for (word, level), start, end in zip(seen, edges, edges[1:], strict=False):
        yield from _rows(word, level, table[:, start:end])


def _without_gone(connection: Connection) -> list[Row]:
    """Take out the rows that hold entries which are gone; what is to stand in their place."""
    gone = [one.key for one in recent(connection, gone=True)]
    if not gone:
        return []
    rows = connection.execute(
        "DELETE FROM postings WHERE ctid = ANY(ARRAY(SELECT DISTINCT p.ctid"
        " FROM recent r CROSS JOIN LATERAL jsonb_object_keys(r.counts) AS held (word)"
        " JOIN postings p ON p.word = held.word AND p.level = r.level AND r.key BETWEEN p.first AND p.last"
        " WHERE r.gone)) RETURNING word, level, data"
    ).fetchall()
    return [row for word, level, data in rows for row in _rows(word, level, living([unpack(data)], gone))]


def _joined(connection: Connection, words: list[tuple[str, int]]) -> Iterator[Row]:
    """Take out the small rows of these words; what is to stand in their place."""
    rows = connection.execute(
        "DELETE FROM postings p USING unnest(%s::text[], %s::integer[]) AS small (word, level)"
        " WHERE p.word = small.word AND p.level = small.level AND p.count < %s"
        " RETURNING p.word, p.level, p.first, p.data",
        ([word for word, _ in words], [level for _, level in words], BLOCK // 2),
    ).fetchall()
    parts: dict[tuple[str, int], list[tuple[int, bytes]]] = defaultdict(list)
    for word, level, first, data in rows:
        parts[word, level].append((first, data))
    for (word, level), some in parts.items():
        # Keys only ever grow, so those of a row with a later first are all larger.
        yield from _rows(word, level, np.concatenate([unpack(data) for _, data in sorted(some)], axis=1))


def _rows(word: str, level: int, postings: Postings) -> Iterator[Row]:
    """Postings as rows of at most BLOCK."""
    for start in range(0, postings.shape[1], BLOCK):
        part = postings[:, start : start + BLOCK]
        yield word, level, part.shape[1], int(part[0, 0]), int(part[0, -1]), pack(part)


def _write(connection: Connection, rows: Iterable[Row]) -> None:
    rows = list(rows)  # some are read from this connection, which takes no questions during a COPY
    with connection.cursor().copy("COPY postings (word, level, count, first, last, data) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
