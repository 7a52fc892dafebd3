"""What is taken out of a page before it is read: scripts, what no reader sees, and on request what is not its content.

All of it is counted. Nothing else looks at whether an element is shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from turbohtml import Document, Element

_MACHINE = "script,style"
_UNSHOWN = (
    "noscript,template:not([shadowrootmode]),iframe,object,video,audio,canvas,noembed,datalist,"
    '[hidden]:not([hidden="until-found"]),[style*="none" i],[style*="hidden" i],[style*="font-size" i]'
)
_STYLED_AWAY = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|rem|%)?\s*(?:;|!|$))",
    re.IGNORECASE,
)
_ALWAYS = frozenset(("noscript", "template", "iframe", "object", "video", "audio", "canvas", "noembed", "datalist"))

_LANDMARKS = (
    "nav,aside,footer,dialog,[role=navigation],[role=banner],[role=contentinfo],[role=complementary],[role=search],"
    "[role=dialog],[role=alertdialog],[role=menu],[role=menubar]"
)
_NAMED = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|newsletter|subscribe|subscription|share|sharing|social|breadcrumbs?|sidebar"
    r"|menu|navbar|nav|navigation|navbox|toc|related|recommended|advert|advertisement|ads?|promo|popup|modal|banner"
    r"|skip-link|jump-link|pagination|pager|footer|masthead|noprint|catlinks|printfooter|editsection)(?:$|[\s_-])",
    re.IGNORECASE,
)
_MAIN = "main,[role=main]"
_MOST = 0.5
"""No single element with more of the text than this is taken for something beside the content."""


class Pruned(NamedTuple):
    """What was taken out, in characters that are not white space."""

    elements: int = 0
    characters: int = 0


def drop_unshown(document: Document) -> Pruned:
    """Take out scripts, which nobody counts, and elements that no reader sees."""
    document.remove(_MACHINE)
    found = [element for element in document.select(_UNSHOWN) if _is_unshown(element)]
    return _take_out(found)


def _is_unshown(element: Element) -> bool:
    if element.tag in _ALWAYS or element.attr("hidden") is not None:
        return True
    return is_styled_away(element.attr("style") or "")


def is_styled_away(style: str) -> bool:
    """Whether a style hides its element."""
    return _STYLED_AWAY.search(style) is not None


def drop_boilerplate(document: Document) -> Pruned:
    """Take out menus, banners, side columns and footers: by their elements, roles and names, and all that is not in
    the main element of a page that has one."""
    body = document.select_one("body")
    if body is None:
        return Pruned()
    whole = len(body.text)
    mains = document.select(_MAIN)
    dropped = Pruned()
    if len(mains) == 1 and len(mains[0].text) > whole / 10:
        dropped = _keep_only(mains[0])
        whole = len(mains[0].text)
    found = [element for element in body.select(_LANDMARKS) if len(element.text) <= _MOST * whole]
    found += [element for element in body.select("[class],[id]") if _is_named_so(element, whole)]
    found += [element for element in body.select("header") if element.select_one("h1") is None]
    more = _take_out(_in_order(body, found))
    return Pruned(dropped.elements + more.elements, dropped.characters + more.characters)


def _is_named_so(element: Element, whole: int) -> bool:
    names = f"{element.attr('class') or ''} {element.attr('id') or ''}"
    if element.tag in ("body", "main", "article") or _NAMED.search(names) is None:
        return False
    return len(element.text) <= _MOST * whole and element.select_one("h1,main,article") is None


def _keep_only(kept: Element) -> Pruned:
    """Take out all that stands beside an element and the ones around it."""
    found = []
    element: Element | None = kept
    while element is not None and element.tag != "body":
        parent = element.parent
        found += [*element.previous_siblings, *element.next_siblings]
        element = parent if hasattr(parent, "tag") else None
    size = 0
    for node in found:
        size += _visible(node.text)
        node.extract()
    return Pruned(len(found), size)


def _in_order(body: Element, found: list[Element]) -> list[Element]:
    """Each once, in the order of the page."""
    wanted = set(found)
    return [element for element in body.select("*") if element in wanted]


def _take_out(found: list[Element]) -> Pruned:
    """From the last to the first, so that what is inside others is not counted twice."""
    count = size = 0
    for element in reversed(found):
        if text := _visible(element.text):
            count += 1
            size += text
        element.extract()
    return Pruned(count, size)


def _visible(text: str) -> int:
    return sum(map(len, text.split()))
