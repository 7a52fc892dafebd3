"""Final scores: weights, freshness, rerankers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from seamline.errors import ConfigError, ProviderError
from seamline.records import Entry
from seamline.search.candidates import Candidate
from seamline.search.rerank import Weights, freshness, rescore, weigh
from seamline.testing.entries import entry

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def written(days_ago: float, body: str = "text") -> Entry:
    return replace(entry("doc", body), created_at=NOW - timedelta(days=days_ago))


def test_freshness_halves_in_69_days() -> None:
    assert freshness(written(0), NOW, 0.01) == 1.0
    assert freshness(written(100), NOW, 0.01) == pytest.approx(math.exp(-1))
    assert freshness(written(math.log(2) / 0.01), NOW, 0.01) == pytest.approx(0.5)


def test_what_is_dated_ahead_is_fresh_not_fresher() -> None:
    assert freshness(written(-400), NOW, 0.01) == 1.0


def test_without_a_date_of_the_document_the_text_is_as_old_as_it_is_in_the_index() -> None:
    undated = replace(written(0), created_at=None, updated_at=NOW - timedelta(days=10))
    assert freshness(undated, NOW, 0.1) == pytest.approx(math.exp(-1))


def test_the_score_is_the_weighted_mean() -> None:
    old = Candidate(replace(written(100, "old"), authority=0.5, coherence=0.2), 0.8)
    weights = Weights(relevance=2, freshness=1, authority=1, coherence=1)
    (scored,) = weigh([old], weights, now=NOW, decay=0.01)
    assert scored.score == pytest.approx((2 * 0.8 + math.exp(-1) + 0.5 + 0.2) / 5)
    assert scored.why.freshness == pytest.approx(math.exp(-1))
    assert (scored.why.authority, scored.why.coherence) == (0.5, 0.2)


def test_what_was_not_measured_leaves_its_weight_to_the_others() -> None:
    unmeasured = Candidate(replace(written(0), coherence=None), 0.4)
    (scored,) = weigh([unmeasured], Weights(relevance=1, coherence=3), now=NOW, decay=0.01)
    assert scored.score == pytest.approx(0.4)


def test_a_part_without_weight_is_not_told() -> None:
    (scored,) = weigh([Candidate(written(5), 0.4)], Weights(), now=NOW, decay=0.01)
    assert scored.score == 0.4
    assert (scored.why.freshness, scored.why.authority, scored.why.coherence) == (None, None, None)


def test_weights_change_the_order() -> None:
    stale, fresh = Candidate(written(500, "a"), 0.9), Candidate(written(0, "b"), 0.6)
    order = [c.entry.body for c in weigh([stale, fresh], Weights(1, 1), now=NOW, decay=0.01)]
    assert order == ["b", "a"]


@pytest.mark.parametrize(
    ("weights", "path"),
    [
        ({"relevance": -1.0}, "$.search.weights.relevance"),
        ({"freshness": math.nan}, "$.search.weights.freshness"),
        ({"relevance": 0.0}, "$.search.weights"),
    ],
)
def test_weights_that_cannot_work(weights: dict[str, float], path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Weights(**weights)
    assert caught.value.path == path


class Fixed:
    """A reranker with known scores."""

    name = "fixed"

    def __init__(self, *scores: float) -> None:
        self._scores = list(scores)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return self._scores


def test_a_reranker_has_the_last_word_on_relevance() -> None:
    candidates = [Candidate(entry("doc", "a"), 0.9), Candidate(entry("doc", "b"), 0.1)]
    found = rescore(candidates, "query", Fixed(0.2, 0.7))
    assert [(c.entry.body, c.score, c.why.rerank) for c in found] == [("b", 0.7, 0.7), ("a", 0.2, 0.2)]


@pytest.mark.parametrize("scores", [(0.5,), (0.5, 1.5), (0.5, math.nan), (0.5, -0.1)])
def test_a_reranker_that_breaks_its_promise_is_refused(scores: tuple[float, ...]) -> None:
    candidates = [Candidate(entry("doc", "a"), 0.9), Candidate(entry("doc", "b"), 0.1)]
    with pytest.raises(ProviderError, match="fixed gave"):
        rescore(candidates, "query", Fixed(*scores))
