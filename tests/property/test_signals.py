"""Whatever a strategy says about gaps, the contract holds: random signals, adversarial ones included."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import seamline
from seamline.cut import plain_cut
from seamline.cut.scores import Signal
from seamline.cut.sentences import sentence_starts
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.testing.strategies import markdown, recipes
from seamline.tokens import load
from seamline.types import Chunk, Document

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
WHOLENESS = ("torn-fence", "torn-markup", "headless-table", "mid-sentence", "dangling-heading")
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
    return plain_cut(document, recipe, Parts(load(recipe.tokenizer, recipe.bias)), signal)


@law
@given(cases())
def test_the_audit_finds_nothing_whatever_the_signal(case: tuple[Document, Recipe, Signal]) -> None:
    document, recipe, signal = case
    found = seamline.audit(cut(document, recipe, signal), limit=recipe.budget.limit, tokenizer=recipe.tokenizer)
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
    for before, block in zip(tops, tops[1:], strict=False):
        if block.start in signal.forced and before.kind != "heading" and block.kind != "front_matter":
            assert block.start in starts


@law
@given(cases())
def test_no_cut_is_where_two_blocks_are_kept_together(case: tuple[Document, Recipe, Signal]) -> None:
    """Where both are small enough for it: a quarter of the limit each, in one section, and nothing forces a cut."""
    document, recipe, signal = case
    if recipe.depth:
        return
    count = load(recipe.tokenizer, recipe.bias).count
    starts = {chunk.start for chunk in cut(document, recipe, signal)}
    tops = [document.blocks[top] for top in document.tops]
    for first, before, block in zip([None, *tops], tops, tops[1:], strict=False):
        if block.start not in signal.kept - signal.forced or {before.kind, block.kind} != {"paragraph"}:
            continue
        if first is not None and (before.start in signal.kept or document.text[first.end - 1] in ":："):
            continue  # a longer chain
        inside = set(range(before.start + 1, block.end)) - {block.start}
        small = count(document.text[before.start : block.end]) <= recipe.budget.limit // 4
        if small and not inside & {*signal.forced, *signal.score}:
            assert block.start not in starts
