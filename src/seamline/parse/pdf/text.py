"""A page of PDFium -> words with boxes in the order of the source, and lines of words that stand close together."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from seamline.parse.pdf.library import TextLook, TextLooks, boxes, characters, font_size, is_generated, parts
from seamline.parse.pdf.model import Box, PageSheet, PdfWord, TextLine, line_of, turn_box

_TOKEN = re.compile(r"[^\s\ufffe\x02]+[\ufffe\x02]?|[\ufffe\x02]")
"""A word; PDFium writes U+FFFE or U+0002 for a hyphen at the end of a line, and no space after it."""
_HYPHEN = re.compile("[\ufffe\x02]")
_UNREADABLE = re.compile("[\x00-\x01\x03-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\uffff\ue000-\uf8ff]")
"""Controls, halves of surrogates, codes that are no characters or private to a font."""
_SYMBOLS = {0xF0B7: "\u2022", 0xF0A7: "\u25aa", 0xF0D8: "\u27a2", 0xF0FC: "\u2713", 0xF076: "\u2756", 0xF06F: "\u25a1"}
"""Marks of lists that Symbol and Wingdings keep among private codes."""
_BACKWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_SMALLEST = 1.0
"""Text of less points is there to be found, not to be read."""
_GAP = 0.8
"""A word holds no hole wider than this part of its size."""


class PageGeometry(NamedTuple):
    """How the coordinates of a page's content lie on the page as it is shown."""

    left: float
    bottom: float
    right: float
    top: float
    turn: int
    """Quarter turns, clockwise."""

    @property
    def width(self) -> float:
        return (self.right - self.left) if self.turn % 2 == 0 else (self.top - self.bottom)

    @property
    def height(self) -> float:
        return (self.top - self.bottom) if self.turn % 2 == 0 else (self.right - self.left)


class ReadWord(NamedTuple):
    """A word as it was read, and whether a line of the source ends before it."""

    word: PdfWord
    turn: int
    fresh: bool


class PageText(NamedTuple):
    """What was read of a page."""

    tokens: list[ReadWord]
    unseen: list[ReadWord]
    """Drawn without ink: hidden, or the text under a scan."""
    characters: int
    unreadable: int
    hidden: int
    """Characters outside the page, or too small to be seen."""
    unmapped: int
    """Pieces of text whose font does not say which characters they are."""
    pieces: int
    """Pieces of text."""
    is_vertical: bool = False
    """Whether its lines run down the page, from right to left."""


class _Chars(NamedTuple):
    """The characters of a page and their boxes on the page as shown."""

    text: str
    lefts: MutableSequence[float]
    tops: Sequence[float]
    rights: Sequence[float]
    bottoms: Sequence[float]
    parts: list[int | None]
    indices: Sequence[int]
    """By which PDFium knows them."""


_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SPACED_MARKS = re.compile("[\u0900-\u0dff] (?=[\u0900-\u0dff])")
"""A space between letters of India: PDFium sees one where a group of letters is drawn as one shape."""
_NO_SPACE = 0.175
"""A gap that is narrower than this, in sizes of its font, is none."""


def _characters(text_page: Any, count: int, geometry: PageGeometry) -> _Chars:
    """The characters of a page, the halves of those beyond the first plane as one, without spaces that nobody sees."""
    text = characters(text_page, count)
    lefts, tops, rights, bottoms = _boxes_as_shown(boxes(text_page, count), geometry)
    own = _Chars(text, lefts, tops, rights, bottoms, parts(text_page, count), range(count))
    lost = {found.start() + 1 for found in _HALVES.finditer(text)}
    if lost:
        text = _HALVES.sub(lambda found: chr(_code_point(found[0])) + "\udc00", text)
    lost.update(
        at
        for found in _SPACED_MARKS.finditer(text)
        if is_generated(text_page, at := found.start() + 1) and _is_narrow(own, at, font_size(text_page, at - 1))
    )
    if not lost:
        return own
    kept = [index for index in range(count) if index not in lost]
    return _Chars(
        "".join([text[index] for index in kept]),
        [lefts[index] for index in kept],
        [tops[index] for index in kept],
        [rights[index] for index in kept],
        [bottoms[index] for index in kept],
        [own.parts[index] for index in kept],
        kept,
    )


def _code_point(pair: str) -> int:
    return 0x10000 + ((ord(pair[0]) & 0x3FF) << 10) + (ord(pair[1]) & 0x3FF)


def _is_narrow(chars: _Chars, at: int, size: float) -> bool:
    """Whether the letters around a space are closer than words are."""
    return -size < chars.lefts[at + 1] - chars.rights[at - 1] < _NO_SPACE * size


def read(text_page: Any, count: int, geometry: PageGeometry, looks: TextLooks, roles: Mapping[int, str]) -> PageText:
    """The words of a page."""
    chars = _characters(text_page, count, geometry)
    text = chars.text
    looks.begin(text_page, geometry.turn, geometry[:4], roles)
    tokens: list[ReadWord] = []
    unseen: list[ReadWord] = []
    unreadable = hidden = end = 0
    width, height = geometry.width, geometry.height
    is_odd = _UNREADABLE.search(text) is not None
    is_forward = _BACKWARD.search(text) is None
    vertical = _is_vertical(chars)
    for found in _TOKEN.finditer(text):
        start = found.start()
        before = text[end:start]
        fresh = "\n" in before or (end > 0 and text[end - 1] in "\ufffe\x02")
        glued = bool(end) and not before and not fresh
        end = found.end()
        spaced = text[end : end + 1].isspace() and text[end : end + 2] != "\r\n"
        own = _stacked(chars, start, end, looks, width) if vertical else None
        for word, look in own or _words(chars, start, end, looks, is_forward):
            if look.style.size < _SMALLEST or not _is_on(word, width, height):
                hidden += len(word.text)
                continue
            if is_odd and _UNREADABLE.search(word.text):
                readable, lost = _UNREADABLE.subn("\ufffd", word.text.translate(_SYMBOLS))
                unreadable += lost
                word = word._replace(text=readable)
            word = word._replace(glued=glued, spaced=spaced) if glued or spaced else word
            if look.turn:
                word = _upright(word, look.turn, width, height)
            (tokens if look.inked else unseen).append(ReadWord(word, look.turn, fresh))
            fresh, glued = False, True
    return PageText(tokens, unseen, len(text), unreadable, hidden, looks.unmapped, looks.asked, vertical)


_TYPED_DOWN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2}")
"""Two characters of Japanese or Chinese."""
_SEEN = 600
"""Pairs of characters that show whether lines run down the page."""


def _is_vertical(chars: _Chars) -> bool:
    """Whether most characters of Japanese and Chinese stand under the one before, and not beside it."""
    under = beside = 0
    for found in islice(_TYPED_DOWN.finditer(chars.text), _SEEN):
        if _is_under(chars, found.start()):
            under += 1
        else:
            beside += 1
    return under > 2 * beside


def _is_under(chars: _Chars, at: int) -> bool:
    """Whether the character after one stands right below it; marks are narrower than letters."""
    lefts, rights = chars.lefts, chars.rights
    wide = max(rights[at] - lefts[at], rights[at + 1] - lefts[at + 1])
    narrow = min(rights[at] - lefts[at], rights[at + 1] - lefts[at + 1])
    shared = min(rights[at], rights[at + 1]) - max(lefts[at], lefts[at + 1])
    return shared >= 0.5 * narrow and 0.1 * wide < chars.tops[at + 1] - chars.tops[at] < 3 * wide


def _stacked(chars: _Chars, start: int, end: int, looks: TextLooks, width: float) -> list[tuple[PdfWord, TextLook]]:
    """Characters under each other as words that run down the page, a quarter turned: one for each column. None where
    none is Japanese or Chinese: words in other letters lie on their side."""
    if not _TYPED_DOWN.search(chars.text[start:end] * 2):
        return []
    out: list[tuple[PdfWord, TextLook]] = []
    begin = start
    for at in range(start, end):
        if at + 1 < end and _is_under(chars, at):
            continue
        own = slice(begin, at + 1)
        look = looks.of(chars.parts[begin] or 0, chars.indices[begin])
        box = Box(min(chars.lefts[own]), chars.tops[begin], max(chars.rights[own]), chars.bottoms[at])
        base = width - box.left - 0.12 * look.style.size
        out.append((PdfWord(chars.text[own], *box, base, look.style, None, role=look.role), look._replace(turn=1)))
        begin = at + 1
    return out


def _is_on(word: PdfWord, width: float, height: float) -> bool:
    """Whether any of a word is on the page as shown."""
    return word.right >= 0 and word.bottom >= 0 and word.left <= width and word.top <= height


def _boxes_as_shown(flat: array[float], geometry: PageGeometry) -> Iterator[MutableSequence[float]]:
    """Lefts, tops, rights and bottoms on the page as shown."""
    lefts, tops, rights, bottoms = flat[0::4], flat[1::4], flat[2::4], flat[3::4]
    left, bottom, right, top, turn = geometry
    if turn == 0:
        sides = (lefts, left, 1), (tops, top, -1), (rights, left, 1), (bottoms, top, -1)
    elif turn == 1:
        sides = (bottoms, bottom, 1), (lefts, left, 1), (tops, bottom, 1), (rights, left, 1)
    elif turn == 2:
        sides = (rights, right, -1), (bottoms, bottom, 1), (lefts, right, -1), (tops, bottom, 1)
    else:
        sides = (tops, top, -1), (rights, right, -1), (bottoms, top, -1), (lefts, right, -1)
    for values, zero, sign in sides:
        if sign > 0:
            yield [value - zero for value in values] if zero else values
        else:
            yield [zero - value for value in values]


def _words(
    chars: _Chars, start: int, end: int, looks: TextLooks, is_forward: bool
) -> list[tuple[PdfWord, TextLook]] | Iterator[tuple[PdfWord, TextLook]]:
    """The words of a token: more than one where its look changes, or where there is a hole in it."""
    own = chars.parts[start:end]
    if own.count(own[0]) != len(own):
        return _by_look(chars, start, end, looks)
    look = looks.of(own[0] or 0, chars.indices[start])
    if is_forward and not look.turn and _is_whole(chars, start, end, look):
        return [(_turn_forward(chars, start, end, look), look)]
    return _pieces(chars, start, end, look)


def _is_whole(chars: _Chars, start: int, end: int, look: TextLook) -> bool:
    """Whether characters stand next to each other: together they are as wide as each by itself."""
    if end - start == 1:
        return True
    lefts, rights = chars.lefts, chars.rights
    loose = rights[end - 1] - lefts[start] - sum(rights[start:end]) + sum(lefts[start:end])
    return abs(loose) < _GAP * look.style.size


def _by_look(chars: _Chars, start: int, end: int, looks: TextLooks) -> Iterator[tuple[PdfWord, TextLook]]:
    own = chars.parts[start:end]
    begin = start
    look: TextLook | None = None
    for index in range(start, end):
        part = own[index - start]
        here = looks.of(part, chars.indices[index]) if part else look
        if here is None or here == look:
            continue
        if look is not None:
            yield from _pieces(chars, begin, index, look)
        begin, look = index, here
    yield from _pieces(chars, begin, end, look or looks.of(0, chars.indices[begin]))


def _pieces(chars: _Chars, start: int, end: int, look: TextLook) -> Iterator[tuple[PdfWord, TextLook]]:
    """Characters of one look as words without holes."""
    lefts, rights = chars.lefts, chars.rights
    if not look.turn and not _is_whole(chars, start, end, look):
        size = _GAP * look.style.size
        if not _BACKWARD.search(chars.text, start, end):
            begin = start
            for index in range(start + 1, end):
                if not -2 * size < lefts[index] - rights[index - 1] < size:
                    yield _word(chars, begin, index, look), look
                    begin = index
            start = begin
    yield _word(chars, start, end, look), look


def _word(chars: _Chars, start: int, end: int, look: TextLook) -> PdfWord:
    text = chars.text[start:end]
    if not look.turn and not _BACKWARD.search(text):
        return _turn_forward(chars, start, end, look)
    if text[-1] in "\ufffe\x02":
        text = _HYPHEN.sub("-", text)
    left, right = min(chars.lefts[start:end]), max(chars.rights[start:end])
    top, bottom = min(chars.tops[start:end]), max(chars.bottoms[start:end])
    if not look.turn:
        lefts = chars.lefts[start:end]
        text = text[::-1] if _runs_as_seen(text, lefts) else _ligatures_forward(text, lefts)
    return PdfWord(text, left, top, right, bottom, look.base, look.style, None, role=look.role)


def _turn_forward(chars: _Chars, start: int, end: int, look: TextLook) -> PdfWord:
    """Characters of one look that run from left to right."""
    text = chars.text[start:end]
    if text[-1] in "\ufffe\x02":
        text = _HYPHEN.sub("-", text)
    size = look.style.size
    left, right = chars.lefts[start], chars.rights[end - 1]
    edges = chars.lefts[start:end]
    edges.append(right)
    top, bottom = chars.tops[start], chars.bottoms[start]
    if not 0.3 * size < bottom - top < 3 * size:  # fonts that lie about their height
        top, bottom = look.base - 0.8 * size, look.base + 0.2 * size
    return PdfWord(
        text, left, top, max(left, right), bottom, look.base, look.style, edges, False, False, 1.0, look.role
    )


_ALL_BACKWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]{2,}")


def _runs_as_seen(text: str, lefts: Sequence[float]) -> bool:
    """Whether a word from right to left comes as it is seen, its last letter first: its letters go to the right."""
    if not _ALL_BACKWARD.fullmatch(text):
        return False
    return all(one <= two for one, two in pairwise(lefts)) and lefts[0] < lefts[-1]


def _ligatures_forward(text: str, lefts: Sequence[float]) -> str:
    """Text from right to left with its ligatures right: PDFium turns the letters of one glyph around, too."""
    out: list[str] = []
    index = 0
    while index < len(text):
        end = index + 1
        while end < len(text) and lefts[end] == lefts[index] and _BACKWARD.match(text, end):
            end += 1
        out.append(text[index:end][::-1])
        index = end
    return "".join(out)


def _upright(word: PdfWord, turn: int, width: float, height: float) -> PdfWord:
    """A word of turned text, on the page turned so that it is upright."""
    box = turn_box(Box(*word[1:5]), (4 - turn) % 4, width, height)
    return word._replace(left=box.left, top=box.top, right=box.right, bottom=box.bottom)


_LINE_BACKWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LINE_GAP = 1.0
"""Words further apart than this, in sizes of their font, are of different lines until columns are known."""
_GLUED = 0.13
"""Words closer than this, in sizes of their font, are one."""


def read_sheets(tokens: Sequence[ReadWord], page: int, width: float, height: float) -> list[PageSheet]:
    """The lines of a page by direction, that of most words first."""
    turns: dict[int, list[ReadWord]] = {}
    for token in tokens:
        turns.setdefault(token.turn, []).append(token)
    out = []
    for turn, own in sorted(turns.items(), key=lambda one: (-len(one[1]), one[0])):
        size = (width, height) if turn % 2 == 0 else (height, width)
        out.append(PageSheet(turn, *size, _lines(own, page, turn)))
    return out


def _lines(tokens: Sequence[ReadWord], page: int, turn: int) -> list[TextLine]:
    out: list[TextLine] = []
    for stretch in _stretches(tokens):
        if any(word.edges is None and _LINE_BACKWARD.search(word.text) for word in stretch):
            out += [line_of(page, words, turn, backward=True) for words in _backward(stretch)]
        else:
            out += [line_of(page, words, turn) for words in _line_forward(stretch)]
    return _heal_lines(out)


def _stretches(tokens: Iterable[ReadWord]) -> list[list[PdfWord]]:
    """Words between line ends of the source."""
    out: list[list[PdfWord]] = []
    for token in tokens:
        if token.fresh or not out:
            out.append([])
        out[-1].append(token.word)
    return out


def _line_forward(words: Sequence[PdfWord]) -> list[list[PdfWord]]:
    out: list[list[PdfWord]] = []
    last: PdfWord | None = None
    for word in words:
        if last is None or not _follows(last, word):
            out.append([word._replace(glued=False) if word.glued else word])
        else:
            out[-1].append(word)
        last = word
    return out


def _follows(last: PdfWord, word: PdfWord) -> bool:
    """Whether a word stands right of another, on the same line."""
    size = max(last.style.size, word.style.size)
    if not -0.6 * size < word.left - last.right < _LINE_GAP * size:
        return False
    if abs(last.base - word.base) < 0.2 * size:
        return True
    shared = min(last.bottom, word.bottom) - max(last.top, word.top)
    return shared > 0.5 * min(last.bottom - last.top, word.bottom - word.top)


def _backward(words: Sequence[PdfWord]) -> list[list[PdfWord]]:
    """Words of a line that runs from right to left, apart where there are wide gaps, each part in its order."""
    ranked = sorted(range(len(words)), key=lambda index: words[index].left)
    groups: list[set[int]] = []
    reach = 0.0
    for index in ranked:
        word = words[index]
        if not groups or word.left - reach > 2 * word.style.size:
            groups.append(set())
            reach = word.right
        groups[-1].add(index)
        reach = max(reach, word.right)
    parts = [[words[index] for index in sorted(group)] for group in reversed(groups)]
    return [[part[0]._replace(glued=False), *part[1:]] for part in parts]


def _heal_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """Lines that the source breaks at a raised or lowered character, as one again."""
    groups: list[list[TextLine]] = []
    for line in lines:
        last = groups[-1][-1] if groups else None
        if last is not None and not (line.backward or last.backward) and _follows(last.words[-1], line.words[0]):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [join_parts(group) if len(group) > 1 else group[0] for group in groups]


def join_parts(lines: Sequence[TextLine]) -> TextLine:
    """The parts of one line; no space between them where there is no gap."""
    words = list(lines[0].words)
    for line in lines[1:]:
        last, first = words[-1], line.words[0]
        size = min(last.style.size, first.style.size)
        is_glued = not last.spaced and first.left - last.right < _GLUED * size
        words += [first._replace(glued=is_glued), *line.words[1:]]
    return line_of(lines[0].page, words, lines[0].turn)
