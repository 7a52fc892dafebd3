"""What a page says of itself: its title, author, language, dates and address."""

from __future__ import annotations

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


Told = Sequence[tuple[str, Any]]
"""What elements say of a page, by their tags and in their order: the text of `title`, and the attributes in `_NAMES` of
the others."""
_NAMES = {
    "meta": ("name", "property", "itemprop", "http-equiv", "content"),
    "link": ("rel", "href"),
    "time": ("datetime",),
    "html": ("lang", "xml:lang"),
}
_TELLING = "meta[content],link[rel][href],time[pubdate][datetime]"


def told_by(document: Document) -> Told:
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


def read_title(told: Told) -> str:
    """The title of a page, as long as it is; empty where it has none."""
    if text := next((text for tag, text in told if tag == "title" and text), ""):
        return str(text)
    values = _values(told)
    return next((values[name] for name in _TITLES if name in values), "")


def read_meta(told: Told) -> dict[str, Any]:
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


def _links(told: Told) -> Iterator[tuple[str, tuple[str, str]]]:
    return ((tag, one) for tag, one in told if tag == "link")


def _language(lang: str | None, xml_lang: str | None) -> str:
    return (lang or xml_lang or "").strip()


def _is_canonical(rel: str) -> bool:
    return "canonical" in _SPACES.split(rel.lower())


def _values(told: Told) -> dict[str, str]:
    """What elements of metadata say, by lower-case name; the first of each name."""
    out: dict[str, str] = {}
    for tag, one in told:
        if tag != "meta":
            continue
        name, of, itemprop, header, content = one
        if value := " ".join((content or "").split()):
            out.setdefault((name or of or itemprop or header or "").strip().lower(), value)
    return out
