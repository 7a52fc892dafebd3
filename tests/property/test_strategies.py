"""The contract, for every strategy: the same laws, whatever decides where to cut. Texts are told apart by their words
(the `hash` embedder), so that no model is needed."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import seamline
from seamline.recipe.recipe import Recipe
from seamline.testing.strategies import documents, strategic
from seamline.tokens import load
from seamline.types import Block, Chunk

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "60"))
WHOLENESS = ("torn-fence", "torn-markup", "headless-table", "mid-sentence", "dangling-heading")
STRATEGIES = ("semantic", "rechunk", "hierarchical", "code", "tabular", "multimodal")
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


def cut(text: str, recipe: Recipe) -> list[Chunk]:
    return seamline.chunk(
        seamline.read(text + "\n", id="doc", media_type="text/markdown", recipe=recipe), recipe=recipe
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
@law
@given(st.data())
def test_the_audit_finds_nothing(strategy: str, data: st.DataObject) -> None:
    recipe, text = data.draw(strategic(strategy)), data.draw(documents())
    found = seamline.audit(cut(text, recipe), limit=recipe.limits, tokenizer=recipe.tokenizer)
    found = [v for v in found if v.rule != "changed-role"]  # test_roles draws for it, and less hostile text
    if recipe.budget.limit < 64:  # too small for a header and a row, a fence and a line, a heading and a sentence
        found = [v for v in found if v.rule not in WHOLENESS]
    assert not found


@pytest.mark.parametrize("strategy", STRATEGIES)
@law
@given(st.data())
def test_the_same_input_gives_the_same_output(strategy: str, data: st.DataObject) -> None:
    recipe, text = data.draw(strategic(strategy)), data.draw(documents())
    assert [c.to_dict() for c in cut(text, recipe)] == [c.to_dict() for c in cut(text, recipe)]


@law
@given(strategic("hierarchical"), documents())
def test_levels_nest_exactly(recipe: Recipe, text: str) -> None:
    chunks = cut(text, recipe)
    by_id = {chunk.id: chunk for chunk in chunks}
    top = len(recipe.limits) - 1
    assert len(by_id) == len(chunks)
    assert [c.start for c in chunks] == sorted(c.start for c in chunks)
    for chunk in chunks:
        assert bool(chunk.parent) == (chunk.level < top)
        if chunk.level:
            children = [by_id[one] for one in chunk.children]
            assert {child.level for child in children} == {chunk.level - 1}
            assert {child.parent for child in children} == {chunk.id}
            assert (children[0].start, children[-1].end) == chunk.body
            assert all(left.end <= right.start for left, right in itertools.pairwise(children))


@law
@given(strategic("rechunk"), documents())
def test_rechunk_never_crosses_a_heading_and_never_splits_what_fits(recipe: Recipe, text: str) -> None:
    chunks = cut(text, recipe)
    if not chunks:
        return
    document = chunks[0].document
    tops = [document.blocks[top] for top in document.tops]
    inner = [block.start for before, block in groups(tops) if block.kind == "heading" and before.kind != "heading"]
    for chunk in chunks:
        assert not any(chunk.start < at < chunk.end for at in inner)
    count, half = load(recipe.tokenizer).count, recipe.budget.limit // 2  # the other half is for headings
    whole = {block.start for block in tops if count(document.text[block.start : block.end]) <= half}
    for block in tops:
        if block.start in whole:
            assert not any(block.start < chunk.start < block.end for chunk in chunks)


def groups(tops: Sequence[Block]) -> list[tuple[Block, Block]]:
    return list(itertools.pairwise(tops))


def section_spans(chunks: list[Chunk]) -> list[tuple[int, int]]:
    """Every section with text, from its heading to the next of its level or a higher one. Headings that directly
    follow each other in one chunk stand at one place."""
    text = chunks[0].document.text
    blocks = [block for block in chunks[0].document.blocks if block.parent < 0]
    starts = {chunk.start for chunk in chunks}
    spans = []
    for at, block in enumerate(blocks):
        if block.kind != "heading":
            continue
        later = (b.start for b in blocks[at + 1 :] if b.kind == "heading" and b.level <= block.level)
        first = at
        while first and blocks[first - 1].kind == "heading" and blocks[first].start not in starts:
            first -= 1
        spans.append((blocks[first].start, len(text[: next(later, len(text))].rstrip())))
    return spans


@law
@given(strategic("hierarchical"), documents())
def test_a_parent_is_whole_sections_or_a_part_of_one(recipe: Recipe, text: str) -> None:
    recipe = replace(recipe, sections="heading", hierarchy=replace(recipe.hierarchy, below="structural"))
    chunks = cut(text, recipe)
    headings = [block for chunk in chunks[:1] for block in chunk.document.blocks if block.kind == "heading"]
    if not chunks or any(block.start < chunk.start < block.end for block in headings for chunk in chunks):
        return  # a limit so small that a heading was cut
    for start, end in section_spans(chunks):
        cut_leaf = any(
            leaf.start < start < leaf.end or leaf.start < end < leaf.end for leaf in chunks if not leaf.level
        )
        for parent in chunks:
            if parent.level and not cut_leaf:
                inside = start <= parent.start and parent.end <= end
                holds = parent.start <= start and end <= parent.end
                assert inside or holds or parent.end <= start or end <= parent.start, (start, end, parent.body)
