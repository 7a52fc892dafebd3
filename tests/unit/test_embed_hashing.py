"""The embedder without a model: similar words, similar vectors, and the same ones for ever."""

from __future__ import annotations

import numpy as np
import pytest

from seamline.embed.hashing import HashEmbedder, features
from seamline.errors import ConfigError

hashed = HashEmbedder()


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("retry after 429", "Retries happen after a 429.", "The cat sleeps."),
        ("authentication", "authenticate users", "bake bread"),
        ("東京の天気", "東京の天気は晴れ", "北海道のりんご"),
        ("STRASSE", "straße", "Weg"),
    ],
)
def test_shared_words_and_letters_make_texts_similar(question: str, near: str, far: str) -> None:
    asked, one, two = hashed.embed([question, near, far])
    assert asked @ one > asked @ two


def test_it_knows_nothing_of_meaning() -> None:
    car, automobile, carpet = hashed.embed(["car", "automobile", "carpet"])
    assert car @ automobile < car @ carpet


def test_case_forms_and_marks_do_not_count() -> None:
    one, two, three = hashed.embed(["Hello, World!", "hello world", "ｈｅｌｌｏ　ｗｏｒｌｄ"])
    assert np.array_equal(one, two)
    assert np.array_equal(one, three)


def test_a_text_of_a_megabyte_is_read_to_its_end() -> None:
    long = "The quick brown fox jumps over the lazy dog. " * 25_000
    one, two = hashed.embed([long, long + "zebra"])
    assert not np.array_equal(one, two)


def test_the_features_of_a_text() -> None:
    assert list(features("An ox")) == [" an", "<an", "an>", " ox", "<ox", "ox>"]


def test_vectors_and_fingerprint_are_those_of_every_version_so_far() -> None:
    """An index that was made with it stays readable: a change here needs another VERSION."""
    row = hashed.embed(["seam"])[0]
    filled = {int(at): round(float(row[at]), 4) for at in np.flatnonzero(row)}
    assert filled == {54: -0.3536, 65: -0.3536, 144: -0.3536, 199: -0.7071, 248: 0.3536}
    assert hashed.fingerprint == "8125683fc05da0d46733f16ae3325ace"


def test_too_few_dimensions_are_refused() -> None:
    with pytest.raises(ConfigError, match="8 dimensions or more"):
        HashEmbedder(dimensions=2)
