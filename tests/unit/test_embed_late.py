"""Late chunking: vectors of spans, made in the context of their document."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.embed.bundled import FOLDER, MINILM, bundled
from seamline.embed.hashing import HashEmbedder
from seamline.embed.late import embed_late
from seamline.embed.onnx import OnnxEmbedder, OnnxOptions
from seamline.embed.windows import overlapping
from seamline.errors import ProviderError
from seamline.types import Span

FIRST = "Berlin is the capital of Germany. "
SECOND = "The city has more than three million people. "
OTHER = "Whales are mammals that live in the sea. "


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return bundled("minilm", threads=2)


def test_one_row_of_length_1_for_each_span(model: OnnxEmbedder) -> None:
    text = FIRST + SECOND + OTHER
    spans = [Span(0, 34), Span(34, 79), Span(79, len(text)), Span(0, len(text))]
    rows = embed_late(model, text, spans)
    assert rows.shape == (4, model.dimensions)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_the_same_every_time_and_on_any_number_of_cores(model: OnnxEmbedder) -> None:
    text = (FIRST + SECOND + OTHER) * 20
    spans = [Span(at, at + 90) for at in range(0, len(text) - 90, 90)]
    rows = embed_late(model, text, spans)
    assert (rows == embed_late(model, text, spans)).all()
    assert (rows == embed_late(bundled("minilm", threads=1), text, spans)).all()


def test_a_span_knows_what_stands_around_it(model: OnnxEmbedder) -> None:
    """`The city` alone is any city; behind the first sentence it is Berlin."""
    question = model.embed(["How many people live in Berlin?"])[0]
    alone = model.embed([SECOND])[0]
    span = Span(len(FIRST), len(FIRST + SECOND))
    (late,) = embed_late(model, FIRST + SECOND, [span])
    (elsewhere,) = embed_late(model, OTHER + SECOND, [Span(len(OTHER), len(OTHER + SECOND))])
    assert late @ alone < 0.99
    assert question @ late > question @ alone
    assert question @ late > question @ elsewhere


def test_the_whole_text_is_nearly_what_it_is_alone(model: OnnxEmbedder) -> None:
    (late,) = embed_late(model, FIRST + SECOND, [Span(0, len(FIRST + SECOND))])
    assert late @ model.embed([FIRST + SECOND])[0] > 0.95


def test_spans_longer_than_a_window_first_and_last(model: OnnxEmbedder) -> None:
    text = FIRST * 3 + OTHER * 100 + SECOND * 3
    spans = [
        Span(0, len(FIRST * 3)),
        Span(len(FIRST * 3), len(text) - len(SECOND * 3)),
        Span(len(text) - len(SECOND * 3), len(text)),
    ]
    first, long, last = embed_late(model, text, spans)
    whales, berlin, people = model.embed([OTHER, FIRST, SECOND])
    assert long @ whales > 0.8
    assert first @ berlin > max(first @ people, first @ whales)
    assert last @ people > max(last @ berlin, last @ whales)


def test_spans_in_any_order_and_within_each_other(model: OnnxEmbedder) -> None:
    text = (FIRST + SECOND + OTHER) * 12
    spans = [Span(500, 700), Span(0, len(text)), Span(520, 560), Span(0, 100)]
    rows = embed_late(model, text, spans)
    for at, span in enumerate(spans):
        assert (rows[at] == embed_late(model, text, [span])[0]).all()


def test_a_span_without_tokens_is_read_alone(model: OnnxEmbedder) -> None:
    text = f"{FIRST}   {SECOND}"
    rows = embed_late(model, text, [Span(34, 36), Span(0, 33)])
    assert (rows[0] == model.embed(["  "])[0]).all()
    assert embed_late(model, "", []).shape == (0, model.dimensions)
    assert embed_late(model, "", [Span(0, 0)]).shape == (1, model.dimensions)


def test_places_are_those_of_the_text_whatever_it_holds(model: OnnxEmbedder) -> None:
    strange = "\ud83d\ude00 \ud800 é e\u0301 \x00 👩‍👩‍👧 "
    text = strange + FIRST
    (late,) = embed_late(model, text, [Span(len(strange), len(text))])
    assert late @ model.embed([FIRST])[0] > 0.8


def test_embedders_without_vectors_of_tokens_are_refused() -> None:
    with pytest.raises(ProviderError, match="hash gives one vector for a text"):
        embed_late(HashEmbedder(), FIRST, [Span(0, 10)])


def test_models_that_pool_by_the_first_token_are_refused() -> None:
    weights, tokenizer = (Path(FOLDER) / name for name in MINILM.files)
    first = OnnxEmbedder(weights, tokenizer, OnnxOptions("cls"), name="first")
    with pytest.raises(ProviderError, match="first token"):
        embed_late(first, FIRST, [Span(0, 10)])


def test_a_prefix_is_no_part_of_any_span() -> None:
    weights, tokenizer = (Path(FOLDER) / name for name in MINILM.files)
    prefixed = OnnxEmbedder(weights, tokenizer, OnnxOptions(passage="passage: "), name="prefixed")
    found = [place for places, _ in prefixed.token_vectors(FIRST * 60) for place in places]
    assert found[0][0] == 0
    assert found == sorted(found)
    assert found[-1][1] == len(FIRST * 60) - 1


@given(st.integers(0, 3000), st.integers(8, 512))
def test_windows_stand_for_every_token_once(tokens: int, room: int) -> None:
    parts = overlapping(tokens, room)
    assert [at for part in parts for at in range(part.first, part.last)] == list(range(tokens))
    margin = room // 4 // 2
    for part in parts:
        assert part.end - part.start == min(room, tokens)
        assert part.first - part.start >= margin or part.first == 0
        assert part.end - part.last >= margin or part.last == tokens
    assert all(left.end > right.start for left, right in pairwise(parts))
