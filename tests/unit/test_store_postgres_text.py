"""Any text survives in PostgreSQL, and sorts and starts as it did."""

from __future__ import annotations

import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seamline.store.postgres.connect import safe, unsafe
from seamline.testing.entries import WEIRD

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None)
ODD = st.sampled_from(
    ["\x00", "\x01", "\x02", "\ud7ff", "\ud800", "\udfff", "\ue000", "\ue001", "\u0900", "Ā", "𐐷", "a"]
)
TEXTS = st.one_of(st.text(ODD, max_size=6), st.text(st.characters(), max_size=6))


@law
@given(TEXTS)
@example("\x00\x01\x02")
@example("\ue000\u0900\ue000\ud800")
def test_what_comes_out_is_what_went_in(text: str) -> None:
    stored = safe(text)
    assert unsafe(stored) == text
    assert "\x00" not in stored
    stored.encode()  # raises where a surrogate is left


@law
@given(TEXTS, TEXTS)
@example("\ud800", "\ue000")
@example("\x00", "\x01")
def test_order_is_that_of_code_points(one: str, other: str) -> None:
    assert (safe(one).encode() < safe(other).encode()) == (one < other)


@law
@given(TEXTS, TEXTS)
@example("\ud800", "\ue000\u0100")
@example("\x01", "\x00")
def test_a_start_is_a_start(one: str, other: str) -> None:
    assert safe(one + other).startswith(safe(one))
    assert safe(other).startswith(safe(one)) == other.startswith(one)


@pytest.mark.parametrize("text", ["plain", "ünï 👩‍👩‍👧‍👦 \uffff", "\n\t\r", ""])
def test_ordinary_text_is_stored_as_it_is(text: str) -> None:
    assert safe(text) is text


def test_texts_that_only_look_escaped_survive() -> None:
    for text in (*WEIRD, *(safe(text) for text in WEIRD), *(safe(safe(text)) for text in WEIRD)):
        assert unsafe(safe(text)) == text
