"""A column's pieces -> paragraphs, items, code, tables and figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from seamline.parse.pdf.blocks import Passage
from seamline.parse.pdf.model import Figure, Line, Piece, Table, line_of

_BULLET = re.compile(
    "[\u2022\u2023\u25e6\u25aa\u25ab\u25a0\u25a1\u25cf\u25cb\u2219\u27a2\u2756\u2713\u2610\u2611\ufffd\u25fe\u25e6\u2043\uf0b7*-]|[\u2013\u2014]"
)
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-z]|[ivx]{2,4})[.)]")
_ENDS = re.compile(r"[.!?:;\u3002][\"'\u201d\u2019)\]]*$")
_CODE = 0.8
"""A line is code where this share of its characters is."""
_SIGN = re.compile(r"[{}()\[\]<>;=_/#$&|\\]")
_SIGNS = 0.03
"""Share of characters that code is full of; prose has a few brackets."""
_LEADING = 1.35
"""Lines of a paragraph are no further apart than this, beside what is usual in their column."""


class _Column:
    """What is usual in a column: how far its lines reach, and how far they are apart."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        lines = [piece for piece in pieces if isinstance(piece, Line)]
        self.left = min((piece.box.left for piece in pieces), default=0.0)
        self.right = max((piece.box.right for piece in pieces), default=0.0)
        steps: dict[float, list[float]] = {}
        for above, below in pairwise(lines):
            step = below.base - above.base
            if above.size == below.size and 0 < step < 3 * below.size:
                steps.setdefault(below.size, []).append(step)
        self._steps = {size: median(own) for size, own in steps.items()}

    def step(self, size: float) -> float:
        """From one line to the next of a size."""
        return min(self._steps.get(size, 1.25 * size), 1.8 * size)


def is_typed(lines: Sequence[Line]) -> bool:
    """Whether a document is prose in a font of fixed width, as from a typewriter, and not code in one."""
    mono = total = signs = 0
    for line in lines:
        for word in line.words:
            total += len(word.text)
            mono += len(word.text) if word.style.mono else 0
            signs += len(_SIGN.findall(word.text))
    return mono > _CODE * total and signs < _SIGNS * total


def passages(pieces: Sequence[Piece], *, typed: bool = False) -> list[Passage]:
    """The blocks of a column; where all text is `typed`, a fixed width says nothing."""
    column = _Column(pieces)
    out: list[Passage] = []
    bottom = float("-inf")
    for piece in pieces:
        box = piece.box
        if isinstance(piece, Table):
            out.append(Passage("table", table=piece))
        elif isinstance(piece, Figure):
            out.append(Passage("figure", list(piece.lines), figure=piece))
        else:
            _add(out, piece, column, box.top - bottom, typed=typed)
        bottom = box.bottom
    _measure(out, column)
    return out


def _measure(out: Sequence[Passage], column: _Column) -> None:
    """Whether text starts further in than its column, and reaches its end."""
    for one in out:
        if one.kind not in ("paragraph", "item"):
            continue
        first, last = one.lines[0], one.lines[-1]
        if last.backward:
            one.full = last.left - column.left < 3 * last.size
        else:
            one.full = column.right - last.right < 3 * last.size
        one.indented = not first.backward and len(one.lines) > 1 and first.left > one.lines[1].left + 0.7 * first.size


def _add(out: list[Passage], line: Line, column: _Column, gap: float, *, typed: bool) -> None:
    """Put a line to the block it continues, or open another."""
    last = out[-1] if out else None
    if not typed and line.share("mono") > _CODE:
        if last is not None and last.kind == "code" and gap < 2 * line.size:
            last.lines.append(line)
        else:
            out.append(Passage("code", [line], gap=gap))
        return
    fresh = last is None or last.kind not in ("paragraph", "item") or _is_new(last, line, column)
    mark = _mark(line, fresh=fresh or (last is not None and last.kind == "item"))
    if mark:
        out.append(_item(line, mark, gap))
    elif fresh or last is None:
        out.append(Passage("paragraph", [line], gap=gap))
    else:
        last.lines.append(line)


def _mark(line: Line, *, fresh: bool) -> str:
    """The mark of a list that a line starts with; numbers only where a block may start."""
    if len(line.words) < 2 or line.words[1].glued:
        return ""
    first = line.words[0].text
    if _BULLET.fullmatch(first) or (fresh and _NUMBER.fullmatch(first)):
        return first
    return ""


def _item(line: Line, mark: str, gap: float) -> Passage:
    words = [line.words[1]._replace(glued=False), *line.words[2:]]
    rest = line_of(line.page, words, line.turn, backward=line.backward)
    return Passage("item", [rest], label=mark, mark=line.words[0], indent=line.left, gap=gap)


def _is_new(last: Passage, line: Line, column: _Column) -> bool:
    """Whether a line opens a block, and does not continue the last."""
    above = last.lines[-1]
    if above.page != line.page or abs(above.size - line.size) > 0.08 * above.size:
        return True
    step = column.step(line.size)
    if not 0 < line.base - above.base < _LEADING * step:
        return True
    if _differs(last, line):
        return True
    if line.backward:
        return _would_fit(above, line, above.left - column.left, column)
    if last.kind == "item":
        if line.left < last.lines[0].left - 0.7 * line.size and line.left <= last.indent + 0.5 * line.size:
            return True
        return _would_fit(above, line, column.right - above.right, column)
    is_in = line.left > above.left + 0.8 * line.size and not (len(last.lines) == 1 and above.left < line.left)
    is_out = len(last.lines) > 1 and line.left < above.left - 0.8 * line.size
    return is_in or _indents(last, line) or is_out or _would_fit(above, line, column.right - above.right, column)


def _indents(last: Passage, line: Line) -> bool:
    """Whether a line is set in as a first line is, after a line that starts at the margin."""
    above = last.lines[-1]
    return 0.8 * line.size < line.left - above.left < 4 * line.size


def _differs(last: Passage, line: Line) -> bool:
    """Whether a line is bold or of a font that the last is not: a heading and its text."""
    above = last.lines[-1]
    if abs(above.share("bold") - line.share("bold")) > 0.9 or abs(above.share("italic") - line.share("italic")) > 0.95:
        return True
    return len(last.lines) == 1 and "" != above.font != line.font != ""


def _would_fit(above: Line, line: Line, room: float, column: _Column) -> bool:
    """Whether the first word of a line had room on the line above: somebody ended that line.

    A line that goes on in the middle of a sentence is believed to end there only where it is really short.
    """
    first = line.words[0]
    if first.text[:1].islower() and not _ENDS.search(above.words[-1].text) and abs(above.left - line.left) < line.size:
        return room > 0.4 * (column.right - column.left)
    return room > first.right - first.left + line.size
