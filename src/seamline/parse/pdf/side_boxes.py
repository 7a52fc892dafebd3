"""Boxes beside the text: what stands in a frame or on a ground of its own is read as a whole, not across.

A box comes after the paragraph that stands beside its top, so that it parts no sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

from seamline.parse.pdf.figures import find_frames
from seamline.parse.pdf.model import Box, PdfPassage, TextLine, box_around, line_of
from seamline.parse.pdf.tables import RuleStroke, find_strokes

_LARGEST = 0.6
"""A frame that covers more of the page is the page's own."""
_MOST = 40
"""Frames of a page that are looked at: more are cells."""
_LINES = 2
"""Lines that a box holds at least."""
_EDGE = 6.0
"""Lines that are nearer to the edge of a frame are its edge."""
_BESIDE = 0.5
"""Text is beside a box where it shares this part of its height with it."""


def take_side_boxes(
    lines: Sequence[TextLine], rules: Sequence[Box], area: float
) -> tuple[list[list[TextLine]], list[TextLine]]:
    """The lines of every box with text beside it, and the lines without them. `area` is that of the page."""
    rest = list(lines)
    boxes: list[list[TextLine]] = []
    frames = find_frames(rules)
    if not 0 < len(frames) <= _MOST:
        return boxes, rest
    across, down = find_strokes(rules)
    for frame in frames:
        if frame.width * frame.height > _LARGEST * area or _is_grid(frame, across, down):
            continue
        inside, outside = _part_lines(rest, frame)
        if len(inside) >= _LINES and any(_is_beside(line, frame) for line in outside):
            boxes.append(inside)
            rest = outside
    return boxes, rest


def _is_grid(frame: Box, across: Sequence[RuleStroke], down: Sequence[RuleStroke]) -> bool:
    """Whether lines inside a frame make cells of it; one line across may be under its title."""
    if any(
        frame.left + _EDGE < line.at < frame.right - _EDGE and _shared(line, frame.top, frame.bottom) > _EDGE
        for line in down
    ):
        return True
    rows = [
        line
        for line in across
        if frame.top + _EDGE < line.at < frame.bottom - _EDGE
        and _shared(line, frame.left, frame.right) > 0.5 * frame.width
    ]
    return len(rows) > 1


def _shared(line: RuleStroke, low: float, high: float) -> float:
    return min(line.high, high) - max(line.low, low)


def _part_lines(lines: Sequence[TextLine], frame: Box) -> tuple[list[TextLine], list[TextLine]]:
    """Lines inside a frame and outside; one that runs over its edge is parted there."""
    inside: list[TextLine] = []
    outside: list[TextLine] = []
    for line in lines:
        if line.bottom < frame.top or line.top > frame.bottom or line.right < frame.left or line.left > frame.right:
            outside.append(line)
            continue
        held = [frame.holds((word.left + word.right) / 2, (word.top + word.bottom) / 2) for word in line.words]
        if all(held):
            inside.append(line)
        elif not any(held):
            outside.append(line)
        else:
            for target, wanted in ((inside, True), (outside, False)):
                words = [word for word, is_in in zip(line.words, held, strict=True) if is_in == wanted]
                words[0] = words[0]._replace(glued=False)
                target.append(line_of(line.page, words, line.turn, backward=line.backward))
    return inside, outside


def _is_beside(line: TextLine, frame: Box) -> bool:
    shared = min(line.bottom, frame.bottom) - max(line.top, frame.top)
    return shared > _BESIDE * line.height


def insert_asides(columns: list[list[PdfPassage]], asides: Sequence[Sequence[PdfPassage]]) -> list[list[PdfPassage]]:
    """The passages of a page with each box after the one that stands beside its top, in the column next to it."""
    for own in asides:
        if not own:
            continue
        box = box_around([line for one in own for line in one.lines])
        column = min(columns, key=lambda one: _distance(one, box), default=None)
        if column is None:
            columns.append(list(own))
            continue
        at = next((i for i, one in enumerate(column) if not one.aside and _top(one) >= box.top - 1), len(column))
        column[at:at] = own
    return columns


def _distance(column: Sequence[PdfPassage], box: Box) -> float:
    """How far a column is from a box: 0 where it stands beside it or around it."""
    spans = [_box(one) for one in column if not one.aside]
    if not spans:
        return float("inf")
    whole = box_around(spans)
    across = max(whole.left - box.right, box.left - whole.right, 0.0)
    return across + max(whole.top - box.bottom, box.top - whole.bottom, 0.0)


def _box(one: PdfPassage) -> Box:
    if one.table is not None:
        return one.table.box
    return one.figure.box if one.figure is not None and not one.lines else one.box


def _top(one: PdfPassage) -> float:
    return _box(one).top
