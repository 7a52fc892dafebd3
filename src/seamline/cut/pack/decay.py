"""Look back from the target for the best seam; the further back, the less its score counts."""

from __future__ import annotations

from dataclasses import dataclass

from seamline.cut.pack import Goal, Load
from seamline.cut.pack.fill import next_cut


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
