"""Tokens of ranges: exact where they fit, and only where counts add up taken together."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seamline.cut.measure import LONGEST_TOKEN, Measure
from seamline.testing.strategies import documents
from seamline.tokens import load

VOCABULARIES = ("o200k_base", "cl100k_base")
LINES = st.lists(
    st.sampled_from(
        (
            "a",
            ");",
            "/",
            "// x",
            "  /y",
            "\t",
            " ",
            "\u3000",
            "\u2028",
            "\x0b",
            "\x85",
            "漢",
            "don't",
            "1234",
            "'",
            "\n",
            "\r\n",
            "\r",
            "\n\n",
            "!",
        )
    ),
    max_size=40,
).map("".join)


@pytest.mark.parametrize("name", VOCABULARIES)
@settings(max_examples=300, deadline=None)
@given(text=st.one_of(LINES, documents()))
@example(text="a);\n/b")
@example(text="a\n \n b")
@example(text="a\n\u3000\nb")
def test_counts_add_up_where_they_are_said_to(name: str, text: str) -> None:
    tokenizer = load(name)
    measure = Measure(text, tokenizer)
    whole = tokenizer.count(text)
    for at in range(len(text)):
        if measure.adds_up(at):
            assert tokenizer.count(text[:at]) + tokenizer.count(text[at:]) == whole


@settings(max_examples=200, deadline=None)
@given(text=documents(), room=st.integers(1, 40), name=st.sampled_from((*VOCABULARIES, "estimate")))
def test_a_size_is_the_count_where_it_fits(text: str, room: int, name: str) -> None:
    tokenizer = load(name)
    tokens = tokenizer.count(text)
    found = Measure(text, tokenizer).size(0, len(text), room)
    if tokens <= room and len(text) <= LONGEST_TOKEN * room:
        assert found == tokens
    else:
        assert found > room


def test_a_range_that_is_far_too_large_is_not_counted_whole() -> None:
    tokenizer = load("o200k_base")
    counted: list[int] = []

    class Spy:
        name, additive = "spy", True

        def count(self, text: str) -> int:
            counted.append(len(text))
            return tokenizer.count(text)

    text = "some words that fill a line\n" * 400
    assert Measure(text, Spy()).size(0, len(text), 200) > 200
    assert sum(counted) < len(text) // 4


def test_a_tokenizer_that_does_not_add_up_counts_whole() -> None:
    text = "some words that fill a line\n" * 40
    measure = Measure(text, load(len))
    assert not any(measure.adds_up(at) for at in range(len(text)))
    assert measure.size(0, len(text), len(text)) == len(text)
