"""Neighbouring chunks as one passage: an exact slice of the document under the headings of its first chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seamline.hits import Citation, Hit
from seamline.retrieve.shelf import Shelf


def joined(hit: Hit, ids: Sequence[str], shelf: Shelf) -> Hit:
    """The hit widened to a run of neighbouring chunks, its own among them."""
    shelf.keep({hit.entry.id: hit.entry})
    citations = cite_run(hit.entry.doc, ids, shelf)
    return replace(hit, ids=tuple(ids), citations=citations, text=run_text(citations, shelf))


def cite_run(doc: str, ids: Sequence[str], shelf: Shelf) -> tuple[Citation, ...]:
    """A citation for each of these chunks of a document."""
    return tuple(shelf.slice(doc, shelf.layout(doc).by_id[id]) for id in ids)


def run_text(run: Sequence[Citation], shelf: Shelf) -> str:
    """Neighbouring chunks as one text: their slice of the document, with what the first one borrows before it and
    what the last one adds after it."""
    first, last = run[0], run[-1]
    ends = shelf.entries({first.id, last.id})
    quote = first.quote if first is last else shelf.text(first.doc)[first.start : last.end]
    head, foot = ends[first.id], ends[last.id]
    return head.text[: head.lead] + quote + foot.text[len(foot.text) - foot.tail :]


def without_covered(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, in their order, without those whose chunks better ones show already."""
    shown: set[str] = set()
    kept = []
    for hit in hits:
        ids = hit.ids or (hit.entry.id,)
        if not shown.issuperset(ids):
            kept.append(hit)
            shown.update(ids)
    return kept
