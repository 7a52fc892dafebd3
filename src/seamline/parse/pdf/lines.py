"""Words -> lines: as far as words stand close to each other, in the order of the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from seamline.parse.pdf.glyphs import Token
from seamline.parse.pdf.model import Line, Sheet, Word, line_of

_BACKWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_GAP = 1.0
"""Words further apart than this, in sizes of their font, are of different lines until columns are known."""
_GLUED = 0.13
"""Words closer than this, in sizes of their font, are one."""


def sheets(tokens: Sequence[Token], page: int, width: float, height: float) -> list[Sheet]:
    """The lines of a page by direction, that of most words first."""
    turns: dict[int, list[Token]] = {}
    for token in tokens:
        turns.setdefault(token.turn, []).append(token)
    out = []
    for turn, own in sorted(turns.items(), key=lambda one: (-len(one[1]), one[0])):
        size = (width, height) if turn % 2 == 0 else (height, width)
        out.append(Sheet(turn, *size, _lines(own, page, turn)))
    return out


def _lines(tokens: Sequence[Token], page: int, turn: int) -> list[Line]:
    out: list[Line] = []
    for stretch in _stretches(tokens):
        if any(word.edges is None and _BACKWARD.search(word.text) for word in stretch):
            out += [line_of(page, words, turn, backward=True) for words in _backward(stretch)]
        else:
            out += [line_of(page, words, turn) for words in _forward(stretch)]
    return _healed(out)


def _stretches(tokens: Iterable[Token]) -> list[list[Word]]:
    """Words between line ends of the source."""
    out: list[list[Word]] = []
    for token in tokens:
        if token.fresh or not out:
            out.append([])
        out[-1].append(token.word)
    return out


def _forward(words: Sequence[Word]) -> list[list[Word]]:
    out: list[list[Word]] = []
    last: Word | None = None
    for word in words:
        if last is None or not _follows(last, word):
            out.append([word._replace(glued=False) if word.glued else word])
        else:
            out[-1].append(word)
        last = word
    return out


def _follows(last: Word, word: Word) -> bool:
    """Whether a word stands right of another, on the same line."""
    size = max(last.style.size, word.style.size)
    if not -0.6 * size < word.left - last.right < _GAP * size:
        return False
    if abs(last.base - word.base) < 0.2 * size:
        return True
    shared = min(last.bottom, word.bottom) - max(last.top, word.top)
    return shared > 0.5 * min(last.bottom - last.top, word.bottom - word.top)


def _backward(words: Sequence[Word]) -> list[list[Word]]:
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


def _healed(lines: Sequence[Line]) -> list[Line]:
    """Lines that the source breaks at a raised or lowered character, as one again."""
    groups: list[list[Line]] = []
    for line in lines:
        last = groups[-1][-1] if groups else None
        if last is not None and not (line.backward or last.backward) and _follows(last.words[-1], line.words[0]):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [joined(group) if len(group) > 1 else group[0] for group in groups]


def joined(lines: Sequence[Line]) -> Line:
    """The parts of one line; no space between them where there is no gap."""
    words = list(lines[0].words)
    for line in lines[1:]:
        last, first = words[-1], line.words[0]
        size = min(last.style.size, first.style.size)
        is_glued = not last.spaced and first.left - last.right < _GLUED * size
        words += [first._replace(glued=is_glued), *line.words[1:]]
    return line_of(lines[0].page, words, lines[0].turn)
