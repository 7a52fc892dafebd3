"""Greedy: take atoms up to the target, never past the limit."""

from __future__ import annotations

from seamline.cut.pack import Goal, Load


def fill(load: Load, goal: Goal) -> list[int]:
    """Cut at the last allowed gap within the target; where there is none, at the first within the limit."""
    cuts: list[int] = []
    n = len(load.sums) - 1
    start = 0
    while True:
        cut = next_cut(load, goal, start, n)
        if cut >= n:
            return cuts
        cuts.append(cut)
        start = cut


def next_cut(load: Load, goal: Goal, start: int, n: int) -> int:
    """The end of a greedy chunk that starts at gap `start`."""
    best = 0
    for gap in range(start + 1, n + 1):
        size = load.size(start, gap)
        if gap in load.forbidden:
            continue
        if size <= goal.target:
            best = gap
        elif best or size > goal.limit:
            break
        else:
            return gap
    return best or last_resort(load, goal, start, n)


def last_resort(load: Load, goal: Goal, start: int, n: int) -> int:
    """Nothing allowed fits: the last gap within the limit, forbidden or not."""
    gap = start + 1
    while gap < n and load.size(start, gap + 1) <= goal.limit:
        gap += 1
    return gap
