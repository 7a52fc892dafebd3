"""Less of a passage: runs of sentences, list items or rows around the one that meets the query, from long to short, and
never within code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from seamline.records import Entry
from seamline.search.highlight import Sentences
from seamline.search.hits import Citation
from seamline.text.lines import LINE_END
from seamline.text.markup import FENCE, MARKER, is_table_header
from seamline.text.words import query_words, words

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


def clip_citation(citation: Citation, entry: Entry, query: str, sentences: Sentences | None = None) -> Iterator[Clip]:
    """Parts of a cited chunk, each shorter than the one before, the last a single sentence or row.

    They hold the piece with most words of the query, and of what is around it the side with more of them. A chunk
    without any word of the query has none, nor has one that is no use in part.
    """
    if not divisible(entry):
        return
    parts = pieces(entry, sentences)
    wanted = frozenset(query_words(query))
    found = [
        wanted.intersection(words(_answering_text(entry.body[part.start + part.own : part.end]))) for part in parts
    ]
    if wanted and not any(found):
        return
    for low, high in _shrinking(found):
        yield _clip(citation, parts, low, high)


def _answering_text(text: str) -> str:
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


def _clip(citation: Citation, parts: Sequence[PassageUnit], low: int, high: int) -> Clip:
    return Clip(_part(citation, parts[low].start, parts[high - 1].end), parts[low].header)


def _part(citation: Citation, start: int, end: int) -> Citation:
    """The citation of a slice of a cited passage, without the white space at its ends."""
    text = citation.quote[start:end]
    start += len(text) - len(text.lstrip())
    quote = text.strip()
    anchor = citation.anchor.copy()
    if anchor.keys() == {"lines"}:  # of extracted text, only the parser knows the places
        first = anchor["lines"][0] + len(LINE_END.findall(citation.quote, 0, start))
        anchor["lines"] = [first, first + len(LINE_END.findall(quote))]
    at = citation.start + start
    return replace(citation, anchor=anchor, start=at, end=at + len(quote), quote=quote)


class PassageUnit(NamedTuple):
    """A stretch of a text that is shown whole or not at all."""

    start: int
    end: int
    header: str = ""
    """What a part that starts here needs before it: the header of the table this row belongs to."""
    own: int = 0
    """How many code points after its start the first row comes, where the piece holds the header itself."""


class _Block(NamedTuple):
    start: int
    end: int
    text: str
    framed: bool
    """A fence or a formula, which is no use in part."""


_KINDS = {"paragraph", "list", "quote", "text", "table"}
_OPENS = re.compile(rf"[ \t>]*(?P<mark>{FENCE}|\$\$)")
_ITEM = re.compile(rf"{MARKER}[ \t]")


def divisible(entry: Entry) -> bool:
    """Whether parts of a text can stand alone: those of code cannot, nor of a fence that others go on with."""
    lead = entry.text[: entry.lead]
    return entry.kind in _KINDS and not entry.tail and not any(_OPENS.match(line) for line in lead.splitlines())


def pieces(entry: Entry, sentences: Sentences | None) -> list[PassageUnit]:
    """The pieces of an entry's body, in order; together they are all of it."""
    above = _header(entry.text[: entry.lead])
    out: list[PassageUnit] = []
    for block in _blocks(entry.body):
        rows = [] if block.framed else _rows(block, above if block.start == 0 else "")
        if rows:
            out += rows
        elif block.framed or "|" in block.text[:1] or sentences is None:
            out.append(PassageUnit(block.start, block.end))
        else:
            out += _sentences(block, sentences)
    return out


def _blocks(text: str) -> Iterator[_Block]:
    """Stretches between blank lines, list items and fences."""
    at, start, closing, blank = 0, 0, "", False
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        mark = _OPENS.match(line)
        if closing:
            if mark and mark["mark"].startswith(closing):
                yield _Block(start, end, text[start:end], framed=True)
                start, closing = end, ""
        elif mark or (blank and line.strip()) or _ITEM.match(line):
            if start < at:
                yield _Block(start, at, text[start:at], framed=False)
            start, closing = at, mark["mark"] if mark else ""
        blank = not line.strip()
        at = end
    if start < len(text):
        yield _Block(start, len(text), text[start:], framed=bool(closing))


def _rows(block: _Block, above: str) -> list[PassageUnit]:
    """The rows of a table: the first with the header where the table starts here, the others with it borrowed."""
    lines = block.text.splitlines(keepends=True)
    header, own = above, 0
    if is_table_header(lines[:2]):
        header = "".join(lines[:2])
        own = len(header)
        lines = ["".join(lines[:3]), *lines[3:]]
    elif not header or "|" not in lines[0]:
        return []
    out, at = [], block.start
    for n, line in enumerate(lines):
        holds = own if n == 0 else 0
        out.append(PassageUnit(at, at + len(line), "" if holds else header, holds))
        at += len(line)
    return out


def _header(lead: str) -> str:
    """The header of a table, where a borrowed text ends with one."""
    last = lead.splitlines(keepends=True)[-2:]
    return "".join(last) if is_table_header(last) else ""


def _sentences(block: _Block, sentences: Sentences) -> Iterator[PassageUnit]:
    starts = [start for start in sentences(block.text) if start > 0]
    edges = [0, *starts, len(block.text)]
    for start, end in pairwise(edges):
        yield PassageUnit(block.start + start, block.start + end)
