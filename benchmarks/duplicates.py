"""Near-duplicates: passages with some of their words edited, and what else an index calls the same.

2,000 passages of pages (Kubernetes, Rust, React, Docusaurus) and of other kinds of text (books, manuals of Sphinx,
LaTeX, source code), each once as it is and once edited: words are replaced, left out or put in. All of them are
documents of one index, and its own report says which belong together. A pair that is no passage and its edit is right
where a word-by-word comparison (difflib, on words as they are typed) finds at least nine tenths the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import NamedTuple

import seamline
from benchmarks.common import markdown, need, options, prose
from seamline.api.index import open_index
from seamline.index.config import IndexConfig
from seamline.recipe.recipe import Recipe
from seamline.types import Budget

RATES = (0.01, 0.02, 0.05, 0.10)
EACH = 1000
"""Passages of each kind."""
SHORTEST = 30
"""Words of a passage."""
SAME = 0.9
"""Share of words in one order from which two passages are near-duplicates by difflib."""
SEED = 20261118


class Found(NamedTuple):
    """How much was found of what there is."""

    kind: str
    rate: float
    recall: float
    precision: float
    pairs: int
    """That the index reports."""
    seconds: float
    """Of the report, CPU."""


def main() -> None:
    args = options(__doc__).parse_args()
    for kind in ("pages", "others"):
        passages = sample(args.data, kind)
        print(f"\n{kind}: {len(passages)} passages of {min(map(words, passages))} to {max(map(words, passages))} words")
        print("edited   recall   precision   pairs   CPU s")
        for rate in RATES:
            one = measure(kind, passages, rate)
            print(f"{rate:5.0%} {one.recall:9.2%} {one.precision:10.2%} {one.pairs:8,} {one.seconds:7.2f}")


def words(text: str) -> int:
    return len(text.split())


def sample(data: Path, kind: str) -> list[str]:
    """Passages as they are cut by default, the same on every run, none with the same text."""
    texts = [one.text for one in markdown(data)] if kind == "pages" else list(_others(data))
    cut = (chunk.render("body") for text in texts for chunk in seamline.chunk(text, target=240, limit=256))
    passages = list(dict.fromkeys(text for text in cut if words(text) >= SHORTEST))
    random.Random(SEED).shuffle(passages)
    return passages[:EACH]


def _others(data: Path) -> Iterator[str]:
    yield from (one.text for one in prose(data))
    for folder, ending in (("rst", "*.rst"), ("latex", "**/*.tex")):
        yield from (path.read_text("utf-8") for path in sorted((need(data / "documents") / folder).glob(ending)))
    import json

    with (data / "code.jsonl").open(encoding="utf-8") as lines:
        yield from (json.loads(line)["text"] for line, _ in zip(lines, range(150), strict=False))


def edit(text: str, rate: float, chance: random.Random, others: Sequence[str]) -> str:
    """The text with a share of its words changed, one at the least."""
    parts = text.split(" ")
    for _ in range(max(1, round(rate * words(text)))):
        at = chance.randrange(len(parts))
        other = chance.choice(others)
        match chance.randrange(4):
            case 0 | 1:
                parts[at] = other
            case 2:
                parts.insert(at, other)
            case _ if len(parts) > SHORTEST // 2:
                parts.pop(at)
    return " ".join(parts)


def measure(kind: str, passages: Sequence[str], rate: float) -> Found:
    chance = random.Random(f"{SEED} {rate}")
    vocabulary = sorted({word for text in passages for word in text.split()})
    edited = [edit(text, rate, chance, vocabulary) for text in passages]
    config = IndexConfig(Recipe(budget=Budget(4096, 4096)), "hash")
    with open_index("memory:", config=config) as index:
        both = (
            (f"{side}{n}", text) for side, texts in (("a", passages), ("b", edited)) for n, text in enumerate(texts)
        )
        index.add_many(both, media_type="text/plain")
        began = process_time()
        groups = index.stats().duplicates.groups
        seconds = process_time() - began
        names = [[index.cite(id).cited.doc for id in group] for group in groups]  # type: ignore[union-attr]
    pairs = {tuple(sorted(pair)) for group in names for pair in combinations(group, 2)}
    wanted = {(f"a{n}", f"b{n}") for n in range(len(passages))}
    texts = {f"a{n}": text for n, text in enumerate(passages)} | {f"b{n}": text for n, text in enumerate(edited)}
    wrong = [(a, b) for a, b in pairs - wanted if not _same(texts[a], texts[b])]
    precision = 1 - len(wrong) / len(pairs) if pairs else 1.0
    return Found(kind, rate, len(pairs & wanted) / len(wanted), precision, len(pairs), seconds)


def _same(left: str, right: str) -> bool:
    return SequenceMatcher(None, left.split(), right.split(), autojunk=False).ratio() >= SAME


if __name__ == "__main__":
    main()
