"""Which engines for words and vectors that are derived from a database and may be lost?

    python -m benchmarks.engines.run --sizes 10000 100000 --folder FOLDER --json figures.json

Every measurement runs in a process of its own on one thread and is kept in the folder, so a run goes on where it was
stopped. Times are CPU times. A million chunks take an hour and 15 GB of disk.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import child, options, progress, save, table
from benchmarks.engines import reference, vectors, words
from benchmarks.engines.corpus import Corpus, K, make
from benchmarks.engines.measure import COUNT, WARM
from benchmarks.engines.postings import Postings

LIMIT = 3000
EDITED = 100_000
"""The size at which an edit is measured."""
TWICE = 10_000
"""The size at which an index is built a second time, to compare."""
SLOW = {("words", "zvec")}
"""Not built above 10,000 chunks: these take 20 CPU s, and memory grows by 50 kB for a chunk."""


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="chunks")
    parser.add_argument("--folder", type=Path, required=True, help="where indexes and figures are kept")
    parser.add_argument("--only", nargs="+", help="names of engines")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    for size in given.sizes:
        corpus = make(given.folder / f"corpus-{size}", size, given.data)
        for kind, engines in (("words", words.ENGINES), ("vectors", vectors.ENGINES)):
            for name in engines:
                if ((kind, name) in SLOW and size > TWICE) or (given.only and name not in given.only):
                    continue
                figures[f"{kind} {name} {size}"] = _engine(kind, name, corpus, given.folder)
    progress("")
    print(_tables(figures))
    save(given.json, "engines", figures)
    return 0


def _engine(kind: str, name: str, corpus: Corpus, folder: Path) -> dict[str, Any]:
    home = f"{kind}-{name}".replace(" exact", "").replace(" 3000", "").replace(" ", "-")
    place = folder / f"{home}-{corpus.size}"
    corpus_path = str(folder / f"corpus-{corpus.size}")

    def measured(task: str, where: Path = place) -> dict[str, Any]:
        shared = task == "build"  # an exact scan reads the file that the graph is in
        own = folder / (f"{task}-{where.name}.json" if shared else f"{task}-{name}-{where.name}.json".replace(" ", "-"))
        return _kept(own, "benchmarks.engines.measure", task, kind, name, corpus_path, str(where))

    progress(f"{kind} {name} {corpus.size}")
    figures = {**measured("build")}
    if "error" in figures:
        return figures
    figures |= {**measured("ask"), "build_mb": figures["memory_mb"]}
    figures["cold"] = _cold(kind, name, corpus, place, folder)
    figures["recall"] = _recall(kind, corpus, folder, place, name)
    if (kind, name) == ("words", "tantivy"):
        figures["filters"] = measured("filters")
    if corpus.size == EDITED:
        figures["edit"] = _on_copy(place, lambda copy: measured("edit", copy))
    if corpus.size == TWICE:
        figures["same"] = _same(measured, place)
    return figures


def _kept(path: Path, module: str, *arguments: str) -> dict[str, Any]:
    if not path.exists():
        figures = child(module, *arguments, timeout=LIMIT)
        print(path.stem, json.dumps(figures)[:300], file=sys.stderr, flush=True)
        if "error" in figures:
            return figures
        path.write_text(json.dumps(figures))
    return json.loads(path.read_text())  # type: ignore[no-any-return]


def _cold(kind: str, name: str, corpus: Corpus, place: Path, folder: Path) -> dict[str, Any]:
    kept = folder / f"cold-{kind}-{name}-{corpus.size}.json".replace(" ", "-")
    if not kept.exists():
        asked = corpus.questions(1)[0]
        question = folder / f"question-{corpus.size}.json"
        question.write_text(json.dumps({"words": asked.words, "vector": asked.vector.tolist()}))
        runs = [
            child("benchmarks.engines.cold", kind, name, str(place), str(question), timeout=LIMIT) for _ in range(5)
        ]
        kept.write_text(json.dumps({key: statistics.median(run[key] for run in runs) for key in runs[0]}))
    return json.loads(kept.read_text())  # type: ignore[no-any-return]


def _recall(kind: str, corpus: Corpus, folder: Path, place: Path, name: str) -> dict[str, float]:
    kept = folder / f"recall-{kind}-{name}-{corpus.size}.json".replace(" ", "-")
    if not kept.exists():
        found = json.loads((place.parent / f"{place.name}.found.json").read_text())
        judge = _words_recall if kind == "words" else _vector_recall
        kept.write_text(json.dumps(judge(corpus, folder, found)))
    return json.loads(kept.read_text())  # type: ignore[no-any-return]


def _words_recall(corpus: Corpus, folder: Path, found: dict[str, list[list[int]]]) -> dict[str, float]:
    exact, bars, shelved = _judge(corpus, folder)
    pairs = {
        "raw": ("k10", bars), "rescored": ("k100", bars),
        "filtered": ("filtered", shelved), "filtered_rescored": ("filtered100", shelved),
    }  # fmt: skip
    figures = {}
    for name, (key, best) in pairs.items():
        if key in found:
            answers = enumerate(zip(found[key], best, strict=True))
            figures[name] = float(np.mean([exact.recall(n, rows, bar) for n, (rows, bar) in answers]))
    return figures


@cache
def _judge(corpus: Corpus, folder: Path) -> tuple[reference.Words, list[Any], list[Any]]:
    exact = reference.Words(corpus, corpus.questions(COUNT)[WARM:])
    postings = Postings(folder / f"words-numpy-{corpus.size}")
    return exact, exact.bars(postings, shelved=False), exact.bars(postings, shelved=True)


def _vector_recall(corpus: Corpus, folder: Path, found: dict[str, list[list[int]]]) -> dict[str, float]:
    exact = np.load(reference.prepare(corpus, folder, COUNT))
    questions = corpus.questions(COUNT)[WARM:]
    figures = {}
    for name, key, answers in (
        ("raw", "k10", "all"), ("rescored", "k100", "all"),
        ("filtered", "filtered", "shelved"), ("filtered_rescored", "filtered100", "shelved"),
    ):  # fmt: skip
        if key in found:
            shares = [
                len({*_rescored(corpus, q.vector, rows)} & {*best.tolist()}) / K
                for q, rows, best in zip(questions, found[key], exact[answers][WARM:], strict=True)
            ]
            figures[name] = float(np.mean(shares))
    return figures


def _rescored(corpus: Corpus, vector: Any, rows: list[int]) -> list[int]:
    scores = corpus.vectors[rows] @ vector
    return [rows[n] for n in np.argsort(-scores, kind="stable")[:K]]


def _on_copy(place: Path, act: Any) -> Any:
    copy = place.with_name(place.name + "-copy")
    if not copy.exists():
        shutil.copytree(place, copy)
    figures = act(copy)
    shutil.rmtree(copy)
    return figures


def _same(measured: Any, place: Path) -> bool | None:
    """Whether a second build finds the same, scores included."""
    second = place.with_name(place.name + "-second")
    built = [measured("build", second), measured("show", place), measured("show", second)]
    if any("error" in figures for figures in built):
        return None
    return bool(built[1]["shown"] == built[2]["shown"])


def size_of(packages: tuple[str, ...]) -> float:
    """Megabytes that packages take when they are installed, without those that Python itself needs."""
    site = Path(str(find_spec("numpy").origin)).parents[1]  # type: ignore[union-attr]
    return (
        sum(sum(file.stat().st_size for file in (site / name).rglob("*") if file.is_file()) for name in packages) / 1e6
    )


def _tables(figures: dict[str, Any]) -> str:
    return "\n\n".join(_table(figures, kind) for kind in ("words", "vectors"))


def _table(figures: dict[str, Any], kind: str) -> str:
    rows = []
    for name, one in figures.items():
        if not name.startswith(kind):
            continue
        if "error" in one:
            rows.append((name.removeprefix(kind).strip(), one["error"][:40], *(None,) * 13))
            continue
        rows.append(
            (
                name.removeprefix(kind).strip(),
                round(one["build"], 1), round(one["disk_mb"], 1), round(one["asking_mb"]),
                *(round(one["cold"][key], 3) for key in ("import", "all")),
                *(_ms(one, key, share) for key in ("k10", "k100", "filtered") for share in ("p50", "p99")),
                *(_round(one["recall"].get(key)) for key in ("raw", "rescored", "filtered", "filtered_rescored")),
            )
        )  # fmt: skip
    headers = (
        kind, "build s", "disk MB", "RSS MB", "import s", "cold s",
        "k10 p50", "p99", "k100 p50", "p99", "1% p50", "p99", "recall@10", "of 100", "1% recall", "of 100",
    )  # fmt: skip
    return table(headers, rows)


def _ms(one: dict[str, Any], key: str, share: str) -> float | None:
    return round(one[key][share], 2) if key in one else None


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


if __name__ == "__main__":
    sys.exit(main())
