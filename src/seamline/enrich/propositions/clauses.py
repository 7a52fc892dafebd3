"""A sentence without asides -> its claims: coordinated clauses and verbs apart, and the lists and adjuncts of a clause
one by one, as in `a hammer, a saw` and `in 2005 for $1 billion`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.propositions.segments import SentenceSegment, refers, segments, shares, subject_of
from seamline.enrich.propositions.verbs import Verb, Word, forms, is_plural, is_reduced, possessive


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
    for part in apart(verb, rest, group):
        yield [*clause.lead, *clause.subject, *verb, *part]


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
        ends = piece.verb.end == piece.end and before.group.is_passive  # `were dried and weighed`
        return "verb" if before.rest or ends else "unclear"
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


_SPREAD = frozenset(["in", "at", "on", "during", "since", "across", "throughout"])
"""Prepositions of a time or place that holds for all of a list."""
_YEAR = re.compile(r"1\d{3}|20\d\d")
_LONGEST = 7
"""Words of one item of a list."""


def apart(verb: Sequence[Word], rest: list[Word], group: Verb) -> list[list[Word]]:
    """What follows the verb, once for every claim that it makes."""
    if group.is_negated or any(word.low in lex.NEGATIONS for word in verb):
        return [rest]
    return _listed(verb, rest, group) or _adjuncts(rest, group) or [rest]


def _listed(verb: Sequence[Word], rest: list[Word], group: Verb) -> list[list[Word]] | None:
    if group.is_passive or not any(word.low == "and" for word in rest) or _is_together(verb[-1].low):
        return None
    body, tail = _body(rest)
    items = list(_items(body))
    if len(items) < 2 or any(not item or len(item) > _LONGEST for item in items):
        return None
    is_be = verb[-1].low in lex.BE
    if _are_phrases(items) or (is_be and _are_adjectives(items)):
        return [[*item, *tail] for item in items]
    return None


def _is_together(low: str) -> bool:
    return (
        lex.THIRDS.get(low, low) in lex.TOGETHER
        or low.removesuffix("d") in lex.TOGETHER
        or low.removesuffix("ed") in lex.TOGETHER
    )


def _body(rest: list[Word]) -> tuple[list[Word], list[Word]]:
    """A list, and the time or place after it."""
    last = max(at for at, word in enumerate(rest) if word.low == "and")
    at = next((at for at in range(last, len(rest)) if rest[at].low in _SPREAD), len(rest))
    return rest[:at], rest[at:]


def _items(body: Sequence[Word]) -> Iterator[list[Word]]:
    item: list[Word] = []
    for word in body:
        if word.text == "," or word.low == "and":
            if item:
                yield item
            item = []
        else:
            item.append(word)
    yield item


def _are_phrases(items: Sequence[Sequence[Word]]) -> bool:
    """Whether all items are things of one kind: each with its article or number, or each a name or a plural."""
    if any(word.tag in ("cc", "aux", "modal", "rel", "pron", "punct") for item in items for word in item):
        return False
    if any(word.tag == "prep" and word.low != "of" for item in items[:-1] for word in item):
        return False
    if all(item[0].tag in ("det", "poss", "num") and len(item) > 1 for item in items):
        return items[0][0].low not in ("both", "all", "most") and not any(item[-1].tag == "num" for item in items)
    return all(len(item) == 1 and _is_thing(item[0]) for item in items)


def _is_thing(word: Word) -> bool:
    return word.tag == "name" or (
        word.tag == "n" and word.low.endswith("s") and not word.low.endswith(("ss", "us", "is"))
    )


def _are_adjectives(items: Sequence[Sequence[Word]]) -> bool:
    """`small, fast and easy to extend`: single words, of which the last may go on."""
    heads = [item[0] for item in items]
    if any(head.tag != "n" or "ing" in forms(head.low) for head in heads):
        return False
    return all(len(item) == 1 for item in items[:-1]) and (len(items[-1]) == 1 or items[-1][1].tag == "prep")


def _adjuncts(rest: list[Word], group: Verb) -> list[list[Word]] | None:
    """When, by whom and for how much, where two or more of them close a clause."""
    parts, head = _closing(rest, group)
    if len(parts) < 2:
        return None
    kinds = [kind for kind, _ in parts]
    if len(set(kinds)) < len(kinds):
        return None
    if kinds[0] == "agent":
        if len(parts) < 3:
            return None
        head, parts = [*head, *parts[0][1]], parts[1:]
    return [[*head, *part] for _, part in parts]


def _closing(rest: list[Word], group: Verb) -> tuple[list[tuple[str, list[Word]]], list[Word]]:
    """The phrases of known kind that a clause ends with, and what stands before them."""
    starts = [at for at, word in enumerate(rest) if word.tag == "prep"]
    parts: list[tuple[str, list[Word]]] = []
    end = len(rest)
    for start in reversed(starts):
        phrase = rest[start:end]
        kind = _list_kind(phrase, group)
        if not kind:
            break
        parts.insert(0, (kind, phrase))
        end = start
    return parts, rest[:end]


def _list_kind(phrase: Sequence[Word], group: Verb) -> str:
    first, second = phrase[0].low, phrase[1] if len(phrase) > 1 else None
    if second is None or any(word.text == "," for word in phrase):
        return ""
    if first == "by" and group.is_passive and second.tag in ("name", "det", "num", "n"):
        return "agent"
    if (
        first in ("in", "on", "since")
        and any(_YEAR.fullmatch(w.text) or w.low in lex.MONTHS for w in phrase)
        and len(phrase) <= 4
    ):
        return "time"
    return "price" if first == "for" and second.text[0] in "$€£" and len(phrase) <= 4 else ""
