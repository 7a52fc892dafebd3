"""Why a chunk starts where it does, in words, and what was known of every other place where it could have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from seamline.api.recipes import Recipe
from seamline.types import Block, Chunk, Document, Notice

if TYPE_CHECKING:
    from seamline.cut.atoms import Gap

__all__ = ["CutReport", "explain", "explain_gap", "report_cuts"]

_INSIDE: Mapping[str, str] = {
    "paragraph": "blank line",
    "sentence": "sentence end",
    "item": "list item",
    "row": "table row",
    "scope": "end of a scope",
    "blank": "blank line",
    "line": "line end",
    "word": "word",
}
"""Seams inside a block that is too large to stay whole."""

_BETWEEN: Mapping[str, str] = {
    "code": "the edge of a code block",
    "rule": "after a horizontal rule",
    "lead-in": "after a paragraph that introduces what follows",
}
"""Seams between whole blocks."""

_ROLES: Mapping[str, str] = {
    "heading": "heading",
    "header": "table header",
    "fence": "opening fence",
    "key": "key cell",
    "marker": "list or quote marker",
    "overlap": "overlap",
    "summary": "summary",
    "comment": "comment opening",
    "math": "formula opening",
    "directive": "directive opening",
}

_LONGEST_TITLE = 60


class CutReport(NamedTuple):
    """The chunks of a document, and all gaps that the packer chose from."""

    recipe: Recipe
    """With the strategy that was chosen for the document."""
    reasons: tuple[str, ...]
    """Why that strategy; empty where the recipe itself names it."""
    chunks: list[Chunk]
    gaps: list[Gap]
    notices: tuple[Notice, ...] = ()


def report_cuts(document: Document, recipe: Recipe) -> CutReport:
    """Cut a document, and tell what was known of every gap."""
    from seamline.cut import find_gaps
    from seamline.pipeline import chunk, make_runtime

    runtime = make_runtime(recipe)
    made = chunk(document, recipe, runtime, derives=False)
    return CutReport(
        made.recipe,
        made.reasons,
        made.chunks,
        find_gaps(document, made.recipe, runtime),
        (*document.notices, *made.notices),
    )


def explain_gap(gap: Gap, before: int, after: int, recipe: Recipe) -> str:
    """Why no chunk starts at a gap: `before` and `after` are the tokens that its chunk has on both sides of it."""
    if gap.forbidden:
        return "never cut here: what stands before introduces what follows, such as a heading"
    target, limit = recipe.budget.target, recipe.budget.limit
    if before + after <= target:
        return f"no cut needed: the text around fits the target of {target} tokens"
    if gap.forced:
        return "a cut was wanted here, and given up because the parts are below the floor"
    sizes = f"a cut here would leave about {before} and {after} tokens (target {target}, limit {limit})"
    return f"{sizes}; the cuts that were chosen cost less together"


def explain(chunk: Chunk, recipe: Recipe) -> list[str]:
    """Lines that say why the chunk was cut where it was, what it borrows and how its size compares."""
    lines = [_reason(chunk, recipe)]
    if chunk.context:
        lines.append(f"borrows: {_context_text(chunk)}")
    if chunk.closing.strip():
        lines.append(f'adds: "{chunk.closing.strip()}" to close what it opens')
    if any(chunk.shadows):
        lines.append(f"shadows: {_shadows(chunk)}")
    lines.append(_size(chunk, recipe))
    return lines


def _reason(chunk: Chunk, recipe: Recipe) -> str:
    seam = chunk.seam
    if chunk.level:
        return f"level {chunk.level}: made of {len(chunk.children)} of level {chunk.level - 1}"
    if seam == "start":
        return "starts the document"
    score = f"{seam}, score {recipe.scores[seam] / 100:.2f}" if seam in recipe.scores else seam
    block, inside = _first_block(chunk)
    if len(seam) == 2 and seam[0] == "h" and seam[1].isdigit():
        forced = ", forced by sections=heading" if recipe.sections == "heading" and not recipe.depth else ""
        return f'cut before: section "{_title(chunk)}" ({score}{forced})'
    if inside and seam in _INSIDE:
        return f"cut at: {_INSIDE[seam]} inside an oversized {_spoken(block.kind)} ({score})"
    if seam in _BETWEEN:
        return f"cut at: {_BETWEEN[seam]} ({score})"
    return f"cut before: {_spoken(block.kind)} ({score})"


def _first_block(chunk: Chunk) -> tuple[Block, bool]:
    """The top-level block the body starts in, and whether it starts inside it."""
    blocks = chunk.document.blocks
    if not chunk.blocks[0] < len(blocks):
        return Block("text", chunk.start, chunk.end), False
    block = blocks[chunk.blocks[0]]
    return block, block.start < chunk.start < block.end


def _title(chunk: Chunk) -> str:
    line = chunk.render("body").lstrip().partition("\n")[0].rstrip()
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1] + "…"


def _spoken(kind: str) -> str:
    return {"code": "code block", "html": "HTML block", "front_matter": "front matter"}.get(kind, kind)


def _context_text(chunk: Chunk) -> str:
    """`headings 2, table header`."""
    counts = Counter(c.role for c in chunk.context)
    parts = []
    for role, count in counts.items():
        name = _ROLES.get(role, role)
        if role in ("heading", "summary") and count > 1:
            name = f"{'headings' if role == 'heading' else 'summaries'} {count}"
        if role == "overlap":
            name = f"overlap of {sum(c.end - c.start for c in chunk.context if c.role == role)} characters"
        parts.append(name)
    return ", ".join(parts)


def _shadows(chunk: Chunk) -> str:
    names = ("before", "after")
    spans = zip(names, chunk.shadows, strict=True)
    return ", ".join(f"{span.end - span.start} characters {name}" for name, span in spans if span)


def _size(chunk: Chunk, recipe: Recipe) -> str:
    budget = recipe.budget
    limit = recipe.limits[chunk.level]
    target = limit * budget.target // budget.limit
    distance = chunk.tokens - target
    side = "on" if not distance else f"{abs(distance)} {'over' if distance > 0 else 'under'}"
    return f"size: {chunk.tokens} tokens, {side} target {target}, limit {limit}"
