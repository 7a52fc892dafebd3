"""Word pieces: those of the reference tokenizer, for any text."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from seamline.embed import static as wordpiece
from seamline.embed.bundled import FOLDER
from seamline.embed.static import UNKNOWN, VOCABULARY, WordPieces, read_vocabulary

law = settings(max_examples=int(os.environ.get("SEAMLINE_EXAMPLES", "200")), deadline=None)

OLD = (*range(9, 11), 13, *range(32, 0x85), *range(0xA0, 0x588), *range(0x3040, 0x3130), *range(0x4E00, 0x4F00))
OLDER = (*OLD, *range(0x2010, 0x2064), *range(0xAC00, 0xAC40), *range(0x1F600, 0x1F640), 0xFFFD, 0xE000, 0x20000)
"""Characters that the tokenizer's tables of Unicode have known for long; of others its opinion is out of date."""
TEXTS = st.text(st.sampled_from(list(map(chr, OLDER))), max_size=80)


@cache
def reference() -> Any:
    """The model's own tokenizer, which takes [SEP] for plain text once it has no special tokens."""
    made = json.loads((FOLDER / VOCABULARY).read_text("utf-8"))
    made |= {"added_tokens": [], "post_processor": None, "truncation": None, "padding": None}
    return Tokenizer.from_str(json.dumps(made))


@cache
def pieces() -> WordPieces:
    return WordPieces(read_vocabulary(FOLDER / VOCABULARY), UNKNOWN)


def agreed(text: str) -> bool:
    return pieces()(text) == reference().encode(text).ids


@law
@given(TEXTS)
def test_any_text_has_the_pieces_of_the_reference(text: str) -> None:
    assert agreed(text)


@law
@given(st.text(st.sampled_from("abcdefgHIJK0123 \n.,-_'\u0301\u200b"), max_size=120))
def test_words_and_marks_have_the_pieces_of_the_reference(text: str) -> None:
    assert agreed(text)


@pytest.mark.parametrize(
    "text",
    [
        "Unbelievable: the kube-apiserver wasn't reachable (HTTP 503)!",
        "Žluťoučký kůň, naïve ÉCOLE, Straße, ΟΔΥΣΣΕΥΣ, İstanbul",
        "汉字。日本語です。한국어 العربية हिन्दी",
        "a\u200bb a\u00adb a\ufffdb \ufeffx ≠ \u037e",
        "[CLS] [SEP] [MASK] ##ing [unused1]",
        "x" * 100 + " " + "x" * 101,
        "https://example.org/a_b?c=d&e=f#g",
    ],
)
def test_known_traps_have_the_pieces_of_the_reference(text: str) -> None:
    assert agreed(text)


def test_a_form_feed_is_white_space() -> None:
    """To the reference it is nothing, and the words around it are one."""
    assert pieces()("one\x0ctwo") == pieces()("one two")


def test_memory_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "_REMEMBERED", 8)
    small = WordPieces(read_vocabulary(FOLDER / VOCABULARY), UNKNOWN)
    text = " ".join(f"word{number}" for number in range(100)) + " " + "long" * 30
    assert small(text) == pieces()(text)
    assert small(text) == pieces()(text)
    assert len(small._runs) <= 8
    assert len(small._words) <= 8
