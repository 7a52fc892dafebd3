"""One measurement of one engine in one fresh process, on one thread; prints a line of JSON. Times are CPU times."""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import peak_mb, percentile
from benchmarks.engines import vectors as vector_engines
from benchmarks.engines import words as word_engines
from benchmarks.engines.corpus import PER_DOCUMENT, Corpus, K, Question

WARM = 20
COUNT = 220
"""Questions, of which the first 20 warm up."""


def main(task: str, kind: str, name: str, corpus: str, folder: str) -> None:
    engines = engines_of(kind)
    act = {"build": _build, "ask": _ask, "edit": _edit, "filters": _filters, "show": _show}[task]
    figures = act(kind, engines[name](Path(folder)), Corpus(Path(corpus)), Path(folder))
    print(json.dumps({**figures, "memory_mb": peak_mb(), "disk_mb": disk(Path(folder)) / 2**20}))


def engines_of(kind: str) -> dict[str, Any]:
    """Engines by name, ours among them."""
    from benchmarks.engines import own

    if kind == "words":
        return {**word_engines.ENGINES, "seamline": own.OwnWords}
    return {**vector_engines.ENGINES, "seamline": own.OwnVectors}


def disk(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _build(kind: str, engine: Any, corpus: Corpus, folder: Path) -> dict[str, Any]:
    made = [0.0]

    def texts(first: int, last: int) -> list[str]:
        before = time.thread_time()
        some = corpus.texts(first, last)
        made[0] += time.thread_time() - before
        return some

    texts(0, 1)
    before, wall = time.process_time() - made[0], time.perf_counter()
    if kind == "words":
        engine.build(corpus.size, texts)
    else:
        engine.build(corpus.vectors)
    return {"build": time.process_time() - before - made[0], "build_wall": time.perf_counter() - wall}


def _ask(kind: str, engine: Any, corpus: Corpus, folder: Path) -> dict[str, Any]:
    questions = corpus.questions(COUNT)
    rows = {q.shelf: corpus.shelf_rows(q.shelf) for q in questions}
    engine.open()
    asked: Callable[[Question, int], Any]
    if kind == "words":
        asked, narrowed = (lambda q, k: engine.ask(q.words, k)[0]), _narrowed(engine, "filtered", rows, "words")
    else:
        asked, narrowed = (lambda q, k: engine.ask(q.vector, k)), _narrowed(engine, "filtered", rows, "vector")
    figures: dict[str, Any] = {}
    found = {}
    figures["k10"], found["k10"] = _timed(lambda q: asked(q, K), questions)
    figures["k100"], found["k100"] = _timed(lambda q: asked(q, 100), questions)
    if hasattr(engine, "filtered"):
        figures["filtered"], found["filtered"] = _timed(lambda q: narrowed(q, K), questions)
        figures["filtered100"], found["filtered100"] = _timed(lambda q: narrowed(q, 100), questions)
    figures["asking_mb"] = peak_mb()
    (folder.parent / f"{folder.name}.found.json").write_text(json.dumps(found))
    return figures


def _narrowed(engine: Any, way: str, rows: dict[int, Any], form: str) -> Callable[[Question, int], Any]:
    return lambda q, k: getattr(engine, way)(getattr(q, form), q.shelf, rows[q.shelf], k)


def _timed(ask: Callable[[Question], Any], questions: list[Question]) -> tuple[dict[str, float], list[list[int]]]:
    for question in questions[:WARM]:
        ask(question)
    gc.collect()
    gc.freeze()
    times, found = [], []
    for question in questions[WARM:]:
        before = time.process_time()
        rows = ask(question)
        times.append(1000 * (time.process_time() - before))
        found.append([int(row) for row in rows])
    return {"p50": percentile(times, 0.5), "p99": percentile(times, 0.99)}, found


def _filters(kind: str, engine: Any, corpus: Corpus, folder: Path) -> dict[str, Any]:
    """Ways to keep tantivy to a set of rows."""
    questions = corpus.questions(COUNT)
    rows = {q.shelf: corpus.shelf_rows(q.shelf) for q in questions}
    engine.open()
    figures, found = {}, {}
    for way in ("filtered", "by_rows", "by_overfetch"):
        ask = _narrowed(engine, way, rows, "words")
        figures[way], found[way] = _timed(lambda q, ask=ask: ask(q, K), questions)
    figures["same"] = {way: found[way] == found["filtered"] for way in found}
    return figures


def _edit(kind: str, engine: Any, corpus: Corpus, folder: Path) -> dict[str, Any]:
    """Replace the chunks of one document after another; each opens, writes and commits."""
    times = []
    for document in (5, 17, 101, 333, 512):
        rows = list(range(document * PER_DOCUMENT, (document + 1) * PER_DOCUMENT))
        other = rows[0] + 100 * PER_DOCUMENT
        old, new = corpus.texts(rows[0], rows[-1] + 1), corpus.texts(other, other + PER_DOCUMENT)
        vectors = np.ascontiguousarray(corpus.vectors[other : other + PER_DOCUMENT])
        before = time.process_time()
        if kind == "words":
            engine.edit(rows, old, new)
        else:
            engine.edit(rows, vectors)
        times.append(time.process_time() - before)
    return {"edit_first": times[0], "edit": percentile(times, 0.5)}


def _show(kind: str, engine: Any, corpus: Corpus, folder: Path) -> dict[str, Any]:
    """What fifty questions find, with scores where the engine gives them: to compare two builds."""
    engine.open()
    if kind == "words":
        return {"shown": [engine.ask(q.words, K) for q in corpus.questions(50)]}
    return {"shown": [engine.ask(q.vector, K).tolist() for q in corpus.questions(50)]}


if __name__ == "__main__":
    main(*sys.argv[1:])
