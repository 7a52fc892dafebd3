"""What is drawn on a page beside text: pictures, and the straight lines that tables are ruled with."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

from seamline.parse.pdf.glyphs import Geometry
from seamline.parse.pdf.library import calls, shapes_of
from seamline.parse.pdf.model import Box, turned

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


class Shapes(NamedTuple):
    rules: list[Box]
    """Thin and straight, along the page or across."""
    images: list[Box]
    is_whole: bool
    """Whether everything was looked at."""


def shapes(page: Any, geometry: Geometry) -> Shapes:
    """The straight lines and pictures of a page, in points from the top left corner as shown."""
    rules: list[Box] = []
    images: list[Box] = []
    seen = 0
    for kind, shape, matrix in _objects(page):
        seen += 1
        if seen > _MOST:
            break
        if kind == _IMAGE:
            images.append(_shown(_clipped(shape, _bounds(shape, matrix), matrix), geometry))
        elif kind == _PATH:
            rules += [_shown(box, geometry) for box in _lines(shape, matrix)]
    rules = [rule for rule in rules if not _is_edge(rule, geometry)]
    return Shapes(rules, [box for box in images if box.width > 1 and box.height > 1], seen <= _MOST)


def _is_edge(rule: Box, geometry: Geometry) -> bool:
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


def _moved(box: Box, matrix: Matrix) -> Box:
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
    return _moved(Box(*sides), matrix)


def _clipped(shape: Any, box: Box, matrix: Matrix) -> Box:
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
            seen = _moved(Box(min(xs), min(ys), max(xs), max(ys)), matrix)
            box = Box(*map(max, box[:2], seen[:2]), *map(min, box[2:], seen[2:]))
    return box


def _shown(box: Box, geometry: Geometry) -> Box:
    """A box of the content on the page as shown."""
    left, bottom, right, top, turn = geometry
    upright = Box(box.left - left, top - box.bottom, box.right - left, top - box.top)
    return turned(upright, turn, right - left, top - bottom)


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
        yield _moved(ends, matrix)
