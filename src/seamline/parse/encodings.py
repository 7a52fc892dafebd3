"""Text whose bytes are not plain UTF-8: read all the same, with a notice that says how.

First what is clear: wide characters without a mark, a file that breaks off, an encoding that statistics are sure of.
What is left is mostly UTF-8 or ASCII with bytes from an old program in it; they are read as browsers read them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from seamline.parse.decode import SAMPLE, few_controls, line_number, wide_guess
from seamline.parse.html_charset import fits
from seamline.parse.magic import magic_of
from seamline.types import Notice

_SAMPLE = 200_000
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SURE = 0.35
"""Below this the guess is one among many; 0.38 and up were right for all samples of Chinese, Japanese and Korean."""
_OFTEN_OLD = frozenset(("csv", "tsv", "html", "srt", "vtt"))
"""Formats whose files often come in the encoding of an old program: an unsure guess is better than none."""
_FOREIGN = 0.5
"""Share of stray bytes among letters above which Windows-1252 would make nonsense of an alphabet of its own: Cyrillic
and Greek have nine in ten, French one in ten, and a line of typographic quotes less than half."""
_STRAY = re.compile("[\udc80-\udcff]")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")
_MEANT = {0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0x100)}
"""What a stray byte is to a browser: Windows-1252, and the control character of its number where that has none."""

Rescued = tuple[str, Notice]
"""A text, and the remark that is due."""


def rescued(data: bytes, format_name: str) -> Rescued | None:
    """The text of bytes that are not UTF-8; None where it is no text, or nobody can tell what its letters are."""
    if data.startswith(_WIDE_MARKS) or magic_of(data):
        return None
    if data.startswith(codecs.BOM_UTF8):
        return _mixed(data)
    if found := _wide(data):
        return found
    if not few_controls(data[:SAMPLE]):
        return None
    for read in (_cut_off, _paired, _detected):
        if found := read(data):
            return found
    likely = _likely(data, format_name) if format_name in _OFTEN_OLD else None
    return likely or _mixed(data)


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


def _mixed(data: bytes) -> Rescued | None:
    """UTF-8 with stray bytes, which are taken for Windows-1252; None where most letters would be such bytes."""
    text = data.decode("utf-8-sig", "surrogateescape")
    stray = len(_STRAY.findall(text))
    is_plain = len(text) == len(data)  # no character is written as UTF-8 writes more than one byte
    first = _STRAY.search(text)
    if first is None or (is_plain and stray > _FOREIGN * (stray + len(_ASCII_LETTER.findall(data)))):
        return None
    before = text[: first.start()]
    at = len(before.encode()) + len(data) - len(data.removeprefix(codecs.BOM_UTF8))
    message = (
        f"is not UTF-8 throughout: {stray:,} bytes, the first 0x{data[at]:02X} at offset {at}, were read as "
        "Windows-1252; name its encoding with --encoding if that is wrong"
    )
    return text.translate(_MEANT), Notice("encoding-mixed", message, f"line {line_number(before)}")


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
