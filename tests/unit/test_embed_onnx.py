"""Models of the user's own: prefixes, windows, and what is said about files that cannot work."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from seamline.embed import load
from seamline.embed.bundled import FOLDER, MINILM
from seamline.embed.onnx import PART, OnnxEmbedder, OnnxOptions
from seamline.embed.overflow import multiplication
from seamline.errors import ConfigError, ProviderError

MODEL, TOKENIZER = (FOLDER / name for name in MINILM.files)
LONG = "The report was filed on time and nobody found anything to change in it. " * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with its tokenizer beside it, as users have them."""
    shutil.copy(MODEL, tmp_path / "model.onnx")
    shutil.copy(TOKENIZER, tmp_path / "tokenizer.json")
    return tmp_path


def test_a_path_is_a_name(folder: Path) -> None:
    name = f"{folder}/model.onnx?pooling=cls&window=64"
    embedder = load(name)
    assert embedder.name == name
    assert embedder.dimensions == 384
    assert isinstance(embedder, OnnxEmbedder)
    assert embedder.reading == OnnxOptions("cls", 64)


def test_the_tokenizer_may_stand_elsewhere(folder: Path) -> None:
    beside = load(f"{folder}/model.onnx")
    (folder / "tokenizer.json").rename(folder / "words.json")
    apart = load(f"{folder}/model.onnx?tokenizer={folder}/words.json")
    assert beside.fingerprint == apart.fingerprint
    assert np.array_equal(beside.embed(["one text"]), apart.embed(["one text"]))


def test_every_setting_changes_the_fingerprint_and_the_vectors() -> None:
    readings = [OnnxOptions(), OnnxOptions("cls"), OnnxOptions(window=64), OnnxOptions(passage="text: ")]
    embedders = [OnnxEmbedder(MODEL, TOKENIZER, reading) for reading in readings]
    assert len({embedder.fingerprint for embedder in embedders}) == len(readings)
    assert len({embedder.embed([LONG]).tobytes() for embedder in embedders}) == len(readings)


def test_questions_and_texts_have_prefixes_of_their_own() -> None:
    plain = OnnxEmbedder(MODEL, TOKENIZER)
    marked = OnnxEmbedder(MODEL, TOKENIZER, OnnxOptions(query="question: ", passage="text: "))
    assert np.array_equal(marked.embed_queries(["why?"]), plain.embed(["question: why?"]))
    assert np.array_equal(marked.embed(["because"]), plain.embed(["text: because"]))


def test_every_window_of_a_long_text_has_the_prefix() -> None:
    embedder = OnnxEmbedder(MODEL, TOKENIZER, OnnxOptions(window=32, passage="text: "))
    head = embedder._windows("", "text: ")[0]
    parts = embedder._windows(LONG, "text: ")
    assert len(head) == 2
    assert len(parts) > 10
    assert all(part[:2] == head and len(part) <= 30 for part in parts)
    whole = embedder._tokenizer.encode("text: " + LONG, add_special_tokens=False).ids
    assert [token for part in parts for token in part[2:]] == whole[2:]


def test_parts_are_the_means_of_runs_of_tokens() -> None:
    embedder = OnnxEmbedder(MODEL, TOKENIZER)
    text = LONG[:1000]
    hidden = embedder._hidden(embedder._windows(text, "")[0])
    (vector, parts), short = embedder.embed_parts([text, "A short one."])
    assert parts is not None
    assert len(parts) == round(len(hidden) / PART) > 2
    assert short.parts is None
    starts = [at * len(hidden) // len(parts) for at in range(len(parts) + 1)]
    for row, (first, last) in zip(parts.astype(float), pairwise(starts), strict=True):
        mean = hidden[first:last].mean(axis=0)
        assert row @ mean / np.linalg.norm(row) / np.linalg.norm(mean) > 0.9995
    assert np.array_equal(vector, embedder.embed([text])[0])


def test_every_window_of_a_long_text_has_parts() -> None:
    short = OnnxEmbedder(MODEL, TOKENIZER, OnnxOptions(window=64))
    ((_, parts),) = short.embed_parts([LONG])
    assert parts is not None
    assert len(parts) == len(short._windows(LONG, ""))


def test_a_model_that_answers_with_its_first_token_tells_no_parts() -> None:
    assert OnnxEmbedder(MODEL, TOKENIZER, OnnxOptions("cls")).embed_parts([LONG])[0].parts is None


def test_other_weights_beside_the_model_change_the_fingerprint(folder: Path) -> None:
    before = load(f"{folder}/model.onnx").fingerprint
    (folder / "model.onnx_data").write_bytes(b"weights")
    assert load(f"{folder}/model.onnx").fingerprint != before


@pytest.mark.parametrize("data", [b"", b"hello", MODEL.read_bytes()[:100_000]], ids=["empty", "text", "half"])
def test_a_file_that_is_no_model_is_named(folder: Path, data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "model.onnx").write_bytes(data)
    with pytest.raises(ConfigError, match=r"model\.onnx is not an ONNX model that can be run"):
        load(f"{folder}/model.onnx")
    assert capfd.readouterr() == ("", "")


def test_a_model_that_embeds_no_text_is_refused(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(multiplication())
    with pytest.raises(ConfigError, match=r"not a text embedding model: expected the inputs input_ids.*got A, B"):
        load(f"{folder}/model.onnx")


def test_missing_files_are_named(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"no such model file: .*other\.onnx"):
        load(f"{folder}/other.onnx")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"no such tokenizer file: .*tokenizer\.json"):
        load(f"{folder}/model.onnx")


def test_a_broken_tokenizer_is_named(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"tokenizer\.json is not a tokenizer\.json"):
        load(f"{folder}/model.onnx")


def test_a_tokenizer_of_another_model_is_suspected(folder: Path) -> None:
    path = folder / "tokenizer.json"
    rules = json.loads(path.read_text("utf-8"))
    rules["model"]["vocab"]["zebra"] = 99_999
    path.write_text(json.dumps(rules), encoding="utf-8")
    embedder = load(f"{folder}/model.onnx")
    embedder.embed(["a horse"])
    with pytest.raises(ProviderError, match=r"failed on 4 tokens.*Does its tokenizer belong to it"):
        embedder.embed(["a zebra"])


def test_a_tokenizer_that_puts_nothing_around_a_text_reads_the_empty_text_too(folder: Path) -> None:
    path = folder / "tokenizer.json"
    rules = json.loads(path.read_text("utf-8"))
    rules["post_processor"] = None
    path.write_text(json.dumps(rules), encoding="utf-8")
    empty, dot, word = load(f"{folder}/model.onnx").embed(["", ".", "word"])
    assert np.array_equal(empty, dot)
    assert not np.array_equal(empty, word)


def test_a_window_the_model_cannot_read_is_refused_at_once(folder: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read 1000 tokens at once: set a smaller window"):
        load(f"{folder}/model.onnx?window=1000")


@pytest.mark.parametrize("settings", ["pooling=max", "window=3", "window=x", f"query={'word%20' * 200}"])
def test_settings_that_cannot_work_are_refused(folder: Path, settings: str) -> None:
    with pytest.raises(ConfigError, match=r"\$\.embedder"):
        load(f"{folder}/model.onnx?{settings}")


def test_threads_are_at_least_one() -> None:
    with pytest.raises(ConfigError, match="1 thread or more"):
        load("minilm", threads=0)
