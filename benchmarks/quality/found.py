"""Who finds the answer first: Seamline's search beside plain engines over the same chunks, set by set.

Recall@5, nDCG@10 and MRR of the default, of the default without each of its changes, of the model before it, of each
leg alone and of peers: plain BM25 (every word of what is searched counts once), SQLite FTS5 (porter, headings of twice
the weight), LanceDB hybrid search as it comes with vectors of MiniLM, and MiniLM alone. The default is set beside each
with the 95% interval of a paired bootstrap, and with nDCG@10 on either half: of `asked` its own, of `chroma`, which has
three documents, by question, and of the others by document.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from benchmarks.common import DATA, progress, save, table, verdict
from benchmarks.quality.indexed import Indexed, Remembering, build
from benchmarks.quality.questions import Question, QuestionSet, Ref, covered, gains, load, load_asked, ndcg
from seamline import records
from seamline.protocols import Reranker
from seamline.records import Entry
from seamline.search import fuse, query
from seamline.search.options import SearchOptions
from seamline.search.rerank import load_reranker
from seamline.text.words import query_words, words

SETS = ("structmd", "chroma", "codebase", "fetaqa_long", "xquad_en", "asked")
PLAIN = SearchOptions(k=10, min_score=0.0, gate=None)
DEFAULT = "default (seam)"
PLAIN_BM25 = "BM25 over the same chunks"
DEPTH = 10
BAR_BM25, BAR_FTS5 = 4.0, 5.0

Ranking = Callable[[Question], list[list[Ref]]]
"""What each hit shows, best first."""


class Scored(NamedTuple):
    """Per question of one set."""

    recall: np.ndarray
    ndcg: np.ndarray
    reciprocal: np.ndarray


def ours(indexed: Indexed, options: SearchOptions, reranker: Reranker | None = None) -> Ranking:
    def rank(question: Question) -> list[list[Ref]]:
        indexed.ask(question)
        hits = indexed.index.search(question.text, options=options, reranker=reranker).hits
        return [[indexed.chunks[id] for id in hit.ids] for hit in hits]

    return rank


def entries_of(indexed: Indexed) -> list[Entry]:
    with indexed.store.reader() as reader:
        return [entry for entry in reader.select(vectors=True) if entry.level == 0]


def seen(indexed: Indexed, question: Question, ids: Sequence[str]) -> list[list[Ref]]:
    """The first hits that do not hold the question itself."""
    indexed.ask(question)
    return [[indexed.chunks[id]] for id in ids if id not in indexed.store.hidden][:DEPTH]


def fts5(indexed: Indexed, entries: Sequence[Entry]) -> Ranking:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE chunks USING fts5(headings, body, tokenize='porter unicode61')")
    rows = [(n, f"{entry.title} {' '.join(entry.path)}", entry.text) for n, entry in enumerate(entries)]
    db.executemany("INSERT INTO chunks (rowid, headings, body) VALUES (?, ?, ?)", rows)

    def rank(question: Question) -> list[list[Ref]]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question.text))
        sql = "SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY bm25(chunks, 2.0, 1.0) LIMIT 50"
        return seen(indexed, question, [entries[row[0]].id for row in db.execute(sql, (words,))] if words else [])

    return rank


def plain_bm25(indexed: Indexed, entries: Sequence[Entry]) -> Ranking:
    """BM25 as everybody has it, over what is searched: k1 is 1.2, b is 0.75, and no field weighs more than another."""
    bags = [Counter(words(entry.searched)) for entry in entries]
    lengths = np.array([bag.total() for bag in bags], float)
    worded = int((lengths > 0).sum())
    norms = 1.2 * (0.25 + 0.75 * lengths / (lengths.sum() / worded))
    postings: dict[str, list[tuple[int, int]]] = {}
    for place, bag in enumerate(bags):
        for word, times in bag.items():
            postings.setdefault(word, []).append((place, times))

    def rank(question: Question) -> list[list[Ref]]:
        scores = np.zeros(len(entries))
        for word in query_words(question.text):
            places, times = np.array(postings.get(word, []), int).reshape(-1, 2).T
            rare = np.log(1 + (worded - len(places) + 0.5) / (len(places) + 0.5))
            scores[places] += rare * times * 2.2 / (times + norms[places])
        best = [place for place in np.argsort(-scores, kind="stable")[:50] if scores[place] > 0]
        return seen(indexed, question, [entries[place].id for place in best])

    return rank


def lance(indexed: Indexed, entries: Sequence[Entry], embedder: Remembering, folder: str) -> Ranking:
    """LanceDB's hybrid search with its own defaults: English full text, all vectors, reciprocal ranks."""
    import lancedb
    import pyarrow as pa

    vectors = np.stack([entry.vector for entry in entries if entry.vector is not None])
    kept = [entry for entry in entries if entry.vector is not None]
    columns = {
        "id": [entry.id for entry in kept],
        "text": [entry.searched for entry in kept],
        "vector": pa.FixedSizeListArray.from_arrays(vectors.astype(np.float32).ravel(), vectors.shape[1]),
    }
    made = lancedb.connect(folder).create_table(indexed.set.name, pa.table(columns), mode="overwrite")
    made.create_fts_index("text", replace=True)

    def rank(question: Question) -> list[list[Ref]]:
        plain = re.sub(r"[^\w\s]", " ", question.text)
        vector = embedder.embed([question.text])[0]
        found = made.search(query_type="hybrid").vector(vector).text(plain).limit(50).to_list()
        return seen(indexed, question, [row["id"] for row in found])

    return rank


def measure(indexed: Indexed, rank: Ranking) -> Scored:
    rows = []
    for question in indexed.set.questions:
        ranked = rank(question)[:DEPTH]
        first = next((n for n, refs in enumerate(ranked, 1) if covered(question.refs, refs) > 0), 0)
        recall = covered(question.refs, [ref for refs in ranked[:5] for ref in refs])
        rows.append((recall, ndcg(gains(question, ranked), indexed.ideal(question), DEPTH), 1 / first if first else 0))
    return Scored(*np.array(rows).T)


def ahead(one: Sequence[Scored], other: Sequence[Scored], rounds: int = 2000) -> tuple[float, float, float]:
    """How far nDCG@10 is ahead in the mean of the sets, with its interval; questions are drawn within each set."""
    rng = np.random.default_rng(7)
    differences = [100 * (a.ndcg - b.ndcg) for a, b in zip(one, other, strict=True)]
    means = np.mean([rng.choice(d, (rounds, len(d))).mean(axis=1) for d in differences], axis=0)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(np.mean([d.mean() for d in differences])), float(low), float(high)


def ways(
    data: QuestionSet, models: Mapping[str, Remembering], folder: str, limit: int, *, brief: bool, everything: bool
) -> Any:
    """Name and scores of each way, one at a time: an index of a large set takes memory."""
    small = build(data, limit, models["seam"], hierarchy=False)
    entries = entries_of(small)
    yield DEFAULT, measure(small, ours(small, PLAIN))
    yield PLAIN_BM25, measure(small, plain_bm25(small, entries))
    yield "our BM25 alone", measure(small, ours(small, SearchOptions(k=10, legs="bm25", min_score=0.0)))
    yield "seam alone", measure(small, ours(small, SearchOptions(k=10, legs="dense", min_score=0.0)))
    yield "FTS5", measure(small, fts5(small, entries))
    fresh = [replace(PLAIN, rrf_k=PLAIN.rrf_k + n) for n in (1, 2, 3)]  # not used, but results are cached by options
    with mock.patch.object(query, "NAMED", 0.0):
        yield "headings not named", measure(small, ours(small, fresh[0]))
        with mock.patch.object(fuse, "DOUBT", 1.0):
            yield "before: neither", measure(small, ours(small, fresh[1]))
    with mock.patch.object(fuse, "DOUBT", 1.0):
        yield "words doubted less", measure(small, ours(small, fresh[2]))
    if everything:
        with mock.patch.object(records, "HEADING_WEIGHT", 0):
            flat = build(data, limit, models["seam"], hierarchy=False)
        yield "headings counted once", measure(flat, ours(flat, PLAIN))
        yield "default + reranker", measure(small, ours(small, PLAIN, load_reranker("seam")))
    if brief:
        return
    other = build(data, limit, models["minilm"], hierarchy=False)
    yield "before (minilm)", measure(other, ours(other, PLAIN))
    yield "MiniLM alone", measure(other, ours(other, SearchOptions(k=10, legs="dense", min_score=0.0)))
    yield "LanceDB hybrid, MiniLM", measure(other, lance(other, entries_of(other), models["minilm"], folder))
    better = build(data, limit, models["quality"], hierarchy=False)
    yield "quality", measure(better, ours(better, PLAIN))
    yield "quality alone", measure(better, ours(better, SearchOptions(k=10, legs="dense", min_score=0.0)))


PEERS = ("FTS5", "LanceDB hybrid, MiniLM", "MiniLM alone")
"""What the default has to be ahead of on every set."""


def halves_of(data: QuestionSet, judged: QuestionSet | None) -> np.ndarray:
    """1 for each question of the half to judge by, 0 for one of the half to choose by."""
    if judged is not None:
        return np.array([int(question in judged.questions) for question in data.questions])
    keys = [question.text if data.name == "chroma" else question.refs[0].doc for question in data.questions]
    return np.array([zlib.crc32(key.encode()) % 2 for key in keys])


def halved(per_set: Sequence[Scored], halves: Sequence[np.ndarray]) -> list[tuple[Scored, np.ndarray]]:
    """The sets that have questions in both halves, with the half of each question."""
    return [(one, half) for one, half in zip(per_set, halves, strict=True) if 0 < half.sum() < len(half)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA.parent / "chunkbench" / "data")
    parser.add_argument("--corpora", type=Path, default=DATA, help="folder of markdown.jsonl, which `asked` is about")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--limit", type=int, default=512)
    parser.add_argument("--questions", type=int, default=250, help="of each set, at most, evenly spread (250)")
    parser.add_argument("--brief", action="store_true", help="leave out what needs other models")
    parser.add_argument("--everything", action="store_true", help="also what takes half an hour: the reranker")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args()
    models = {name: Remembering(2, name) for name in ("seam", *(() if args.brief else ("quality", "minilm")))}
    found: dict[str, list[Scored]] = {}
    halves: list[np.ndarray] = []
    for name in args.sets:
        is_own = name == "asked"
        data = load_asked(data=args.corpora) if is_own else load(args.data / name, args.questions)
        halves.append(halves_of(data, load_asked("judge", args.corpora) if is_own else None))
        with tempfile.TemporaryDirectory() as folder:
            for way, scored in ways(data, models, folder, args.limit, brief=args.brief, everything=args.everything):
                progress(f"{name}: {way}")
                found.setdefault(way, []).append(scored)
    progress("")
    rows = []
    for way, per_set in found.items():
        means = [100 * np.array([part.mean() for part in one]) for one in per_set]
        cells = [" / ".join(f"{value:.1f}" for value in one) for one in (*means, np.mean(means, axis=0))]
        mean, low, high = ahead(found[DEFAULT], per_set)
        parts = [np.mean([100 * one.ndcg[half == n].mean() for one, half in halved(per_set, halves)]) for n in (0, 1)]
        cells.append(" / ".join(f"{value:.1f}" for value in parts))
        rows.append([way, *cells, "" if way == DEFAULT else f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"])
    print(f"recall@5 / nDCG@10 / MRR, limit {args.limit}; the last column: nDCG@10 of the default ahead of this, 95%\n")
    print(table(["", *args.sets, "mean", "halves", "default ahead by"], rows))
    bm25, low, _ = ahead(found[DEFAULT], found[PLAIN_BM25])
    fine = bm25 >= BAR_BM25 and low > 0
    print(f"\n{verdict(fine)}: at least {BAR_BM25} ahead of BM25 over the same chunks in the mean, significantly")
    if "asked" in args.sets:
        at = list(args.sets).index("asked")
        gap = 100 * float(found[DEFAULT][at].ndcg.mean() - found["FTS5"][at].ndcg.mean())
        fine &= gap >= BAR_FTS5
        print(f"{verdict(gap >= BAR_FTS5)}: at least {BAR_FTS5} ahead of FTS5 on asked ({gap:+.1f})")
    for peer in filter(found.__contains__, PEERS):
        pairs = zip(args.sets, found[DEFAULT], found[peer], strict=True)
        behind = [name for name, mine, theirs in pairs if mine.ndcg.mean() <= theirs.ndcg.mean()]
        fine &= not behind
        print(f"{verdict(not behind)}: ahead of {peer} on every set{': not on ' + ', '.join(behind) if behind else ''}")
    save(args.json, "quality.found", {w: [[float(p.mean()) for p in one] for one in s] for w, s in found.items()})
    raise SystemExit(0 if fine else 1)


if __name__ == "__main__":
    main()
