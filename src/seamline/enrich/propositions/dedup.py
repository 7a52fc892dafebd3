"""Claims that say the same in other words, of which the richest is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from seamline.derived import Derived
from seamline.enrich.propositions import lexicon as lex
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
    if len(claims) < 2:
        return Deduped(list(claims), {})
    vectors = embedder.embed([claim.text for claim in claims])
    stands_for: dict[int, int] = {}
    kept: list[int] = []
    for at in sorted(range(len(claims)), key=lambda at: _poverty(claims[at], at)):
        near = vectors[kept] @ vectors[at] if kept else []
        better = (
            kept[i] for i, cosine in enumerate(near) if cosine >= threshold and _is_same(claims[kept[i]], claims[at])
        )
        stands_for[at] = next(better, at)
        if stands_for[at] == at:
            kept.append(at)
    merged = {at: claims[at] for at in kept}
    for at, by in stands_for.items():
        if at != by:
            merged[by] = _with_places(merged[by], claims[at])
    dropped = {claims[at].id: merged[by].id for at, by in stands_for.items() if at != by}
    return Deduped([merged[at] for at in sorted(merged)], dropped)


def _poverty(claim: Derived, at: int) -> tuple[int, int, int]:
    """The less, the richer."""
    return -len(claim.entities), -len(claim.text), at


def _is_same(rich: Derived, poor: Derived) -> bool:
    """Whether nothing that vectors overlook tells two claims apart."""
    if rich.document.id != poor.document.id or _denies(rich.text) != _denies(poor.text):
        return False
    names = {entity.text.casefold() for entity in poor.entities}
    said = rich.text.casefold()
    return set(_NUMBERS.findall(poor.text)) == set(_NUMBERS.findall(rich.text)) and all(name in said for name in names)


def _denies(text: str) -> bool:
    words = (word.casefold().replace("’", "'") for word in _WORDS.findall(text))
    return any(word in lex.NEGATIONS or word.endswith("n't") for word in words)


def _with_places(kept: Derived, other: Derived) -> Derived:
    return replace(
        kept,
        spans=tuple(sorted({*kept.spans, *other.spans})),
        of=tuple(dict.fromkeys((*kept.of, *other.of))),
    )
