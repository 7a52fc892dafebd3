"""Small print at the foot of a column -> footnotes with their labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seamline.parse.pdf.blocks import Passage
from seamline.parse.pdf.model import Word, line_of

_SMALL = 0.93
"""Footnotes are smaller than the text, by at least this."""
_LABEL = re.compile(r"(\d{1,3}|[*\u2020\u2021\u00a7\u00b6]{1,3})[).:\]]?")
_LEAD = re.compile(r"(\d{1,3}|[*\u2020\u2021\u00a7\u00b6]{1,3})[).:\]]?(?=[^\W\d_])")


def footnotes(column: Sequence[Passage], size: float, height: float) -> list[Passage]:
    """A column whose small print at its end, from the first label on, are footnotes; `height` is that of the page."""
    first = _start(column, size, height)
    if first is None:
        return list(column)
    out = list(column[:first])
    for one in column[first:]:
        parted = _parted(one)
        if parted is not None:
            out.append(parted)
        elif one.kind == "paragraph" and out[-1].kind == "footnote":
            out[-1].lines += one.lines
        else:
            out.append(one)
    return out


def _start(column: Sequence[Passage], size: float, height: float) -> int | None:
    """Where footnotes begin: after all text of full size, in the lower half of the page, with a label."""
    first = None
    for index in range(len(column) - 1, -1, -1):
        one = column[index]
        if one.kind in ("figure", "table"):
            continue
        if one.kind not in ("paragraph", "item") or one.size > _SMALL * size or one.box.top < 0.5 * height:
            break
        if _parted(one) is not None:
            first = index
    return first


def _parted(one: Passage) -> Passage | None:
    """A passage as a footnote: its label, and the rest; None where it has no label."""
    if one.kind == "item":
        found = _LABEL.fullmatch(one.label.strip("("))
        return Passage("footnote", one.lines, label=found[1], mark=one.mark) if found else None
    if one.kind != "paragraph":
        return None
    line = one.lines[0]
    word = line.words[0]
    mark = word
    if len(line.words) > 1 and (found := _LABEL.fullmatch(word.text)):
        words = [line.words[1]._replace(glued=False), *line.words[2:]]
    elif found := _LEAD.match(word.text):
        words = [_from(word, found.end()), *line.words[1:]]
        mark = word._replace(right=words[0].left)
    else:
        return None
    rest = line_of(line.page, words, line.turn, backward=line.backward)
    return Passage("footnote", [rest, *one.lines[1:]], label=found[1], mark=mark)


def _from(word: Word, start: int) -> Word:
    """A word without its first characters."""
    if word.edges is None:
        return word._replace(text=word.text[start:])
    return word._replace(text=word.text[start:], left=word.edges[start], edges=word.edges[start:])
