"""How documents number their figures, tables and sections, and what they call them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_NAMES: Mapping[str, str] = {
    "figure": r"figures?|figs?\.|abbildung(?:en)?|abb\.|schaubild|figura",
    "table": r"tables?|tabs?\.|tabellen?|tableaux?|tabla",
    "listing": r"listings?|code listing",
    "algorithm": r"algorithms?|algorithmus|algorithme",
    "equation": r"equations?|eqs?\.|eqns?\.|gleichung(?:en)?|gl\.|équations?",
    "section": r"sections?|secs?\.|§§?|abschnitte?|kapitel|chapters?|chapitres?",
    "appendix": r"appendix|appendices|anhang|annexes?",
}
"""Per kind, the words before a number."""

WORD = "|".join(f"(?P<{kind}>{words})" for kind, words in _NAMES.items())
"""A pattern of all of them, each kind in a group of its name."""
NUMBER = r"(?:[A-Z]{1,2}[.\-]?)?\d{1,4}(?:[.\-]\d{1,3}){0,4}(?![\d%])"
"""A number as captions have it: 3, 2.1, A.4, S2."""
_CAPTION = re.compile(
    r"(?:!?\[[^\]\n]{0,300}\](?:\([^)\n]{0,300}\))?\s{0,3})?(?:[*_>\s]|<[^>\n]{1,60}>){0,8}"
    rf"(?:{WORD})[\s~\u00a0]{{0,2}}(?P<number>{NUMBER}|(?<=\s)[A-Z](?=\s?[:.|–—]))(?P<part>(?-i:[a-z])(?![a-z]))?"
    r"(?P<end>[*_]{0,3}\s?(?:[:.|–—)]|-\s|\n|\Z|[*_]{1,3}\s|\s(?=(?-i:[A-ZÄÖÜÉ\[(]))))",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*\d+\s*\Z|\t\d+\s*\Z")
_CONTINUED = re.compile(r"\(?\b(?:continued|cont\.|cont['’]d|fortsetzung|suite)\b", re.IGNORECASE)
_LONGEST = 2000
_TAIL = 200
"""Characters at the end of a caption that are looked at for a page number."""


class Label(NamedTuple):
    """What a caption calls its figure or table."""

    kind: str
    number: str
    start: int
    """Where the words and the number start, in code points of the text that was looked at."""
    end: int
    continued: bool = False
    """Whether it heads the rest of something that began before."""


def kind_of(found: re.Match[str]) -> str:
    """The kind whose word a pattern of this module found."""
    return next(kind for kind in _NAMES if found[kind])


def caption(text: str) -> Label | None:
    """The label that a text opens with, if it is a caption: `Figure 3: Parts of a pump`, `**Tab. 2** Masse`.

    A sentence about a figure is none: `Figure 3 shows the pump`. Nor is a line of a list of figures.
    """
    text = text[:_LONGEST]
    found = _CAPTION.match(text)
    if found is None or kind_of(found) in ("section", "appendix", "equation"):
        return None
    rest = text[found.end() :]
    if _LEADERS.search(text[-_TAIL:]) or (not _is_marked(found["end"]) and _is_sentence(rest)):
        return None
    kind = kind_of(found)
    number = (found["number"] + (found["part"] or "")).upper()
    end = found.end("part") if found["part"] else found.end("number")
    return Label(kind, number, found.start(kind), end, bool(_CONTINUED.match(rest)))


def _is_marked(end: str) -> bool:
    """Whether a sign parts the number from the words after it."""
    return any(sign in end for sign in ":.|–—)*_\n") or end == "" or end.strip() == "-"


_VERB = re.compile(
    r"\s?(?:shows?|gives?|lists?|illustrates?|is|are|was|presents?|depicts?|summari[sz]es|compares|and|of|in|zeigt|montre)\b",
    re.IGNORECASE,
)


def _is_sentence(rest: str) -> bool:
    return _VERB.match(rest) is not None
