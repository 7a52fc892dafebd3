"""Many texts, each embedded once: equal texts and texts of an earlier run cost nothing. Here is also what every
embedder does to texts before the model, and to vectors after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from seamline.errors import ProviderError
from seamline.protocols import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.protocols import VectorCache
    from seamline.records import Vector


BATCH = 64
"""Texts between two writes to the cache: what Ctrl-C can lose, about 2 s of passages on one core."""

Progress = Callable[[int, int], None]
"""Called with how many texts have their vector, and how many there are."""


class Counts(NamedTuple):
    """Where the vectors of different texts came from."""

    computed: int
    cached: int


def embed_all(
    embedder: Embedder, texts: Sequence[str], *, cache: VectorCache | None = None, progress: Progress | None = None
) -> tuple[Vector, Counts]:
    """One row per text, in order, and how many different texts were computed and how many the cache knew.

    What is computed is in the cache after each batch, so a run that is stopped goes on where it was.
    """
    places = _places(texts)
    vectors = np.empty((len(texts), embedder.dimensions), np.float32)
    tally = EmbeddingCounts(len(texts), progress)
    known = cache.get(embedder.fingerprint, list(places), embedder.dimensions) if cache is not None else {}
    for text, row in known.items():
        vectors[places[text]] = row
    tally.add(sum(len(places[text]) for text in known))
    missing = [text for text in places if text not in known]
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        rows = checked(embedder, embedder.embed(batch), len(batch))
        if cache is not None:
            cache.put(embedder.fingerprint, batch, rows)
        for text, row in zip(batch, rows, strict=True):
            vectors[places[text]] = row
        tally.add(sum(len(places[text]) for text in batch))
    return vectors, Counts(len(missing), len(known))


def _places(texts: Sequence[str]) -> dict[str, list[int]]:
    """Each different text, in order of appearance, with the rows it stands in."""
    places: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        places.setdefault(text, []).append(at)
    return places


class EmbeddingCounts:
    """Tells how far a run is, when that changes."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total = total
        self._progress = progress
        self._done = 0

    def add(self, count: int) -> None:
        self._done += count
        if self._progress and count:
            self._progress(self._done, self._total)


def checked(embedder: Embedder, rows: Vector, count: int) -> Vector:
    """The rows, where they are what an embedder promises; one that anybody wrote may come here."""
    expected = (count, embedder.dimensions)
    if rows.shape != expected:
        raise ProviderError(f"the embedder {embedder.name} made vectors of shape {rows.shape}, not {expected}")
    lengths = np.linalg.norm(rows, axis=1)
    if not np.all(np.abs(lengths - 1) < 1e-3):
        raise ProviderError(f"the embedder {embedder.name} made vectors whose length is not 1")
    return rows.astype(np.float32, copy=False)


def readable(text: str) -> str:
    """The text without lone surrogates, which no tokenizer and no server reads: each becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def unit(rows: NDArray[np.floating]) -> Vector:
    """Rows scaled to length 1. A row of zeros has no direction and must not come here."""
    wide = rows.astype(np.float64)
    # First by the largest number, so that the squares of tiny and of huge ones stay within range.
    wide /= np.abs(wide).max(axis=-1, keepdims=True)
    wide /= np.linalg.norm(wide, axis=-1, keepdims=True)
    return wide.astype(np.float32)
