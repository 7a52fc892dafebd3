"""Encodings that can be told from the bytes of a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.errors import ParseError
from seamline.parse import parse_bytes
from seamline.parse.decode import _decode_mixed, decode_leniently

JAPANESE = "名前,場所,説明\n" + "山田太郎,東京都,これは日本語の文章です。検索できますか。\n" * 20
PROSE = "# Title\n\nSome words of prose, é and 日本.\n" * 30


@pytest.mark.parametrize("name", ["csv", "text", "markdown"])
def test_a_clear_guess_comes_with_a_notice(name: str) -> None:
    found = decode_leniently(JAPANESE.encode("shift_jis"), name)
    assert found is not None
    text, notice = found
    assert text == JAPANESE
    assert notice.code == "encoding-guessed"
    assert "932" in notice.message


def test_an_unsure_guess_is_for_tables_and_subtitles_alone() -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\nПривет мир\n\n"
    found = decode_leniently(cue.encode("cp1251"), "srt")
    assert found is not None
    assert found[0] == cue
    assert "others fit as well" in found[1].message
    assert decode_leniently(cue.encode("cp1251"), "text") is None


def test_a_page_that_says_nothing_is_read_as_browsers_do() -> None:
    found = decode_leniently(b"<p>\xe9t\xe9, caf\xe9", "html")
    assert found is not None
    assert found[0] == "<p>été, café"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_mark_is_read(codec: str) -> None:
    document = parse_bytes(PROSE.encode(codec), uri="a.md")
    assert document.text == PROSE
    assert [notice.code for notice in document.notices] == ["encoding-guessed"]
    assert codec in document.notices[0].message


def test_a_file_that_ends_inside_a_character_is_read_up_to_it() -> None:
    document = parse_bytes("Words and 漢".encode()[:-1], uri="a.txt")
    assert document.text == "Words and "
    assert [notice.code for notice in document.notices] == ["encoding-cut-off"]
    assert "last 2 bytes" in document.notices[0].message


def test_characters_in_two_halves_are_put_together() -> None:
    document = parse_bytes(b"a \xed\xa0\xbd\xed\xb8\x80 b", uri="a.txt")
    assert document.text == "a \U0001f600 b"
    assert "CESU-8" in document.notices[0].message


def test_a_byte_order_mark_is_no_guess() -> None:
    assert decode_leniently("a,b\n1,2\n".encode("utf-16"), "csv") is None


@pytest.mark.parametrize(
    ("data", "text", "says"),
    [
        (b"# Title\n\nGr\xfc\xdfe\n", "# Title\n\nGrüße\n", "2 bytes, the first 0xFC at offset 11,"),
        (b"\x93so\x94 \x96 it\x92s", "“so” – it’s", "4 bytes, the first 0x93 at offset 0,"),
        ("é and ".encode() + b"\xe9.", "é and é.", "1 bytes, the first 0xE9 at offset 7,"),
        (b"\xef\xbb\xbfsaid \xfc", "said ü", "1 bytes, the first 0xFC at offset 8,"),
        # Longer than need be, as a way around filters: it must not become the slash that it stands for.
        (b"a word \xc0\xaf and more", "a word À¯ and more", "2 bytes, the first 0xC0 at offset 7,"),
        (b"half \xed\xa0\xbd of a character", "half í\xa0½ of a character", "3 bytes, the first 0xED at offset 5,"),
        (b"no character \x81 of cp1252", "no character \x81 of cp1252", "1 bytes, the first 0x81 at offset 13,"),
    ],
)
def test_stray_bytes_are_read_as_browsers_read_them(data: bytes, text: str, says: str) -> None:
    document = parse_bytes(data, uri="a.md")
    assert document.text == text
    assert [notice.code for notice in document.notices] == ["encoding-mixed"]
    assert says in document.notices[0].message
    assert document.notices[0].where == f"line {1 + text.count(chr(10)) - text.endswith(chr(10))}"


@given(st.text(st.characters(codec="cp1252", min_codepoint=0x20), min_size=1).map("plain words first {}".format))
def test_western_text_loses_nothing_to_a_guess(text: str) -> None:
    """What statistics do not claim is read letter by letter, but for the few runs that are UTF-8 by chance."""
    data = text.encode("cp1252")
    found = _decode_mixed(data)
    if found is not None and data.decode("utf-8", "ignore").isascii():
        assert found[0] == text


@pytest.mark.parametrize("codec", ["cp1251", "koi8-r", "iso8859-5", "cp1253"])
def test_an_alphabet_of_its_own_is_not_made_latin(codec: str) -> None:
    greeting = "Καλημέρα σε όλους" if codec == "cp1253" else "Привет всем вам"
    with pytest.raises(ParseError, match="not valid UTF-8"):
        parse_bytes(f"# Note\n\n{greeting}\n".encode(codec), uri="a.md")


def test_a_binary_file_is_not_guessed_at() -> None:
    with pytest.raises(ParseError, match="looks like a binary file"):
        parse_bytes(bytes(range(256)) * 40, uri="a.csv")
