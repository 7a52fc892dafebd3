"""EPUB: the chapters of a book in reading order, each read as the web page it is."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from seamline.errors import ParseError
from seamline.parse.archive import Archive
from seamline.parse.builder import DocumentBuilder
from seamline.parse.html.meta import decode_page
from seamline.parse.html.page import read_page
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.xml import declares_entities, parse_xml, without_doctype
from seamline.types import Notice

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_RIGHTS = "META-INF/rights.xml"
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\f\r")) + b"\x7f"
_SAMPLE = 4096
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Fonts are scrambled so that they cannot be copied, in books that are free to read."""
_PLAIN_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^<>\[]*>", re.IGNORECASE)
"""A document type that declares nothing itself; it says nothing that is needed."""
_OUTSIDE = re.compile(r"\.\.(?:/|$)|/")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_CHAPTERS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "image/svg+xml", "text/x-oeb1-document")
_FIELDS = {
    "author": "creator",
    "language": "language",
    "published": "date",
    "publisher": "publisher",
    "description": "description",
    "identifier": "identifier",
    "subject": "subject",
}


@dataclass(frozen=True, slots=True)
class _Item:
    """A file of a book, as its package names it."""

    name: str
    """In the archive."""
    media_type: str
    is_contents: bool
    """Whether it is the table of contents, which says again what the headings say."""


@dataclass(frozen=True, slots=True)
class _Package:
    items: dict[str, _Item]
    spine: list[str]
    title: str
    meta: dict[str, Any]


def parse(raw: ParseInput) -> ParseResult:
    """A book."""
    archive = Archive(raw)
    notices: list[Notice] = []
    package = _package(archive, raw, notices)
    chapters = list(_reading_order(package, notices))
    _refuse_locked(archive, raw, chapters)
    builder = DocumentBuilder()
    first_title = ""
    failed = 0
    for name in chapters:
        try:
            data = _page(archive, name, raw)
        except ParseError as error:
            failed += 1
            notices.append(Notice("part-unreadable", str(error), name))
            continue
        markup, remark = decode_page(data)
        if remark:
            notices.append(Notice("encoding", remark, name))
        if declares_entities(markup):
            notices.append(Notice("entities", "declares entities, which stay as they are written", name))
            markup = without_doctype(markup)
        page = read_page(markup, builder, raw, name)
        notices += page.notices
        first_title = first_title or page.title
    text, blocks, anchors = builder.finish()
    if not blocks:
        if failed:
            why = "it is copy-protected" if _RIGHTS in archive else "it is damaged"
            raise ParseError(f"none of its chapters can be read: {why}; use another copy", raw.uri)
        notices.append(Notice("epub-empty", "there is no text in the book"))
    _tell_unlisted(package, chapters, notices)
    return ParseResult(text, blocks, package.title or first_title, package.meta, anchors, notices=tuple(notices))


# --- the package: what the book is made of ------------------------------------------------------------------------


def _package(archive: Archive, raw: ParseInput, notices: list[Notice]) -> _Package:
    name = _package_name(archive, raw, notices)
    root = _xml(archive, name, raw)
    folder = posixpath.dirname(name)
    items: dict[str, _Item] = {}
    spine: list[str] = []
    told: dict[str, list[str]] = {}
    for element in root.iter():
        tag = _local(element)
        if tag == "item":
            href = element.get("href") or ""
            path = _inside(folder, href)
            if _is_outside(path) or _ADDRESS.match(href):
                notices.append(Notice("part-outside", "is outside of the book and never read", path))
                continue
            contents = "nav" in (element.get("properties") or "").split()
            items[element.get("id") or ""] = _Item(path, (element.get("media-type") or "").lower(), contents)
        elif tag == "itemref":
            spine.append(element.get("idref") or "")
        elif element.text and element.text.strip():
            told.setdefault(tag, []).append(" ".join(element.text.split()))
    meta = {key: ", ".join(told[tag])[:500] for key, tag in _FIELDS.items() if tag in told}
    return _Package(items, spine, (told.get("title") or [""])[0][:500], meta)


def _package_name(archive: Archive, raw: ParseInput, notices: list[Notice]) -> str:
    """The file that lists all others: the one its container names, else the only one that can be it."""
    if _CONTAINER in archive:
        for element in _xml(archive, _CONTAINER, raw).iter():
            if _local(element) == "rootfile" and _is_outside(element.get("full-path") or ""):
                raise ParseError("names a package outside of the book: refused", raw.uri, _CONTAINER)
            if _local(element) == "rootfile" and (name := _inside("", element.get("full-path") or "")) in archive:
                return name
    found = [name for name in archive.names if name.lower().endswith(".opf")]
    if len(found) != 1:
        raise ParseError("names no package that lists its chapters: it is damaged; fetch it again", raw.uri, _CONTAINER)
    notices.append(Notice("epub-container", f"the container names no package: {found[0]} was taken", _CONTAINER))
    return found[0]


def _xml(archive: Archive, name: str, raw: ParseInput) -> Any:
    data = _PLAIN_DOCTYPE.sub(b"", archive.read(name), count=1)
    return parse_xml(data, raw.uri, name, depth=raw.limits.depth)


def _local(element: Any) -> str:
    tag = element.tag
    return tag.rsplit("}", 1)[-1].lower() if isinstance(tag, str) else ""


def _inside(folder: str, address: str) -> str:
    """The name in the archive of what a package links to. Nothing outside is ever looked at."""
    return posixpath.normpath(posixpath.join(folder, unquote(address.split("#")[0]))) if address else ""


def _is_outside(name: str) -> bool:
    """Whether a name points out of the archive."""
    return _OUTSIDE.match(posixpath.normpath(name)) is not None


# --- chapters -----------------------------------------------------------------------------------------------------


def _reading_order(package: _Package, notices: list[Notice]) -> Iterator[str]:
    """The chapters, each once."""
    seen: set[str] = set()
    unknown = repeated = 0
    if not package.spine:
        notices.append(Notice("epub-order", "the book gives no reading order: its pages come as they are listed"))
    for reference in package.spine or package.items:
        item = package.items.get(reference)
        if item is None or not item.name:
            unknown += 1
        elif item.name in seen:
            repeated += 1
        elif item.is_contents:
            seen.add(item.name)
        elif item.media_type not in _CHAPTERS:
            seen.add(item.name)
            notices.append(Notice("part-skipped", f"is {item.media_type or 'of no type'} and was not read", item.name))
        else:
            seen.add(item.name)
            yield item.name
    if unknown:
        notices.append(Notice("part-missing", f"{unknown:,} chapters of the reading order are not in the book"))
    if repeated:
        notices.append(Notice("part-repeated", f"{repeated:,} chapters are listed again, and were read once"))


def _page(archive: Archive, name: str, raw: ParseInput) -> bytes:
    """The bytes of a chapter; a ParseError for what is no text."""
    data = archive.read(name)
    head = data[:_SAMPLE]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > len(head) // 20 and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ParseError("is no text: it is encrypted or damaged", raw.uri, name)
    return data


def _refuse_locked(archive: Archive, raw: ParseInput, chapters: list[str]) -> None:
    """Books whose chapters are encrypted need a key that is not in them."""
    if _ENCRYPTION not in archive:
        return
    locked = set()
    for data in _xml(archive, _ENCRYPTION, raw).iter():
        if _local(data) != "encrypteddata":
            continue
        parts = {_local(part): part for part in data.iter()}
        method = parts["encryptionmethod"].get("Algorithm") if "encryptionmethod" in parts else ""
        if method not in _FONTS and "cipherreference" in parts:
            locked.add(_inside("", parts["cipherreference"].get("URI") or ""))
    if count := len(locked.intersection(chapters)):
        raise ParseError(
            f"is protected: {count:,} of {len(chapters):,} chapters are encrypted; use a copy without copy protection",
            raw.uri,
            _ENCRYPTION,
        )


def _tell_unlisted(package: _Package, chapters: list[str], notices: list[Notice]) -> None:
    listed = set(chapters)
    pages = {item.name for item in package.items.values() if item.media_type in _CHAPTERS[:2] and not item.is_contents}
    if left := sorted(pages - listed):
        what = ", ".join(left[:3]) + (", ..." if len(left) > 3 else "")
        notices.append(Notice("part-skipped", f"{len(left):,} pages are not in the reading order: {what}"))
