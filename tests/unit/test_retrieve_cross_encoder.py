"""The cross-encoder adapter, with a model of a few nodes: it counts a word in the second text."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest

from seamline.embed.bundled import FOLDER, MINILM
from seamline.errors import ConfigError, ProviderError
from seamline.protocols import Reranker
from seamline.search.cross_encoder import CrossEncoder
from seamline.tokens.custom import read_json

TOKENIZER = FOLDER / list(MINILM.files)[1]
MARKER = "answer"
INT64, FLOAT = 7, 1


def field(number: int, value: int | str | bytes) -> bytes:
    """One field of a protocol buffer."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def node(op: str, inputs: str, output: str, **attributes: int) -> bytes:
    names = b"".join(field(1, name) for name in inputs.split())
    given = b"".join(field(5, field(1, k) + field(3, v) + field(20, 2)) for k, v in attributes.items())
    return field(1, names + field(2, output) + field(4, op) + given)


def tensor(name: str, kind: int, raw: bytes, *dims: int) -> bytes:
    return field(5, b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name) + field(9, raw))


def value(number: int, name: str, kind: int) -> bytes:
    shape = field(1, field(2, "batch")) + field(1, field(2, "length"))
    return field(number, field(1, name) + field(2, field(1, field(1, kind) + field(2, shape))))


def model(*, columns: int = 1, inputs: str = "input_ids attention_mask token_type_ids") -> bytes:
    """logit = 2 * (how often the marker stands in the second text) - 1, in so many columns."""
    marker = read_json(TOKENIZER, "").token_to_id(MARKER)
    graph = (
        node("Equal", "input_ids marker", "equal")
        + node("Cast", "equal", "ones", to=INT64)
        + (
            node("Mul", "ones token_type_ids", "second")
            if "token_type_ids" in inputs
            else node("Identity", "ones", "second")
        )
        + node("Cast", "second", "found", to=FLOAT)
        + node("ReduceSum", "found axes", "sum", keepdims=1)
        + node("Mul", "sum two", "twice")
        + node("Sub", "twice one", "logit")
        + (node("Identity", "logit", "logits") if columns == 1 else node("Expand", "logit shape", "logits"))
        + field(2, "counts")
        + tensor("marker", INT64, struct.pack("<q", marker), 1)
        + tensor("axes", INT64, struct.pack("<q", 1), 1)
        + tensor("shape", INT64, struct.pack("<2q", 1, columns), 2)
        + tensor("two", FLOAT, struct.pack("<f", 2.0), 1)
        + tensor("one", FLOAT, struct.pack("<f", 1.0), 1)
        + b"".join(value(11, name, INT64) for name in inputs.split())
        + value(12, "logits", FLOAT)
    )
    return field(1, 8) + field(8, field(1, "") + field(2, 13)) + field(7, graph)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(model())
    return path


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_it_reads_query_and_text_as_a_pair(file: Path) -> None:
    encoder = CrossEncoder(file, TOKENIZER)
    scores = encoder.score("the answer, the answer", ["no such thing", "the answer", "answer upon answer", ""])
    assert scores == pytest.approx([sigmoid(-1), sigmoid(1), sigmoid(3), sigmoid(-1)])
    assert isinstance(encoder, Reranker)


def test_no_texts_no_scores(file: Path) -> None:
    assert CrossEncoder(file, TOKENIZER).score("query", []) == []


def test_a_long_text_is_read_to_its_end(file: Path) -> None:
    encoder = CrossEncoder(file, TOKENIZER, window=64)
    filler = "nothing of note happened on that day. " * 60
    scores = encoder.score("what was said", [filler, filler + MARKER, MARKER + filler, filler + MARKER + filler])
    assert scores == pytest.approx([sigmoid(-1), sigmoid(1), sigmoid(1), sigmoid(1)])


def test_the_best_window_counts_and_not_the_sum(file: Path) -> None:
    encoder = CrossEncoder(file, TOKENIZER, window=64)
    filler = "nothing of note happened on that day. " * 60
    (score,) = encoder.score("what was said", [f"{MARKER} {filler} {MARKER} {filler} {MARKER}"])
    assert score == pytest.approx(sigmoid(1))


def test_more_texts_than_a_batch_keep_their_order(file: Path) -> None:
    texts = [f"{MARKER} " * (n % 3) + "x " * (50 - n) for n in range(50)]
    scores = CrossEncoder(file, TOKENIZER).score("query", texts)
    assert scores == pytest.approx([sigmoid(2 * (n % 3) - 1) for n in range(50)])


def test_a_query_that_leaves_no_room_is_refused(file: Path) -> None:
    with pytest.raises(ProviderError, match="shorter question"):
        CrossEncoder(file, TOKENIZER, window=64).score("why " * 60, ["text"])


def test_a_model_of_two_classes(file: Path) -> None:
    file.write_bytes(model(columns=2))
    assert CrossEncoder(file, TOKENIZER).score("query", ["the answer"]) == pytest.approx([0.5])


def test_a_model_without_types(file: Path) -> None:
    file.write_bytes(model(inputs="input_ids"))
    assert CrossEncoder(file, TOKENIZER).score("query", ["the answer"]) == pytest.approx([sigmoid(1)])


def test_what_is_no_cross_encoder(file: Path) -> None:
    file.write_bytes(model(columns=7))
    with pytest.raises(ProviderError, match="is this a cross-encoder"):
        CrossEncoder(file, TOKENIZER).score("query", ["text"])
    file.write_bytes(model(inputs="input_ids pixel_values"))
    with pytest.raises(ConfigError, match="expected inputs among"):
        CrossEncoder(file, TOKENIZER)


def test_files_that_cannot_work(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such model file"):
        CrossEncoder(tmp_path / "none.onnx", TOKENIZER)
    with pytest.raises(ConfigError, match="no such tokenizer file"):
        CrossEncoder(file)
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"not a model")
    with pytest.raises(ConfigError, match="not an ONNX model"):
        CrossEncoder(broken, TOKENIZER)


def test_other_weights_have_another_name(file: Path) -> None:
    one = CrossEncoder(file, TOKENIZER).name
    file.write_bytes(model(inputs="input_ids"))
    assert CrossEncoder(file, TOKENIZER).name != one
