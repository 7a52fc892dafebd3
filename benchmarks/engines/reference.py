"""The exact answers that engines are held against: BM25 with lengths as they are, and nearest vectors in float32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines.corpus import Corpus, K, Question
from benchmarks.engines.postings import K1, B

_PART = 100_000

Array = np.ndarray[Any, Any]


class Words:
    """Scores of any chunk, exactly; made of the corpus itself, not of an index."""

    def __init__(self, corpus: Corpus, questions: list[Question]) -> None:
        self._corpus, self._questions = corpus, questions
        number = {word: n for n, word in enumerate(corpus.vocabulary)}
        self._asked = [[number[word] for word in question.words] for question in questions]
        held, total = np.zeros(len(number), np.int64), 0
        self._bests: dict[bool, list[float]] = {}
        for first in range(0, corpus.size, _PART):
            part = np.sort(corpus.ids[first : first + _PART], axis=1)
            total += int((part >= 0).sum())
            new = np.ones(part.shape, bool)
            new[:, 1:] = part[:, 1:] != part[:, :-1]
            held += np.bincount(part[new & (part >= 0)], minlength=len(held))
        self._mean = total / corpus.size
        self._weights = np.log1p((corpus.size - held + 0.5) / (held + 0.5)) * (K1 + 1)

    def scores(self, question: int, rows: Array) -> Array:
        """Exact scores of some rows."""
        chunks = np.asarray(self._corpus.ids[rows])
        norm = K1 * (1 - B + B * (chunks >= 0).sum(axis=1) / self._mean)
        scores = np.zeros(len(chunks))
        for word in self._asked[question]:
            often = (chunks == word).sum(axis=1)
            scores += self._weights[word] * often / (often + norm)
        return scores

    def bars(self, postings: Any, *, shelved: bool) -> list[tuple[float, int]]:
        """For each question the score of the last of the ten best and how many these are, where fewer hold a word.

        `postings` only finds the candidates; their scores are made here.
        """
        bars = []
        for n, question in enumerate(self._questions):
            among = self._corpus.shelf_rows(question.shelf) if shelved else None
            rows, _ = postings.search(question.words, 4 * K, among)
            best = np.sort(self.scores(n, np.sort(rows)))[-K:]
            bars.append((float(best[0]) if len(best) else 0.0, len(best)))
        return bars

    def recall(self, n: int, rows: list[int], bar: tuple[float, int]) -> float:
        """The share of the ten best that is found; equal scores count the same."""
        if not bar[1]:
            return 1.0
        return min(1.0, float((self.scores(n, np.array(sorted(rows), int)) >= bar[0] - 1e-9).sum()) / bar[1])


def nearest(vectors: Array, questions: list[Question], among: Any = None) -> list[Array]:
    """The ten nearest rows of each question, of all or of those that `among` gives for its shelf."""
    if among is not None:
        return [(rows := among(q.shelf))[_order(vectors[rows] @ q.vector)] for q in questions]
    asked = np.stack([question.vector for question in questions])
    best = np.full((len(questions), K), -2, np.float32)
    found = np.zeros((len(questions), K), np.int64)
    for first in range(0, len(vectors), _PART):
        part = np.hstack([best, asked @ vectors[first : first + _PART].T])
        new = np.arange(first, first + part.shape[1] - K)
        rows = np.hstack([found, np.broadcast_to(new, (len(asked), len(new)))])
        order = np.argsort(-part, axis=1, kind="stable")[:, :K]
        best, found = np.take_along_axis(part, order, 1), np.take_along_axis(rows, order, 1)
    return list(found)


def _order(scores: Array) -> Array:
    return np.argsort(-scores, kind="stable")[:K]


def prepare(corpus: Corpus, folder: Path, count: int) -> Path:
    """The exact answers of the questions of vectors, kept in a file."""
    path = folder / f"nearest-{corpus.size}-{count}.npz"
    if not path.exists():
        questions = corpus.questions(count)
        all_rows = nearest(corpus.vectors, questions)
        shelved = nearest(corpus.vectors, questions, corpus.shelf_rows)
        np.savez(path, all=np.stack(all_rows), shelved=np.stack(shelved))
    return path
