"""Accuracy of the class, and answers found with `auto` beside the default, class by class.

For retrieval each class is an index of its own, in which questions are asked about every document: the written one, or
six words of each of three sentences, or lines of code. Counted is the reciprocal rank of the first passage that has the
whole answer, among ten within 2,000 tokens.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from benchmarks.classes.samples import HALVES, Labelled, labelled
from benchmarks.common import options, table
from seamline.index.config import IndexConfig
from seamline.recipe.choose import classify
from seamline.recipe.recipe import Recipe
from seamline.search.options import SearchOptions
from seamline.text.sentences import sentence_starts
from seamline.text.words import query_words
from seamline.types import Budget

BUDGET = Budget(240, 256)
ROOM = 2000
_SHORTEST, _LONGEST = 60, 300
"""Characters of an answer: a sentence, or a line of code, which has no sentences."""


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--half", choices=HALVES, default="test")
    parser.add_argument("--only", help="ask about documents of this class alone")
    parser.add_argument("--retrieval", action="store_true", help="also ask questions, with auto and with the default")
    args = parser.parse_args()
    found = labelled(args.data, args.half)
    wrong = [(one, name) for one in found if (name := classify(one.document).name) != one.label]
    print(f"{len(found)} documents, {args.half} half: {1 - len(wrong) / len(found):.1%} right")
    counts = Counter(one.label for one in found)
    missed = Counter(one.label for one, _ in wrong)
    print(table(("class", "documents", "right"), [(name, n, n - missed[name]) for name, n in sorted(counts.items())]))
    for one, name in wrong:
        print(f"  {one.document.id}: {one.label}, taken for {name}: {dict(classify(one.document).scores)}")
    if args.retrieval:
        _retrieval([one for one in found if args.only in (None, one.label)])


def _retrieval(found: Sequence[Labelled]) -> None:
    by_label: dict[str, list[Labelled]] = defaultdict(list)
    for one in found:
        by_label[one.label].append(one)
    rows = []
    for label, some in sorted(by_label.items()):
        asked = [(question, answer) for one in some for question, answer in _questions(one)]
        before, now = (ask(some, asked, Recipe(strategy=name, budget=BUDGET)) for name in ("structural", "auto"))
        ahead = sum(b - a for a, b in zip(before, now, strict=True)) / len(asked)
        low, high = _interval([b - a for a, b in zip(before, now, strict=True)])
        rows.append((label, len(asked), _mean(before), _mean(now), f"{ahead:+.3f}", f"{low:+.3f} to {high:+.3f}"))
    print("\nreciprocal rank of the answer, default and auto")
    print(table(("class", "questions", "default", "auto", "ahead", "95%"), rows))


def ask(some: Sequence[Labelled], asked: Sequence[tuple[str, str]], recipe: Recipe) -> list[float]:
    """The reciprocal rank of each answer."""
    from seamline.api.index import open_index

    with open_index("memory:", config=IndexConfig(recipe, "static")) as index:
        index.add_many([(one.document.id, one.source) for one in some])
        found = [index.search(q, k=10, options=SearchOptions(show="source", min_score=0.0, whole=0)) for q, _ in asked]
    return [_rank([hit.text for hit in hits], answer) for hits, (_, answer) in zip(found, asked, strict=True)]


def _rank(texts: Sequence[str], answer: str) -> float:
    plain = " ".join(answer.split())
    used = 0
    for rank, text in enumerate(texts, 1):
        used += len(text) // 4
        if used > ROOM:
            break
        if plain in " ".join(text.split()):
            return 1 / rank
    return 0.0


def _questions(one: Labelled) -> list[tuple[str, str]]:
    """The written question, and up to three of words of the document."""
    if one.question:
        return [(one.question, one.answer)]
    text = one.document.text
    chance = random.Random(one.document.id)
    starts = one.document.line_starts if one.label == "code" else sentence_starts(text, 0, len(text))
    spans = [(a, b) for a, b in pairwise([*starts, len(text)]) if _SHORTEST < b - a < _LONGEST]
    out = []
    for start, end in chance.sample(spans, min(3, len(spans))):
        sentence = text[start:end].strip()
        words = [word for word in query_words(sentence) if len(word) > 3]
        if len(words) >= 4:
            out.append((" ".join(chance.sample(words, min(6, len(words)))), sentence))
    return out


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _interval(differences: Sequence[float]) -> tuple[float, float]:
    """Paired bootstrap."""
    chance = random.Random(7)
    means = sorted(_mean(chance.choices(differences, k=len(differences))) for _ in range(1000))
    return means[24], means[974]


if __name__ == "__main__":
    main()
