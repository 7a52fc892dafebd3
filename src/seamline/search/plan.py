"""What kind of question a query is, by rules that can be read, and how it is searched for that reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from seamline.search.expand import Mode
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
        }


_WAYS: Mapping[Kind, tuple[Mode, int]] = {
    "factoid": ("leaf", 5),
    "analytical": ("parents", 8),
    "comparative": ("leaf", 10),
    "exploratory": ("multi-level", 12),
    "multi-hop": ("leaf", 10),
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
    mode, k = _WAYS[kind]
    return Plan(query, kind, reasons, queries=(query, *parts), mode=mode, k=k)


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


def _pair(before: str, between: str) -> re.Pattern[str]:
    """Two things set side by side, named `a` and `b`."""
    return re.compile(rf"{before}(?P<a>{_ENTITY}),? {between} (?P<b>{_ENTITY})(?=[,;?.]|$)", re.I)


_PAIRS = (
    _pair(r"\b(?:differences?|similarit(?:y|ies)|distinction|trade-?offs?) (?:between|of) ", "(?:and|or)"),
    _pair(r"\b(?:compare[ds]?|comparing|contrast(?:ed|ing)?) ", "(?:and|with|to|against)"),
    _pair(r"\bdo(?:es)? ", "(?:differ|compare) (?:from|to|with)"),
    _pair(r"(?:^|\b(?:is|are|use|choose|prefer|between|of) )", r"(?:vs\.?|versus)"),
    _pair(r"\bshould (?:i|we|you|one) (?:use|choose|prefer|pick|take) ", "(?:or|rather than|instead of)"),
    _pair(r"\b(?:which|what) [^,;?]{1,60}[,:] ", "or"),
    _pair(r"\b(?:is|are|was|were) ", r"(?:\w+er|more \w+|less \w+|worse) than"),
)


def _comparative(text: str) -> Found | None:
    for pattern in _PAIRS:
        pair = pattern.search(text)
        if pair:
            other = _entity(pair["b"])
            one = _add_noun(_entity(pair["a"]), other)
            return (f"sets {one!r} beside {other!r}",), (one, other)
    return None


_FILLERS = re.compile(
    r"^(?:(?:the|a|an|both|either|using|to use)\b ?)+|\s+(?:in|on|for|when|with|regarding)\b.*$", re.I
)


def _entity(text: str) -> str:
    return _FILLERS.sub("", text.strip()).strip() or text.strip()


def _add_noun(one: str, other: str) -> str:
    """The first of two with the noun both share: `fill` of `fill and optimal packers` is `fill packers`."""
    several = other.split()
    return f"{one} {several[-1]}" if len(one.split()) == 1 and len(several) > 1 else one


_OVERVIEW = re.compile(
    r"\b(?:overview|summar(?:y|i[sz]e|ies)|introduction to|tell me (?:more )?about|everything about|all about|"
    r"outline|main (?:ideas|points|topics|themes)|what (?:topics|is (?:this|the document) about)|walk me through)\b",
    re.I,
)


def _exploratory(text: str) -> Found | None:
    cue = _OVERVIEW.search(text)
    return ((f"asks for an overview: {cue[0]!r}",), ()) if cue else None


_JOINED = re.compile(rf"(?:\?|;|,)?\s+(?:and|then|and then|but)\s+(?={_ASKING}\b)|\?\s+(?=\S)", re.I)
_RELATIVE = re.compile(
    r"\b(?:of|by|in|at|for|from|with|to) (?P<clause>(?:the|a|an|any|every|each|all) (?:[\w-]+ ){1,3}"
    r"(?:that|which|who|whose|where) [^,;?]{8,120})",
    re.I,
)


def _multi_hop(text: str) -> Found | None:
    parts = [part.strip(" ,;?") for part in _JOINED.split(text)]
    several = tuple(part for part in parts if len(part.split()) >= 2)
    if len(several) > 1:
        return (f"asks {len(several)} things",), several
    if clause := _RELATIVE.search(text):
        inner = clause["clause"].strip()
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
