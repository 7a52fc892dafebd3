"""How near one embedder's similarities come to another's: of any two sentences, of neighbours, of windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.distil.corpus import WINDOW
from benchmarks.distil.fit import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAIRS = 200_000


class Nearness(NamedTuple):
    """Correlations with the teacher's similarities, on documents nothing was fitted to."""

    any_two: float
    """Pearson, of sentences drawn by chance."""
    neighbours: float
    """Pearson, of sentences that follow one another: what a cut is decided by."""
    ranks: float
    """Spearman, of the same."""
    windows: float
    """Pearson, of the mean of three sentences and that of the next three."""


def nearness(ours: Any, theirs: Any, sizes: Sequence[int]) -> Nearness:
    """Of vectors of the same sentences; `sizes` says how many each document has."""
    document = np.repeat(np.arange(len(sizes)), sizes)
    draw = np.random.default_rng(0)
    one, other = draw.integers(0, len(ours), (2, PAIRS))
    one, other = one[one != other], other[one != other]
    follows = np.flatnonzero(document[1:] == document[:-1])
    pairs = [dots(vectors, one, other) for vectors in (ours, theirs)]
    next_to = [dots(vectors, follows, follows + 1) for vectors in (ours, theirs)]
    dips = [window_dots(vectors, document) for vectors in (ours, theirs)]
    return Nearness(pearson(*pairs), pearson(*next_to), pearson(*map(ranked, next_to)), pearson(*dips))


def dots(vectors: Any, one: Any, other: Any) -> NDArray[np.float64]:
    return np.einsum("ij,ij->i", vectors[one], vectors[other], dtype=np.float64)


def window_dots(vectors: Any, document: Any) -> NDArray[np.float64]:
    """Similarity of the windows before and after each gap that has both."""
    total = np.cumsum(np.vstack([np.zeros_like(vectors[:1]), vectors]), axis=0, dtype=np.float64)
    sums = unit(total[WINDOW:] - total[:-WINDOW])
    starts = np.flatnonzero(document[2 * WINDOW - 1 :] == document[: len(document) - 2 * WINDOW + 1])
    return dots(sums, starts, starts + WINDOW)


def pearson(one: Any, other: Any) -> float:
    return float(np.corrcoef(one, other)[0, 1])


def ranked(values: Any) -> Any:
    return np.argsort(np.argsort(values, kind="stable"), kind="stable")
