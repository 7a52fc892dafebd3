"""Fusion: hand-computed scores, deterministic ties, and legs that say nothing."""

from __future__ import annotations

import pytest

from seamline.records import Scored
from seamline.search.fuse import DOUBT, ENOUGH, best_scores, leaning, linear, min_max, rrf, share, sort_scores, z_score


def ids(found: list[Scored]) -> list[str]:
    return [one.id for one in found]


def test_rrf_adds_reciprocal_ranks() -> None:
    dense = [Scored("a", 0.9), Scored("b", 0.8), Scored("c", 0.1)]
    sparse = [Scored("b", 7.0), Scored("c", 3.0)]
    found = dict(rrf((dense, sparse), k=60))
    most = 2 / 61
    assert found["b"] == pytest.approx((1 / 62 + 1 / 61) / most)
    assert found["c"] == pytest.approx((1 / 63 + 1 / 62) / most)
    assert found["a"] == pytest.approx((1 / 61) / most)
    assert list(found) == ["b", "c", "a"]


def test_first_place_everywhere_scores_one() -> None:
    assert rrf(([Scored("a", 1.0)], [Scored("a", 2.0)]))[0].score == pytest.approx(1.0)


def test_weights_of_rankings() -> None:
    found = dict(rrf(([Scored("a", 1.0)], [Scored("b", 1.0)]), k=0, weights=(3, 1)))
    assert found == pytest.approx({"a": 0.75, "b": 0.25})


def test_equal_scores_go_by_id() -> None:
    assert ids(sort_scores({"b": 1.0, "a": 1.0, "c": 2.0})) == ["c", "a", "b"]
    assert ids(rrf(([Scored("b", 1.0)], [Scored("a", 1.0)]))) == ["a", "b"]


def test_share_is_a_part_of_the_best_and_never_negative() -> None:
    assert share({"a": 0.8, "b": 0.4, "c": -0.2}) == pytest.approx({"a": 1.0, "b": 0.5, "c": 0.0})
    assert share({"a": -0.1}) == {"a": 0.0}
    assert share({}) == {}


def test_min_max_and_z_scores() -> None:
    assert min_max({"a": 3.0, "b": 1.0, "c": 2.0}) == {"a": 1.0, "b": 0.0, "c": 0.5}
    assert min_max({"a": 2.0, "b": 2.0}) == {"a": 1.0, "b": 1.0}
    assert z_score({"a": 3.0, "b": 1.0}) == {"a": 1.0, "b": -1.0}
    assert z_score({"a": 2.0, "b": 2.0}) == {"a": 0.0, "b": 0.0}
    assert z_score({}) == {}


def test_linear_fusion_of_shares() -> None:
    found = dict(linear({"a": 0.8, "b": 0.4}, {"a": 0.0, "b": 10.0, "c": 5.0}, alpha=0.6, by="share"))
    assert found == pytest.approx({"a": 0.6, "b": 0.6 * 0.5 + 0.4, "c": 0.6 * 0.5 + 0.4 * 0.5})


def test_linear_fusion_of_min_max() -> None:
    found = dict(linear({"a": 0.9, "b": 0.5, "c": 0.1}, {"c": 4.0, "b": 2.0}, alpha=0.5, by="min-max"))
    assert found == pytest.approx({"a": 0.5, "b": 0.25, "c": 0.5})


def test_z_scores_end_within_0_and_1_in_the_same_order() -> None:
    found = linear({"a": 0.9, "b": 0.5, "c": 0.1}, {"c": 4.0, "b": 3.0}, alpha=0.7, by="z-score")
    assert ids(found) == ["a", "b", "c"]
    assert [one.score for one in (found[0], found[-1])] == [1.0, 0.0]


@pytest.mark.parametrize("by", ["blend", "share", "min-max", "z-score"])
def test_where_one_leg_is_empty_the_other_decides(by: str) -> None:
    scores = {"a": 0.2, "b": 0.9, "c": 0.5}
    for found in (linear(scores, {}, alpha=0.5, by=by), linear({}, scores, alpha=0.5, by=by)):  # type: ignore[arg-type]
        assert ids(found) == ["b", "c", "a"]
        assert found[0].score == pytest.approx(1.0)
    assert linear({}, {}, alpha=0.5, by=by) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("by", ["blend", "share", "min-max", "z-score"])
def test_a_leg_whose_scores_are_all_equal_does_not_decide(by: str) -> None:
    flat = {"a": 0.5, "b": 0.5, "c": 0.5}
    found = linear(flat, {"c": 3.0, "b": 2.0, "a": 1.0}, alpha=0.9, by=by)  # type: ignore[arg-type]
    assert ids(found) == ["c", "b", "a"]


def test_bm25_has_more_weight_the_more_its_best_stands_out() -> None:
    assert leaning([4.0, 4.0, 4.0], alpha=0.7, lean=0.5) == pytest.approx(0.7)
    assert leaning([1.0, 4.0, 2.0], alpha=0.7, lean=0.5) == pytest.approx(0.7 * (1 - 0.5 * 0.75))
    assert leaning([4.0, 0.0, 0.0, 0.0], alpha=0.8, lean=1) == 0
    assert leaning([4.0, 1.0], alpha=0.6, lean=0) == 0.6
    assert leaning([], alpha=0.6, lean=1) == leaning([0.0, 0.0], alpha=0.6, lean=1) == 0.6


def test_words_that_no_text_holds_leave_their_weight_to_meaning() -> None:
    scores = [4.0, 4.0, 4.0]
    assert leaning(scores, 0.5, 0.7, covered=1.0) == leaning(scores, 0.5, 0.7, covered=ENOUGH) == 0.5
    assert leaning(scores, 0.5, 0.7, covered=ENOUGH / 2) == pytest.approx(0.5 / (0.5 + 0.5 * 0.5**DOUBT))
    assert leaning(scores, 0.5, 0.7, covered=0.0) == 1
    assert leaning(scores, 0.0, 0.7, covered=0.5) == 0
    assert leaning(scores, 0.0, 0.7, covered=0.0) == 1  # there is nothing else


def test_the_weight_does_not_depend_on_how_deep_bm25_looked() -> None:
    first = [9.0 - n / 2 for n in range(10)]
    assert leaning(first, 0.5, 0.7) == leaning([*first, *[0.1] * 90], 0.5, 0.7) == pytest.approx(0.5 * (1 - 0.7 / 2))


def test_a_blend_keeps_the_zero_of_bm25_and_none_of_the_cosines() -> None:
    found = dict(linear({"a": 0.8, "b": 0.4, "c": 0.6}, {"a": 5.0, "b": 10.0, "c": 5.0}, alpha=0.4, by="blend"))
    assert found == pytest.approx({"a": 0.4 + 0.6 * 0.5, "b": 0.6, "c": 0.4 * 0.5 + 0.6 * 0.5})


def test_the_higher_of_two_scores_counts() -> None:
    assert best_scores(([Scored("a", 0.1), Scored("b", 0.5)], [Scored("a", 0.3)])) == {"a": 0.3, "b": 0.5}
