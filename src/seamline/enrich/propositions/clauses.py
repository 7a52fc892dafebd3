"""A sentence without asides -> its claims: coordinated clauses and verbs apart, the lists of a clause one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.propositions.lists import split_objects, split_subjects
from seamline.enrich.propositions.segments import SentenceSegment, refers, segments, shares, subject_of
from seamline.enrich.propositions.verbs import (
    Verb,
    Word,
    forms,
    is_participle,
    is_plural,
    is_reduced,
    made,
    possessive,
    spaced,
)


class Clause(NamedTuple):
    """One claim in the making."""

    lead: list[Word]
    """What stands before the subject, such as `In 2008,`."""
    subject: list[Word]
    verb: list[Word]
    rest: list[Word]
    group: Verb
    """As it was found, for tense and number."""

    @property
    def words(self) -> list[Word]:
        return [*self.lead, *self.subject, *self.verb, *self.rest]


def clauses(words: list[Word]) -> list[Clause] | None:
    """The clauses of a sentence, each with its subject; None where they cannot be told apart."""
    pieces = segments(words)
    lead, main = _lead(words, pieces)
    if not main or main[0].verb is None or main[0].is_bare:
        return None
    found: list[Clause] = []
    hanging = False
    for at, piece in enumerate(main):
        if at == 0:
            found.append(_clause(words, piece, lead))
            if not found[0].subject or _breaks_off(found[0], main[1:]):
                return None
            continue
        kind = _kind(words, piece, found[-1])
        if kind == "verb" and piece.opener == (",",) and not _is_enumerated(main[at + 1 :]):
            return None
        if kind == "unclear" or (hanging and kind != "tail"):
            return None
        if kind == "tail":
            hanging = hanging or piece.last not in (",", "and", "or")
            found[-1] = found[-1]._replace(rest=[*found[-1].rest, *words[piece.mark : piece.end]])
        elif (joined := _joined(words, piece, found, kind)) is None:
            return None
        else:
            found.append(joined)
    return found


def claims(clause: Clause) -> Iterator[list[Word]]:
    """What one clause says, in as many claims as its lists and adjuncts make."""
    verb, rest, group = clause.verb, clause.rest, clause.group
    if group.is_passive and rest and rest[0].low in (",", "and"):
        # `is ordered and durable`: the participle is the first of a list of properties.
        verb, rest, group = verb[:-1], [verb[-1], *rest], group._replace(is_passive=False)
    for part in split_objects(verb, rest, group):
        for subject, own in split_subjects(clause.subject, verb, part):
            yield [*clause.lead, *_placed(subject, clause), *own, *part]


def _placed(subject: list[Word], clause: Clause) -> list[Word]:
    """One of several subjects, as it is written where they stood."""
    return spaced(subject) if clause.lead else subject


def _lead(words: list[Word], pieces: Sequence[SentenceSegment]) -> tuple[list[Word], Sequence[SentenceSegment]]:
    """What stands before the main clause, and the pieces from there; no pieces where it is not clear."""
    first = pieces[0]
    if len(pieces) > 1 and pieces[1].opener == (",",) and pieces[1].verb and not pieces[1].is_bare:
        opens = first.opener and first.opener[0] in lex.SUBORDINATORS and first.verb
        if opens or (first.verb is None and words[0].tag in ("prep", "adv") and words[0].low != "according"):
            return words[: pieces[1].start], pieces[1:]
    return [], [] if first.opener else pieces


def _clause(words: Sequence[Word], piece: SentenceSegment, lead: list[Word]) -> Clause:
    verb = piece.verb
    assert verb is not None
    subject = subject_of(words, piece)
    adverbs = list(words[piece.start + len(subject) : verb.start])
    if not lead and len(subject) > 2 and subject[0].tag == "prep":
        dated = next((i for i in (1, 2) if subject[i].tag == "num"), 0)
        lead, subject = subject[: dated + 1] if dated else [], subject[dated + 1 :] if dated else subject
    rest = list(words[verb.end : piece.end])
    return Clause(lead, subject, [*adverbs, *words[verb.start : verb.end]], rest, verb)


def _kind(words: Sequence[Word], piece: SentenceSegment, before: Clause) -> str:
    """What a further piece is: another verb of the same subject, another clause, or part of the clause before."""
    if piece.opener[-1] in lex.SUBORDINATORS | lex.RELATIVES | {":", "—", "–", "-", "--", "…"}:
        return "tail"
    if piece.verb is None:
        return "tail"
    if piece.last in ("or", "nor") or (piece.last == "," and not piece.is_bare):
        return "unclear"
    if not piece.is_bare and "and" in piece.opener and _is_in_list(words, piece, before):
        return "unclear"
    if piece.is_bare:
        passive = before.group.is_passive and is_participle(words[piece.verb.start])  # `were dried and weighed`
        return "verb" if before.rest or passive else "unclear"
    return "clause" if words[piece.start].tag not in ("prep", "adv", "rel") else "unclear"


def _breaks_off(clause: Clause, later: Sequence[SentenceSegment]) -> bool:
    """Whether a remark stands between an auxiliary and its verb: `will, like all others, watch`."""
    alone = not clause.rest and clause.verb[-1].low in lex.FINITE
    return alone and bool(later) and later[0].last == ","


def _is_in_list(words: Sequence[Word], piece: SentenceSegment, before: Clause) -> bool:
    """Whether `and` may join the end of the clause before with the start of this one."""
    verb = piece.verb
    assert verb is not None
    listed = any(word.text == "," for word in before.rest)
    held = {"and", "between"} & {word.low for word in before.rest} or before.verb[-1].low in lex.REPORTING
    bare = piece.opener == ("and",)
    if listed and words[piece.start].tag == "n":
        return True  # `until the disk, the bus, and power are up`
    return (bool(held) and bare) or ((listed or bare) and is_reduced(words, verb, piece.end))


def _is_enumerated(later: Sequence[SentenceSegment]) -> bool:
    """Whether a verb after a comma is one of several that end in `and ...`."""
    return any(piece.is_bare and piece.last == "and" for piece in later)


def _joined(words: Sequence[Word], piece: SentenceSegment, found: Sequence[Clause], kind: str) -> Clause | None:
    """A further clause; None where its parts may belong elsewhere."""
    before, verb = found[-1], piece.verb
    assert verb is not None
    own = list(words[piece.start : piece.end])
    if kind == "clause":
        return _own_clause(words, piece, found)
    own = _with_object(own, _after(piece), before)
    borrowed = shares(words, before.group, verb, piece.end)
    adverbs = list(words[piece.start : verb.start])
    negated = before.group.is_negated and not _is_finite(words[verb.start], borrowed)
    if negated or refers(own) or _possesses(own, before) or any(word.low == "then" for word in adverbs):
        return None
    lead, rest = _kept(before.lead, own), own[_after(piece) :]
    if borrowed:
        # The next verb borrows from the same auxiliaries.
        return Clause(lead, before.subject, [*borrowed, *adverbs, words[verb.start]], rest, before.group)
    plain = verb._replace(form=verb.form.removesuffix("!"))
    return Clause(lead, before.subject, own[: _after(piece)], rest, plain)


def _with_object(own: list[Word], after: int, before: Clause) -> list[Word]:
    """A further verb with the object of the one before in the place of `it` or `them`: `wrote code and tested it`."""
    thing = before.rest
    plain = 2 <= len(thing) <= 5 and thing[0].tag in ("det", "poss")
    if not plain or any(word.tag not in ("n", "name", "code") for word in thing[1:]):
        return own
    pronoun = "them" if is_plural(thing) else "it"
    if after >= len(own) or own[after].low != pronoun:
        return own
    named = [made("the"), *thing[1:]] if thing[0].low in ("a", "an") else thing
    return [*own[:after], *spaced(named), *own[after + 1 :]]


def _after(piece: SentenceSegment) -> int:
    assert piece.verb is not None
    return piece.verb.end - piece.start


def _is_finite(first: Word, borrowed: Sequence[Word]) -> bool:
    return not borrowed and (first.tag in ("aux", "modal") or first.low in lex.THIRDS)


def _own_clause(words: Sequence[Word], piece: SentenceSegment, found: Sequence[Clause]) -> Clause | None:
    first, before = found[0], found[-1]
    if first.lead and first.lead[0].low in lex.SUBORDINATORS:
        return None
    clause = _clause(words, piece, [])
    if not clause.subject:
        return None
    if len(clause.subject) == 1 and clause.subject[0].low in ("it", "they", "he", "she"):
        if clause.subject[0].low in ("he", "she") or not _is_meant(clause, before):
            return None
        clause = clause._replace(subject=before.subject)
    elif clause.subject[0].low in ("its", "their"):
        if (clause.subject[0].low == "their") != is_plural(before.subject) or introduces(before):
            return None
        clause = clause._replace(subject=[*possessive(before.subject), *clause.subject[1:]])
    elif _leans(clause.subject):
        return None
    says_nothing = not clause.rest and clause.verb[-1].low in lex.FINITE
    return None if says_nothing or refers(clause.rest) or refers(clause.subject) else clause


def _leans(subject: Sequence[Word]) -> bool:
    """Whether a subject says nothing without the clause before: `some`, `a second one`, `this`."""
    if subject[0].tag == "poss" or (len(subject) == 1 and subject[0].tag == "det"):
        return True
    if _is_verb(subject):
        return True
    if any(word.low in ("it", "they") or word.low in lex.CONTRACTED for word in subject):
        return True
    return subject[0].low in lex.NOT_ALONE or subject[-1].low in lex.NOT_ALONE


def _is_verb(subject: Sequence[Word]) -> bool:
    """Whether what looks like a subject begins with a verb: `... and fail your builds`, `... and helps Ada see`."""
    first = subject[0]
    if first.tag != "n" or not forms(first.low) & {"base", "s"}:
        return False
    takes = len(subject) > 1 and subject[1].tag in ("det", "poss", "name", "code", "num")
    return takes or first.low in lex.BASES - lex.NOUNISH


def _is_meant(clause: Clause, before: Clause) -> bool:
    """Whether a pronoun can only be the subject of the clause before."""
    several = clause.subject[0].low == "they"
    return several == is_plural(before.subject) and not introduces(before)


def introduces(clause: Clause) -> bool:
    """Whether a clause names something new that a pronoun after it may mean: `The pump feeds a tank`."""
    if clause.verb and clause.verb[-1].low in lex.BE:
        return False
    return any(word.low in ("a", "an", "another", "one") for word in clause.rest)


def _possesses(own: Sequence[Word], before: Clause) -> bool:
    """Whether an `its` may not be the subject's."""
    return any(word.tag == "poss" for word in own) and introduces(before)


def _kept(lead: list[Word], own: Sequence[Word]) -> list[Word]:
    """A lead is true of a further verb as well, unless that has a time of its own."""
    dated = any(word.tag == "num" and len(word.text) == 4 for word in own) or any(
        word.low in lex.MONTHS for word in own
    )
    return [] if dated and lead and lead[0].low not in lex.SUBORDINATORS else lead
