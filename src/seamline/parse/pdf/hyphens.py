"""Lines -> running text: what stands between the last word of a line and the first of the next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from seamline.parse.pdf.model import Word

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

    def learn(self, words: Iterable[Word]) -> None:
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


def seam(last: Word, first: Word, compounds: Compounds | None = None) -> tuple[bool, str]:
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


def flowed(lines: Iterable[Sequence[Word]]) -> str:
    """The text of lines as one."""
    out: list[str] = []
    last: Word | None = None
    for line in lines:
        for index, word in enumerate(line):
            if last is not None and index == 0:
                drops, between = seam(last, word)
                if drops:
                    out[-1] = out[-1][:-1]
                out.append(between)
            elif index and not word.glued:
                out.append(" ")
            out.append(word.text)
            last = word
    return "".join(out)
