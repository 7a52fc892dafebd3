"""What a page says of itself: its title, author, language, dates and address.

The encoding of a page that is not UTF-8: the one it declares, by the names that browsers know.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
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


PageStatements = Sequence[tuple[str, Any]]
"""What elements say of a page, by their tags and in their order: the text of `title`, and the attributes in `_NAMES` of
the others."""
_NAMES = {
    "meta": ("name", "property", "itemprop", "http-equiv", "content"),
    "link": ("rel", "href"),
    "time": ("datetime",),
    "html": ("lang", "xml:lang"),
}
_TELLING = "meta[content],link[rel][href],time[pubdate][datetime]"


def read_statements(document: Document) -> PageStatements:
    """What a page says of itself."""
    out: list[tuple[str, Any]] = []
    for title in document.iter_elements("title"):
        if title.parent is not None and title.namespace.value == "html":
            out.append(("title", " ".join(title.text.split())))
    found = list(document.select(_TELLING))
    if document.root is not None:
        found.append(document.root)
    for element in found:
        out.append((element.tag, tuple(element.attr(name) for name in _NAMES[element.tag])))
    return out


def read_title(told: PageStatements) -> str:
    """The title of a page, as long as it is; empty where it has none."""
    if text := next((text for tag, text in told if tag == "title" and text), ""):
        return str(text)
    values = _values(told)
    return next((values[name] for name in _TITLES if name in values), "")


def read_meta(told: PageStatements) -> dict[str, Any]:
    """Metadata of a page; of several that say the same thing, the first by the order above."""
    values = _values(told)
    out: dict[str, Any] = {}
    for key, names in _KEYS.items():
        if found := next((values[name] for name in names if name in values), ""):
            out[key] = found[:LONGEST]
    if language := next((_language(*one) for tag, one in told if tag == "html"), ""):
        out["language"] = language[:LONGEST]
    if address := next((href.strip() for tag, (rel, href) in _links(told) if _is_canonical(rel)), ""):
        out["canonical"] = address[:LONGEST]
    if "published" not in out and (time := next((one[0] for tag, one in told if tag == "time"), None)) is not None:
        out["published"] = time.strip()[:LONGEST]
    return out


def _links(told: PageStatements) -> Iterator[tuple[str, tuple[str, str]]]:
    return ((tag, one) for tag, one in told if tag == "link")


def _language(lang: str | None, xml_lang: str | None) -> str:
    return (lang or xml_lang or "").strip()


def _is_canonical(rel: str) -> bool:
    return "canonical" in _SPACES.split(rel.lower())


def _values(told: PageStatements) -> dict[str, str]:
    """What elements of metadata say, by lower-case name; the first of each name."""
    out: dict[str, str] = {}
    for tag, one in told:
        if tag != "meta":
            continue
        name, of, itemprop, header, content = one
        if value := " ".join((content or "").split()):
            out.setdefault((name or of or itemprop or header or "").strip().lower(), value)
    return out


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
