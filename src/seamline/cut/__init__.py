"""Document -> chunks: pure functions of a document, a recipe and a tokenizer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from seamline.cut.draft import Draft
from seamline.cut.engine import Engine
from seamline.cut.identity import Namer, content_hash
from seamline.cut.merge import merge_small
from seamline.headings import heading_text
from seamline.protocols import Tokenizer
from seamline.recipe import Recipe
from seamline.types import Chunk, Document, Span

if TYPE_CHECKING:
    from seamline.cut.tree import Parents


def cut(document: Document, recipe: Recipe, tokenizer: Tokenizer) -> list[Chunk]:
    """The chunks of a document."""
    kind = recipe.overlap.kind
    most = 0
    if kind != "none":
        from seamline.cut.overlap import overlap_tokens

        most = overlap_tokens(recipe.overlap, recipe.budget.target)
    engine = Engine(document, recipe, tokenizer, most if kind not in ("none", "shadows") else 0)
    drafts = engine.drafts()
    if recipe.budget.floor and len(drafts) > 1:
        drafts = merge_small(
            document.text,
            drafts,
            recipe.budget.floor,
            recipe.budget.limit,
            tokenizer,
            _same_section if recipe.sections == "heading" else _any,
        )
    shadows: list[tuple[Span | None, Span | None]] = []
    if most:
        from seamline.cut.overlap import Overlapper

        overlapper = Overlapper(document, engine.tops, engine.sections, tokenizer, recipe.budget.limit)
        if kind == "shadows":
            shadows = [overlapper.shadows(drafts, index, most) for index in range(len(drafts))]
        else:
            drafts = overlapper.add(drafts, kind, most, crosses=recipe.sections == "paragraph")
    return _named(engine, drafts, shadows)


def _same_section(left: Draft, right: Draft) -> bool:
    return left.section == right.section


def _any(left: Draft, right: Draft) -> bool:
    return True


def _named(engine: Engine, drafts: Sequence[Draft], shadows: Sequence[tuple[Span | None, Span | None]]) -> list[Chunk]:
    """Chunks with ids, positions and neighbours."""
    document, text = engine.document, engine.text
    blocks, tops, starts, sections = engine.blocks, engine.tops, engine.starts, engine.sections
    namer = Namer(document.id)
    hashes = [content_hash(text[draft.start : draft.end]) for draft in drafts]
    ids = ["", *map(namer.name, hashes), ""]
    headings: dict[int, str] = {}
    paths: dict[int, tuple[str, ...]] = {}
    parents = _parents(engine)
    out: list[Chunk] = []
    total = len(drafts)
    for index, draft in enumerate(drafts):
        path = paths.get(draft.section)
        if path is None:
            for heading in sections[draft.section].path:
                if heading not in headings:
                    headings[heading] = heading_text(text, blocks[heading])
            path = paths[draft.section] = tuple([headings[h] for h in sections[draft.section].path])
        low = bisect_right(starts, draft.start) - 1
        high = bisect_right(starts, draft.end - 1, low)
        out.append(
            Chunk(
                ids[index + 1],
                document,
                Span(draft.start, draft.end),
                draft.tokens,
                draft.context,
                draft.closing,
                path,
                index,
                total,
                (tops[low], tops[high] if high < len(tops) else len(blocks)),
                draft.seam,
                0,
                parents.of(draft.start, draft.end) if parents else "",
                shadows[index] if shadows else (None, None),
                hashes[index],
                ids[index],
                ids[index + 2],
            )
        )
    return out


def _parents(engine: Engine) -> Parents | None:
    """The section tree, where the recipe asks for one."""
    if not engine.recipe.depth:
        return None
    from seamline.cut.tree import Parents

    return Parents(engine.document)
