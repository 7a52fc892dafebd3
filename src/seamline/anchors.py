"""Where runs of a document's text stand in its source: page and box, sheet and row, time, slide, element.

A parser says so once for each run it reads; what is true of any span follows from the runs it touches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from seamline.types import Block

_NUMBERS = {"page": "pages", "slide": "slides", "row": "rows", "record": "records"}
"""A number of each run -> the first and the last of a span."""
_EXTENTS = ("time", "sent", "source", "lines")
"""A pair of each run -> the least and the greatest of a span."""
_NAMES = {
    "sheet": "sheets",
    "speaker": "speakers",
    "paragraph": "paragraphs",
    "element": "elements",
    "part": "parts",
    "keyframe": "keyframes",
}
"""A name of each run -> the names of a span, in order, each once; the first of them also by itself."""
_ONE_BLOCK = 0.6
"""Lines of one block are no further apart than this part of their height."""


class Anchor(NamedTuple):
    """One run of the text, and where it stands."""

    start: int
    end: int
    place: Mapping[str, Any]
    """Any of `page` and `box` (left, top, right, bottom in points from the top left corner of the page) with `edges`
    (where each character begins, from left to right, and the last ends), `slide`, `sheet`, `row` and `record` (from 1),
    `time` (seconds from, to), `sent` (ISO 8601, twice), `keyframe` (seconds at which the scene starts), `speaker`,
    `paragraph` (a path in the source), `element` (an id), `part` (a file inside the file), `source` (code points of the
    decoded source), `lines` (of the source, from 1)."""


class Anchors(Sequence[Anchor]):
    """The runs of a document, ascending and apart."""

    def __init__(self, runs: Iterable[Anchor]) -> None:
        self._runs = list(runs)
        self._starts = [run.start for run in self._runs]

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, index: Any) -> Any:
        return self._runs[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Anchors) and self._runs == other._runs

    __hash__ = None  # type: ignore[assignment]  # a list inside

    def runs_in(self, start: int, end: int) -> Iterator[Anchor]:
        """The runs that share a character with a span."""
        for index in range(max(bisect_right(self._starts, start) - 1, 0), len(self._runs)):
            run = self._runs[index]
            if run.start >= end:
                break
            if run.end > start:
                yield run

    def _around(self, start: int) -> list[Anchor]:
        """The run before a place that is in none, without its box: such a place is on the same page."""
        if not self._runs:
            return []
        run = self._runs[max(bisect_right(self._starts, start) - 1, 0)]
        return [run._replace(place={key: value for key, value in run.place.items() if key not in ("box", "edges")})]

    def at(self, start: int, end: int) -> dict[str, Any]:
        """All that is known of where a span stands, as plain JSON values."""
        out: dict[str, Any] = {}
        boxes: list[_Box] = []
        rows: dict[str, list[int]] = {}
        lines: dict[str, list[int]] = {}
        for run in list(self.runs_in(start, end)) or self._around(start):
            place = run.place
            for key, name in _NUMBERS.items():
                if key in place:
                    _widen(out, name, place[key], place[key])
            for name in _EXTENTS:
                if name in place:
                    _widen(out, name, *place[name])
            for key, name in _NAMES.items():
                if key in place and place[key] not in out.setdefault(name, []):
                    out[name].append(place[key])
            if "sheet" in place and "row" in place:
                _widen(rows, place["sheet"], place["row"], place["row"])
            if "part" in place and "lines" in place:
                _widen(lines, place["part"], *place["lines"])
            if "box" in place:
                boxes.append(_box(run, start, end))
        if len(lines) > 1:  # lines of several files make no range
            out["lines"] = next(iter(lines.values()))
            out["part_lines"] = [[part, *ends] for part, ends in lines.items()]
        return _summarize(out, boxes, rows)


class _Box(NamedTuple):
    page: int
    left: float
    top: float
    right: float
    bottom: float
    whole: bool
    """Whether it is a whole line, and not the part of one that a span begins or ends in."""


def _summarize(out: dict[str, Any], boxes: list[_Box], rows: Mapping[str, list[int]]) -> dict[str, Any]:
    if len(rows) > 1:  # rows of several sheets make no range
        out["rows"] = next(iter(rows.values()))
        out["sheet_rows"] = [[sheet, *ends] for sheet, ends in rows.items()]
    for key, name in _NAMES.items():
        if name in out:
            out[key] = out[name][0]
            if len(out[name]) == 1:
                del out[name]
    for key, name in _NUMBERS.items():
        if name in out:
            out[key] = out[name][0]
    if boxes:
        out["boxes"] = [[box.page, *(round(edge, 2) for edge in box[1:5])] for box in _join_boxes(boxes)]
    return out


def _widen(out: dict[str, Any], name: str, low: Any, high: Any) -> None:
    known = out.get(name)
    out[name] = [low, high] if known is None else [min(known[0], low), max(known[1], high)]


def _box(run: Anchor, start: int, end: int) -> _Box:
    """The box of the part of a run that a span holds."""
    left, top, right, bottom = run.place["box"]
    edges = run.place.get("edges")
    low, high = max(start, run.start) - run.start, min(end, run.end) - run.start
    whole = low <= 0 and high >= run.end - run.start
    if edges is not None and not whole and 0 <= low < high < len(edges):
        left, right = edges[low], edges[high]
    return _Box(run.place["page"], left, top, right, bottom, whole)


def _join_boxes(boxes: Sequence[_Box]) -> list[_Box]:
    """Boxes of lines under each other as one: a paragraph is a rectangle, and what is cut off a line stays apart."""
    out: list[_Box] = []
    for box in boxes:
        if out and _continues(out[-1], box):
            last = out[-1]
            edges = min(last.left, box.left), last.top, max(last.right, box.right), max(last.bottom, box.bottom)
            out[-1] = _Box(last.page, *edges, whole=True)
        elif not out or box[:5] != out[-1][:5]:
            out.append(box)
    return out


def _continues(above: _Box, below: _Box) -> bool:
    if not (above.whole and below.whole and above.page == below.page):
        return False
    height = below.bottom - below.top
    overlap = min(above.right, below.right) - max(above.left, below.left)
    narrow = min(above.right - above.left, below.right - below.left)
    return -height <= below.top - above.bottom <= _ONE_BLOCK * height and below.top > above.top and overlap > narrow / 2


class _RecordRuns(Sequence[Anchor]):
    """One run for each row, with its number."""

    def __init__(self, rows: Sequence[Block], numbers: Sequence[int]) -> None:
        self._rows = rows
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        row = self._rows[index]
        number = self._numbers[index]
        return Anchor(row.start, row.end, {"record": number} if number else {})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # lists inside


class RecordAnchors(Anchors):
    """Anchors of rows whose only place is their number; a row of number 0, a header, has none.

    Places are worked out when asked for: a dictionary for each of a million rows would outweigh the rows."""

    def __init__(self, rows: Sequence[Block], numbers: Sequence[int]) -> None:
        self._runs = _RecordRuns(rows, numbers)  # type: ignore[assignment]  # read in the same ways as a list
        self._starts = [row.start for row in rows]
