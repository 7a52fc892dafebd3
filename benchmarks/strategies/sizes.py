"""Contestants at equal sizes: for each the limit at which its chunks are as large as those of the default recipe.

What is made equal is the mean size of what chunks own of a document, in tokens; what they repeat comes on top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.strategies.measures import Passage
from seamline.tokens import load

Cut = Callable[[int], list[Passage]]
"""From a limit to the chunks of a set."""

CLOSE = 0.03
"""How far from each other two means are that count as equal."""
_TRIES = 7
_SMALLEST, _LARGEST = 24, 8192


@dataclass(frozen=True)
class Sized:
    """The chunks of a contestant at one limit."""

    limit: int
    passages: list[Passage]
    mean: float
    """Tokens that a chunk owns."""
    shown: float
    """Tokens of a chunk with what it repeats."""
    is_equal: bool = True
    """Whether the mean that was asked for was reached."""


def at(cut: Cut, docs: dict[str, str], limit: int) -> Sized:
    passages = cut(limit)
    owned = [docs[doc][start:end] for (doc, start, end), *_ in passages]
    return Sized(limit, passages, _mean(owned), _mean([passage.text for passage in passages]))


def near(cut: Cut, docs: dict[str, str], mean: float, limit: int) -> Sized:
    """At the limit whose mean comes closest to one that is given: looked for from `limit` on until it is met."""
    tried: dict[int, Sized] = {}
    while limit not in tried and len(tried) < _TRIES:
        tried[limit] = at(cut, docs, limit)
        if abs(tried[limit].mean / mean - 1) < CLOSE / 2:
            break
        limit = _next({one.limit: one.mean for one in tried.values()}, limit, mean)
    best = min(tried.values(), key=lambda one: abs(one.mean - mean))
    return Sized(best.limit, best.passages, best.mean, best.shown, abs(best.mean / mean - 1) <= CLOSE)


def around(cut: Cut, docs: dict[str, str], sized: Sized, spread: int) -> list[Sized]:
    """Also at limits 1% apart, so many on each side: one token more moves every cut after it, and the figures."""
    limits = {round(sized.limit * (1 + step / 100)) for step in range(-spread, spread + 1)} - {sized.limit}
    return [sized, *(at(cut, docs, limit) for limit in sorted(limits))]


def _next(means: dict[int, float], limit: int, wanted: float) -> int:
    """Between the nearest below and above, or in proportion where there is only one side."""
    low = max((one for one, mean in means.items() if mean < wanted), default=None)
    high = min((one for one, mean in means.items() if mean >= wanted), default=None)
    if low is None or high is None or low >= high:
        guess = round(limit * wanted / means[limit])
        guess = max(limit // 4, min(limit * 4, guess))
    else:
        share = (wanted - means[low]) / (means[high] - means[low])
        guess = round(low + (high - low) * min(0.9, max(0.1, share)))
    return max(_SMALLEST, min(_LARGEST, guess))


def _mean(texts: Sequence[str]) -> float:
    return float(np.mean([_count()(text) for text in texts])) if texts else 0.0


@cache
def _count() -> Callable[[str], int]:
    return load("o200k_base").count
