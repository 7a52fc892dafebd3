"""One line on a terminal while a long batch runs; nothing anywhere else."""

from __future__ import annotations

import sys
import time

from seamline.cli.style import clipped, visible

MANY = 20
"""Inputs from which a batch is long from the start."""
SLOW = 1.0
"""Seconds after which any batch is long."""
_PAUSE = 0.1


class Progress:
    """How far a batch is; shown on stderr where that is a terminal."""

    def __init__(self, total: int, *, wanted: bool) -> None:
        self._total = total
        self._wanted = wanted and sys.stderr.isatty()
        self._begun = time.monotonic()
        self._drawn = self._begun - _PAUSE  # the first line of a long batch appears at once
        self._shown = False

    def step(self, done: int, name: str) -> None:
        """`done` inputs are finished and `name` is next."""
        self.show(f"{done}/{self._total} {visible(name)}", long=self._total > MANY)

    def show(self, line: str, *, long: bool = False) -> None:
        """Draw a line, where the batch is long and the last one is not too recent."""
        now = time.monotonic()
        long = long or now - self._begun > SLOW
        if self._wanted and long and now - self._drawn >= _PAUSE:
            self._drawn, self._shown = now, True
            print(f"\r\x1b[K{clipped(line, 78)}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away, as before anything else is printed."""
        if self._shown:
            self._shown = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
