"""Paragraphs that go on in the next column or on the next page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seamline.parse.pdf.blocks import Passage

_ENDS = re.compile("[.!?\u2026\u3002\uff01\uff1f\u061f:;][\"'\u201d\u2019)\\]\u300d]*$")
_FAR = 50
"""Floats that a paragraph may go on behind."""
_FLOATS = ("figure", "table", "footnote")


def joined(columns: Sequence[Sequence[Passage]]) -> list[Passage]:
    """All passages in reading order; a paragraph that goes on is one, after the floats that stand in between."""
    out: list[Passage] = []
    for column in columns:
        rest = list(column)
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
