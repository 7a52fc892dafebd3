"""A Bayesian segmenter: segments are the likeliest if each has words of its own. No model, no numpy.

After Eisenstein and Barzilay (2008): the words of a segment come from one distribution, unknown and spread by a
Dirichlet prior, so that a segment's likelihood has a closed form. Exact search over all segments up to the target gives
the likeliest cuts; sums over all ways to cut give each gap the probability that there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, lgamma, log

from seamline.cut.scores import Signal
from seamline.cut.scores.lexical import bags_of
from seamline.cut.scores.units import leanings, units
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.types import Document

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


def bayes(document: Document, recipe: Recipe, parts: Parts) -> Signal:
    """A cut is forced between the likeliest segments; a gap's score is the probability of a cut."""
    found = units(document)
    if len(found) < 2:
        return Signal()
    settings, target = recipe.semantic, recipe.budget.target
    tokens = [parts.tokenizer.count(document.text[unit.start : unit.end]) for unit in found]
    odds = cut_odds(tokens, target)
    prior = [0.0, *(odds - LEAN * settings.blocks * lean for lean in leanings(found))]
    seen = likelihoods(bags_of(document, found), tokens, target)
    score = {unit.start: value for unit, value in zip(found[1:], probabilities(seen, prior), strict=True)}
    return Signal(score, frozenset(found[at].start for at in likeliest(seen, prior)), settings.weight)


def cut_odds(tokens: Sequence[int], expected: int) -> float:
    """The logarithm of the odds of a cut at a gap, if segments are as long as expected: even at most, 1 in 100 at
    least."""
    share = min(0.5, max(0.01, sum(tokens) / len(tokens) / expected))
    return log(share / (1 - share))


def likelihoods(bags: Sequence[Sequence[str]], tokens: Sequence[int], most: int) -> Likelihoods:
    """Of all segments of at most `MOST` units and `most` tokens; one unit alone is a segment whatever its size."""
    whole = CONCENTRATION * max(1, len({word for bag in bags for word in bag}))
    again = [log(times + CONCENTRATION) for times in range(MOST + 1)]  # of a word seen so often before
    out: Likelihoods = [[]]
    for end in range(1, len(bags) + 1):
        counts: dict[str, int] = {}
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
            row.append(gathered + lgamma(whole) - lgamma(words + whole))
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
