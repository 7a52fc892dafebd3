"""How text becomes the words that BM25 counts: one analyzer, so that every store finds the same.

Stores index what `words` yields and nothing else, each word as it is: LanceDB joined by spaces, PostgreSQL as rows. No
word holds white space, a NUL or a surrogate, none is empty, and none has more than 64 code points.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, filterfalse, pairwise
from typing import Any

from seamline.native import KERNELS
from seamline.text.stemming import ENGLISH, load_stemmer

ANALYZER = 1
"""Goes up with every change of the rules below: words of two versions do not meet."""
LONGEST_WORD = 64
"""A longer word is cut here, so two that share their first 64 code points are one."""
MOST_QUERY_WORDS = 64
"""Later words of a query are not looked for."""

# Accents and marks that readers leave out when they type: Latin, Greek and Cyrillic accents, Hebrew points, Arabic
# vowels and tatweel, soft hyphen, joiners, variation selectors.
_SILENT = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u2060"
    "\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f"
)
# Signs inside words that `\w` leaves out, above all the vowels of Indic scripts. The ranges also hold letters.
_SIGNS = (
    "\u0711-\u07f3\u0816-\u082d\u0859-\u085b\u0898-\u08e1\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3"
    "\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a"
    "\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18\u0f19\u0f3e-\u0f84\u0f86-\u0fbc\u102b-\u103e\u1056-\u109d\u135d-\u135f"
    "\u1712-\u1734\u1752-\u17d3\u17dd\u180b-\u180d\u180f-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1b00-\u1b44"
    "\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1cff\u3099\u309a\ua674-\ua67d\ua802-\ua827"
    "\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d\ua947-\ua953\ua980-\ua9c0\ua9e5-\uaa4d\uaa7b-\uaac1\uabe3-\uabea"
)
# Scripts that write words without spaces, and Hangul, whose words carry their particles with them.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3100-\u312f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_LETTERS = rf"[\w{_SILENT}{_SIGNS}]+"
# Scripts from Thai on write words without spaces, or with their endings: what is typed may start and end in a word.
_ASIAN = "\u0e00"
_TYPED = re.compile(rf"[^\W{_ASIAN}-\U0010ffff]+(?:-+[^\W{_ASIAN}-\U0010ffff]+)*|-+")
_ASCII = re.compile(r"\w+(?:[.-]\w+)*", re.ASCII)
_ANY = re.compile(rf"{_LETTERS}(?:[.-]{_LETTERS})*")
_QUIET = re.compile(f"[{_SILENT}]+")
_RUNS = re.compile(f"([{_DENSE}]+)")
# Not before a capital with a single small letter after it: URLs is one word.
_SEAMS = re.compile(r"[._-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_PLAIN = str.maketrans(dict(zip("øłđıØŁĐ", "oldiOLD", strict=True)) | {"æ": "ae", "œ": "oe", "Æ": "AE", "Œ": "OE"})
_SLICE = 256
"""Code points normalised at once: normalising a run of n marks takes n² steps, 23 s for 128,000."""
_CACHED = 1 << 14
"""Words whose analysis is remembered: 4 MB. Four times as many were still filling after nine minutes of load."""
_VOWELS = frozenset("aeiouy")


def words(text: str, stemming: str = ENGLISH) -> list[str]:
    """The words of a text in order, repeated as often as they occur.

    Letters are NFKC, case-folded and without accents. Names made of several words count whole and in parts:
    `maxRetry_count` is `maxretry_count`, `max`, `retry` and `count`; so are `retry-after` and `os.path`. Chinese,
    Japanese, Korean, Thai, Lao, Khmer and Burmese count as overlapping pairs of characters. English endings are taken
    off (`stem`), or those of another language. Punctuation, symbols, NUL and surrogates only separate.
    """
    if stemming != ENGLISH:
        return [word for raw in _raw(text) for word in _terms_in(raw, stemming)]
    if WORD_KERNEL is None:
        return [word for raw in _raw(text) for word in _terms(raw)]
    found: list[str]
    found, left = WORD_KERNEL.words(text)
    if not left:
        return found
    if len(left) == len(found):  # as in scripts without spaces
        return list(chain.from_iterable(map(_terms, found)))
    whole: list[str] = []
    done = 0
    for place in left:
        whole += found[done:place]
        whole += _terms(found[place])
        done = place + 1
    return whole + found[done:]


def spaced(text: str, stemming: str = ENGLISH) -> str:
    """The words of a text with a space between two of them, as LanceDB indexes them."""
    if WORD_KERNEL is None or stemming != ENGLISH:
        return " ".join(words(text, stemming))
    parts: list[str] = WORD_KERNEL.spaced(text)
    if len(parts) == 1:
        return parts[0]
    parts[1::2] = [" ".join(_terms(raw)) for raw in parts[1::2]]
    return " ".join(filter(None, parts))


def query_words(text: str, stemming: str = ENGLISH) -> list[str]:
    """The distinct words to look for, in order: English function words only where there is nothing else, and no more
    than 64. Of other languages all words are looked for; those that most texts hold count for little."""
    return _searched_for(words(text, stemming), stemming)


def required_words(text: str, stemming: str = ENGLISH) -> list[str]:
    """The distinct words that every text has which holds a query as it is typed: those to look for, but names by their
    parts, as `os.path` also stands in `os.path.join`."""
    runs = [(raw.isascii(), _terms_in(raw, stemming)) for raw in _raw(text)]
    return _searched_for((word for plain, terms in runs for word in terms[plain and len(terms) > 1 :]), stemming)


def asked_words(text: str, stemming: str, *, every: bool) -> list[str]:
    """What BM25 looks for: words of which one is enough, or which an entry has to hold, every one."""
    return required_words(text, stemming) if every else query_words(text, stemming)


def _searched_for(found: Iterable[str], stemming: str) -> list[str]:
    distinct = list(dict.fromkeys(found))
    telling = list(filterfalse(COMMON.__contains__, distinct)) if stemming == ENGLISH else distinct
    return (telling or distinct)[:MOST_QUERY_WORDS]


def query_set(text: str) -> frozenset[str]:
    """The same words, where their order does not matter."""
    found = frozenset(words(text))
    found = found - COMMON or found
    return found if len(found) <= MOST_QUERY_WORDS else frozenset(query_words(text))


def located(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where the words of a text stand: start and end of every run of letters, with the words made of it."""
    for match in (_ASCII if text.isascii() else _ANY).finditer(text):
        yield match.start(), match.end(), _terms(match[0])


def whole_words(text: str) -> list[str]:
    """The words of a text in order, names whole."""
    if WORD_KERNEL is None:
        return [terms[0] for terms in map(_terms, _raw(text)) if terms]
    found: list[str]
    found, left = WORD_KERNEL.whole(text)
    for place in left:
        found[place] = next(iter(_terms(found[place])), "")
    return [*filter(None, found)] if left else found


def typed_words(text: str) -> list[str]:
    """The words of a text in order as they are typed, case aside, and the hyphens that stand before or behind one:
    `--port` is `--` and `port`. A text that holds another word for word has all of these in a row."""
    return _TYPED.findall(text.lower())


def splits_word(text: str, at: int) -> bool:
    """Whether a place lies within a word as it is typed, or between hyphens."""
    start = end = at
    while start and text[start - 1] == "-":
        start -= 1
    while end < len(text) and text[end] == "-":
        end += 1
    if start < at < end:
        return True
    return start > 0 and end < len(text) and _is_of_word(text[start - 1]) and _is_of_word(text[end])


def _is_of_word(character: str) -> bool:
    return character == "_" or (character.isalnum() and character < _ASIAN)


def stem(word: str) -> str:
    """An English word without its endings: plural, -ed, -ing, final e. Other words, and short ones, stay."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _singular(word)
    while (shorter := _shorter(word)) != word:
        word = shorter
    return word


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "sis")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


def _shorter(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return f"{word[:-3]}y"
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            return _mended(word[: -len(ending)]) or word
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _mended(rest: str) -> str:
    """What a word is without -ed or -ing: `runn` is run, `not` is note. Empty where no word is left, as of string."""
    if rest.endswith("e") or not _VOWELS.intersection(rest):
        return ""
    before, last = rest[-2:-1], rest[-1]
    if len(rest) > 3:
        return rest[:-1] if last == before and last not in "lsz" else rest
    if before in _VOWELS and last not in "aeiouywx":
        return f"{rest}e"
    return rest if len(rest) == 3 else ""


def _raw(text: str) -> list[str]:
    """Runs of letters and digits, with single dots and hyphens inside."""
    return (_ASCII if text.isascii() else _ANY).findall(text)


def _terms(raw: str) -> tuple[str, ...]:
    return _cached(raw) if len(raw) <= LONGEST_WORD else tuple(_analyse(raw))


@lru_cache(_CACHED)
def _cached(raw: str) -> tuple[str, ...]:
    return tuple(_analyse(raw))


def _terms_in(raw: str, stemming: str) -> tuple[str, ...]:
    if stemming == ENGLISH:
        return _terms(raw)
    return _cached_in(raw, stemming) if len(raw) <= LONGEST_WORD else tuple(_analyse_in(raw, stemming))


@lru_cache(_CACHED)
def _cached_in(raw: str, stemming: str) -> tuple[str, ...]:
    return tuple(_analyse_in(raw, stemming))


def _analyse_in(raw: str, stemming: str) -> Iterator[str]:
    """The words of a run by the stemmer of a language. It sees accents, which are taken off afterwards: of French and
    Spanish, endings are told by them."""
    stem_word = load_stemmer(stemming)

    def reduce(part: str) -> str:
        word = part.lower()
        return _plain(stem_word(word) if word.isalpha() else word).casefold()[:LONGEST_WORD]

    for piece in _ANY.findall(_composed(raw)):
        for n, run in enumerate(_RUNS.split(piece)):
            yield from _pairs(_plain(run)) if n % 2 else filter(None, _parts(run, reduce))


def _composed(raw: str) -> str:
    """NFKC with accents, without signs that are not written out."""
    slices = (raw[at : at + _SLICE] for at in range(0, len(raw), _SLICE))
    return _QUIET.sub("", "".join(unicodedata.normalize("NFKC", part) for part in slices))


def _analyse(raw: str) -> Iterator[str]:
    if raw.isascii():
        yield from _parts(raw)
        return
    for piece in _ANY.findall(_plain(raw)):  # again: NFKC makes several words of some single code points
        for n, run in enumerate(_RUNS.split(piece)):
            yield from _pairs(run) if n % 2 else _parts(run)


def _plain(raw: str) -> str:
    """NFKC without accents; case is kept, for the parts of names."""
    bare = _QUIET.sub("", raw)
    slices = (bare[at : at + _SLICE] for at in range(0, len(bare), _SLICE))
    apart = "".join(unicodedata.normalize("NFKD", part) for part in slices)
    bare = _QUIET.sub("", apart).translate(_PLAIN)
    return "".join(unicodedata.normalize("NFKC", bare[at : at + _SLICE]) for at in range(0, len(bare), _SLICE))


def _english(part: str) -> str:
    return stem(part.casefold()[:LONGEST_WORD])


def _parts(name: str, reduce: Callable[[str], str] = _english) -> Iterator[str]:
    """A word; or a name of several words whole, then its parts; each reduced to what counts of it."""
    if name.isalpha() and name.islower():
        yield reduce(name)
        return
    parts = [part for part in _SEAMS.split(name) if part]
    if len(parts) > 1:
        yield reduce(name.strip("._-"))
    for part in parts:
        yield reduce(part)


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for left, right in pairwise(run):
        yield left + right


_FUNCTION_WORDS = """
a about after again all also am an and any are as at be because been before being between both but by can
could d did do does doing done for from had has have having he her here hers him his how i if in into is it
its just ll m may me might more most must my no nor not of off on once only or other our out over own re s
same shall she should so some such t than that the their them then there these they this those through to
too under until up us ve very was we were what when where which while who whom why will with would you your
"""
COMMON = frozenset(stem(word) for word in _FUNCTION_WORDS.split())
"""English function words, as `words` gives them."""


def _ranges(*classes: str) -> list[tuple[int, int]]:
    """The code points that parts of character classes name, in order: first and last of each range."""
    found = re.findall(r"(.)(?:-(.))?", "".join(classes))
    return sorted((ord(first), ord(last or first)) for first, last in found)


WORD_KERNEL: Any = KERNELS and KERNELS.Analyzer(_ranges(_SILENT, _SIGNS))
"""The kernel that finds words, with a memory of those that it met; None where Python runs."""
