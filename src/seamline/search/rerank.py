"""The final score: relevance, weighed against how fresh, trusted and coherent a text is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, cast

from seamline import registry
from seamline.errors import ConfigError, ProviderError
from seamline.protocols import Reranker, WeightedReranker
from seamline.records import Entry
from seamline.search.candidates import Candidate, order
from seamline.text.content import is_link_list

_DAY = 86_400.0
LINKS = 0.5
"""What a list of nothing but links is worth beside a text that says as much of what was asked: it has the titles of
other passages, which are found themselves."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts. Only their proportions matter."""

    relevance: float = 1.0
    """The reranker's score, or the fused one where there is no reranker."""
    freshness: float = 0.0
    authority: float = 0.0
    coherence: float = 0.0
    language: float = 0.0
    """Whether a text is in the language of the question."""
    entities: float = 0.0
    """How many of the names in the question a text has."""

    def __post_init__(self) -> None:
        for name, weight in self.parts().items():
            if not (isinstance(weight, int | float) and math.isfinite(weight) and weight >= 0):
                raise ConfigError(f"expected a number >= 0, got {weight!r}", f"$.search.weights.{name}")
        if not any(self.parts().values()):
            raise ConfigError("expected at least one weight above 0", "$.search.weights")

    def parts(self) -> dict[str, float]:
        """The weights by name."""
        return {
            "relevance": self.relevance,
            "freshness": self.freshness,
            "authority": self.authority,
            "coherence": self.coherence,
            "language": self.language,
            "entities": self.entities,
        }


class QueryFacts(NamedTuple):
    """What a question says beside its words. Where it is not known, nothing follows from it."""

    language: str = ""
    """ISO 639-1 code."""
    entities: tuple[str, ...] = ()
    """The names in it."""


_ONNX = ".onnx"


def load_reranker(name: str) -> Reranker:
    """The reranker that a name means: `seam`, the bundled one; a cross-encoder in an .onnx file; or that of a plugin,
    `NAME` or `NAME:REST`."""
    kind = name.partition(":")[0]
    if name.lower().endswith(_ONNX) or Path(name).exists() or not registry.is_known(registry.RERANKERS, kind):
        kind = _ONNX  # a path that leads nowhere is told by its reader
    make = cast(Callable[[str], Reranker], registry.find(registry.RERANKERS, kind))
    with registry.blame(registry.plugin_named(registry.RERANKERS, kind)):
        return make(name)


def freshness(entry: Entry, now: datetime, decay: float) -> float:
    """exp(-decay * age in days): 1 for what was written now, or will be."""
    written = entry.created_at or entry.updated_at
    age = max(0.0, (now - written).total_seconds() / _DAY)
    return math.exp(-decay * age)


def weigh(
    candidates: Sequence[Candidate],
    weights: Weights,
    *,
    now: datetime,
    decay: float,
    asked: QueryFacts = QueryFacts(),  # noqa: B008  # a value
) -> list[Candidate]:
    """The candidates with their final scores, best first."""
    candidates = [_lower(one) if is_link_list(one.entry.body, one.entry.kind) else one for one in candidates]
    if not any(weight for name, weight in weights.parts().items() if name != "relevance"):
        return order(candidates)
    return order(_weigh(one, weights, now, decay, asked) for one in candidates)


def _lower(one: Candidate) -> Candidate:
    return replace(one, score=one.score * LINKS, why=replace(one.why, links=LINKS))


def _weigh(one: Candidate, weights: Weights, now: datetime, decay: float, asked: QueryFacts) -> Candidate:
    why = replace(
        one.why,
        relevance=one.score,
        freshness=freshness(one.entry, now, decay) if weights.freshness else None,
        authority=one.entry.authority if weights.authority else None,
        coherence=one.entry.coherence if weights.coherence else None,
        language=_language(one.entry, asked) if weights.language else None,
        entities=_entities(one.entry, asked) if weights.entities else None,
    )
    parts = {
        "relevance": one.score,
        "freshness": why.freshness,
        "authority": why.authority,
        "coherence": why.coherence,
        "language": why.language,
        "entities": why.entities,
    }
    return replace(one, score=mean(parts, weights.parts()), why=why)


def _language(entry: Entry, asked: QueryFacts) -> float | None:
    return float(entry.language == asked.language) if entry.language and asked.language else None


def _entities(entry: Entry, asked: QueryFacts) -> float | None:
    """The share of the names that a text, its title or its headings have, whatever their case."""
    if not asked.entities:
        return None
    text = entry.searched.casefold()
    return sum(name.casefold() in text for name in asked.entities) / len(asked.entities)


def mean(parts: Mapping[str, float | None], weights: Mapping[str, float]) -> float:
    """The weighted mean of the parts that are known; one that is not known leaves its weight to the others."""
    known = {name: part for name, part in parts.items() if part is not None and weights[name]}
    total = sum(weights[name] for name in known)
    return sum(weights[name] * part for name, part in known.items()) / total if total else 0.0


def weight_of(reranker: Reranker) -> float:
    """How much a reranker counts beside the fused score."""
    return reranker.weight if isinstance(reranker, WeightedReranker) else 1.0


def rescore(candidates: Sequence[Candidate], query: str, reranker: Reranker) -> list[Candidate]:
    """The candidates with the reranker's scores, as far as those count, best first."""
    weight = weight_of(reranker)
    scores = reranker.score(query, [one.entry.text for one in candidates])
    if len(scores) != len(candidates) or not all(0 <= score <= 1 for score in scores):
        raise ProviderError(
            f"{reranker.name} gave {len(scores)} scores for {len(candidates)} texts, or some that are not within 0-1"
        )
    return order(
        replace(one, score=weight * score + (1 - weight) * one.score, why=replace(one.why, rerank=score))
        for one, score in zip(candidates, scores, strict=True)
    )
