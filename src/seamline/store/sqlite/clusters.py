"""Vectors in clusters of near ones: a search looks into the clusters nearest to the query, and compares codes of a byte
per dimension there. The vectors themselves decide among those that the codes cannot tell apart.

A code errs by no more than is stored beside it, so nothing is lost by comparing codes first: within the clusters that
are looked into, the result is exact. Up to `EXACT` vectors there is one cluster, which makes the whole search exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from seamline.store.sqlite.words import least_of_best

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Vector

EXACT = 20_000
"""Up to so many vectors each is compared with the query: 8 MB of codes, 2 ms."""
PER_CENTROID = 32
"""Vectors that a centroid is trained with."""
_ROUNDS = 8
_BLOCK = 8192
"""Vectors that are assigned at once."""
_AT_ONCE = 512
"""Codes that are compared at once."""
_ROUNDING = 1e-6
"""Of 384 products in 32 bits, and more."""


class Codes(NamedTuple):
    """Vectors of one cluster and one segment."""

    docs: NDArray[np.int64]
    """Their entries by place in the segment, or in all of them; ascending."""
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]
    """A vector is about its code times this."""
    errors: NDArray[np.float32]
    """Length of what the code leaves out."""

    def take(self, kept: NDArray[np.bool_]) -> Codes:
        """Those of them that are marked."""
        return Codes(self.docs[kept], self.codes[kept], self.scales[kept], self.errors[kept])


class Bounds(NamedTuple):
    """Entries, and what their similarity to a query is at least and at most."""

    docs: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def encode(docs: NDArray[np.int64], vectors: Vector) -> Codes:
    """The codes of some vectors."""
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), np.float32(1e-30)) / np.float32(127)
    codes = np.rint(vectors / scales[:, None]).astype(np.int8)
    errors = np.linalg.norm(vectors - codes * scales[:, None], axis=1)
    return Codes(docs, codes, scales.astype(np.float32), errors.astype(np.float32))


def pack_codes(codes: Codes) -> bytes:
    """Codes as bytes."""
    parts = (codes.docs.astype("<u4"), codes.scales.astype("<f4"), codes.errors.astype("<f4"), codes.codes)
    return len(codes.docs).to_bytes(4, "little") + b"".join(part.tobytes() for part in parts)


def unpack_codes(data: bytes) -> Codes:
    """The reverse of `pack_codes`."""
    count = int.from_bytes(data[:4], "little")
    docs = np.frombuffer(data, "<u4", count, 4).astype(np.int64)
    scales = np.frombuffer(data, "<f4", count, 4 + 4 * count)
    errors = np.frombuffer(data, "<f4", count, 4 + 8 * count)
    codes = np.frombuffer(data, np.int8, offset=4 + 12 * count).reshape(count, -1)
    return Codes(docs, codes, scales, errors)


def join_codes(parts: Sequence[Codes]) -> Codes:
    """Codes of several segments, whose entries are numbered through."""
    return Codes(*(np.concatenate(columns) for columns in zip(*parts, strict=True))) if len(parts) > 1 else parts[0]


def merge_codes(parts: Sequence[tuple[Codes, NDArray[np.int64]]]) -> Codes:
    """Codes of several segments as one, each with where its entries go, -1 for nowhere."""
    docs = np.concatenate([places[codes.docs] for codes, places in parts])
    columns = (np.concatenate([getattr(codes, name) for codes, _ in parts]) for name in ("codes", "scales", "errors"))
    return Codes(docs, *columns).take(docs >= 0)


def estimate(parts: Sequence[Codes], query: Vector, allowed: NDArray[np.bool_] | None) -> Bounds:
    """How similar the vectors of some clusters are to a query; of the allowed entries."""
    if allowed is not None:
        parts = [codes.take(allowed[codes.docs]) for codes in parts]
    if not parts:
        return join([])
    near = np.concatenate([_products(codes.codes, query) for codes in parts])
    docs, scales, errors = (
        np.concatenate([getattr(codes, name) for codes in parts]) for name in ("docs", "scales", "errors")
    )
    near = near.astype(np.float64) * scales
    slack = errors.astype(np.float64) * float(np.linalg.norm(query)) + _ROUNDING
    return Bounds(docs, near - slack, near + slack)


def _products(codes: NDArray[np.int8], query: Vector) -> NDArray[np.float32]:
    """The product of each code with a query. Some hundred at a time, which stay in the processor's cache as floats: ten
    thousand take 0.7 ms, and 2 to 8 at once."""
    found = np.empty(len(codes), np.float32)
    for at in range(0, len(codes), _AT_ONCE):
        np.dot(codes[at : at + _AT_ONCE].astype(np.float32), query, out=found[at : at + _AT_ONCE])
    return found


def undecided(bounds: Bounds, k: int) -> Bounds:
    """Those that may be among the `k` nearest."""
    if len(bounds.docs) <= k:
        return bounds
    kept = bounds.high >= least_of_best(bounds.low, k)
    return Bounds(bounds.docs[kept], bounds.low[kept], bounds.high[kept])


def join(parts: Iterable[Bounds]) -> Bounds:
    """All bounds as one."""
    found = [part for part in parts if len(part.docs)]
    if not found:
        return Bounds(np.empty(0, np.int64), np.empty(0), np.empty(0))
    return Bounds(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def centroids_for(vectors: int) -> int:
    """How many clusters so many vectors are put into."""
    return max(2, int(2 * sqrt(vectors)))


def probes_for(centroids: int, share: float) -> int:
    """How many clusters are looked into, where a filter lets this share of the entries through: the nearest among few
    lie farther away, in more clusters."""
    return min(centroids, max(24, int(0.03 * centroids / max(share, 1e-4) ** (1 / 3))))


def train(vectors: Vector, centroids: int) -> Vector:
    """Centroids of length 1, by k-means. The same vectors give the same centroids."""
    found = vectors[:: max(1, len(vectors) // centroids)][:centroids].copy()
    for _ in range(_ROUNDS):
        nearest = assign(vectors, found)
        order = np.argsort(nearest, kind="stable")
        starts = np.searchsorted(nearest[order], np.arange(len(found) + 1))
        for number in range(len(found)):
            members = vectors[order[starts[number] : starts[number + 1]]]
            if len(members):
                mean = members.sum(axis=0)
                found[number] = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return found


def assign(vectors: Vector, centroids: Vector) -> NDArray[np.int64]:
    """The nearest centroid of each vector."""
    if len(centroids) <= 1:
        return np.zeros(len(vectors), np.int64)
    blocks = (vectors[at : at + _BLOCK] for at in range(0, len(vectors), _BLOCK))
    return np.concatenate([np.argmax(block @ centroids.T, axis=1) for block in blocks] or [np.empty(0, np.int64)])
