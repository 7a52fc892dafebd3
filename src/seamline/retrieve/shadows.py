"""A second look at borderline hits: where the answer goes on in the neighbour, both are returned as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from seamline.errors import ConfigError
from seamline.hits import Hit, Shadow
from seamline.records import Place
from seamline.retrieve.passages import joined, without_covered
from seamline.retrieve.shelf import Shelf, neighbours
from seamline.words import query_words, words


@dataclass(frozen=True, slots=True)
class Gate:
    """Which hits are borderline, and what convinces."""

    floor: float = 0.2
    """Cosine similarity below which a hit is not worth a second look."""
    confidence: float = 0.6
    """Cosine similarity from which on a hit stands for itself."""
    match: float = 0.2
    """The share of the query's words that a shadow must add for its neighbour to come along. At 0.2 every third
    neighbour taken along holds a part of the answer, where one in twenty would by chance."""

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= self.confidence <= 1:
            raise ConfigError(
                f"expected 0 <= floor <= confidence <= 1, got {self.floor} and {self.confidence}", "$.search.shadows"
            )
        if not 0 < self.match <= 1:
            raise ConfigError(f"expected 0 < match <= 1, got {self.match}", "$.search.shadows.match")

    def borderline(self, hit: Hit) -> bool:
        """Whether a hit is above the floor and below the confidence gate. One without a cosine is."""
        return hit.why.dense is None or self.floor <= hit.why.dense.score < self.confidence


def second_look(hits: Sequence[Hit], query: str, shelf: Shelf, gate: Gate) -> list[Hit]:
    """The hits, each borderline one widened by the neighbour whose shadow matches; what that covers is left out."""
    wanted = frozenset(query_words(query))
    return without_covered([_widened(hit, wanted, shelf, gate) if gate.borderline(hit) else hit for hit in hits])


def _widened(hit: Hit, wanted: frozenset[str], shelf: Shelf, gate: Gate) -> Hit:
    if hit.entry.level > 0 or not wanted:
        return hit
    best = max(_shadows(hit, wanted), key=lambda shadow: shadow.score, default=None)
    neighbour = _neighbour(hit, best.side, shelf) if best and best.score >= gate.match else None
    if best is None or neighbour is None:
        return hit
    wide = joined(hit, [neighbour.id, *hit.ids] if best.side == "before" else [*hit.ids, neighbour.id], shelf)
    return replace(wide, why=replace(hit.why, shadow=best, expanded=best.side))


def _shadows(hit: Hit, wanted: frozenset[str]) -> Iterator[Shadow]:
    """How much of the query each shadow has and the text has not. Shadows are short, so they are read first."""
    found = {"before": wanted & _said(hit.entry.before), "after": wanted & _said(hit.entry.after)}
    held = frozenset(words(hit.entry.text)) if any(found.values()) else frozenset()
    for side, said in found.items():
        yield Shadow(side, len(said - held) / len(wanted))


@lru_cache(4096)
def _said(shadow: str) -> frozenset[str]:
    """The words of a shadow: some kilobytes, and half the time of a second look."""
    return frozenset(words(shadow))


def _neighbour(hit: Hit, side: str, shelf: Shelf) -> Place | None:
    layout = shelf.layout(hit.entry.doc)
    before, after = neighbours(layout.chunks, layout.number(layout.by_id[hit.entry.id]))
    return before if side == "before" else after
