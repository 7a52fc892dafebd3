"""What a page says of itself: its title, author, language, dates and address, and the encoding it is written in."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turbohtml import Document


LONGEST = 500
"""Characters of a title or value that are kept: it goes with every chunk."""
_KEYS = {
    "description": ("description", "og:description", "twitter:description", "dc.description"),
    "author": ("author", "article:author", "dc.creator", "dcterms.creator", "twitter:creator"),
    "published": ("article:published_time", "date", "dc.date", "dcterms.date", "dcterms.created", "datepublished"),
    "modified": ("article:modified_time", "last-modified", "dcterms.modified", "datemodified", "og:updated_time"),
    "keywords": ("keywords",),
    "site": ("og:site_name", "application-name"),
    "language": ("content-language", "dc.language", "og:locale"),
}
_SPACES = re.compile(r"[ \t\n\f\r]+")
_TITLES = ("og:title", "twitter:title", "dc.title")


def read_metadata(document: Document) -> tuple[str, dict[str, Any]]:
    """The title of a page, as long as it is, and what else it says of itself; of several elements that say the same
    thing, the first by the order above."""
    values: dict[str, str] = {}
    for element in document.select("meta[content]"):
        names = (element.attr(key) for key in ("name", "property", "itemprop", "http-equiv"))
        if value := " ".join((element.attr("content") or "").split()):
            values.setdefault(next(filter(None, names), "").strip().lower(), value)
    out: dict[str, Any] = {}
    for key, keys in _KEYS.items():
        if found := next((values[name] for name in keys if name in values), ""):
            out[key] = found[:LONGEST]
    root = document.root
    if root is not None and (language := (root.attr("lang") or root.attr("xml:lang") or "").strip()):
        out["language"] = language[:LONGEST]
    links = document.select("link[rel][href]")
    canonical = (link for link in links if "canonical" in _SPACES.split((link.attr("rel") or "").lower()))
    if (link := next(canonical, None)) is not None and (address := (link.attr("href") or "").strip()):
        out["canonical"] = address[:LONGEST]
    if "published" not in out and (time := document.select_one("time[pubdate][datetime]")) is not None:
        out["published"] = (time.attr("datetime") or "").strip()[:LONGEST]
    return _title(document) or next((values[name] for name in _TITLES if name in values), ""), out


def _title(document: Document) -> str:
    own = (one for one in document.iter_elements("title") if one.parent is not None and one.namespace.value == "html")
    return next((text for one in own if (text := " ".join(one.text.split()))), "")


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
        if name and is_text_in(data, name):
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
    if name and is_text_in(data, name):
        return data.decode(name), ""
    if found := declared_encoding(data):
        return data.decode(found), ""
    if is_text_in(data, "utf-8"):
        return data.decode(), ""
    return data.decode(_FALLBACK, "replace"), f"is in no encoding that it names: read as {_FALLBACK}"


def _is_utf8(data: bytes) -> bool:
    """Whether it is UTF-8, and not an encoding of seven bits that changes its meaning by escape characters."""
    return b"\x1b" not in data and is_text_in(data, "utf-8")


def is_text_in(data: bytes, name: str) -> bool:
    """Whether bytes are text in an encoding."""
    try:
        data.decode(name)
    except (UnicodeError, LookupError):
        return False
    return True
