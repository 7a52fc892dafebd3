"""The compiled cut: the usual recipe in one call, and the Python it hands rare work to."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from functools import cached_property
from types import ModuleType
from typing import Any

from seamline.cut import atoms
from seamline.cut.atoms import Atom, Draft, Frame, cost
from seamline.cut.fit import (
    cluster_tokens,
    endless,
    heading_tokens,
    scores_of,
)
from seamline.cut.overlap import Overlapper, overlap_tokens
from seamline.cut.scores import NO_SIGNAL, Scorer, Signal
from seamline.cut.sections import find_sections
from seamline.cut.split.blocks import Splitter, Task
from seamline.cut.split.ladder import Piece, Room, by_words
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Recipe
from seamline.text.headings import heading_text
from seamline.types import Chunk, Context, Document


def compiled_cut(
    native: ModuleType, document: Document, recipe: Recipe, tokenizer: Tokenizer, signal: Signal = NO_SIGNAL
) -> list[Chunk] | None:
    """The chunks of a document; None where the recipe, the signal or the document is one that only Python cuts."""
    if not is_usual(recipe) or signal.outline is not None:
        return None
    budget = recipe.budget
    plan = (
        budget.target,
        budget.limit,
        heading_tokens(recipe),
        recipe.breadcrumb_depth,
        recipe.balance,
        scores_of(recipe),
        dict(recipe.whole),
        all(recipe.split.values()),
    )
    counter: Any = getattr(tokenizer, "counter", None)
    count = counter if isinstance(counter, native.Counter | native.Estimate) else tokenizer.count
    if signal.measure is not None:
        count = signal.measure
    rest = Rest(document, recipe, tokenizer, signal)
    chunks: list[Chunk] | None = native.cut(document, count, tokenizer.additive, plan, _sorted(signal), rest)
    return chunks and _shaded(chunks, recipe, tokenizer) if recipe.overlap.kind == "shadows" else chunks


def _shaded(chunks: list[Chunk], recipe: Recipe, tokenizer: Tokenizer) -> list[Chunk]:
    """The same chunks with their shadows. No chunk crosses a section, so one that starts a section has no sibling
    before it."""
    document = chunks[0].document
    sections = find_sections(document.blocks, document.tops, recipe.breadcrumb_depth)
    starts = [document.blocks[document.tops[section.first]].start for section in sections]
    drafts = [
        Draft(chunk.start, chunk.end, chunk.tokens, (), "", bisect_right(starts, chunk.start), "") for chunk in chunks
    ]
    overlapper = Overlapper(document, document.tops, sections, tokenizer, recipe.budget.limit)
    most = overlap_tokens(recipe.overlap, recipe.budget.target)
    pairs = (overlapper.shadows(drafts, index, most) for index in range(len(drafts)))
    return [replace(chunk, shadows=pair) if any(pair) else chunk for chunk, pair in zip(chunks, pairs, strict=True)]


def _sorted(signal: Signal) -> tuple[list[int], list[float], list[int], list[int], float]:
    """A signal as the compiled cut looks things up in it: by search, in ascending order."""
    said = sorted(signal.score)
    return said, [signal.score[at] for at in said], sorted(signal.forced), sorted(signal.kept), signal.weight


def is_usual(recipe: Recipe) -> bool:
    """Whether a recipe cuts at every heading by the optimal packer, and changes no text of the chunks after."""
    return (
        recipe.packer == "optimal"
        and recipe.sections == "heading"
        and recipe.depth == 0
        and recipe.overlap.kind in ("none", "shadows")
        and recipe.budget.floor == 0
    )


class Rest:
    """What the compiled cut asks Python for: splitting blocks that hold others, frames, odd headings."""

    def __init__(self, document: Document, recipe: Recipe, tokenizer: Tokenizer, signal: Signal) -> None:
        self._document = document
        self._recipe = recipe
        self._count = tokenizer.count
        self._signal = signal

    @cached_property
    def _splitter(self) -> Splitter:
        document, recipe = self._document, self._recipe
        cluster = cluster_tokens(recipe)
        scorer = Scorer(scores_of(recipe), self._signal)
        return Splitter(document.text, document.blocks, self._count, recipe.whole, recipe.split, cluster, scorer)

    def split(self, start: int, end: int, block: int, seam: str, glued: bool, room: int) -> list[Atom]:
        """The atoms of a block that is too large or that a signal opens."""
        return self._splitter.split(Task(start, end, block, seam, None, glued), room)

    def frame(self, start: int, end: int, block: int, room: int) -> tuple[Frame | None, int]:
        """What every piece of a block is put into, and the room it leaves them."""
        task = Task(start, end, block, "")
        frame = self._splitter.frame(task, self._document.blocks[block].kind, room)
        return frame, room - cost(frame)

    def words(self, start: int, end: int, room: int, seam: str) -> list[Piece]:
        """A range that no line end divides."""
        return by_words(self._document.text, start, end, Room(room, self._splitter.cluster), self._count, seam)

    def cut_clusters(self, tokens: int) -> None:
        """From now on only grapheme clusters of so many tokens stay whole."""
        self._splitter.cluster = tokens

    def give_up(self, over: int) -> None:
        raise endless(self._document, over, self._recipe.budget.limit)

    def heading(self, block: int) -> str:
        return heading_text(self._document.text, self._document.blocks[block])

    def opening(self, frame: Frame, start: int) -> tuple[Context, ...]:
        return atoms.opening(frame, self._document.text, start)

    def opening_tokens(self, frame: Frame, start: int) -> int:
        return atoms.opening_tokens(frame, self._document.text, start)

    def closing(self, frame: Frame, end: int) -> str:
        return atoms.closing(frame, end)

    def closing_tokens(self, frame: Frame, end: int) -> int:
        return atoms.closing_tokens(frame, end)
