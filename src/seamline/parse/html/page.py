"""HTML -> what a document is made of: the text a browser shows, in blocks that know where they stand in the source.

A page may also come in a ZIP archive, as Google Docs exports one: its HTML files are read, images are counted.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.anchors import Anchor, Anchors
from seamline.errors import ParseError, needed
from seamline.parse.archive import Archive
from seamline.parse.builder import DocumentBuilder
from seamline.parse.html.boilerplate import RemovedPart, take_boilerplate
from seamline.parse.html.flow import HtmlFlow
from seamline.parse.html.google import tidy_google_docs
from seamline.parse.html.meta import LONGEST, decode_page, read_metadata
from seamline.parse.html.places import HtmlPlaces
from seamline.parse.html.tags import RemovedParts, drop_unshown
from seamline.parse.html.walk import HtmlWalker
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.runtime import gc_paused
from seamline.types import Notice, Span

if TYPE_CHECKING:
    from turbohtml import Document


XHTML = re.compile(r"\s*<\?xml\b|[^\0]{0,1000}\bhttp://www\.w3\.org/1999/xhtml\b")
_CLOSED_AT_ONCE = re.compile(
    r"<(?:script|style|title|textarea|iframe|noscript|noembed|noframes|xmp|plaintext)\b[^<>]*/>", re.IGNORECASE
)
"""Elements that XHTML may close in their start tag. HTML does not know that and takes the rest of the page for their
text."""
_CUT_OFF = {
    "eof-in-comment": "a comment is never closed: what follows it is not shown",
    "eof-in-tag": "a tag is never closed: what follows it is not shown",
    "eof-in-cdata": "a CDATA section is never closed",
    "eof-in-doctype": "the document type is never closed",
}
_RAW = ("script", "style", "title", "textarea", "iframe", "noframes", "noembed", "xmp")
"""Elements that hold text up to their end tag, whatever it looks like."""
_DEEPEST = 200
"""Elements inside each other; real pages have some dozens."""


class WebPage(NamedTuple):
    """What one page adds to a document beside its blocks."""

    title: str
    meta: Mapping[str, Any]
    notices: tuple[Notice, ...]
    left_out: Sequence[tuple[str, Mapping[str, Any]]] = ()
    """Text that is no content of the page, with its places."""


def parse(raw: ParseInput) -> ParseResult:
    """A page; its text is extracted."""
    builder = DocumentBuilder()
    with gc_paused():
        page = read_page(raw.text, builder, raw)
    text, blocks, anchors = builder.finish()
    notices = page.notices
    if not blocks:
        notices += (Notice("html-empty", "there is no text on the page"),)
    text, anchors, removed = _append(text, anchors, page.left_out)
    return ParseResult(text, blocks, page.title, page.meta, anchors, removed, notices)


def _append(
    text: str, anchors: Anchors | None, left_out: Sequence[tuple[str, Mapping[str, Any]]]
) -> tuple[str, Anchors | None, tuple[Span, ...]]:
    """A text, and after it what was left out, where no block covers it."""
    if not left_out:
        return text, anchors, ()
    out, length = [text, "\n\n" * bool(text)], len(text) + 2 * bool(text)
    runs, removed = list(anchors or ()), []
    for words, place in left_out:
        removed.append(Span(length, length + len(words)))
        runs.append(Anchor(length, length + len(words), place))
        out += [words, "\n"]
        length += len(words) + 1
    return "".join(out), Anchors(runs), tuple(removed)


def _lines_of(part: RemovedPart) -> Mapping[str, Any]:
    location = part.element.source_location
    if location is None:
        return {}
    end = location.end_tag or location.start_tag
    return {"lines": [location.start_tag.start_line, end.end_line]}


def read_page(
    markup: str, builder: DocumentBuilder, raw: ParseInput, part: str = "", pictures: Container[str] = ()
) -> WebPage:
    """Write the blocks of a page; `part` names the file in an archive that it is, `pictures` those beside it."""
    with needed("turbohtml, which reads HTML,", "html"):
        from turbohtml import parse as parse_tree
    is_xhtml = XHTML.match(markup) is not None
    markup = markup.removeprefix("\ufeff") if part else markup
    if is_xhtml:
        markup = _CLOSED_AT_ONCE.sub(lambda found: " " * len(found[0]), markup)
    places = HtmlPlaces(markup, part)
    document = parse_tree(places.markup, source_locations=not part, allow_declarative_shadow_roots=False)
    for anchor in document.select("a[name]:not([id])"):  # how ids were written once
        anchor.attrs["id"] = anchor.attr("name")
    title, meta = read_metadata(document)
    notices = _cut_off_notices(document, places.markup, part)
    unshown = drop_unshown(document)
    tidy_google_docs(document)
    aside = take_boilerplate(document) if raw.reading.boilerplate == "remove" and not part else []
    left_out = [(one.text, _lines_of(one)) for one in aside]
    flow = HtmlFlow(builder, raw.limits.characters)
    walk = HtmlWalker(flow, places, pictures, posixpath.dirname(part))
    walk.run(document)
    notices += _notices(unshown, aside, flow, cut=walk.cut, ragged=walk.ragged, part=part)
    if walk.deepest > _DEEPEST and not flow.flattened:
        what = f"elements are nested more than {_DEEPEST} deep, as where tags are never closed"
        notices.append(Notice("deep-nesting", what, part))
    title = title or walk.first_heading
    if len(title) > LONGEST:
        notices.append(Notice("title-cut", f"the title has {len(title):,} characters: {LONGEST} are kept", part))
    return WebPage(title[:LONGEST], meta, tuple(notices), left_out)


def _is_closed(document: Document, markup: str) -> bool:
    """Whether the last thing in a source is the end tag of the page, so that nothing is open there."""
    location = document.root.source_location if document.root is not None else None
    if location is None or location.end_tag is None:
        return False
    return not markup[location.end_tag.end_offset :].strip()


def _cut_off_notices(document: Document, markup: str, part: str) -> list[Notice]:
    """What the page lost because it is not closed."""
    codes = set() if _is_closed(document, markup) else {error.code for error in document.errors}
    out = [Notice("html-cut-off", message, part) for code, message in _CUT_OFF.items() if code in codes]
    raw = list(document.iter_elements(_RAW))
    if raw and (location := raw[-1].source_location) is not None and location.end_tag is None:
        size = len(raw[-1].text)
        out.append(
            Notice("html-cut-off", f"<{raw[-1].tag}> is never closed and takes the last {size:,} characters", part)
        )
    return out


def _notices(
    unshown: RemovedParts,
    aside: Sequence[RemovedPart] = (),
    flow: HtmlFlow | None = None,
    *,
    cut: int,
    ragged: int = 0,
    part: str,
) -> list[Notice]:
    out = []
    if unshown.characters:
        what = f"{unshown.characters:,} characters in elements that no reader sees ({unshown.elements:,}) were left out"
        out.append(Notice("hidden-text", what, part))
    if aside:
        size = sum(len(one.text) for one in aside)
        what = f"{len(aside):,} menus, banners and the like with {size:,} characters were left out"
        out.append(Notice("boilerplate", f'{what}: `boilerplate = "keep"` keeps them', part))
    if flow is not None and flow.flattened:
        out.append(Notice("deep-nesting", "lists and quotes inside each other are shown 24 deep", part))
    if flow is not None and flow.dropped:
        out.append(Notice("text-limit", f"{flow.dropped:,} characters past the limit were left out", part))
    if cut:
        out.append(Notice("table-spans", f"in {cut:,} tables, cells span more rows than can be filled", part))
    if ragged:
        out.append(Notice("ragged-table", f"rows of {ragged:,} tables differ too much to stand in columns", part))
    return out


_PAGES = (".html", ".htm", ".xhtml")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff")


def parse_zip(raw: ParseInput) -> ParseResult:
    """All pages of an archive, in the order of their names."""
    archive = Archive(raw)
    names = [name for name in archive.names if not _is_litter(name)]
    pages = sorted(name for name in names if name.lower().endswith(_PAGES))
    if not pages:
        raise ParseError("is a ZIP archive without a web page: unpack it and name what is inside", raw.uri)
    builder = DocumentBuilder()
    pictures = frozenset(name for name in names if name.lower().endswith(_PICTURES))
    notices: list[Notice] = []
    read = []
    for name in pages:
        markup, remark = decode_page(archive.read(name))
        if remark:
            notices.append(Notice("encoding", remark, name))
        page = read_page(markup, builder, raw, name, pictures)
        notices += page.notices
        read.append(page)
    text, blocks, anchors = builder.finish()
    shown = {block.detail.image for block in blocks if block.detail is not None and block.detail.image}
    if shown:
        notices.append(Notice("images", f"{len(shown):,} images of the archive are named and not looked at"))
    if beside := len(names) - len(pages) - len(shown):
        notices.append(Notice("images", f"{beside:,} other files of the archive, such as images, were not read"))
    title = next((page.title for page in read if page.title), "")
    return ParseResult(text, blocks, title, read[0].meta, anchors, notices=tuple(notices))


def _is_litter(name: str) -> bool:
    """What systems leave in archives."""
    path = PurePosixPath(name)
    return path.parts[:1] == ("__MACOSX",) or path.name.startswith(".")
