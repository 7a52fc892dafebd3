"""Rechunk: neighbouring blocks stay together only where they are alike, and never across a heading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from seamline.cut.scores import Signal
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.text.sentences import sentence_starts
from seamline.types import Block, Document, Span


def alike(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """A cut is forced between neighbours below the recipe's similarity; in a block above its fallback, the gaps
    between sentences below it are good ones."""
    blocks = [document.blocks[top] for top in document.tops]
    pairs = [pair for pair in pairwise(blocks) if pair[0].kind != "heading"]
    apart = {block.start for _, block in pairs if block.kind == "heading"}
    pairs = [pair for pair in pairs if pair[1].kind != "heading"]
    giants = [block for block in blocks if _is_giant(document, block, recipe, parts)]
    sentences = [pair for block in giants for pair in pairwise(_sentences(document, block))]
    gaps = [(left.span, right.span) for left, right in pairs] + sentences
    similar = _similar(document.text, gaps, parts)
    floor = recipe.rechunk.similarity
    between = zip(gaps, similar, strict=True)
    apart.update(right.start for (_, right), cosine in list(between)[: len(pairs)] if cosine < floor)
    inside = zip(sentences, similar[len(pairs) :], strict=True)
    return Signal({right.start: float(cosine < floor) for (_, right), cosine in inside}, frozenset(apart), firm=True)


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
