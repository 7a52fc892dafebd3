"""What every strategy costs beside the structural one: from text to chunks with ids, in CPU time.

    python -m benchmarks.speed.strategies --data DATA

`structural` runs in the compiled core; the others where the recipe is a usual one. Each figure is the least of
the rounds, after a warm-up on other documents.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import seamline
from seamline.pipeline import chunk_document, make_runtime
from seamline.recipe.recipe import Recipe

STRATEGIES = ("structural", "hierarchical", "semantic", "rechunk", "multimodal", "tabular", "propositions", "auto")
BAR = {"hierarchical": 2.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with markdown.jsonl")
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    texts = [json.loads(line)["text"] for line in (args.data / "markdown.jsonl").open(encoding="utf-8")]
    warm, texts = texts[-20:], texts[: args.documents]
    size = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{len(texts)} documents, {size:.1f} MB")
    print("| strategy | CPU s | MB/s | beside structural |\n|---|---|---|---|")
    base = 0.0
    for strategy in STRATEGIES:
        recipe = Recipe(strategy=strategy)  # type: ignore[arg-type]
        took = measure(recipe, warm, texts, args.rounds)
        base = base or took
        bar = (
            f" (bar {BAR[strategy]}x: {'pass' if took <= BAR[strategy] * base else 'FAIL'})" if strategy in BAR else ""
        )
        print(f"| {strategy} | {took:.3f} | {size / took:.1f} | {took / base:.2f}x{bar} |")


def measure(recipe: Recipe, warm: Sequence[str], texts: Sequence[str], rounds: int) -> float:
    """CPU seconds for all texts, the least of several rounds."""
    parts = make_runtime(recipe)

    def cut(text: str, name: str) -> None:
        document = seamline.read(text, id=name, media_type="text/markdown", recipe=recipe)
        chunks = chunk_document(document, recipe, parts)
        if chunks:
            _ = chunks[0].id  # ids are worked out for all chunks when the first is asked for

    for number, text in enumerate(warm):
        cut(text, f"warm {number}")
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for number, text in enumerate(texts):
            cut(text, str(number))
        best = min(best, time.process_time() - start)
    return best


if __name__ == "__main__":
    main()
