"""Less of a passage: runs of its sentences around the one that meets the query, from long to short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from seamline.hits import Citation
from seamline.records import Entry
from seamline.retrieve.highlight import Sentences
from seamline.words import query_words, words

_LINE_END = re.compile(r"\r\n?|\n")


def is_prose(entry: Entry) -> bool:
    """Whether parts of a text can stand alone: half a fence or rows without their header cannot."""
    return entry.kind in _PROSE and not _FRAMED.search(entry.body)


_PROSE = {"paragraph", "list", "quote", "text"}
_FRAMED = re.compile(r"^[ >]*(?:```|~~~|\||\$\$)", re.MULTILINE)


def clipped(citation: Citation, query: str, sentences: Sentences | None = None) -> Iterator[Citation]:
    """Parts of a cited passage, each shorter than the one before, the last a single sentence.

    They hold the sentence with most words of the query, and more of what follows it than of what comes before. A
    passage without any word of the query has none.
    """
    text = citation.quote
    edges = [*(sentences(text) if sentences else (0,)), len(text)]
    wanted = frozenset(query_words(query))
    worth = [len(wanted.intersection(words(text[a:b]))) for a, b in pairwise(edges)]
    if not max(worth, default=0) and wanted:
        return
    for low, high in _shrinking(worth.index(max(worth)), len(worth)):
        yield _part(citation, edges[low], edges[high])


def _shrinking(best: int, total: int) -> Iterator[tuple[int, int]]:
    """Ranges of sentences from all to the best alone, each a sentence shorter: two off the front, one off the end."""
    low, high, turn = 0, total, 0
    while high - low > 1:
        yield low, high
        front = low < best and (turn % 3 < 2 or high == best + 1)
        low, high = (low + 1, high) if front else (low, high - 1)
        turn += 1
    yield low, high


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
