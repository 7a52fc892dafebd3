"""A sentence in pieces: between commas, conjunctions and relative words, each with its verb; and what it says in
passing, relative clauses, appositions, participles and brackets, each as a clause of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.propositions.verbs import (
    Verb,
    Word,
    find_verb,
    forms,
    group,
    is_participle,
    is_plural,
    is_reduced,
    made,
    spaced,
)

_MARKS = {",", ";", ":", "—", "–", "-", "--", "…"}
_DOUBTFUL = lex.SUBORDINATORS & lex.PREPOSITIONS
"""Words that open a clause only where a verb follows."""


class SentenceSegment(NamedTuple):
    """One piece of a sentence."""

    opener: tuple[str, ...]
    """The marks and words that open it, as in `, and`."""
    mark: int
    """Where those begin."""
    start: int
    end: int
    verb: Verb | None
    """Its finite verb."""

    @property
    def is_bare(self) -> bool:
        """Whether its subject stands elsewhere: the verb comes first."""
        return self.verb is not None and self.verb.form.endswith("!")

    @property
    def last(self) -> str:
        return self.opener[-1] if self.opener else ""


def segments(words: Sequence[Word]) -> list[SentenceSegment]:
    """The pieces of a sentence, in order, without its final mark."""
    found: list[SentenceSegment] = []
    for opener, mark, start, end in _pieces(words):
        piece = SentenceSegment(opener, mark, start, end, _verb(words, opener, start, end, found))
        if found and _continues(words, found[-1], piece):
            before = found.pop()
            verb = before.verb if piece.verb is None else piece.verb
            if verb is None and piece.last == "and":  # two subjects: their verb is a plural one
                verb = find_verb(words, before.start, end)
                verb = None if verb is None or verb.is_weak else verb
            piece = SentenceSegment(before.opener, before.mark, before.start, end, verb)
        found.append(piece)
    return found


def subject_of(words: Sequence[Word], piece: SentenceSegment) -> list[Word]:
    """What stands before the verb of a piece, adverbs next to the verb aside."""
    assert piece.verb is not None
    found = list(words[piece.start : piece.verb.start])
    while found and found[-1].tag == "adv":
        found.pop()
    return found


def _pieces(words: Sequence[Word]) -> Iterator[tuple[tuple[str, ...], int, int, int]]:
    """Opener, where it begins, and the range of every piece."""
    opener: list[str] = []
    mark = start = 0
    at = _leading_names(words)
    end = len(words)
    while end and _opens(words, end - 1):
        end -= 1  # what opens nothing belongs to the last piece, as in `at once`
    while at < end:
        if words[at].text == "(":
            at = next((i for i in range(at, len(words)) if words[i].text == ")"), at) + 1
            continue
        if not _opens(words, at):
            at += 1
            continue
        if at > start:
            yield tuple(opener), mark, start, at
            opener, mark = [], at
        opener.append(words[at].low)
        start = at = at + 1
    if start < len(words):
        yield tuple(opener), mark, start, len(words)


def _leading_names(words: Sequence[Word]) -> int:
    """Where the names that a sentence begins with end: `Finland, Norway and Sweden border ...`; 0 without one."""
    at, joins = 0, 0
    while True:
        first = at
        while at < len(words) and (words[at].tag in ("name", "code") or (at == 0 and words[0].text[0].isupper())):
            at += 1
        if at == first or words[first].tag not in ("name", "code", "n"):
            return 0
        if at < len(words) and (words[at].text == "," or words[at].low == "and"):
            joins += words[at].low == "and" or (at + 1 < len(words) and words[at + 1].low == "and")
            at += 2 if words[at].text == "," and at + 1 < len(words) and words[at + 1].low == "and" else 1
            continue
        is_verb = at < len(words) and words[at].tag in ("n", "aux", "modal", "adv")
        return at if joins == 1 and is_verb else 0


def _opens(words: Sequence[Word], at: int) -> bool:
    word = words[at]
    if word.text in _MARKS:
        return not _is_in_date(words, at)
    if word.low == "that":
        return at > 0 and words[at - 1].tag in ("n", "name", "num", "cc", "adv", "aux", "code", "punct")
    return word.tag in ("cc", "rel") or (word.low in lex.SUBORDINATORS and word.tag != "name")


def _is_in_date(words: Sequence[Word], at: int) -> bool:
    """The comma of `May 3, 2004`."""
    if not 2 <= at < len(words) - 1:
        return False
    return words[at - 2].low in lex.MONTHS and words[at - 1].tag == words[at + 1].tag == "num"


def _verb(
    words: Sequence[Word], opener: tuple[str, ...], start: int, end: int, found: Sequence[SentenceSegment]
) -> Verb | None:
    first = next((i for i in range(start, end) if words[i].tag != "adv"), end)
    if opener and first < end:
        last = opener[-1]
        if last in ("which", "who", "that") and (verb := _at_start(words, first, end)):
            return verb._replace(form=f"{verb.form}!")
        if last in ("and", "but", "yet", ",", "or") and (verb := _coordinated(words, opener, first, end, found)):
            return verb._replace(form=f"{verb.form}!")
    verb = find_verb(words, start, end)
    return None if verb and verb.is_weak and found and opener and opener[-1] in ("and", ",", "or") else verb


def _at_start(words: Sequence[Word], first: int, end: int) -> Verb | None:
    word = words[first]
    if (word.tag in ("aux", "modal") and word.low in lex.FINITE) or (
        word.tag == "n" and forms(word.low) & {"base", "s", "past", "either"}
    ):
        return group(words, first, end)
    return None


def _coordinated(
    words: Sequence[Word], opener: tuple[str, ...], first: int, end: int, found: Sequence[SentenceSegment]
) -> Verb | None:
    """The verb that a piece begins with, where it can share the subject of a verb before."""
    word = words[first]
    if word.tag in ("aux", "modal"):
        return group(words, first, end) if word.low in lex.FINITE else None
    shapes = forms(word.low) if word.tag == "n" else frozenset()
    if not shapes & {"base", "s", "past", "either", "part"}:
        return None
    before = next((piece for piece in reversed(found) if piece.verb), None)
    aside = opener == (",",) and all(piece.verb is None or piece.last in lex.RELATIVES for piece in found)
    if before is None or aside:
        return group(words, first, end) if _follows_side(words, word, found) else None
    if first + 1 < end and words[first + 1].low == "of":
        return None
    takes = first + 1 < end and words[first + 1].tag in ("det", "poss", "num", "pron", "name", "code")
    is_parallel = (found[-1].is_bare and opener[-1] != ",") or (
        "s" in shapes and not is_plural([words[found[-1].end - 1]])
    )
    listed = opener == (",",) and _leads_on(words, end, shapes)
    if lex.THIRDS.get(word.low, word.low) in lex.NOUNISH and (
        (not takes and not is_parallel and not listed) or find_verb(words, first, end)
    ):
        return None
    return group(words, first, end) if _agrees(words, before, shapes, first) else None


def _leads_on(words: Sequence[Word], end: int, shapes: frozenset[str]) -> bool:
    """Whether `and` and a verb of the same form come later: `accepts uploads, stores files and exposes ...`."""
    for at in range(end, len(words) - 1):
        if words[at].low == "and":
            later = next((word for word in words[at + 1 :] if word.tag != "adv"), None)
            if later is not None and later.tag == "n" and forms(later.low) & shapes & {"s", "past", "either"}:
                return True
    return False


def _follows_side(words: Sequence[Word], word: Word, found: Sequence[SentenceSegment]) -> bool:
    """Whether a verb after a comma belongs to the phrase the sentence begins with: `Acme, founded in 1998, makes`."""
    if len(found) < 2:
        return False
    shapes = forms(word.low)
    several = is_plural(words[found[0].start : found[0].end])
    return ("base" not in shapes or several) and bool(shapes & {"s", "past", "either", "base"})


def _agrees(words: Sequence[Word], before: SentenceSegment, shapes: frozenset[str], first: int) -> bool:
    """Whether a form goes with the verb it is joined to."""
    verb = before.verb
    assert verb is not None
    form = verb.form.removesuffix("!")
    if "s" in shapes and "base" not in shapes:
        several = not before.is_bare and is_plural(words[before.start : verb.start])
        return verb.number == "singular" or (form in ("modal", "past") and not several)
    if shapes & {"past", "either", "part"} and "base" not in shapes:
        if any(word.low == "be" for word in words[verb.end : first]):
            return False  # `designed to be tested and used`
        return form == "past" or "past" in shapes or (form == "aux" and (verb.is_past or verb.end > verb.start + 1))
    if any(word.low == "to" for word in words[verb.end : first]):
        return False  # `wants to expand and hire`: both may hang on `to`
    if any(word.low in ("be", "been", "being") for word in words[verb.start : verb.end]):
        return False  # `will be available and open`
    return form == "modal" or words[verb.start].low in lex.DO or verb.number == "plural"


def shares(words: Sequence[Word], before: Verb, verb: Verb, end: int) -> list[Word]:
    """The auxiliaries that a later verb borrows: `was founded ... and [was] acquired`, `may drop ... and [may] log`."""
    first, chain = words[verb.start], words[before.start : before.end]
    if first.tag in ("aux", "modal"):
        return []
    shapes = forms(first.low)
    borrowed = [word for word in chain if word.tag in ("aux", "modal")]
    if len(borrowed) == len([word for word in chain if word.tag != "adv"]) and borrowed[0].tag == "aux":
        return []  # `has two doors`, `is red`: no auxiliary, but the verb itself
    after = words[verb.start + 1] if verb.start + 1 < end else None
    if borrowed and shapes & {"either", "part"} and "base" not in shapes:
        takes = first.low in lex.ACTIVE or (after is not None and after.tag not in ("prep", "adv", "punct", "cc"))
        has = borrowed[-1].low in lex.HAVE
        return borrowed if has or (is_participle(first) and not takes) else []
    if "base" in shapes and borrowed and (borrowed[0].tag == "modal" or borrowed[0].low in lex.DO):
        return borrowed
    return []


def _continues(words: Sequence[Word], before: SentenceSegment, piece: SentenceSegment) -> bool:
    """Whether a piece is no clause of its own but part of the one before."""
    if piece.is_bare:
        return False
    if piece.verb is None:
        return piece.last in ("and", "or", "but", "nor", "yet") or piece.last in _DOUBTFUL
    if piece.opener not in (("and",), ("or",)) or (before.opener and before.last not in ("and", "but", ",", ";")):
        return False
    # `the heat required for boiling and steaming is high`: what looked like a verb belongs to the subject.
    return before.verb is None or (not before.is_bare and is_reduced(words, before.verb, before.end))


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
    is_fact = is_participle(inner[0]) and inner[0].low not in lex.NOT_FRONTED and len(inner) > 1
    return Taken(_was(subject, inner, verb), rest) if is_fact else None


def _fronted(words: list[Word], pieces: Sequence[SentenceSegment]) -> Taken | None:
    """`Founded in 1998, Acme makes anvils`."""
    if len(pieces) < 2 or pieces[0].opener or pieces[0].verb or pieces[1].opener != (",",):
        return None
    first, main = words[0], pieces[1]
    if (
        not is_participle(first)
        or pieces[0].end < 2
        or first.low in lex.NOT_FRONTED
        or main.verb is None
        or main.is_bare
    ):
        return None
    subject = subject_of(words, main)
    if not subject or subject[0].tag in ("prep", "pron"):
        return None
    lowered = [first._replace(text=first.low), *words[1 : pieces[0].end]]
    return Taken(_was(subject, lowered, main.verb), words[main.start :])


def _middle(words: list[Word], pieces: Sequence[SentenceSegment]) -> Taken | None:
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


def _described(subject: list[Word], side: SentenceSegment, inner: list[Word], verb: Verb) -> list[Word] | None:
    if side.opener in ((",", "which"), (",", "who")):
        return [*subject, *inner] if side.is_bare else None
    if side.opener != (",",) or (side.verb and not is_participle(inner[0])):
        return None
    if is_participle(inner[0]):
        return _was(subject, inner, verb) if len(inner) > 1 else None
    if inner[0].low in ("a", "an", "the", "one") or (inner[0].tag == "name" and subject[0].low == "the"):
        return [*subject, be(subject, verb, verb.is_past), *spaced(inner)]
    return None


def _final(words: list[Word], pieces: Sequence[SentenceSegment]) -> Taken | None:
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
