"""TextTiling: the subject changes where the words on both sides of a gap are others. No model, no numpy.

After Hearst (1997): the words before a gap and those after it are compared as two bags, and the deep valleys of the
curve are cuts. Here bags are made of sentences, and a word counts less the more sentences have it. Bags that overlap
make a smooth curve; smoothing it once more moved the cuts, and F1 fell from .67 to .58.

A Bayesian segmenter: segments are the likeliest if each has words of its own. No model, no numpy.

After Eisenstein and Barzilay (2008): the words of a segment come from one distribution, unknown and spread by a
Dirichlet prior, so that a segment's likelihood has a closed form. Exact search over all segments up to the target gives
the likeliest cuts; sums over all ways to cut give each gap the probability that there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import exp, log, sqrt
from typing import NamedTuple

from seamline.cut.scores import Signal
from seamline.cut.scores.semantic import chosen, depths, leanings, texts, units
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.text.words import query_words
from seamline.types import Document

WIDER = 2
"""A bag of words needs so many times the sentences of a mean of vectors to say what it is about."""
_LEAN = 2.5
"""What a leaning is worth in the curve, in its standard deviations, for a share of 1."""


def texttiling(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """A cut is forced in the deep valleys of the words that are shared across each gap."""
    found = units(document)
    if len(found) < 2:
        return Signal()
    settings = recipe.semantic
    bags = bags_of(texts(document, found))
    curve = shared(bags, rarity(bags), WIDER * settings.window)
    deep = depths(curve)
    share = settings.blocks * _LEAN * _deviation(curve)
    leaning = zip(curve, leanings(found), strict=True)
    low = chosen([round(height + share * lean, 6) for height, lean in leaning], settings)
    score = {unit.start: min(1.0, max(0.0, depth)) for unit, depth in zip(found[1:], deep, strict=True)}
    return Signal(score, frozenset(found[at + 1].start for at in low), settings.weight)


def bags_of(said: Sequence[str]) -> list[list[str]]:
    """The distinct words of each unit, without those that say nothing."""
    return [query_words(text) for text in said]


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


MOST = 60
"""Units of one segment."""
CONCENTRATION = 0.5
"""Of the Dirichlet prior, for each word: the less, the fewer words a segment is expected to use, and the more segments
there are. 0.1 made twice as many as there were."""
LEAN = 8.0
"""What a leaning takes from the logarithm of the odds of a cut, for a share of 1."""

_DIGITS = 6
"""Decimals of a probability: machines differ in later ones."""

Likelihoods = list[list[float]]
"""[end][size - 1]: of the segment of so many units that ends there."""


class WordTerms(NamedTuple):
    """The parts of the likelihood of a segment: sums of logarithms, so that a search only adds."""

    bags: list[list[int]]
    """The distinct words of each unit, numbered as they come."""
    again: list[float]
    """What a word adds that the segment had so often before."""
    whole: list[float]
    """What a segment of so many words adds."""


def bayes(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """A cut is forced between the likeliest segments; a gap's score is the probability of a cut."""
    found = units(document)
    if len(found) < 2:
        return Signal()
    settings, target = recipe.semantic, recipe.budget.target
    tokens = [parts.tokenizer.count(document.text[unit.start : unit.end]) for unit in found]
    odds = cut_odds(tokens, target)
    prior = [0.0, *(odds - LEAN * settings.blocks * lean for lean in leanings(found))]
    seen = likelihoods(bags_of(texts(document, found)), tokens, target)
    score = {unit.start: value for unit, value in zip(found[1:], probabilities(seen, prior), strict=True)}
    return Signal(score, frozenset(found[at].start for at in likeliest(seen, prior)), settings.weight)


def cut_odds(tokens: Sequence[int], expected: int) -> float:
    """The logarithm of the odds of a cut at a gap, if segments are as long as expected: even at most, 1 in 100 at
    least."""
    share = min(0.5, max(0.01, sum(tokens) / len(tokens) / expected))
    return log(share / (1 - share))


def word_terms(bags: Sequence[Sequence[str]]) -> WordTerms:
    """What the words of all units add to the likelihood of a segment of up to `MOST` of them."""
    known: dict[str, int] = {}
    numbered = [[known.setdefault(word, len(known)) for word in bag] for bag in bags]
    prior = CONCENTRATION * max(1, len(known))
    sizes = [*map(len, numbered)]
    most = min(sum(sizes), MOST * max(sizes, default=0))
    whole = list(accumulate([-log(prior + words) for words in range(most)], initial=0.0))
    return WordTerms(numbered, _AGAIN, whole)


_AGAIN = [log(times + CONCENTRATION) for times in range(MOST + 1)]


def likelihoods(bags: Sequence[Sequence[str]], tokens: Sequence[int], most: int) -> Likelihoods:
    """Of all segments of at most `MOST` units and `most` tokens, by the distinct words of each unit."""
    return add_terms(word_terms(bags), tokens, most)


def add_terms(terms: WordTerms, tokens: Sequence[int], most: int) -> Likelihoods:
    """Of all segments of at most `MOST` units and `most` tokens; one unit alone is a segment whatever its size."""
    bags, again, whole = terms
    out: Likelihoods = [[]]
    for end in range(1, len(bags) + 1):
        counts: dict[int, int] = {}
        words = size = 0
        gathered = 0.0
        row: list[float] = []
        for start in range(end - 1, max(-1, end - 1 - MOST), -1):
            size += tokens[start]
            if row and size > most:
                break
            for word in bags[start]:
                times = counts.get(word, 0)
                gathered += again[times]
                counts[word] = times + 1
            words += len(bags[start])
            row.append(gathered + whole[words])
        out.append(row)
    return out


def likeliest(seen: Likelihoods, prior: Sequence[float]) -> list[int]:
    """The units that start a segment, the first excluded, of the likeliest segments."""
    best = [0.0]
    came = [0]
    for end in range(1, len(seen)):
        ways = [best[end - size] + value + prior[end - size] for size, value in enumerate(seen[end], 1)]
        size = max(range(len(ways)), key=lambda at: (ways[at], at)) + 1
        best.append(ways[size - 1])
        came.append(end - size)
    cuts = []
    at = came[-1]
    while at > 0:
        cuts.append(at)
        at = came[at]
    return cuts[::-1]


def probabilities(seen: Likelihoods, prior: Sequence[float]) -> list[float]:
    """For each gap, the probability of a cut there, over all ways to cut."""
    count = len(seen) - 1
    ahead = [0.0]
    for end in range(1, count + 1):
        row = enumerate(seen[end], 1)
        ahead.append(_sum([ahead[end - size] + value + prior[end - size] for size, value in row]))
    behind: list[list[float]] = [[] for _ in range(count)] + [[0.0]]
    for end in range(count, 0, -1):
        after = _sum(behind[end])
        for size, value in enumerate(seen[end], 1):
            behind[end - size].append(after + value + prior[end - size])
    total = ahead[count]
    return [round(exp(min(0.0, ahead[at] + _sum(behind[at]) - total)), _DIGITS) for at in range(1, count)]


def _sum(logs: Sequence[float]) -> float:
    """The logarithm of the sum of what these are the logarithms of."""
    most = max(logs)
    return most + log(sum([exp(value - most) for value in logs]))
