"""Recall, precision and IoU of what a question finds, in characters of the answer: the definitions of chunkbench.

With R the answer's spans and C the passages found: recall is |R in C| / |R|; precision is |R in C| / sum of |C|, where
text that is found twice is paid for twice; IoU is |R in C| / (sum of |C| + |R not in C|). The size of a passage is that
of all its text, so that repeated headings are paid for; `bodies` counts what it owns of the document alone, as the
published tables do. Text that a peer owns and does not show, such as the indentation of code, counts as shown: what is
in it is counted as found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.quality.questions import Question, Ref, overlaps


class Passage(NamedTuple):
    """A chunk of a document, by anybody."""

    where: Ref
    """What it owns of the document."""
    text: str
    """What is shown."""
    searched: str = ""
    """What is searched, where that is not what is shown."""
    about: tuple[str, ...] = ()
    """Texts in other words that lead to it."""


class Measure(NamedTuple):
    """What one question found."""

    recall: float
    precision: float
    iou: float
    bodies: float
    """IoU where borrowed text costs nothing."""
    size: float
    """Characters of all that was found."""


COLUMNS = Measure._fields
Scores = Any
"""A row per question, a column per field of `Measure`."""


def measure(question: Question, found: Sequence[Passage]) -> Measure:
    total = sum(end - start for _, start, end in question.refs)
    hit, missed = _hit(question.refs, [passage.where for passage in found])
    owned = sum(passage.where.end - passage.where.start for passage in found)
    size = max(owned, sum(len(passage.text) for passage in found))
    return Measure(
        hit / total,
        hit / size if size else 0.0,
        hit / (size + missed) if size + missed else 0.0,
        hit / (owned + missed) if owned + missed else 0.0,
        size,
    )


def _hit(refs: Sequence[Ref], found: Sequence[Ref]) -> tuple[int, int]:
    """Characters of the answer that were found, each once; and those that were not, by span."""
    hits: dict[str, set[int]] = {}
    missed = 0
    for ref in refs:
        own: set[int] = set()
        for one in found:
            if overlaps(one, ref):
                own.update(range(max(one.start, ref.start), min(one.end, ref.end)))
        missed += ref.end - ref.start - len(own)
        hits.setdefault(ref.doc, set()).update(own)
    return sum(map(len, hits.values())), missed


def score(
    questions: Sequence[Question], passages: Sequence[Passage], ranked: Sequence[Sequence[int]], k: int
) -> Scores:
    """The measures of every question. What holds the question itself is passed over."""
    rows = []
    for question, order in zip(questions, ranked, strict=True):
        seen = (passages[at] for at in order)
        found = [one for one in seen if not any(overlaps(one.where, gone) for gone in question.hidden)]
        rows.append(measure(question, found[:k]))
    return np.array(rows)


class Difference(NamedTuple):
    """How far one is ahead of another, with the 95% interval of a paired bootstrap."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ({self.low:+.1f} to {self.high:+.1f})"


def answers(questions: Sequence[Question]) -> Any:
    """A number per question, the same for questions that have the same answer."""
    known: dict[tuple[Ref, ...], int] = {}
    return np.array([known.setdefault(question.refs, len(known)) for question in questions])


def by_answer(values: Any, answer: Any) -> Any:
    """The mean of every answer over its questions."""
    return np.bincount(answer, values) / np.bincount(answer)


def ahead(own: Scores, other: Scores, column: str, answer: Any, rounds: int = 2000) -> Difference:
    """Of one measure, in hundredths. What is drawn are answers, as one that many ask for is still one place."""
    at = COLUMNS.index(column)
    differences = 100 * (own[:, at] - other[:, at])
    _, answer = np.unique(answer, return_inverse=True)
    sums, counts = np.bincount(answer, differences), np.bincount(answer)
    rng = np.random.default_rng(7)
    drawn = rng.integers(0, len(sums), (rounds, len(sums)))
    low, high = np.percentile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), (2.5, 97.5))
    return Difference(float(differences.mean()), float(low), float(high))
