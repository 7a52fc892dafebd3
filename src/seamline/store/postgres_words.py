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
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seamline.errors import StoreError
from seamline.records import Entry
from seamline.store import bm25
from seamline.store.postgres_connect import Connection
from seamline.words import words

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


def bag(key: int, entry: Entry) -> Bag:
    """What is counted of an entry."""
    found = words(entry.searched)
    return Bag(key, int(entry.level), Counter(found), len(found))


def score(
    connection: Connection, asked: Sequence[str], levels: Collection[int] | None, totals: Totals
) -> tuple[Keys, Scores]:
    """Key and score of every entry of these levels that has one of these words, in no order."""
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
    return _summed(np.concatenate(keys), np.concatenate(scores)) if keys else (np.empty(0, np.int64), np.empty(0))


def pack(postings: Postings) -> bytes:
    """Postings as bytes."""
    return postings.astype("<u4", copy=False).tobytes()


def unpack(data: bytes) -> Postings:
    """What `pack` packed."""
    if len(data) % 12:
        raise StoreError("the stored words are damaged: index again from scratch")
    return np.frombuffer(data, dtype="<u4").reshape(3, -1)


def _found(
    connection: Connection, asked: Sequence[str], levels: Collection[int] | None
) -> dict[str, tuple[Postings, int]]:
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
