"""Entries on their way to becoming hits: scored, but not yet looked up in their documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from seamline.records import ABOUT, ANSWERS, RESTATED, Entry, without_vectors
from seamline.search.documents import DocumentCache
from seamline.search.hits import Hit, Why

Show = Literal["derived", "source"]
_MOST_SOURCES = 8
"""Chunks that one text leads to."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An entry that may become a hit."""

    entry: Entry
    score: float
    """0-1."""
    why: Why = field(default_factory=Why)
    twins: tuple[Entry, ...] = ()
    """Entries that say almost the same, and were found lower down."""


def resolve_derived(found: Sequence[Candidate], documents: DocumentCache, show: Show) -> list[Candidate]:
    """Best first, each chunk and each text once. A text that answers is shown; where it says what one chunk says, the
    better of both. Any other text about chunks leads to them, and each of them says so."""
    about = [one.entry for one in found if one.entry.level == ABOUT]
    documents.fetch(entry.doc for entry in about)
    sources = {entry.id: documents.sources(entry)[:_MOST_SOURCES] for entry in about if entry.kind in ANSWERS}
    chunks = documents.entries({id for entry in about for id in (entry.parent, *sources.get(entry.id, ()))})
    best: dict[str, Candidate] = {}
    for one in found:
        entry = one.entry
        if entry.level < ABOUT:
            best.setdefault(entry.id, one)
        elif show == "derived" and entry.kind in ANSWERS:
            of = sources[entry.id]
            of_one = len(of) == 1 and entry.kind in RESTATED
            best.setdefault(of[0] if of_one else f"{entry.doc}\0{entry.kind}\0{entry.text}", one)
        else:
            why = replace(one.why, about=f"{entry.kind}: {entry.text}")
            for id in sources.get(entry.id) or (entry.parent,):
                if id in chunks:
                    best.setdefault(id, replace(one, entry=chunks[id], why=why))
    return list(best.values())


def order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best first; equal scores by id."""
    return sorted(candidates, key=lambda one: (-one.score, one.entry.id))


def as_hits(candidates: Sequence[Candidate], documents: DocumentCache) -> list[Hit]:
    """Hits with their citations, each to be read as it was indexed."""
    entries = {one.entry.id: without_vectors(one.entry) for one in candidates}
    documents.keep(entries)
    documents.fetch(entry.doc for one in candidates for entry in (one.entry, *one.twins))
    return [
        Hit(
            entry=entries[one.entry.id],
            score=one.score,
            relative=one.score,
            citations=documents.citations(one.entry),
            text=one.entry.text,
            ids=(one.entry.id,) if one.entry.level == 0 else (),
            why=one.why,
            duplicates=tuple(documents.cite(twin) for twin in one.twins),
        )
        for one in candidates
    ]
