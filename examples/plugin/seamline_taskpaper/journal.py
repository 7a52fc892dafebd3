"""The strategy: one chunk for each day of a journal, smaller ones only where a day does not fit."""

from __future__ import annotations

import re

from seamline.plugins import Document, Recipe, Runtime, Signal

_DATE = re.compile(r"[#*_>\[\s-]*\d{4}-\d\d-\d\d\b")
"""What an entry opens with, whatever marks stand before it."""


def journal(document: Document, recipe: Recipe, runtime: Runtime) -> Signal:
    """A cut before every block that opens with a date; the rest is up to structure."""
    days = frozenset(block.start for block in document.blocks if _DATE.match(document.text, block.start, block.end))
    return Signal(forced=days, firm=True)  # firm: a short day is not merged with the next one
