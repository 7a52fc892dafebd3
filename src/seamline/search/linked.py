"""What a hit leads to: the figure, table or section that its words name, the text that discusses a table, the slide
that was shown while something was said, and what was said to a slide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import log
from pathlib import PurePosixPath

from seamline.filters.tree import DERIVED_FIELDS
from seamline.records import Entry
from seamline.search.documents import DocumentCache
from seamline.search.hits import Hit
from seamline.text.words import query_words

_TARGETS = DERIVED_FIELDS["links"]
_TALKS = (".vtt", ".srt", ".mp4", ".mkv", ".webm", ".mov", ".mp3", ".m4a", ".wav", ".json")
_SLIDES = (".pptx", ".pptm", ".odp", ".pdf")
"""Endings of files that belong together where the rest of their names is the same: `talk.vtt` and `talk.pptx`."""
_LEAST = 1.0
"""What words that a slide and a part of a talk share must weigh: less is chance."""


def follow_links(hits: Sequence[Hit], documents: DocumentCache, most: int) -> list[Hit]:
    """The hits, each with up to `most` chunks that it leads to: cited apart (`Hit.linked`), and behind the text where
    no hit shows them already. A filter is about hits, and not about what they lead to."""
    shown = {id for hit in hits for id in (hit.entry.id, *hit.ids)}
    out = []
    for hit in hits:
        wanted = (id for id in _targets(hit, documents) if id not in hit.ids)
        entries = documents.entries(islice(dict.fromkeys(wanted), most))
        if entries:
            documents.fetch(entry.doc for entry in entries.values())
            new = [entry.text for entry in entries.values() if entry.id not in shown]
            linked = tuple(documents.cite(entry) for entry in entries.values())
            hit = replace(hit, text="\n\n".join((hit.text, *new)), linked=linked)
            shown.update(entries)
        out.append(hit)
    return out


def _targets(hit: Hit, documents: DocumentCache) -> Iterator[str]:
    """Ids of what it leads to: of what was found first, then of what stands around it."""
    own = hit.entry.id if hit.entry.id in hit.ids else hit.entry.parent
    for entry in documents.entries((own, *hit.ids)).values():
        found = entry.meta.get(_TARGETS, ())
        if isinstance(found, tuple):
            yield from (id for id in found if isinstance(id, str))
        yield from _beside(hit.doc, entry.id, documents)


def _beside(doc: str, id: str, documents: DocumentCache) -> Iterator[str]:
    """The slides of a part of a talk, or the parts of a talk about a slide, where the index has the other file."""
    path = PurePosixPath(doc)
    ending = path.suffix.lower()
    if ending not in (*_TALKS, *_SLIDES):
        return
    others = (path.with_suffix(other).as_posix() for other in (_SLIDES if ending in _TALKS else _TALKS))
    for other in others:
        head = documents.reader.head(other)
        if head is not None and not head.deleted:
            own, beside = _chunks(doc, documents), _chunks(other, documents)
            talk, slides = (own, beside) if ending in _TALKS else (beside, own)
            pairs = align(talk, slides)
            yield from (slide if ending in _TALKS else part for part, slide in pairs if id in (part, slide))


def _chunks(doc: str, documents: DocumentCache) -> list[Entry]:
    return list(documents.entries(place.id for place in documents.layout(doc).chunks).values())


def align(talk: Sequence[Entry], slides: Sequence[Entry]) -> list[tuple[str, str]]:
    """The parts of a talk, each with the chunk of slides that was shown: slides go on and never back, and share words
    with what is said. Parts that share too little with their slide have none."""
    if not talk or not slides:
        return []
    said = [frozenset(query_words(entry.body)) for entry in talk]
    shown = [frozenset(query_words(entry.body)) for entry in slides]
    often = Counter(word for words in shown for word in words)
    weight = {word: log(1 + len(slides) / times) for word, times in often.items()}
    alike = [[sum(weight[word] for word in words & slide) for slide in shown] for words in said]
    best = [0.0] * len(slides)
    came: list[list[int]] = []
    for row in alike:
        before, at = [], 0
        for slide in range(len(slides)):
            at = slide if best[slide] > best[at] else at
            before.append(at)
        best = [best[before[slide]] + row[slide] for slide in range(len(slides))]
        came.append(before)
    slide = max(range(len(slides)), key=lambda n: (best[n], -n))
    out: list[tuple[str, str]] = []
    for part in range(len(talk) - 1, -1, -1):
        if alike[part][slide] >= _LEAST:
            out.append((talk[part].id, slides[slide].id))
        slide = came[part][slide]
    return out[::-1]
