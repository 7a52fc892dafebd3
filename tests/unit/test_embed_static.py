"""The bundled table of words: what was shipped, the same to the bit everywhere, and near to its teacher."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.embed import load
from seamline.embed.bundled import FOLDER
from seamline.embed.static import FILES, TABLE, VOCABULARY, StaticEmbedder
from seamline.errors import ProviderError
from seamline.testing.embedders import ODD

REFERENCE = json.loads((Path(__file__).parents[1] / "fixtures/minilm/reference.json").read_text("utf-8"))
GOLDEN = [
    ("The pod was evicted.", "Kubernetes moved the container to another node.", 0.547871),
    ("When are bills sent?", "Invoices go out on the first of each month.", 0.194425),
    ("When are bills sent?", "Passwords expire after 90 days.", -0.009965),
    ("The doctor saw the patient.", "A physician examined her.", 0.601837),
    ("The doctor saw the patient.", "The compiler saw the error.", 0.224572),
    ("汉字。日本語です。", "한국어 العربية", 0.381587),
]
PROSE = (
    "The ferry leaves the harbour at seven every morning.",
    "Passengers wait on the quay until the boat has docked.",
    "In winter the crossing takes an hour longer because of the waves.",
    "Knead the dough for ten minutes and let it rest under a cloth.",
    "Bake the bread until the crust is brown.",
    "Salt slows the yeast, so it is added last.",
    "The parser keeps the position of every token in the source file.",
    "An error message names the line and the column.",
    "The compiler refuses a program that reads a variable before it is set.",
    "Her grandmother taught her to play the violin.",
    "The orchestra rehearses twice a week in the old theatre.",
    "A quartet needs no conductor.",
)
"""Four subjects, three sentences each."""
LETTERS = st.text(st.characters(max_codepoint=0x2FFFF), max_size=60)


@cache
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def test_the_name_loads_it() -> None:
    found = load("static")
    assert isinstance(found, StaticEmbedder)
    assert (found.name, found.dimensions) == ("static", 256)


def test_numpy_is_all_it_needs() -> None:
    block = "import sys; sys.modules.update(dict.fromkeys(('onnxruntime', 'tokenizers', 'lancedb', 'pyarrow')))\n"
    code = block + "from seamline.embed import load; print(load('static').embed(['a b']).shape)"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert said.strip() == "(1, 256)"


def test_a_missing_numpy_names_its_extra() -> None:
    code = "import sys; sys.modules['numpy'] = None\nimport seamline.embed as e\ntry: e.load('static')\n"
    code += "except e.MissingExtra as error: print(error)"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert "pip install 'seamline[semantic]'" in said


def test_the_file_is_the_one_that_was_made() -> None:
    assert hashlib.sha256((FOLDER / TABLE).read_bytes()).hexdigest() == FILES[TABLE]
    assert (FOLDER / TABLE).stat().st_size < 8_000_000


def test_provenance_names_the_hash_that_is_checked() -> None:
    text = (FOLDER / "PROVENANCE.md").read_text("utf-8")
    assert TABLE in text
    assert FILES[TABLE] in text


def test_files_that_are_not_those_shipped_are_refused(tmp_path: Path) -> None:
    for name in FILES:
        shutil.copy(FOLDER / name, tmp_path)
    assert StaticEmbedder(tmp_path).fingerprint == embedder().fingerprint
    data = bytearray((tmp_path / TABLE).read_bytes())
    data[-1] ^= 1
    (tmp_path / TABLE).write_bytes(data)
    with pytest.raises(ProviderError, match=r"not the file that was shipped.*--force-reinstall 'seamline\[semantic\]'"):
        StaticEmbedder(tmp_path)
    (tmp_path / TABLE).unlink()
    with pytest.raises(ProviderError, match="is missing"):
        StaticEmbedder(tmp_path)


@pytest.mark.parametrize(("one", "other", "similarity"), GOLDEN)
def test_similarities_are_those_of_the_shipped_table(one: str, other: str, similarity: float) -> None:
    first, second = embedder().embed([one, other])
    assert float(first @ second) == pytest.approx(similarity, abs=1e-6)


def test_a_vector_is_the_same_to_the_bit_on_every_machine() -> None:
    """Sums of whole numbers are exact, and root and quotient are rounded alike wherever floats are IEEE 754."""
    rows = embedder().embed([*(row["text"] for row in REFERENCE), *ODD])
    assert (
        hashlib.sha256(rows.astype("<f4").tobytes()).hexdigest()
        == "802b5afc7ce1edd4e6d18a3f995755d6ca9ee5763a3dbdec13906e54eb2f2105"
    )


def test_similarities_of_prose_follow_those_of_the_teacher() -> None:
    ours, theirs = (name.embed(PROSE) for name in (embedder(), load("minilm", threads=1)))
    pairs = np.triu_indices(len(PROSE), 1)
    assert np.corrcoef((ours @ ours.T)[pairs], (theirs @ theirs.T)[pairs])[0, 1] > 0.6


def test_a_change_of_subject_is_seen() -> None:
    texts = [
        "Water the tomatoes every morning.",
        "Plants in full sun need more water.",
        "The invoice is due within thirty days.",
        "Late payments are charged interest.",
    ]
    rows = embedder().embed(texts)
    same, changed, again = (float(rows[at] @ rows[at + 1]) for at in range(3))
    assert changed < same
    assert changed < again


def test_a_text_of_blanks_or_of_nothing_readable_is_the_empty_text() -> None:
    empty, *others = embedder().embed(["", " \n\t", "\x00", "\ud800", "\ufffd", "\u0301"])
    assert all(np.array_equal(empty, row) for row in others)


def test_text_that_looks_like_a_special_token_is_text() -> None:
    empty, sep, words = embedder().embed(["", "[SEP]", "[ sep ]"])
    assert np.array_equal(sep, words)
    assert not np.array_equal(sep, empty)


def test_a_word_longer_than_the_vocabulary_reads_is_one_unknown_word() -> None:
    huge, unknown, other = embedder().embed(["a" * 1_000_000, "b" * 101, "b" * 100])
    assert np.array_equal(huge, unknown)
    assert not np.array_equal(huge, other)


def test_a_text_of_many_blocks_is_the_sum_of_all_of_them() -> None:
    few, many = embedder().embed(["cat dog " * 5, "cat dog " * 500_000])
    assert np.abs(few - many).max() < 1e-6


@given(st.lists(LETTERS, max_size=6))
def test_neighbours_change_no_bit(texts: list[str]) -> None:
    together = embedder().embed(texts)
    assert all(np.array_equal(row, embedder().embed([text])[0]) for row, text in zip(together, texts, strict=True))
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


@given(LETTERS, LETTERS)
def test_the_order_of_words_is_lost(one: str, other: str) -> None:
    first, second = embedder().embed([f"{one} {other}", f"{other} {one}"])
    assert np.array_equal(first, second)


def test_the_fingerprint_does_not_depend_on_the_machine() -> None:
    assert set(FILES) == {TABLE, VOCABULARY}
    assert embedder().fingerprint == "0c6da4e7a93b14fbbbf9c634ed5ea354ab4ad0404329c6c7114b9215e44ac7af"


LONG = "https://example.org/a-path/to_some/page.html?with=a&query=of#parts/Größe(ünïcode)*漢字*\x01\u0301x"
WORDS = st.sampled_from(
    ["the", "Cats", "tokenization,", "\u2003", "\ud800", "é", "汉字", LONG, LONG[:48], LONG[:49], "a" * 120]
)


@given(
    st.lists(st.one_of(LETTERS, st.lists(WORDS, max_size=30).map(" ".join), st.lists(WORDS).map("".join)), max_size=5)
)
@settings(deadline=None)
def test_both_paths_give_the_same_bits(texts: list[str]) -> None:
    assert np.array_equal(embedder().embed(texts), embedder().plain_embed(texts))


@pytest.mark.parametrize("text", ["the " * 255, "the " * 256, "the cat " * 200_000, "of. " * 100_000 + LONG])
def test_both_paths_add_up_long_texts_alike(text: str) -> None:
    assert np.array_equal(embedder().embed([text]), embedder().plain_embed([text]))


def test_more_words_than_are_remembered_change_no_bit() -> None:
    texts = [" ".join(f"w{number}" for number in range(start, start + 70)) for start in range(0, 70_000, 70)]
    assert np.array_equal(embedder().embed(texts)[-9:], embedder().plain_embed(texts[-9:]))
    assert np.array_equal(embedder().embed(texts[:9]), embedder().plain_embed(texts[:9]))
