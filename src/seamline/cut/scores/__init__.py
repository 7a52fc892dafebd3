"""How good a cut at each gap is, and where one must be.

Structure gives every gap the score of its kind. A strategy may add a `Signal`: what it knows about the gaps at some
offsets of the document. Both meet in `Scorer`; the packers see numbers alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from seamline.code_outline import CodeOutline
from seamline.cut.atoms import Atom


@dataclass(frozen=True, slots=True)
class Signal:
    """What a strategy says about gaps, by the offset at which the text after a gap starts.

    Offsets are where blocks, rows, sentences or lines start. A block with one inside it is opened there, whether it
    fits a chunk or not.
    """

    score: Mapping[int, float] = field(default_factory=dict)
    """How good a cut there is, 0 to 1, by this signal alone."""
    forced: frozenset[int] = frozenset()
    """Where a cut must be, unless that tears a heading from what is under it."""
    weight: float = 0.5
    """How much `score` counts beside structure."""
    firm: bool = False
    """Whether chunks below the floor stay apart at a forced gap."""
    forbidden: frozenset[int] = frozenset()
    """Where no cut may be between two blocks that fit a chunk together, as before a figure; forced gaps win."""
    outline: CodeOutline | None = None
    """The statements of source code, where that is what the document is."""


NO_SIGNAL = Signal()


class Scorer:
    """Scores the gaps before atoms: structure, blended with a signal where that says something."""

    def __init__(self, table: Mapping[str, int], signal: Signal = NO_SIGNAL) -> None:
        self._table = table
        """Per kind of gap, how good a cut there is, in hundredths."""
        self._signal = signal
        self._forced = sorted(signal.forced)
        self._known = sorted(signal.forced.union(signal.score))

    def scores(self, atoms: Sequence[Atom]) -> list[float]:
        """One number per atom, for the gap before it."""
        table, known, weight = self._table, self._signal.score, self._signal.weight
        if not known:
            return [table[atom.seam] / 100 for atom in atoms]
        blended: list[float] = []
        for atom in atoms:
            said = known.get(atom.start)
            structure = table[atom.seam] / 100
            blended.append(structure if said is None else weight * said + (1 - weight) * structure)
        return blended

    @property
    def is_silent(self) -> bool:
        """Whether the signal says nothing at all."""
        return not self._known and not self._signal.forbidden

    def is_forced(self, offset: int) -> bool:
        return offset in self._signal.forced

    def is_forbidden(self, offset: int) -> bool:
        return offset in self._signal.forbidden and offset not in self._signal.forced

    def opens(self, start: int, end: int) -> bool:
        """Whether the signal says something about a gap inside a range."""
        return bool(self._known) and _inside(self._known, start, end)

    def forces(self, start: int, end: int) -> bool:
        """Whether there must be a cut inside a range."""
        return bool(self._forced) and _inside(self._forced, start, end)

    def known_in(self, start: int, end: int) -> int:
        """The first offset in (start, end] that the signal says something about; 0 where there is none."""
        found = bisect_right(self._known, start)
        return self._known[found] if found < len(self._known) and self._known[found] <= end else 0

    def parts(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """A range cut where it must be."""
        inner = self._forced[bisect_right(self._forced, start) : bisect_left(self._forced, end)]
        return pairwise((start, *inner, end))


NO_SCORER = Scorer({})


def _inside(offsets: Sequence[int], start: int, end: int) -> bool:
    return bisect_right(offsets, start) < bisect_left(offsets, end)
