"""The shape of a table that is no Markdown, as its splitters are told it."""

from __future__ import annotations

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
