"""What a chunk speaks of: people, organisations, places, dates, amounts, addresses, identifiers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import merge

from seamline.enrich.entities.names import NameFinder
from seamline.enrich.entities.patterns import Mention, formed
from seamline.enrich.facts import Columns, Work
from seamline.enrich.language import capitalises_nouns
from seamline.enrich.prose import words_from, words_to
from seamline.facts import Entity
from seamline.types import Document, Span, collapse

_SILENT = frozenset(("code", "scope", "math", "front_matter", "esm", "rule", "reference", "directive", "html"))
"""Blocks that name nothing in words; of code the fact `code` tells."""
_RUNNING = frozenset(("paragraph", "item", "quote", "footnote", "turn"))
"""Blocks in which a capital letter inside a sentence says something; in headings and cells it does not."""


def entities(work: Work) -> Columns:
    """Each once per chunk and type, where it is first named, in that order."""
    found = mentions(work)
    starts = [mention.start for mention in found]
    return {"entities": [_within(work.document.text, found, starts, chunk.body) for chunk in work.chunks]}


def mentions(work: Work) -> list[Mention]:
    """All places of a document that name something, in order, none within another."""
    document = work.document
    ranges = list(_ranges(document))
    by_form = [mention for start, end, _ in ranges for mention in formed(document.text, start, end)]
    running = [(start, end) for start, end, kind in ranges if kind in _RUNNING]
    prose = list(_between(running, by_form))
    if work.recipe.ner == "spacy":
        from seamline.enrich.entities.names import recognised

        by_name = recognised(document.text, prose)
    else:
        whole = Span(0, len(document.text))
        starts = {span.start for span in work.prose.whole(whole)}.union(start for start, _ in running)
        by_name = list(NameFinder(document.text, prose, sorted(starts), capitalises_nouns(document.text)).mentions())
    return list(merge(by_form, by_name))


def names_in(text: str) -> tuple[str, ...]:
    """What a short text, such as a question, names; each once."""
    by_form = list(formed(text, 0, len(text)))
    rest = list(_between([(0, len(text))], by_form))
    by_name = NameFinder(text, rest, [0], capitalises_nouns(text)).mentions()
    return tuple(dict.fromkeys(collapse(text[one.start : one.end]) for one in merge(by_form, by_name)))


def _ranges(document: Document) -> Iterator[tuple[int, int, str]]:
    """The words of the innermost blocks, with the kind of each block."""
    inner = {block.parent for block in document.blocks}
    for index, block in enumerate(document.blocks):
        if block.kind in _SILENT or block.kind == "row" or (index in inner and block.kind not in ("item", "table")):
            continue
        start, end = words_from(document, index), words_to(document, index) if block.kind == "item" else block.end
        if start < end:
            yield start, end, block.kind


def _between(ranges: Sequence[tuple[int, int]], taken: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """What is left of the ranges outside of mentions."""
    starts = [mention.start for mention in taken]
    for low, high in ranges:
        at = low
        for mention in taken[bisect_left(starts, low) : bisect_left(starts, high)]:
            if at < mention.start:
                yield at, mention.start
            at = mention.end
        if at < high:
            yield at, high


def _within(text: str, found: Sequence[Mention], starts: Sequence[int], span: Span) -> tuple[Entity, ...]:
    kept: dict[tuple[str, str], Entity] = {}
    for mention in found[bisect_left(starts, span.start) : bisect_left(starts, span.end)]:
        if mention.end <= span.end:
            words = collapse(text[mention.start : mention.end])
            kept.setdefault((words, mention.type), Entity(words, mention.type, mention.start, mention.end))
    return tuple(kept.values())
