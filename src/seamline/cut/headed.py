"""What splitters of tables share: the shape of one that is no Markdown, and how many columns go together."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Headed(NamedTuple):
    """The extent of a table and of its head."""

    start: int
    end: int
    opening_end: int
    """Where ends what opens the table, such as `\\begin{tabular}{ll}`; its start where nothing does."""
    header_end: int
    """Where the head ends that parts are put under; the start where there is none."""
    close: str
    """What ends a part that is not the last."""


def widest(cells: int, at: int, fits: Callable[[int], bool]) -> int:
    """Where a group of columns ends that starts at `at`: as far as it `fits`, one column at least. Steps are doubled
    until one is too far, then single: rows may have very many cells."""
    until, step = at + 1, 1
    while until < cells:
        more = min(cells, until + step)
        if fits(more):
            until = more
            step *= 2
        elif step == 1:
            break
        else:
            step = 1
    return until
