"""Is a passage found first that says exactly what is asked: identifiers, options, codes, phrases.

200 queries are drawn from the Markdown corpus by rule, each of a string that stands in few of its chunks. A query counts
where the first hit holds the string as it is, case aside. Beside it stands SQLite's FTS5 over the same chunks, with
porter stemming and headings of twice the weight.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import DATA, markdown, progress, save, table, verdict
from benchmarks.quality.indexed import Indexed, Remembering, build
from benchmarks.quality.questions import QuestionSet
from seamline.records import Entry
from seamline.search.options import SearchOptions

BAR = 97.0
_NAME = re.compile(r"`([A-Za-z_$][\w$.-]*[A-Z_.-][\w$-]*|--[a-z][\w-]+|[a-z]+[A-Z]\w+)`")
_CODE = re.compile(
    r"\b((?:exit|error|status|HTTP|code|version|port|signal) (?:code |status )?[0-9][\w.]*)\b", re.IGNORECASE
)
_PHRASE = re.compile(r"(?<![\w`*_/<{\[-])[a-z]+(?: [a-z]+){3,4}(?![\w`*_/>}\]-])")


class Wanted(NamedTuple):
    """How many queries of a kind, and in how many chunks their string may stand."""

    queries: int
    chunks: int


KINDS: Mapping[str, Wanted] = {
    "identifier": Wanted(70, 20),
    "option": Wanted(30, 20),
    "code": Wanted(40, 20),
    "phrase": Wanted(60, 3),
}


def strings(entry: Entry, rng: random.Random) -> Iterator[tuple[str, str]]:
    """What of a chunk may be asked for, with its kind."""
    for name in _NAME.findall(entry.text):
        if 4 <= len(name) <= 40:
            yield "option" if name.startswith("--") else "identifier", name
    yield from (("code", code) for code in _CODE.findall(entry.text))
    if phrases := _PHRASE.findall(entry.body):
        yield "phrase", rng.choice(phrases)


def draw(entries: Sequence[Entry], seed: int) -> list[tuple[str, str]]:
    """The queries, each with its kind."""
    rng = random.Random(seed)
    pools: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for entry in entries:
        for kind, string in strings(entry, rng):
            pools[kind].add(string)
    texts = [entry.searched.lower() for entry in entries]
    found: list[tuple[str, str]] = []
    for kind, wanted in KINDS.items():
        pool = sorted(pools[kind])
        rng.shuffle(pool)
        rare = (string for string in pool if sum(string.lower() in text for text in texts) <= wanted.chunks)
        found += [(kind, string) for string, _ in zip(rare, range(wanted.queries), strict=False)]
    return found


def fts5(entries: Sequence[Entry]) -> Callable[[str], str]:
    """A search by FTS5: the text of the first hit."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE chunks USING fts5(headings, body, tokenize='porter unicode61')")
    rows = [(n, f"{entry.title} {' '.join(entry.path)}", entry.text) for n, entry in enumerate(entries)]
    db.executemany("INSERT INTO chunks (rowid, headings, body) VALUES (?, ?, ?)", rows)

    def first(query: str) -> str:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        sql = "SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY bm25(chunks, 2.0, 1.0) LIMIT 1"
        row = db.execute(sql, (words,)).fetchone()
        return entries[row[0]].searched if row else ""

    return first


def ours(indexed: Indexed, options: SearchOptions) -> Callable[[str], str]:
    """A search by Seamline: the searched text of the first hit."""

    def first(query: str) -> str:
        hits = indexed.index.search(query, options=options).hits
        return hits[0].entry.searched if hits else ""

    return first


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--limits", nargs="+", type=int, default=[512])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args()
    documents = QuestionSet("structmd", {doc.path: doc.text for doc in markdown(args.data)}, [])  # read as Markdown
    figures: dict[str, dict[str, dict[str, float]]] = {}
    fine = True
    for limit in args.limits:
        indexed = build(documents, limit, Remembering(1))
        with indexed.store.reader() as reader:
            entries = [entry for entry in reader.select() if entry.level == 0]
        queries = draw(entries, args.seed)
        ways = {
            "hybrid": ours(indexed, SearchOptions(k=3)),
            "BM25 alone": ours(indexed, SearchOptions(k=3, legs="bm25")),
            "FTS5": fts5(entries),
        }
        rows = {}
        for name, first in ways.items():
            progress(f"{name}, {len(queries)} queries")
            right = [(kind, query.lower() in first(query).lower()) for kind, query in queries]
            rows[name] = {kind: _share([ok for one, ok in right if one == kind]) for kind in KINDS}
            rows[name]["all"] = _share([ok for _, ok in right])
        progress("")
        print(f"\nlimit {limit}, {len(entries):,} chunks, {len(queries)} queries: % whose first hit holds the string\n")
        print(table(["", *KINDS, "all"], [[name, *(f"{v:.1f}" for v in row.values())] for name, row in rows.items()]))
        fine &= rows["hybrid"]["all"] >= BAR
        figures[str(limit)] = rows
    print(f"\n{verdict(fine)}: first in at least {BAR:.0f}% of the queries")
    save(args.json, "quality.exact", figures)
    raise SystemExit(0 if fine else 1)


def _share(right: Sequence[bool]) -> float:
    return 100 * sum(right) / max(1, len(right))


if __name__ == "__main__":
    main()
