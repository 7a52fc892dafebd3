"""A sentence as words, each with what it can be, the closed classes by list and verbs by their forms; which word of a
clause is its finite verb, and how far the group around it goes."""

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
    return _closed().get(low) or ("adv" if low.endswith("ly") and len(low) > 4 and low not in lex.NOT_ADVERBS else "n")


def _is_name(text: str, low: str, before: Sequence[Word]) -> bool:
    """A capital that the start of a sentence does not explain; a word of several capitals anywhere."""
    if not text[0].isupper():
        return any(map(str.isupper, text)) and not text.isupper()
    inside = bool(before) and before[-1].text not in '."“:('
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


_STRONG, _MEDIUM, _LIKELY, _WEAK = 4, 3, 2, 1
_LOOKS = ("det", "poss", "num", "name", "pron", "code")
"""What the object of a verb begins with."""

_WITH_TO = frozenset(["need", "want", "try", "fail", "tend", "seem", "begin", "aim", "plan", "continue", "start"])
_CLOSERS = frozenset(')"”')
_SOME = frozenset(["some", "many", "most", "several", "few", "all", "both", "others"])
"""Words that are a subject by themselves where a verb follows."""


class Verb(NamedTuple):
    """The verb group of a clause: `may not have been tested`."""

    start: int
    end: int
    form: str
    """Of its first word: aux, modal, s, past, base."""
    is_passive: bool
    is_negated: bool
    is_past: bool
    number: str
    """singular, plural, or empty where the form does not say."""
    sure: int = _STRONG
    """1-4, how sure it is that this is the verb."""

    @property
    def is_weak(self) -> bool:
        """Whether it may as well be a noun."""
        return self.sure == _WEAK


def find_verb(words: Sequence[Word], start: int, end: int) -> Verb | None:
    """The finite verb of a clause; None where it has none."""
    best: tuple[int, int] | None = None
    depth = 0
    for at in range(start, end):
        depth = max(0, depth + (words[at].text == "(") - (words[at].text == ")"))
        if depth:
            continue
        sure = _evidence(words, start, at, end)
        if sure == _STRONG and not (best and best[0] == _MEDIUM and "s" in forms(words[best[1]].low)):
            return group(words, at, end)
        if sure and (
            best is None or sure > best[0] or (sure == best[0] == _MEDIUM and _is_reduced(words, best[1], end))
        ):
            best = (sure, at)
    return group(words, best[1], end)._replace(sure=best[0]) if best else None


def is_reduced(words: Sequence[Word], verb: Verb, end: int) -> bool:
    """Whether a verb may be no verb of a clause but a participle after its noun."""
    ends = verb.end >= end and "either" in forms(words[verb.start].low)
    return verb.sure < _STRONG and (ends or _is_reduced(words, verb.start, end))


def _is_reduced(words: Sequence[Word], at: int, end: int) -> bool:
    """Whether a past form may be short for `that was ...`: `the firm founded in 1998`."""
    return "either" in forms(words[at].low) and at + 1 < end and words[at + 1].tag == "prep"


def _evidence(words: Sequence[Word], start: int, at: int, end: int) -> int:
    """How sure it is that a word is the finite verb; 0 where it is not."""
    word = words[at]
    # The nearest word before that is no adverb.
    before = next((words[i] for i in range(at - 1, start - 1, -1) if words[i].tag != "adv"), None)
    if word.low in lex.CONTRACTED:
        return _STRONG
    if word.tag in ("aux", "modal"):
        return _STRONG if word.low in lex.FINITE and not (before and before.low == "to") else 0
    shapes = forms(word.low) if word.tag in ("n", "adv") else frozenset()
    if not shapes & {"base", "s", "past", "either"} or before is None or before.low == "to":
        return 0
    after = words[at + 1] if at + 1 < end else None
    if before.tag == "pron":
        return _STRONG if before.low in lex.SUBJECTS and shapes & {"base", "s", "past", "either"} else 0
    if before.low in _SOME and "base" in shapes and word.low not in lex.NOUNISH:
        return _MEDIUM
    if before.tag in ("det", "poss", "prep", "cc", "aux", "modal", "punct") and before.text not in _CLOSERS:
        return 0
    if before.tag == "num" and not ("s" not in shapes or _is_numbered(words, at)):
        return 0
    is_last = at + 2 == end or (at + 2 < end and words[at + 2].tag in ("punct", "cc"))
    sure = _open_evidence(word, before, after, shapes, words[start:at], is_last)
    # `travels` may be a noun, but not after `generally`.
    return _MEDIUM if sure == _WEAK and words[at - 1].tag == "adv" else sure


def _open_evidence(
    word: Word, before: Word, after: Word | None, shapes: frozenset[str], subject: Sequence[Word], is_last: bool
) -> int:
    takes = after is not None and (
        after.tag in _LOOKS or (after.low == "to" and lex.THIRDS.get(word.low, word.low) in _WITH_TO)
    )
    if "past" in shapes:
        return _STRONG
    if "either" in shapes and (before.low in lex.ADJECTIVES or (after is not None and after.low == "by")):
        return 0
    if "either" in shapes and word.low not in lex.BASES:
        return _STRONG if takes else _MEDIUM
    if "s" in shapes:
        if is_plural(subject):
            return 0
        base = lex.THIRDS[word.low]
        if base not in lex.NOUNISH:
            return _MEDIUM
        if before.tag == "name" and is_last and after is not None and after.low in lex.NOUNISH:
            return _LIKELY  # `Omar Reyes leads support`: a verb that ends its clause would lack its object
        if after is not None and (
            after.tag in ("aux", "modal")
            or after.low == "of"
            or (forms(after.low) & {"past", "base"} and after.tag == "n")
        ):
            return 0
        if after is None and subject[0].tag not in ("det", "poss", "name", "code"):
            return 0
        if takes:
            return _MEDIUM
        # `produces paper`: a plural seldom stands before another noun.
        return _LIKELY if after is not None and after.tag == "n" and not forms(after.low) else _WEAK
    if "base" in shapes and (is_plural(subject) or (before.tag == "name" and before.low.endswith("s"))):
        return _MEDIUM if word.low not in lex.NOUNISH or takes else _WEAK
    return 0


def _is_numbered(words: Sequence[Word], at: int) -> bool:
    """Whether the number before is a name's, as in `Figure 3 shows`."""
    return at >= 2 and (
        words[at - 2].tag in ("n", "name") or (words[at - 2].low == "of" and words[at - 1].text.isdigit())
    )


def group(words: Sequence[Word], at: int, end: int) -> Verb:
    """The verb group whose finite word stands at `at`."""
    first = words[at]
    last = at + 1
    passive = False
    if first.tag in ("aux", "modal"):
        last, passive = _chain(words, at, end)
    negated = any(word.low in lex.NEGATIONS or word.low.endswith("n't") for word in words[at:last])
    return Verb(at, last, _form(first), passive, negated, _is_past(first), _number(first))


def _chain(words: Sequence[Word], at: int, end: int) -> tuple[int, bool]:
    """How far auxiliaries, negations and the verb after them go; whether it is a passive."""
    last, be, seen = at + 1, words[at].low in lex.BE, at + 1
    while seen < end:
        word = words[seen]
        if word.tag == "aux":
            be = word.low in lex.BE
            last = seen + 1
        elif word.low in lex.NEGATIONS and word.tag != "det":
            last = seen + 1
        elif word.tag != "adv":
            break
        seen += 1
    if seen < end and words[seen].tag == "n" and _fits(words[at:last], words[seen], be):
        return seen + 1, be and is_participle(words[seen])
    return last, False


def _fits(chain: Sequence[Word], word: Word, be: bool) -> bool:
    """Whether a verb form can follow these auxiliaries."""
    shapes = forms(word.low)
    if be:
        return bool(shapes & {"either", "part", "ing"})
    last = next(w.low for w in reversed(chain) if w.tag in ("aux", "modal"))
    if last in lex.HAVE:
        return bool(shapes & {"either", "part"})
    return "base" in shapes or last in lex.MODALS  # after `can` stands a verb, known or not


def _form(first: Word) -> str:
    if first.tag in ("aux", "modal"):
        return first.tag
    shapes = forms(first.low)
    return "past" if shapes & {"past", "either"} and first.low not in lex.BASES else "s" if "s" in shapes else "base"


def _is_past(first: Word) -> bool:
    return first.low in lex.PAST or (first.tag == "n" and _form(first) == "past")


def _number(first: Word) -> str:
    if first.low in lex.SINGULAR or (first.tag == "n" and _form(first) == "s"):
        return "singular"
    return "plural" if first.low in lex.PLURAL or _form(first) == "base" else ""
