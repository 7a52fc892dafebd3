"""Encodings that can be told from the bytes of a file."""

from __future__ import annotations

import pytest

from seamline.errors import ParseError
from seamline.parse.encodings import guessed

JAPANESE = "名前,場所,説明\n" + "山田太郎,東京都,これは日本語の文章です。検索できますか。\n" * 20


def test_a_clear_guess_comes_with_a_notice() -> None:
    guess = guessed(JAPANESE.encode("shift_jis"), "csv")
    assert guess is not None
    name, notice = guess
    assert JAPANESE.encode("shift_jis").decode(name) == JAPANESE
    assert notice.code == "encoding-guessed"
    assert name in notice.message


def test_utf8_and_what_nobody_can_tell_are_not_guessed() -> None:
    assert guessed(JAPANESE.encode(), "csv") is None
    assert guessed(b"\xe9t\xe9, caf\xe9", "csv") is None


def test_a_page_that_says_nothing_is_read_as_browsers_do() -> None:
    guess = guessed(b"<p>\xe9t\xe9, caf\xe9", "html")
    assert guess is not None
    assert guess[0] == "cp1252"


def test_a_byte_order_mark_is_no_guess() -> None:
    assert guessed("a,b\n1,2\n".encode("utf-16"), "csv") is None


def test_what_cannot_be_guessed_stays_an_error() -> None:
    from seamline.parse import parse_bytes

    with pytest.raises(ParseError, match="not valid UTF-8"):
        parse_bytes(b"# Title\n\nGr\xfc\xdfe\n", uri="a.md")
