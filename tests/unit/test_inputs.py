"""What documents are read from: text, bytes, paths and open files, with media types, names or neither."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import seamline
from seamline.errors import ParseError
from seamline.formats import BY_ALIAS, CODE_SUFFIXES, FORMATS, format_named

PYTHON = "def f(x):\n    return x\n"
PAGE = "# Oil\n\nTrim the wick.\n"


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("text/x-markdown", "text/markdown"),
        ("application/x-tex", "text/x-tex"),
        ("text/x-python", "text/x-source"),
        ("Text/HTML; charset=utf-8", "text/html"),
        ("application/x-ndjson", "application/jsonl"),
    ],
)
def test_an_alias_is_read_as_its_format(media_type: str, expected: str) -> None:
    assert seamline.read("{}\n", media_type=media_type).source.media_type == expected


def test_no_alias_is_the_media_type_of_another_format() -> None:
    own = {one.media_type for one in FORMATS}
    assert not own & BY_ALIAS.keys()
    assert all(format_named(alias) == one for alias, one in BY_ALIAS.items())


def test_a_media_type_names_the_language_of_code() -> None:
    document = seamline.read(PYTHON, media_type="text/x-python")
    assert document.code is not None
    assert document.code.language == "python"
    assert document.source.media_type == "text/x-source"


@pytest.mark.parametrize("media_type", sorted(CODE_SUFFIXES))
def test_every_suffix_of_a_code_type_is_one_of_code(media_type: str) -> None:
    assert CODE_SUFFIXES[media_type] in next(one for one in FORMATS if one.name == "code").suffixes


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: data.decode()])
def test_bytes_and_text_with_a_name_are_what_the_file_is(kind: object, tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text(PYTHON)
    assert callable(kind)
    document = seamline.read(kind(PYTHON.encode()), filename="f.py")
    file = seamline.read(path)
    assert (document.id, document.source.uri) == ("f.py", "f.py")
    assert (document.text, document.blocks, document.code) == (file.text, file.blocks, file.code)


def test_bytes_are_sniffed() -> None:
    page = b"<!doctype html><html><body><h1>Oil</h1><p>Trim the wick.</p></body></html>"
    assert seamline.read(page).source.media_type == "text/html"
    assert seamline.read(PAGE.encode()).source.media_type == "text/markdown"
    assert [chunk.text for chunk in seamline.chunk(PAGE.encode())] == [chunk.text for chunk in seamline.chunk(PAGE)]


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_an_open_file_is_what_its_path_is(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    with open(path, mode) as file:
        chunks = seamline.chunk(file)
    assert [chunk.id for chunk in chunks] == [chunk.id for chunk in seamline.chunk(path)]


def test_a_file_may_go_by_another_name(tmp_path: Path) -> None:
    path = tmp_path / "upload.tmp"
    path.write_text(PYTHON)
    document = seamline.read(path, filename="f.py")
    assert (document.id, document.source.media_type) == ("f.py", "text/x-source")


def test_streams_without_a_name() -> None:
    assert seamline.read(io.BytesIO(PAGE.encode())).text == PAGE
    assert seamline.read(io.StringIO(PAGE), id="x").id == "x"


def test_a_media_type_may_name_the_encoding() -> None:
    assert seamline.read("Öl".encode("latin-1"), media_type="text/plain; charset=latin-1").text == "Öl"


@pytest.mark.parametrize("source", [PAGE.encode(), io.BytesIO(PAGE.encode()), io.StringIO(PAGE)])
def test_more_than_the_limit_is_refused(source: bytes) -> None:
    with pytest.raises(ParseError, match="the limit"):
        seamline.read(source, max_bytes=5)


def test_binary_formats_are_no_text() -> None:
    with pytest.raises(ParseError, match="pass its bytes"):
        seamline.read("text", media_type="application/pdf")
    with pytest.raises(ParseError, match=r"is called \.pdf"):
        seamline.read("text", filename="a.pdf")


def test_other_things_are_refused() -> None:
    with pytest.raises(ParseError, match="got int"):
        seamline.read(3)  # type: ignore[arg-type]
    file = io.BytesIO(b"x")
    file.close()
    with pytest.raises(ParseError, match="closed file"):
        seamline.read(file)
