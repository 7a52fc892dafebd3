"""Bytes become exactly the text they hold, or an error that says where and what to do."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.errors import ConfigError, ParseError
from seamline.parse.decode import check_encodable, decode

TEXT = "# Häding\r\n\r\n日本 😀\rend\n"


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_marks_are_recognised_and_removed_and_newlines_stay(mark: bytes, codec: str) -> None:
    assert decode(mark + TEXT.encode(codec)) == TEXT


def test_only_one_mark_is_removed() -> None:
    assert decode(codecs.BOM_UTF8 * 2 + b"a") == "\ufeffa"


def test_empty_and_mark_only() -> None:
    assert decode(b"") == ""
    assert decode(codecs.BOM_UTF8) == ""


@pytest.mark.parametrize("data", [b"\x00", b"alpha\x00beta\x00\x00gamma\n" * 200, b"\x1b[31mred\x1b[0m\n" * 50])
def test_stray_controls_are_text(data: bytes) -> None:
    assert decode(data).encode() == data


def test_a_named_encoding_is_used_and_its_mark_removed() -> None:
    assert decode("naïve – €".encode("cp1252"), encoding="cp1252") == "naïve – €"
    assert decode("日本".encode("utf-16-le"), encoding="utf-16-le") == "日本"
    assert decode(codecs.BOM_UTF8 + b"a", encoding="utf-8") == "a"


@pytest.mark.parametrize("name", ["nope", "", "hex", "rot13", "idna", "unicode_escape", "undefined", "a\x00b"])
@pytest.mark.parametrize("data", [b"", b"text"])
def test_what_is_no_text_encoding_is_refused_as_configuration(name: str, data: bytes) -> None:
    with pytest.raises(ConfigError) as caught:
        decode(data, encoding=name)
    assert caught.value.path == "$.encoding"


def test_invalid_utf8_names_byte_offset_line_and_remedy() -> None:
    with pytest.raises(ParseError) as caught:
        decode(b"one\r\ntwo\rthr\xe9e\n", source="notes.md")
    message = str(caught.value)
    assert message.startswith("notes.md, line 3: byte 0xE9 at offset 12 ")
    assert "--encoding cp1252" in message


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfea\x00b",  # an odd byte
        b"\xff\xfea\x00\x00\xd8b\x00",  # a lone high surrogate
        b"\xff\xfe\x00\xdc",  # a lone low surrogate
        b"\xfe\xff\xd8\x00",
        b"\xff\xfe\x00\x00\x00\xd8\x00\x00",  # a surrogate in UTF-32
        b"\xef\xbb\xbf\xed\xa0\x80",  # and in UTF-8
    ],
)
def test_damaged_wide_text_is_refused(data: bytes) -> None:
    with pytest.raises(ParseError, match="at offset"):
        decode(data)


def test_offsets_count_the_mark() -> None:
    with pytest.raises(ParseError, match=r"line 2: byte 0x00 at offset 4 "):
        decode(b"\xff\xfe\n\x00\x00\xd8", source="a")
    with pytest.raises(ParseError, match="byte 0xFF at offset 4 "):
        decode(b"\xef\xbb\xbfa\xff")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\x7fELF\x02\x01", "ELF"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"%PDF-1.7\n", "PDF"),
        (b"PK\x03\x04", "ZIP"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"\xff\xd8\xff\xe0", "JPEG"),
        (bytes(4096), "control characters"),
        (bytes(range(256)) * 40, "control characters"),
    ],
)
def test_binary_files_are_refused_by_name(data: bytes, name: str) -> None:
    with pytest.raises(ParseError, match=rf"looks like a binary file \(.*{name}.*\): \w"):
        decode(data, source="a.md")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_mark_is_told_its_encoding(codec: str) -> None:
    data = ("# Title\n\nSome words of prose, é and 日本.\n" * 30).encode(codec)
    with pytest.raises(ParseError, match=f"--encoding {codec}"):
        decode(data)


def test_check_encodable_names_the_place() -> None:
    check_encodable("plain", "a.md")
    check_encodable("😀 é", "a.md")
    with pytest.raises(ParseError, match=r"^a\.md, line 2: lone surrogate U\+D83D at character 4"):
        check_encodable("ab\r\n\ud83d", "a.md")


def test_a_codec_that_makes_surrogates_is_checked() -> None:
    with pytest.raises(ParseError):
        decode(b"+2AA-", encoding="utf-7")


@given(st.binary(max_size=200), st.sampled_from([None, "utf-8", "cp1252", "utf-16", "shift_jis", "utf-7"]))
def test_any_bytes_give_encodable_text_or_a_parse_error(data: bytes, encoding: str | None) -> None:
    try:
        text = decode(data, encoding=encoding)
    except ParseError:
        return
    text.encode("utf-8")
