"""Pictures with what is written in them and under them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seamline.parse.pdf.blocks import Passage
from seamline.parse.pdf.model import Box, Figure, Line, Page, Piece

CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|abb(?:ildung|\.)?|scheme|chart|plate|\uadf8\ub9bc|\u56f3|\u56fe)\s*[\dIVXA-Z]{1,4}(?:[.\-]\d+)*\s*[:.|)\u2014-]?",
    re.IGNORECASE,
)
_SMALLEST = 18.0
"""Pictures smaller than this are ornaments."""
_LARGEST = 0.85
"""A picture that covers more of the page than this is its background."""
_LABEL = 0.95
"""What is written in a picture is smaller than the text; larger text stands on a background."""
_MOST = 300
_LABELS = 12
"""Lines between a picture and its caption that are of the picture."""


def pictures(page: Page, lines: Sequence[Line], size: float) -> list[Figure]:
    """The pictures of a page that no text stands on."""
    area = page.width * page.height
    whole = Box(0, 0, page.width, page.height)
    out: list[Figure] = []
    for image in page.images[:_MOST]:
        box = Box(*map(max, image[:2], whole[:2]), *map(min, image[2:], whole[2:]))
        if min(box.width, box.height) < _SMALLEST or box.width * box.height > _LARGEST * area:
            continue
        inside = [line for line in lines if box.holds((line.left + line.right) / 2, (line.top + line.bottom) / 2)]
        if not any(line.size >= _LABEL * size for line in inside):
            out.append(Figure(page.number, box, []))
    return out


def gathered(column: Sequence[Piece], size: float) -> list[Piece]:
    """A column with pictures that lie close as one, and with the labels in them and before their captions."""
    out: list[Piece] = []
    labels: list[Line] = []
    for piece in column:
        last = out[-1] if out else None
        if not isinstance(last, Figure):
            out.append(piece)
            continue
        if isinstance(piece, Figure) and piece.box.top < last.box.bottom + 2 * size:
            out[-1] = Figure(last.page, last.box.around(piece.box), [*last.lines, *labels, *piece.lines])
            labels = []
        elif isinstance(piece, Line) and piece.size < _LABEL * size and not CAPTION.match(piece.text) and len(labels) < _LABELS:
            labels.append(piece)
        else:
            _settle(out, labels, is_caption=isinstance(piece, Line) and bool(CAPTION.match(piece.text)))
            labels = []
            out.append(piece)
    _settle(out, labels, is_caption=False)
    return out


def _settle(out: list[Piece], labels: list[Line], *, is_caption: bool) -> None:
    """Small lines after a picture: its labels where they stand in it or before its caption, else text."""
    last = out[-1] if out else None
    for index, line in enumerate(labels):
        if isinstance(last, Figure) and (is_caption or line.top < last.box.bottom):
            last.lines.append(line)
        else:
            out += labels[index:]
            return


def captioned(passages: Sequence[Passage]) -> list[Passage]:
    """Passages with every caption in the figure next to it; a caption without a picture is a figure by itself."""
    out: list[Passage] = []
    for one in passages:
        if one.kind != "paragraph" or not CAPTION.match(one.text) or _is_prose(one):
            out.append(one)
            continue
        last = out[-1] if out else None
        if last is not None and last.kind == "figure" and last.page == one.page and last.label == "":
            out[-1] = Passage("figure", [*one.lines, *last.lines], label="captioned", figure=last.figure)
        else:
            out.append(Passage("figure", one.lines, label="captioned", figure=None))
    return out


def _is_prose(one: Passage) -> bool:
    """Whether a paragraph only begins with the name of a figure: "Figure 3 shows ..."."""
    found = CAPTION.match(one.text)
    if found is None:
        return True
    follows = one.text[found.end() :].lstrip()
    return found.group()[-1] not in ":.|)\u2014-" and follows[:1].islower()
