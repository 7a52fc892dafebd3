"""What cutting by meaning costs, beside chonkie's SemanticChunker with the same embedder.

MB of text for each second of CPU time of one thread; parsing, embedding and counting included, models loaded before.
The contestants take turns, and the best of their rounds counts. chonkie runs twice: as it comes, where model2vec embeds
with the table of seamline's `static` and counts; and with tiktoken and seamline's own code for that table, which is
many times as fast. The bar is 5 times chonkie, and each of the two is judged.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.common import ONE_THREAD, Sample, markdown, options, progress, ranks, save, table, verdict

os.environ.update(ONE_THREAD)  # before numpy is there
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import seamline
from benchmarks.peers import o200k
from benchmarks.segmentation import peers
from benchmarks.segmentation.methods import installed
from seamline.embed import load as load_embedder
from seamline.pipeline import chunk_document
from seamline.protocols import Embedder
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Semantic
from seamline.runtime import Runtime
from seamline.tokens import load as load_tokenizer

BAR = 5.0
CHONKIE = "chonkie, model2vec"
LENT = "chonkie, seamline's embedder"
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
    contestants = _contestants(embedder, args.data)
    best = dict.fromkeys(contestants, float("inf"))
    for sample in samples[:5]:
        for run in contestants.values():
            run(sample)
    for turn in range(args.repeat):
        for name, run in contestants.items():
            progress(f"round {turn + 1}: {name}")
            best[name] = min(best[name], _seconds(run, samples))
    progress("")
    base, lent = best.get(CHONKIE), best.get(LENT)
    print(f"{len(samples)} documents, {size:.2f} MB, embedder {embedder.name}\n")
    rows = [
        (name, size / seconds, *(peer / seconds if peer else None for peer in (base, lent)))
        for name, seconds in best.items()
    ]
    print(table(("method", "MB/s", f"times {CHONKIE}", f"times {LENT}"), rows))
    ok = [peer / best["seamline objective"] >= BAR if peer else None for peer in (base, lent)]
    for name, reached in zip((CHONKIE, LENT), ok, strict=True):
        print(f"{BAR:g} times {name}: {verdict(reached)}")
    save(args.json, "segmentation cost", {name: size / seconds for name, seconds in best.items()})
    return 1 if False in ok else 0


def _contestants(embedder: Embedder, data: Path) -> dict[str, Run]:
    out: dict[str, Run] = {}
    for method in ("objective", "ensemble", "dip", "texttiling", "bayes"):
        out[f"seamline {method}"] = _ours(Recipe(strategy="semantic", semantic=Semantic(method=method)), embedder)
    out["seamline structural"] = _ours(Recipe(), embedder)
    if installed("chonkie"):
        out[LENT] = _theirs(peers.chonkie(embedder, o200k(ranks(data))))
    if embedder.name == "static" and installed("chonkie") and installed("model2vec"):
        out[CHONKIE] = _theirs(peers.chonkie_model2vec())
    return out


def _theirs(make: peers.Make) -> Run:
    cut = make(peers.CHONKIE, peers.CHONKIE_WINDOW)
    return lambda sample: cut(sample.text)


def _ours(recipe: Recipe, embedder: Embedder) -> Run:
    parts = Runtime(load_tokenizer(recipe.tokenizer), lambda: embedder)

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
