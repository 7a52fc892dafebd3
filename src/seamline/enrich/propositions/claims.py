"""A claim on its way from an extractor to the index: what both extractors give, and what every claim must hold to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from seamline.derived import Derived
from seamline.enrich.passages import Passage
from seamline.enrich.support import THRESHOLD, Support, support
from seamline.errors import ConfigError
from seamline.facts import Entity
from seamline.identity import collapse
from seamline.replies import Prices, Usage
from seamline.types import Notice

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
    """How sure the extractor is that it read the sentences rightly."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a claim must hold to."""

    fewest_tokens: int = FEWEST
    threshold: float = THRESHOLD
    """Share of its content words that its source must have."""

    def __post_init__(self) -> None:
        if self.fewest_tokens < 1 or not 0 <= self.threshold <= 1:
            raise ConfigError("expected fewest_tokens of 1 or more and a threshold within 0..1", "$.propositions")


@dataclass(frozen=True, slots=True)
class Report:
    """What an extraction did, and what it cost."""

    passages: int = 0
    sentences: int = 0
    claims: int = 0
    """That were kept."""
    rejected: dict[str, int] = field(default_factory=dict)
    """Claims that were not, by reason: empty, duplicate, short, source, number, name, negation, hedge, words."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Sentences that claim nothing, by reason: question, imperative, fragment, pronoun."""
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
