"""Many texts: none embedded twice, nothing lost when a run is stopped."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.library import MemoryVectors
from seamline.embed.hashing import HashEmbedder
from seamline.embed.run import BATCH, Counts, embed_all
from seamline.errors import ProviderError

if TYPE_CHECKING:
    from seamline.records import Vector

law = settings(max_examples=int(os.environ.get("SEAMLINE_EXAMPLES", "60")), deadline=None)


class Counting(HashEmbedder):
    """The embedder `hash`, with a memory of what it was asked, and a text that it stops at."""

    def __init__(self, stop: str | None = None) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.stop = stop

    def embed(self, texts: Sequence[str]) -> Vector:
        if self.stop in texts:
            raise KeyboardInterrupt
        self.asked.extend(texts)
        return super().embed(texts)


class Wrong(HashEmbedder):
    """An embedder that somebody else wrote."""

    def __init__(self, vectors: Vector) -> None:
        super().__init__()
        self.vectors = vectors

    def embed(self, texts: Sequence[str]) -> Vector:
        return self.vectors


TEXTS = st.lists(st.one_of(st.sampled_from(["", "a", "b", "a b", "\ud800"]), st.text(max_size=20)), max_size=150)


@law
@given(TEXTS, TEXTS)
def test_rows_are_the_embedders_own_and_each_text_is_embedded_once(first: list[str], second: list[str]) -> None:
    embedder = Counting()
    cache = MemoryVectors()
    for texts in (first, second, first):
        known = set(embedder.asked)
        made, counts = embed_all(embedder, texts, cache=cache)
        assert [one.vector.tolist() for one in made] == HashEmbedder().embed(texts).tolist()
        assert counts == Counts(len(set(texts) - known), len(set(texts) & known))
    assert len(embedder.asked) == len(set(first + second))


def test_without_a_cache_equal_texts_are_still_embedded_once() -> None:
    embedder = Counting()
    made, counts = embed_all(embedder, ["a", "b", "a"])
    assert embedder.asked == ["a", "b"]
    assert counts == (2, 0)
    assert made[0] is made[2]


def test_a_run_that_is_stopped_goes_on_where_it_was() -> None:
    texts = [f"text {number}" for number in range(3 * BATCH)]
    cache = MemoryVectors()
    with pytest.raises(KeyboardInterrupt):
        embed_all(Counting(stop=texts[-1]), texts, cache=cache)
    assert embed_all(Counting(), texts, cache=cache)[1] == Counts(BATCH, 2 * BATCH)


def test_progress_grows_to_the_number_of_texts() -> None:
    texts = [f"text {number % 100}" for number in range(150)]
    seen: list[tuple[int, int]] = []
    cache = MemoryVectors()
    embed_all(HashEmbedder(), texts[:10], cache=cache)
    embed_all(HashEmbedder(), texts, cache=cache, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (20, 150)
    assert seen[-1] == (150, 150)
    assert seen == sorted(seen)


def test_no_texts_are_no_work() -> None:
    made, counts = embed_all(HashEmbedder(), [], progress=lambda done, total: pytest.fail("nothing to tell"))
    assert made == []
    assert counts == (0, 0)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.zeros((1, 3), np.float32), r"shape \(1, 3\), not \(1, 256\)"),
        (np.zeros((2, 256), np.float32), r"shape \(2, 256\), not \(1, 256\)"),
        (np.zeros((1, 256), np.float32), "length is not 1"),
        (np.full((1, 256), np.nan, np.float32), "length is not 1"),
        (np.ones((1, 256), np.float32), "length is not 1"),
    ],
)
def test_an_embedder_that_breaks_its_word_is_named(vectors: Vector, message: str) -> None:
    with pytest.raises(ProviderError, match=f"the embedder hash made vectors.*{message}"):
        embed_all(Wrong(vectors), ["a"])
