"""What is drawn on a page beside text: pictures with what is written in and under them, and lines that rule tables."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from seamline.parse.pdf.library import calls, shapes_of
from seamline.parse.pdf.model import Box, PagePiece, PdfFigure, PdfPage, PdfPassage, TextLine, box_around, turn_box
from seamline.parse.pdf.tables import find_strokes
from seamline.parse.pdf.text import PageGeometry

_PATH, _IMAGE, _FORM = 2, 3, 5
_MOST = 20_000
"""Objects of a page that are looked at."""
_SEGMENTS = 400
"""Segments of a path that are looked at: a grid may be one path, a map may be, too."""
_BOX = 6
"""Segments of a small path that are looked at: those of a box."""
_GRID = 60.0
"""A path must be this long to be a grid by itself."""
_CLIPS = 20
"""Paths that clip a picture."""
_DEEPEST = 4
"""Drawings inside drawings."""
_THIN = 2.0
"""A shape that is thinner is a line."""
_SHORT = 8.0
"""Lines shorter than this rule nothing."""

Matrix = tuple[float, float, float, float, float, float]
_PLAIN: Matrix = (1, 0, 0, 1, 0, 0)


class PageShapes(NamedTuple):
    rules: list[Box]
    """Thin and straight, along the page or across."""
    images: list[Box]
    is_whole: bool
    """Whether everything was looked at."""


def read_shapes(page: Any, geometry: PageGeometry) -> PageShapes:
    """The straight lines and pictures of a page, in points from the top left corner as shown."""
    rules: list[Box] = []
    images: list[Box] = []
    seen = 0
    for kind, shape, matrix in _objects(page):
        seen += 1
        if seen > _MOST:
            break
        if kind == _IMAGE:
            images.append(_box_as_shown(_clip_box(shape, _bounds(shape, matrix), matrix), geometry))
        elif kind == _PATH:
            rules += [_box_as_shown(box, geometry) for box in _lines(shape, matrix)]
    rules = [rule for rule in rules if not _is_edge(rule, geometry)]
    return PageShapes(rules, [box for box in images if box.width > 1 and box.height > 1], seen <= _MOST)


def _is_edge(rule: Box, geometry: PageGeometry) -> bool:
    """Whether a line is the edge of the page itself."""
    if rule.width > rule.height:
        return rule.width > 0.97 * geometry.width or rule.bottom < 1 or rule.top > geometry.height - 1
    return rule.height > 0.97 * geometry.height or rule.right < 1 or rule.left > geometry.width - 1


def _objects(page: Any) -> Iterator[tuple[int, Any, Matrix]]:
    """All objects but text, and how those inside of drawings are moved and scaled."""
    import pypdfium2.raw as raw

    count = min(raw.FPDFPage_CountObjects(page), _MOST)
    for kind, address in shapes_of(page, count):
        shape = ctypes.cast(address, raw.FPDF_PAGEOBJECT)
        yield kind, shape, _PLAIN
        if kind == _FORM:
            yield from _inside(shape)


def _inside(form: Any) -> Iterator[tuple[int, Any, Matrix]]:
    """The objects of a drawing, and of drawings in it."""
    import pypdfium2.raw as raw

    stack: list[tuple[Any, int, Matrix, int]] = [(form, 0, _matrix(form), 0)]
    while stack:
        form, index, matrix, depth = stack.pop()
        if index >= raw.FPDFFormObj_CountObjects(form):
            continue
        stack.append((form, index + 1, matrix, depth))
        shape = raw.FPDFFormObj_GetObject(form, index)
        if not shape:
            continue
        kind = raw.FPDFPageObj_GetType(shape)
        if kind == _FORM and depth < _DEEPEST:
            stack.append((shape, 0, _product(_matrix(shape), matrix), depth + 1))
        yield kind, shape, matrix


def _matrix(shape: Any) -> Matrix:
    import pypdfium2.raw as raw

    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(shape, matrix):
        return _PLAIN
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _product(first: Matrix, then: Matrix) -> Matrix:
    if first == _PLAIN:
        return then
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _move_box(box: Box, matrix: Matrix) -> Box:
    """A box of content that is drawn through a matrix."""
    if matrix == _PLAIN:
        return box
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in (box.left, box.right) for y in (box.top, box.bottom)]
    ys = [b * x + d * y + f for x in (box.left, box.right) for y in (box.top, box.bottom)]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _bounds(shape: Any, matrix: Matrix) -> Box:
    """The box of an object in the coordinates of the content."""
    sides = (ctypes.c_float * 4)()
    at = ctypes.addressof(sides)
    calls().bounds(ctypes.cast(shape, ctypes.c_void_p).value, at, at + 4, at + 8, at + 12)
    return _move_box(Box(*sides), matrix)


def _clip_box(shape: Any, box: Box, matrix: Matrix) -> Box:
    """What is seen of a picture through the paths it is clipped by."""
    import pypdfium2.raw as raw

    clip = raw.FPDFPageObj_GetClipPath(shape)
    x, y = ctypes.c_float(), ctypes.c_float()
    for path in range(min(max(raw.FPDFClipPath_CountPaths(clip), 0), _CLIPS) if clip else 0):
        count = raw.FPDFClipPath_CountPathSegments(clip, path)
        points: list[tuple[float, float]] = []
        for index in range(min(count, _SEGMENTS)):
            raw.FPDFPathSegment_GetPoint(raw.FPDFClipPath_GetPathSegment(clip, path, index), x, y)
            points.append((x.value, y.value))
        if points and count <= _SEGMENTS:
            xs, ys = [point[0] for point in points], [point[1] for point in points]
            seen = _move_box(Box(min(xs), min(ys), max(xs), max(ys)), matrix)
            box = box.within(seen)
    return box


def _box_as_shown(box: Box, geometry: PageGeometry) -> Box:
    """A box of the content on the page as shown."""
    left, bottom, right, top, turn = geometry
    upright = Box(box.left - left, top - box.bottom, box.right - left, top - box.top)
    return turn_box(upright, turn, right - left, top - bottom)


def _lines(shape: Any, matrix: Matrix) -> list[Box]:
    """The straight lines of a path: itself where it is thin, else its segments along and across the page."""
    import pypdfium2.raw as raw

    box = _bounds(shape, matrix)
    if box.width < _THIN or box.height < _THIN:
        return [box] if max(box.width, box.height) >= _SHORT else []
    count = raw.FPDFPath_CountSegments(shape)
    if not 1 < count <= (_SEGMENTS if max(box.width, box.height) > _GRID else _BOX):
        return []
    matrix = _product(_matrix(shape), matrix)
    return [line for line in _segments(shape, count, matrix) if max(line.width, line.height) >= _SHORT]


def _segments(shape: Any, count: int, matrix: Matrix) -> Iterator[Box]:
    import pypdfium2.raw as raw

    x, y = ctypes.c_float(), ctypes.c_float()
    first = last = (0.0, 0.0)
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(shape, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = (x.value, y.value)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            first = point
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield from _straight(last, point, matrix)
        if raw.FPDFPathSegment_GetClose(segment):
            yield from _straight(point, first, matrix)
        last = point


def _straight(start: tuple[float, float], end: tuple[float, float], matrix: Matrix) -> Iterator[Box]:
    """The line between two points, where it runs along the page or across."""
    if abs(start[0] - end[0]) < 0.5 or abs(start[1] - end[1]) < 0.5:
        ends = Box(min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))
        yield _move_box(ends, matrix)


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
_MOST_FIGURES = 200
_SIDE = 40.0
"""The sides of a frame are at least so long."""
_ROUND = 12.0
"""Its corners may be as round as this."""
_LABELS = 12
"""Lines between a picture and its caption that are of the picture."""


def find_pictures(page: PdfPage, lines: Sequence[TextLine], size: float) -> tuple[list[PdfFigure], list[TextLine]]:
    """The pictures of a page that no text stands on, and the lines without those in a picture's frame."""
    area = page.width * page.height
    whole = Box(0, 0, page.width, page.height)
    frames = find_frames(page.rules)
    boxes: list[Box] = []
    for image in page.images[:_MOST_FIGURES]:
        box = image.within(whole)
        if min(box.width, box.height) < _SMALLEST or box.width * box.height > _LARGEST * area:
            continue
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        box = next((frame for frame in frames if frame.holds(x, y)), box)
        if box not in boxes and not any(line.size >= _LABEL * size for line in lines if _is_in(line, box)):
            boxes.append(box)
    rest = list(lines)
    out: list[PdfFigure] = []
    for box in boxes:
        inside = [line for line in rest if _is_in(line, box)]
        held = set(map(id, inside))
        rest = [line for line in rest if id(line) not in held]
        out.append(PdfFigure(page.number, box, sorted(inside, key=lambda line: (line.top, line.left))))
    return out, rest


def _is_in(line: TextLine, box: Box) -> bool:
    return box.holds((line.left + line.right) / 2, (line.top + line.bottom) / 2)


def find_frames(rules: Sequence[Box]) -> list[Box]:
    """Boxes drawn around something; their corners may be round."""
    across, down = ([one for one in own if one.high - one.low > _SIDE] for own in find_strokes(rules))
    if max(len(across), len(down)) > _MOST_FIGURES:
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


def gather_pictures(column: Sequence[PagePiece], size: float) -> list[PagePiece]:
    """A column with pictures that lie close as one, and with the labels in them and before their captions."""
    out: list[PagePiece] = []
    labels: list[TextLine] = []
    for piece in column:
        last = out[-1] if out else None
        if not isinstance(last, PdfFigure):
            out.append(piece)
            continue
        if isinstance(piece, PdfFigure) and piece.box.top < last.box.bottom + 2 * size:
            out[-1] = PdfFigure(last.page, box_around([last.box, piece.box]), [*last.lines, *labels, *piece.lines])
            labels = []
        elif (
            isinstance(piece, TextLine)
            and piece.size < _LABEL * size
            and not CAPTION.match(piece.text)
            and len(labels) < _LABELS
        ):
            labels.append(piece)
        else:
            if isinstance(piece, TextLine) and CAPTION.match(piece.text):
                last.lines.extend(labels)
            else:
                out += labels
            labels = []
            out.append(piece)
    return [*out, *labels]


def attach_captions(passages: Sequence[PdfPassage]) -> list[PdfPassage]:
    """Passages with every caption in the figure next to it; a caption without a picture is a figure by itself."""
    out: list[PdfPassage] = []
    for one in passages:
        if one.kind != "paragraph" or not CAPTION.match(one.text) or _is_prose(one):
            out.append(one)
            continue
        last = out[-1] if out else None
        if last is not None and last.kind == "figure" and last.page == one.page and last.label == "":
            out[-1] = PdfPassage("figure", [*one.lines, *last.lines], label="captioned", figure=last.figure)
        else:
            out.append(PdfPassage("figure", one.lines, label="captioned", figure=None))
    return out


def _is_prose(one: PdfPassage) -> bool:
    """Whether a paragraph only begins with the name of a figure: "Figure 3 shows ..."."""
    found = CAPTION.match(one.text)
    if found is None:
        return True
    follows = one.text[found.end() :].lstrip()
    return found.group()[-1] not in ":.|)\u2014-" and follows[:1].islower()
