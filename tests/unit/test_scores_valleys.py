"""Valleys of a curve, and which of them are deep enough."""

from __future__ import annotations

import pytest

from seamline.cut.scores.semantic import chosen, depths, minima
from seamline.recipe.strategies import Semantic

CURVE = [0.8, 0.7, 0.2, 0.7, 0.8, 0.6, 0.8, 0.9, 0.1, 0.8]


def test_minima_are_lower_than_what_is_around_them() -> None:
    assert list(minima(CURVE)) == [2, 5, 8]


def test_a_flat_bottom_is_one_minimum() -> None:
    assert list(minima([0.5, 0.2, 0.2, 0.2, 0.6])) == [1]


def test_the_ends_count() -> None:
    assert list(minima([0.1, 0.5, 0.3])) == [0, 2]
    assert list(minima([0.4])) == [0]
    assert list(minima([])) == []


def test_a_step_is_no_minimum() -> None:
    assert list(minima([0.9, 0.5, 0.5, 0.2, 0.9])) == [3]


def test_depth_is_the_climb_to_the_hills_on_both_sides() -> None:
    found = depths(CURVE)
    assert found[2] == pytest.approx(0.6 + 0.6)
    assert found[5] == pytest.approx(0.2 + 0.3)
    assert found[7] == 0
    assert found[1] == pytest.approx(0.1)


def test_depth_is_that_of_a_walk_which_only_goes_up() -> None:
    """The hill behind the next dip does not count."""
    assert depths([0.3, 0.2, 0.9, 0.1])[1] == pytest.approx(0.1 + 0.7)
    assert depths([0.9, 0.4, 0.5, 0.3, 0.6])[3] == pytest.approx(0.2 + 0.3)


def test_below_the_mean_by_so_many_deviations() -> None:
    assert chosen(CURVE, Semantic(alpha=1)) == [2, 8]
    assert chosen(CURVE, Semantic(alpha=0)) == [2, 5, 8]
    assert chosen(CURVE, Semantic(alpha=3)) == []


def test_deviations_around_a_gap() -> None:
    """A dip that is shallow for the document is deep where it stands."""
    curve = [0.9, 0.9, 0.7, 0.9, 0.9, 0.5, 0.1, 0.5, 0.1, 0.5, 0.1]
    assert 2 not in chosen(curve, Semantic(alpha=1))
    assert 2 in chosen(curve, Semantic(alpha=1, sliding=4))


def test_the_lowest_share() -> None:
    assert chosen(CURVE, Semantic(threshold="percentile", percentile=10)) == [2, 8]
    assert chosen(CURVE, Semantic(threshold="percentile", percentile=0)) == [8]
    assert chosen(CURVE, Semantic(threshold="percentile", percentile=100)) == [2, 5, 8]


def test_the_steepest_share() -> None:
    """A slow fall to a low place is no change; a sharp notch is one."""
    slow = [0.9, 0.7, 0.5, 0.3, 0.2, 0.3, 0.5, 0.7, 0.9, 0.9, 0.5, 0.9, 0.9]
    assert chosen(slow, Semantic(threshold="gradient", percentile=1)) == [10]
    assert chosen(slow, Semantic(threshold="percentile", percentile=1)) == [4]


@pytest.mark.parametrize("threshold", ["std", "percentile", "gradient"])
@pytest.mark.parametrize("alpha", [-5.0, 0.0, 2.0])
def test_a_curve_without_valleys_is_not_cut(threshold: str, alpha: float) -> None:
    for curve in ([], [0.4], [0.5] * 20):
        assert chosen(curve, Semantic(threshold=threshold, alpha=alpha)) == []  # type: ignore[arg-type]
