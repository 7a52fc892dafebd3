"""How rankings of several legs become one. Ties are broken by id, so the same input gives the same order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from operator import itemgetter
from statistics import fmean, pstdev
from typing import Literal

from seamline.records import Scored

Normal = Literal["blend", "min-max", "z-score", "share"]
Fusion = Literal["blend", "min-max", "z-score", "share", "rrf"]

RRF_K = 60
"""How slowly reciprocal ranks fall."""
ENOUGH = 0.8
"""The share of a query's words in one text from which on BM25 has all of its weight; with less, it has less."""
DOUBT = 1.5
"""The power of that share, where it is less, that is left of BM25's weight: half of the words leave it half of it."""
_OTHERS = 10
"""The rank in BM25 that says how far its best stands out. A rank and not the mean of all candidates: the mean falls
with every leg that looks deeper, and the weights with it."""


def sort_scores(scores: Mapping[str, float]) -> list[Scored]:
    """Best first; equal scores by id."""
    by_id = sorted(scores.items())
    return [Scored(id, score) for id, score in sorted(by_id, key=itemgetter(1), reverse=True)]


def rrf(
    rankings: Sequence[Sequence[Scored]], *, k: int = RRF_K, weights: Sequence[float] | None = None
) -> list[Scored]:
    """Reciprocal rank fusion: each ranking adds weight / (k + rank) to what it ranks.

    Scores are shares of what first place in every ranking would give, so they lie within 0-1.
    """
    weights = weights or [1.0] * len(rankings)
    most = sum(weights) / (k + 1)
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, (id, _) in enumerate(ranking, start=1):
            scores[id] = scores.get(id, 0.0) + weight / (k + rank) / most if most else 0.0
    return sort_scores(scores)


def linear(
    dense: Mapping[str, float],
    sparse: Mapping[str, float],
    *,
    alpha: float,
    by: Normal,
    without: Collection[str] = (),
) -> list[Scored]:
    """`alpha` times the dense score and the rest of the sparse one, each made comparable within its leg first.

    What a leg has no score for gets its lowest; what is `without` a vector, that of the sparse leg alone. Where one leg
    is empty, the other decides alone.
    """
    of_dense, of_sparse = NORMALS[by]
    if not dense or not sparse:
        return sort_scores(_unit(of_dense(dense) if dense else of_sparse(sparse), by))
    left, right = of_dense(dense), of_sparse(sparse)
    low_left, low_right = min(left.values()), min(right.values())
    ids = dict.fromkeys((*dense, *sparse))
    mixed = {id: alpha * left.get(id, low_left) + (1 - alpha) * right.get(id, low_right) for id in ids}
    mixed |= {id: right.get(id, low_right) for id in without if id in mixed}
    return sort_scores(_unit(mixed, by))


def leaning(sparse: Iterable[float], alpha: float, lean: float, covered: float = 1.0) -> float:
    """The weight of the dense leg for one query: `alpha`, less up to the part `lean` of it where the best of BM25
    stands out from the tenth, or from the last of fewer; and more where no text holds most of the query's words, of
    which `covered` is the share that one does.

    Words that one text has and the others have not are likely names; words that all have say little. Where most words
    are in no text, the query is worded otherwise than the answer.
    """
    first = nlargest(_OTHERS, sparse)
    if not first or first[0] <= 0:
        return alpha
    weight = alpha * (1 - lean * (1 - max(0.0, first[-1]) / first[0]))
    words = (1 - weight) * min(1.0, covered / ENOUGH) ** DOUBT
    return weight / (weight + words) if weight + words > 0 else 1.0


def share(scores: Mapping[str, float]) -> dict[str, float]:
    """Each score as a part of the best one; those below 0 as 0."""
    best = max(scores.values(), default=0.0)
    return {id: max(0.0, score) / best if best > 0 else 0.0 for id, score in scores.items()}


def min_max(scores: Mapping[str, float]) -> dict[str, float]:
    """The worst as 0, the best as 1; all 1 where they are equal."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {id: (score - low) / (high - low) if high > low else 1.0 for id, score in scores.items()}


def z_score(scores: Mapping[str, float]) -> dict[str, float]:
    """Distance from the mean in standard deviations; all 0 where they are equal."""
    if not scores:
        return {}
    mean, deviation = fmean(scores.values()), pstdev(scores.values())
    return {id: (score - mean) / deviation if deviation > 0 else 0.0 for id, score in scores.items()}


_Normal = Callable[[Mapping[str, float]], dict[str, float]]

NORMALS: Mapping[str, tuple[_Normal, _Normal]] = {
    "blend": (min_max, share),
    "min-max": (min_max, min_max),
    "z-score": (z_score, z_score),
    "share": (share, share),
}
"""How the scores of the dense leg and of BM25 are made comparable. `blend`: BM25 has a zero of its own, a text without
any word of the query; cosines have none, as those of unrelated texts lie well above 0."""


def _unit(scores: dict[str, float], by: str) -> dict[str, float]:
    """Scores within 0-1: those made of z-scores are moved and stretched, which keeps their order."""
    return min_max(scores) if by == "z-score" else scores


def best_scores(rankings: Iterable[Sequence[Scored]]) -> dict[str, float]:
    """The best score of each id in any ranking."""
    best: dict[str, float] = {}
    for id, score in (scored for ranking in rankings for scored in ranking):
        best[id] = max(score, best.get(id, score))
    return best
