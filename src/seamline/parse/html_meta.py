"""What a page says of itself: its title, author, language, dates and address."""

from __future__ import annotations

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
_TITLES = ("og:title", "twitter:title", "dc.title")


def read_title(document: Document) -> str:
    """The title of a page, as long as it is; empty where it has none."""
    for title in document.iter_elements("title"):
        if title.parent is not None and title.namespace.value == "html" and (text := " ".join(title.text.split())):
            return text
    told = _told(document)
    return next((told[name] for name in _TITLES if name in told), "")


def read_meta(document: Document) -> dict[str, Any]:
    """Metadata of a page; of several that say the same thing, the first by the order above."""
    told = _told(document)
    out: dict[str, Any] = {}
    for key, names in _KEYS.items():
        if found := next((told[name] for name in names if name in told), ""):
            out[key] = found[:LONGEST]
    root = document.root
    if root is not None and (language := (root.attr("lang") or root.attr("xml:lang") or "").strip()):
        out["language"] = language[:LONGEST]
    link = document.select_one('link[rel~="canonical" i][href]')
    if link is not None and (address := (link.attr("href") or "").strip()):
        out["canonical"] = address[:LONGEST]
    if "published" not in out and (time := document.select_one("time[pubdate][datetime]")) is not None:
        out["published"] = (time.attr("datetime") or "").strip()[:LONGEST]
    return out


def _told(document: Document) -> dict[str, str]:
    """What elements of metadata say, by lower-case name; the first of each name."""
    out: dict[str, str] = {}
    for element in document.select("meta[content]"):
        name = element.attr("name") or element.attr("property") or element.attr("itemprop") or ""
        name = name or element.attr("http-equiv") or ""
        if value := " ".join((element.attr("content") or "").split()):
            out.setdefault(name.strip().lower(), value)
    return out
