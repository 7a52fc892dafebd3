"""Ranks passages for questions: BM25 as Lucene works it out, and the cosine of the bundled model's vectors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.quality.indexed import Remembering

DEPTH = 200
"""How many texts are ranked: some may hold the question itself, and several may lead to one passage."""
K1, B = 1.5, 0.75
_WORD = re.compile(r"[a-z0-9]+(?:[._\-/'][a-z0-9]+)*")
_JOINT = re.compile(r"[._\-/']")
_ENGLISH = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
will with
"""
_STOP = frozenset(_ENGLISH.split())
"""Lucene's English list."""


def words(text: str) -> Iterator[str]:
    """Words in lower case; of a compound such as a.b-c itself and its parts."""
    for found in _WORD.findall(text.replace("_", ".").lower()):
        parts = [part for part in _JOINT.split(found) if part]
        for word in (found, *parts) if len(parts) > 1 else (found,):
            if word not in _STOP:
                yield word


def by_words(texts: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
    """The best passages of each question by BM25."""
    counts = [Counter(words(text)) for text in texts]
    lengths = np.array([sum(count.values()) for count in counts], np.float64)
    damping = K1 * (1 - B + B * lengths / max(lengths.mean(), 1e-9))
    rows: dict[str, list[tuple[int, int]]] = {}
    for at, count in enumerate(counts):
        for word, often in count.items():
            rows.setdefault(word, []).append((at, often))
    weights = {word: _weights(found, len(texts), damping) for word, found in rows.items()}
    ranked = []
    for question in questions:
        scores = np.zeros(len(texts))
        for word in words(question):
            if word in weights:
                at, weight = weights[word]
                scores[at] += weight
        ranked.append(_best(scores))
    return ranked


def _weights(found: Sequence[tuple[int, int]], total: int, damping: Any) -> tuple[Any, Any]:
    at, often = np.array(found).T
    rarity = np.log(1 + (total - len(at) + 0.5) / (len(at) + 0.5))
    return at, rarity * often / (often + damping[at])


def by_meaning(embedder: Remembering, texts: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
    """The best passages of each question by cosine."""
    scores = embedder.embed(questions) @ embedder.embed(texts).T
    return [_best(row) for row in scores]


def _best(scores: Any) -> list[int]:
    return [int(at) for at in np.argsort(-scores, kind="stable")[:DEPTH]]
