"""Whether a text that was written about a source says nothing that the source does not say."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from seamline.enrich.propositions import lexicon as lex
from seamline.words import query_words, stem

THRESHOLD = 0.7
"""Share of a claim's content words that its source must have."""
AT_HOME = 0.3
"""Share that must be in the sentences the claim names, the rest being what pronouns stand for."""

_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_NAMES = re.compile(r"(?<![\w'])[^\W\d_][\w'’-]*")
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")
_MAYBE = frozenset(["may", "might", "could", "perhaps", "possibly", "probably", "can", "should", "would", "likely"])
_HEDGES = frozenset(["may", "might", "could"])
_LOOK = 8
"""Code points before a word that are looked at for the end of a sentence."""
_REACH = 3
"""Words after a `not` or a `may` among which is the one it is about."""


class Support(NamedTuple):
    """How well a source supports a text."""

    score: float
    """0-1, the share of its content words that are the source's."""
    reason: str = ""
    """Why it is not supported: number, name, negation, hedge, words; empty where it is."""


def support(text: str, source: str, around: str = "", threshold: float = THRESHOLD) -> Support:
    """`source`: what the text is about. `around`: what may name what the source only points at, such as the headings
    and the rest of the passage."""
    asked = {_base(word) for line in _lines(text) for word in query_words(line)}
    near, far = _known(source), _known(around)
    score = _share(asked, near.words | far.words)
    if not _numbers(text) <= near.numbers | far.numbers:
        return Support(score, "number")
    if not _names(text) <= near.lows | far.lows:
        return Support(score, "name")
    if _turns(text, source):
        return Support(score, "negation")
    if _hardens(text, source):
        return Support(score, "hedge")
    if score < threshold or _share(asked, near.words) < AT_HOME:
        return Support(score, "words")
    return Support(score)


class _Known(NamedTuple):
    """What a source has."""

    words: frozenset[str]
    numbers: frozenset[str]
    lows: frozenset[str]


@lru_cache(64)
def _known(text: str) -> _Known:
    """Kept for a while: all claims of a passage are held against the same text."""
    words = frozenset(_base(word) for line in _lines(text) for word in query_words(line))
    return _Known(words, frozenset(_numbers(text)), frozenset(_lows(text)))


def _share(asked: set[str], there: frozenset[str]) -> float:
    return round(len(asked & there) / len(asked), 3) if asked else 0.0


def _lines(text: str) -> list[str]:
    """Pieces of thirty words: of a query no more than 64 words are read, parts of names among them."""
    parts = text.split()
    return [" ".join(parts[at : at + 30]) for at in range(0, len(parts), 30)]


def _numbers(text: str) -> set[str]:
    return {number.replace(",", "").rstrip(".") for number in _NUMBERS.findall(text)}


def _names(text: str) -> set[str]:
    """Words with a capital that the start of a sentence does not explain, in small letters."""
    found = set()
    for match in _NAMES.finditer(text):
        word = match[0].replace("’", "'").removesuffix("'s").rstrip("'")
        before = text[max(0, match.start() - _LOOK) : match.start()].rstrip(" \"'“‘(`*_")
        starts = before[-1] in ".!?:\n" if before else match.start() <= _LOOK
        if any(map(str.isupper, word)) and (not starts or any(map(str.isupper, word[1:]))) and word != "I":
            found.add(word.casefold())
    return found


def _lows(text: str) -> set[str]:
    words = (match[0].replace("’", "'") for match in _NAMES.finditer(text))
    return {form for word in words for form in (word.casefold(), word.casefold().removesuffix("'s").rstrip("'"))}


def _turns(text: str, source: str) -> bool:
    """Whether a text leaves out a `not` of its source, or has one of its own."""
    has, had = _says(text, lex.NEGATIONS), _says(source, lex.NEGATIONS)
    if has and not had:
        return True
    return not has and had and bool(_meant(source, lex.NEGATIONS) & _stems(text))


def _hardens(text: str, source: str) -> bool:
    """Whether a text says for sure what its source only holds possible."""
    return not _says(text, _MAYBE) and bool(_meant(source, _HEDGES) & _stems(text))


def _says(text: str, words: frozenset[str]) -> bool:
    return any(word in words or (word.endswith("n't") and "n't" in words) for word in _plain(text))


def _meant(text: str, words: frozenset[str]) -> set[str]:
    """The first content word after each of these."""
    plain = _plain(text)
    found: set[str] = set()
    for at, word in enumerate(plain):
        if word in words or (word.endswith("n't") and "n't" in words):
            content = [
                w for w in plain[at + 1 : at + 1 + _REACH] if query_words(w) and w not in lex.FINITE and len(w) > 2
            ]
            found.update(_base(stem(w)) for w in content[:1])
    return found - {""}


def _stems(text: str) -> set[str]:
    return {_base(stem(word)) for word in _plain(text)}


def _plain(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORDS.findall(text)]


@lru_cache(1 << 12)
def _base(word: str) -> str:
    """An irregular form as its verb: bought is buy."""
    return _irregular().get(word, word)


@lru_cache(1)
def _irregular() -> dict[str, str]:
    return {stem(form): stem(base) for base, form in lex.IRREGULAR_FORMS}
