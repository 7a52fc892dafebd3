"""A made-up corpus of any size for engines: analysed words of real documents and vectors in clusters that overlap.

Chunks have 120 to 240 words, 10 to a document. Two thirds of the words are drawn as often as they occur in the real
documents; one third are drawn from 25 words of the document's own, so that words repeat as they do in texts. Each
document stands on one of 100 shelves: a filter by shelf lets 1% through.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import markdown, prose
from benchmarks.store.corpus import DIMENSIONS, _vectors
from seamline.text.words import COMMON, words

LONGEST, SHORTEST = 240, 120
PER_DOCUMENT = 10
SHELVES = 100
_OWN = 25
_PART = 50_000
K = 10

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Question:
    """What is asked, in both forms, and the shelf of the chunk that it is about."""

    words: tuple[str, ...]
    vector: Array
    shelf: int


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

    def texts(self, first: int, last: int) -> list[str]:
        vocabulary, rows = self.vocabulary, self.ids[first:last].tolist()
        return [" ".join(vocabulary[word] for word in row if word >= 0) for row in rows]

    def questions(self, count: int, seed: int = 1) -> list[Question]:
        """Two to eight content words of a chunk, and a vector near that of the chunk."""
        rng = np.random.default_rng(seed)
        return [self._question(int(chunk), rng) for chunk in rng.choice(self.size, count, replace=False)]

    def _question(self, chunk: int, rng: np.random.Generator) -> Question:
        row = self.ids[chunk]
        content = sorted({self.vocabulary[word] for word in row[row >= 0]} - COMMON)
        asked = rng.choice(content, int(rng.integers(2, 9)), replace=False)
        vector = self.vectors[chunk] + rng.normal(0, 0.4 / DIMENSIONS**0.5, DIMENSIONS).astype(np.float32)
        normal = (vector / np.linalg.norm(vector)).astype(np.float32)
        return Question(tuple(map(str, asked)), normal, shelf_of(chunk))

    def shelf_rows(self, shelf: int) -> Array:
        """The rows of the chunks on a shelf, in order."""
        documents = np.arange(shelf, -(-self.size // PER_DOCUMENT), SHELVES)
        rows = (documents[:, None] * PER_DOCUMENT + np.arange(PER_DOCUMENT)).ravel()
        return rows[rows < self.size]


def shelf_of(chunk: int) -> int:
    return chunk // PER_DOCUMENT % SHELVES


def make(folder: Path, size: int, data: Path) -> Corpus:
    """The corpus of a size, made where it was not made before."""
    if not (folder / "about.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(size)
        vocabulary, shares = _vocabulary(data)
        (folder / "vocabulary.json").write_text(json.dumps(vocabulary))
        _words(folder / "words.npy", size, shares, rng)
        _vectors(folder / "vectors.npy", size, rng)
        (folder / "about.json").write_text(json.dumps({"size": size}))
    return Corpus(folder)


def _vocabulary(data: Path) -> tuple[list[str], Array]:
    counts: Counter[str] = Counter()
    for sample in (*prose(data), *markdown(data)):
        counts.update(words(sample.text))
    kept = counts.most_common()
    total = sum(count for _, count in kept)
    return [word for word, _ in kept], np.array([count / total for _, count in kept])


def _words(path: Path, size: int, shares: Array, rng: np.random.Generator) -> None:
    out = np.lib.format.open_memmap(path, "w+", np.int32, (size, LONGEST))
    steps = np.cumsum(shares)
    for first in range(0, size, _PART):
        rows = min(_PART, size - first)
        drawn = np.searchsorted(steps, rng.random((rows, LONGEST)) * steps[-1]).astype(np.int32)
        own = np.searchsorted(steps, rng.random((-(-rows // PER_DOCUMENT), _OWN)) * steps[-1]).astype(np.int32)
        picked = own[np.arange(rows)[:, None] // PER_DOCUMENT, rng.integers(0, _OWN, (rows, LONGEST))]
        drawn = np.where(rng.random((rows, LONGEST)) < 1 / 3, picked, drawn)
        drawn[np.arange(LONGEST)[None, :] >= rng.integers(SHORTEST, LONGEST + 1, rows)[:, None]] = -1
        out[first : first + rows] = drawn
    out.flush()


if __name__ == "__main__":
    import sys

    from benchmarks.common import DATA

    make(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else DATA)
