"""How good the cuts at both ends of a chunk are."""

from __future__ import annotations

from itertools import pairwise

from seamline.enrich.work import Columns, Work

_WHOLE = 0.5
"""What a cut between two sentences, rows or lines is worth; the rest is the strength of the gap's kind."""


def boundaries(work: Work) -> Columns:
    """The mean of both ends. An end is 0.5 where it goes through no sentence and no word, and up to 0.5 more by the
    square root of its gap's score in the recipe: the root, because gaps of paragraphs (20 of 100) are good cuts.
    The start and the end of a document are 1."""
    ends = [1.0] * len(work.chunks)
    starts = [1.0] * len(work.chunks)
    for level in work.levels.values():
        for left, right in pairwise(level):
            ends[left] = starts[right] = _cut(work, left, right)
    return {"boundary": [round((start + end) / 2, 4) for start, end in zip(starts, ends, strict=True)]}


def _cut(work: Work, left: int, right: int) -> float:
    """How good the cut between two chunks of one level is."""
    after = work.chunks[right]
    strength: float = (work.recipe.scores.get(after.seam, 0) / 100) ** 0.5
    torn = after.seam == "word" or work.prose.splits(after.start) or work.prose.splits(work.chunks[left].end)
    return (0.0 if torn else _WHOLE) + (1 - _WHOLE) * strength
