"""Text whose bytes are not plain UTF-8: read all the same where it is clear how, with a notice that says so."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from seamline.parse.decode import SAMPLE, few_controls, wide_guess
from seamline.parse.html_charset import fits
from seamline.parse.magic import magic_of
from seamline.types import Notice

_SAMPLE = 200_000
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SURE = 0.35
"""Below this the guess is one among many; 0.38 and up were right for all samples of Chinese, Japanese and Korean."""
_OFTEN_OLD = frozenset(("csv", "tsv", "html", "srt", "vtt"))
"""Formats whose files often come in the encoding of an old program: an unsure guess is better than none."""

Rescued = tuple[str, Notice]
"""A text, and the remark that is due."""


def rescued(data: bytes, format_name: str) -> Rescued | None:
    """The text of bytes that are not UTF-8, where it is clear or at least likely what they are; else None."""
    if data.startswith(_MARKS) or magic_of(data):
        return None
    if found := _wide(data):
        return found
    if not few_controls(data[:SAMPLE]):
        return None
    for read in (_cut_off, _paired, _detected):
        if found := read(data):
            return found
    return _likely(data, format_name) if format_name in _OFTEN_OLD else None


def _named(data: bytes, name: str, doubt: str = "") -> Rescued:
    message = f"is not UTF-8; read as {name}{doubt}: name it with --encoding if that is wrong"
    return data.decode(name), Notice("encoding-guessed", message)


def _wide(data: bytes) -> Rescued | None:
    """UTF-16 or UTF-32 without a byte order mark."""
    name = wide_guess(data[:SAMPLE])
    if not name or not fits(data, name):
        return None
    return _named(data, name) if few_controls(data[:SAMPLE].decode(name, "ignore").encode()) else None


def _cut_off(data: bytes) -> Rescued | None:
    """UTF-8 that ends inside a character."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return None
        left = len(data) - error.start
        message = f"ends inside a character: its last {left} bytes are left out; was it saved completely?"
        return data[: error.start].decode(), Notice("encoding-cut-off", message)
    return None


def _paired(data: bytes) -> Rescued | None:
    """UTF-8 in which characters beyond the first plane are written as two halves, as some databases do."""
    try:
        text = data.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeError:
        return None
    return text, Notice("encoding-guessed", "is not UTF-8; read as CESU-8, which has characters in two halves")


def _detected(data: bytes) -> Rescued | None:
    """By statistics, where they are sure."""
    return next((_named(data, name) for name, sure in _guesses(data, modern=False) if sure >= _SURE), None)


def _likely(data: bytes, format_name: str) -> Rescued | None:
    """The most likely of the encodings that Windows wrote; browsers take cp1252 for a page that says nothing."""
    names = ["cp1252"] if format_name == "html" else [name for name, _ in _guesses(data, modern=True)]
    return next((_named(data, name, ", though others fit as well") for name in names if fits(data, name)), None)


def _guesses(data: bytes, *, modern: bool) -> Iterator[tuple[str, float]]:
    """The encoding that the bytes look like, and how sure that is; nothing where there is no library to ask."""
    try:
        import chardet
    except ModuleNotFoundError:
        return
    era = chardet.EncodingEra.MODERN_WEB if modern else chardet.EncodingEra.ALL
    found = chardet.detect(data[:_SAMPLE], encoding_era=era)
    if found["encoding"] and fits(data, found["encoding"]):
        yield str(found["encoding"]), float(found["confidence"])
