"""Rechunk: neighbouring blocks stay together only where they are alike, and never across a heading; what is far too
large is split between sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from seamline.cut.scores import Signal
from seamline.protocols import CalibratedEmbedder, Embedder
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.text.sentences import sentence_starts
from seamline.types import Block, Document, Span

FLOOR = 0.74
"""The floor of the reference design, which belongs to one model: for an embedder that says where its cosines balance,
that point is as much."""


def alike(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """A cut is forced between neighbours below the recipe's similarity. A block above its fallback is split between
    sentences below it, and where there are too few of those, between those that are least alike."""
    blocks = [document.blocks[top] for top in document.tops]
    pairs = [pair for pair in pairwise(blocks) if pair[0].kind != "heading"]
    apart = {block.start for _, block in pairs if block.kind == "heading"}
    pairs = [pair for pair in pairs if pair[1].kind != "heading"]
    giants = [list(_sentences(document, block)) for block in blocks if _is_giant(document, block, recipe, parts)]
    inside = [pair for sentences in giants for pair in pairwise(sentences)]
    gaps = [(left.span, right.span) for left, right in pairs] + inside
    similar = dict(zip(gaps, _similar(document.text, gaps, parts), strict=True))
    floor = equal_floor(recipe.rechunk.similarity, parts.embedder) if gaps else 0.0
    for left, right in pairs:
        leads_in = document.text[left.start : left.end].rstrip().endswith((":", "："))
        if similar[left.span, right.span] < floor and not leads_in:
            apart.add(right.start)
    for sentences in giants:
        cosines = [similar[pair] for pair in pairwise(sentences)]
        tokens = [parts.tokenizer.count(document.text[one.start : one.end]) for one in sentences]
        most = recipe.rechunk.fallback  # no part is a giant again, whatever the limit
        cuts = split_giant(tokens, cosines, floor, min(recipe.budget.target, most // 2), min(recipe.budget.limit, most))
        apart.update(sentences[at].start for at in cuts)
    return Signal(
        {right.start: float(similar[left, right] < floor) for left, right in inside}, frozenset(apart), firm=True
    )


def equal_floor(similarity: float, embedder: Embedder) -> float:
    """What a similarity of the reference design is for an embedder: its balance for 0.74, 1 for 1, and in proportion
    between and below. An embedder that carries no balance is taken at its word."""
    if not isinstance(embedder, CalibratedEmbedder):
        return similarity
    balance = embedder.balance
    if similarity <= FLOOR:
        return similarity * balance / FLOOR
    return balance + (similarity - FLOOR) * (1 - balance) / (1 - FLOOR)


def split_giant(tokens: Sequence[int], cosines: Sequence[float], floor: float, target: int, limit: int) -> list[int]:
    """The sentences of a block that start a new chunk. Each chunk has half the target or more, and ends at the first
    gap below the floor after that; where none comes within the limit, at the least alike one."""
    cuts: list[int] = []
    start, size, rest = 0, 0, sum(tokens)
    for at in range(1, len(tokens)):
        size += tokens[at - 1]
        rest -= tokens[at - 1]
        full = size + tokens[at] > limit
        if size < target / 2 or (rest < target / 2 and size + rest <= limit):
            continue
        if cosines[at - 1] < floor:
            cut = at
        elif full:
            cut = _least_alike(cosines, tokens, start, at, target)
        else:
            continue
        cuts.append(cut)
        start, size = cut, sum(tokens[cut:at])
    return cuts


def _least_alike(cosines: Sequence[float], tokens: Sequence[int], start: int, end: int, target: int) -> int:
    """The gap of a chunk that is full where its sentences are least alike, in its second half; the last of equals."""
    sizes = list(accumulate(tokens[start:end]))
    fitting = [at for at in range(start + 1, end + 1) if sizes[at - start - 1] >= target / 2]
    return min(fitting or [end], key=lambda at: (cosines[at - 1], -at))


def _is_giant(document: Document, block: Block, recipe: Recipe, parts: Runtime) -> bool:
    most = recipe.rechunk.fallback
    if block.kind != "paragraph" or block.end - block.start <= most:  # no token is shorter than a character
        return False
    return parts.tokenizer.count(document.text[block.start : block.end]) > most


def _sentences(document: Document, block: Block) -> Iterator[Span]:
    return (Span(*bounds) for bounds in pairwise((*sentence_starts(document.text, block.start, block.end), block.end)))


def _similar(text: str, gaps: Sequence[tuple[Span, Span]], parts: Runtime) -> list[float]:
    """The cosine of both sides of each gap, every text embedded once."""
    spans = list(dict.fromkeys(span for gap in gaps for span in gap))
    if not spans:
        return []
    vectors = parts.embedder.embed([text[start:end] for start, end in spans])
    row = {span: at for at, span in enumerate(spans)}
    left, right = vectors[[row[a] for a, _ in gaps]], vectors[[row[b] for _, b in gaps]]
    cosines: list[float] = (left * right).sum(axis=1).tolist()
    return cosines
