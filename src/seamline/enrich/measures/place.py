"""Where a chunk stands in its document, and how it was cut."""

from __future__ import annotations

from seamline.choose import Choice
from seamline.enrich.work import Columns, Work


def positions(work: Work) -> Columns:
    """0 for the first chunk of a level, 1 for the last; 0 where there is only one."""
    return {"relative": [round(chunk.index / max(1, chunk.total - 1), 4) for chunk in work.chunks]}


def recipes(work: Work) -> Columns:
    """The strategy in words and the fingerprint of all settings, the same for all chunks of a document."""
    count = len(work.chunks)
    return {"strategy": [Choice(work.recipe).strategy] * count, "recipe": [work.recipe.fingerprint] * count}
