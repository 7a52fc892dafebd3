"""The semantic strategy from end to end: changes of subject in short documents, by every method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pytest

import seamline
from seamline.cut.scores import Signal
from seamline.cut.scores.semantic import BLOCK, SENTENCE, leaning_by_seam
from seamline.cut.scores.strategies import subject
from seamline.errors import ConfigError
from seamline.parse import parse_bytes
from seamline.pipeline import chunk_document
from seamline.protocols import Embedder
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Semantic
from seamline.registry import METHODS
from seamline.runtime import Runtime
from seamline.text.words import query_words
from seamline.tokens import load
from seamline.types import Budget, Chunk, Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Vector

CATS = (
    "Cats sleep for most of the day. A cat that sleeps in the sun is a warm cat. "
    "Kittens sleep even longer than a grown cat. At night a cat hunts, and then sleeps again."
)
BREAD = (
    "Bread needs flour, water and salt. Knead the dough until the flour is smooth. "
    "Let the dough rise in a warm bowl. Bake the bread until the crust of the dough is brown."
)
STARS = (
    "A star shines because hydrogen burns in its core. A heavy star burns its hydrogen faster. "
    "When the hydrogen is gone, the star swells. At last the core of the star collapses."
)
TOPICS = "\n\n".join((CATS, BREAD, STARS)) + "\n"
FLAT = " ".join((CATS, BREAD, STARS)) + "\n"


class Words:
    """An embedder that knows which words texts share, and nothing else: every word has a direction of its own."""

    name, dimensions, fingerprint = "words", 64, "words"

    def __init__(self) -> None:
        self.calls: list[int] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.calls.append(len(texts))
        rows = np.stack([sum(map(direction, query_words(text)), start=np.zeros(64)) for text in texts])
        rows[:, 0] += 0.01
        unit: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit


@cache
def direction(word: str) -> NDArray[np.float64]:
    return np.random.default_rng(crc32(word.encode())).normal(size=64)


def parts_of(embedder: Embedder | None = None) -> Runtime:
    return Runtime(load("o200k_base"), lambda: embedder or Words())


def read(text: str) -> Document:
    return seamline.read(text, id="doc", media_type="text/markdown")


def recipe_of(method: str, **settings: object) -> Recipe:
    return Recipe(strategy="semantic", semantic=Semantic(method=method, **settings))  # type: ignore[arg-type]


def signal(text: str, recipe: Recipe) -> Signal:
    return subject(read(text), recipe, parts_of())


def chunks(text: str, recipe: Recipe) -> list[Chunk]:
    return chunk_document(read(text), recipe, parts_of())


@pytest.mark.parametrize("method", METHODS.ours)
def test_three_subjects_are_three_chunks(method: str) -> None:
    assert [chunk.text.split(".")[0] for chunk in chunks(TOPICS, recipe_of(method))] == [
        "Cats sleep for most of the day",
        "Bread needs flour, water and salt",
        "A star shines because hydrogen burns in its core",
    ]


@pytest.mark.parametrize("method", METHODS.ours)
def test_a_paragraph_is_cut_where_its_subject_changes(method: str) -> None:
    changes = {FLAT.index("Bread"), FLAT.index("A star")}
    assert changes <= signal(FLAT, recipe_of(method)).forced
    assert len(signal(FLAT, recipe_of(method)).forced) <= 4


@pytest.mark.parametrize(
    "settings",
    [
        {"threshold": "percentile", "percentile": 20},
        {"threshold": "gradient", "percentile": 20},
        {"sliding": 10},
        {"window": 2},
    ],
)
def test_variants_of_the_dip_find_the_changes(settings: dict[str, object]) -> None:
    changes = {TOPICS.index("Bread"), TOPICS.index("A star")}
    assert changes <= signal(TOPICS, recipe_of("dip", **settings)).forced


def test_a_lower_price_cuts_more() -> None:
    cuts = [len(signal(FLAT, recipe_of("objective", price=price)).forced) for price in (0.5, 1.7, 10)]
    assert cuts[0] > cuts[1] > cuts[2] == 0


def test_a_smaller_alpha_cuts_more() -> None:
    cuts = [len(signal(FLAT, recipe_of("dip", alpha=alpha)).forced) for alpha in (-1, 0.75, 5)]
    assert cuts[0] > cuts[1] > cuts[2] == 0


def test_paragraphs_draw_cuts_to_them() -> None:
    """The last sentence of the first paragraph speaks of the next subject; the paragraph still ends after it."""
    text = TOPICS.replace("\n\nBread needs", " So much of cats; now bread.\n\nBread needs")
    assert text.index("Bread needs") in signal(text, recipe_of("objective", blocks=0.9)).forced


@pytest.mark.parametrize("method", METHODS.ours)
def test_one_sentence_and_none(method: str) -> None:
    for text in ("", "\n\n", "One sentence.\n", "# A heading\n", "# A heading\n\nOne sentence.\n", "```\ncode\n```\n"):
        assert signal(text, recipe_of(method)).forced == frozenset()
        assert len(chunks(text, recipe_of(method))) <= 1


@pytest.mark.parametrize("method", METHODS.ours)
def test_chinese(method: str) -> None:
    cats = "猫在阳光下睡觉。小猫在阳光下睡觉。黑猫在夜里睡觉。白猫在白天睡觉。"
    bread = "面包需要面粉和水。揉面粉做面包。面粉变成面包。面包要烤面粉才香。"
    found = signal(f"{cats}\n\n{bread}\n", recipe_of(method, window=2)).forced
    assert found == {len(cats) + 2}


@pytest.mark.parametrize("method", METHODS.ours)
def test_arabic(method: str) -> None:
    cats = "القطة تنام كثيرا في النهار. القطة تحب أن تنام في الشمس. القطة الصغيرة تنام أكثر."
    bread = "الخبز يحتاج إلى الدقيق والماء. اعجن العجين حتى يصبح الدقيق ناعما. اخبز العجين حتى يصبح الخبز بنيا."
    found = signal(f"{cats}\n\n{bread}\n", recipe_of(method, window=2)).forced
    assert len(cats) + 2 in found


@pytest.mark.parametrize("method", METHODS.ours)
def test_code_alone_is_cut_between_its_scopes(method: str) -> None:
    text = "\n\n".join(f"def f{n}(x):\n    y = x + {n}\n    return y\n" for n in range(6))
    document = parse_bytes(text.encode(), uri="code.py")
    starts = {document.blocks[top].start for top in document.tops}
    assert len(starts) == 6
    assert subject(document, recipe_of(method), parts_of()).forced <= starts
    found = chunk_document(document, recipe_of(method), parts_of())
    assert " ".join(document.text[chunk.start : chunk.end] for chunk in found).split() == text.split()


@pytest.mark.parametrize("method", METHODS.ours)
def test_line_ends_do_not_matter(method: str) -> None:
    recipe = recipe_of(method)
    plain = [chunk.text for chunk in chunks(TOPICS, recipe)]
    assert [chunk.text.replace("\r\n", "\n") for chunk in chunks(TOPICS.replace("\n", "\r\n"), recipe)] == plain


def test_headings_stay_with_what_they_head() -> None:
    text = f"# Cats\n\n{CATS}\n\n# Bread\n\n{BREAD}\n"
    found = chunks(text, recipe_of("objective"))
    assert [chunk.path for chunk in found] == [("Cats",), ("Bread",)]


@pytest.mark.parametrize("method", METHODS.ours)
def test_small_segments_merge_and_large_ones_are_cut(method: str) -> None:
    text = "\n\n".join([CATS, BREAD, STARS] * 6) + "\n"
    recipe = replace(recipe_of(method), budget=Budget(target=100, limit=120, floor=40))
    sizes = [chunk.tokens for chunk in chunks(text, recipe)]
    assert max(sizes) <= 120
    for left, right in pairwise(sizes):  # a small one stays where it does not fit to a neighbour
        assert min(left, right) >= 40 or left + right > 115
    recipe = replace(recipe, budget=Budget(target=30, limit=40))
    assert all(chunk.tokens <= 40 for chunk in chunks(text, recipe))


def test_segments_of_the_objective_fit_the_target() -> None:
    same = " ".join(f"Cats sleep for most of day {n}." for n in range(60)) + "\n"
    recipe = replace(recipe_of("objective"), budget=Budget(target=100, limit=128))
    assert all(chunk.tokens <= 100 for chunk in chunks(same, recipe))


def test_one_call_embeds_a_document() -> None:
    embedder = Words()
    for method in ("dip", "objective", "ensemble"):
        subject(read(TOPICS), recipe_of(method), parts_of(embedder))
    assert embedder.calls == [12, 12, 12]


def test_the_ensemble_finds_what_vectors_and_words_agree_on() -> None:
    document, parts = read(TOPICS), parts_of(Words())
    by_both = subject(document, recipe_of("ensemble"), parts).forced
    by_vectors = subject(document, recipe_of("objective"), parts).forced
    by_words = subject(document, recipe_of("bayes"), parts).forced
    assert by_both
    assert by_vectors & by_words <= by_both


def test_long_paragraphs_are_not_cut_because_they_are_long() -> None:
    """The rarer paragraphs are among the gaps, the likelier a cut between them would be without a bound."""
    many = leaning_by_seam([BLOCK] * 8 + [SENTENCE] * 2)
    few = leaning_by_seam([BLOCK] + [SENTENCE] * 9)
    assert many[BLOCK] < 0
    assert few[BLOCK] == -0.5
    assert leaning_by_seam([BLOCK] + [SENTENCE] * 9, 0.3)[BLOCK] == -0.3
    assert few[SENTENCE] > few[BLOCK]


@pytest.mark.parametrize("method", ["texttiling", "bayes"])
def test_methods_without_a_model_ask_for_none(method: str) -> None:
    assert subject(read(TOPICS), recipe_of(method), Runtime(load("o200k_base"))).forced


@pytest.mark.parametrize("method", ["objective", "dip", "ensemble"])
def test_methods_with_a_model_say_that_they_need_one(method: str) -> None:
    with pytest.raises(ConfigError, match="needs an embedder"):
        subject(read(TOPICS), recipe_of(method), Runtime(load("o200k_base")))
