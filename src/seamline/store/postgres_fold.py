"""How the words that came and went since become packed rows again; see `postgres_words`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from seamline.store.postgres_connect import Connection
from seamline.store.postgres_words import Postings, living, pack, recent, unpack

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
