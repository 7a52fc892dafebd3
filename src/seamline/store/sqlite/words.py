"""Which entries hold which words, and how often; and the best of them by BM25, exactly.

A word's postings are two arrays: entries, ascending, and counts. Rare words are scored first. Once the k-th best so far
is ahead of all that the words left could add, entries that hold only those are not looked at (MaxScore). Of words that
a large share of all entries hold, sums are made in one array of all entries.

Two words that stand side by side have postings too, under a key that is no word. Pairs share them by their hash: some
entries are in the postings of a pair that they do not hold, and none that holds it is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

from seamline.store import bm25

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WIDTHS = ("<u1", "<u2", "<u4")
_DENSE = 1 / 16
"""Share of all entries from which on sums are made in an array of all of them."""
_PAIR_BITS = 12
"""Pairs of words share 4,096 postings: an entry of 300 words is in 7% of them, and takes two to three bytes in each."""
_ROUGH = 1e-4
"""How far a sum in 32 bits may be off, and more than that, as a share of it."""


class Postings(NamedTuple):
    """The entries that hold a word."""

    docs: NDArray[np.int32]
    """By their place in a segment, or in all of them; ascending."""
    counts: NDArray[np.integer]
    """In as few bytes as the largest needs: many postings are kept in memory."""


class Collection(NamedTuple):
    """What BM25 has to know about all entries."""

    total: int
    """How many have words."""
    norms: NDArray[np.float64]
    """What the length of each is worth, see `bm25.norms`."""
    singles: NDArray[np.float32]
    """The weight of a word that occurs once in it, as most do."""


def count_words(texts: Sequence[Sequence[str]]) -> dict[str, Postings]:
    """Postings of the words of some entries, which are numbered from 0."""
    codes: dict[str, int] = {}
    flat = np.fromiter((codes.setdefault(word, len(codes)) for text in texts for word in text), np.int64)
    return _group(flat, _owners(texts), codes)


def count_pairs(texts: Sequence[Sequence[str]]) -> dict[str, Postings]:
    """Postings of the words of some entries that stand side by side, by `pair_keys`."""
    owners, slots = _owners(texts), _pair_slots([*chain.from_iterable(texts)])
    within = owners[1:] == owners[:-1]
    return _group(slots[within], owners[1:][within], {_pair_key(slot): slot for slot in range(1 << _PAIR_BITS)})


def pair_keys(words: Sequence[str]) -> list[str]:
    """Under which keys the postings stand of the pairs of some words in a row."""
    return [_pair_key(slot) for slot in np.unique(_pair_slots(words)).tolist()]


def _pair_key(slot: int) -> str:
    return f" {slot}"  # no word has a space


def _pair_slots(words: Sequence[str]) -> NDArray[np.int64]:
    """A number for each word and the next, the same wherever they stand."""
    known = {word: crc32(word.encode("utf-8", "surrogatepass")) for word in {*words}}
    hashes = np.fromiter((known[word] for word in words), np.uint32, len(words))
    mixed = (hashes[:-1] * np.uint32(0x9E3779B1) ^ hashes[1:]) * np.uint32(0x85EBCA6B)
    return (mixed >> np.uint32(32 - _PAIR_BITS)).astype(np.int64)


def _owners(texts: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """The number of its entry for each word of some entries."""
    return np.repeat(np.arange(len(texts)), [len(text) for text in texts])


def _group(flat: NDArray[np.int64], owners: NDArray[np.int64], codes: Mapping[str, int]) -> dict[str, Postings]:
    """Postings of all codes that occur; `codes` are numbers from 0 up, in order."""
    entries = int(owners.max(initial=0)) + 1
    found, counts = np.unique(flat * entries + owners, return_counts=True)
    docs = (found % entries).astype(np.int32)
    edges = np.searchsorted(found // entries, np.arange(len(codes) + 1)).tolist()
    spans = ((key, edges[code], edges[code + 1]) for key, code in codes.items())
    return {key: Postings(docs[start:end], counts[start:end]) for key, start, end in spans if end > start}


def pack_numbers(numbers: NDArray[np.integer]) -> bytes:
    """Numbers from 0 up, in as few bytes each as the largest needs; the first byte says how many."""
    largest = int(numbers.max()) if len(numbers) else 0
    width = 0 if largest < 1 << 8 else 1 if largest < 1 << 16 else 2
    return bytes([width]) + numbers.astype(_WIDTHS[width]).tobytes()


def unpack_numbers(data: bytes) -> NDArray[np.integer]:
    """The reverse of `pack_numbers`."""
    return np.frombuffer(data, _WIDTHS[data[0]], offset=1)


def pack_postings(postings: Postings) -> tuple[bytes, bytes]:
    """Gaps between entries and counts: two to three bytes for an entry."""
    return pack_numbers(np.diff(postings.docs, prepend=0)), pack_numbers(postings.counts)


def unpack_postings(docs: bytes, counts: bytes) -> Postings:
    """The reverse of `pack_postings`."""
    return Postings(np.cumsum(unpack_numbers(docs), dtype=np.int32), unpack_numbers(counts))


def find_best(
    asked: Sequence[str],
    k: int,
    postings: Callable[[str], Postings],
    among: Collection,
    allowed: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The entries with the `k` highest BM25 scores, and all that equal the last of them, in any order."""
    found = [part for word in asked if len((part := postings(word)).docs)]
    found.sort(key=lambda part: len(part.docs))
    left = [(bm25.K1 + 1) * sum(_worth(part, among) for part in found[at:]) for at in range(len(found) + 1)]
    docs, scores = np.empty(0, np.int32), np.empty(0, np.float64)
    closed = False
    for at, part in enumerate(found):
        if closed:
            scores = scores + _scores_at(docs, part, among)
        elif at and len(docs) + len(part.docs) > len(among.norms) * _DENSE:
            docs, scores = _add_all(docs, scores, found[at:], left[at:], k, among, allowed)
            break
        else:
            docs, scores = _merge(docs, scores, *_score(part, among, allowed))
        least = least_of_best(scores, k)
        closed = closed or least > left[at + 1]
        if closed:
            # With room for rounding: sums in another order differ in the last bits.
            kept = scores + left[at + 1] * (1 + 1e-9) >= least * (1 - 1e-9)
            docs, scores = docs[kept], scores[kept]
    return _keep_best(docs, scores, k)


def find_every(
    asked: Sequence[str],
    k: int,
    postings: Callable[[str], Postings],
    among: Collection,
    allowed: NDArray[np.bool_] | None,
    pairs: Sequence[str] = (),
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The same of the entries that hold all words, and may hold all pairs: those that hold the rarest, without what
    another one lacks. Pairs are looked at after rare words, which are in memory, and before common ones."""
    words = sorted((postings(word) for word in asked), key=lambda part: len(part.docs))
    rare = [part for part in words if len(part.docs) < len(among.norms) * _DENSE]
    docs: NDArray[np.int32] | None = None
    for part in chain(rare, map(postings, pairs), words[len(rare) :]):
        docs = part.docs if docs is None or not len(part.docs) else docs[_held_at(docs, part)[1]]
        if not len(docs):
            break
    docs = np.empty(0, np.int32) if docs is None else docs
    docs = docs if allowed is None else docs[allowed[docs]]
    scores = np.zeros(len(docs))
    for part in words if len(docs) else ():
        scores += _scores_at(docs, part, among)
    return _keep_best(docs, scores, k)


def _keep_best(
    docs: NDArray[np.int32], scores: NDArray[np.float64], k: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The `k` highest of scores above 0, and all that equal the last of them."""
    kept = scores >= max(least_of_best(scores, k), np.finfo(np.float64).tiny)
    return docs[kept], scores[kept]


def _add_all(
    docs: NDArray[np.int32],
    scores: NDArray[np.float64],
    rest: Sequence[Postings],
    left: Sequence[float],
    k: int,
    among: Collection,
    allowed: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Scores with those of common words added: roughly for all entries, in one array of 32 bits, and then exactly for
    those that may be among the best. Sorting so many, or weighing each in 64 bits, would take twice as long.

    `left` is what the words from each on add at most. Once few entries may be among the best, whatever the words left
    add to them, these words are looked up in those entries alone: a word that nearly all entries hold is worth next to
    nothing, and takes the longest to add."""
    sums = np.zeros(len(among.norms), np.float32)
    sums[docs] = scores
    found, least = docs, least_of_best(scores, k) * (1 - _ROUGH)  # who was ahead without these words stays so
    for at, part in enumerate(rest, start=1):
        _add_roughly(sums, part, among)
        ahead = sums[_at_least(sums, least, allowed)]
        least = max(least, least_of_best(ahead, k) * (1 - _ROUGH))
        needed, is_last = least - left[at], at == len(rest)
        if is_last or needed > 0:
            found = _at_least(sums, needed, allowed)
            if is_last or len(found) < len(rest[at].docs) * _DENSE:
                break
    exact = np.zeros(len(found))
    held = np.minimum(np.searchsorted(docs, found), max(0, len(docs) - 1))
    if len(docs):
        exact += np.where(docs[held] == found, scores[held], 0.0)
    for part in rest:
        exact += _scores_at(found, part, among)
    return found, exact


def _add_roughly(sums: NDArray[np.float32], part: Postings, among: Collection) -> None:
    """Add the scores of a word to the sums of all entries."""
    worth = np.float32(_worth(part, among))
    sums[part.docs] += worth * among.singles[part.docs]
    often = np.flatnonzero(part.counts != 1)
    more = part.docs[often]
    sums[more] += worth * (_weigh(part.counts[often], among.norms[more]) - among.singles[more])


def _at_least(sums: NDArray[np.float32], least: float, allowed: NDArray[np.bool_] | None) -> NDArray[np.int32]:
    """The allowed entries with such a sum, or a higher one, above 0."""
    found = np.flatnonzero(sums >= np.float32(max(least, 1e-30))).astype(np.int32)
    return found if allowed is None else found[allowed[found]]


def _weigh(counts: NDArray[np.integer], norms: NDArray[np.float64]) -> NDArray[np.float32]:
    return bm25.weights(counts, norms).astype(np.float32)


def _worth(part: Postings, among: Collection) -> float:
    return bm25.idf(among.total, len(part.docs))


def _score(
    part: Postings, among: Collection, allowed: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    docs, counts = part
    if allowed is not None:
        kept = allowed[docs]
        docs, counts = docs[kept], counts[kept]
    return docs, _worth(part, among) * bm25.weights(counts, among.norms[docs])


def _scores_at(docs: NDArray[np.int32], part: Postings, among: Collection) -> NDArray[np.float64]:
    """What a word adds to these entries: 0 where they do not hold it."""
    at, held = _held_at(docs, part)
    return np.where(held, _worth(part, among) * bm25.weights(part.counts[at], among.norms[docs]), 0.0)


def _held_at(docs: NDArray[np.int32], part: Postings) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each entry stands in the postings of a word, and whether it is there."""
    at = np.minimum(np.searchsorted(part.docs, docs), len(part.docs) - 1)
    return at, part.docs[at] == docs


def _merge(
    docs: NDArray[np.int32], scores: NDArray[np.float64], more: NDArray[np.int32], added: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Sums of scores by entry; both lists are ascending."""
    if not len(docs):
        return more, added
    both, sums = np.concatenate((docs, more)), np.concatenate((scores, added))
    order = np.argsort(both, kind="stable")
    both, sums = both[order], sums[order]
    starts = np.flatnonzero(np.diff(both, prepend=-1))
    return both[starts], np.add.reduceat(sums, starts)


def least_of_best(scores: NDArray[np.floating], k: int) -> float:
    """The k-th best; below 0 where there are fewer."""
    return float(np.partition(scores, len(scores) - k)[len(scores) - k]) if len(scores) >= k else -1.0


def merge_postings(parts: Mapping[int, Postings], places: Mapping[int, NDArray[np.int64]]) -> Postings:
    """Postings of several segments as one; `places` says where each entry of a segment goes, -1 for nowhere."""
    docs = np.concatenate([places[number][part.docs] for number, part in parts.items()]).astype(np.int32)
    counts = np.concatenate([part.counts for part in parts.values()])
    kept = docs >= 0
    return Postings(docs[kept], counts[kept])
