"""What cutting by meaning costs, beside chonkie's SemanticChunker with the same embedder.

MB of text for each second of CPU time of one thread; parsing, embedding and counting included, models loaded before.
The contestants take turns, and the best of their rounds counts. The bar: 5 times chonkie.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

from benchmarks.common import ONE_THREAD, Sample, markdown, options, progress, save, table, verdict

os.environ.update(ONE_THREAD)  # before numpy is there
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import seamline
from benchmarks.segmentation import peers
from benchmarks.segmentation.methods import installed
from seamline.embed import load as load_embedder
from seamline.parts import Parts
from seamline.pipeline import chunk_document
from seamline.protocols import Embedder
from seamline.recipe import Recipe
from seamline.strategies import Semantic
from seamline.tokens import load as load_tokenizer

BAR = 5.0
CHONKIE = "chonkie SemanticChunker"
Run = Callable[[Sample], object]


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--documents", type=int, default=160)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    embedder = load_embedder(args.embedder, threads=1)
    samples = markdown(args.data)[: args.documents]
    size = sum(len(sample.text.encode()) for sample in samples) / 1e6
    contestants = _contestants(embedder)
    best = dict.fromkeys(contestants, float("inf"))
    for sample in samples[:5]:
        for run in contestants.values():
            run(sample)
    for turn in range(args.repeat):
        for name, run in contestants.items():
            progress(f"round {turn + 1}: {name}")
            best[name] = min(best[name], _seconds(run, samples))
    progress("")
    base = best.get(CHONKIE)
    print(f"{len(samples)} documents, {size:.2f} MB, embedder {embedder.name}\n")
    rows = [(name, size / seconds, base / seconds if base else None) for name, seconds in best.items()]
    print(table(("method", "MB/s", "times chonkie"), rows))
    ok = base / best["seamline objective"] >= BAR if base else None
    print(f"\n{BAR:g} times chonkie: {verdict(ok)}")
    save(args.json, "segmentation cost", {name: size / seconds for name, seconds in best.items()})
    return 1 if ok is False else 0


def _contestants(embedder: Embedder) -> dict[str, Run]:
    out: dict[str, Run] = {}
    for method in ("objective", "dip", "texttiling", "bayes"):
        out[f"seamline {method}"] = _ours(Recipe(strategy="semantic", semantic=Semantic(method=method)), embedder)  # type: ignore[arg-type]
    out["seamline structural"] = _ours(Recipe(), embedder)
    if installed("chonkie"):
        cut = peers.chonkie(embedder)(peers.CHONKIE, peers.CHONKIE_WINDOW)
        out[CHONKIE] = lambda sample: cut(sample.text)
    return out


def _ours(recipe: Recipe, embedder: Embedder) -> Run:
    parts = Parts(load_tokenizer(recipe.tokenizer), lambda: embedder)

    def run(sample: Sample) -> object:
        document = seamline.read(sample.text, id=sample.path, media_type=sample.media_type)
        return [chunk.text for chunk in chunk_document(document, recipe, parts)]

    return run


def _seconds(run: Run, samples: Sequence[Sample]) -> float:
    start = time.process_time()
    for sample in samples:
        run(sample)
    return time.process_time() - start


if __name__ == "__main__":
    raise SystemExit(main())
