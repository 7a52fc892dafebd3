"""What kind of question a query is, by rules that can be read, and how it is searched for that reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from seamline.search.expand import WHOLE, Mode
from seamline.text.words import COMMON, located, words
from seamline.types import collapse

if TYPE_CHECKING:
    from seamline.schema.records import PlanRecord

Kind = Literal["factoid", "analytical", "comparative", "exploratory", "multi-hop"]

FEWEST, MOST = 20, 40
"""Hits that are looked for to fill a budget, at least and at most. Small ones far down fit where larger ones do not."""
_LONG = 18
"""Words from which on a question asks for more than a fact."""
_LONGEST = 1000
"""Code points beyond which a query is a text and not a question."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one query is searched, and why."""

    query: str
    kind: Kind
    reasons: tuple[str, ...]
    """What in the query spoke for its kind."""
    queries: tuple[str, ...]
    """What is searched for: the query itself, and its parts where it has several."""
    mode: Mode
    k: int
    """Hits that are wanted."""
    over: int = 3
    """How many times as many are looked at."""
    whole: int = WHOLE
    """Tokens up to which a passage is shown with what stands around it."""

    @property
    def sides(self) -> tuple[str, ...]:
        """The things that a comparison is about; none of another question."""
        return self.queries[1:] if self.kind == "comparative" else ()

    def to_dict(self) -> PlanRecord:
        """All fields as plain JSON values."""
        return {
            "query": self.query,
            "kind": self.kind,
            "reasons": list(self.reasons),
            "queries": list(self.queries),
            "mode": self.mode,
            "k": self.k,
            "over": self.over,
            "whole": self.whole,
        }


class _Way(NamedTuple):
    mode: Mode
    k: int
    whole: int


_WAYS: Mapping[Kind, _Way] = {
    "factoid": _Way("leaf", 5, 150),
    "analytical": _Way("parents", 8, 500),
    "comparative": _Way("leaf", 10, 300),
    "exploratory": _Way("multi-level", 12, 1500),
    "multi-hop": _Way("leaf", 10, 300),
}
"""What each kind needs: small passages for a fact, whole sections for an explanation, all levels for an overview."""


def plan(query: str) -> Plan:
    """The plan for a query. One in a language without rules here, or as long as a page, is treated as analytical."""
    text = collapse(query)
    if len(text) > _LONGEST:
        return _make_plan(query, "analytical", (f"{len(text)} characters, more than a question",), ())
    for kind, rule in _RULES.items():
        if found := rule(text):
            return _make_plan(query, kind, *found)
    return _make_plan(query, "analytical", ("no rule speaks for another kind",), ())


def _make_plan(query: str, kind: Kind, reasons: tuple[str, ...], parts: tuple[str, ...]) -> Plan:
    mode, k, whole = _WAYS[kind]
    return Plan(query, kind, reasons, queries=(query, *parts), mode=mode, k=k, whole=whole)


def size_plan(given: Plan, budget: int, average: float) -> Plan:
    """The plan for a prompt: with twice as many hits as a token budget has room for, at the average size of a chunk,
    as those that are found may be small. The legs look no further than that: scores are set beside each other within
    what was found, and far worse ones among it make good ones alike.

    Chunks are not widened to their sections: neighbours are joined anyway, and where room is short, one more hit
    answers more often than what stands around another.
    """
    room = int(2 * budget / average) if average > 0 else MOST
    mode: Mode = "leaf" if given.mode == "parents" else given.mode
    return replace(given, k=max(FEWEST, min(MOST, room)), mode=mode, over=1)


Found = tuple[tuple[str, ...], tuple[str, ...]]
"""Reasons, and the parts of the query; nothing where the rule does not apply."""

_ASKING = r"(?:what|which|who|whom|whose|when|where|why|how)"
_ENTITY = r"(?:(?!\b(?:and|or|versus|vs)\b)[^,;?]){1,60}?"
_MOST_SIDES = 8
"""Things that one question compares; of more, the first."""


def _several(before: str, between: str) -> re.Pattern[str]:
    """Two things set side by side, or more of them with commas or the same word between: `sides` holds them all."""
    more = rf"(?:(?:,| (?:and|or|with|vs\.?|versus)|, (?:and|or)) {_ENTITY}){{0,{_MOST_SIDES}}}"
    inner = rf"(?:, {_ENTITY}){{0,{_MOST_SIDES}}}"
    return re.compile(rf"{before}(?P<sides>{_ENTITY}{inner},? {between} {_ENTITY}{more})(?=[,;?.]|$)", re.I)


_COMPARED = (
    _several(r"\b(?:differences?|similarit(?:y|ies)|distinction|trade-?offs?) (?:between|of|among) ", "(?:and|or)"),
    _several(r"\b(?:compare[ds]?|comparing|contrast(?:ed|ing)?) ", r"(?:and|with|to|against|vs\.?|versus)"),
    _several(r"\bdo(?:es)? ", "(?:differ|compare) (?:from|to|with)"),
    _several(r"(?:^|\b(?:is|are|use|choose|prefer|between|of) )", r"(?:vs\.?|versus)"),
    _several(r"\bshould (?:i|we|you|one) (?:use|choose|prefer|pick|take) ", "(?:or|rather than|instead of)"),
    _several(r"\b(?:which|what) [^,;?]{1,60}?[,:] ", "or"),
    _several(r"\b(?:is|are|was|were) ", r"(?:\w+er|more \w+|less \w+|worse) than"),
)
_BETWEEN = re.compile(
    r"\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or|with|to|against|from|vs\.?|versus|rather than|instead of|"
    r"(?:differ|compare) (?:from|to|with)|(?:\w+er|more \w+|less \w+|worse) than)\s+",
    re.I,
)


def _comparative(text: str) -> Found | None:
    for pattern in _COMPARED:
        if found := pattern.search(text):
            sides = compared_things(found["sides"])
            if len(sides) > 1:
                return (f"sets {' beside '.join(map(repr, sides))}",), sides
    return None


def compared_things(text: str) -> tuple[str, ...]:
    """The things that a list names: `A, B and C`, `A vs B`. What is asked of all of them, as in `the price of A and B`,
    is none of them."""
    parts = [part for part in _BETWEEN.split(text) if part.strip()]
    names = [_entity(part) for part in parts]
    head, of, rest = names[0].rpartition(" of ") if names else ("", "", "")
    if of and head and not any(" of " in name for name in names[1:]):
        names[0] = _entity(rest)
    if len(names) > 1:
        names = [_add_noun(name, names[-1]) for name in names[:-1]] + names[-1:]
    return tuple(dict.fromkeys(names))[:_MOST_SIDES]


_FILLERS = re.compile(
    r"^(?:(?:the|a|an|both|either|using|to use)\b ?)+|\s+(?:in|on|for|when|with|regarding|by)\b.*$|"
    r"\s+(?:differ|compare)$",
    re.I,
)


def _entity(text: str) -> str:
    return _FILLERS.sub("", text.strip()).strip() or text.strip()


def _add_noun(one: str, other: str) -> str:
    """The first of two with the noun both share: `fill` of `fill and optimal packers` is `fill packers`. A noun in
    capitals is a part of a name, and shared with nobody."""
    several = other.split()
    shared = len(one.split()) == 1 and len(several) > 1 and several[-1].islower()
    return f"{one} {several[-1]}" if shared else one


_CUES = frozenset(
    words(
        "compare compared comparing comparison contrast difference differences differ differs similarity distinction "
        "trade-off tradeoffs between among versus vs better worse which what should use choose prefer pick rather "
        "instead terms regarding both either respect tell show give explain describe much many how is are do does"
    )
)


def topic(query: str, sides: Sequence[str]) -> str:
    """What a comparison asks of each side: its words without those of the sides and of comparing."""
    known = _CUES | COMMON | {word for side in sides for word in words(side)}
    kept = [query[start:end] for start, end, terms in located(query) if terms and not known.intersection(terms)]
    return " ".join(kept)


_OVERVIEW = re.compile(
    r"\b(?:overview|summar(?:y|i[sz]e|ies)|introduction to|tell me (?:more )?about|everything about|all about|"
    r"outline|main (?:ideas|points|topics|themes)|what (?:topics|is (?:this|the document) about)|walk me through)\b",
    re.I,
)


def _exploratory(text: str) -> Found | None:
    cue = _OVERVIEW.search(text)
    return ((f"asks for an overview: {cue[0]!r}",), ()) if cue else None


_JOINED = re.compile(rf"(?:\?|;|,)?\s+(?:and|then|and then|but)\s+(?={_ASKING}\b)|\?\s+(?=\S)", re.I)
_WHICH = r"(?:(?:(?:in|on|at|by|for|from|below|above) )?(?:which|whom)|that|who|whose|where)"
_RELATIVE = re.compile(
    rf"\b(?P<clause>(?:the|a|an|any|every|each|all) (?:[\w-]+ ){{1,3}}{_WHICH} [^,;?]{{6,120}})",
    re.I,
)
_PART_OF = r"(?P<clause>the [\w-]+(?: [\w-]+)? (?:of|behind) (?:the |a |an )?[\w-]+(?: [\w-]+){0,3}?)"
_NESTED = re.compile(
    rf"\b(?:(?:do|does|did) {_PART_OF} \w+|(?:is|are|was|were|has|have|had) {_PART_OF.replace('clause', 'done')} "
    r"\w*(?:ed|en|born|made|built|kept|held|found|sold|met))\s*\?*$",
    re.I,
)
"""A part of another thing, and then what is asked of it: `was the architect of the wing born`."""


def _multi_hop(text: str) -> Found | None:
    parts = [part.strip(" ,;?") for part in _JOINED.split(text)]
    several = tuple(part for part in parts if len(part.split()) >= 2)
    if len(several) > 1:
        return (f"asks {len(several)} things",), several
    if clause := _RELATIVE.search(text, 4) or _NESTED.search(text):
        inner = next(filter(None, clause.groups())).strip()
        return (f"asks about something that must be found first: {inner!r}",), (inner,)
    return None


_WHY = re.compile(
    r"^(?:why|explain|describe|discuss|analy[sz]e|how (?:do|does|did|can|could|should|would|to|is|are|was|were)|"
    r"what (?:causes?|caused|happens|leads?|are the (?:reasons|effects|consequences|implications|steps)))\b|"
    r"\b(?:reasons? (?:for|why)|impact of|effects? of|consequences? of|relationship between|role of|significance of)\b",
    re.I,
)
_FACT = re.compile(
    r"^(?:(?:in|at|on|by|to|for|from|under) )?(?:who|whom|whose|when|where|which|what|"
    r"how (?:many|much|long|old|far|often|large|big|fast|tall|high))\b|^(?:is|are|was|were|did|does|do|has|have|can)\b",
    re.I,
)


def _analytical(text: str) -> Found | None:
    if cue := _WHY.search(text):
        return (f"asks for an explanation: {cue[0]!r}",), ()
    length = len(text.split())
    return ((f"{length} words, more than a fact needs",), ()) if length >= _LONG and _FACT.search(text) else None


def _factoid(text: str) -> Found | None:
    cue = _FACT.search(text)
    return ((f"asks for a fact: {cue[0]!r}",), ()) if cue else None


_RULES: Mapping[Kind, Callable[[str], Found | None]] = {
    "comparative": _comparative,
    "exploratory": _exploratory,
    "multi-hop": _multi_hop,
    "analytical": _analytical,
    "factoid": _factoid,
}
"""The first rule that applies decides; those that need most of the query come first."""
