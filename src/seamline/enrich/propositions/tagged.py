"""A sentence as words, each with what it can be: the closed classes by list, verbs by their forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from seamline.enrich.propositions import lexicon as lex

_WORDS = re.compile(
    r"`[^`]*`"
    r"|https?://[^\s,;)]+"
    r"|[$€£]\s?\d[\d.,]*\d?[a-z]{0,2}|\d[\d.,:/]*\d%?|\d%?"
    r"|(?:[A-Za-z]\.){2,}"
    r"|[^\W\d_][\w’']*(?:[-/.&][\w’']+)*"
    r"|\w+|--|[^\w\s]"
)
_NUMBER = re.compile(r"[$€£]?\s?\d")


class Word(NamedTuple):
    """A word or a mark."""

    text: str
    low: str
    """In small letters, with a plain apostrophe."""
    tag: str
    """det poss pron prep cc rel aux modal adv num punct name code; n for all else."""
    gap: str = " "
    """What stands before it in the sentence: a space or nothing."""


def words_of(sentence: str) -> list[Word]:
    """The words of a sentence on one line, in order."""
    found: list[Word] = []
    end = 0
    for match in _merged(sentence):
        text = sentence[match[0] : match[1]]
        low = text.lower().replace("’", "'")
        gap = "" if match[0] == end else " "
        found.append(Word(text, low, _tag(text, low, found), gap if found else ""))
        end = match[1]
    return found


def made(text: str) -> Word:
    """A word that the sentence does not have, such as the `was` of an apposition."""
    return Word(text, text.lower(), _tag(text, text.lower(), []))


def spaced(words: Sequence[Word]) -> list[Word]:
    """Words that are put after others."""
    return [words[0]._replace(gap=" "), *words[1:]] if words else []


def possessive(words: Sequence[Word]) -> list[Word]:
    """A phrase as the owner of what follows: `the pump's`."""
    last = words[-1]
    mark = "'" if last.low.endswith("s") and last.tag == "n" else "'s"
    return [*words[:-1], last._replace(text=last.text + mark)]


def joined(words: Sequence[Word]) -> str:
    """Words as a sentence: with a capital and a full stop, and none of the marks that were around them."""
    kept = list(words)
    while kept and kept[-1].text in ",;:.-–—":
        kept.pop()
    while kept and kept[0].text in ",;:.-–—":
        kept.pop(0)
    if not kept:
        return ""
    text = "".join(_gap(word, before) + word.text for word, before in zip(kept, [None, *kept], strict=False))
    text = text if kept[0].tag == "code" else text[:1].upper() + text[1:]
    return text if text[-1] in ".!?" or text.endswith((".”", '."')) else f"{text}."


def _gap(word: Word, before: Word | None) -> str:
    if before is None:
        return ""
    return "" if word.text in ",;:.)" or before.text == "(" or word.text.startswith("'s") else word.gap


def _merged(sentence: str) -> Iterator[tuple[int, int]]:
    """Spans of words; an abbreviation has its point."""
    spans = [match.span() for match in _WORDS.finditer(sentence)]
    last = len(sentence.rstrip())
    at = 0
    while at < len(spans):
        start, end = spans[at]
        follows = sentence[end : end + 1] == "." and end + 1 < last
        if follows and (
            sentence[start:end].lower() in lex.ABBREVIATIONS or (end - start == 1 and sentence[start].isupper())
        ):
            end, at = end + 1, at + 1
        yield start, end
        at += 1


def _tag(text: str, low: str, before: Sequence[Word]) -> str:
    """What a word is by itself. Marks and numbers first: they are never anything else."""
    if text[0] == "`":
        return "code"
    if _NUMBER.match(text):
        return "num"
    if not (text[0].isalnum()):
        return "punct"
    if _is_name(text, low, before):
        return "name"
    return _closed().get(low) or ("adv" if low.endswith("ly") and len(low) > 4 and low not in _NOT_ADVERBS else "n")


_NOT_ADVERBS = {
    "family",
    "supply",
    "apply",
    "reply",
    "rely",
    "early",
    "only",
    "assembly",
    "monthly",
    "daily",
    "fly",
    "italy",
}


def _is_name(text: str, low: str, before: Sequence[Word]) -> bool:
    """A capital that the start of a sentence does not explain; a word of several capitals anywhere."""
    if not text[0].isupper():
        return any(map(str.isupper, text)) and not text.isupper()
    inside = bool(before) and before[-1].text not in '."“:('
    if low in lex.MONTHS and inside:
        return True
    return (inside and low != "i") or (len(text) > 1 and any(map(str.isupper, text[1:])))


@lru_cache(1)
def _closed() -> dict[str, str]:
    classes = [
        ("prep", lex.PREPOSITIONS), ("adv", lex.ADVERBS), ("det", lex.DETERMINERS), ("pron", lex.PRONOUNS),
        ("poss", lex.POSSESSIVES), ("rel", lex.RELATIVES), ("cc", lex.COORDINATORS),
        ("aux", lex.BE | lex.HAVE | lex.DO), ("modal", lex.MODALS),
    ]  # fmt: skip
    return {word: tag for tag, words in classes for word in words}


@lru_cache(1 << 14)
def forms(low: str) -> frozenset[str]:
    """What form of a verb a word can be: base, s, past (finite only), either (past or participle), part, ing."""
    found = set()
    if low in lex.BASES:
        found.add("base")
    if low in lex.THIRDS:
        found.add("s")
    if low in lex.ONLY_PAST:
        found.add("past")
    elif low in lex.BOTH_PAST:
        found.add("either")
    elif low in lex.PARTICIPLES:
        found.add("part")
    elif low.endswith("ed") and low not in lex.NOT_ED and (len(low) > 4 or low[:-1] in lex.BASES):
        found.add("either")
    if low.endswith("ing") and len(low) > 5:
        found.add("ing")
    return frozenset(found)


def is_participle(word: Word) -> bool:
    """Whether a word can follow `was`, as in `was founded`."""
    return word.tag == "n" and bool(forms(word.low) & {"either", "part"})


def is_plural(words: Sequence[Word]) -> bool:
    """Whether a phrase speaks of several things."""
    words = [word for word in words if word.tag != "adv"]
    if not words or any(word.low == "and" for word in words):
        return bool(words)
    head = next((words[i - 1] for i in range(1, len(words)) if words[i].tag in ("prep", "rel")), words[-1])
    if head.low in lex.IRREGULAR_PLURALS or head.low in {"they", "we", "these", "those", "some", "many", "several"}:
        return True
    return head.tag == "n" and head.low.endswith("s") and not head.low.endswith(("ss", "us", "is", "'s"))
