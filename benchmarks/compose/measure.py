"""One step of one side in a process of its own: `python -m benchmarks.compose.measure STEP SIDE ...`, JSON out."""

from __future__ import annotations

import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.common import peak_mb, percentile
from benchmarks.compose.corpus import Corpus, shelf
from benchmarks.compose.side import Cited, K, Kind, Side
from benchmarks.compose.vectors import Vectors

WARM_UP = 10
JUDGED = 100
"""Questions whose hits are compared with the exact ones."""
ELSEWHERE = 300
"""Citations of files that were not edited which are looked up, at most."""


class Home(NamedTuple):
    """Where a side is, and the packages it needs beside seamline's."""

    module: str
    name: str
    packages: tuple[str, ...] = ()


_LANGCHAIN = ("langchain-classic", "langchain-community", "langchain-text-splitters", "rank-bm25")
SIDES = {
    "seamline": Home("seamline_side", "Seamline"),
    "chroma": Home("langchain_side", "OnChroma", ("chromadb", "langchain-chroma", *_LANGCHAIN)),
    "chroma indexed": Home("langchain_side", "OnChromaIndexed", ("chromadb", "langchain-chroma", *_LANGCHAIN)),
    "faiss": Home("langchain_side", "OnFaiss", ("faiss-cpu", *_LANGCHAIN)),
    "faiss indexed": Home("langchain_side", "OnFaissIndexed", ("faiss-cpu", *_LANGCHAIN)),
    "lancedb": Home("lance_side", "OnLance", ("lancedb", "langchain-text-splitters")),
}


class Work(NamedTuple):
    """What a step is done on."""

    side: Side
    vectors: Vectors
    corpus: Corpus
    place: Path
    """Everything the side keeps."""
    docs: Path

    @property
    def noted(self) -> Path:
        """The citations that were written down after the first run."""
        return self.place.with_suffix(".citations.json")


class Clock:
    """CPU seconds of all threads and wall seconds since it was made, less those that looked up vectors."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        self._spent = vectors.wall, vectors.cpu

    def read(self) -> dict[str, float]:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return {
            "wall": wall - (self._vectors.wall - self._spent[0]),
            "cpu": cpu - (self._vectors.cpu - self._spent[1]),
        }


def ingest(work: Work) -> dict[str, Any]:
    """Bring an index up to date with the folder."""
    clock = Clock(work.vectors)
    written = work.side.ingest(work.docs)
    took = clock.read()
    embedded, peak = work.vectors.texts, peak_mb()
    return {**took, **written._asdict(), "embedded": embedded, "peak_mb": peak, "disk": disk(work.place)}


def first(work: Work) -> dict[str, Any]:
    """The same, and write down what could be cited."""
    found = ingest(work)
    work.side.open()
    work.noted.write_text(json.dumps(list(work.side.citations())), encoding="utf-8")
    return found


def edited(work: Work, files: set[str]) -> dict[str, Any]:
    """The same after an edit of some files, and look up what was written down before."""
    found = ingest(work)
    work.side.open()
    cited = [Cited(*row) for row in json.loads(work.noted.read_text(encoding="utf-8"))]
    touched = [one for one in cited if one.source in files]
    others = [one for one in cited if one.source not in files]
    others = others[:: max(1, len(others) // ELSEWHERE)][:ELSEWHERE]
    resolved = {"touched": _resolved(work.side, touched), "others": _resolved(work.side, others)}
    work.side.upkeep()
    later = {"touched": _resolved(work.side, touched), "others": _resolved(work.side, others)}
    asked = {"touched": len(touched), "others": len(others)}
    return {**found, "asked": asked, "resolved": resolved, "later": later}


def _resolved(side: Side, cited: list[Cited]) -> int:
    """How many lead to the text that was cited."""
    found = side.resolve([one.key for one in cited])
    return sum(found.get(one.key) == one.text for one in cited)


def search(work: Work, count: int) -> dict[str, Any]:
    """Ask `count` questions of every kind, all of them different: no cache of results or vectors has the answer."""
    clock = Clock(work.vectors)
    work.side.open()
    opened = clock.read()
    kinds = {kind: _timed(work, kind, turn * (WARM_UP + count), count) for turn, kind in enumerate(work.side.kinds)}
    peak = peak_mb()
    for kind in ("dense", "filtered"):
        kinds[kind]["recall"] = _recall(work, kind)
    return {"open": opened, "peak_mb": peak, "kinds": kinds}


def _timed(work: Work, kind: Kind, start: int, count: int) -> dict[str, float]:
    questions = list(work.corpus.questions(WARM_UP + count, start))
    work.vectors.of(questions)
    times, hits = [], []
    for number, question in enumerate(questions):
        clock = Clock(work.vectors)
        found = work.side.ask(kind, question, shelf(number))
        times.append(clock.read())
        hits.append(len(found))
    ms = {what: [1000 * each[what] for each in times[WARM_UP:]] for what in ("cpu", "wall")}
    shares = {f"{what}_p{share}": percentile(ms[what], share / 100) for what in ms for share in (50, 99)}
    return {**shares, "hits": fmean(hits[WARM_UP:])}


def _recall(work: Work, kind: Kind) -> float:
    """The share of the ten nearest chunks that are found, judged by comparing every vector."""
    import numpy as np

    texts, shelves = zip(*work.side.chunks(), strict=True)
    rows, on = work.vectors.of(texts), np.array(shelves)
    shares = []
    for number, question in enumerate(work.corpus.questions(JUDGED, 10**6)):
        scores = rows @ work.vectors.of([question])[0]
        order = [at for at in np.argsort(-scores) if kind == "dense" or on[at] == shelf(number)]
        best = {texts[at] for at in order[:K]}
        found = best.intersection(work.side.ask(kind, question, shelf(number)))
        shares.append(len(found) / len(best) if best else 1.0)
    return fmean(shares)


def disk(folder: Path) -> int:
    return sum(os.path.getsize(os.path.join(here, name)) for here, _, names in os.walk(folder) for name in names)


def main() -> None:
    step, name, data, folder, documents, count, *files = sys.argv[1:]
    home = SIDES[name]
    place = Path(folder) / home.name.lower()
    place.mkdir(parents=True, exist_ok=True)
    vectors = Vectors(None if step == "live" else Path(folder).parent / "vectors.npz")
    side = getattr(import_module(f"benchmarks.compose.{home.module}"), home.name)(place, vectors)
    work = Work(side, vectors, Corpus(Path(data), int(documents)), place, Path(folder) / "docs")
    vectors.warm()
    match step:
        case "first":
            found = first(work)
        case "edited":
            found = edited(work, set(files))
        case "search":
            found = search(work, int(count))
        case _:
            found = ingest(work)
    vectors.save()
    print(json.dumps({**found, "missed": vectors.missed}))


if __name__ == "__main__":
    main()
