"""What every embedder must hold to: a class whose tests an embedder's own test class inherits.

    class TestMine(EmbedderContract):
        def make(self) -> Embedder:
            return Mine(size="small")

        def other(self) -> Embedder:
            return Mine(size="large")

Run it with pytest. Both methods are called for each test: keep what is slow to load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from seamline.protocols import Embedder, PartEmbedder, QueryEmbedder

if TYPE_CHECKING:
    from seamline.records import Vector

SENTENCES = (
    "The retry fails after the server answered 429 five times.",
    "Webhooks are signed with the secret of their endpoint.",
    "A cat sleeps on the warm windowsill.",
    "Invoices are sent on the first day of each month.",
    "Rotate the key before it expires.",
    "Yes.",
)
ODD = (
    "",
    " ",
    "\n\t\u00a0\u3000",
    "\x00",
    "a\x00b",
    "\ud800",
    "a\udfff\ud800b",
    "\U0010ffff",
    "\ufeff\u202eabc\u202c",
    "👩‍👩‍👧‍👦🇩🇪",
    "e\u0301\u0302\u0303",
    "汉字。日本語です。한국어",
    "العربية हिन्दी ภาษาไทย",
    "<|endoftext|> [CLS] [SEP] [PAD] </s>",
    "[SEP]",
    "9" * 400,
    "x" * 3000,
    '"quoted" \\ {json: [1, 2]}',
)
"""Texts that break readers."""

FILLER = "The report was filed on time and nobody found anything to change in it. "


class EmbedderContract:
    """The tests. A subclass says what to test, and how exact its model is."""

    noise = 1e-5
    """How far a number of a vector may move when other texts are embedded with it, or when it is embedded again by
    another object. 1e-5 is that of 32-bit sums."""

    long_text = 700
    """Words of a text that is longer than the window of the model."""

    def make(self) -> Embedder:
        """The embedder under test."""
        raise NotImplementedError

    def again(self) -> Embedder:
        """One with the same settings, made anew."""
        return self.make()

    def other(self) -> Embedder:
        """One with a setting that changes vectors."""
        raise NotImplementedError

    def test_it_is_an_embedder(self) -> None:
        embedder = self.make()
        assert isinstance(embedder, Embedder)
        assert embedder.name
        assert embedder.dimensions > 0
        assert embedder.fingerprint

    def test_one_row_for_each_text(self) -> None:
        embedder = self.make()
        rows = embedder.embed(SENTENCES)
        assert rows.shape == (len(SENTENCES), embedder.dimensions)
        assert rows.dtype == np.float32

    def test_no_texts_no_rows(self) -> None:
        embedder = self.make()
        assert embedder.embed([]).shape == (0, embedder.dimensions)

    def test_vectors_have_length_1(self) -> None:
        lengths = np.linalg.norm(self.make().embed([*SENTENCES, self._long("")]), axis=1)
        assert np.allclose(lengths, 1, atol=1e-5)

    def test_rows_are_in_the_order_of_the_texts(self) -> None:
        embedder = self.make()
        texts = [*SENTENCES, self._long("At the end.")]
        self._same(embedder.embed(texts)[::-1], embedder.embed(texts[::-1]))

    def test_the_same_call_gives_the_same_vectors(self) -> None:
        embedder = self.make()
        assert np.array_equal(embedder.embed(SENTENCES), embedder.embed(SENTENCES))

    def test_another_object_of_the_same_settings_gives_the_same_vectors(self) -> None:
        self._same(self.make().embed(SENTENCES), self.again().embed(SENTENCES))

    def test_a_vector_does_not_depend_on_the_texts_it_is_embedded_with(self) -> None:
        embedder = self.make()
        alone = np.concatenate([embedder.embed([text]) for text in SENTENCES])
        self._same(alone, embedder.embed(SENTENCES))
        self._same(alone, embedder.embed([*SENTENCES, self._long("At the end."), *ODD])[: len(SENTENCES)])

    def test_parts_come_with_the_same_vectors(self) -> None:
        embedder = self.make()
        if not isinstance(embedder, PartEmbedder):
            pytest.skip("tells no parts")
        texts = [*SENTENCES, self._long("At the end."), SENTENCES[0]]
        made = embedder.embed_parts(texts)
        self._same(np.stack([one.vector for one in made]), embedder.embed(texts))
        for vector, parts in made:
            if parts is not None:
                assert parts.dtype == np.int8
                assert parts.shape[1:] == vector.shape
                assert len(parts) > 1
        for first, last in zip(made[:1], made[-1:], strict=True):
            assert (first.parts is None) == (last.parts is None)
        assert len(embedder.embed_parts([])) == 0

    def test_equal_texts_have_equal_vectors(self) -> None:
        rows = self.make().embed([SENTENCES[0], SENTENCES[1], SENTENCES[0]])
        self._same(rows[:1], rows[2:])
        assert not np.allclose(rows[0], rows[1], atol=1e-3)

    def test_the_end_of_a_long_text_counts(self) -> None:
        rows = self.make().embed([self._long("The cat sleeps."), self._long("Interest rates rose.")])
        assert not np.allclose(rows[0], rows[1], atol=1e-4)

    def test_the_middle_of_a_long_text_counts(self) -> None:
        half = self._long("")[: self.long_text * 3]
        rows = self.make().embed([f"{half} {middle} {half}" for middle in ("The cat sleeps.", "Interest rates rose.")])
        assert not np.allclose(rows[0], rows[1], atol=1e-4)

    def test_odd_texts_have_vectors(self) -> None:
        embedder = self.make()
        rows = embedder.embed(ODD)
        assert np.isfinite(rows).all()
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
        assert np.array_equal(rows, embedder.embed(ODD))

    def test_a_text_is_nearest_to_itself(self) -> None:
        rows = self.make().embed(SENTENCES)
        assert (rows @ rows.T).argmax(axis=1).tolist() == list(range(len(SENTENCES)))

    def test_a_question_can_be_compared_with_texts(self) -> None:
        embedder = self.make()
        ask = embedder.embed_queries if isinstance(embedder, QueryEmbedder) else embedder.embed
        rows = ask(["Why does the retry fail after 429?"])
        assert rows.shape == (1, embedder.dimensions)
        assert int((embedder.embed(SENTENCES) @ rows[0]).argmax()) == 0

    def test_the_fingerprint_is_that_of_the_settings(self) -> None:
        assert self.make().fingerprint == self.again().fingerprint
        assert self.make().fingerprint != self.other().fingerprint

    def _long(self, end: str) -> str:
        return FILLER * (self.long_text // len(FILLER.split())) + end

    def _same(self, one: Vector, two: Vector) -> None:
        assert np.abs(one - two).max() <= self.noise
