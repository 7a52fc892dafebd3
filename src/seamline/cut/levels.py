"""Chunks of chunks: each level is packed from the one below, so levels nest by construction.

Structure comes first: a parent is a section, several whole sections that follow each other, or a part of one section
that is too large. It never holds a section and a part of the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, groupby, pairwise
from typing import NamedTuple

from seamline.cut.atoms import context_text, render_chunk
from seamline.cut.pack import Goal, Load, Pack, packer
from seamline.errors import BudgetError
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Recipe
from seamline.types import Chunk, ChunkIds, Context, Document, Span

_NEAR = 0.9
"""Share of the limit up to which the sum of the chunks' tokens is believed."""
_OWN = frozenset(("overlap", "summary", "import"))
"""What a chunk borrows for itself; what is made of several needs it no more."""


def build_levels(leaves: Sequence[Chunk], recipe: Recipe, tokenizer: Tokenizer) -> list[Chunk]:
    """All levels in document order, what is larger before what it is made of."""
    if recipe.hierarchy.limits[0] < recipe.budget.limit:
        raise BudgetError(
            f"expected limits of at least {recipe.budget.limit}, the limit of chunks, got {recipe.hierarchy.limits[0]}",
            "$.hierarchy.limits",
        )
    levels = [list(leaves)]
    for limit in recipe.hierarchy.limits:
        below, above = _group_level(levels[-1], len(levels), limit, recipe, tokenizer)
        levels[-1] = below
        levels.append(above)
    return sorted(chain.from_iterable(levels), key=lambda chunk: (chunk.start, -chunk.level))


def _group_level(
    below: Sequence[Chunk], level: int, limit: int, recipe: Recipe, tokenizer: Tokenizer
) -> tuple[list[Chunk], list[Chunk]]:
    """The level below with its parents, and the level of those parents."""
    if not below:
        return [], []
    groups = list(_Grouper(below, limit, recipe, tokenizer).groups())
    document = below[0].document
    bodies = [(below[first].start, below[last - 1].end) for first, last, _ in groups]
    names = ChunkIds(f"{document.id}\0level {level}", document.text, bodies)
    above: list[Chunk] = []
    children: list[Chunk] = []
    for index, (first, last, tokens) in enumerate(groups):
        group = below[first:last]
        parent = replace(
            group[0],
            body=Span(*bodies[index]),
            tokens=tokens,
            names=names,
            context=_context(group[0]),
            closing=group[-1].closing,
            path=_common([chunk.path for chunk in group]),
            index=index,
            total=len(groups),
            blocks=(group[0].blocks[0], group[-1].blocks[1]),
            level=level,
            parent="",
            shadows=(None, None),
            children=tuple(chunk.id for chunk in group),
        )
        above.append(parent)
        children += [replace(chunk, parent=parent.id) for chunk in group]
    return children, above


class _Grouper:
    """Packs the chunks of one level."""

    def __init__(self, chunks: Sequence[Chunk], limit: int, recipe: Recipe, tokenizer: Tokenizer) -> None:
        self._chunks = chunks
        self._text = chunks[0].document.text
        self._limit = limit
        self._target = max(1, limit * recipe.budget.target // recipe.budget.limit)
        self._count = tokenizer.count
        self._scores = {name: value / 100 for name, value in recipe.scores.items()}
        self._pack: Pack = packer(recipe.packer, window=recipe.window, decay=recipe.decay, balance=recipe.balance)
        self._paths = section_paths(chunks)
        self._known: dict[tuple[Context, ...], int] = {(): 0}
        self._leads = [self._lead(_context(chunk)) for chunk in chunks]
        # Nearly: the real count of every group is taken once, when its bounds are known.
        self._tokens = [max(1, chunk.tokens - self._lead(chunk.context)) for chunk in chunks]

    def _lead(self, context: tuple[Context, ...]) -> int:
        tokens = self._known.get(context)
        if tokens is None:
            tokens = self._known[context] = self._count(context_text(self._text, context))
        return tokens

    def groups(self) -> Iterator[tuple[int, int, int]]:
        """Ranges of chunks with the tokens of each, counted as it is delivered."""
        yield from self._section(0, len(self._chunks), 0)

    def _section(self, first: int, last: int, depth: int) -> Iterator[tuple[int, int, int]]:
        """The parents of one section: what is small is packed whole, what is too large is divided for itself."""
        small: list[Span] = []
        for run, is_section in self._runs(first, last, depth):
            if self._fits(run):
                small.append(run)
                continue
            yield from self._packed(small, 0)
            small = []
            if is_section:
                yield from self._section(*run, depth + 1)
            else:
                yield from self._packed(_single(run), 0)
        yield from self._packed(small, 0)

    def _runs(self, first: int, last: int, depth: int) -> Iterator[tuple[Span, bool]]:
        """The sections directly within one, and what stands beside them, in order."""
        at = first
        for section, members in groupby(
            range(first, last), key=lambda i: self._paths[i][depth] if len(self._paths[i]) > depth else -1
        ):
            size = len(list(members))
            yield Span(at, at + size), section >= 0
            at += size

    def _fits(self, run: Span) -> bool:
        sums = self._leads[run.start] + sum(self._tokens[run.start : run.end])
        # The sum is nearly exact, so that only what is near the limit is counted.
        return sums <= self._limit and (sums <= self._limit * _NEAR or self._size(*run) <= self._limit)

    def _packed(self, units: Sequence[Span], slack: int) -> Iterator[tuple[int, int, int]]:
        """Groups of whole units; packed again where one overflows."""
        if not units:
            return
        for low, high in pairwise((0, *self._cuts(units, slack), len(units))):
            first, last = units[low].start, units[high - 1].end
            tokens = self._size(first, last)
            if tokens <= self._limit or last - first == 1:
                yield first, last, tokens
            elif high - low == 1:
                yield from self._packed(_single(units[low]), 0)
            else:
                yield from self._packed(units[low:high], slack + tokens - self._limit)

    def _cuts(self, units: Sequence[Span], slack: int) -> list[int]:
        sums = list(accumulate((sum(self._tokens[unit.start : unit.end]) for unit in units), initial=0))
        closing = [self._chunks[unit.end - 1].closing for unit in units]
        tail = [0, *[self._count(text) if text else 0 for text in closing]]
        score = [self._scores.get(self._chunks[unit.start].seam, 0.0) for unit in units]
        load = Load(sums, [self._leads[unit.start] for unit in units], tail, score, set())
        limit = max(1, self._limit - slack)
        goal = Goal(min(self._target, limit), limit)
        if slack == 0 and load.size(0, len(units)) <= goal.target:
            return []
        cuts = self._pack(load, goal)
        if not cuts and slack:
            return [len(units) // 2]  # nothing else makes it smaller
        return cuts

    def _size(self, low: int, high: int) -> int:
        first, last = self._chunks[low], self._chunks[high - 1]
        return self._count(render_chunk(self._text, first.start, last.end, _context(first), last.closing))


def _single(run: Span) -> list[Span]:
    return [Span(at, at + 1) for at in range(run.start, run.end)]


def section_paths(chunks: Sequence[Chunk]) -> list[tuple[int, ...]]:
    """For each chunk, the sections that hold all of it, outermost first, by the number of their heading.

    A section whose heading directly follows another begins where that one does: a chunk has both headings.
    """
    nodes = _sections(chunks[0].document)
    found: list[tuple[int, ...]] = []
    at = -1
    for chunk in chunks:
        while at + 1 < len(nodes) and nodes[at + 1].heading < chunk.end:
            at += 1
        path: list[int] = []
        number = at
        while number >= 0:
            node = nodes[number]
            if node.span.start <= chunk.start and chunk.end <= node.span.end:
                path.append(number)
            number = node.parent
        found.append(tuple(reversed(path)))
    return found


class _SectionSpan(NamedTuple):
    """A section with all that is under its heading."""

    heading: int
    """Where its heading starts."""
    span: Span
    parent: int
    """Number of the section around it; -1 at the top."""


def _sections(document: Document) -> list[_SectionSpan]:
    tops = [document.blocks[top] for top in document.tops]
    found: list[_SectionSpan] = []
    levels: list[int] = []
    open_: list[int] = []
    start = -1
    for block in tops:
        if block.kind != "heading":
            start = -1
            continue
        start = block.start if start < 0 else start
        while open_ and levels[open_[-1]] >= block.level:
            last = open_.pop()
            found[last] = found[last]._replace(span=Span(found[last].span.start, block.start))
        found.append(_SectionSpan(block.start, Span(start, len(document.text)), open_[-1] if open_ else -1))
        levels.append(block.level)
        open_.append(len(found) - 1)
    return found


def _context(first: Chunk) -> tuple[Context, ...]:
    return tuple([c for c in first.context if c.role not in _OWN])


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all of it is under."""
    low, high = min(paths), max(paths)
    same = 0
    while same < min(len(low), len(high)) and low[same] == high[same]:
        same += 1
    return low[:same]
