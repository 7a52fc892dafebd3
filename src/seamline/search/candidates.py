"""Entries on their way to becoming hits: scored, but not yet looked up in their documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from seamline.protocols import Reader
from seamline.records import ABOUT, Entry
from seamline.search.documents import DocumentCache
from seamline.search.hits import Hit, Why


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An entry that may become a hit."""

    entry: Entry
    score: float
    """0-1."""
    why: Why = field(default_factory=Why)
    twins: tuple[Entry, ...] = ()
    """Entries that say almost the same, and were found lower down."""


def resolve_derived(found: Sequence[Candidate], reader: Reader) -> list[Candidate]:
    """Best first, each chunk once: a text about a chunk stands for that chunk, and says so."""
    parents = reader.entries([one.entry.parent for one in found if one.entry.level == ABOUT])
    best: dict[str, Candidate] = {}
    for one in found:
        if one.entry.level == ABOUT:
            chunk = parents.get(one.entry.parent)
            if chunk is None:
                continue
            about = f"{one.entry.kind}: {one.entry.text}"
            one = replace(one, entry=chunk, why=replace(one.why, about=about))
        best.setdefault(one.entry.id, one)
    return list(best.values())


def order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best first; equal scores by id."""
    return sorted(candidates, key=lambda one: (-one.score, one.entry.id))


def as_hits(candidates: Sequence[Candidate], documents: DocumentCache) -> list[Hit]:
    """Hits with their citations, each to be read as it was indexed."""
    documents.keep({one.entry.id: one.entry for one in candidates})
    documents.fetch(entry.doc for one in candidates for entry in (one.entry, *one.twins))
    return [
        Hit(
            entry=one.entry,
            score=one.score,
            relative=one.score,
            citations=(documents.cite(one.entry),),
            text=one.entry.text,
            ids=(one.entry.id,) if one.entry.level == 0 else (),
            why=one.why,
            duplicates=tuple(documents.cite(twin) for twin in one.twins),
        )
        for one in candidates
    ]
