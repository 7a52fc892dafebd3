"""Pictures with what is written in them and under them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seamline.parse.pdf.blocks import Passage
from seamline.parse.pdf.model import Box, Figure, Line, Page, Piece
from seamline.parse.pdf.ruled import strokes

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
_MOST = 200
_SIDE = 40.0
"""The sides of a frame are at least so long."""
_ROUND = 12.0
"""Its corners may be as round as this."""
_LABELS = 12
"""Lines between a picture and its caption that are of the picture."""


def pictures(page: Page, lines: Sequence[Line], size: float) -> tuple[list[Figure], list[Line]]:
    """The pictures of a page that no text stands on, and the lines without those in a picture's frame."""
    area = page.width * page.height
    whole = Box(0, 0, page.width, page.height)
    frames = _frames(page.rules)
    boxes: list[Box] = []
    for image in page.images[:_MOST]:
        box = Box(*map(max, image[:2], whole[:2]), *map(min, image[2:], whole[2:]))
        if min(box.width, box.height) < _SMALLEST or box.width * box.height > _LARGEST * area:
            continue
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        box = next((frame for frame in frames if frame.holds(x, y)), box)
        if box not in boxes and not any(line.size >= _LABEL * size for line in lines if _is_in(line, box)):
            boxes.append(box)
    rest = list(lines)
    out: list[Figure] = []
    for box in boxes:
        inside = [line for line in rest if _is_in(line, box)]
        held = set(map(id, inside))
        rest = [line for line in rest if id(line) not in held]
        out.append(Figure(page.number, box, sorted(inside, key=lambda line: (line.top, line.left))))
    return out, rest


def _is_in(line: Line, box: Box) -> bool:
    return box.holds((line.left + line.right) / 2, (line.top + line.bottom) / 2)


def _frames(rules: Sequence[Box]) -> list[Box]:
    """Boxes drawn around something; their corners may be round."""
    across, down = ([one for one in own if one.high - one.low > _SIDE] for own in strokes(rules))
    if max(len(across), len(down)) > _MOST:
        return []
    out: list[Box] = []
    for i, left in enumerate(down):
        for right in down[i + 1 :]:
            if abs(left.low - right.low) > _ROUND or abs(left.high - right.high) > _ROUND or right.at - left.at < _SIDE:
                continue
            ends = [one.at for one in across if abs(one.low - left.at) < _ROUND and abs(one.high - right.at) < _ROUND]
            top = [at for at in ends if abs(at - left.low) < _ROUND]
            bottom = [at for at in ends if abs(at - left.high) < _ROUND]
            if top and bottom:
                out.append(Box(left.at, min(top), right.at, max(bottom)))
    return sorted(out, key=lambda box: box.width * box.height)


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
        elif (
            isinstance(piece, Line)
            and piece.size < _LABEL * size
            and not CAPTION.match(piece.text)
            and len(labels) < _LABELS
        ):
            labels.append(piece)
        else:
            if isinstance(piece, Line) and CAPTION.match(piece.text):
                last.lines.extend(labels)
            else:
                out += labels
            labels = []
            out.append(piece)
    return [*out, *labels]


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
