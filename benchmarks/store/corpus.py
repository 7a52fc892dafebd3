"""A made-up corpus of any size: words of real documents, as often as they occur; vectors in clusters that overlap.

Chunks are 40 to 80 words long, 20 to a document, and each document stands on one of 100 shelves: a filter by shelf lets
1% through. Vectors have 384 dimensions and 48 that matter: a chunk lies near its topic, a question near its chunk.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import markdown, prose

DIMENSIONS = 384
LATENT = 48
LONGEST = 80
PER_DOCUMENT = 20
SHELVES = 100
ASKED = 5
"""Words of a question, all of one chunk."""
K = 10
_PART = 50_000
_WORD = re.compile(r"[a-z]{2,}")

Array = np.ndarray[Any, Any]


def shelf_of(chunk: int) -> str:
    return f"s{chunk // PER_DOCUMENT % SHELVES}"


@dataclass(frozen=True)
class Question:
    """What is asked, in both forms."""

    text: str
    vector: Array
    shelf: str
    """Where the chunk stands that it is about."""


class Corpus:
    """So many chunks, kept in a folder as arrays."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.size = int(json.loads((folder / "about.json").read_text())["size"])

    @cached_property
    def vocabulary(self) -> list[str]:
        return [str(word) for word in json.loads((self._folder / "vocabulary.json").read_text())]

    @cached_property
    def ids(self) -> Array:
        """Words of every chunk as numbers; -1 behind the last."""
        return np.load(self._folder / "words.npy", mmap_mode="r")

    @cached_property
    def vectors(self) -> Array:
        return np.load(self._folder / "vectors.npy", mmap_mode="r")

    def text(self, chunk: int) -> str:
        return " ".join(self.vocabulary[word] for word in self.ids[chunk] if word >= 0)

    def texts(self, first: int, last: int) -> list[str]:
        vocabulary, rows = self.vocabulary, self.ids[first:last].tolist()
        return [" ".join(vocabulary[word] for word in row if word >= 0) for row in rows]

    def questions(self, count: int, seed: int = 1) -> Iterator[Question]:
        rng = np.random.default_rng(seed)
        for chunk in rng.choice(self.size, count, replace=False):
            row = self.ids[chunk]
            asked = rng.choice(row[row >= 0], ASKED, replace=False)
            vector = self.vectors[chunk] + rng.normal(0, 0.4 / DIMENSIONS**0.5, DIMENSIONS).astype(np.float32)
            text = " ".join(self.vocabulary[word] for word in asked)
            yield Question(text, (vector / np.linalg.norm(vector)).astype(np.float32), shelf_of(int(chunk)))

    def nearest(self, questions: list[Question], *, shelved: bool) -> list[list[int]]:
        """The nearest chunks of each question, exactly; on its shelf, or of all."""
        asked = np.stack([question.vector for question in questions])
        shelves = np.array([int(question.shelf[1:]) for question in questions])
        scores = np.full((len(questions), 0), 0, np.float32)
        found = np.zeros((len(questions), 0), np.int64)
        for first in range(0, self.size, _PART):
            rows = np.arange(first, min(first + _PART, self.size))
            part = asked @ self.vectors[first : first + _PART].T
            if shelved:
                part[shelves[:, None] != (rows // PER_DOCUMENT % SHELVES)[None, :]] = -2
            scores = np.hstack([scores, part])
            found = np.hstack([found, np.broadcast_to(rows, part.shape)])
            best = np.argsort(-scores, axis=1, kind="stable")[:, :K]
            scores, found = np.take_along_axis(scores, best, 1), np.take_along_axis(found, best, 1)
        return [[int(chunk) for chunk in row] for row in found]


def make(folder: Path, size: int, data: Path) -> Corpus:
    """The corpus of a size, made where it was not made before."""
    if not (folder / "about.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(size)
        words, shares = _vocabulary(data)
        (folder / "vocabulary.json").write_text(json.dumps(words))
        _words(folder / "words.npy", size, shares, rng)
        _vectors(folder / "vectors.npy", size, rng)
        (folder / "about.json").write_text(json.dumps({"size": size}))
    return Corpus(folder)


def _vocabulary(data: Path) -> tuple[list[str], Array]:
    counts: Counter[str] = Counter()
    for sample in (*prose(data), *markdown(data)):
        counts.update(_WORD.findall(sample.text.lower()))
    kept = [(word, count) for word, count in counts.most_common() if count > 1]
    total = sum(count for _, count in kept)
    return [word for word, _ in kept], np.array([count / total for _, count in kept])


def _words(path: Path, size: int, shares: Array, rng: np.random.Generator) -> None:
    out = np.lib.format.open_memmap(path, "w+", np.int32, (size, LONGEST))
    steps = np.cumsum(shares)
    for first in range(0, size, _PART):
        rows = min(_PART, size - first)
        drawn = np.searchsorted(steps, rng.random((rows, LONGEST)) * steps[-1]).astype(np.int32)
        drawn[np.arange(LONGEST)[None, :] >= rng.integers(40, LONGEST + 1, rows)[:, None]] = -1
        out[first : first + rows] = drawn
    out.flush()


def _vectors(path: Path, size: int, rng: np.random.Generator) -> None:
    out = np.lib.format.open_memmap(path, "w+", np.float32, (size, DIMENSIONS))
    topics = rng.normal(size=(max(50, size // 2000), LATENT)).astype(np.float32)
    spread = rng.normal(size=(LATENT, DIMENSIONS)).astype(np.float32) / LATENT**0.5
    for first in range(0, size, _PART):
        rows = min(_PART, size - first)
        latent = topics[rng.integers(0, len(topics), rows)] + rng.normal(0, 0.6, (rows, LATENT)).astype(np.float32)
        made = latent @ spread + rng.normal(0, 0.15, (rows, DIMENSIONS)).astype(np.float32)
        out[first : first + rows] = made / np.linalg.norm(made, axis=1, keepdims=True)
    out.flush()
