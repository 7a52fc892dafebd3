"""What files are taken for: by content where it shows, else by name."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.errors import ParseError, SeamlineError
from seamline.formats import BY_NAME, FORMATS, Format
from seamline.parse import format_of, parse_bytes, parse_text
from seamline.parse.parser_types import load_parser
from seamline.parse.sniff import sniff


def archive(**parts: bytes) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in parts.items():
            made.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return out.getvalue()


WORD = archive(word__document=b"<x/>")
CASES = [
    (b"%PDF-1.7\n", "a.pdf", "pdf"),
    (b"%PDF-1.7\n", "a.txt", "pdf"),
    (b"junk before\n%PDF-1.4\n", "a.pdf", "pdf"),
    (WORD, "a.docx", "docx"),
    (WORD, "mislabelled.xlsx", "docx"),
    (WORD, "", "docx"),
    (archive(xl__workbook=b""), "a.xlsx", "xlsx"),
    (archive(ppt__presentation=b""), "a.pptx", "pptx"),
    (archive(mimetype=b"application/epub+zip"), "a.zip", "epub"),
    (archive(mimetype=b"application/vnd.oasis.opendocument.text"), "a.odt", "odt"),
    (archive(mimetype=b"application/vnd.oasis.opendocument.spreadsheet"), "a.ods", "xlsx"),
    (archive(page_dot_html=b"<p>x"), "export.zip", "htmlzip"),
    (b"SQLite format 3\x00....", "a.db", "sqlite"),
    (b"PAR1\x15\x00", "a.parquet", "parquet"),
    (b"WEBVTT\n\n", "talk", "vtt"),
    (b"<!DOCTYPE html><p>x", "page", "html"),
    (b"<!DOCTYPE html><p>x", "page.txt", "html"),
    (b"<!-- a page about html --><html>", "", "html"),
    (b"# About <html>\n", "a.md", "markdown"),
    (b"% a comment\n\\documentclass{article}", "paper", "latex"),
    (b"From: a@b.c\nTo: d@e.f\nSubject: hi\n\nText", "letter", "eml"),
    (b"#!/usr/bin/env python3\nprint(1)\n", "tool", "code"),
    (b"text", "notes", "text"),
    (b"text", "notes.unknown", "text"),
    (b"text", "", "markdown"),
    (b"def f(): pass", "a.py", "code"),
    (b'{"segments": [{"start": 0, "text": "hi"}]}', "talk.json", "transcript"),
    (b'{"a": 1}', "data.json", "json"),
    (b"\x89PNG\r\n\x1a\n", "a.txt", "image"),
    (b"RIFF....WAVEfmt ", "a.wav", "audio"),
    (b"RIFF....WEBP", "a.webp", "image"),
    (b"\x00\x00\x00\x18ftypmp42", "a.mp4", "video"),
    (b"BM is how this text starts", "a.txt", "text"),
    (b"\xef\xbb\xbf<html>", "", "html"),
    (b"<office:document>", "a.fodt", "odt"),
]


@pytest.mark.parametrize(("data", "name", "found"), CASES)
def test_what_a_file_is_taken_for(data: bytes, name: str, found: str) -> None:
    assert format_of(sniff(data, name)).name == found


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"", "a.pdf", "is empty"),
        (b"plain words", "a.docx", "is called .docx but is not of that kind"),
        (b"\x1f\x8b\x08", "a.txt", "is gzip data: unpack it"),
        (archive(a=b"x"), "a.zip", "no document"),
        (b"PK\x03\x04 cut off", "a.zip", "damaged ZIP"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.doc", "old Office file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.docx", "is encrypted"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, name: str, said: str) -> None:
    with pytest.raises(ParseError, match=said):
        sniff(data, name)


@given(st.binary(max_size=200), st.sampled_from([suffix for one in FORMATS for suffix in one.suffixes]))
def test_any_bytes_under_any_name_are_something_or_refused(data: bytes, suffix: str) -> None:
    with suppress(SeamlineError):
        assert format_of(sniff(data, f"x{suffix}"))


@pytest.mark.parametrize(("called", "text"), [("tsv", "a\tb\n1\t2\n"), ("mdx", "<A>\n\nx\n\n</A>\n"), ("rst", "x\n")])
def test_a_format_called_by_its_name_is_known_by_its_media_type(called: str, text: str) -> None:
    one = BY_NAME[called]
    by_name, by_type = parse_text(text, media_type=called), parse_text(text, media_type=one.media_type)
    assert by_name.source.media_type == one.media_type
    assert by_name == by_type
    assert parse_bytes(text.encode(), media_type=called).source.media_type == one.media_type


def test_names_and_endings_are_given_once() -> None:
    endings = [suffix for one in FORMATS for suffix in one.suffixes]
    assert len(endings) == len(set(endings))
    assert len(BY_NAME) == len(FORMATS)


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_every_format_has_a_parser(one: Format) -> None:
    assert callable(load_parser(one.parser))
