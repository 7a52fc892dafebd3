"""What a sentence says in passing: relative clauses, appositions, participles and brackets, each as its own clause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.propositions.segments import Segment, segments, subject_of
from seamline.enrich.propositions.tagged import Word, is_participle, is_plural, made, spaced
from seamline.enrich.propositions.verbs import Verb, find_verb

_NOT_FRONTED = frozenset(
    ["compared", "given", "provided", "combined", "followed", "concerned", "based", "related", "used", "faced"]
)
"""Participles that begin a comparison or a condition rather than a fact."""


class Taken(NamedTuple):
    """A clause taken out of a sentence, and the sentence without it."""

    clause: list[Word]
    rest: list[Word]


def take_side(words: list[Word]) -> Taken | None:
    """The first thing said in passing; None where there is none that can be taken out safely."""
    pieces = segments(words)
    return _bracket(words) or _fronted(words, pieces) or _middle(words, pieces) or _final(words, pieces)


def be(subject: Sequence[Word], verb: Verb, past: bool) -> Word:
    """The form of `be` for a subject, in the tense of the sentence."""
    several = verb.number == "plural" or (not verb.number and is_plural(subject))
    return made(("were" if several else "was") if past else ("are" if several else "is"))


def refers(words: Sequence[Word]) -> bool:
    """Whether words hold a pronoun that stands for something they do not name."""
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else None
        if (
            word.low in lex.OBJECTS
            and word.tag != "name"
            and not (after is not None and after.tag in ("n", "name", "num") and word.low not in ("it", "them", "him"))
        ):
            return True
    return False


def _was(subject: Sequence[Word], participle: Sequence[Word], verb: Verb) -> list[Word]:
    """A participle as a clause: past where the sentence is, or where it names a time or who did it."""
    dated = any(word.tag == "num" or word.low == "by" or word.low in lex.MONTHS for word in participle)
    return [*subject, be(subject, verb, verb.is_past or dated), *spaced(participle)]


def _bracket(words: list[Word]) -> Taken | None:
    """`Vela (a subsidiary of Orbis) builds vans`, where the bracket follows the subject."""
    texts = [word.text for word in words]
    if "(" not in texts or ")" not in texts[texts.index("(") :]:
        return None
    start = texts.index("(")
    end = texts.index(")", start)
    inner, subject, rest = words[start + 1 : end], words[:start], [*words[:start], *words[end + 1 :]]
    verb = find_verb(rest, 0, len(rest))
    if not inner or not subject or verb is None or verb.start != start or find_verb(inner, 0, len(inner)):
        return None
    if inner[0].low in ("a", "an", "the"):
        return Taken([*subject, be(subject, verb, verb.is_past), *spaced(inner)], rest)
    is_fact = is_participle(inner[0]) and inner[0].low not in _NOT_FRONTED and len(inner) > 1
    return Taken(_was(subject, inner, verb), rest) if is_fact else None


def _fronted(words: list[Word], pieces: Sequence[Segment]) -> Taken | None:
    """`Founded in 1998, Acme makes anvils`."""
    if len(pieces) < 2 or pieces[0].opener or pieces[0].verb or pieces[1].opener != (",",):
        return None
    first, main = words[0], pieces[1]
    if not is_participle(first) or pieces[0].end < 2 or first.low in _NOT_FRONTED or main.verb is None or main.is_bare:
        return None
    subject = subject_of(words, main)
    if not subject or subject[0].tag in ("prep", "pron"):
        return None
    lowered = [first._replace(text=first.low), *words[1 : pieces[0].end]]
    return Taken(_was(subject, lowered, main.verb), words[main.start :])


def _middle(words: list[Word], pieces: Sequence[Segment]) -> Taken | None:
    """`Acme, which makes anvils, opened a plant`; `Jane Roe, the head of Acme, resigned`."""
    if len(pieces) < 3 or pieces[0].opener or pieces[0].verb:
        return None
    head, side, main = pieces[:3]
    subject = words[: head.end]
    if main.opener != (",",) or main.verb is None or not main.is_bare or subject[0].tag in ("prep", "adv", "pron"):
        return None
    rest = [*subject, *words[main.start :]]
    inner = words[side.start : side.end]
    clause = _described(subject, side, inner, main.verb)
    return Taken(clause, rest) if clause and not refers(inner) else None


def _described(subject: list[Word], side: Segment, inner: list[Word], verb: Verb) -> list[Word] | None:
    if side.opener in ((",", "which"), (",", "who")):
        return [*subject, *inner] if side.is_bare else None
    if side.opener != (",",) or (side.verb and not is_participle(inner[0])):
        return None
    if is_participle(inner[0]):
        return _was(subject, inner, verb) if len(inner) > 1 else None
    if inner[0].low in ("a", "an", "the", "one") or (inner[0].tag == "name" and subject[0].low == "the"):
        return [*subject, be(subject, verb, verb.is_past), *spaced(inner)]
    return None


def _final(words: list[Word], pieces: Sequence[Segment]) -> Taken | None:
    """`The prize went to Noor Aziz, a chemist from Lahore`; `..., who was studying stars`."""
    if len(pieces) < 2 or any(piece.opener == (",",) and not piece.verb for piece in pieces[1:-1]):
        return None
    side, before = pieces[-1], pieces[-2]
    inner, rest = words[side.start :], words[: side.mark]
    named = _named(words, before.start, side.mark)
    if not named or before.verb is None or refers(inner) or named[0].tag == "poss":
        return None
    if side.last == "which" and named[-1].tag != "name" and side.mark - len(named) != before.verb.end:
        return None  # `an odour in the suits, which ...`: either may be meant
    if side.opener in ((",", "which"), (",", "who")) and side.verb and side.is_bare:
        is_event = words[side.verb.end - 1].low in lex.EVENTS and side.last == "which"
        is_event |= side.last == "which" and side.verb.form == "modal!" and named[-1].tag != "name"
        clash = side.verb.number and (side.verb.number == "plural") != is_plural(named)
        return None if is_event or clash else Taken([*named, *inner], rest)
    is_phrase = side.opener == (",",) and side.verb is None and inner[0].low in ("a", "an", "the")
    if is_phrase and all(word.tag == "name" for word in named):
        verb = before.verb._replace(number="")
        return Taken([*named, be(named, verb, verb.is_past), *spaced(inner)], rest)
    return None


def _named(words: Sequence[Word], start: int, end: int) -> list[Word]:
    """The phrase that ends at `end`: a name, or a noun with its article. Empty where another may be meant."""
    verb = find_verb(words, start, end)
    low = max(start, verb.end if verb else start)
    at = end
    while at > low and words[at - 1].tag in ("n", "name", "num", "code"):
        at -= 1
    phrase = list(words[at:end])
    before = words[at - 1] if at > start else None
    if not phrase or before is None or before.low == "of" or before.tag == "cc":
        return []
    if before.tag in ("det", "poss"):
        return [] if at - 2 >= start and words[at - 2].low == "of" else [before, *phrase]
    return phrase if all(word.tag == "name" for word in phrase) else []
