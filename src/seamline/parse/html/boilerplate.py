"""What of a page is not its content: menus, lists of languages, cookie banners, footers.

Only a page that says where its content is loses anything: by `main`, by `article`, or by one block whose name says so
and beside which stands hardly any running text. What is taken out is kept, so that it can be listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.parse.html.tags import inline_text

if TYPE_CHECKING:
    from turbohtml import Document, Element, Node

_MAIN = "main,[role=main]"
_BLOCKS = frozenset(
    (
        *("content", "maincontent", "main-content", "page-content", "bodycontent", "mw-content-text", "rst-content"),
        *("article", "article-body", "article-content", "story-body", "post-content", "post-body", "entry-content"),
        *(
            "markdown-body",
            "documentation",
            "product-detail",
            "product-page",
            "thread",
            "topic",
            "posts",
            "forum-thread",
        ),
    )
)
"""Names of elements that hold the content of a page."""
_NEVER = frozenset(("nav", "dialog"))
_ROLES = frozenset(
    (
        *("navigation", "banner", "contentinfo", "complementary", "search"),
        *("dialog", "alertdialog", "menu", "menubar", "toolbar"),
    )
)
_KEPT = frozenset(("body", "main", "article", "h1", "pre", "code", "table", "tbody", "tr", "td", "p", "a"))
"""Elements that are content whatever they are called."""
_LISTS = frozenset(("aside", "footer", "menu"))
"""Elements that are none where most of them is links."""
_PLAINLY = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|newsletter|subscribe|share|sharing|social|breadcrumbs?|navbar|navbox"
    r"|advert|advertisement|ads?|promo|popup|modal|skip-link|jump-link|pagination|pager|noprint|catlinks|printfooter"
    r"|editsection|edit-section|feedback|toolbar|jump-to-nav)(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Names of what is never content."""
_PERHAPS = re.compile(
    r"(?:^|[\s_-])(?:sidebar|menu|nav|navigation|toc|contents|related|recommended|more|banner|footer|masthead|tags|widget|languages?"
    r"|actions?|meta|links)(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Names of what is no content where most of it is links."""
_NOTES = re.compile(
    r"(?:^|[\s_-])(?:(?:foot|side|hat|end)?notes?|tips?|warning|caution|danger|info|admonition|callout|example|quote)"
    r"(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Names of what stands beside running text and belongs to it."""
_LINKED = 0.5
"""Share of characters in links from which on a block is a list of links."""
_LEAST_SHARE = 0.1
"""Of the text of a page that its main element has at least."""
_LOUD = 0.3
"""Running text beside a block, as a share of that inside, from which on it is not clear what the content is."""
_MOST = 0.5
"""No element with more of the content than this is taken for something beside it."""
_LONG = 60
"""Characters outside of links that make a paragraph running text."""
_NESTED = 8
"""Elements inside each other that are judged: each is read as a whole, and more of them would cost the square of the
page."""


class RemovedPart(NamedTuple):
    """One part of a page that is not its content."""

    text: str
    element: Any
    """The element, or the one around the text."""


def take_boilerplate(document: Document) -> list[RemovedPart]:
    """Take all out of a page that is not its content, in the order of the page; nothing where that is not clear."""
    body = document.select_one("body")
    if body is None:
        return []
    roots = _content_roots(document, body)
    return list(_Sweep(body, roots).run()) if roots else []


# --- where the content is -----------------------------------------------------------------------------------------


def _content_roots(document: Document, body: Element) -> list[Element]:
    """The elements that hold the content of a page; none where it does not say."""
    whole = _size(body)
    mains = [one for one in _outermost(body, _MAIN) if _size(one) > _LEAST_SHARE * whole]
    if len(mains) == 1:
        return mains
    articles = _outermost(body, "article")
    if articles and _is_clear(body, articles):
        return articles
    named = [one for one in body.select("[id],[class],[itemprop]") if _is_named_content(one)]
    outer = _outermost_of(body, named)
    return outer if len(outer) == 1 and _is_clear(body, outer) else []


def _is_named_content(element: Element) -> bool:
    if element.tag not in ("div", "section", "td"):
        return False
    if element.attr("itemprop") == "articleBody":
        return True
    names = f"{element.attr('id') or ''} {element.attr('class') or ''}".lower().split()
    return not _BLOCKS.isdisjoint(names)


def _outermost(body: Element, selector: str) -> list[Element]:
    return _outermost_of(body, list(body.select(selector)))


def _outermost_of(body: Element, found: list[Element]) -> list[Element]:
    """Those that stand in no other, found on the way down."""
    wanted = set(found)
    out: list[Element] = []
    stack = [iter(body.children)]
    while stack and wanted:
        for node in stack[-1]:
            if not hasattr(node, "tag"):
                continue
            if node in wanted:
                out.append(node)
                continue
            if node.children:
                stack.append(iter(node.children))
                break
        else:
            stack.pop()
    return out


def _is_clear(body: Element, roots: list[Element]) -> bool:
    """Whether running text stands in these elements and hardly any beside them."""
    wanted, inside, beside = set(roots), 0, 0
    stack = [(iter(body.children), False, False)]
    while stack:
        nodes, is_content, is_apart = stack[-1]
        for node in nodes:
            if not hasattr(node, "tag"):
                continue
            if node.tag in ("p", "pre", "blockquote", "td", "dd"):
                size = _prose(node)
                inside += size if is_content else 0
                beside += size if not (is_content or is_apart) else 0
            elif node.children:
                apart = is_apart or node.tag in ("nav", "footer", "aside", "header", "dialog", "form")
                stack.append((iter(node.children), is_content or node in wanted, apart))
                break
        else:
            stack.pop()
    return inside > 0 and beside <= _LOUD * inside


def _size(element: Element) -> int:
    return sum(map(len, element.text.split()))


def _linked(element: Element) -> int:
    return sum(_size(link) for link in element.select("a,button,option,label"))


def _prose(element: Element) -> int:
    size = _size(element) - _linked(element)
    return size if size >= _LONG else 0


# --- what is beside it --------------------------------------------------------------------------------------------


class _Sweep:
    """One pass over a page that takes out what is not its content."""

    def __init__(self, body: Element, roots: list[Element]) -> None:
        self._body = body
        self._roots = set(roots)
        self._around = {one for root in roots for one in _ancestors(root)}
        self._whole = sum(map(_size, roots))
        self._title, self._titled = self._find_title(roots)

    def _find_title(self, roots: list[Element]) -> tuple[Element | None, set[Any]]:
        """The heading of the page where it stands beside its content, and what is around it."""
        if any(root.select_one("h1") is not None for root in roots):
            return None, set()
        titles = [one for one in self._body.select("h1") if _size(one)]
        return (titles[0], set(_ancestors(titles[0]))) if len(titles) == 1 else (None, set())

    def run(self) -> Iterator[RemovedPart]:
        found: list[tuple[Any, Any]] = []
        stack: list[tuple[Iterator[Node], Any, bool, int]] = [(iter(self._body.children), self._body, False, 0)]
        while stack:
            nodes, parent, is_content, judged = stack[-1]
            for node in nodes:
                if node in self._roots:
                    stack.append((iter(node.children), node, True, 0))
                    break
                if not hasattr(node, "tag"):
                    if not is_content and node.text.strip():
                        found.append((node, parent))
                elif node is self._title or node == self._title:
                    continue
                elif node in self._around or node in self._titled:
                    stack.append((iter(node.children), node, is_content, judged))
                    break
                elif not is_content:
                    found.append((node, node))
                else:
                    is_candidate = judged < _NESTED and _may_be_beside(node)
                    if is_candidate and self._is_beside(node):
                        found.append((node, node))
                    elif node.children:
                        stack.append((iter(node.children), node, True, judged + is_candidate))
                        break
            else:
                stack.pop()
        for node, place in found:
            text = inline_text(node) if hasattr(node, "tag") else " ".join(node.text.split())
            node.extract()
            if text:
                yield RemovedPart(text, place)

    def _is_beside(self, element: Element) -> bool:
        """Whether an element inside the content is no part of it."""
        size = _size(element)
        if size > _MOST * self._whole or element.select_one("h1") is not None:
            return False
        if _is_plain(element):
            return True
        if _NOTES.search(_names(element)) or (element.tag == "footer" and _is_in_quote(element)):
            return False
        return _linked(element) >= _LINKED * size


def _names(element: Element) -> str:
    return f"{element.attr('class') or ''} {element.attr('id') or ''}"


def _is_plain(element: Element) -> bool:
    """Whether an element says that it is no content."""
    return element.tag in _NEVER or element.attr("role") in _ROLES or _PLAINLY.search(_names(element)) is not None


def _may_be_beside(element: Element) -> bool:
    if element.tag in _KEPT:
        return False
    return element.tag in _LISTS or _is_plain(element) or _PERHAPS.search(_names(element)) is not None


def _ancestors(element: Element) -> Iterator[Any]:
    parent = element.parent
    while parent is not None and getattr(parent, "tag", "") not in ("", "body"):
        yield parent
        parent = parent.parent


def _is_in_quote(element: Element) -> bool:
    return getattr(element.parent, "tag", "") == "blockquote"
