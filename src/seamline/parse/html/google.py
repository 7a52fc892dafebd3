"""Pages that Google Docs exports: titles, which it writes as paragraphs, and nested lists, which it writes in a row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Document, Element

_LIST = re.compile(r"(?:^|\s)lst-kix_([\w-]{1,60})-(\d)(?:\s|$)")
_MARKS = "body.doc-content,ul[class*=lst-kix_],ol[class*=lst-kix_]"
_DEEPEST = 6


def tidy_google_docs(document: Document) -> None:
    """Make a heading of the title of an exported page, with all headings below it, and nest its lists."""
    if document.select_one(_MARKS) is None:
        return
    title = next((one for one in document.select("p[class]") if "title" in (one.attr("class") or "").split()), None)
    if title is not None and title.text.strip():
        for heading in document.select("h1,h2,h3,h4,h5"):
            heading.tag = f"h{min(int(heading.tag[1]) + 1, _DEEPEST)}"
        title.tag = "h1"
    _nest_lists(document)


def _nest_lists(document: Document) -> None:
    """Put lists of a deeper level into the last item before them, and join lists of one level around those."""
    lists = [(one, _LIST.search(one.attr("class") or "")) for one in document.select("ul[class],ol[class]")]
    found = [(one, known[1], int(known[2]), _before(one)) for one, known in lists if known is not None]
    levels: list[tuple[Element, Element]] = []  # the open list of each level, and its last item
    previous: Element | None = None
    name = ""
    for one, own, level, before in found:
        if own != name or before is None or before != previous:
            levels, name = [], own
        previous = one
        del levels[level + 1 :]
        items = [child for child in one.children if getattr(child, "tag", "") == "li"]
        if not items:
            continue
        if level < len(levels):
            for item in items:
                levels[level][0].append(item)
            levels[level] = levels[level][0], items[-1]
            one.extract()
        else:
            if levels:
                levels[-1][1].append(one)
            levels += [(one, items[-1])] * (level + 1 - len(levels))


def _before(element: Element) -> Element | None:
    """The element directly before another, where only white space is between them."""
    for node in element.previous_siblings:
        if hasattr(node, "tag"):
            return node
        if node.text.strip():
            return None
    return None
