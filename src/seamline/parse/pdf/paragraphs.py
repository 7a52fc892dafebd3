"""The pieces of a column -> passages: paragraphs, items, code, tables, figures and footnotes.

Paragraphs and tables that go on in the next column or on the next page are joined; between two lines stands a space, or
nothing where a hyphen only broke a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from seamline.parse.pdf.model import Box, PagePiece, PdfFigure, PdfPassage, PdfTable, PdfWord, TextLine, line_of

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

    def __init__(self, pieces: Sequence[PagePiece], boxes: Sequence[Box] = ()) -> None:
        lines = [piece for piece in pieces if isinstance(piece, TextLine)]
        self.left = min((piece.box.left for piece in pieces), default=0.0)
        self.right = max((piece.box.right for piece in pieces), default=0.0)
        steps: dict[float, list[float]] = {}
        for above, below in pairwise(lines):
            step = below.base - above.base
            if above.size == below.size and 0 < step < 3 * below.size:
                steps.setdefault(below.size, []).append(step)
        self._steps = {size: median(own) for size, own in steps.items()}
        self._boxes = boxes

    def room(self, line: TextLine) -> float:
        """How much of the column is free after a line, up to a box that stands in it."""
        beside = [box for box in self._boxes if box.top < line.bottom and box.bottom > line.top]
        if line.backward:
            return line.left - max([self.left, *(box.right for box in beside if box.right <= line.left)])
        return min([self.right, *(box.left for box in beside if box.left >= line.right)]) - line.right

    def step(self, size: float) -> float:
        """From one line to the next of a size."""
        return min(self._steps.get(size, 1.25 * size), 1.8 * size)


def is_typed(lines: Sequence[TextLine]) -> bool:
    """Whether a document is prose in a font of fixed width, as from a typewriter, and not code in one."""
    mono = total = signs = 0
    for line in lines:
        for word in line.words:
            total += len(word.text)
            mono += len(word.text) if word.style.mono else 0
            signs += len(_SIGN.findall(word.text))
    return mono > _CODE * total and signs < _SIGNS * total


def read_passages(pieces: Sequence[PagePiece], *, typed: bool = False, boxes: Sequence[Box] = ()) -> list[PdfPassage]:
    """The blocks of a column; where all text is `typed`, a fixed width says nothing. Lines end at `boxes`."""
    column = _Column(pieces, boxes)
    out: list[PdfPassage] = []
    bottom = float("-inf")
    for piece in pieces:
        box = piece.box
        if isinstance(piece, PdfTable):
            out.append(PdfPassage("table", table=piece))
        elif isinstance(piece, PdfFigure):
            out.append(PdfPassage("figure", list(piece.lines), figure=piece))
        else:
            _add(out, piece, column, box.top - bottom, typed=typed)
        bottom = box.bottom
    _measure(out, column)
    return out


def _measure(out: Sequence[PdfPassage], column: _Column) -> None:
    """Whether text starts further in than its column, and reaches its end."""
    for one in out:
        if one.kind not in ("paragraph", "item"):
            continue
        first, last = one.lines[0], one.lines[-1]
        one.full = column.room(last) < 3 * last.size
        one.indented = not first.backward and len(one.lines) > 1 and first.left > one.lines[1].left + 0.7 * first.size


def _add(out: list[PdfPassage], line: TextLine, column: _Column, gap: float, *, typed: bool) -> None:
    """Put a line to the block it continues, or open another."""
    last = out[-1] if out else None
    if not typed and line.share("mono") > _CODE:
        if last is not None and last.kind == "code" and gap < 2 * line.size:
            last.lines.append(line)
        else:
            out.append(PdfPassage("code", [line], gap=gap))
        return
    fresh = last is None or last.kind not in ("paragraph", "item") or _is_new(last, line, column)
    mark = _mark(line, fresh=fresh or (last is not None and last.kind == "item"))
    if mark:
        out.append(_item(line, mark, gap))
    elif fresh or last is None:
        out.append(PdfPassage("paragraph", [line], gap=gap))
    else:
        last.lines.append(line)


def _mark(line: TextLine, *, fresh: bool) -> str:
    """The mark of a list that a line starts with; numbers only where a block may start."""
    if len(line.words) < 2 or line.words[1].glued:
        return ""
    first = line.words[0].text
    if _BULLET.fullmatch(first) or (fresh and _NUMBER.fullmatch(first)):
        return first
    return ""


def _item(line: TextLine, mark: str, gap: float) -> PdfPassage:
    words = [line.words[1]._replace(glued=False), *line.words[2:]]
    rest = line_of(line.page, words, line.turn, backward=line.backward)
    return PdfPassage("item", [rest], label=mark, mark=line.words[0], indent=line.left, gap=gap)


def _is_new(last: PdfPassage, line: TextLine, column: _Column) -> bool:
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
        return _would_fit(above, line, column.room(above), column)
    if last.kind == "item":
        if line.left < last.lines[0].left - 0.7 * line.size and line.left <= last.indent + 0.5 * line.size:
            return True
        return _would_fit(above, line, column.room(above), column)
    is_in = line.left > above.left + 0.8 * line.size and not (len(last.lines) == 1 and above.left < line.left)
    is_out = len(last.lines) > 1 and line.left < above.left - 0.8 * line.size
    return is_in or _is_indented(last, line) or is_out or _would_fit(above, line, column.room(above), column)


def _is_indented(last: PdfPassage, line: TextLine) -> bool:
    """Whether a line is set in as a first line is, after a line that starts at the margin."""
    above = last.lines[-1]
    return 0.8 * line.size < line.left - above.left < 4 * line.size


def _differs(last: PdfPassage, line: TextLine) -> bool:
    """Whether a line is bold or of a font that the last is not: a heading and its text."""
    above = last.lines[-1]
    if abs(above.share("bold") - line.share("bold")) > 0.9 or abs(above.share("italic") - line.share("italic")) > 0.95:
        return True
    return len(last.lines) == 1 and "" != above.font != line.font != ""


def _would_fit(above: TextLine, line: TextLine, room: float, column: _Column) -> bool:
    """Whether the first word of a line had room on the line above: somebody ended that line.

    A line that goes on in the middle of a sentence is believed to end there only where it is really short.
    """
    first = line.words[0]
    if first.text[:1].islower() and not _ENDS.search(above.words[-1].text) and abs(above.left - line.left) < line.size:
        return room > 0.4 * (column.right - column.left)
    return room > first.right - first.left + line.size


_SENTENCE_ENDS = re.compile("[.!?\u2026\u3002\uff01\uff1f\u061f:;][\"'\u201d\u2019)\\]\u300d]*$")
_FAR = 50
"""Floats that a paragraph may go on behind."""
_EDGES = 6
"""Points by which the left side of a table may differ from page to page."""
_LOOSE = 0.1
"""And the right, in parts of its width: without rules, it ends where the words of its last column do."""
_FLOATS = ("figure", "table", "footnote")


def join_passages(columns: Sequence[Sequence[PdfPassage]]) -> list[PdfPassage]:
    """All passages in reading order; a paragraph that goes on is one, after the floats that stand in between."""
    out: list[PdfPassage] = []
    for column in columns:
        rest = list(column)
        above, below = out[-1].table if out else None, rest[0].table if rest else None
        if above is not None and below is not None and _continues_table(above, below):
            out[-1].table = _merge_tables(above, below)
            del rest[0]
        opening = next((i for i, one in enumerate(rest) if not _is_float(one)), None)
        last = next((i for i in range(len(out) - 1, max(len(out) - _FAR, -1), -1) if not _is_float(out[i])), None)
        if opening is not None and last is not None and _continues_paragraph(out[last], rest[opening]):
            whole = out.pop(last)
            following = rest.pop(opening)
            whole.lines += following.lines
            whole.full = following.full
            out.append(whole)
        out += rest
    return out


def _is_float(one: PdfPassage) -> bool:
    return one.aside or one.kind in _FLOATS


def _continues_table(above: PdfTable, below: PdfTable) -> bool:
    """Whether a table that opens a page continues the one before it: it has its columns, and no other header."""
    head, first = above.rows[0], below.rows[0]
    if below.page != above.page_of(len(above.rows) - 1) + 1 or len(first) != len(head):
        return False
    slack = max(_EDGES, _LOOSE * above.box.width)
    if abs(below.box.left - above.box.left) > _EDGES or abs(below.box.right - above.box.right) > slack:
        return False
    return _texts(first) == _texts(head) or not _is_bold(first) or _is_bold(above.rows[-1])


def _merge_tables(above: PdfTable, below: PdfTable) -> PdfTable:
    """Two parts of a table; a header that comes again is left out."""
    skip = 1 if _texts(below.rows[0]) == _texts(above.rows[0]) else 0
    pages = above.pages or [above.page] * len(above.rows)
    above.rows.extend(below.rows[skip:])
    above.places.extend(below.places[skip:])
    pages.extend([below.page] * (len(below.rows) - skip))
    return above._replace(pages=pages)


def _texts(row: Sequence[Sequence[PdfWord]]) -> list[str]:
    return [" ".join(word.text for word in cell) for cell in row]


def _is_bold(row: Sequence[Sequence[PdfWord]]) -> bool:
    return all(word.style.bold for cell in row for word in cell)


def _continues_paragraph(last: PdfPassage, following: PdfPassage) -> bool:
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
        return not (_SENTENCE_ENDS.search(text) and not begins.islower())
    return last.full and not _SENTENCE_ENDS.search(text) and not following.indented


_SMALL = 0.93
"""Footnotes are smaller than the text, by at least this."""
_LABEL = re.compile(r"(\d{1,3}|[*\u2020\u2021\u00a7\u00b6]{1,3})[).:\]]?")
_LEAD = re.compile(r"(\d{1,3}|[*\u2020\u2021\u00a7\u00b6]{1,3})[).:\]]?(?=[^\W\d_])")


def read_footnotes(column: Sequence[PdfPassage], size: float, height: float) -> list[PdfPassage]:
    """A column whose small print at its end, from the first label on, are footnotes; `height` is that of the page."""
    first = _start(column, size, height)
    if first is None:
        return list(column)
    out = list(column[:first])
    for one in column[first:]:
        parted = _as_footnote(one)
        if parted is not None:
            out.append(parted)
        elif one.kind == "paragraph" and out[-1].kind == "footnote":
            out[-1].lines += one.lines
        else:
            out.append(one)
    return out


def _start(column: Sequence[PdfPassage], size: float, height: float) -> int | None:
    """Where footnotes begin: after all text of full size, in the lower half of the page, with a label."""
    first = None
    for index in range(len(column) - 1, -1, -1):
        one = column[index]
        if one.kind in ("figure", "table"):
            continue
        if one.kind not in ("paragraph", "item") or one.size > _SMALL * size or one.box.top < 0.5 * height:
            break
        if _as_footnote(one) is not None:
            first = index
    return first


def _as_footnote(one: PdfPassage) -> PdfPassage | None:
    """A passage as a footnote: its label, and the rest; None where it has no label."""
    if one.kind == "item":
        found = _LABEL.fullmatch(one.label.strip("("))
        return PdfPassage("footnote", one.lines, label=found[1], mark=one.mark) if found else None
    if one.kind != "paragraph":
        return None
    line = one.lines[0]
    word = line.words[0]
    mark = word
    if len(line.words) > 1 and (found := _LABEL.fullmatch(word.text)):
        words = [line.words[1]._replace(glued=False), *line.words[2:]]
    elif found := _LEAD.match(word.text):
        words = [_cut_word(word, found.end()), *line.words[1:]]
        mark = word._replace(right=words[0].left)
    else:
        return None
    rest = line_of(line.page, words, line.turn, backward=line.backward)
    return PdfPassage("footnote", [rest, *one.lines[1:]], label=found[1], mark=mark)


def _cut_word(word: PdfWord, start: int) -> PdfWord:
    """A word without its first characters."""
    if word.edges is None:
        return word._replace(text=word.text[start:])
    return word._replace(text=word.text[start:], left=word.edges[start], edges=word.edges[start:])


_UNSPACED = re.compile("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]")
"""Scripts whose lines end anywhere in a word: a space at the end of a line is written out in the source."""
_HYPHENS = "-\u00ad\u2010"
_LONGEST = 100
"""Characters of a word that are looked at."""
_COMPOUND = re.compile(r"[^\W\d_]{1,40}[-\u2010][^\W\d_]{1,40}")


class Compounds:
    """Words that a document writes with a hyphen inside a line: at the end of one, the hyphen is theirs."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def learn(self, words: Iterable[PdfWord]) -> None:
        for word in words:
            if "-" in word.text[:_LONGEST] or "\u2010" in word.text[:_LONGEST]:
                found = _COMPOUND.findall(word.text[:_LONGEST])
                self._known.update(one.lower().replace("\u2010", "-") for one in found)

    def knows(self, first: str, second: str) -> bool:
        return f"{_letters(first[::-1])[::-1]}-{_letters(second)}".lower() in self._known


def _letters(text: str) -> str:
    """The letters that a text starts with."""
    for index, character in enumerate(text):
        if not character.isalpha():
            return text[:index]
    return text


def line_seam(last: PdfWord, first: PdfWord, compounds: Compounds | None = None) -> tuple[bool, str]:
    """How a line goes on in the next: whether its last character, a hyphen, goes, and what stands between them."""
    text, follows = last.text, first.text
    if len(text) > 1 and text[-1] in _HYPHENS and text[-2].isalpha():
        is_kept = text[-1] != "\u00ad" and compounds is not None and compounds.knows(text[:-1], follows)
        return follows[:1].islower() and not is_kept, ""
    if len(text) > 1 and text[-1] in "/-\u2013\u2014" and not text[-2].isspace():
        return False, ""
    if _UNSPACED.match(text[-1]) and _UNSPACED.match(follows[:1]):
        return False, " " if last.spaced else ""
    return False, " "


def join_lines(lines: Iterable[Sequence[PdfWord]]) -> str:
    """The text of lines as one."""
    out: list[str] = []
    last: PdfWord | None = None
    for line in lines:
        for index, word in enumerate(line):
            if last is not None and index == 0:
                drops, between = line_seam(last, word)
                if drops:
                    out[-1] = out[-1][:-1]
                out.append(between)
            elif index and not word.glued:
                out.append(" ")
            out.append(word.text)
            last = word
    return "".join(out)
