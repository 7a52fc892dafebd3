"""The encoding of a page that is not UTF-8: the one it declares, by the names that browsers know."""

from __future__ import annotations

import codecs
import re

_HEAD = 65_536
"""Bytes in which a declaration is looked for."""
_DECLARED = re.compile(
    rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']\s*([\w.:-]{1,40})|<meta\b[^>]{0,400}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""",
    re.IGNORECASE,
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
"""Encodings that are written as one and read as another, which holds more: that is what browsers do."""
_REFUSED = frozenset(("utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-16", "utf-32"))
_FALLBACK = "cp1252"


def declared_encoding(data: bytes) -> str | None:
    """The encoding to read a page by; None where it is UTF-8 or marked, and where it names none that fits."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", codecs.BOM_UTF8)) or _is_utf8(data):
        return None
    for found in _DECLARED.finditer(data[:_HEAD]):
        name = known_encoding((found[1] or found[2]).decode("ascii", "replace"))
        if name and fits(data, name):
            return name
    return None


def known_encoding(label: str) -> str:
    """Python's name of an encoding of text; empty for one it does not know or that no text is written in."""
    try:
        info = codecs.lookup(label.strip())
    except (LookupError, ValueError, UnicodeError):
        return ""
    if not getattr(info, "_is_text_encoding", True) or info.name.startswith(tuple(_REFUSED)):
        return ""
    return _MEANT.get(info.name, info.name)


def decode_page(data: bytes, told: str = "") -> tuple[str, str]:
    """The text of a page inside a file, and a remark where its encoding is not certain; `told` is what its envelope
    says."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace"), ""
    if _is_utf8(data):
        return data.decode(), ""
    name = known_encoding(told) if told else ""
    if name and fits(data, name):
        return data.decode(name), ""
    if found := declared_encoding(data):
        return data.decode(found), ""
    if fits(data, "utf-8"):
        return data.decode(), ""
    return data.decode(_FALLBACK, "replace"), f"is in no encoding that it names: read as {_FALLBACK}"


def _is_utf8(data: bytes) -> bool:
    """Whether it is UTF-8, and not an encoding of seven bits that changes its meaning by escape characters."""
    return b"\x1b" not in data and fits(data, "utf-8")


def fits(data: bytes, name: str) -> bool:
    """Whether bytes are text in an encoding."""
    try:
        data.decode(name)
    except (UnicodeError, LookupError):
        return False
    return True
