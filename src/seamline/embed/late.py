"""Late chunking: a document is read first and cut after, so that a vector knows what stands around its chunk."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from seamline.embed.run import BATCH, Counts, EmbeddingCounts, Progress, checked, unit
from seamline.errors import ProviderError
from seamline.protocols import Embedder, TokenEmbedder
from seamline.records import Embedding
from seamline.types import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.protocols import VectorCache
    from seamline.records import Vector

VERSION = 1
"""Of the rules that make a vector of the tokens of a text; another version makes other vectors."""


class Within(NamedTuple):
    """A chunk as it is read late: the text that is read at once, and where the chunk stands in it."""

    text: str
    head: int
    """How many code points at the start of the text count for every chunk: the line of title and headings."""
    start: int
    end: int


def token_embedder(embedder: Embedder) -> TokenEmbedder:
    """The embedder, where it can tell the vectors of tokens; a ProviderError where it cannot."""
    if not isinstance(embedder, TokenEmbedder):
        raise ProviderError(
            f"the embedder {embedder.name} gives one vector for a text and none for its tokens: late chunking needs a "
            "model that runs here, such as seam or an ONNX file"
        )
    embedder.token_room()
    return embedder


def embed_within(
    embedder: Embedder,
    wanted: Sequence[Within],
    *,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
) -> tuple[Vector, Counts]:
    """One row per chunk, in order, and how many different ones were computed and how many the cache knew.

    A text is read once for all its chunks, and is in the cache after: a run that is stopped goes on where it was.
    """
    token_embedder(embedder)
    fingerprint = f"{embedder.fingerprint} late {VERSION}"
    places: dict[str, list[int]] = {}
    for at, key in enumerate(_keys(wanted)):
        places.setdefault(key, []).append(at)
    vectors = np.empty((len(wanted), embedder.dimensions), np.float32)
    tally = EmbeddingCounts(len(wanted), progress)
    known = cache.get(fingerprint, list(places), embedder.dimensions) if cache is not None else {}
    for key, found in known.items():
        vectors[places[key]] = found.vector
    tally.add(sum(len(places[key]) for key in known))
    missing = {key: wanted[rows[0]] for key, rows in places.items() if key not in known}
    for keys, rows in _read(embedder, missing):
        if cache is not None:
            cache.put(fingerprint, keys, [*map(Embedding, rows)])
        for key, row in zip(keys, rows, strict=True):
            vectors[places[key]] = row
        tally.add(sum(len(places[key]) for key in keys))
    return vectors, Counts(len(missing), len(known))


def embed_late(embedder: Embedder, text: str, spans: Sequence[Span], head: int = 0) -> Vector:
    """One row per span, in order: the mean of its tokens' vectors, each made in the context of the text, and of those
    of the first `head` code points, a line that stands above all spans.

    Spans may be of any length and within each other. One without tokens of its own, such as a rule, is read alone.
    What chunks borrow has no part in their rows: the context is the document itself.
    """
    tokens = token_embedder(embedder)
    sums = np.zeros((len(spans), embedder.dimensions), np.float64)
    counts = np.zeros(len(spans), np.int64)
    above = np.zeros(embedder.dimensions, np.float64)
    order = sorted(range(len(spans)), key=lambda at: spans[at].start)
    near: list[int] = []
    passed = 0
    for places, vectors in tokens.token_vectors(text):
        starts = [start for start, _ in places]
        above += vectors[: bisect_left(starts, head)].sum(axis=0, dtype=np.float64)
        while passed < len(order) and spans[order[passed]].start <= starts[-1]:
            near.append(order[passed])
            passed += 1
        for at in near:
            low, high = bisect_left(starts, spans[at].start), bisect_left(starts, spans[at].end)
            sums[at] += vectors[low:high].sum(axis=0, dtype=np.float64)
            counts[at] += high - low
        near = [at for at in near if spans[at].end > starts[-1]]
    return _rows(embedder, text, spans, sums + above, counts)


def _keys(wanted: Sequence[Within]) -> Iterator[str]:
    """What the cache knows each chunk by: the text that is read, and where the chunk stands in it."""
    hashes: dict[str, str] = {}
    for text, head, start, end in wanted:
        if text not in hashes:
            hashes[text] = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        yield f"{hashes[text]} {head} {start} {end}"


def _read(embedder: Embedder, missing: dict[str, Within]) -> Iterator[tuple[list[str], Vector]]:
    """The vectors of chunks that are not known, some texts at a time: each text is read once."""
    texts: dict[tuple[str, int], list[str]] = {}
    for key, one in missing.items():
        texts.setdefault((one.text, one.head), []).append(key)

    def rows_of(keys: list[str]) -> Vector:
        text, head, *_ = missing[keys[0]]
        spans = [Span(missing[key].start, missing[key].end) for key in keys]
        return checked(embedder, embed_late(embedder, text, spans, head), len(spans))

    with ThreadPoolExecutor(token_embedder(embedder).threads) as pool:
        for batch in _batches(texts.values()):
            rows = list(pool.map(rows_of, batch))
            yield [key for keys in batch for key in keys], np.concatenate(rows)


def _batches(texts: Iterable[list[str]]) -> Iterator[list[list[str]]]:
    """Texts with about as many chunks as are embedded between two writes to the cache."""
    batch: list[list[str]] = []
    for keys in texts:
        batch.append(keys)
        if sum(map(len, batch)) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


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
