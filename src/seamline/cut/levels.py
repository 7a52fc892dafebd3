"""Chunks of chunks: each level is packed from the one below, so levels nest by construction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise

from seamline.cut.atoms import context_text, render_chunk
from seamline.cut.pack import Goal, Load, Pack, packer
from seamline.errors import BudgetError
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Recipe
from seamline.types import Chunk, ChunkIds, Context, Span

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
    groups = list(_Grouper(below, limit, recipe, tokenizer).groups(0, len(below), 0))
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
        self._known: dict[tuple[Context, ...], int] = {(): 0}
        self._leads = [self._lead(_context(chunk)) for chunk in chunks]
        # Nearly: the real count of every group is taken once, when its bounds are known.
        self._tokens = [max(1, chunk.tokens - self._lead(chunk.context)) for chunk in chunks]

    def _lead(self, context: tuple[Context, ...]) -> int:
        tokens = self._known.get(context)
        if tokens is None:
            tokens = self._known[context] = self._count(context_text(self._text, context))
        return tokens

    def groups(self, first: int, last: int, slack: int) -> Iterator[tuple[int, int, int]]:
        """Ranges of chunks with the tokens of each, counted as it is delivered; packed again where one overflows."""
        for low, high in pairwise((first, *self._cuts(first, last, slack), last)):
            tokens = self._size(low, high)
            if tokens <= self._limit or high - low == 1:
                yield low, high, tokens
            else:
                yield from self.groups(low, high, slack + tokens - self._limit)

    def _cuts(self, first: int, last: int, slack: int) -> list[int]:
        part = self._chunks[first:last]
        sums = list(accumulate(self._tokens[first:last], initial=0))
        tail = [0, *[self._count(chunk.closing) if chunk.closing else 0 for chunk in part]]
        score = [self._scores.get(chunk.seam, 0.0) for chunk in part]
        load = Load(sums, self._leads[first:last], tail, score, set())
        limit = max(1, self._limit - slack)
        goal = Goal(min(self._target, limit), limit)
        if slack == 0 and load.size(0, len(part)) <= goal.target:
            return []
        cuts = [first + cut for cut in self._pack(load, goal)]
        if not cuts and slack:
            return [(first + last) // 2]  # nothing else makes it smaller
        return cuts

    def _size(self, low: int, high: int) -> int:
        first, last = self._chunks[low], self._chunks[high - 1]
        return self._count(render_chunk(self._text, first.start, last.end, _context(first), last.closing))


def _context(first: Chunk) -> tuple[Context, ...]:
    return tuple([c for c in first.context if c.role not in _OWN])


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all of it is under."""
    low, high = min(paths), max(paths)
    same = 0
    while same < min(len(low), len(high)) and low[same] == high[same]:
        same += 1
    return low[:same]
