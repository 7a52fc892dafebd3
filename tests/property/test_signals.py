"""Whatever a strategy says about gaps, the contract holds: random signals, adversarial ones included."""

from __future__ import annotations

import os
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import seamline
from seamline.cut import cut_leaves
from seamline.cut.scores import Signal
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.testing.strategies import markdown, recipes
from seamline.text.sentences import sentence_starts
from seamline.tokens import load
from seamline.types import Budget, Chunk, Document

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
WHOLENESS = ("torn-fence", "torn-markup", "headless-table", "mid-sentence", "dangling-heading")
PACKERS = ("optimal", "fill", "decay")
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


def gaps(document: Document) -> list[int]:
    """Where a signal may speak: blocks, and sentences of paragraphs."""
    out = {block.start for block in document.blocks if block.kind in ("paragraph", "row", "item") or block.parent < 0}
    for block in document.blocks:
        if block.kind == "paragraph" and block.parent < 0:
            out.update(sentence_starts(document.text, block.start, block.end))
    return sorted(out)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Document, Recipe, Signal]:
    recipe = draw(recipes())
    document = seamline.read(draw(markdown()) + "\n", id="doc", media_type="text/markdown", recipe=recipe)
    places = gaps(document)
    some = st.sets(st.sampled_from(places), max_size=40) if places else st.just(set[int]())
    scores = draw(some.flatmap(lambda at: st.fixed_dictionaries({one: st.floats(0, 1) for one in sorted(at)})))
    forced, kept = frozenset(draw(some)), frozenset(draw(some))
    return document, recipe, Signal(scores, forced, draw(st.floats(0, 1)), draw(st.booleans()), kept)


def cut(document: Document, recipe: Recipe, signal: Signal) -> list[Chunk]:
    return cut_leaves(document, recipe, Runtime(load(recipe.tokenizer, recipe.bias)), signal)


@law
@given(cases())
def test_the_audit_finds_nothing_whatever_the_signal(case: tuple[Document, Recipe, Signal]) -> None:
    document, recipe, signal = case
    found = seamline.audit(cut(document, recipe, signal), limit=recipe.budget.limit, tokenizer=recipe.tokenizer)
    found = [v for v in found if v.rule != "changed-role"]  # test_roles draws for it, and less hostile text
    if recipe.budget.limit < 64:  # too small for a header and a row, a fence and a line, a heading and a sentence
        found = [v for v in found if v.rule not in WHOLENESS]
    assert not found


@law
@given(cases())
def test_firm_cuts_are_made_wherever_a_block_starts(case: tuple[Document, Recipe, Signal]) -> None:
    """Between top-level blocks; a heading keeps what is under it, and merging asks first."""
    document, recipe, signal = case
    if not signal.firm or recipe.depth:
        return
    starts = {chunk.start for chunk in cut(document, recipe, signal)}
    tops = [document.blocks[top] for top in document.tops]
    for before, block in pairwise(tops):
        if block.start in signal.forced and before.kind != "heading" and block.kind != "front_matter":
            assert block.start in starts


@st.composite
def paragraphs(draw: st.DrawFn) -> tuple[Document, Recipe, Signal]:
    """Paragraphs of some words, every second gap forbidden, in small chunks."""
    sizes = draw(st.lists(st.integers(1, 30), min_size=2, max_size=30))
    text = "\n\n".join("seam " * size + "end." for size in sizes)
    limit = draw(st.integers(32, 96))
    recipe = Recipe(budget=Budget(draw(st.integers(16, limit)), limit), packer=draw(st.sampled_from(PACKERS)))
    document = seamline.read(text, id="doc", media_type="text/markdown")
    starts = [block.start for block in document.blocks]
    forced = draw(st.sets(st.sampled_from(starts), max_size=3))
    return document, recipe, Signal(forced=frozenset(forced), forbidden=frozenset(starts[1::2]))


@law
@given(paragraphs())
def test_what_fits_together_is_kept_together(case: tuple[Document, Recipe, Signal]) -> None:
    document, recipe, signal = case
    count = load(recipe.tokenizer, recipe.bias).count
    chunks = cut(document, recipe, signal)
    assert not seamline.audit(chunks, limit=recipe.budget.limit)
    starts = {chunk.start for chunk in chunks}
    for before, block in pairwise(document.blocks):
        fits = count(document.text[before.start : block.end]) < recipe.budget.limit
        if fits and block.start in signal.forbidden - signal.forced:
            assert block.start not in starts
