"""The labelled sentences, and when a claim says what a fact says. Shares no code with the extractor."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "sentences.txt"
HALVES = ("chosen", "held back")
ENOUGH = 0.8
"""F1 of content words from which a claim says what a fact says, where numbers, negation and subject agree."""

_WORD = re.compile(r"[\w$€%]+(?:[.,:'’/-]\w+)*")
_EMPTY = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "also",
        "of",
        "to",
        "and",
        "that",
        "it",
        "which",
    ]
)
_DENIES = frozenset(["not", "no", "never", "neither", "nor", "cannot", "nobody", "none", "without"])


class Item(NamedTuple):
    """A sentence and the facts it states."""

    kind: str
    source: str
    half: str
    before: str
    """What stands before the sentence in its paragraph."""
    text: str
    facts: tuple[tuple[str, ...], ...]
    """Each fact in all wordings that count."""


def items(file: Path = FILE) -> list[Item]:
    """All labelled sentences, in order; of each kind, every second one is held back."""
    seen: dict[str, int] = defaultdict(int)
    found: list[Item] = []
    for piece in file.read_text(encoding="utf-8").replace("·", "").split("\n@ ")[1:]:
        head, *lines = piece.strip().split("\n")
        kind, source = (part.strip() for part in head.split("|"))
        facts = [tuple(wording.strip() for wording in line[2:].split("||")) for line in lines if line.startswith("= ")]
        before = " ".join(line[2:] for line in lines if line.startswith("> "))
        text = "\n".join(line for line in lines if not line.startswith(("> ", "= ")))
        found.append(Item(kind, source, HALVES[seen[kind] % 2], before, text, tuple(facts)))
        seen[kind] += 1
    return found


def pair(claims: Sequence[str], facts: Sequence[Sequence[str]]) -> dict[int, int]:
    """Which claim states which fact: number of the claim -> number of the fact, each fact once, the nearest first."""
    near = [
        (score, -at, -to)
        for at, claim in enumerate(claims)
        for to, wordings in enumerate(facts)
        if (score := max(_alone(claim, wording, facts) for wording in wordings)) >= ENOUGH
    ]
    pairs: dict[int, int] = {}
    for _, at, to in sorted(near, reverse=True):
        if -at not in pairs and -to not in pairs.values():
            pairs[-at] = -to
    return pairs


def _alone(claim: str, fact: str, facts: Sequence[Sequence[str]]) -> float:
    """How near a claim is to a fact; 0 where it also says what only another fact of the sentence says."""
    more = set(_words(claim)) - set(_words(fact))
    others = {word for wordings in facts if fact not in wordings for word in _words(wordings[0])}
    return 0.0 if more & others else likeness(claim, fact)


def likeness(claim: str, fact: str) -> float:
    """F1 of the content words; 0 where numbers, negation or the word the fact begins with differ."""
    said, wanted = _words(claim), _words(fact)
    if not said or not wanted or wanted[0] not in said:
        return 0.0
    if _numbers(said) != _numbers(wanted) or _denied(claim) != _denied(fact):
        return 0.0
    shared = len(set(said) & set(wanted))
    return 2 * shared / (len(set(said)) + len(set(wanted)))


def _words(text: str) -> list[str]:
    lows = (word.lower().replace("’", "'") for word in _WORD.findall(text))
    return [_stem(low) for low in lows if low not in _EMPTY]


def _stem(low: str) -> str:
    low = {"has": "have", "does": "do"}.get(low, low).removesuffix("'s").removesuffix("'")
    return low[:-1] if len(low) > 3 and low.endswith("s") and not low.endswith("ss") else low


def _numbers(words: Sequence[str]) -> set[str]:
    return {word for word in words if any(map(str.isdigit, word))}


def _denied(text: str) -> bool:
    return any(low in _DENIES or low.endswith(("n't", "n’t")) for low in re.findall(r"[\w’']+", text.lower()))
