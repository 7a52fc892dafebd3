"""Claims by subject: HDBSCAN over their vectors, the same groups in every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seamline.derived import Derived
from seamline.errors import ConfigError
from seamline.extras import needed
from seamline.protocols import Embedder

SMALLEST = 5
"""Claims that make a topic."""


def with_topics(claims: Sequence[Derived], embedder: Embedder, smallest: int = SMALLEST) -> list[Derived]:
    """The claims with the number of their topic; -1 for those of none. Topics are numbered as they first occur."""
    if smallest < 2:
        raise ConfigError(f"expected topics of 2 claims or more, got {smallest}", "$.propositions.topic")
    if len(claims) < smallest:
        return [replace(claim, topic=-1) for claim in claims]
    with needed("scikit-learn, which groups claims by topic,", "propositions"):
        from sklearn.cluster import HDBSCAN
    vectors = embedder.embed([claim.text for claim in claims])
    # On vectors of length 1 the distance grows with the angle, so this groups by cosine similarity.
    labels = HDBSCAN(min_cluster_size=smallest, metric="euclidean", n_jobs=1, copy=True).fit_predict(vectors)
    numbers: dict[int, int] = {-1: -1}
    for label in labels.tolist():
        numbers.setdefault(label, len(numbers) - 1)
    return [replace(claim, topic=numbers[label]) for claim, label in zip(claims, labels.tolist(), strict=True)]
