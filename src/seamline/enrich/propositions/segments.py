"""A sentence in pieces: between commas, conjunctions and relative words, each with its verb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.propositions.tagged import Word, forms, is_participle, is_plural
from seamline.enrich.propositions.verbs import Verb, find_verb, group, is_reduced

_MARKS = {",", ";", ":", "—", "–", "-", "--", "…"}
_DOUBTFUL = lex.SUBORDINATORS & lex.PREPOSITIONS
"""Words that open a clause only where a verb follows."""
_ACTIVE = frozenset(
    [
        "moved",
        "died",
        "retired",
        "became",
        "lived",
        "worked",
        "studied",
        "returned",
        "grew",
        "rose",
        "fell",
        "went",
        "came",
        "left",
    ]
)
"""Past forms that after a passive are active all the same: `was born in Cork and studied law`."""


class Segment(NamedTuple):
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


def segments(words: Sequence[Word]) -> list[Segment]:
    """The pieces of a sentence, in order, without its final mark."""
    found: list[Segment] = []
    for opener, mark, start, end in _pieces(words):
        piece = Segment(opener, mark, start, end, _verb(words, opener, start, end, found))
        if found and _continues(words, found[-1], piece):
            before = found.pop()
            verb = before.verb if piece.verb is None else piece.verb
            piece = Segment(before.opener, before.mark, before.start, end, verb)
        found.append(piece)
    return found


def subject_of(words: Sequence[Word], piece: Segment) -> list[Word]:
    """What stands before the verb of a piece, adverbs next to the verb aside."""
    assert piece.verb is not None
    found = list(words[piece.start : piece.verb.start])
    while found and found[-1].tag == "adv":
        found.pop()
    return found


def _pieces(words: Sequence[Word]) -> Iterator[tuple[tuple[str, ...], int, int, int]]:
    """Opener, where it begins, and the range of every piece."""
    opener: list[str] = []
    mark = start = at = 0
    end = len(words)
    while end and _opens(words, end - 1):
        end -= 1  # what opens nothing belongs to the last piece, as in `at once`
    while at < end:
        if words[at].text == "(":
            at = _closing(words, at) + 1
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


def _closing(words: Sequence[Word], at: int) -> int:
    return next((i for i in range(at, len(words)) if words[i].text == ")"), at)


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
    words: Sequence[Word], opener: tuple[str, ...], start: int, end: int, found: Sequence[Segment]
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
    words: Sequence[Word], opener: tuple[str, ...], first: int, end: int, found: Sequence[Segment]
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
    if lex.THIRDS.get(word.low, word.low) in lex.NOUNISH and (
        (not takes and not is_parallel) or find_verb(words, first, end)
    ):
        return None
    return group(words, first, end) if _agrees(words, before, shapes, first) else None


def _follows_side(words: Sequence[Word], word: Word, found: Sequence[Segment]) -> bool:
    """Whether a verb after a comma belongs to the phrase the sentence begins with: `Acme, founded in 1998, makes`."""
    if len(found) < 2:
        return False
    shapes = forms(word.low)
    several = is_plural(words[found[0].start : found[0].end])
    return ("base" not in shapes or several) and bool(shapes & {"s", "past", "either", "base"})


def _agrees(words: Sequence[Word], before: Segment, shapes: frozenset[str], first: int) -> bool:
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
        takes = first.low in _ACTIVE or (after is not None and after.tag not in ("prep", "adv", "punct", "cc"))
        has = borrowed[-1].low in lex.HAVE
        return borrowed if has or (is_participle(first) and not takes) else []
    if "base" in shapes and borrowed and (borrowed[0].tag == "modal" or borrowed[0].low in lex.DO):
        return borrowed
    return []


def _continues(words: Sequence[Word], before: Segment, piece: Segment) -> bool:
    """Whether a piece is no clause of its own but part of the one before."""
    if piece.is_bare:
        return False
    if piece.verb is None:
        return piece.last in ("and", "or", "but", "nor", "yet") or piece.last in _DOUBTFUL
    if piece.opener not in (("and",), ("or",)) or (before.opener and before.last not in ("and", "but", ",", ";")):
        return False
    # `the heat required for boiling and steaming is high`: what looked like a verb belongs to the subject.
    return before.verb is None or (not before.is_bare and is_reduced(words, before.verb, before.end))
