"""Many texts, each embedded once: equal texts and texts of an earlier run cost nothing. Here is also what every
embedder does to texts before the model, and to vectors after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from seamline.errors import ProviderError
from seamline.protocols import Embedder, PartEmbedder
from seamline.records import Embedding

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
) -> tuple[list[Embedding], Counts]:
    """What the model makes of each text, in order, and how many different texts were computed and how many the cache
    knew. Parts come where the model tells them.

    What is computed is in the cache after each batch, so a run that is stopped goes on where it was.
    """
    times = Counter(texts)
    tally = EmbeddingCounts(len(texts), progress)
    made = cache.get(embedder.fingerprint, list(times), embedder.dimensions) if cache is not None else {}
    cached = len(made)
    tally.add(sum(times[text] for text in made))
    missing = [text for text in times if text not in made]
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        found = _embed(embedder, batch)
        if cache is not None:
            cache.put(embedder.fingerprint, batch, found)
        made |= zip(batch, found, strict=True)
        tally.add(sum(times[text] for text in batch))
    return [made[text] for text in texts], Counts(len(missing), cached)


def _embed(embedder: Embedder, texts: Sequence[str]) -> list[Embedding]:
    """What the model makes of some texts, checked."""
    if not isinstance(embedder, PartEmbedder):
        return [Embedding(row) for row in checked(embedder, embedder.embed(texts), len(texts))]
    made = embedder.embed_parts(texts)
    rows = checked(embedder, stack_vectors(made, embedder.dimensions), len(texts))
    for _, parts in made:
        if parts is not None and not (parts.dtype == np.int8 and parts.shape[1:] == (embedder.dimensions,)):
            raise ProviderError(f"the embedder {embedder.name} made parts of {parts.dtype} {parts.shape}")
    return [Embedding(row, one.parts) for row, one in zip(rows, made, strict=True)]


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


def stack_vectors(made: Sequence[Embedding], dimensions: int) -> Vector:
    """The vectors of some texts as rows."""
    return np.stack([one.vector for one in made]) if made else np.empty((0, dimensions), np.float32)


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
