"""Many texts, each embedded once: equal texts and texts of an earlier run cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from seamline.errors import ProviderError
from seamline.protocols import Embedder

if TYPE_CHECKING:
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
    tally = Tally(len(texts), progress)
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


class Tally:
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
