"""The store in PostgreSQL: how fast it takes chunks in, how fast and how rightly it finds them, beside bare pgvector.

    python -m benchmarks.store_postgres --sizes 10000 100000

The corpus is that of `benchmarks.store`, made up. What is timed is the store, without parsing, cutting or embedding;
hybrid is all of `Index.search`. CPU is that of the client and of its session on the server together; wall is what a
user waits for. Recall is judged by comparing every vector.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its other threads wait by turning, in the time of the next question

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import psycopg
from tests.harness.postgres import own_server

from benchmarks.common import options, percentile, progress, save, table, verdict
from benchmarks.store.corpus import DIMENSIONS, PER_DOCUMENT, SHELVES, Corpus, K, Question, make, shelf_of
from benchmarks.store.ours import GROUP, NOW, GivenVectors
from seamline.api.index import Index
from seamline.filters.tree import Filter, Test
from seamline.index.config import IndexConfig, settings_of
from seamline.records import Change, Entry, EntryPlace, Head, Version
from seamline.store.postgres.store import PostgresStore

WARM = 20
MEMORY = {"shared_buffers": "1GB", "max_wal_size": "4GB"}
LEAST_RECALL = 0.98
MOST_RATIO = 2.0
SLACK = 0.002
"""Recall by which bare SQL may be worse and still counts as equal: 4 of 2,000 entries."""

Connection = psycopg.Connection[tuple[Any, ...]]


class Clock:
    """CPU seconds of this process and of the session it asks, and wall seconds, since it was made."""

    def __init__(self, pid: int) -> None:
        self._file = f"/proc/{pid}/schedstat"
        self._start = self._now()

    def read(self) -> tuple[float, float]:
        wall, cpu = self._now()
        return wall - self._start[0], cpu - self._start[1]

    def _now(self) -> tuple[float, float]:
        with open(self._file) as file:
            session = int(file.read().split()[0]) / 1e9
        return time.perf_counter(), time.process_time() + session


def session(connection: Connection, role: str) -> int:
    """The process of our session on the server, which runs on this machine."""
    row = connection.execute(
        "SELECT pid FROM pg_stat_activity WHERE application_name LIKE %s ORDER BY backend_start DESC LIMIT 1",
        (f"seamline {role} {os.getpid()}@%",),
    ).fetchone()
    assert row is not None
    return int(row[0])


# What is written


def groups(corpus: Corpus) -> Iterator[list[Change]]:
    """All documents, as many at a time as an index run writes."""
    firsts = range(0, corpus.size, PER_DOCUMENT)
    each = GROUP // PER_DOCUMENT + 1
    for at in range(0, len(firsts), each):
        yield [_change(corpus, first) for first in firsts[at : at + each]]


def _change(corpus: Corpus, first: int) -> Change:
    doc, texts = f"docs/{first // PER_DOCUMENT}.md", corpus.texts(first, min(first + PER_DOCUMENT, corpus.size))
    made, places, start = [], [], 0
    for number, text in enumerate(texts, first):
        made.append(_entry(number, doc, text, np.asarray(corpus.vectors[number])))
        places.append(EntryPlace(made[-1].id, 0, start, start + len(text), {"lines": [number, number]}, made[-1].path))
        start += len(text) + 2
    version = Version(doc, 1, "r", doc, doc, "\n\n".join(texts), NOW, tuple(places))
    tokens = sum(one.tokens for one in made)
    return Change(Head(doc, 1, "r", doc, doc, len(made), len(made), tokens, NOW), 0, version, tuple(made))


def _entry(number: int, doc: str, text: str, vector: Any) -> Entry:
    return Entry(
        id=f"{number:024x}", doc=doc, level=0, parent="", kind="paragraph", title=doc, path=("Handbook", "Part"),
        text=text, lead=0, tail=0, tokens=text.count(" ") + 1, content_hash=f"{number:064x}", sketch=hash(text),
        updated_at=NOW, created_at=NOW, language="en", summary=text[:60], before=text[:100], after=text[:100],
        meta={"shelf": shelf_of(number)}, vector=vector,
    )  # fmt: skip


def build(store: PostgresStore, corpus: Corpus, connection: Connection) -> dict[str, float]:
    """Write all chunks and tidy: chunks a second, seconds, bytes."""
    wall = cpu = 0.0
    with store.writer() as writer:
        pid = session(connection, "writer")
        for done, changes in enumerate(groups(corpus), 1):
            clock = Clock(pid)
            writer.apply(changes)
            spent = clock.read()
            wall, cpu = wall + spent[0], cpu + spent[1]
            progress(f"{done * GROUP:,} of {corpus.size:,} chunks written")
        clock = Clock(pid)
        writer.tidy()
        tidied = clock.read()
    return {
        "chunks": corpus.size,
        "per_second": corpus.size / wall,
        "per_cpu_second": corpus.size / cpu,
        "tidy": tidied[0],
        "bytes": store.size() / corpus.size,
    }


# What is asked


@dataclass(frozen=True)
class Sight:
    """What a question is asked of: the store, and the index over it."""

    store: PostgresStore
    index: Index

    def near(self, question: Question, where: Filter | None) -> list[int]:
        with self.store.reader() as reader:
            return [int(hit.id, 16) for hit in reader.near(question.vector, K, where=where)]

    def matching(self, question: Question, where: Filter | None) -> list[int]:
        with self.store.reader() as reader:
            return [int(hit.id, 16) for hit in reader.matching(question.text, K, where=where)]

    def hybrid(self, question: Question, shelves: int) -> list[int]:
        where = f'meta.shelf = "{question.shelf}"' if shelves else ""
        return [int(hit.entry.id, 16) for hit in self.index.search(question.text, k=K, where=where).hits]


def shelves_of(question: Question, count: int) -> tuple[str, ...]:
    """So many shelves, that of the question among them."""
    return tuple(f"s{(int(question.shelf[1:]) + n) % SHELVES}" for n in range(count))


def narrowed(question: Question, count: int) -> Filter | None:
    if count == 1:
        return Test("meta.shelf", "=", question.shelf)
    return Test("meta.shelf", "in", shelves_of(question, count)) if count else None


KINDS: tuple[tuple[str, int, Callable[[Sight, Question, int], list[int]]], ...] = (
    ("dense", 0, lambda sight, question, shelves: sight.near(question, None)),
    ("dense, filter 50%", 50, lambda sight, question, shelves: sight.near(question, narrowed(question, shelves))),
    ("dense, filter 10%", 10, lambda sight, question, shelves: sight.near(question, narrowed(question, shelves))),
    ("dense, filter 1%", 1, lambda sight, question, shelves: sight.near(question, narrowed(question, shelves))),
    ("BM25", 0, lambda sight, question, shelves: sight.matching(question, None)),
    ("BM25, filter 1%", 1, lambda sight, question, shelves: sight.matching(question, narrowed(question, shelves))),
    ("hybrid", 0, Sight.hybrid),
    ("hybrid, filter 1%", 1, Sight.hybrid),
)
"""Name, shelves that the filter lets through of 100 (0: no filter), and how to ask."""
DENSE = 4
"""How many of them, from the first on, are dense alone."""
BARE_WIDTHS = (40, 80, 200, 400)


def ask(store: PostgresStore, corpus: Corpus, connection: Connection, count: int) -> Iterator[dict[str, Any]]:
    """Every kind of question; the dense ones beside the same table and index asked by hand."""
    connection.execute("SET hnsw.iterative_scan = relaxed_order")
    for seed, (name, shelves, kind) in enumerate(KINDS, 1):
        questions = list(corpus.questions(count + WARM, seed))
        sight = Sight(store, Index(store, GivenVectors(questions), Path()))
        sight.near(questions[0], None)
        judged = seed <= DENSE
        sides = {name: Side(session(connection, "reader"), partial(kind, sight))}
        if judged:
            for width in BARE_WIDTHS:
                by_this = partial(by_hand, connection)
                sides[f"bare SQL, {name}, ef_search {width}"] = Side(connection.info.backend_pid, by_this, width)
        yield from timed(sides, corpus, questions, shelves, connection, judged)


class Side(NamedTuple):
    """Who is asked."""

    pid: int
    answer: Callable[[Question, int], list[int]]
    width: int = 0
    """What `ef_search` is set to by hand; 0 to leave it."""


def by_hand(connection: Connection, question: Question, shelves: int) -> list[int]:
    where = "AND e.meta ->> 'shelf' = ANY(%s)" if shelves else ""
    named = [list(shelves_of(question, shelves))] if shelves else []
    rows = connection.execute(
        f"SELECT e.id FROM seamline.vectors v JOIN seamline.entries e USING (key) WHERE v.level = 0 {where}"
        " ORDER BY v.vector <=> %s::vector LIMIT 10",
        (*named, str(question.vector.tolist())),
    )
    return [int(row[0], 16) for row in rows]


def timed(
    sides: dict[str, Side],
    corpus: Corpus,
    questions: Sequence[Question],
    shelves: int,
    connection: Connection,
    judged: bool,
) -> Iterator[dict[str, Any]]:
    """All sides, in another order for each question: whatever else the machine does, they share, and nobody always
    comes after the one who leaves the caches full of something else. Answers are judged when all were asked."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    answers: dict[str, list[list[int]]] = {name: [] for name in sides}
    names, order = list(sides), Random(1)
    for question in questions:
        for name in order.sample(names, len(names)):
            side = sides[name]
            if side.width:
                connection.execute(f"SET hnsw.ef_search = {side.width}")
            clock = Clock(side.pid)
            answers[name].append(side.answer(question, shelves))
            times[name].append(clock.read())
    for name in names:
        progress(name)
        pairs = zip(questions, answers[name], strict=True)
        shares = [recall(corpus, asked, shelves, hits) if judged else None for asked, hits in pairs]
        yield figures(name, times[name], shares)


def recall(corpus: Corpus, question: Question, shelves: int, hits: Sequence[int]) -> float:
    """The share of the nearest that was found."""
    scores = np.asarray(corpus.vectors) @ question.vector
    if shelves:
        allowed = [int(shelf[1:]) for shelf in shelves_of(question, shelves)]
        scores[~np.isin(np.arange(corpus.size) // PER_DOCUMENT % SHELVES, allowed)] = -2
    return len({*np.argpartition(-scores, K)[:K].tolist()} & {*hits}) / K


def figures(name: str, times: Sequence[tuple[float, float]], shares: Sequence[float | None]) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": name}
    for at, what in enumerate(("wall", "cpu")):
        ms = [1000 * each[at] for each in times[WARM:]]
        found |= {f"{what}_p50": percentile(ms, 0.5), f"{what}_p99": percentile(ms, 0.99)}
    judged = [share for share in shares if share is not None]
    return {**found, "recall": fmean(judged) if judged else None}


def measure(size: int, data: Path, count: int) -> dict[str, Any]:
    """One size, on a new server."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        corpus = make(folder, size, data)
        server = stack.enter_context(own_server(MEMORY))
        settings = settings_of(IndexConfig(embedder="given", hierarchy=False), GivenVectors(()))
        store = PostgresStore.create(server.url(), settings)
        stack.callback(store.close)
        connection = stack.enter_context(server.connect())
        built = build(store, corpus, connection)
        return {**built, "rows": list(ask(store, corpus, connection, count))}


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="chunks")
    parser.add_argument("--queries", type=int, default=300)
    given = parser.parse_args()
    results = {size: measure(size, given.data, given.queries) for size in given.sizes}
    progress("")
    print(
        f"{DIMENSIONS} dimensions, {GROUP} chunks a transaction,"
        f" load {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores"
    )
    names = ("chunks", "per_second", "per_cpu_second", "tidy", "bytes")
    heads = ("chunks", "chunks/s", "chunks/CPU s", "tidy s", "bytes/chunk")
    print(table(heads, [[round(found[name]) for name in names] for found in results.values()]))
    for found in results.values():
        print(f"\n{found['chunks']:,} chunks\n")
        columns = ("wall_p50", "wall_p99", "cpu_p50", "cpu_p99", "recall")
        rows = [[row["kind"], *(row[name] for name in columns)] for row in found["rows"]]
        print(table(("query", "wall p50 ms", "p99", "CPU p50 ms", "p99", "recall@10"), rows))
    dense = [row for found in results.values() for row in found["rows"] if row["kind"].startswith("dense")]
    least = min(row["recall"] for row in dense)
    print(f"\nrecall@10 >= {LEAST_RECALL}, at each filter: {least:.3f} {verdict(least >= LEAST_RECALL)}")
    most = max(ratio for found in results.values() for ratio in ratios(found["rows"]))
    print(f"CPU <= {MOST_RATIO} x bare SQL of the same recall: {most:.2f} {verdict(most <= MOST_RATIO)}")
    save(given.json, "store_postgres", results)
    raise SystemExit(0 if least >= LEAST_RECALL and most <= MOST_RATIO else 1)


def ratios(rows: Sequence[dict[str, Any]]) -> Iterator[float]:
    """CPU of each dense kind, beside the cheapest bare SQL that finds as much."""
    for row in (row for row in rows if row["kind"].startswith("dense")):
        others = [other for other in rows if other["kind"].startswith(f"bare SQL, {row['kind']}, ef")]
        equal = [other for other in others if other["recall"] >= row["recall"] - SLACK] or others[-1:]
        cheapest = min(equal, key=lambda other: float(other["cpu_p50"]))
        print(f"{row['kind']}: {row['cpu_p50'] / cheapest['cpu_p50']:.2f} x {cheapest['kind']}")
        yield row["cpu_p50"] / cheapest["cpu_p50"]


if __name__ == "__main__":
    main()
