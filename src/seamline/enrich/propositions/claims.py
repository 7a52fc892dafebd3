"""What every claim must hold to, whoever extracted it: its sentences say it, and it is kept once.

`Sieve` lets through what its passage supports, `entities` finds the names, dates, sums and code of a claim, and `dedup`
keeps the richest of claims that say the same in other words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.prose import Passage
from seamline.enrich.written import THRESHOLD, Support, support
from seamline.errors import ConfigError
from seamline.facts import Derived, Entity
from seamline.protocols import Embedder, Prices, Usage
from seamline.types import Notice, collapse

FEWEST = 5
"""Tokens below which a claim says nothing by itself."""


class Claim(NamedTuple):
    """What an extractor says a passage claims."""

    text: str
    sources: tuple[int, ...]
    """Which sentences of the passage say so, from 0, ascending."""
    entities: tuple[Entity, ...] = ()
    model: str = ""
    sure: float = 1.0
    """How likely it is one fact that can be read alone, as the extractor sees it."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a claim must hold to."""

    fewest_tokens: int = FEWEST
    threshold: float = THRESHOLD
    """Share of its content words that its source must have."""
    confidence: float = 0.5
    """What a claim must have at least."""

    def __post_init__(self) -> None:
        if self.fewest_tokens < 1 or not 0 <= self.threshold <= 1 or not 0 <= self.confidence <= 1:
            raise ConfigError(
                "expected fewest_tokens of 1 or more, a threshold and a confidence within 0..1", "$.propositions"
            )


@dataclass(frozen=True, slots=True)
class Report:
    """What an extraction did, and what it cost."""

    passages: int = 0
    sentences: int = 0
    claims: int = 0
    """That were kept."""
    rejected: dict[str, int] = field(default_factory=dict)
    """Claims that were not: empty, duplicate, short, source, unsure, number, name, negation, hedge, words."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Sentences that claim nothing, by reason: question, imperative, fragment, aside, note, reference."""
    failed: int = 0
    """Passages that the model gave no answer of use for, or only claims that were rejected; rules read them."""
    usage: Usage = Usage()  # noqa: RUF009 - it is frozen

    def to_dict(self, prices: Prices | None = None) -> dict[str, Any]:
        """All figures as plain JSON values; money where prices are given."""
        usage = self.usage
        out: dict[str, Any] = {
            "passages": self.passages,
            "sentences": self.sentences,
            "claims": self.claims,
            "rejected": dict(self.rejected),
            "skipped": dict(self.skipped),
            "failed": self.failed,
            "calls": usage.calls,
            "cached": usage.cached,
            "retries": usage.retries,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        }
        return out if prices is None else {**out, "money": round(usage.money(prices), 6)}


class Extraction(NamedTuple):
    """The claims of some passages, and how they came about."""

    derived: list[Derived]
    notices: list[Notice]
    report: Report


class Sieve:
    """Lets through what is a claim of its passage, and counts what is not. The same claim twice is one with two
    places."""

    def __init__(self, rules: Rules, count: Callable[[str], int]) -> None:
        self._rules = rules
        self._count = count
        self._kept: dict[tuple[str, str], Derived] = {}
        self.rejected: Counter[str] = Counter()

    @property
    def kept(self) -> list[Derived]:
        return list(self._kept.values())

    def put(self, passage: Passage, claim: Claim) -> bool:
        """Whether a claim holds to the rules; it is kept then, and else counted by what is wrong with it."""
        text = collapse(claim.text)
        tokens = self._count(text) if text else 0
        reason = _flaw(passage, claim, text, tokens, self._rules)
        if not reason:
            reason = self._keep(passage, claim._replace(text=text), tokens)
        if reason:
            self.rejected[reason] += 1
        return reason in ("", "duplicate")

    def _keep(self, passage: Passage, claim: Claim, tokens: int) -> str:
        score = _supported(passage, claim, self._rules.threshold)
        if score.reason:
            return score.reason
        if score.score * claim.sure < self._rules.confidence:
            return "unsure"
        key = (passage.document.id, claim.text.casefold().rstrip("."))
        found = Derived(
            passage.document,
            "proposition",
            claim.text,
            tuple(passage.sentences[at].span for at in claim.sources),
            passage.ids,
            claim.model,
            tokens,
            round(score.score * claim.sure, 3),
            claim.entities,
        )
        same = self._kept.get(key)
        self._kept[key] = found if same is None else with_places(same, found)
        return "duplicate" if same else ""


def _flaw(passage: Passage, claim: Claim, text: str, tokens: int, rules: Rules) -> str:
    """What is wrong with a claim by itself."""
    if not text:
        return "empty"
    if tokens < rules.fewest_tokens:
        return "short"
    given: Sequence[int] = claim.sources
    wrong = not given or any(not 0 <= at < len(passage.sentences) for at in given) or sorted(set(given)) != list(given)
    return "source" if wrong else ""


def _supported(passage: Passage, claim: Claim, threshold: float) -> Support:
    source = " ".join(passage.sentences[at].text for at in claim.sources)
    return support(claim.text, source, f"{passage.around}\n{passage.text}", threshold)


def with_places(claim: Derived, other: Derived) -> Derived:
    """A claim that another place makes as well."""
    return replace(
        claim,
        spans=tuple(sorted({*claim.spans, *other.spans})),
        of=tuple(dict.fromkeys((*claim.of, *other.of))),
        confidence=max(claim.confidence, other.confidence),
    )


_FOUND = re.compile(
    r"(?P<CODE>`[^`]+`)"
    r"|(?P<MONEY>[$€£]\s?\d[\d.,]*\d?(?:\s?(?:billion|million|thousand|trillion|bn|m|k)\b)?)"
    r"|(?P<PERCENT>\d[\d.,]*\s?(?:%|percent\b))"
    r"|(?P<DATE>(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,2},?)?(?: \d{4})?(?!\w)|\b(?:1\d{3}|20\d\d)\b)"
    r"|(?P<NAME>[^\W\d_a-z][\w’'-]*(?:(?: (?:of|de|von|van|la|du|&))? [^\W\d_a-z][\w’'-]*)*)"
)
_COMMON = lex.DETERMINERS | lex.PREPOSITIONS | lex.PRONOUNS | lex.POSSESSIVES | lex.SUBORDINATORS | lex.ADVERBS


def entities(text: str) -> tuple[Entity, ...]:
    """What a text names, each once, in order. Without a model nobody can say what kind of name it is: `NAME`."""
    found: dict[str, Entity] = {}
    for match in _FOUND.finditer(text):
        kind, name = match.lastgroup or "", match[0].strip()
        if kind == "NAME":
            name = _trimmed(name, match.start() == 0)
        if name:
            found.setdefault(name.casefold(), Entity(name, kind))
    return tuple(found.values())


def _trimmed(name: str, is_first: bool) -> str:
    """A name without what only the start of a sentence gave a capital, and without 's."""
    parts = name.split()
    while parts and parts[0].lower() in _COMMON:
        parts.pop(0)
        is_first = False
    if is_first and len(parts) == 1 and not any(map(str.isupper, parts[0][1:])):
        return ""  # one word with a capital at the start: it may be any word
    return re.sub(r"['’]s?$", "", " ".join(parts))


SAME = 0.95
"""Cosine similarity from which two claims may be one."""

_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


class Deduped(NamedTuple):
    """What is left of some claims."""

    kept: list[Derived]
    """In their order; each with the places of those it stands for."""
    dropped: dict[str, str]
    """Id of a claim that went -> id of the one that stands for it."""


def dedup(claims: Sequence[Derived], embedder: Embedder, threshold: float = SAME) -> Deduped:
    """Keep one claim of those that say the same, within each document: the one with more entities, then the longer.

    Vectors hardly see a number or a `not`: claims that differ in one are never the same, however near they are.
    """
    if not 0 < threshold <= 1:
        raise ConfigError(f"expected a threshold within 0..1, got {threshold}", "$.propositions.same")
    documents: dict[str, list[int]] = {}
    for at, claim in enumerate(claims):
        documents.setdefault(claim.document.id, []).append(at)
    by: dict[int, int] = {}
    for numbers in documents.values():
        by |= _representatives(claims, sorted(numbers, key=lambda at: _poverty(claims[at], at)), embedder, threshold)
    kept = {at: claims[at] for at in sorted(by) if by[at] == at}
    for at in sorted(by):
        if by[at] != at:
            kept[by[at]] = with_places(kept[by[at]], claims[at])
    return Deduped(list(kept.values()), {claims[at].id: kept[to].id for at, to in by.items() if at != to})


def _representatives(
    claims: Sequence[Derived], richest_first: Sequence[int], embedder: Embedder, threshold: float
) -> dict[int, int]:
    """Which claim stands for each: itself, or a richer one that says the same."""
    if len(richest_first) < 2:
        return {at: at for at in richest_first}
    vectors = embedder.embed([claims[at].text for at in richest_first])
    by: dict[int, int] = {}
    for row, at in enumerate(richest_first):
        near = (richest_first[i] for i in (vectors[:row] @ vectors[row] >= threshold).nonzero()[0])
        by[at] = next((other for other in near if by[other] == other and _is_same(claims[other], claims[at])), at)
    return by


def _poverty(claim: Derived, at: int) -> tuple[int, int, int]:
    """The less, the richer."""
    return -len(claim.entities), -len(claim.text), at


def _is_same(rich: Derived, poor: Derived) -> bool:
    """Whether nothing that vectors overlook tells two claims apart."""
    if _denies(rich.text) != _denies(poor.text):
        return False
    names = {entity.text.casefold() for entity in poor.entities}
    said = rich.text.casefold()
    return set(_NUMBERS.findall(poor.text)) == set(_NUMBERS.findall(rich.text)) and all(name in said for name in names)


def _denies(text: str) -> bool:
    words = (word.casefold().replace("’", "'") for word in _WORDS.findall(text))
    return any(word in lex.NEGATIONS or word.endswith("n't") for word in words)
