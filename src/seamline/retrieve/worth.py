"""What a hit is worth in a prompt: how likely it adds to the answer, beside the best one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.hits import Hit
from seamline.retrieve.shelf import Shelf

SHARPNESS = 4.5
"""Worth falls with this power of the score: a text that scores half of the best hardly ever adds anything."""
BESIDE = 2.5
"""How many times as much a hit is worth that stands beside a better one: answers go on, and where one passage of a
document answers, another of an equal score in another document mostly does not."""


class Worth(NamedTuple):
    """A hit and its worth, 0-1; that of the best is 1."""

    hit: Hit
    worth: float


def weighed(hits: Sequence[Hit], shelf: Shelf) -> list[Worth]:
    """The hits by their worth: `(score / best) ** 4.5 / rank`, and 2.5 times that beside a better one.

    The rank counts because scores are close where none stands out: of the tenth hit with nine tenths of the best score
    less is to be expected than of the second. The constants are rounded from a fit to one half of the questions of
    `benchmarks/quality`, and judged by the other.
    """
    best = max((hit.score for hit in hits), default=0.0)
    found = [Worth(hit, worth) for hit, worth in zip(hits, _worths(hits, best, shelf), strict=True)]
    return sorted(found, key=lambda one: -one.worth)  # stable: equal ones stay as they were found


def _worths(hits: Sequence[Hit], best: float, shelf: Shelf) -> Iterator[float]:
    near: set[str] = set()
    for rank, hit in enumerate(hits, start=1):
        share = hit.score / best if best > 0 else 1.0
        beside = BESIDE if not near.isdisjoint(hit.ids) else 1.0
        yield min(1.0, beside * share**SHARPNESS / rank)
        near |= _around(hit, shelf)


def _around(hit: Hit, shelf: Shelf) -> set[str]:
    """The chunks before and after those of a hit."""
    layout = shelf.layout(hit.entry.doc)
    places = [layout.number(layout.by_id[id]) for id in hit.ids]
    ends = {min(places) - 1, max(places) + 1} if places else set()
    return {layout.chunks[n].id for n in ends if 0 <= n < len(layout.chunks)}
