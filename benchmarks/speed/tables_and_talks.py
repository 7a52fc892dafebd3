"""What the strategies for tables and for speech cost beside structure alone.

A CSV file of 5 MB and a transcript of ten hours, both made up with a fixed seed. CPU seconds, the best of three; to the
whole, the time of reading is added. Structure alone is cut by the compiled core where that is there, so the same engine
in Python stands beside it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import seamline
from benchmarks.common import options, save, table
from seamline.cut import cut_leaves
from seamline.enrich.links import links
from seamline.enrich.tables import rows_text, table_summary
from seamline.enrich.tables import summary as pivot
from seamline.pipeline import chunk_document, make_runtime
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Tabular
from seamline.types import Document

SIZE = 5_000_000
CUES = 9000
WORDS = ("the", "pump", "hums", "at", "night", "and", "we", "do", "not", "know", "why", "it", "is", "a", "valve")


def main() -> int:
    args = options(__doc__).parse_args()
    rng = random.Random(3)
    figures = {"CSV, 5 MB": list(sheet(sales(rng))), "transcript, 10 h": list(talk(subtitles(rng)))}
    for name, rows in figures.items():
        print(table((name, "cut", "with reading", "x structure", "chunks"), rows), end="\n\n")
    save(args.json, "tables-and-talks", figures)
    return 0


def sales(rng: random.Random) -> str:
    """Rows of companies, sorted by them."""
    lines = ["company,quarter,year,revenue,margin,region"]
    size = 0
    while size < SIZE:
        name = f"Company {len(lines) // 48}"
        when = f"Q{rng.randint(1, 4)},{rng.randint(2010, 2024)}"
        lines.append(f"{name},{when},${rng.random() * 9:.1f}M,{rng.randint(1, 60)}%,{rng.choice(('North', 'South'))}")
        size += len(lines[-1]) + 1
    return "\n".join(lines) + "\n"


def subtitles(rng: random.Random) -> str:
    cues = ["WEBVTT\n"]
    at = 0.0
    for _ in range(CUES):
        start = at + rng.choice((0.1, 0.5, 3.0))
        at = start + 3
        words = " ".join(rng.choices(WORDS, k=14))
        cues.append(f"{_clock(start)} --> {_clock(at)}\n<v {rng.choice(('Ann', 'Bo'))}>{words}.\n")
    return "\n".join(cues)


def _clock(seconds: float) -> str:
    return f"{int(seconds // 3600):02d}:{int(seconds // 60) % 60:02d}:{seconds % 60:06.3f}"


Found = TypeVar("Found")
Line = tuple[str, float, float | None, float | None, int]


def sheet(text: str) -> Iterator[Line]:
    read, document = best(lambda: seamline.read(text, media_type="csv"))
    cases = {
        "tabular": Tabular(),
        "tabular, group 20": Tabular(group=20),
        "tabular, sorted key": Tabular(key="company"),
        "tabular, key all over": Tabular(key="region"),
    }
    recipes = {name: Recipe(strategy="tabular", tabular=told) for name, told in cases.items()}
    yield from cuts(read, document, recipes)
    recipe = Recipe(strategy="tabular", tabular=Tabular(rows="sentence", key="company"))
    parts = make_runtime(recipe)
    chunks = chunk_document(document, recipe, parts)
    for make in (rows_text, pivot, table_summary):
        cost, found = best(lambda make=make: make(document, chunks, recipe, parts.tokenizer), 1)  # type: ignore[misc]
        yield f"texts: {make.__name__}", cost, None, None, len(found)
    cost, _ = best(lambda: links(chunks), 1)
    yield "links", cost, None, None, len(chunks)


def talk(text: str) -> Iterator[Line]:
    read, document = best(lambda: seamline.read(text, media_type="vtt"))
    yield from cuts(read, document, {"multimodal": Recipe(strategy="multimodal")})


def cuts(read: float, document: Document, recipes: dict[str, Recipe]) -> Iterator[Line]:
    parts = make_runtime(Recipe())
    base, chunks = best(lambda: chunk_document(document, Recipe(), parts))
    yield "structural", base, base + read, 1.0, len(chunks)
    cost, chunks = best(lambda: cut_leaves(document, Recipe(), parts))
    yield "structural, in Python", cost, cost + read, (cost + read) / (base + read), len(chunks)
    for name, recipe in recipes.items():
        cost, chunks = best(lambda recipe=recipe: chunk_document(document, recipe, parts))  # type: ignore[misc]
        yield name, cost, cost + read, (cost + read) / (base + read), len(chunks)


def best(run: Callable[[], Found], times: int = 3) -> tuple[float, Found]:
    """The least CPU time of several runs, and what the last one gave."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        found = run()
        least = min(least, time.process_time() - start)
    return least, found


if __name__ == "__main__":
    raise SystemExit(main())
