"""How blocks of each kind are split when they are too large: one small rule per kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from seamline.cut.ladder import CODE, LINES, PROSE, Rung


class Rule(NamedTuple):
    """What is peculiar about a kind."""

    holds: bool = False
    """Whether it is split by the blocks inside it."""
    filled: bool = False
    """Whether that is so only where there are any."""
    framed: bool = False
    """Whether it has an opening and a close of its own where its parser says so."""
    needs_frame: bool = False
    """Whether it is split by the blocks inside it only where its parser gave it a frame."""
    bare: bool = False
    """Whether it stands without what is around it rather than be cut, and gives its own frame the room of others."""
    inline: bool = False
    """Whether blocks inside it may start within a line, and seams between them depend on what they are."""
    seam: str = "paragraph"
    """The gap between blocks inside it."""
    rungs: tuple[Rung, ...] = LINES
    """How its text is split where no block helps."""


_PLAIN = Rule()
_RULES: Mapping[str, Rule] = {
    "paragraph": Rule(rungs=PROSE),
    "heading": Rule(rungs=PROSE),
    "code": Rule(rungs=CODE),
    "list": Rule(holds=True, framed=True, seam="item"),
    "item": Rule(holds=True, framed=True, rungs=PROSE),
    "quote": Rule(holds=True, rungs=PROSE),
    "footnote": Rule(holds=True),
    "directive": Rule(holds=True),
    "jsx": Rule(holds=True),
    "turn": Rule(holds=True, rungs=PROSE),
    "environment": Rule(holds=True, framed=True),
    "figure": Rule(holds=True, filled=True, framed=True, needs_frame=True),
    "scope": Rule(holds=True, filled=True, bare=True, inline=True, rungs=CODE),
}


def rule_of(kind: str) -> Rule:
    return _RULES.get(kind, _PLAIN)
