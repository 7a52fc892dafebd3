"""The contract for embedders fails for those that break it: each of these is wrong in one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from seamline.embed.hashing import HashEmbedder
from seamline.errors import ProviderError
from seamline.protocols import Embedder
from seamline.testing.embedders import EmbedderContract

if TYPE_CHECKING:
    from seamline.records import Vector

RULES = [name for name in dir(EmbedderContract) if name.startswith("test_")]


class Changed(HashEmbedder):
    """The embedder `hash`, spoilt."""

    def __init__(self, change: Callable[[HashEmbedder, Sequence[str]], Vector]) -> None:
        super().__init__()
        self.change = change

    def embed(self, texts: Sequence[str]) -> Vector:
        return self.change(HashEmbedder(), texts)


def first_words(embedder: HashEmbedder, texts: Sequence[str]) -> Vector:
    return embedder.embed([" ".join(text.split()[:300]) for text in texts])


def batched(embedder: HashEmbedder, texts: Sequence[str]) -> Vector:
    rows = embedder.embed(texts)
    step = np.abs(rows).max() / 100 if len(texts) else 1
    rounded = np.round(rows / step) * step
    return np.asarray(rounded / np.linalg.norm(rounded, axis=1, keepdims=True), np.float32)


def noisy(embedder: HashEmbedder, texts: Sequence[str]) -> Vector:
    rows = embedder.embed(texts) + np.random.default_rng().normal(size=(len(texts), 256)) * 0.01
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def refusing(embedder: HashEmbedder, texts: Sequence[str]) -> Vector:
    for text in texts:
        text.encode()
    return embedder.embed(texts)


SPOILT = {
    "cuts off": (first_words, "test_the_end_of_a_long_text_counts"),
    "not of length 1": (lambda e, texts: e.embed(texts) * 2, "test_vectors_have_length_1"),
    "64 bits": (lambda e, texts: e.embed(texts).astype(np.float64), "test_one_row_for_each_text"),
    "sorted": (lambda e, texts: e.embed(sorted(texts)), "test_rows_are_in_the_order_of_the_texts"),
    "scaled by batch": (batched, "test_a_vector_does_not_depend_on_the_texts_it_is_embedded_with"),
    "random": (noisy, "test_the_same_call_gives_the_same_vectors"),
    "all alike": (lambda e, texts: e.embed(["x"] * len(texts)), "test_equal_texts_have_equal_vectors"),
    "dislikes surrogates": (refusing, "test_odd_texts_have_vectors"),
    "no empty list": (lambda e, texts: e.embed(list(texts) or ["x"]), "test_no_texts_no_rows"),
}


def broken(embedder: Embedder) -> set[str]:
    """The rules that an embedder breaks."""

    class Suite(EmbedderContract):
        def make(self) -> Embedder:
            return embedder

        def other(self) -> Embedder:
            return HashEmbedder(64)

    failed = set()
    for rule in RULES:
        try:
            getattr(Suite(), rule)()
        except (AssertionError, UnicodeEncodeError, ProviderError):
            failed.add(rule)
    return failed


@pytest.mark.parametrize("fault", SPOILT)
def test_a_spoilt_embedder_is_caught(fault: str) -> None:
    change, rule = SPOILT[fault]
    assert rule in broken(Changed(change))


def test_a_good_one_breaks_nothing() -> None:
    assert len(RULES) >= 14
    assert broken(HashEmbedder()) == set()


def test_two_settings_with_one_fingerprint_are_caught() -> None:
    embedder = HashEmbedder()
    embedder.fingerprint = HashEmbedder(64).fingerprint
    assert broken(embedder) == {"test_the_fingerprint_is_that_of_the_settings"}
