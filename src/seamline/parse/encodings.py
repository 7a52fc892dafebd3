"""The encoding of bytes that are not UTF-8, for formats whose files say it, or are known to come in old ones."""

from __future__ import annotations

import codecs
import re

from seamline.types import Notice

_SAMPLE = 200_000
_HEAD = 2048
_SURE = 0.35
"""Below this the guess is one among many; 0.38 and up were right for all samples of Chinese, Japanese and Korean."""
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_WEB_NAMES = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
"""Labels that browsers read as a larger encoding of the same family."""
ENCODED = frozenset(("csv", "tsv", "html", "srt", "vtt"))
"""Formats whose files often come in the encoding of an old program."""


def declared(data: bytes, format_name: str) -> str | None:
    """The encoding a web page names itself, where it is one that exists and no mark says otherwise."""
    if format_name != "html" or data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or data[:3] == codecs.BOM_UTF8:
        return None
    found = _CHARSET.search(data[:_HEAD])
    if found is None:
        return None
    try:
        name = codecs.lookup(found[1].decode()).name
    except (LookupError, ValueError):
        return None
    name = _WEB_NAMES.get(name, name)
    return None if name in ("utf-8", "utf-16", "utf-16-le", "utf-16-be") or not _decodes(data, name) else name


def guessed(data: bytes) -> tuple[str, Notice] | None:
    """The encoding that bytes most likely have, where one stands out; None where nobody can say."""
    if _is_utf8(data):
        return None
    try:
        import chardet
    except ModuleNotFoundError:
        return None
    found = chardet.detect(data[:_SAMPLE])
    name, sure = found["encoding"], found["confidence"]
    if not name or sure < _SURE or not _decodes(data, name):
        return None
    message = f"is not UTF-8; read as {name} ({sure:.0%} sure): name it with --encoding if that is wrong"
    return name, Notice("encoding-guessed", message)


def _is_utf8(data: bytes) -> bool:
    return _decodes(data, "utf-8")


def _decodes(data: bytes, name: str) -> bool:
    try:
        data.decode(name)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
