"""Speech is best cut where nobody speaks, somebody else does, the picture changes or the subject does.

A figure stays with its caption and with the paragraph that introduces it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from seamline.cut.captions import caption_gaps, is_named
from seamline.cut.scores import Signal
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.types import NO_DETAIL, Block, Document

PAUSE = 0.6
"""For a silence of `multimodal.pause` seconds or more; less for a shorter one."""
SPEAKER = 0.3
"""Where another person goes on."""
SCENE = 0.6
"""Where the pictures of a video change. Not forced: films have scenes of two seconds."""
TOPIC = 0.5
"""Where what is said changes most."""
WEIGHT = 0.8
"""Of these against structure, which has the same score for every turn."""
_WINDOW = 3
"""Turns on each side whose subjects are compared."""


def turns(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """How good a cut before each turn is; reasons add up, to 1 at most."""
    settings = recipe.multimodal
    spoken = [document.blocks[top] for top in document.tops if document.blocks[top].kind == "turn"]
    reasons = [_reasons(before, turn, settings.pause) for before, turn in pairwise(spoken)]
    if settings.topics and len(spoken) > 1:
        texts = [document.text[turn.start : turn.end] for turn in spoken]
        reasons = [sum(both) for both in zip(reasons, _topics(texts, parts), strict=True)]
    return Signal({turn.start: min(1.0, one) for turn, one in zip(spoken[1:], reasons, strict=True)}, weight=WEIGHT)


def _reasons(before: Block, turn: Block, pause: float) -> float:
    past, now = before.detail or NO_DETAIL, turn.detail or NO_DETAIL
    silence = now.pause or 0.0
    score = PAUSE * (min(1.0, silence / pause) if pause else float(silence > 0))
    score += SPEAKER * (past.speaker != now.speaker)
    return score + SCENE * now.scene


def _topics(texts: Sequence[str], parts: Runtime) -> list[float]:
    """Per gap, how far the turns on both sides are less alike than those of other gaps: all of `TOPIC` for two
    standard deviations."""
    import numpy as np

    vectors = np.asarray(parts.embedder.embed(list(texts)), dtype=np.float64)
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    gaps = np.arange(1, len(texts))
    before = sums[gaps] - sums[np.maximum(gaps - _WINDOW, 0)]
    after = sums[np.minimum(gaps + _WINDOW, len(texts))] - sums[gaps]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    alike = (before * after).sum(axis=1) / np.maximum(lengths, 1e-12)
    spread = max(float(alike.std()), 1e-9)
    scores: list[float] = (TOPIC * np.clip((alike.mean() - alike) / (2 * spread), 0, 1)).tolist()
    return scores


_PICTURE = re.compile(r"\s*(?:!\[|<img\b|<picture\b)")
_POINTS = re.compile(r"\b(?:below|following|folgende[rns]?|unten|ci-dessous|suivante?s?)\b|[:：]\s*\Z", re.IGNORECASE)


def forbidden_gaps(document: Document) -> frozenset[int]:
    """Where a caption, or what it names, starts; and a figure or table that the paragraph before it introduces."""
    text, tops = document.text, document.tops
    blocks = [document.blocks[top] for top in tops]
    captions = frozenset(blocks[place].start for place in caption_gaps(text, document.blocks, tops))
    return captions.union(after.start for before, after in pairwise(blocks) if _introduces(text, before, after))


def _introduces(text: str, before: Block, after: Block) -> bool:
    if before.kind != "paragraph":
        return False
    if _is_picture(text, after):
        return True
    is_shown = after.kind == "table" or (after.kind in ("environment", "directive") and is_named(text, after))
    return is_shown and _POINTS.search(text[before.start : before.end]) is not None


def _is_picture(text: str, block: Block) -> bool:
    """Whether a block shows a picture; one in a paragraph with its caption does."""
    if block.kind == "paragraph":
        return _PICTURE.match(text, block.start, block.end) is not None
    return block.kind == "figure"
