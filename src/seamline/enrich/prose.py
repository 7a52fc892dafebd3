"""The sentences of prose: of a document, found once and asked for by span; of a chunk as a passage that claims,
summaries and questions are made from; and summaries made of them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

from seamline.text.pointing import points_back
from seamline.text.words import query_set
from seamline.types import Chunk, Document, Span, collapse

Starts = Callable[[str, int, int], list[int]]
"""Where the sentences of a range of a text start; together they tile it."""

_MARKER = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_VISIBLE = re.compile(r"\S")


class Prose:
    """Sentences of paragraphs and items; code, tables and headings say nothing a summary could quote."""

    def __init__(self, document: Document, starts: Starts) -> None:
        self._text = document.text
        self._find = starts
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._read: dict[int, RankedSentence] = {}
        loose = {b.parent for b in document.blocks if b.kind == "paragraph"}
        for index, block in enumerate(document.blocks):
            if block.kind == "paragraph" or (block.kind == "item" and index not in loose):
                self._add(words_from(document, index), words_to(document, index))

    def _add(self, start: int, end: int) -> None:
        starts = self._find(self._text, start, end)
        self._starts += starts
        self._ends += [*starts[1:], end] if starts else []

    def read(self, span: Span) -> list[RankedSentence]:
        """Those that stand wholly in a span, each read once."""
        found = self._inside(span)
        for i in found:
            if i not in self._read:
                self._read[i] = read_sentence(self._text[self._starts[i] : self._ends[i]])
        return [self._read[i] for i in found]

    def whole(self, span: Span) -> list[Span]:
        """Where those stand that are wholly in a span."""
        return [Span(self._starts[i], self._ends[i]) for i in self._inside(span)]

    def touched(self, span: Span) -> list[Span]:
        """Where those stand that have a part in a span; cut off at its ends."""
        first, last = bisect_right(self._ends, span.start), bisect_left(self._starts, span.end)
        return [Span(max(self._starts[i], span.start), min(self._ends[i], span.end)) for i in range(first, last)]

    def splits(self, offset: int) -> bool:
        """Whether a cut at an offset goes through a sentence."""
        at = bisect_left(self._starts, offset) - 1
        if at < 0 or self._ends[at] <= offset:
            return False
        before = _VISIBLE.search(self._text, self._starts[at], offset)
        return before is not None and _VISIBLE.search(self._text, offset, self._ends[at]) is not None

    def _inside(self, span: Span) -> range:
        return range(bisect_left(self._starts, span.start), bisect_right(self._ends, span.end))


def words_from(document: Document, index: int) -> int:
    """Where the words of a block start: after the marker, for an item."""
    block = document.blocks[index]
    marker = _MARKER.match(document.text, block.start, block.end) if block.kind == "item" else None
    return marker.end() if marker else block.start


def words_to(document: Document, index: int) -> int:
    """Where a block's own words end: an item may hold more blocks."""
    inner = index + 1
    if inner < len(document.blocks) and document.blocks[inner].parent == index:
        return max(document.blocks[inner].start, words_from(document, index))
    return document.blocks[index].end


StartsOf = Callable[[str, int, int], list[int]]
"""Where the sentences of a range of a text start."""

_PROSE = frozenset(["paragraph", "item", "quote", "footnote", "turn"])
_ITEM_MARKER = re.compile(r"[ \t>]*(?:(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)?")
_QUOTED = re.compile(r"\n[ \t]*>+[ \t]?")
_HIDDEN = re.compile(r"<!--.{0,5000}?-->|\{\{[%<] *comment *[%>]\}\}.{0,5000}?\{\{[%<] */comment *[%>]\}\}", re.DOTALL)
"""Comments that no reader sees."""
_LINKS = (
    (re.compile(r"(?<=[.,;:!?)”\"])<sup>[^<>]{0,20}</sup>|(?<=[^\W\d_]{4})<sup>[^<>]{0,20}</sup>"), ""),
    (re.compile(r"\{\{[<%][^{}]{0,300}?\btext=\"([^\"{}]{0,200})\"[^{}]{0,300}[>%]\}\}"), r"\1"),
    (re.compile(r"\{\{[<%][^{}]{0,500}[>%]\}\}"), ""),
    (re.compile(r"!\[[^]]{0,500}\]\([^)]{0,500}\)"), ""),
    (re.compile(r"(?<!\\)\[([^][]{0,500})\]\([^)]{0,500}\)"), r"\1"),
    (re.compile(r"(?<!\\)\[([^][]{0,500})\]\[[^]]{0,200}\]"), r"\1"),
    (re.compile(r"\[\^[^]]{1,20}\]"), ""),
)
_MARKUP = (
    (re.compile(r"</?[a-zA-Z][^<>]{0,500}>"), ""),
    (re.compile(r"(?<![\w*\\])(\*{1,3})(?=\S)([^*]{1,500}?)(?<=\S)\1(?![\w*])"), r"\2"),
    (re.compile(r"(?<![\w_\\])(_{1,3})(?=\S)([^_]{1,500}?)(?<=\S)\1(?![\w_])"), r"\2"),
    (re.compile(r"\\([\\`*_{}\[\]()#+.!>-])"), r"\1"),
)
"""What Markdown writes around words, and what is left of it. All repeats are bounded: linear time."""


class Sentence(NamedTuple):
    """A sentence of a document."""

    span: Span
    text: str
    """On one line, without markup."""
    block: int
    """Which block it stands in: sentences of one block follow on each other."""


class Passage(NamedTuple):
    """The sentences of a chunk, or of several that belong together."""

    chunks: tuple[Chunk, ...]
    sentences: tuple[Sentence, ...]

    @property
    def document(self) -> Document:
        return self.chunks[0].document

    @property
    def ids(self) -> tuple[str, ...]:
        """Of its chunks."""
        return tuple(chunk.id for chunk in self.chunks)

    @property
    def path(self) -> tuple[str, ...]:
        """The headings that stand above all of it."""
        first, *others = (chunk.path for chunk in self.chunks)
        shared = takewhile(
            lambda at: all(path[at : at + 1] == first[at : at + 1] for path in others), range(len(first))
        )
        return tuple(first[at] for at in shared)

    @property
    def text(self) -> str:
        """Its sentences, one after the other."""
        return " ".join(sentence.text for sentence in self.sentences)

    @property
    def around(self) -> str:
        """What tells a reader where the passage stands."""
        return "\n".join((self.document.title, *self.path))

    @property
    def where(self) -> str:
        """Its place, for a notice."""
        return f"{self.document.id}, chunk {self.chunks[0].id}"


def passages(chunks: Sequence[Chunk], starts: StartsOf) -> list[Passage]:
    """The prose of each chunk, in order; code, tables and headings are left out. Chunks without prose have none."""
    found = (Passage((chunk,), tuple(_sentences(chunk, starts))) for chunk in chunks)
    return [passage for passage in found if passage.sentences]


def together(parts: Sequence[Passage]) -> Passage:
    """Passages of one document as one, such as all of a section, to be summed up."""
    chunks = tuple(chunk for part in parts for chunk in part.chunks)
    return Passage(chunks, tuple(sentence for part in parts for sentence in part.sentences))


def plain(text: str) -> str:
    """A piece of Markdown on one line, as it is read aloud; code keeps its ticks."""
    text = collapse(_QUOTED.sub("\n", text[_ITEM_MARKER.match(text).end() :]))  # type: ignore[union-attr]  # it always matches
    for pattern, left in _LINKS:
        text = pattern.sub(left, text)
    parts = re.split(r"(`[^`\n]*`)", text)
    for pattern, left in _MARKUP:
        parts[::2] = [pattern.sub(left, part) for part in parts[::2]]
    return collapse("".join(parts))


def _sentences(chunk: Chunk, starts: StartsOf) -> Iterator[Sentence]:
    text = chunk.document.text
    for block, low, high in _ranges(chunk):
        bounds = [*starts(text, low, high), high]
        hidden = [match.span() for match in _HIDDEN.finditer(text, low, high)]
        for start, end in pairwise(bounds):
            piece = text[start:end]
            span = Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
            if span.start < span.end and (words := plain(_visible(text, span, hidden))):
                yield Sentence(span, words, block)


def _visible(text: str, span: Span, hidden: Sequence[tuple[int, int]]) -> str:
    """What a reader sees of a span."""
    parts, at = [], span.start
    for start, end in hidden:
        parts.append(text[at : max(at, min(start, span.end))])
        at = max(at, min(end, span.end))
    return "".join((*parts, text[at : span.end]))


def _ranges(chunk: Chunk) -> Iterator[tuple[int, int, int]]:
    """The parts of a chunk's body that are prose and in no block within their own, in order."""
    blocks, (first, last) = chunk.document.blocks, chunk.blocks
    inner: dict[int, list[int]] = {}
    for index in range(first, last):
        inner.setdefault(blocks[index].parent, []).append(index)
    for index in range(first, last):
        block = blocks[index]
        if block.kind not in _PROSE:
            continue
        at = max(block.start, chunk.start)
        for child in inner.get(index, ()):
            yield from _clipped(index, at, blocks[child].start, chunk.end)
            at = max(at, blocks[child].end)
        yield from _clipped(index, at, block.end, chunk.end)


def _clipped(index: int, low: int, high: int, end: int) -> Iterator[tuple[int, int, int]]:
    if low < min(high, end):
        yield index, low, min(high, end)


SUMMARY = 50
"""Tokens of a chunk's summary, at most."""
FIRST = 1.3
"""How much more the first sentence is worth: texts that explain say early what they are about."""
_OPENING = 3
"""Sentences of which one is the first of a summary."""
_LEANING = 0.3
"""What is left of the worth of a first sentence that points back."""
_REPEAT, _WITHIN = 0.65, 0.9
"""Share of the words of both, and of those of the shorter one, from which a sentence repeats another."""
_ASKING = 0.1
"""What is left of the worth of a question: a list of questions and answers is not summed up by what is asked."""
_QUESTIONS = tuple(f"{mark}{end}" for mark in "?？" for end in ("", "*", "**", "_", "__", '"', "”"))
_MOST = 200
"""Sentences that are looked at; beyond that a summary of two sentences stands for nothing anyway."""


class RankedSentence(NamedTuple):
    """A sentence as it can be quoted, and the words by which it is judged."""

    text: str
    words: frozenset[str]


def read_sentence(text: str) -> RankedSentence:
    """A sentence on one line. Sections within sections are summarized from the same ones."""
    plain = collapse(text)
    return RankedSentence(plain, query_set(plain))


def summarize(
    sentences: Sequence[RankedSentence],
    most: int,
    count: Callable[[str], int],
    wanted: int = 2,
    about: Sequence[str] = (),
) -> str:
    """Up to `wanted` sentences, in order and together at most `most` tokens, that share most words with the rest.

    The first says what the text is about: one of its first sentences, best one that shares words with the heading
    above it, the last of `about`, and does not point back at something. No sentence says what another one says. A
    sentence's worth is the mean, over its words, of how many sentences have that word. Empty where no sentence fits.
    """
    looked = sentences[:_MOST]
    spread = Counter(chain.from_iterable(sentence.words for sentence in looked))
    worth = [_worth(sentence, spread) for sentence in looked]
    ranked = sorted(range(len(looked)), key=lambda i: (-worth[i], i))
    title = query_set(about[-1]) if about else frozenset[str]()
    openers = sorted(range(min(_OPENING, len(looked))), key=lambda i: (-_opening(looked[i], worth[i], i, title), i))
    opener = next((i for i in openers if worth[i] and count(looked[i].text) <= most), -1)
    chosen = [opener] if opener >= 0 else []
    for i in ranked:
        if len(chosen) == wanted:
            break
        if i <= opener or not worth[i] or any(_repeats(looked[i].words, looked[j].words) for j in chosen):
            continue
        if count(" ".join(looked[j].text for j in sorted((*chosen, i)))) <= most:
            chosen.append(i)
    return " ".join(looked[i].text for i in sorted(chosen))


def _opening(sentence: RankedSentence, worth: float, at: int, title: frozenset[str]) -> float:
    """How well a sentence says what a text is about."""
    shared = len(sentence.words & title) / len(title) if title else 0.0
    leans = points_back(sentence.text)
    return worth * (FIRST if at == 0 else 1) * (1 + shared) * (_LEANING if leans else 1)


def _repeats(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two sentences have nearly the same words, or one has nearly all of the other's."""
    shared = len(words & others)
    return shared >= _REPEAT * len(words | others) or shared >= _WITHIN * min(len(words), len(others))


def _worth(sentence: RankedSentence, spread: Mapping[str, int]) -> float:
    words = sentence.words
    # Divided by more than the number of words: a sentence of one common word says nothing.
    worth = sum(map(spread.__getitem__, words)) / (len(words) + 3) if words else 0.0
    return worth * _ASKING if sentence.text.endswith(_QUESTIONS) else worth
