"""Packers choose the cuts. One signature, three ways to choose.

A packer sees a `Load`: the tokens of a row of atoms, what a chunk costs beyond its atoms when it starts or ends at
a gap, how good a cut at each gap is, and where none may be. It returns the gaps it cuts at.

- `fill` is greedy: it takes atoms up to the target, never past the limit.
- `Decay` looks back from the target for the best seam; the further back, the less its score counts.
- `Optimal` finds the best cuts of all by exact dynamic programming over the whole row of atoms. It minimises the sum of
  (1 - score) over the cuts plus `balance` times the sum of ((size - target) / target)^2 over the chunks, with every
  size within the limit. A cut is a cost, never a prize: with rewards instead, the same search made 7,063 chunks where
  2,743 were right.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from seamline.errors import ConfigError
from seamline.native import KERNELS


class Goal(NamedTuple):
    """The sizes a packer aims at: those of the budget, less what overlap and proof keep back."""

    target: int
    limit: int


class Load(NamedTuple):
    """What a packer packs: `n` atoms and the gaps between them. Gap `i` is before atom `i`; 0 and `n` are the ends."""

    sums: Sequence[int]
    """Tokens of all atoms before gap `i`; n + 1 values."""
    lead: Sequence[int]
    """Extra tokens of a chunk that starts at gap `i`: reopened fence, table header, headings."""
    tail: Sequence[int]
    """Extra tokens of a chunk that ends at gap `i`: the close of what it leaves open."""
    score: Sequence[float]
    """How good a cut at gap `i` is, 0 to 1."""
    forbidden: frozenset[int] | set[int]
    """Gaps that may not be cut unless nothing else keeps the limit."""

    def size(self, i: int, j: int) -> int:
        """Tokens of a chunk of the atoms from gap `i` to gap `j`."""
        return self.sums[j] - self.sums[i] + self.lead[i] + self.tail[j]


Pack = Callable[[Load, Goal], list[int]]


def packer(name: str, *, window: int = 200, decay: float = 0.7, balance: float = 1.0) -> Pack:
    """The packer a recipe names, with its settings."""
    if name == "fill":
        return fill
    if name == "decay":
        return Decay(window, decay)
    if name == "optimal":
        return Optimal(balance)
    raise ConfigError(f"expected fill, decay or optimal, got {name!r}", "$.cut.packer")


def weight(distance: float, decay: float = 0.7) -> float:
    """What is left of a score `distance` windows before the target: gentle at first, then steep."""
    return 1.0 - decay * distance * distance


@dataclass(frozen=True, slots=True)
class Decay:
    """Within `window` tokens before the target, cut where score times weight is highest."""

    window: int = 200
    decay: float = 0.7

    def __call__(self, load: Load, goal: Goal) -> list[int]:
        cuts: list[int] = []
        n = len(load.sums) - 1
        start = 0
        while load.size(start, n) > goal.target:
            cut = self._best(load, goal, start, n) or next_cut(load, goal, start, n)
            if cut >= n:
                break
            cuts.append(cut)
            start = cut
        return cuts

    def _best(self, load: Load, goal: Goal, start: int, n: int) -> int:
        """The best gap of the window, 0 where it holds none."""
        best, best_value = 0, -1.0
        for gap in range(start + 1, n):
            distance = goal.target - load.size(start, gap)
            if distance < 0:
                break
            if distance > self.window or gap in load.forbidden:
                continue
            value = load.score[gap] * weight(distance / self.window, self.decay)
            if value > best_value:
                best, best_value = gap, value
        return best


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


_NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Optimal:
    """Cuts with the least total cost; ties go to the longer last chunk."""

    balance: float = 1.0

    def __call__(self, load: Load, goal: Goal) -> list[int]:
        if KERNELS is None:
            return self.reference(load, goal)
        cuts: list[int] = KERNELS.pack(*load, *goal, self.balance)
        return cuts

    def reference(self, load: Load, goal: Goal) -> list[int]:
        """The same in Python: what the kernel is held against."""
        sums, lead, tail, score, forbidden = load
        target, limit = goal.target, goal.limit
        unit = self.balance / (target * target)
        n = len(sums) - 1
        # Per allowed gap: its index, where a chunk ending there ends in tokens, and what cutting there costs.
        indices = [gap for gap in range(1, n + 1) if gap not in forbidden or gap == n]
        gaps = [(gap, sums[gap] + tail[gap], 1.0 - score[gap] if gap < n else 0.0) for gap in indices]
        reach = [sums[gap] for gap in indices]  # ends without their tails: these only grow
        best = [_NEVER] * (n + 1)  # least cost of cutting everything before gap i, with a cut at i
        came = [0] * (n + 1)
        best[0] = 0.0
        reached = 0  # the furthest gap with a known cost
        first = 0  # position in `gaps` of the first one after `start`
        for start in range(n):
            while indices[first] <= start:
                first += 1
            here = best[start]
            if here == _NEVER:
                continue
            base = sums[start] - lead[start]
            most = base + limit
            middle = base + target
            for gap, end, price in gaps[first : bisect_right(reach, most, first)]:
                if end > most:
                    continue  # what its chunk would leave open costs more to close than there is room
                off = end - middle
                cost = here + off * off * unit + price
                if cost < best[gap]:
                    best[gap] = cost
                    came[gap] = start
                    reached = gap if gap > reached else reached
            if reached <= start:  # the rules allow no way on: the last gap within the limit, forbidden or not
                reached = last_resort(load, goal, start, n)
                came[reached] = start
                best[reached] = here + 1.0
        return _way(came, n)


def _way(came: list[int], n: int) -> list[int]:
    """The cuts on the way to the end, first to last."""
    cuts: list[int] = []
    at = came[n]
    while at > 0:
        cuts.append(at)
        at = came[at]
    return cuts[::-1]
