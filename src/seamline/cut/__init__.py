"""Document -> chunks: pure functions of a document, a recipe and a tokenizer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from seamline.cut.atoms import Draft, Gap
from seamline.cut.context import ScopePaths
from seamline.cut.fit import Cutter, MayJoin, merge_small
from seamline.cut.scores import Signal
from seamline.cut.scores.strategies import signal_of
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime, gc_paused
from seamline.types import Chunk, ChunkIds, Document, Span

if TYPE_CHECKING:
    from seamline.cut.sections import Parents


def cut(document: Document, recipe: Recipe, runtime: Runtime) -> list[Chunk]:
    """The chunks of a document, of all levels where the strategy makes several."""
    with gc_paused():
        leaves = cut_leaves(document, recipe, runtime)
        if recipe.strategy != "hierarchical":
            return leaves
        from seamline.cut.levels import build_levels

        return build_levels(leaves, recipe, runtime.tokenizer)


def cut_leaves(document: Document, recipe: Recipe, runtime: Runtime, signal: Signal | None = None) -> list[Chunk]:
    """The chunks of a document of one level. A `signal` that is given stands for that of the recipe's strategy."""
    tokenizer = runtime.tokenizer
    if signal is None:
        signal = signal_of(document, recipe, runtime)
    kind = recipe.overlap.kind
    most = 0
    if kind != "none":
        from seamline.cut.overlap import overlap_tokens

        most = overlap_tokens(recipe.overlap, recipe.budget.target)
    reserve = most if kind not in ("none", "shadows") else 0
    outline = signal.outline if recipe.code.imports else None
    if outline is not None:
        from seamline.cut.context import ImportContext, import_reserve

        reserve += import_reserve(document, recipe.budget.limit)
    engine = Cutter(document, recipe, tokenizer, reserve, signal)
    drafts = engine.drafts()
    floor = recipe.budget.floor or (recipe.budget.target // 4 if recipe.sections == "hybrid" else 0)
    if floor and len(drafts) > 1:
        drafts = merge_small(
            document.text,
            drafts,
            floor,
            recipe.budget.limit,
            tokenizer,
            _joiner(recipe, signal),
        )
    shadows: list[tuple[Span | None, Span | None]] = []
    if most:
        from seamline.cut.overlap import Overlapper

        overlapper = Overlapper(document, engine.tops, engine.sections, tokenizer, recipe.budget.limit)
        if kind == "shadows":
            shadows = [overlapper.shadows(drafts, index, most) for index in range(len(drafts))]
        else:
            drafts = overlapper.add(drafts, kind, most, crosses=recipe.sections == "paragraph")
    if outline is not None:
        drafts = ImportContext(document, outline, tokenizer, recipe.budget.limit).add(drafts)
    return _make_chunks(engine, drafts, shadows)


def find_gaps(document: Document, recipe: Recipe, runtime: Runtime) -> list[Gap]:
    """Every place where the document could be cut, with its score: what the packer chooses from."""
    with gc_paused():
        return list(Cutter(document, recipe, runtime.tokenizer, 0, signal_of(document, recipe, runtime)).gaps())


def _joiner(recipe: Recipe, signal: Signal) -> MayJoin:
    """Which neighbours may become one chunk where one of them is too small."""
    one_section = recipe.sections == "heading"
    apart = signal.forced if signal.firm else frozenset[int]()

    def may_join(left: Draft, right: Draft) -> bool:
        return right.start not in apart and (not one_section or left.section == right.section)

    return may_join


def _make_chunks(
    engine: Cutter, drafts: Sequence[Draft], shadows: Sequence[tuple[Span | None, Span | None]]
) -> list[Chunk]:
    """Chunks with their positions, paths and names."""
    document, tops, starts = engine.document, engine.tops, engine.starts
    blocks = document.blocks
    names = ChunkIds(document.id, document.text, [(draft.start, draft.end) for draft in drafts])
    paths = engine.leads.paths
    scopes = ScopePaths(document.blocks)
    parents = _parents(engine)
    after = [*tops[1:], len(document.blocks)]  # per top-level block, where the next one's blocks begin
    total = len(drafts)
    out: list[Chunk] = []
    low = 0
    for index, (start, end, tokens, context, closing, section, seam, _) in enumerate(drafts):
        low = bisect_right(starts, start, low) - 1
        high = bisect_right(starts, end - 1, low) - 1
        path = paths[section]
        if blocks[tops[low]].kind == "scope":
            path = (*path, *scopes.of(start, end, tops[low], after[high]))
        out.append(
            Chunk(
                document,
                Span(start, end),
                tokens,
                names,
                context,
                closing,
                path,
                index,
                total,
                (tops[low], after[high]),
                seam,
                0,
                parents.of(start, end) if parents else "",
                shadows[index] if shadows else _NO_SHADOWS,
            )
        )
        low = high
    return out


_NO_SHADOWS: tuple[Span | None, Span | None] = (None, None)


def _parents(engine: Cutter) -> Parents | None:
    """The section tree, where the recipe asks for one."""
    if not engine.recipe.depth:
        return None
    from seamline.cut.sections import Parents

    return Parents(engine.document)
