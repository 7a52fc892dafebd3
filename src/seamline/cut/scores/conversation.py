"""A conversation is cut where its subject changes: where other words are used, nobody speaks for long, or the picture
changes. No model is needed.

The Bayesian segmenter of `lexical` finds the likeliest segments of turns by their words. What else speaks for a cut at
a gap (a pause, a scene, another speaker) is added to the odds of a cut there. Short segments are unlikely, so that
turns are not cut one by one; a message is never cut where it fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log

from seamline.cut.scores import Signal
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.text.sentences import sentence_starts
from seamline.text.words import query_words
from seamline.types import NO_DETAIL, Block, Document

EXPECTED = 300
"""Tokens of a segment about one thing: sets the odds of a cut before anything speaks for it."""
PAUSE = 6.0
"""What a long pause adds to the logarithm of the odds of a cut. A hesitation adds little."""
LONG = 5.0
"""A pause of so many times the shortest that counts is a long one."""
USUAL = 4.0
"""A pause counts from so many times the median of the conversation on: chats have minutes where talks have seconds."""
_MOST = 2.0
"""How many times that a pause may count: after hours, the same words are another conversation."""
_FEW = 4
"""Units that say nothing about what is usual."""
CHAT_PAUSE = 300.0
"""Seconds between messages that count, at the least: people who write do something else meanwhile."""
SCENE = 3.0
SPEAKER = 0.25
FLOOR = 64
"""Tokens below which a segment is the less likely the shorter it is."""
SHORT = 6.0
"""What a segment of no length loses."""
WEIGHT = 0.8
"""Of the probability of a cut against structure, which has the same score for every turn."""


def conversation(document: Document, recipe: Recipe, runtime: Runtime) -> Signal:
    """A cut is forced between the likeliest segments; a gap's score is the probability of a cut."""
    from seamline.cut.scores.lexical import (
        likeliest,
        likelihoods,
        probabilities,
    )  # loads NumPy, which others go without

    units = _units(document, recipe, runtime)
    if len(units) < 2:
        return Signal()
    tokens = [runtime.tokenizer.count(document.text[unit.start : unit.end]) for unit in units]
    bags = [query_words(document.text[_said(unit) : unit.end]) if recipe.multimodal.topics else [] for unit in units]
    seen = likelihoods(bags, tokens, recipe.budget.target)
    floor = min(FLOOR, recipe.budget.target // 2)
    for end, row in enumerate(seen):
        size = 0
        for at in range(len(row)):
            size += tokens[end - 1 - at]
            row[at] -= SHORT * max(0.0, 1 - size / floor)
    prior = _prior(
        units, tokens, max(CHAT_PAUSE, recipe.multimodal.pause) if _is_chat(document) else recipe.multimodal.pause
    )
    score = {unit.start: value for unit, value in zip(units[1:], probabilities(seen, prior), strict=True)}
    return Signal(score, frozenset(units[at].start for at in likeliest(seen, prior)), WEIGHT, firm=True)


def _is_chat(document: Document) -> bool:
    """Whether messages were sent, and not spoken."""
    return document.anchors is not None and any("sent" in run.place for run in document.anchors[:2])


def _units(document: Document, recipe: Recipe, runtime: Runtime) -> list[Block]:
    """Turns, and the sentences of a turn that no chunk holds whole."""
    out: list[Block] = []
    limit = recipe.budget.limit
    for top in document.tops:
        block = document.blocks[top]
        text = document.text[block.start : block.end]
        if len(text) <= limit or runtime.tokenizer.count(text) <= limit:
            out.append(block)
            continue
        starts = [block.start, *sentence_starts(document.text, block.start, block.end)[1:], block.end]
        inner = (block.detail or NO_DETAIL)._replace(pause=None, scene=False, enclosure=None)
        for first, last in pairwise(starts):
            out.append(block._replace(start=first, end=last, detail=block.detail if first == block.start else inner))
    return out


def _said(unit: Block) -> int:
    """Where the words of a unit start, after the time and the name of a message."""
    label = (unit.detail or NO_DETAIL).enclosure
    return label.end if label else unit.start


def _prior(units: Sequence[Block], tokens: Sequence[int], pause: float) -> list[float]:
    """For the gap before each unit, the logarithm of the odds of a cut, whatever the words say."""
    share = min(0.5, max(0.01, sum(tokens) / len(tokens) / EXPECTED))
    details = [unit.detail or NO_DETAIL for unit in units]
    pauses = [detail.pause or 0.0 for detail in details]
    usual = sorted(pauses[1:])[(len(pauses) - 1) // 2] if len(pauses) > _FEW else 0.0
    least = max(pause, USUAL * usual, 1e-9)
    out = [0.0]
    for before, now in pairwise(details):
        silence = now.pause or 0.0
        long = min(_MOST, log(silence / least) / log(LONG)) if silence > least else 0.0
        evidence = PAUSE * long + SCENE * now.scene + SPEAKER * (before.speaker != now.speaker)
        out.append(log(share / (1 - share)) + evidence)
    return out
