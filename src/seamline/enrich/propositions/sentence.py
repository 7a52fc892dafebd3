"""Claims by rules, without a model: an English sentence -> its claims, or the reason why it claims nothing. What cannot
be told apart stays whole, and so do sentences of other languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.propositions.apparatus import is_note, is_reference, is_reference_list, without_marks
from seamline.enrich.propositions.claims import Claim, entities
from seamline.enrich.propositions.clauses import Clause, claims, clauses, introduces
from seamline.enrich.propositions.segments import segments, take_side
from seamline.enrich.propositions.verbs import Word, find_verb, forms, is_plural, joined, possessive, spaced, words_of
from seamline.enrich.prose import Passage

LONGEST = 90
"""Words of a sentence that is taken apart; a longer one is rarely one sentence."""
_MOST_SIDES = 4
_LONGEST_NAME = 6
"""Words of a subject that a pronoun is replaced by."""
_QUOTES = frozenset('"“”„«»')
_THIRD = frozenset(["he", "she", "it", "they"])
_PLACED = frozenset(["in", "at", "from", "near", "of"])
_CONTRASTS = frozenset([(",", "while"), (",", "whereas"), (",", "so")])
"""What opens a second clause that is true by itself."""
_REMARKS = frozenset(["too", "however", "therefore", "moreover", "indeed", "though", "furthermore", "meanwhile"])
_TEXTS = frozenset(["section", "chapter", "page", "article", "post", "guide", "document", "tutorial", "appendix"])
_TELLS = frozenset(
    ["cover", "covers", "discuss", "discusses", "see", "look", "explain", "explains", "describe", "describes", "learn",
     "explore", "explores", "walk", "talk", "go", "return", "show", "introduce", "introduces", "review"]
)  # fmt: skip
_OPEN = frozenset(
    ["following", "follows", "below", "these", "such", "like", "namely", "example", "includes", "include"]
)
_LATER = frozenset(["below", "above", "later", "next", "here", "section", "chapter", "shortly", "now", *_TEXTS])


class Subject(NamedTuple):
    """What the sentence before is about."""

    words: list[Word]
    is_plural: bool
    names_new: bool
    """Whether that sentence names something else a pronoun may mean."""
    other_people: bool
    other_plurals: bool


class Reading(NamedTuple):
    """What a sentence claims."""

    claims: list[str]
    skipped: str = ""
    """Why there are none: question, imperative, fragment, aside."""
    subject: Subject | None = None
    resolved: bool = False
    """Whether a pronoun was replaced by what it stands for."""
    sure: tuple[float, ...] = ()
    """Of each claim: how likely it is one fact that can be read alone."""


def read(sentence: str, before: Subject | None = None) -> Reading:
    """The claims of a sentence on one line, in order. `before` is what the sentence before it is about."""
    words = words_of(without_marks(sentence))
    if words and words[-1].text == "?":
        return Reading([], "question")
    if _leads_in(words) or _is_about_text(words):
        return Reading([], "aside")
    words = _without_marker(_without_remarks(_without_stop(words)))
    if len(words) > LONGEST:
        return _read_long(words)
    if not words or (find_verb(words, 0, len(words)) is None and _verbless(words)) or _is_headless(words):
        return Reading([], "imperative" if words and _is_imperative(words) else "fragment")
    if _is_imperative(words) or _is_imperative_later(words):
        return Reading([], "imperative")
    if words[0].low in ("do", "does", "did", "is", "are", "was", "were", "has", "have") or words[0].tag == "modal":
        return Reading([], "question")
    found = _resolved(words, before)
    said, subject = _said(words if found is None else found)
    claims = {text: claim for claim in said if (text := joined(claim))}
    if not claims:
        return Reading([], "fragment", subject)
    is_resolved = found is not None and found is not words
    most = UNRESOLVED if found is None else RESOLVED if is_resolved else 1.0
    sure = tuple(min(most, sureness(claim)) for claim in claims.values())
    return Reading(list(claims), "", None if found is None else subject, is_resolved, sure)


def _read_long(words: list[Word]) -> Reading:
    """A sentence that is too long to take apart, in one claim where it has a verb."""
    has_verb = any(word.low in lex.FINITE or forms(word.low) & {"s", "past", "either"} for word in words)
    if not has_verb or words[0].low in _THIRD:
        return Reading([], "fragment")
    return Reading([joined(words)], sure=(COMPOUND,))


def _verbless(words: Sequence[Word]) -> bool:
    return all(piece.verb is None for piece in segments(words))


def _is_headless(words: Sequence[Word]) -> bool:
    """Whether a phrase is followed by a reason and has no verb itself: `Immutable because it is shared`."""
    first, *later = segments(words)
    return (
        first.verb is None
        and not first.opener
        and len(later) > 0
        and later[0].opener in (("because",), ("since",), ("as",))
        and all(piece.opener[0] in lex.SUBORDINATORS | {"and", "or"} for piece in later)
    )


def _without_stop(words: list[Word]) -> list[Word]:
    end = len(words)
    while end and words[end - 1].text in ".!…":
        end -= 1
    return words[:end]


def _without_marker(words: list[Word]) -> list[Word]:
    """Words without what ties them to the sentence before."""
    lows = [word.low for word in words[:5]]
    for marker in lex.MARKERS:
        parts = marker.split()
        after = len(parts)
        if lows[:after] == parts and len(words) > after + 1:
            if words[after].text == ",":
                return words[after + 1 :]
            if marker in ("and", "but", "yet", "so") and words[after].tag != "n" and words[after].low != "far":
                return words[after:]
    return words


def _without_remarks(words: list[Word]) -> list[Word]:
    """Words without what only links them to others: `He, too, is ...`."""
    kept = list(words)
    at = 0
    while at + 2 < len(kept):
        if kept[at].text == "," == kept[at + 2].text and kept[at + 1].low in _REMARKS:
            del kept[at : at + 3]
        at += 1
    return kept


def _leads_in(words: Sequence[Word]) -> bool:
    """Whether a sentence only announces what follows it: `The object is defined by:`."""
    if len(words) < 2 or words[-1].text != ":":
        return False
    last = words[-2]
    return last.tag in ("prep", "aux", "modal", "rel", "cc") or last.low in _OPEN


def _is_about_text(words: Sequence[Word]) -> bool:
    """Whether a sentence speaks of the text it stands in: `We'll cover all of this below`."""
    lows = [word.low for word in words]
    speaks = lows[:1] in (["we'll"], ["we"], ["i'll"], ["let's"]) or (lows[:1] == ["this"] and set(lows[1:2]) & _TEXTS)
    return bool(speaks) and bool(_TELLS & set(lows[1:5])) and bool(_LATER & set(lows))


def _is_imperative(words: Sequence[Word]) -> bool:
    first = words[0].low
    if first in ("please", "let", "let's", "don't") or (first == "do" and len(words) > 1 and words[1].low == "not"):
        return True
    at = 1 if first in ("always", "never", "then", "first", "next", "finally", "now") and len(words) > 1 else 0
    word = words[at]
    if word.tag not in ("n", "name") or "base" not in forms(word.low):
        return False
    after = words[at + 1] if at + 1 < len(words) else None
    if (
        after is None
        or after.tag in ("det", "poss", "num", "code", "pron", "adv", "rel")
        or after.low in lex.ADJECTIVES
    ):
        return True
    verb = find_verb(words, 0, len(words))
    if after.text == "--" or (at == 0 and verb is not None and verb.is_weak):
        return True  # `Set values in the file`
    return word.low not in lex.NOUNISH and after.tag not in ("aux", "modal") and "s" not in forms(after.low)


def _is_imperative_later(words: Sequence[Word]) -> bool:
    """Whether an instruction follows a condition or an aim: `When upgrading, read the notes`, `If it fails, retry`."""
    pieces = segments(words)
    first = pieces[0]
    if len(pieces) < 2 or pieces[1].opener != (",",):
        return False
    opens = words[0].low in ("to", "when", "before", "after", "by", "for", "instead", "in") or (
        bool(first.opener) and first.opener[0] in lex.SUBORDINATORS
    )
    return opens and _is_imperative(words[pieces[1].start :])


def _resolved(words: list[Word], before: Subject | None) -> list[Word] | None:
    """The words with the pronoun they begin with replaced; None where nobody can say what it stands for."""
    first = words[0]
    second = words[1] if len(words) > 1 else None
    if first.low in ("its", "his", "their", "her") and second is not None and second.tag in ("n", "name", "num"):
        meant = _meant({"its": "it", "his": "he", "their": "they", "her": "she"}[first.low], before)
        return None if meant is None else [*possessive(meant), *words[1:]]
    if first.low in lex.BACKWARD:
        return None
    if first.low in _THIRD:
        if first.low == "it" and _is_empty_it(words):
            return words
        meant = _meant(first.low, before)
        return None if meant is None else [*meant, *words[1:]]
    if first.low in ("this", "that", "these", "those"):
        return None if _points_back(words) else words
    return _resolved_after_lead(words, before)


def _resolved_after_lead(words: list[Word], before: Subject | None) -> list[Word] | None:
    """The same for a pronoun after what a sentence begins with: `In 2003, it left Spain`."""
    pieces = segments(words)
    at = next((piece.start for piece in pieces[1:2] if piece.opener == (",",)), 0)
    if not at and len(words) > 2 and words[0].tag == "prep":
        at = next((i + 1 for i in (1, 2) if words[i].tag == "num"), 0)
    if not 0 < at < len(words) or words[at].low not in _THIRD or pieces[0].verb or _is_empty_it(words[at:]):
        return words
    meant = _meant(words[at].low, before)
    return None if meant is None else [*words[:at], *spaced(_inside(meant)), *words[at + 1 :]]


def _inside(words: list[Word]) -> list[Word]:
    """A phrase as it is written within a sentence."""
    return [words[0]._replace(text=words[0].low), *words[1:]] if words[0].tag in ("det", "poss") else words


def _points_back(words: Sequence[Word]) -> bool:
    """Whether a demonstrative stands alone: `This makes ...`, not `This change makes ...`."""
    first, second, third = (*words[:3], None, None, None)[:3]
    assert first is not None
    if third is not None and third.tag in ("det", "poss") and second is not None and second.low.endswith("s"):
        return True
    if second is None or second.tag in ("aux", "modal", "adv"):
        return True
    shapes = forms(second.low) if second.tag == "n" else frozenset()
    if first.low in ("this", "that"):
        return "s" in shapes or ("past" in shapes or "either" in shapes)
    return "base" in shapes and second.low not in lex.NOUNISH


def _is_empty_it(words: Sequence[Word]) -> bool:
    """The `it` of `It is clear that ...`, which stands for nothing before."""
    if len(words) < 3 or words[1].low not in lex.EMPTY_IT:
        return False
    return any(word.low == "that" for word in words[2:]) or any(word.low == "to" for word in words[2:7])


def _meant(pronoun: str, before: Subject | None) -> list[Word] | None:
    """What a pronoun stands for: the last subject, where nothing else comes into question."""
    if before is None or len(before.words) > _LONGEST_NAME:
        return None
    if pronoun == "they":
        return before.words if before.is_plural and not before.other_plurals else None
    if before.is_plural:
        return None
    person = _may_be_person(before.words)
    if pronoun == "it":
        several = before.names_new or any(word.low == "of" for word in before.words)
        return before.words if not several and not (person and len(before.words) > 1) else None
    return before.words if person and not before.other_people else None


def _may_be_person(words: Sequence[Word]) -> bool:
    if words[0].low.rstrip(".") in lex.PERSON_TITLES:
        return True
    capital = all(word.text[0].isupper() for word in words)
    return capital and words[0].tag != "det" and not any(word.low.rstrip(".") in lex.FIRMS for word in words)


def _said(words: list[Word]) -> tuple[list[list[Word]], Subject | None]:
    """The claims of a sentence as words, and what it is about."""
    if _is_whole(words):
        return [words], _about(clauses(words))
    parts = _conceded(words)
    if len(parts) == 2:
        return _both(*parts)
    found: list[list[Word]] = []
    rest = words
    for _ in range(_MOST_SIDES):
        taken = take_side(rest)
        if taken is None:
            break
        found += _taken_apart(taken.clause)
        rest = taken.rest
    main = clauses(rest)
    return [*found, *(_claims(main) if main else [rest])], _about(main)


def _both(first: list[Word], second: list[Word]) -> tuple[list[list[Word]], Subject | None]:
    """Two clauses that are both said to be true; a pronoun of the second may mean the subject of the first."""
    said, subject = _said(first)
    resolved = _resolved(second, subject)
    more, _ = _said(second if resolved is None else resolved)
    return [*said, *more], subject


def _claims(main: Sequence[Clause]) -> list[list[Word]]:
    return [claim for clause in main for claim in claims(clause)]


def _taken_apart(words: list[Word]) -> list[list[Word]]:
    main = clauses(words)
    return _claims(main) if main else [words]


def _is_whole(words: Sequence[Word]) -> bool:
    """Whether a sentence must not be taken apart: conditions, alternatives, quotations."""
    if words[0].low == "according" or any(word.text in _QUOTES for word in words):
        return True
    if any(first.low == "in" and second.low == "case" for first, second in pairwise(words)):
        return True
    start = 1 if words[0].low == "both" and any(word.low == "and" for word in words) else 0
    return any(word.low in lex.CONDITIONS | lex.WHOLE for word in words[start:])


def _conceded(words: list[Word]) -> list[list[Word]]:
    """Both sides of an `although`, of a `while` that contrasts, or of a `so`; else the sentence itself."""
    pieces = segments(words)
    first = pieces[0]
    own = [piece.verb is not None and not piece.is_bare for piece in pieces]
    if first.opener and first.opener[-1] in lex.CONCESSIVES and own[0] and len(pieces) > 1:
        if pieces[1].opener == (",",) and own[1]:
            return [words[first.start : first.end], words[pieces[1].start :]]
        return [words]
    for at, piece in enumerate(pieces[1:], 1):
        if piece.opener in _CONTRASTS and any(own[:at]) and any(own[at:]):
            return [words[: piece.mark], words[piece.start :]]
    last = pieces[-1]
    if len(pieces) > 1 and last.last in lex.CONCESSIVES and own[-1] and any(own[:-1]):
        return [words[: last.mark], words[last.start :]]
    return [words]


def _about(main: Sequence[Clause] | None) -> Subject | None:
    """What the next sentence may call it or they."""
    if not main or len({joined(clause.subject) for clause in main}) > 1:
        return None
    clause = main[0]
    if not clause.subject or clause.subject[0].tag in ("pron", "prep", "adv") or clause.subject[0].low == "there":
        return None
    several = clause.group.number == "plural" or (not clause.group.number and is_plural(clause.subject))
    rest = [word for each in main for word in each.rest]
    plurals = any(w.tag == "n" and is_plural([w]) for w in rest) and clause.verb[-1].low not in lex.BE
    people = any(
        word.tag == "name" and (not at or (rest[at - 1].tag != "name" and rest[at - 1].low not in _PLACED))
        for at, word in enumerate(rest)
        if word.low not in lex.MONTHS
    )
    return Subject(clause.subject, several, any(introduces(each) for each in main), people, plurals)


RESOLVED = 0.8
"""How sure a claim is whose pronoun was replaced by what it most likely stands for."""
UNRESOLVED = 0.3
"""Of a claim with a pronoun that nobody can say what it stands for."""
COMPOUND = 0.4
"""Of a claim that seems to hold several facts, because nobody could tell where one ends: no atomic one."""
POINTING = 0.85
"""Of a claim about `this change` or `the latter`."""
WEAK = 0.75
"""Of a claim whose verb may be a noun."""
_MOST_WORDS = 32


def sureness(claim: Sequence[Word]) -> float:
    """How likely it is that a claim is one fact that can be read alone, by what it is made of."""
    verb = find_verb(claim, 0, len(claim))
    if _hangs(claim, verb.end if verb else 0):
        return UNRESOLVED
    if verb is None:
        return WEAK
    sure = 1.0
    if _is_compound(claim):
        sure = COMPOUND
    if claim[0].low in ("this", "these", "those", "that", "such") or "such" in (
        word.low for word in claim[: verb.start]
    ):
        sure = min(sure, POINTING)
    if any(word.low in ("it", "them", "they") for word in claim[verb.end :]):
        sure = min(sure, WEAK)
    if verb.sure <= 2 or len(claim) > _MOST_WORDS:
        sure = min(sure, WEAK)
    return sure


def _hangs(words: Sequence[Word], after: int) -> bool:
    """Whether a claim speaks of something that neither it nor its subject names: `Alba sold it`, `It closed`."""
    first = words[0].low
    if (
        first in lex.BACKWARD
        or (first in _THIRD and not _is_empty_it(words))
        or first in ("his", "her", "its", "their")
    ):
        return True
    if first in ("this", "that", "these", "those") and _points_back(words):
        return True
    if any(word.low in ("he", "she", "him") for word in words):
        return True
    rest = words[after:]
    named = next((at for at, word in enumerate(rest) if word.tag in ("n", "name", "code", "rel")), len(rest))
    return any(word.low in ("it", "them", "him") for word in rest[:named])


def _is_compound(words: Sequence[Word]) -> bool:
    """Whether a claim that was not taken apart has several clauses or verbs that `and`, `but` or `;` join."""
    if _is_whole(words):
        return False
    seen = False
    for piece in segments(words):
        if seen and piece.verb is not None and set(piece.opener) & {"and", "but", ";"}:
            return True
        seen = seen or piece.verb is not None
    return False


class Read(NamedTuple):
    """The claims of a passage, and the sentences that claim nothing."""

    claims: list[Claim]
    skipped: Counter[str]


def read_passage(passage: Passage, language: str = "en") -> Read:
    """Claims in the order of their sentences. In other languages than English each sentence is one claim; a language
    that is not known is read as English where the words are."""
    skipped = _skipped(passage)
    if language == "en" or (not language and _looks_english(passage.text)):
        return _read_english(passage, skipped)
    claims = [
        Claim(each.text, (at,), entities(each.text))
        for at, each in enumerate(passage.sentences)
        if at not in skipped and not each.text.endswith(("?", "？", "؟"))
    ]
    return Read(claims, Counter(skipped.values()))


def _skipped(passage: Passage) -> dict[int, str]:
    """The sentences that are not read, with the reason: their paragraph is a note to authors or a reference."""
    listed = is_reference_list(passage.path)
    found: dict[int, str] = {}
    for _, group in groupby(enumerate(passage.sentences), key=lambda pair: pair[1].block):
        members = list(group)
        reason = "reference" if listed else _apparatus(" ".join(sentence.text for _, sentence in members))
        if reason:
            found |= {at: reason for at, _ in members}
    return found


def _looks_english(text: str) -> bool:
    """Whether one word of twelve or more is one of those that hold English sentences together."""
    lows = [word.low for word in words_of(text[:_SAMPLE])]
    small = sum(low in lex.FINITE or low in lex.PREPOSITIONS or low in ("the", "and") for low in lows)
    return small * 12 >= len(lows)


_SAMPLE = 5_000


def _read_english(passage: Passage, unread: Mapping[int, str]) -> Read:
    claims: list[Claim] = []
    skipped: Counter[str] = Counter(unread.values())
    subject: Subject | None = None
    named_at = block = -1
    for at, sentence in enumerate(passage.sentences):
        if sentence.block != block:
            subject, block = None, sentence.block  # a new paragraph may be about anything
        if at in unread:
            continue
        found = read(sentence.text, subject)
        if found.skipped:
            skipped[found.skipped] += 1
        sources = (named_at, at) if found.resolved else (at,)
        said = zip(found.claims, found.sure, strict=True)
        claims += [Claim(text, sources, entities(text), sure=sure) for text, sure in said]
        if not found.resolved or found.subject is None:
            named_at = at
        subject = found.subject
    return Read(claims, skipped)


def _apparatus(paragraph: str) -> str:
    """Why a paragraph is not read: it is a note to authors or a reference."""
    if is_note(paragraph):
        return "note"
    words = words_of(paragraph[:_SAMPLE])
    verb = find_verb(words, 0, len(words))
    return "reference" if is_reference(paragraph[:_SAMPLE], verb is not None and not verb.is_weak) else ""
