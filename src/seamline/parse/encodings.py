"""The encoding of bytes that are not UTF-8, for formats whose files are known to come in old ones."""

from __future__ import annotations

import codecs

from seamline.parse.html_charset import fits
from seamline.types import Notice

_SAMPLE = 200_000
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SURE = 0.35
"""Below this the guess is one among many; 0.38 and up were right for all samples of Chinese, Japanese and Korean."""
ENCODED = frozenset(("csv", "tsv", "html", "srt", "vtt"))
"""Formats whose files often come in the encoding of an old program."""


def guessed(data: bytes, format_name: str) -> tuple[str, Notice] | None:
    """The encoding that bytes most likely have, where one stands out; None where nobody can say. Of a page that says
    nothing, browsers take cp1252."""
    if data.startswith(_MARKS) or fits(data, "utf-8"):
        return None
    name = _detected(data) or ("cp1252" if format_name == "html" else "")
    if not name or not fits(data, name):
        return None
    return name, Notice("encoding-guessed", f"is not UTF-8; read as {name}: name it with --encoding if that is wrong")


def _detected(data: bytes) -> str:
    try:
        import chardet
    except ModuleNotFoundError:
        return ""
    found = chardet.detect(data[:_SAMPLE])
    return str(found["encoding"]) if found["encoding"] and found["confidence"] >= _SURE else ""
