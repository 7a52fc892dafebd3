"""Entries on their way to becoming hits: scored, but not yet looked up in their documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from seamline.hits import Hit, Why
from seamline.records import Entry
from seamline.retrieve.shelf import Shelf


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An entry that may become a hit."""

    entry: Entry
    score: float
    """0-1."""
    why: Why = field(default_factory=Why)
    twins: tuple[Entry, ...] = ()
    """Entries that say almost the same, and were found lower down."""


def ordered(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best first; equal scores by id."""
    return sorted(candidates, key=lambda one: (-one.score, one.entry.id))


def as_hits(candidates: Sequence[Candidate], shelf: Shelf) -> list[Hit]:
    """Hits with their citations, each to be read as it was indexed."""
    shelf.keep({one.entry.id: one.entry for one in candidates})
    shelf.fetch(entry.doc for one in candidates for entry in (one.entry, *one.twins))
    return [
        Hit(
            entry=one.entry,
            score=one.score,
            citations=(shelf.cite(one.entry),),
            text=one.entry.text,
            ids=(one.entry.id,) if one.entry.level == 0 else (),
            why=one.why,
            duplicates=tuple(shelf.cite(twin) for twin in one.twins),
        )
        for one in candidates
    ]
