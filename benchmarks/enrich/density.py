"""Which formula of density tells thinned text from real text, and does not just follow length?

Chunks of manuals and books against the same with half of their sentences repeated, and with half replaced by filler.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from benchmarks.common import markdown, options, prose, save, table
from benchmarks.enrich.run import auc
from seamline.enrich.language import FUNCTION
from seamline.enrich.measures import density
from seamline.parse import parse_text
from seamline.pipeline import chunk_document
from seamline.recipe.recipe import Recipe
from seamline.text.sentences import sentence_starts
from seamline.text.words import COMMON, words
from seamline.tokens import load
from seamline.types import Budget

FILLER = (
    "It is what it is, and that is how it has been for some of them. ",
    "As we have said before, there are many things that one could say about this. ",
    "Of course it may be so, or it may not be. ",
    "In any case this is something that should be noted here. ",
)
COUNT = load("o200k_base", "balanced").count


def _content(text: str) -> list[str]:
    return [word for word in words(text) if word not in COMMON and word not in FUNCTION]


def _different(text: str) -> float:
    found = _content(text)
    return len(set(found)) / max(1, len(found))


def _packed(text: str) -> float:
    raw = text.encode()
    return min(1.0, len(zlib.compress(raw, 6)) / max(1, len(raw)))


FORMULAS: Mapping[str, Callable[[str], float]] = {
    "content words per token": lambda text: len(_content(text)) / COUNT(text),
    "content words per word": lambda text: len(_content(text)) / max(1, len(words(text))),
    "different among content words": _different,
    "compression ratio (zlib)": _packed,
    "different content words per token": lambda text: len(set(_content(text))) / COUNT(text),
    "different content words among 50 words": lambda text: density(words(text), 50),
    "different content words among 100 words": lambda text: density(words(text)),
    "among 50, times different, root": lambda text: (density(words(text), 50) * _different(text)) ** 0.5,
    "among 100, times compression, root": lambda text: (density(words(text)) * _packed(text)) ** 0.5,
}


def main() -> int:
    given = options(__doc__).parse_args()
    rng = random.Random(1)
    samples = markdown(given.data)
    rng.shuffle(samples)
    texts: list[str] = []
    for limit in (128, 512):
        for sample in (*samples[:40], *prose(given.data)):
            chunks = chunk_document(parse_text(sample.text[:60_000]), Recipe(budget=Budget(limit - 20, limit)))
            rng.shuffle(chunks)
            texts += [chunk.render("body") for chunk in chunks if chunk.tokens > 40][:8]
    thinned = [_repeated(text) for text in texts], [_filled(text, rng) for text in texts]
    rows = []
    for name, formula in FORMULAS.items():
        real = [formula(text) for text in texts]
        areas = [round(auc(real, [formula(text) for text in some]), 3) for some in thinned]
        rows.append((name, *areas, round(_follows(real, [len(text) for text in texts]), 2)))
    print(f"{len(texts)} chunks")
    print(table(("formula", "AUC, repeated", "AUC, filler", "rank correlation with length"), rows))
    save(given.json, "density", [list(row) for row in rows])
    return 0


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in pairwise((*sentence_starts(text), len(text)))]


def _repeated(text: str) -> str:
    found = _sentences(text)
    half = max(1, len(found) // 2)
    return " ".join((found[:half] * 3)[: len(found)]) if len(found) > 1 else f"{text} {text}"


def _filled(text: str, rng: random.Random) -> str:
    found = _sentences(text)
    if len(found) < 2:
        return " ".join((text, *FILLER))
    return " ".join(rng.choice(FILLER) if at % 2 else sentence for at, sentence in enumerate(found))


def _follows(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation; equal values in the order they come."""
    ranks = []
    for values in (one, other):
        order = sorted(range(len(values)), key=values.__getitem__)
        ranks.append({at: rank for rank, at in enumerate(order)})
    count = len(one)
    return 1 - 6 * sum((ranks[0][at] - ranks[1][at]) ** 2 for at in range(count)) / (count * (count**2 - 1))


if __name__ == "__main__":
    sys.exit(main())
