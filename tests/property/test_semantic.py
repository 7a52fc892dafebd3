"""Whatever vectors an embedder gives, the contract holds, twice the same way, at a cost that grows with the text."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import seamline
from seamline.cut import cut_leaves
from seamline.cut.scores import lexical as bayes
from seamline.cut.scores import objective
from seamline.cut.scores.objective import Runs
from seamline.cut.scores.semantic import units
from seamline.cut.scores.strategies import subject
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Semantic
from seamline.registry import METHODS
from seamline.runtime import Runtime
from seamline.testing.strategies import markdown, recipes
from seamline.tokens import load
from seamline.types import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Vector

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
WHOLENESS = ("torn-fence", "torn-markup", "headless-table", "mid-sentence", "dangling-heading")
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
SIZE = 8


def random_rows(texts: Sequence[str]) -> NDArray[np.float64]:
    """Another direction for every text."""
    return np.stack([np.random.default_rng(crc32(repr(text).encode())).normal(size=SIZE) for text in texts])


def orthogonal(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.eye(SIZE)[np.arange(len(texts)) % SIZE]


def alternating(texts: Sequence[str]) -> NDArray[np.float64]:
    """Sums of an even number have no direction."""
    return np.outer((-1.0) ** np.arange(len(texts)), np.eye(SIZE)[0])


def constant(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.ones((len(texts), SIZE))


def drifting(texts: Sequence[str]) -> NDArray[np.float64]:
    """Every gap a little different, none a minimum for long."""
    turn = np.linspace(0, 20, len(texts))
    return np.stack([np.cos(turn), np.sin(turn), *[np.zeros(len(texts))] * (SIZE - 2)], axis=1)


def by_length(texts: Sequence[str]) -> NDArray[np.float64]:
    """Blank and tiny texts far from all others."""
    return np.eye(SIZE)[[min(SIZE - 1, len(text.strip())) for text in texts]]


class Given:
    """An embedder with the vectors of a rule."""

    name, dimensions, fingerprint = "given", SIZE, "given"

    def __init__(self, rule: Callable[[Sequence[str]], NDArray[np.float64]]) -> None:
        self._rule = rule

    def embed(self, texts: Sequence[str]) -> Vector:
        rows = self._rule(texts)
        unit: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit


RULES = (random_rows, orthogonal, alternating, constant, drifting, by_length)


def semantics() -> st.SearchStrategy[Semantic]:
    return st.builds(
        Semantic,
        method=st.sampled_from(sorted(METHODS.ours)),
        window=st.integers(1, 8),
        threshold=st.sampled_from(["std", "percentile", "gradient"]),
        alpha=st.floats(-2, 2),
        sliding=st.sampled_from([0, 0, 1, 7]),
        percentile=st.floats(0, 100),
        price=st.floats(0, 3),
        distinct=st.sampled_from([0.0, 0.0, 0.5, 3.0]),
        blocks=st.floats(0, 1),
        weight=st.floats(0, 1),
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[Document, Recipe, Runtime]:
    recipe = replace(draw(recipes()), strategy="semantic", semantic=draw(semantics()))
    document = seamline.read(draw(markdown()) + "\n", id="doc", media_type="text/markdown", recipe=recipe)
    embedder = Given(draw(st.sampled_from(RULES)))
    return document, recipe, Runtime(load(recipe.tokenizer, recipe.bias), lambda: embedder)


@law
@given(cases())
def test_the_audit_finds_nothing_whatever_the_vectors(case: tuple[Document, Recipe, Runtime]) -> None:
    document, recipe, parts = case
    chunks = cut_leaves(document, recipe, parts)
    found = seamline.audit(chunks, limit=recipe.budget.limit, tokenizer=recipe.tokenizer)
    found = [v for v in found if v.rule != "changed-role"]  # test_roles draws for it, and less hostile text
    if recipe.budget.limit < 64:  # too small for a header and a row, a fence and a line, a heading and a sentence
        found = [v for v in found if v.rule not in WHOLENESS]
    assert not found


@law
@given(cases())
def test_the_same_document_gives_the_same_chunks(case: tuple[Document, Recipe, Runtime]) -> None:
    document, recipe, parts = case
    first, second = ([(c.id, c.start, c.end, c.tokens) for c in cut_leaves(document, recipe, parts)] for _ in range(2))
    assert first == second


@law
@given(cases())
def test_signals_speak_of_units_only(case: tuple[Document, Recipe, Runtime]) -> None:
    document, recipe, parts = case
    signal = subject(document, recipe, parts)
    starts = {unit.start for unit in units(document)[1:]}
    assert signal.forced <= starts
    assert signal.score.keys() <= starts
    assert all(0 <= score <= 1 for score in signal.score.values())


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("method", ["objective", "dip"])
def test_equal_sentences_are_never_cut_apart_without_need(method: str, rule: object) -> None:
    """Texts that say the same have no change of subject, unless the embedder sees one."""
    document = seamline.read("The cat sleeps all day.\n\n" * 12, id="doc", media_type="text/markdown")
    recipe = Recipe(strategy="semantic", semantic=Semantic(method=method))  # type: ignore[arg-type]
    embedder = Given(rule)  # type: ignore[arg-type]
    forced = subject(document, recipe, Runtime(load("o200k_base"), lambda: embedder)).forced
    if rule in (random_rows, constant, by_length):  # these give equal texts equal vectors
        assert not forced


@pytest.mark.parametrize("distinct", [0.0, 0.5])
def test_the_search_looks_at_a_bounded_number_of_segments(distinct: float) -> None:
    """Twice the units are twice the numbers, however small the units are."""
    numbers = []
    for count in (1000, 2000):
        sizes = objective.Sizes([1] * count, 10_000)
        longest = objective.reach(objective.longest_starts(sizes))
        runs = Runs(Given(random_rows).embed([str(n) for n in range(count)]), longest * (2 if distinct else 1))
        objective.segments(runs, [1.0] * count, sizes, distinct)
        numbers.append(runs.square.size)
    assert numbers[1] == 2 * numbers[0]
    assert numbers[0] <= 1000 * (2 * objective.MOST + 1)


def test_the_bayesian_search_looks_at_a_bounded_number_of_segments() -> None:
    one, two = (sum(map(len, bayes.likelihoods([["word"]] * count, [1] * count, 10_000))) for count in (600, 1200))
    assert two - one == 600 * bayes.MOST


@pytest.mark.parametrize("method", METHODS.ours)
@pytest.mark.parametrize("sliding", [0, 9])
def test_twice_the_text_is_twice_the_work(method: str, sliding: int) -> None:
    """Counted in calls, not in seconds."""
    recipe = Recipe(strategy="semantic", semantic=Semantic(method=method, sliding=sliding))  # type: ignore[arg-type]
    parts = Runtime(load("o200k_base"), lambda: Given(random_rows))
    page = "Cats sleep all day. Bread needs flour.\n\nA star burns hydrogen. The core collapses.\n\n"
    short, long = (seamline.read(page * times, id="doc", media_type="text/markdown") for times in (50, 100))
    subject(short, recipe, parts)  # what is loaded once is not counted
    assert calls(lambda: subject(long, recipe, parts)) < 2.2 * calls(lambda: subject(short, recipe, parts))


def calls(run: Callable[[], object]) -> int:
    count = 0

    def seen(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count
