"""Which words of a document point at something in it: `Figure 3`, `\\ref{fig:pump}`, `[here](#setup)`.

Words about another document point at nothing here: `Figure 3 of Smith et al.`, `RFC 7231, Section 5.3`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from seamline.captions import NUMBER, WORD, kind_of
from seamline.formats import BY_MEDIA_TYPE, BY_NAME
from seamline.types import Document

_SKIPPED = frozenset(("code", "front_matter", "math", "reference", "esm", "jsx", "heading", "scope"))
_PART = r"(?:(?-i:[a-h])(?!\w))?"
_WORDS = re.compile(
    rf"(?<![\w\\/.#-])(?:{WORD})[\s~\u00a0]{{0,3}}\(?(?P<number>{NUMBER}|(?<=\s)(?-i:[A-Z])(?!\w)){_PART}(?![\w/]|\.\d|-\w)",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"\)?\s{{0,2}}(?P<join>,\s?(?:and|und|et)|,|;|and|und|et|or|oder|&|to|bis|à|–|—|-)\s{{0,2}}\(?(?P<number>{NUMBER}){_PART}(?![\w/%]|\.\d|-\w|\s?(?:%|percent|mm|cm|km|ms|GB|MB|years|people|units|times)\b)",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"(?:s|en|te|x|§§)\.?\Z", re.IGNORECASE)
"""Words after which several numbers may stand: `Table 2 and 3 chairs` names one table."""
_ELSEWHERE = re.compile(
    r"\)?,?\s{1,2}(?:of|in|from|by|von|aus|in der|de|du|des)\s"
    r"(?:the\s|an?\s|his\s|her\s|their\s|our\s|its\s)?"
    r"(?:\[|\(|refs?\b|(?!Section|Appendix|Chapter|Figure|Table|Part\b|This)(?-i:[A-Z])|"
    r"(?:original|supplement|supporting|online|previous|earlier|companion|full|long|extended|arxiv|same|act|"
    r"(?:\w+\s)?(?:paper|report|act|regulation|directive|specification|standard|manual|book|agreement|code|rfc))\b)"
    r"|\s?\[\d|\s\((?-i:[A-Z])\w+(?:\set\sal|,?\s\d{4})",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"(?:RFC\s?-?\d+|ISO[\s/\w-]{0,12}\d+|\[[^\]\n]{1,40}\]|et\sal\.?|\(\d{4}[a-z]?\)|(?<!\w)Act|U\.?S\.?C\.?|spec(?:ification)?)"
    r"[,;:]?\s{0,2}\(?(?:(?:see|cf\.|in|at|siehe|voir)\s)?\Z|\[[^\]\n]{1,40},\s?\Z|\b(?:their|his|her)\s\Z",
    re.IGNORECASE,
)
_TEX = re.compile(r"(?:[A-Z][a-z]{1,12}\.?[~ ])?\\(?:[cCvV]|auto|eq|page|name|full|title)?ref\*?\{([^{}\n]{1,300})\}")
_ANCHOR = re.compile(r"(?<!!)\[([^\[\]\n]{1,300})\]\(#([^()\s]{1,200})\)")
_ROLE = re.compile(r":(?:ref|numref):`(?:[^`<>\n]{1,200}<([^`<>\n]{1,100})>|([^`<>\n]{1,100}))`")
_TITLE = re.compile(r"(?<![`:\w])`([^`<>\n]{2,100})`_(?!_)")
_SHOWN = "table|figure|diagram|chart|image|picture|screenshot|listing|snippet|code block|Tabelle|Abbildung"
_NEAR = re.compile(
    rf"\b(?P<thing>{_SHOWN})\s(?P<where>below|above|unten|oben)\b|\b(?:following|folgende[rns]?)\s(?P<next>{_SHOWN})\b",
    re.IGNORECASE,
)
_THINGS = {"table": "table", "tabelle": "table", "listing": "code", "snippet": "code", "code block": "code"}
_COMMENT = re.compile(r"(?<!\\)%")
_LINE = 2000
"""Characters of a line that are looked at."""
_MOST = 10
"""Numbers that `2 to 9` may mean."""


def form_of(document: Document) -> str:
    """The name of a document's format, however it was given; empty for one that is not known."""
    media = document.source.media_type
    one = BY_MEDIA_TYPE.get(media) or BY_NAME.get(media)
    return one.name if one else ""


class Pointer(NamedTuple):
    """Words that point at something."""

    start: int
    end: int
    kind: str
    """What they say it is; empty where they do not say."""
    number: str = ""
    name: str = ""
    """A label, an id or a slug."""


class Near(NamedTuple):
    """Words that point at a neighbour of their paragraph."""

    start: int
    end: int
    kind: str
    """The kind of block that is meant."""
    after: bool


class Prose:
    """Where a document has words that mean what they say: not in code, formulas and headings."""

    def __init__(self, document: Document) -> None:
        self._text = document.text if form_of(document) == "latex" else ""
        spans = sorted((block.start, block.end) for block in document.blocks if block.kind in _SKIPPED)
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def holds(self, at: int) -> bool:
        index = bisect_right(self._starts, at) - 1
        return (index < 0 or self._ends[index] <= at) and not self._is_comment(at)

    def _is_comment(self, at: int) -> bool:
        """Whether a percent sign stands before a place on its line of LaTeX."""
        start = self._text.rfind("\n", max(0, at - _LINE), at) + 1
        return _COMMENT.search(self._text, start, at) is not None


def pointers(document: Document) -> Iterator[Pointer]:
    """All words of a document that name something by a number, a label or an anchor."""
    text = document.text
    prose = Prose(document)
    found = [*_numbers(text), *_labels(text, form_of(document))]
    yield from (one for one in sorted(found) if prose.holds(one.start))


def _numbers(text: str) -> Iterator[Pointer]:
    for found in _WORDS.finditer(text):
        kind = kind_of(found)
        if _is_foreign(text, found.start()):
            continue
        numbers = [(one, found.end()) for one in _range(found[kind], found["number"])]
        start, end = found.start(), found.end()
        while _PLURAL.search(found[kind]) and (more := _MORE.match(text, end)):
            numbers += [(one, more.end()) for one in _through(numbers[-1][0], more["join"], more["number"])]
            end = more.end()
        if not _ELSEWHERE.match(text, end):
            for number, stop in numbers:
                yield Pointer(start, stop, kind, _number(text, number, stop))


def _is_foreign(text: str, start: int) -> bool:
    return _FOREIGN.search(text[max(0, start - 60) : start]) is not None


def _number(text: str, number: str, stop: int) -> str:
    """A number with the letter of its part, `3a`, where there is one."""
    last = text[stop - 1]
    return (number + last if last.islower() and last.isalpha() and not number.endswith(last) else number).upper()


def _range(word: str, number: str) -> list[str]:
    """`Figures 2-4` are three; `Figure 2-4` is one."""
    first, dash, last = number.partition("-")
    if dash and _PLURAL.search(word) and (through := _through(first, dash, last)):
        return [first, *through]
    return [number]


def _through(first: str, join: str, last: str) -> list[str]:
    """The numbers that a joining word adds: all between two, for `2 to 5`."""
    if join in ("to", "bis", "à", "–", "—", "-") and first.isdigit() and last.isdigit():
        low, high = int(first), int(last)
        return [str(number) for number in range(low + 1, high + 1)] if low < high <= low + _MOST else []
    return [last]


def _labels(text: str, form: str) -> Iterator[Pointer]:
    if "ref" in text and "\\" in text:
        for found in _TEX.finditer(text):
            yield from (Pointer(*found.span(), "", name=name.strip()) for name in found[1].split(","))
    if form in ("markdown", "mdx"):
        yield from (Pointer(*found.span(), "", name=found[2]) for found in _ANCHOR.finditer(text))
    if form == "rst":
        yield from (Pointer(*found.span(), "", name=(found[1] or found[2]).lower()) for found in _ROLE.finditer(text))
        yield from (Pointer(*found.span(), "", name=f"title:{found[1].lower()}") for found in _TITLE.finditer(text))


def neighbours(document: Document) -> Iterator[Near]:
    """Words such as `the table below`, which mean a block beside their own."""
    prose = Prose(document)
    for found in _NEAR.finditer(document.text):
        if prose.holds(found.start()):
            thing = (found["thing"] or found["next"]).lower()
            after = found["where"] is None or found["where"].lower() in ("below", "unten")
            yield Near(*found.span(), _THINGS.get(thing, "figure"), after)
