"""The Bayesian segmenter, against all ways to cut; and the words that TextTiling compares."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from math import exp, lgamma, log

import pytest

from seamline.cut.scores.lexical import (
    CONCENTRATION,
    MOST,
    cut_odds,
    likeliest,
    likelihoods,
    probabilities,
    rarity,
    shared,
)

BAGS = [
    ["cat", "sleep"],
    ["cat", "sun"],
    ["cat", "hunt"],
    ["bread", "flour"],
    ["bread", "dough"],
    ["flour", "dough"],
    [],
]
TOKENS = [5] * len(BAGS)
PRIOR = [0.0, -1.5, -1.2, -1.0, -1.4, -1.3, -1.1]


def ways() -> Iterator[tuple[int, ...]]:
    for size in range(len(BAGS)):
        yield from combinations(range(1, len(BAGS)), size)


def likelihood(bags: list[list[str]]) -> float:
    """Of one segment, as it is written down."""
    vocabulary = {word for bag in BAGS for word in bag}
    counts = [sum(word in bag for bag in bags) for word in vocabulary]
    whole = CONCENTRATION * len(vocabulary)
    of_words = sum(lgamma(n + CONCENTRATION) - lgamma(CONCENTRATION) for n in counts)
    return lgamma(whole) - lgamma(sum(counts) + whole) + of_words


def weight(cuts: tuple[int, ...]) -> float:
    bounds = pairwise((0, *cuts, len(BAGS)))
    return sum(likelihood(BAGS[start:end]) for start, end in bounds) + sum(PRIOR[cut] for cut in cuts)


def test_a_segment_has_its_closed_form() -> None:
    seen = likelihoods(BAGS, TOKENS, 1000)
    assert seen[4][2] == pytest.approx(likelihood(BAGS[1:4]))
    assert seen[7][6] == pytest.approx(likelihood(BAGS))


def test_the_likeliest_cuts_are_the_best_of_all() -> None:
    seen = likelihoods(BAGS, TOKENS, 1000)
    assert tuple(likeliest(seen, PRIOR)) == max(ways(), key=weight)


def test_probabilities_are_sums_over_all_ways() -> None:
    total = sum(exp(weight(way)) for way in ways())
    found = probabilities(likelihoods(BAGS, TOKENS, 1000), PRIOR)
    for gap in range(1, len(BAGS)):
        share = sum(exp(weight(way)) for way in ways() if gap in way) / total
        assert found[gap - 1] == pytest.approx(share, abs=1e-5)


def test_other_words_are_another_segment() -> None:
    bags = [["cat", "sleep"]] * 6 + [["bread", "flour"]] * 6
    assert likeliest(likelihoods(bags, [5] * 12, 1000), [-2.0] * 12) == [6]


def test_segments_fit_their_room() -> None:
    seen = likelihoods([["cat"]] * 20, [10] * 20, 35)
    assert max(map(len, seen)) == 3
    cuts = likeliest(seen, [0.0] * 20)
    assert all(end - start <= 3 for start, end in pairwise([0, *cuts, 20]))


def test_a_unit_that_is_too_large_is_a_segment() -> None:
    assert [len(row) for row in likelihoods([["cat"]] * 3, [10, 900, 10], 35)] == [0, 1, 1, 1]


def test_a_segment_has_a_bounded_number_of_units() -> None:
    assert max(map(len, likelihoods([["cat"]] * 100, [0] * 100, 35))) == MOST


def test_longer_segments_make_a_cut_less_likely() -> None:
    assert cut_odds([20] * 10, 100) == pytest.approx(log(0.2 / 0.8))
    assert cut_odds([20] * 10, 400) < cut_odds([20] * 10, 100)
    assert cut_odds([500], 100) == 0.0
    assert cut_odds([0], 100) == pytest.approx(log(0.01 / 0.99))


def test_words_in_few_units_count_most() -> None:
    weights = rarity([["the", "cat"], ["the", "dog"], ["the", "cow"]])
    assert weights["cat"] > weights["the"] > 0


def test_units_that_share_words_are_alike() -> None:
    bags = [["cat"], ["cat"], ["bread"], ["bread"]]
    assert shared(bags, rarity(bags), 1) == [1.0, 0.0, 1.0]
    assert shared(bags, rarity(bags), 2) == pytest.approx([0.7071, 0.0, 0.7071], abs=1e-3)


def test_units_without_words_share_nothing() -> None:
    assert shared([[], ["cat"], []], {"cat": 1.0}, 3) == [0.0, 0.0]
