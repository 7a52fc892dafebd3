"""Less of a passage: runs of its pieces around the one that meets the query, from long to short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from seamline.hits import Citation
from seamline.records import Entry
from seamline.retrieve.highlight import Sentences
from seamline.retrieve.pieces import Piece, divisible, pieces
from seamline.words import query_words, words

_LINE_END = re.compile(r"\r\n?|\n")
_DENSITY = 0.3
"""What a word of the query counts for where it stands again, beside its first time in a part."""


class Clip(NamedTuple):
    """A part of a passage, and the header of the table it is from."""

    citation: Citation
    header: str = ""

    @property
    def text(self) -> str:
        """What to read."""
        return self.header + self.citation.quote


def clipped(citation: Citation, entry: Entry, query: str, sentences: Sentences | None = None) -> Iterator[Clip]:
    """Parts of a cited chunk, each shorter than the one before, the last a single sentence or row.

    They hold the piece with most words of the query, and of what is around it the side with more of them. A chunk
    without any word of the query has none, nor has one that is no use in part.
    """
    if not divisible(entry):
        return
    parts = pieces(entry, sentences)
    wanted = frozenset(query_words(query))
    found = [wanted.intersection(words(_said(entry.body[part.start + part.own : part.end]))) for part in parts]
    if wanted and not any(found):
        return
    for low, high in _shrinking(found):
        yield _clip(citation, parts, low, high)


def _said(text: str) -> str:
    """A text, or nothing for a heading: it has the words of what is below, and answers nothing."""
    return "" if _HEADING.match(text) else text


_HEADING = re.compile(r"#{1,6}[ \t].*\s*$")


def _shrinking(found: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """Ranges of pieces from all to the best alone, each a piece shorter, off the end whose words are missed less; where
    they are equal, so that twice as much is left after the best as before it."""
    low, high = 0, len(found)
    best = max(range(high), key=lambda n: (len(found[n]), -n), default=0)
    while high - low > 1:
        yield low, high
        front, back = _loss(found, low, low + 1, high), _loss(found, high - 1, low, high - 1)
        before, after = best - low, high - 1 - best
        from_front = before > 0 and (after == 0 or front < back or (front == back and 2 * before >= after))
        low, high = (low + 1, high) if from_front else (low, high - 1)
    if high > low:
        yield low, high


def _loss(found: Sequence[frozenset[str]], gone: int, low: int, high: int) -> float:
    """What a range loses with a piece: words that it has nowhere else, and others a little."""
    alone = found[gone].difference(*found[low:high])
    return len(alone) + _DENSITY * len(found[gone])


def _clip(citation: Citation, parts: Sequence[Piece], low: int, high: int) -> Clip:
    return Clip(_part(citation, parts[low].start, parts[high - 1].end), parts[low].header)


def _part(citation: Citation, start: int, end: int) -> Citation:
    """The citation of a slice of a cited passage, without the white space at its ends."""
    text = citation.quote[start:end]
    start += len(text) - len(text.lstrip())
    quote = text.strip()
    anchor = dict(citation.anchor)
    if anchor.keys() == {"lines"}:  # of extracted text, only the parser knows the places
        first = anchor["lines"][0] + len(_LINE_END.findall(citation.quote, 0, start))
        anchor["lines"] = [first, first + len(_LINE_END.findall(quote))]
    at = citation.start + start
    return replace(citation, anchor=anchor, start=at, end=at + len(quote), quote=quote)
