"""Packers choose the cuts. One signature, three ways to choose.

A packer sees a `Load`: the tokens of a row of atoms, what a chunk costs beyond its atoms when it starts or ends at
a gap, how good a cut at each gap is, and where none may be. It returns the gaps it cuts at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from seamline.errors import ConfigError


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
        from seamline.cut.pack.fill import fill

        return fill
    if name == "decay":
        from seamline.cut.pack.decay import Decay

        return Decay(window, decay)
    if name == "optimal":
        from seamline.cut.pack.optimal import Optimal

        return Optimal(balance)
    raise ConfigError(f"expected fill, decay or optimal, got {name!r}", "$.cut.packer")
