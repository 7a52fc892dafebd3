"""Where a passage meets the query: spans to mark, and the part worth showing."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from seamline.text.words import located, query_words, words
from seamline.types import Span

Sentences = Callable[[str], Sequence[int]]
"""Finds where the sentences of a text start, such as `seamline.text.sentences.sentence_starts`."""

SNIPPET = 320
"""Code points of a snippet: about four lines of a terminal."""
_BACK = 24
"""How far back a snippet may look for the start of a word."""


class Match(NamedTuple):
    """A part of a text that holds words of a query."""

    start: int
    end: int
    words: frozenset[str]


class Snippet(NamedTuple):
    """The part of a text that meets a query best."""

    start: int
    end: int
    spans: tuple[Span, ...]
    """What to mark, in code points of the whole text."""

    def of(self, text: str) -> str:
        """The snippet itself."""
        return text[self.start : self.end]


def matches(text: str, query: str) -> list[Match]:
    """The parts of a text that hold words of the query, by the same rules BM25 finds them by; in order."""
    wanted = frozenset(query_words(query))
    found: list[Match] = []
    for start, end, terms in located(text):
        if wanted.intersection(terms):
            found += _narrow(text, start, end, terms, wanted)
    return found


def spans(text: str, query: str) -> list[Span]:
    """The same as disjoint ascending spans."""
    out: list[Span] = []
    for start, end, _ in matches(text, query):
        if out and start <= out[-1].end:
            out[-1] = Span(out[-1].start, max(end, out[-1].end))
        else:
            out.append(Span(start, end))
    return out


def _narrow(text: str, start: int, end: int, terms: Sequence[str], wanted: frozenset[str]) -> Iterator[Match]:
    """A whole word; of a run without spaces, such as Chinese, only the pairs of characters that match."""
    pairs = []
    if len(terms) > 1 and not text[start:end].isascii():
        pairs = [(at, wanted.intersection(words(text[at : at + 2]))) for at in range(start, end - 1)]
    if not any(found for _, found in pairs):
        yield Match(start, end, wanted.intersection(terms))
    for at, found in pairs:
        if found:
            yield Match(at, at + 2, found)


def snippet(text: str, query: str, size: int = SNIPPET, sentences: Sentences | None = None) -> Snippet:
    """The stretch of at most `size` code points with the most different words of the query, started at a sentence
    where that leaves the words in, else at a word."""
    found = matches(text, query)
    first, last = _densest(found, size)
    start = _start(text, first, max(last, first + 1), size, sentences)
    end = _word_end(text, max(start, last), min(len(text), start + size))
    marked = tuple(span for span in spans(text, query) if start <= span.start and span.end <= end)
    return Snippet(start, end, marked)


def _densest(found: Sequence[Match], size: int) -> tuple[int, int]:
    """Start and end of the stretch of matches, no longer than `size`, that has most different words; the first such."""
    held: Counter[str] = Counter()
    best, stretch, low = (0, 0), (0, 0), 0
    for high, match in enumerate(found):
        held.update(match.words)
        while match.end - found[low].start > size and low < high:
            held.subtract(found[low].words)
            low += 1
        worth = (sum(count > 0 for count in held.values()), high - low + 1)
        if worth > best:
            best, stretch = worth, (found[low].start, match.end)
    return stretch


def _start(text: str, first: int, last: int, size: int, sentences: Sentences | None) -> int:
    """Where a snippet with these matches starts: as early as room allows, at a sentence or else a word."""
    earliest = max(0, last - size)
    if earliest == 0 and len(text) <= size:
        return 0
    starts = sentences(text) if sentences else ()
    at = bisect_right(starts, first) - 1
    if at >= 0 and starts[at] >= earliest:
        return starts[at]
    if earliest == 0:
        return 0
    early = max(earliest, first - size // 3)
    gap = text.find(" ", early, min(first + 1, early + _BACK))
    return gap + 1 if gap >= 0 else early


def _word_end(text: str, least: int, end: int) -> int:
    """The end of the last whole word before `end`, where a space is near and nothing before `least` is lost."""
    if end >= len(text) or text[end].isspace():
        return end
    gap = text.rfind(" ", max(least, end - _BACK), end)
    return gap if gap > 0 else end
