"""Late chunking: a document is read first and cut after, so that a vector knows what stands around its chunk."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from seamline.embed.vectors import unit
from seamline.errors import ProviderError
from seamline.protocols import Embedder
from seamline.types import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Vector


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that gives a vector for each token of a text."""

    def token_vectors(self, text: str) -> Iterator[tuple[list[tuple[int, int]], NDArray[np.float32]]]:
        """Every token once, in order, some at a time: where it stands, and its vector in the context around it."""
        ...


def embed_late(embedder: Embedder, text: str, spans: Sequence[Span]) -> Vector:
    """One row per span, in order: the mean of its tokens' vectors, each made in the context of the document.

    Spans may be of any length and within each other. One without tokens of its own, such as a rule, is read alone.
    What chunks borrow has no part in their rows: the context is the document itself.
    """
    if not isinstance(embedder, TokenEmbedder):
        raise ProviderError(
            f"the embedder {embedder.name} gives one vector for a text and none for its tokens: late chunking needs a "
            "model that runs here, such as minilm or an ONNX file"
        )
    sums = np.zeros((len(spans), embedder.dimensions), np.float64)
    counts = np.zeros(len(spans), np.int64)
    order = sorted(range(len(spans)), key=lambda at: spans[at].start)
    near: list[int] = []
    passed = 0
    for places, vectors in embedder.token_vectors(text):
        starts = [start for start, _ in places]
        while passed < len(order) and spans[order[passed]].start <= starts[-1]:
            near.append(order[passed])
            passed += 1
        for at in near:
            low, high = bisect_left(starts, spans[at].start), bisect_left(starts, spans[at].end)
            sums[at] += vectors[low:high].sum(axis=0, dtype=np.float64)
            counts[at] += high - low
        near = [at for at in near if spans[at].end > starts[-1]]
    return _rows(embedder, text, spans, sums, counts)


def _rows(
    embedder: Embedder, text: str, spans: Sequence[Span], sums: NDArray[np.float64], counts: NDArray[np.int64]
) -> Vector:
    rows = np.empty(sums.shape, np.float32)
    known = (counts > 0) & np.isfinite(sums).all(axis=1) & sums.any(axis=1)
    if known.any():
        rows[known] = unit(sums[known])
    alone = [int(at) for at in np.flatnonzero(~known)]
    if alone:
        rows[alone] = embedder.embed([text[spans[at].start : spans[at].end] for at in alone])
    return rows
