"""What was measured: one trial for each way to cut and search, and all of them together, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from seamline.evaluate.compare import PairedDifference, holm, paired_bootstrap
from seamline.evaluate.language_model import JUDGED
from seamline.evaluate.metrics import HEADLINE, WEIGHTS, RetrievedPassage, composite
from seamline.evaluate.questions import LabelledQuestion

COMPARED = ("budget_recall", f"recall@{HEADLINE}", f"ndcg@{HEADLINE}", f"full@{HEADLINE}", f"iou@{HEADLINE}")
"""Metrics that are compared with the first trial, question by question."""
FACTS = ("coherence", "self-contained", "density", "boundary")
"""What is found out about chunks without any question."""
TARGETS: Mapping[str, float] = {"boundary": 0.7, "self-contained": 0.8, "violations": 0.0}
"""What good chunks reach; violations at most, the others at least."""
BINS = 24


class SizeStats(NamedTuple):
    """How large chunks are, in tokens."""

    mean: float
    low: int
    median: int
    high: int
    """The 10th, 50th and 90th percentile."""
    histogram: tuple[int, ...]
    """Counts in equal bins from 0 to `most`."""
    most: int


def size_stats(tokens: Sequence[int]) -> SizeStats:
    """The distribution of sizes; all zero where there are none."""
    if not tokens:
        return SizeStats(0.0, 0, 0, 0, (0,) * BINS, 0)
    ordered = sorted(tokens)
    most = ordered[-1]
    bins = [0] * BINS
    for one in ordered:
        bins[min(BINS - 1, one * BINS // (most + 1))] += 1
    low, median, high = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.1, 0.5, 0.9))
    return SizeStats(sum(ordered) / len(ordered), low, median, high, tuple(bins), most)


@dataclass(frozen=True, slots=True)
class TrialCost:
    """What a trial took."""

    cut_seconds: float = 0.0
    embed_seconds: float = 0.0
    search_seconds: float = 0.0
    embedded: int = 0
    """Texts that the model read; those of earlier trials are known."""
    cached: int = 0
    expansion: float = 1.0
    """Tokens that are stored and embedded for each token of the documents: overlap, headings and derived texts."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One way to cut and search, and how it did."""

    name: str
    strategy: str
    size: int
    settings: Mapping[str, Any]
    """What sets it apart from others, by name."""
    is_peer: bool
    chunks: int
    sizes: SizeStats
    violations: Mapping[str, int]
    """By rule of the contract."""
    examples: tuple[str, ...]
    """The first violations in words."""
    facts: Mapping[str, float]
    """Means over chunks, 0-1."""
    cost: TrialCost
    scores: tuple[Mapping[str, float], ...] = field(repr=False)
    """Of every question, in order."""
    passages: tuple[tuple[RetrievedPassage, ...], ...] = field(repr=False)
    """What was found for every question, the first few."""
    by_document: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    """Means of facts and violations of a chunk, by document."""
    judged: Mapping[int, Mapping[str, float]] = field(default_factory=dict, repr=False)
    """What a language model made of the passages, by number of the question, where it was asked."""

    @property
    def means(self) -> dict[str, float]:
        """All figures by name: means over questions, facts, `quality`, `violations`, `tokens`, and the `composite`."""
        names = self.scores[0] if self.scores else ()
        means = {name: sum(one[name] for one in self.scores) / len(self.scores) for name in names}
        if self.judged:
            means |= {name: sum(one[name] for one in self.judged.values()) / len(self.judged) for name in JUDGED}
        means |= self.facts
        if self.facts:
            means["quality"] = sum(self.facts.values()) / len(self.facts)
        broken = float(sum(self.violations.values()))
        means |= {"violations": broken, "tokens": self.sizes.mean, "expansion": self.cost.expansion}
        return {**means, "composite": composite(means)}

    def column(self, metric: str) -> list[float]:
        """One metric of every question."""
        return [one[metric] for one in self.scores]


@dataclass(frozen=True)
class Evaluation:
    """Trials over the same documents and questions; the first is what others are compared with."""

    trials: tuple[Trial, ...]
    questions: tuple[LabelledQuestion, ...]
    documents: int
    generated: bool
    """Whether rules wrote the questions."""
    notes: tuple[str, ...] = ()
    """What is worth knowing: questions that were left out, documents that failed, an interruption."""

    @cached_property
    def differences(self) -> Mapping[str, Mapping[str, PairedDifference]]:
        """How each trial differs from the first, by its name and metric: question by question, and document by
        document where a metric is about chunks. p values are corrected for the number of trials."""
        if not self.trials:
            return {}
        base, *others = self.trials
        out: dict[str, dict[str, PairedDifference]] = {trial.name: {} for trial in self.trials}
        asked = (*COMPARED, *(JUDGED if base.judged else ())) if self.questions else ()
        for metric in (*asked, "violations", *base.facts):
            found = [_compare(trial, base, metric) for trial in others]
            for trial, one, p in zip(others, found, holm([one.p for one in found]), strict=True):
                out[trial.name][metric] = one._replace(p=p)
        return out

    def to_dict(self, *, questions: bool = True) -> dict[str, Any]:
        """Everything as plain JSON values; the scores of single questions only where they are wanted."""
        out: dict[str, Any] = {
            "documents": self.documents,
            "questions": len(self.questions),
            "generated": self.generated,
            "baseline": self.trials[0].name if self.trials else None,
            "weights": dict(WEIGHTS),
            "trials": [_trial_record(trial, self.differences[trial.name]) for trial in self.trials],
            "notes": list(self.notes),
        }
        if questions:
            out["per_question"] = [
                {
                    "id": question.id,
                    "question": question.text,
                    "kind": question.kind,
                    "scores": {trial.name: _rounded(trial.scores[at]) for trial in self.trials},
                }
                for at, question in enumerate(self.questions)
            ]
        return out


def _compare(trial: Trial, base: Trial, metric: str) -> PairedDifference:
    """The difference over the questions, or the documents, that both have a figure for."""
    if metric in JUDGED:
        judged = [(trial.judged[at][metric], base.judged[at][metric]) for at in trial.judged if at in base.judged]
        return paired_bootstrap([one for one, _ in judged], [other for _, other in judged])
    if metric in base.facts or metric == "violations":
        both = [(one, base.by_document.get(name, {})) for name, one in trial.by_document.items()]
        pairs = [(one[metric], other[metric]) for one, other in both if metric in one and metric in other]
        return paired_bootstrap([one for one, _ in pairs], [other for _, other in pairs])
    return paired_bootstrap(trial.column(metric), base.column(metric))


def _trial_record(trial: Trial, differences: Mapping[str, PairedDifference]) -> dict[str, Any]:
    cost = trial.cost
    return {
        "name": trial.name,
        "strategy": trial.strategy,
        "size": trial.size,
        "peer": trial.is_peer,
        "settings": dict(trial.settings),
        "chunks": trial.chunks,
        "sizes": {name: value for name, value in trial.sizes._asdict().items() if name != "histogram"},
        "metrics": _rounded(trial.means),
        "judged": len(trial.judged),
        "violations": dict(trial.violations),
        "cost": {name: round(getattr(cost, name), 4) for name in cost.__slots__},
        "against_baseline": {name: {**_rounded(one._asdict())} for name, one in differences.items()},
    }


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 5) for name, value in values.items()}
