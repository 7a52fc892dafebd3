"""One measurement in one fresh process, on one core: fill a store, or ask one; prints a line of JSON."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import peak_mb, percentile
from benchmarks.store.corpus import Corpus, K, Question

KINDS = ("dense", "bm25", "filtered", "hybrid", "hybrid_filtered", "search")
"""What is asked; the bare engine has no `search`, which adds citations."""
_WARM = 20
"""Questions that are asked before the clock runs."""


def main(task: str, side: str, corpus: str, folder: str, count: str = "300") -> None:
    os.environ["LANCEDB_LOG"] = "error"  # warnings that are printed for every query would be measured too
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    before = peak_mb()
    module = _side(side)
    place = f"lance:{folder}" if side == "lance" else folder
    match task:
        case "build":
            figures = module.build(Corpus(Path(corpus)), place)
        case "edit":
            figures = module.edit(Corpus(Path(corpus)), place)
        case _:
            figures = _asked(module, Corpus(Path(corpus)), place, int(count))
    figures |= {"memory_mb": peak_mb() - before, "disk_mb": _size(Path(folder)) / 2**20}
    print(json.dumps(figures))


def _side(name: str) -> Any:
    if name == "bare":
        from benchmarks.store import bare

        return bare
    from benchmarks.store import ours

    return ours


def _asked(module: Any, corpus: Corpus, place: str, count: int) -> dict[str, Any]:
    questions = list(corpus.questions(count + _WARM))
    started = time.process_time()
    asker = module.Asker(place, questions)
    asker.dense(questions[0], K)
    asker.bm25(questions[0], K)
    figures: dict[str, Any] = {"open_cpu": time.process_time() - started}
    found = {}
    for kind in [kind for kind in KINDS if hasattr(asker, kind)]:
        figures[kind], found[kind] = _timed(getattr(asker, kind), questions)
    asker.close()
    memory = peak_mb()
    asked = questions[_WARM:]
    figures["dense"]["recall"] = _recall(found["dense"], corpus.nearest(asked, shelved=False))
    figures["filtered"]["recall"] = _recall(found["filtered"], corpus.nearest(asked, shelved=True))
    return {**figures, "asking_mb": memory}


def _timed(ask: Callable[[Question, int], list[int]], questions: list[Question]) -> tuple[dict[str, float], Any]:
    for question in questions[:_WARM]:
        ask(question, K)
    gc.collect()
    gc.freeze()  # or else a look at all objects of the process, 100 ms, falls into some question
    cpu, wall, found = [], [], []
    for question in questions[_WARM:]:
        before = time.process_time(), time.perf_counter()
        found.append(ask(question, K))
        cpu.append(1000 * (time.process_time() - before[0]))
        wall.append(1000 * (time.perf_counter() - before[1]))
    shares = {"p50": 0.5, "p99": 0.99}
    figures = {f"cpu_{name}": percentile(cpu, share) for name, share in shares.items()}
    return figures | {f"wall_{name}": percentile(wall, share) for name, share in shares.items()}, found


def _recall(found: list[list[int]], exact: list[list[int]]) -> float:
    hits = sum(len({*got} & {*want}) for got, want in zip(found, exact, strict=True))
    return hits / sum(map(len, exact))


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main(*sys.argv[1:])
