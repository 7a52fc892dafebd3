"""More time, for the few steps of a parser that are slow by nature: a page of OCR, a minute of speech."""

from __future__ import annotations

from collections.abc import Callable


def _granted(seconds: float) -> None:
    """Nobody is counting."""


ask: Callable[[float], None] = _granted
"""Ask for so many seconds of CPU time from now on. Set where a parser runs under a limit."""
