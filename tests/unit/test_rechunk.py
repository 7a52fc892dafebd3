"""Rechunk: what its floor is for each embedder, and how a block that is far too large is split."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seamline
from seamline.cut.scores.alike import FLOOR, equal_floor, split_giant
from seamline.embed import load
from seamline.protocols import CalibratedEmbedder
from seamline.recipe.presets import PRESETS
from seamline.tokens import load as load_tokenizer

count = load_tokenizer("o200k_base").count


class Bare:
    """An embedder that says nothing of its cosines."""

    name, dimensions, fingerprint = "bare", 2, "bare"

    def embed(self, texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))


@pytest.mark.parametrize("name", ["static", "hash", "seam", "quality", "minilm"])
def test_every_bundled_embedder_carries_its_balance(name: str) -> None:
    embedder = load(name)
    assert isinstance(embedder, CalibratedEmbedder)
    assert 0.2 < embedder.balance < 0.8
    assert equal_floor(FLOOR, embedder) == pytest.approx(embedder.balance)
    assert equal_floor(1.0, embedder) == pytest.approx(1.0)
    assert equal_floor(0.5, embedder) < equal_floor(0.6, embedder) < equal_floor(0.8, embedder)


def test_an_embedder_without_a_balance_is_taken_at_its_word() -> None:
    assert equal_floor(0.74, Bare()) == 0.74


sentences = st.lists(st.tuples(st.integers(5, 60), st.floats(0, 1)), min_size=2, max_size=80)


@given(sentences, st.floats(0, 1))
def test_a_giant_is_split_into_chunks_of_a_size(drawn: list[tuple[int, float]], floor: float) -> None:
    tokens, cosines = [size for size, _ in drawn], [cosine for _, cosine in drawn[1:]]
    cuts = split_giant(tokens, cosines, floor, 350, 512)
    assert cuts == sorted(set(cuts))
    parts = [sum(tokens[low:high]) for low, high in pairwise((0, *cuts, len(tokens)))]
    assert all(part <= 512 for part in parts)
    assert all(part >= 175 for part in parts[:-1])


def test_the_knowledge_base_splits_what_is_above_800_tokens_and_only_that() -> None:
    tides = " ".join(f"The tide of day {n} rises by {n} metres in the bay of the island." for n in range(40))
    taxes = " ".join(f"Invoice {n} is paid in euros by the tax office of the county." for n in range(40))
    text = f"# Report\n\n{tides} {taxes}\n"
    assert count(text) > 800
    recipe = PRESETS["knowledge-base"]
    assert recipe.strategy == "rechunk"
    chunks = seamline.chunk(text, recipe=recipe)
    assert len(chunks) > 1
    assert all(chunk.tokens <= 512 for chunk in chunks)
    large = seamline.chunk(text, recipe=recipe, limit=4000, target=2000)
    assert len(large) > 1, "also where the limit would hold all of it"
    small = seamline.chunk(f"# Report\n\n{tides}\n", recipe=recipe, limit=4000, target=2000)
    assert len(small) == 1
