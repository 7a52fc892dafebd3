"""Greedy: take atoms up to the target, never past the limit."""

from __future__ import annotations

from seamline.cut.pack import Load
from seamline.types import Budget


def fill(load: Load, budget: Budget) -> list[int]:
    """Cut at the last allowed gap within the target; where there is none, at the first within the limit."""
    cuts: list[int] = []
    n = len(load.sums) - 1
    start = 0
    while True:
        cut = next_cut(load, budget, start, n)
        if cut >= n:
            return cuts
        cuts.append(cut)
        start = cut


def next_cut(load: Load, budget: Budget, start: int, n: int) -> int:
    """The end of a greedy chunk that starts at gap `start`."""
    best = 0
    for gap in range(start + 1, n + 1):
        size = load.size(start, gap)
        if gap in load.forbidden:
            continue
        if size <= budget.target:
            best = gap
        elif best or size > budget.limit:
            break
        else:
            return gap
    return best or last_resort(load, budget, start, n)


def last_resort(load: Load, budget: Budget, start: int, n: int) -> int:
    """Nothing allowed fits: the last gap within the limit, forbidden or not."""
    gap = start + 1
    while gap < n and load.size(start, gap + 1) <= budget.limit:
        gap += 1
    return gap
