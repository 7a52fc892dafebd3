"""The exact search gives what trying all ways to cut gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.cut.scores.ensemble import best_by_both, plain_best
from seamline.cut.scores.lexical import WordTerms, word_terms
from seamline.cut.scores.objective import (
    MOST,
    Runs,
    Sizes,
    best_segments,
    longest_starts,
    plain_spread,
    reach,
    runs_of,
    segments,
    spread,
)
from seamline.text.coherence import coherence, distinctiveness

if TYPE_CHECKING:
    from seamline.records import Vector


def vectors(count: int, seed: int, noise: float = 1.0) -> Vector:
    """Random directions around a few subjects."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(3, 8))
    rows = centres[np.sort(chance.integers(0, 3, count))] + noise * chance.normal(size=(count, 8))
    unit: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def ways(count: int) -> Iterator[tuple[int, ...]]:
    """All sets of cuts."""
    for size in range(count):
        yield from combinations(range(1, count), size)


def value(rows: Vector, cuts: Sequence[int], price: Sequence[float], sizes: Sizes, distinct: float) -> float:
    """The objective as it is written down, from vectors; -inf where a rule is broken."""
    bounds = [0, *cuts, len(rows)]
    total = -sum(price[cut] for cut in cuts)
    for start, end in pairwise(bounds):
        size = end - start
        tokens = sum(sizes.tokens[start:end])
        if (tokens > sizes.most and size > 1) or sizes.apart.intersection(range(start + 1, end)):
            return float("-inf")
        pairs = coherence(rows[start:end]) * size * (size - 1) + size if size > 1 else 1.0
        total += pairs / size - (len(rows) if tokens < sizes.least else 0)
    for (start, middle), (_, end) in pairwise(pairwise(bounds)):
        total += distinct * distinctiveness(rows[start:middle], rows[middle:end])
    return total


@pytest.mark.parametrize("distinct", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("most", "least", "apart"), [(1000, 0, ()), (50, 0, ()), (50, 25, ()), (5, 0, ()), (60, 0, (4,))]
)
def test_no_way_to_cut_is_better(seed: int, distinct: float, most: int, least: int, apart: tuple[int, ...]) -> None:
    chance = np.random.default_rng(seed + 100)
    rows = vectors(9, seed)
    price = chance.uniform(0.1, 1.5, 9).tolist()
    sizes = Sizes(chance.integers(5, 20, 9).tolist(), most, least, frozenset(apart))
    longest = reach(longest_starts(sizes))
    cuts = segments(Runs(rows, 2 * longest), price, sizes, distinct)
    best = max(value(rows, way, price, sizes, distinct) for way in ways(9))
    assert value(rows, cuts, price, sizes, distinct) == pytest.approx(best, abs=1e-3)


def test_a_dear_cut_is_not_made_and_a_free_one_is() -> None:
    rows = vectors(12, 1)
    sizes = Sizes([10] * 12, 1000)
    assert segments(Runs(rows, 12), [100.0] * 12, sizes) == []
    assert segments(Runs(rows, 12), [0.0] * 12, sizes) == list(range(1, 12))


def test_segments_fit_their_room() -> None:
    rows = np.repeat(vectors(1, 3), 40, axis=0)
    cuts = segments(Runs(rows, 40), [1.0] * 40, Sizes([10] * 40, 55))
    assert all(end - start <= 5 for start, end in pairwise([0, *cuts, 40]))
    assert len(cuts) == 7


def test_a_unit_that_is_too_large_stands_alone() -> None:
    rows = np.repeat(vectors(1, 3), 5, axis=0)
    assert segments(Runs(rows, 5), [1.0] * 5, Sizes([10, 10, 500, 10, 10], 55)) == [2, 3]


def test_small_segments_only_where_nothing_else_is_possible() -> None:
    rows = np.eye(8, dtype=np.float32)
    cuts = segments(Runs(rows, 8), [0.0] * 8, Sizes([10] * 8, 80, 20))
    assert cuts == [2, 4, 6]


def test_a_segment_has_a_bounded_number_of_units() -> None:
    sizes = Sizes([0] * 1000, 10)
    assert reach(longest_starts(sizes)) == MOST


def test_one_unit_or_none_is_not_cut() -> None:
    assert segments(Runs(vectors(1, 0), 5), [0.0], Sizes([5], 10)) == []
    assert segments(Runs(vectors(1, 0)[:0], 5), [], Sizes([], 10)) == []


def test_runs_are_sums_of_vectors() -> None:
    rows = vectors(200, 5)
    runs = Runs(rows, 7)
    for size, start in ((1, 0), (2, 63), (7, 60), (7, 193), (5, 130)):
        total = rows[start : start + size].sum(axis=0, dtype=np.float64)
        assert runs.square[size, start] == pytest.approx(float(total @ total), abs=1e-3)


def test_likeness_is_the_cosine_of_the_means() -> None:
    rows = vectors(30, 6)
    runs = Runs(rows, 10)
    found = runs.likeness(np.array([2, 0]), np.array([6, 1]), np.array([9, 4]))
    for got, (a, b, c) in zip(found, ((2, 6, 9), (0, 1, 4)), strict=True):
        assert got == pytest.approx(1 - distinctiveness(rows[a:b], rows[b:c]), abs=1e-3)


def test_opposite_vectors_have_no_direction_together() -> None:
    rows = np.array([[1, 0], [-1, 0], [1, 0], [0, 1]], np.float32)
    assert Runs(rows, 4).likeness(np.array([0]), np.array([2]), np.array([4])).tolist() == [0.0]


def test_spread_is_what_coherence_leaves() -> None:
    rows = vectors(20, 7)
    assert spread(rows) == pytest.approx(1 - coherence(rows), abs=1e-6)


@st.composite
def rows_and_sizes(draw: st.DrawFn) -> tuple[Vector, list[float], Sizes]:
    """Vectors whose cosines are exact in 32 bits, so that it does not matter in which order they are added."""
    count = draw(st.integers(1, 140))
    chance = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    width = draw(st.sampled_from([4, 16, 19, 40]))
    rows: Vector = (chance.integers(-4, 5, (count, width)) / 16).astype(np.float32)
    price = chance.choice([0.0, 0.25, 0.5, 1.5], count).tolist()
    apart = frozenset(np.flatnonzero(chance.random(count) < draw(st.sampled_from([0.0, 0.1]))).tolist())
    tokens = chance.integers(0, 12, count).tolist()
    return rows, price, Sizes(tokens, draw(st.sampled_from([6, 40, 100_000])), draw(st.sampled_from([0, 9])), apart)


@given(rows_and_sizes())
@settings(deadline=None)
def test_both_paths_find_the_same_segments(case: tuple[Vector, list[float], Sizes]) -> None:
    rows, price, sizes = case
    assert best_segments(rows, price, sizes) == segments(runs_of(rows, sizes), price, sizes)


@st.composite
def bags(draw: st.DrawFn, count: int) -> WordTerms:
    """Distinct words for each unit; some units have none."""
    chance = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    known = [f"word{n}" for n in range(draw(st.sampled_from([1, 5, 60])))]
    return word_terms([sorted({*chance.choice(known, chance.integers(0, 9)).tolist()}) for _ in range(count)])


@given(rows_and_sizes(), st.data(), st.sampled_from([0.5, 1.0, 4.0]))
@settings(deadline=None)
def test_both_paths_find_the_same_segments_by_words_and_vectors(
    case: tuple[Vector, list[float], Sizes], data: st.DataObject, unit: float
) -> None:
    rows, price, sizes = case
    terms = data.draw(bags(len(rows)))
    assert best_by_both(rows, terms, price, sizes, unit) == plain_best(rows, terms, price, sizes, unit)


@pytest.mark.parametrize("seed", range(20))
def test_both_paths_agree_on_any_vectors_but_for_the_last_digits(seed: int) -> None:
    rows = vectors(120, seed, noise=0.5)
    price = np.random.default_rng(seed).uniform(0.1, 1.5, len(rows)).tolist()
    sizes = Sizes([10] * len(rows), 400)
    one, other = best_segments(rows, price, sizes), segments(runs_of(rows, sizes), price, sizes)
    assert value(rows, one, price, sizes, 0.0) == pytest.approx(value(rows, other, price, sizes, 0.0), abs=1e-2)
    assert spread(rows) == pytest.approx(plain_spread(rows), abs=1e-12)


def test_rows_that_lie_apart_in_memory_or_have_64_bits_are_read_too() -> None:
    rows = vectors(60, 3)
    sizes = Sizes([10] * 60, 400)
    wanted = best_segments(rows, [0.5] * 60, sizes)
    assert best_segments(np.repeat(rows, 2, axis=0)[::2], [0.5] * 60, sizes) == wanted
    assert best_segments(rows.astype(np.float64), [0.5] * 60, sizes) == wanted  # type: ignore[arg-type]
    assert spread(rows.astype(np.float64)) == pytest.approx(spread(rows), abs=1e-6)  # type: ignore[arg-type]
