"""Claims that say the same in other words, of which the richest is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from seamline.derived import Derived
from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.propositions.claims import with_places
from seamline.errors import ConfigError
from seamline.protocols import Embedder

SAME = 0.95
"""Cosine similarity from which two claims may be one."""

_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


class Deduped(NamedTuple):
    """What is left of some claims."""

    kept: list[Derived]
    """In their order; each with the places of those it stands for."""
    dropped: dict[str, str]
    """Id of a claim that went -> id of the one that stands for it."""


def dedup(claims: Sequence[Derived], embedder: Embedder, threshold: float = SAME) -> Deduped:
    """Keep one claim of those that say the same, within each document: the one with more entities, then the longer.

    Vectors hardly see a number or a `not`: claims that differ in one are never the same, however near they are.
    """
    if not 0 < threshold <= 1:
        raise ConfigError(f"expected a threshold within 0..1, got {threshold}", "$.propositions.same")
    documents: dict[str, list[int]] = {}
    for at, claim in enumerate(claims):
        documents.setdefault(claim.document.id, []).append(at)
    by: dict[int, int] = {}
    for numbers in documents.values():
        by |= _representatives(claims, sorted(numbers, key=lambda at: _poverty(claims[at], at)), embedder, threshold)
    kept = {at: claims[at] for at in sorted(by) if by[at] == at}
    for at in sorted(by):
        if by[at] != at:
            kept[by[at]] = with_places(kept[by[at]], claims[at])
    return Deduped(list(kept.values()), {claims[at].id: kept[to].id for at, to in by.items() if at != to})


def _representatives(
    claims: Sequence[Derived], richest_first: Sequence[int], embedder: Embedder, threshold: float
) -> dict[int, int]:
    """Which claim stands for each: itself, or a richer one that says the same."""
    if len(richest_first) < 2:
        return {at: at for at in richest_first}
    vectors = embedder.embed([claims[at].text for at in richest_first])
    by: dict[int, int] = {}
    for row, at in enumerate(richest_first):
        near = (richest_first[i] for i in (vectors[:row] @ vectors[row] >= threshold).nonzero()[0])
        by[at] = next((other for other in near if by[other] == other and _is_same(claims[other], claims[at])), at)
    return by


def _poverty(claim: Derived, at: int) -> tuple[int, int, int]:
    """The less, the richer."""
    return -len(claim.entities), -len(claim.text), at


def _is_same(rich: Derived, poor: Derived) -> bool:
    """Whether nothing that vectors overlook tells two claims apart."""
    if _denies(rich.text) != _denies(poor.text):
        return False
    names = {entity.text.casefold() for entity in poor.entities}
    said = rich.text.casefold()
    return set(_NUMBERS.findall(poor.text)) == set(_NUMBERS.findall(rich.text)) and all(name in said for name in names)


def _denies(text: str) -> bool:
    words = (word.casefold().replace("’", "'") for word in _WORDS.findall(text))
    return any(word in lex.NEGATIONS or word.endswith("n't") for word in words)
