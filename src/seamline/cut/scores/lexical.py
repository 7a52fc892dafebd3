"""TextTiling: the subject changes where the words on both sides of a gap are others. No model, no numpy.

After Hearst (1997): the words before a gap and those after it are compared as two bags, and the deep valleys of the
curve are cuts. Here bags are made of sentences, and a word counts less the more sentences have it. Bags that overlap
make a smooth curve; smoothing it once more moved the cuts, and F1 fell from .67 to .58.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, sqrt

from seamline.cut.scores import Signal
from seamline.cut.scores.units import Unit, leanings, texts, units
from seamline.cut.scores.valleys import chosen, depths
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.types import Document
from seamline.words import query_words

WIDER = 2
"""A bag of words needs so many times the sentences of a mean of vectors to say what it is about."""
_LEAN = 2.5
"""What a leaning is worth in the curve, in its standard deviations, for a share of 1."""


def texttiling(document: Document, recipe: Recipe, parts: Parts) -> Signal:
    """A cut is forced in the deep valleys of the words that are shared across each gap."""
    found = units(document)
    if len(found) < 2:
        return Signal()
    settings = recipe.semantic
    bags = bags_of(document, found)
    curve = shared(bags, rarity(bags), WIDER * settings.window)
    deep = depths(curve)
    share = settings.blocks * _LEAN * _deviation(curve)
    leaning = zip(curve, leanings(found), strict=True)
    low = chosen([round(height + share * lean, 6) for height, lean in leaning], settings)
    score = {unit.start: min(1.0, max(0.0, depth)) for unit, depth in zip(found[1:], deep, strict=True)}
    return Signal(score, frozenset(found[at + 1].start for at in low), settings.weight)


def bags_of(document: Document, found: Sequence[Unit]) -> list[list[str]]:
    """The distinct words of each unit, without those that say nothing."""
    return [query_words(text) for text in texts(document, found)]


def rarity(bags: Sequence[Sequence[str]]) -> dict[str, float]:
    """What a word counts: much where few units have it."""
    held = Counter(word for bag in bags for word in bag)
    return {word: log(1 + len(bags) / times) for word, times in held.items()}


def shared(bags: Sequence[Sequence[str]], weight: Mapping[str, float], window: int) -> list[float]:
    """For each gap, the cosine of the words of the `window` units before it and after it."""
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for bag in bags[:window]:
        right.update(bag)
    curve: list[float] = []
    for gap in range(1, len(bags)):
        left.update(bags[gap - 1])
        _remove(right, bags[gap - 1])
        if gap + window <= len(bags):
            right.update(bags[gap + window - 1])
        if gap > window:
            _remove(left, bags[gap - window - 1])
        curve.append(round(_cosine(left, right, weight), 6))
    return curve


def _remove(bag: Counter[str], words: Sequence[str]) -> None:
    for word in words:
        if bag[word] > 1:
            bag[word] -= 1
        else:
            del bag[word]


def _cosine(left: Mapping[str, int], right: Mapping[str, int], weight: Mapping[str, float]) -> float:
    both = sum(times * right[word] * weight[word] ** 2 for word, times in left.items() if word in right)
    sizes = [sum((times * weight[word]) ** 2 for word, times in bag.items()) for bag in (left, right)]
    return both / sqrt(sizes[0] * sizes[1]) if both else 0.0


def _deviation(curve: Sequence[float]) -> float:
    mean = sum(curve) / len(curve)
    return sqrt(sum((value - mean) ** 2 for value in curve) / len(curve))
