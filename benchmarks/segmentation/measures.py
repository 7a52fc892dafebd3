"""How near the cuts of a method are to the true ones: boundary F1, Pk and WindowDiff.

All count in sentences. Pk (Beeferman and others, 1999) and WindowDiff (Pevzner and Hearst, 2002) move a window of half
a mean passage over the document and ask at each step whether its ends are in the same passage, or how many passages
begin inside it; both are shares of wrong answers, 0 is best.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from benchmarks.segmentation.data import Mixed


class Score(NamedTuple):
    """Of one method on one set."""

    f1: float
    """Of exact boundaries, over all documents."""
    near: float
    """F1 where a boundary one sentence away counts as found."""
    pk: float
    """Mean over documents; less is better."""
    windowdiff: float
    """Mean over documents; less is better."""
    cuts: float
    """Cuts made for each true one."""


def numbers(document: Mixed, offsets: Iterable[int]) -> frozenset[int]:
    """The sentences at which cuts at these offsets are: of each cut, the nearest."""
    starts = document.sentences
    found = set()
    for offset in offsets:
        after = min(bisect_left(starts, offset), len(starts) - 1)
        before = max(after - 1, 0)
        found.add(after if starts[after] - offset <= offset - starts[before] else before)
    return frozenset(found - {0})


def score(documents: Sequence[Mixed], found: Sequence[frozenset[int]]) -> Score:
    """Of the sentences found in each document."""
    pairs = list(zip(documents, found, strict=True))
    true = sum(len(document.gold) for document in documents)
    made = sum(map(len, found))
    exact = sum(len(document.gold & cuts) for document, cuts in pairs)
    near = sum(_matched(sorted(document.gold), sorted(cuts)) for document, cuts in pairs)
    windows = [_windows(len(document.sentences), document.gold, cuts) for document, cuts in pairs]
    return Score(
        _f1(exact, made, true),
        _f1(near, made, true),
        sum(pk for pk, _ in windows) / len(windows),
        sum(wd for _, wd in windows) / len(windows),
        made / true,
    )


def _f1(hits: int, made: int, true: int) -> float:
    return 2 * hits / (made + true) if made + true else 1.0


def _matched(gold: Sequence[int], cuts: Sequence[int]) -> int:
    """Pairs of a true cut and a found one at most one sentence apart, each used once."""
    hits = at = 0
    for cut in cuts:
        while at < len(gold) and gold[at] < cut - 1:
            at += 1
        if at < len(gold) and gold[at] <= cut + 1:
            hits += 1
            at += 1
    return hits


def _windows(sentences: int, gold: frozenset[int], cuts: frozenset[int]) -> tuple[float, float]:
    """Pk and WindowDiff of one document."""
    width = max(2, round(sentences / (len(gold) + 1) / 2))
    true, made = (list(accumulate(n in each for n in range(sentences))) for each in (gold, cuts))
    steps = range(sentences - width)
    inside = [(true[at + width] - true[at], made[at + width] - made[at]) for at in steps]
    pk = sum((a > 0) != (b > 0) for a, b in inside) / len(inside)
    return pk, sum(a != b for a, b in inside) / len(inside)
