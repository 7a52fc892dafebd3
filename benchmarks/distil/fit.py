"""From vectors of the teacher to a table: weights by frequency, one matrix for all pieces, then each piece by itself.

A text's vector is the sum of its pieces' rows, scaled to length 1. Three steps make the rows:

1. Each piece's vector from the teacher, less the mean of all, by the weight a / (a + share of the piece in all text):
   frequent words say little (Arora et al., 2017).
2. One matrix for all pieces, by ridge regression, so that sums of rows come near the teacher's vectors of real texts.
   It also turns them into the main directions of the teacher's vectors, of which the first `dimensions` are kept.
3. A change of each row, by ridge regression again: small where a piece was seldom seen. What was never seen stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]


class Settings(NamedTuple):
    """What can be chosen."""

    dimensions: int = 256
    frequent: float = 0.01
    """a: the share of a piece in all text at which its weight is a half."""
    linear: float = 1.0
    """Ridge of the matrix."""
    ridge: float = 10.0
    """Of the rows' changes."""
    steps: int = 20
    """Of conjugate gradients, in each round."""
    rounds: int = 3
    """After each, texts are scaled to length 1 anew."""


def counts(texts: Sequence[str], pieces: Callable[[str], list[int]], rows: int) -> Any:
    """How often each piece stands in each text: a sparse matrix. A text without pieces has piece 0."""
    from scipy.sparse import csr_matrix

    numbers = [pieces(text) or [0] for text in texts]
    ends = np.cumsum([0, *map(len, numbers)])
    flat = np.fromiter(chain.from_iterable(numbers), np.int64, int(ends[-1]))
    matrix = csr_matrix((np.ones(len(flat), np.float32), flat, ends), (len(texts), rows))
    matrix.sum_duplicates()
    return matrix


def fit(alone: Array, seen: Any, wanted: Array, settings: Settings, real: NDArray[np.bool_]) -> Array:
    """The rows, from the pieces' own vectors, the counts of texts, and the texts' vectors of the teacher.

    `real` says which pieces are words; the others, such as [MASK], have rows of zeros.
    """
    share = np.asarray(seen.sum(axis=0)).ravel() + 1
    share = share / share.sum()
    weights = settings.frequent / (settings.frequent + share)
    rows = ((alone - alone[real].mean(axis=0)) * (weights * real)[:, None]).astype(np.float32)
    target = wanted @ directions(wanted, settings.dimensions)
    rows = turned(rows, seen, target, settings.linear)
    for _ in range(settings.rounds):
        rows = rows + changes(rows, seen, target, settings)
    return rows * real[:, None].astype(np.float32)


def directions(vectors: Array, dimensions: int) -> Array:
    """The main directions of vectors, not of their differences from the mean: dot products are to stay."""
    _, _, main = np.linalg.svd(vectors, full_matrices=False)
    return np.asarray(main[:dimensions].T, np.float32)


def turned(rows: Array, seen: Any, target: Array, ridge: float) -> Array:
    """All rows by the matrix that brings texts nearest to their targets."""
    sums = unit(seen @ rows)
    matrix = np.linalg.solve(sums.T @ sums + ridge * np.eye(sums.shape[1]), sums.T @ target)
    return np.asarray(rows @ matrix, np.float32)


def changes(rows: Array, seen: Any, target: Array, settings: Settings) -> Array:
    """What is to be added to rows: conjugate gradients for all columns at a time."""
    from scipy.sparse import diags

    scaled = (diags(1 / np.linalg.norm(seen @ rows, axis=1)) @ seen).astype(np.float32)
    change = np.zeros_like(rows)
    left = scaled.T @ (target - scaled @ rows)
    way, size = left.copy(), (left * left).sum(axis=0)
    for _ in range(settings.steps):
        image = scaled.T @ (scaled @ way) + settings.ridge * way
        step = size / (way * image).sum(axis=0)
        change += step * way
        left -= step * image
        before, size = size, (left * left).sum(axis=0)
        way = left + size / before * way
    return change


def whole(rows: Array) -> NDArray[np.int8]:
    """Rows as whole numbers of one scale, which lengths of 1 undo.

    Nothing is cut off: with the largest ten-thousandth clipped, names that matter most lose most, and the correlation
    of any two sentences fell by .015.
    """
    return np.rint(rows * (127 / np.abs(rows).max())).astype(np.int8)


def unit(rows: Array) -> Array:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
