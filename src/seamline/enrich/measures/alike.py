"""How much the sentences of a chunk belong together, and how different it is from its neighbours."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from seamline.coherence import coherence, distinctiveness
from seamline.enrich.work import Columns, Work
from seamline.types import Chunk

if TYPE_CHECKING:
    from seamline.records import Vector

_WORDLESS = frozenset(("heading", "paragraph", "item", "list", "quote"))
"""Blocks whose sentences count, or that only name what follows."""


def alike(work: Work) -> Columns:
    """Coherence: the mean cosine of all pairs of its pieces; a single piece is 1. Distinct: 1 less the cosine of its
    mean and that of each neighbour of its level, their mean; 1 for a chunk that has none.

    Pieces are sentences, and whole blocks that are not prose. Each is embedded once, whatever the number of levels.
    """
    pieces = [_pieces(work, chunk) for chunk in work.chunks]
    rows = {text: at for at, text in enumerate(dict.fromkeys(text for some in pieces for text in some))}
    vectors = work.parts.embedder.embed(list(rows))
    of = [vectors[[rows[text] for text in some]] for some in pieces]
    return {"coherence": [_share(coherence(some)) for some in of], "distinct": _distinct(work, of)}


def _pieces(work: Work, chunk: Chunk) -> list[str]:
    text = work.document.text
    spans = work.prose.touched(chunk.body)
    spans += [part for block, part in work.tops(chunk.body) if block.kind not in _WORDLESS]
    found = [text[start:end].strip() for start, end in sorted(spans)]
    return [piece for piece in found if piece] or [text[chunk.start : chunk.end]]


def _distinct(work: Work, of: list[Vector]) -> list[float]:
    gaps: list[list[float]] = [[] for _ in work.chunks]
    for level in work.levels.values():
        for left, right in pairwise(level):
            far = distinctiveness(of[left], of[right])
            gaps[left].append(far)
            gaps[right].append(far)
    return [_share(sum(some) / len(some)) if some else 1.0 for some in gaps]


def _share(value: float) -> float:
    return round(min(1.0, max(0.0, value)), 4)
