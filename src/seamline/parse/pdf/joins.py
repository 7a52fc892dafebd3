"""Paragraphs and tables that go on in the next column or on the next page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seamline.parse.pdf.blocks import Passage
from seamline.parse.pdf.model import Table, Word

_ENDS = re.compile("[.!?\u2026\u3002\uff01\uff1f\u061f:;][\"'\u201d\u2019)\\]\u300d]*$")
_FAR = 50
"""Floats that a paragraph may go on behind."""
_EDGES = 6
"""Points by which both sides of a table may differ from page to page, together."""
_FLOATS = ("figure", "table", "footnote")


def joined(columns: Sequence[Sequence[Passage]]) -> list[Passage]:
    """All passages in reading order; a paragraph that goes on is one, after the floats that stand in between."""
    out: list[Passage] = []
    for column in columns:
        rest = list(column)
        above, below = out[-1].table if out else None, rest[0].table if rest else None
        if above is not None and below is not None and _go_on(above, below):
            out[-1].table = _both(above, below)
            del rest[0]
        opening = next((i for i, one in enumerate(rest) if one.kind not in _FLOATS), None)
        last = next((i for i in range(len(out) - 1, max(len(out) - _FAR, -1), -1) if out[i].kind not in _FLOATS), None)
        if opening is not None and last is not None and _goes_on(out[last], rest[opening]):
            whole = out.pop(last)
            following = rest.pop(opening)
            whole.lines += following.lines
            whole.full = following.full
            out.append(whole)
        out += rest
    return out


def _go_on(above: Table, below: Table) -> bool:
    """Whether a table that opens a page continues the one before it: it has its columns, and no other header."""
    head, first = above.rows[0], below.rows[0]
    if below.page != above.page_of(len(above.rows) - 1) + 1 or len(first) != len(head):
        return False
    if abs(below.box.left - above.box.left) + abs(below.box.right - above.box.right) > _EDGES:
        return False
    return _texts(first) == _texts(head) or not _is_bold(first) or _is_bold(above.rows[-1])


def _both(above: Table, below: Table) -> Table:
    """Two parts of a table; a header that comes again is left out."""
    skip = 1 if _texts(below.rows[0]) == _texts(above.rows[0]) else 0
    pages = above.pages or [above.page] * len(above.rows)
    above.rows.extend(below.rows[skip:])
    above.places.extend(below.places[skip:])
    pages.extend([below.page] * (len(below.rows) - skip))
    return above._replace(pages=pages)


def _texts(row: Sequence[Sequence[Word]]) -> list[str]:
    return [" ".join(word.text for word in cell) for cell in row]


def _is_bold(row: Sequence[Sequence[Word]]) -> bool:
    return all(word.style.bold for cell in row for word in cell)


def _goes_on(last: Passage, following: Passage) -> bool:
    """Whether a paragraph at the end of a column continues in the one that opens the next."""
    if last.kind not in ("paragraph", "item") or following.kind != "paragraph":
        return False
    if following.page - last.lines[-1].page > 1:
        return False
    if abs(last.lines[-1].size - following.size) > 0.06 * following.size:
        return False
    text, begins = last.lines[-1].text, following.text[:1]
    if abs(last.lines[-1].share("bold") - following.lines[0].share("bold")) > 0.9:
        return False
    if begins.islower() or text.endswith("-"):
        return not (_ENDS.search(text) and not begins.islower())
    return last.full and not _ENDS.search(text) and not following.indented
