"""The bundled models: near the float weights, the same everywhere, and never blind to the end of a text."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from seamline.embed.bundled import FOLDER, MINILM, MODELS, bundled, check
from seamline.embed.onnx import OnnxEmbedder
from seamline.embed.overflow import sums_overflow
from seamline.errors import ProviderError
from seamline.protocols import Embedder
from seamline.testing.embedders import ODD

FIXTURES = Path(__file__).parents[1] / "fixtures"
REFERENCE = json.loads((FIXTURES / "minilm/reference.json").read_text("utf-8"))


@cache
def embedder(name: str = "minilm") -> OnnxEmbedder:
    return bundled(name)


@pytest.mark.parametrize("name", MODELS)
def test_vectors_are_near_those_of_the_float_weights(name: str) -> None:
    reference = json.loads((FIXTURES / name / "reference.json").read_text("utf-8"))
    ours = embedder(name).embed([row["text"] for row in reference])
    theirs = np.array([row["vector"] for row in reference])
    assert ((ours * theirs).sum(axis=1) > 0.98).all()
    assert np.abs(ours @ ours.T - theirs @ theirs.T).max() < 0.06


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "How do I change my password?",
            "To reset your credentials, open the account page.",
            "The car is painted red.",
        ),
        ("why did the 429 retry fail", "Requests above the rate limit are refused.", "Bread is baked at dawn."),
        ("When are bills sent?", "Invoices go out on the first of each month.", "Passwords expire after 90 days."),
        ("physician", "The doctor saw the patient.", "The compiler saw the error."),
        ("how to undo a deployment", "Roll back to the previous release.", "Deploy to the cluster every Monday."),
    ],
)
@pytest.mark.parametrize("name", MODELS)
def test_meaning_counts_and_not_words(name: str, question: str, answer: str, other: str) -> None:
    asked, near, far = embedder(name).embed([question, answer, other])
    assert asked @ near > asked @ far


def test_cores_do_not_change_a_bit() -> None:
    texts = [row["text"] for row in REFERENCE]
    assert np.array_equal(bundled("minilm", threads=1).embed(texts), bundled("minilm", threads=4).embed(texts))


def test_a_text_of_blanks_or_of_nothing_readable_is_the_empty_text() -> None:
    empty, *others = embedder().embed(["", " \n\t", "\x00", "\ud800", "\ufffd"])
    assert all(np.array_equal(empty, row) for row in others)


def test_text_that_looks_like_a_special_token_is_text() -> None:
    empty, sep, words = embedder().embed(["", "[SEP]", "[ sep ]"])
    assert np.array_equal(sep, words)
    assert not np.array_equal(sep, empty)


def test_odd_texts_are_not_all_alike() -> None:
    assert len({row.tobytes() for row in embedder().embed(ODD)}) > len(ODD) // 2


def test_a_text_that_just_fits_the_window_is_read_at_once() -> None:
    fits, slightly_more = "word " * 254, "word " * 255
    assert len(embedder()._windows(fits, "")) == 1
    assert [len(part) for part in embedder()._windows(slightly_more, "")] == [128, 127]


def test_a_million_letters_in_one_word_are_one_unknown_word() -> None:
    huge, unknown = embedder().embed(["a" * 1_000_000, "b" * 101])
    assert np.array_equal(huge, unknown)


def test_a_text_of_a_megabyte_is_read_to_its_end() -> None:
    """By its windows alone: to embed them takes a minute."""
    text = "The quick brown fox jumps over the lazy dog. " * 23_000
    parts = embedder()._windows(text, "")
    assert len(text) > 1_000_000
    assert sum(map(len, parts)) == 23_000 * 10
    assert max(map(len, parts)) <= 254
    assert min(map(len, parts)) > 200


def test_files_that_are_not_those_shipped_are_refused(tmp_path: Path) -> None:
    for name in MINILM.files:
        shutil.copy(FOLDER / name, tmp_path)
    check(tmp_path, MINILM.files)
    model = tmp_path / next(iter(MINILM.files))
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 1
    model.write_bytes(data)
    with pytest.raises(ProviderError, match=r"not the file that was shipped.*--force-reinstall"):
        bundled("minilm", folder=tmp_path)
    model.unlink()
    with pytest.raises(ProviderError, match="is missing"):
        bundled("minilm", folder=tmp_path)


def test_provenance_names_the_hashes_that_are_checked() -> None:
    text = (FOLDER / "PROVENANCE.md").read_text("utf-8")
    assert all(name in text and value in text for model in MODELS.values() for name, value in model.files.items())


def test_the_name_and_the_fingerprint_do_not_depend_on_the_machine() -> None:
    embedder: Embedder = bundled("minilm", threads=3)
    assert embedder.name == "minilm"
    # Another value makes every index of today be embedded anew.
    assert embedder.fingerprint == "b70d9ce6e9a36d3f1e8d492bf0e9de7bfbde513b8c0ef6cae20034b6604b336d"
    assert embedder.dimensions == 384
    assert bundled("quality").fingerprint == "418f21c39b2a48527531c380382a2942e679d50e6073f6705f4219d6f4c4e931"
    assert bundled("seam").fingerprint == "f2fcc349c9d8f0a79d4c4e59f8a67bebd874f85db9d60e7713ac40451d3b0c4a"


def test_sums_that_cannot_overflow_make_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a processor whose sums overflow both are careful, on any other one of them is."""
    texts = [row["text"] for row in REFERENCE]
    monkeypatch.setattr("seamline.embed.onnx.sums_overflow", lambda runtime: True)
    assert np.abs(bundled("minilm").embed(texts) - embedder().embed(texts)).max() < 1e-5


def test_the_question_about_overflow_is_answered() -> None:
    assert sums_overflow(onnxruntime) in {True, False}
