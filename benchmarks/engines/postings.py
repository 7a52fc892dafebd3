"""BM25 with numpy alone: for every word the rows that hold it and how often, in mapped arrays; scores are exact."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

K1, B = 1.2, 0.75

Array = np.ndarray[Any, Any]


def write(folder: Path, first_row: int, batches: Iterable[Sequence[str]]) -> None:
    """One segment of texts whose words are separated by spaces, numbered from `first_row`."""
    known: dict[str, int] = {}
    parts, lengths = [], []
    for texts in batches:
        split = [text.split() for text in texts]
        ids = np.array([known.setdefault(word, len(known)) for row in split for word in row], np.int64)
        lengths.append(np.array([len(row) for row in split], np.int32))
        start = sum(map(len, lengths[:-1]))
        rows = np.repeat(np.arange(start, start + len(split)), lengths[-1])
        keys, counts = np.unique(ids << 32 | rows, return_counts=True)
        parts.append(((keys >> 32).astype(np.int32), keys.astype(np.int32), counts.astype(np.uint16)))
    sizes = sum((np.bincount(words, minlength=len(known)) for words, _, _ in parts), np.zeros(len(known), np.int64))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    folder.mkdir(parents=True)
    rows_file = np.lib.format.open_memmap(folder / "rows.npy", "w+", np.int32, (int(starts[-1]),))
    counts_file = np.lib.format.open_memmap(folder / "counts.npy", "w+", np.uint16, (int(starts[-1]),))
    free = starts[:-1].copy()
    for words, rows, counts in parts:
        found = np.bincount(words, minlength=len(known))
        before = np.cumsum(found) - found
        places = free[words] + np.arange(len(words)) - before[words]
        rows_file[places], counts_file[places] = rows, counts
        free += found
    np.save(folder / "starts.npy", starts)
    np.save(folder / "lengths.npy", np.concatenate(lengths))
    (folder / "words.json").write_text(json.dumps({"first": first_row, "words": list(known)}))


class Segment:
    """One written segment, opened."""

    def __init__(self, folder: Path) -> None:
        about = json.loads((folder / "words.json").read_text())
        self.first = int(about["first"])
        self._number = {word: n for n, word in enumerate(about["words"])}
        names = ("starts", "rows", "counts", "lengths")
        self.starts, self._rows, self._counts, self.lengths = (
            np.load(folder / f"{name}.npy", mmap_mode="r") for name in names
        )

    def find(self, word: str) -> tuple[Array, Array]:
        """Rows that hold a word, counted from the segment's first, and how often each does."""
        number = self._number.get(word)
        if number is None:
            return np.zeros(0, np.int32), np.zeros(0, np.uint16)
        found = slice(*self.starts[number : number + 2])
        return self._rows[found], self._counts[found]


class Postings:
    """All segments of a folder, less the rows that were removed."""

    def __init__(self, folder: Path) -> None:
        self.segments = [Segment(path) for path in sorted(folder.glob("segment-*"))]
        removed = folder / "removed.npy"
        self._removed = np.load(removed) if removed.exists() else np.zeros(0, np.int64)
        self.size = sum(len(segment.lengths) for segment in self.segments)
        self._mean = sum(float(segment.lengths.sum(dtype=np.int64)) for segment in self.segments) / self.size

    def search(self, words: Sequence[str], k: int, among: Array | None = None) -> tuple[Array, Array]:
        """Rows and scores of the best `k`, best first, lower rows first; `among` names the rows that may be found."""
        found = [[segment.find(word) for segment in self.segments] for word in words]
        held = [sum(len(rows) for rows, _ in parts) for parts in found]
        weights = [float(np.log1p((self.size - n + 0.5) / (n + 0.5))) for n in held]
        best = []
        for at, segment in enumerate(self.segments):
            scores = np.zeros(len(segment.lengths), np.float32)
            for weight, parts in zip(weights, found, strict=True):
                rows, counts = parts[at]
                often = counts.astype(np.float32)
                norm = segment.lengths[rows] * np.float32(K1 * B / self._mean) + np.float32(K1 * (1 - B))
                scores[rows] += np.float32(weight * (K1 + 1)) * often / (often + norm)
            best.append(self._best(segment, scores, k, among))
        rows, scores = (np.concatenate(part) for part in zip(*best, strict=True))
        order = np.lexsort((rows, -scores))[:k]
        return rows[order], scores[order]

    def _best(self, segment: Segment, scores: Array, k: int, among: Array | None) -> tuple[Array, Array]:
        last = segment.first + len(scores)
        gone = self._removed[(self._removed >= segment.first) & (self._removed < last)]
        scores[gone - segment.first] = 0
        if among is not None:
            rows = among[(among >= segment.first) & (among < last)] - segment.first
        elif len(scores) > k:
            rows = np.flatnonzero(scores >= max(np.partition(scores, -k)[-k], np.float32(1e-9)))
        else:
            rows = np.arange(len(scores))
        rows = rows[scores[rows] > 0]
        return rows + segment.first, scores[rows]
