"""What a search costs beside its legs and its embedder: fusing, ranking, collapsing, shadows, citing.

Real documents in the store in memory, with vectors by chance: nothing here looks at whether answers are right. The legs
are found once and remembered, as are the vectors; then the same questions are searched again, by an index that has seen
nothing (`first`) and with other options by one that remembers the chunks (`again`).
"""

from __future__ import annotations

import cProfile
import pstats
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import markdown, options, progress, save, table, verdict
from benchmarks.engine import target_of
from benchmarks.quality.indexed import Shelved
from seamline.api.index import Index
from seamline.index.config import IndexConfig, settings_of
from seamline.recipe.recipe import Recipe
from seamline.search.options import SearchOptions
from seamline.types import Budget

BAR_MS = 2.0
LIMIT = 200
WAYS: Mapping[str, SearchOptions] = {
    "hybrid": SearchOptions(),
    "hybrid, rrf": SearchOptions(fusion="rrf"),
    "hybrid, no shadows": SearchOptions(gate=None),
    "hybrid, duplicates kept": SearchOptions(collapse=False),
    "bm25": SearchOptions(legs="bm25"),
    "parents": SearchOptions(mode="parents"),
}


class Chance:
    """Vectors by chance around a common one, so that cosines are about 0.4, as those of real hits are."""

    name, dimensions, fingerprint = "chance", 384, "chance"

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def embed(self, texts: Sequence[str]) -> Any:
        return np.stack([self._row(text) for text in texts])

    def _row(self, text: str) -> Any:
        if text not in self._known:
            seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
            row = np.random.default_rng(seed).standard_normal(384, np.float32) + 0.8
            self._known[text] = row / np.linalg.norm(row)
        return self._known[text]


def build(data: Path, chunks: int, embedder: Chance) -> tuple[Shelved, list[str]]:
    """A store of about so many chunks, and lines of its documents to ask for."""
    recipe = Recipe(budget=Budget(target=target_of(LIMIT), limit=LIMIT))
    store = Shelved(settings_of(IndexConfig(recipe=recipe, embedder="chance"), embedder))
    index = Index(store, embedder, Path())
    asked: list[str] = []
    held = 0
    for sample in markdown(data):
        held += index.add(sample.path, sample.text.encode("utf-8", "replace")).chunks
        asked += [line for line in sample.text.splitlines() if 30 < len(line) < 120][:5]
        progress(f"{held} chunks")
        if held >= chunks:
            break
    progress("")
    return store, asked


def per_query(index: Index, queries: Sequence[str], way: SearchOptions) -> float:
    """Milliseconds of CPU time."""
    start = time.process_time()
    for query in queries:
        index.search(query, options=way)
    return 1000 * (time.process_time() - start) / len(queries)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--profile", action="store_true", help="also print where the time goes")
    args = parser.parse_args()
    embedder = Chance()
    store, asked = build(args.data, args.chunks, embedder)
    queries = random.Random(7).sample(asked, args.queries)
    figures: dict[str, dict[str, float]] = {}
    for name, way in WAYS.items():
        progress(name)
        per_query(Index(store, embedder, Path()), queries, way)  # finds the legs
        index = Index(store, embedder, Path())
        first = per_query(index, queries, way)
        again = min(per_query(index, queries, replace(way, decay=0.02 + n / 100)) for n in range(3))
        figures[name] = {"first": first, "again": again}
    progress("")
    with store.reader() as reader:
        print(f"\n{reader.count()} chunks, {len(queries)} queries; CPU ms per query beside the legs and the embedder\n")
    print(table(["", "first", "again"], [[name, f["first"], f["again"]] for name, f in figures.items()]))
    fine = figures["hybrid"]["first"] < BAR_MS
    print(f"\n{verdict(fine)}: a hybrid query below {BAR_MS} ms")
    if args.profile:
        profiler = cProfile.Profile()
        profiler.runcall(per_query, Index(store, embedder, Path()), queries, SearchOptions())
        pstats.Stats(profiler).sort_stats("tottime").print_stats("seamline", 25)
    save(args.json, "quality.overhead", figures)
    raise SystemExit(0 if fine else 1)


if __name__ == "__main__":
    main()
