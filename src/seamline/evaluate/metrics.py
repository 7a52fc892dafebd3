"""Scores of one question: the passages that a search found, in order, against the spans that answer it.

A passage finds an answer where it holds at least half of its characters, or where at least half of the passage lies in
it. Ranks are counted by what finds an answer first, so that the same figures compare chunks of all sizes:

    recall@k           share of the answers found by the first k passages
    precision@k        share of the first k passages that find an answer
    mrr                1 / rank of the first passage that finds one
    ndcg@k             discounted gain of first finds, as a share of the best there could be
    full@k             share of the answers that the first k passages hold to the last character
    token_recall@k     share of the answers' characters that the first k passages hold
    token_precision@k  share of the characters of these passages that are answer
    iou@k              the same, over passages and what they miss of the answers
    budget_recall      token recall of the passages that fit a budget of tokens, the last one cut to fit
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2
from typing import NamedTuple

Spans = Sequence[tuple[int, int]]

KS = (1, 3, 5, 10)
"""Ranks at which scores are told."""
HEADLINE = 5
BUDGET = 1000
"""Tokens of a prompt for `budget_recall`: with a fixed number of passages, larger chunks would always recall more."""
HALF = 0.5


class AnswerSpan(NamedTuple):
    """A place that answers a question."""

    doc: str
    start: int
    end: int


class RetrievedPassage(NamedTuple):
    """What a search found: places of one document, in order, and how many tokens its text takes."""

    doc: str
    spans: tuple[tuple[int, int], ...]
    tokens: int


def merge_spans(spans: Spans) -> list[tuple[int, int]]:
    """The union of spans, in order and disjoint."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = out[-1][0], max(out[-1][1], end)
        elif start < end:
            out.append((start, end))
    return out


def common_length(left: Spans, right: Spans) -> int:
    """Characters that two disjoint, ordered lists of spans share."""
    total = at = 0
    for start, end in left:
        while at < len(right) and right[at][1] <= start:
            at += 1
        for other, stop in right[at:]:
            if other >= end:
                break
            total += min(end, stop) - max(start, other)
    return total


def length(spans: Spans) -> int:
    return sum(end - start for start, end in spans)


def find_answers(passage: RetrievedPassage, answers: Sequence[AnswerSpan]) -> set[int]:
    """The positions of the answers that a passage finds."""
    spans = merge_spans(passage.spans)
    own = length(spans)
    found = set()
    for at, (doc, start, end) in enumerate(answers):
        if doc == passage.doc:
            shared = common_length([(start, end)], spans)
            if shared and (shared >= HALF * (end - start) or shared >= HALF * own):
                found.add(at)
    return found


def precision_at(gains: Sequence[float], k: int) -> float:
    """Share of the first k that gain anything."""
    return sum(gain > 0 for gain in gains[:k]) / k


def recall_at(gains: Sequence[float], relevant: int, k: int) -> float:
    """Share of all relevant items that are among the first k."""
    return sum(gain > 0 for gain in gains[:k]) / relevant if relevant else 0.0


def reciprocal_rank(gains: Sequence[float]) -> float:
    """1 / rank of the first that gains anything; 0 where none does."""
    return next((1 / rank for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def ndcg_at(gains: Sequence[float], ideal: Sequence[float], k: int) -> float:
    """Discounted cumulative gain of the first k, as a share of that of the ideal order; at most 1."""

    def dcg(values: Sequence[float]) -> float:
        return sum(value / log2(rank + 1) for rank, value in enumerate(values[:k], 1))

    best = dcg(sorted(ideal, reverse=True))
    return min(1.0, dcg(gains) / best) if best else 0.0


def score_question(
    answers: Sequence[AnswerSpan],
    passages: Sequence[RetrievedPassage],
    *,
    ks: Sequence[int] = KS,
    headline: int = HEADLINE,
    budget: int = BUDGET,
) -> dict[str, float]:
    """All scores of one question, by name."""
    found = [find_answers(passage, answers) for passage in passages]
    hits = [float(bool(one)) for one in found]
    fresh = _first_finds(found)
    scores = {"mrr": reciprocal_rank(hits)}
    for k in ks:
        scores[f"recall@{k}"] = len(set().union(*found[:k])) / len(answers) if answers else 0.0
        scores[f"precision@{k}"] = precision_at(hits, k)
        scores[f"ndcg@{k}"] = ndcg_at(fresh, [1.0] * len(answers), k)
    scores |= {f"{name}@{headline}": value for name, value in token_scores(answers, passages[:headline]).items()}
    scores["budget_recall"] = token_scores(answers, fill_budget(passages, budget))["token_recall"]
    return scores


def _first_finds(found: Sequence[set[int]]) -> list[float]:
    """Per passage, how many answers it is the first to find."""
    known: set[int] = set()
    gains = []
    for one in found:
        gains.append(float(len(one - known)))
        known |= one
    return gains


def token_scores(answers: Sequence[AnswerSpan], passages: Sequence[RetrievedPassage]) -> dict[str, float]:
    """How much of the answers the passages hold together, and how much else. What two passages both hold is paid for
    twice, as in the published evaluation of Chroma."""
    held: dict[str, list[tuple[int, int]]] = {}
    for passage in passages:
        held.setdefault(passage.doc, []).extend(passage.spans)
    union = {doc: merge_spans(spans) for doc, spans in held.items()}
    wanted: dict[str, list[tuple[int, int]]] = {}
    for doc, start, end in answers:
        wanted.setdefault(doc, []).append((start, end))
    hit = sum(common_length(merge_spans(spans), union.get(doc, [])) for doc, spans in wanted.items())
    asked = sum(length(merge_spans(spans)) for spans in wanted.values())
    size = sum(length(passage.spans) for passage in passages)
    full = sum(common_length([(start, end)], union.get(doc, [])) == end - start for doc, start, end in answers)
    return {
        "full": full / len(answers) if answers else 0.0,
        "token_recall": hit / asked if asked else 0.0,
        "token_precision": hit / size if size else 0.0,
        "iou": hit / (size + asked - hit) if size + asked - hit else 0.0,
    }


def fill_budget(passages: Sequence[RetrievedPassage], budget: int) -> list[RetrievedPassage]:
    """The first passages that fit a budget of tokens; the one that does not is cut in proportion."""
    out = []
    for passage in passages:
        if passage.tokens <= budget:
            out.append(passage)
            budget -= passage.tokens
            continue
        room = length(passage.spans) * budget // passage.tokens
        out.append(passage._replace(spans=_first_characters(passage.spans, room), tokens=budget))
        break
    return out


def _first_characters(spans: Spans, room: int) -> tuple[tuple[int, int], ...]:
    kept = []
    for start, end in spans:
        if room > 0:
            kept.append((start, min(end, start + room)))
        room -= end - start
    return tuple(kept)


WEIGHTS: Mapping[str, float] = {
    "budget_recall": 0.28,
    f"ndcg@{HEADLINE}": 0.2,
    f"full@{HEADLINE}": 0.16,
    f"token_precision@{HEADLINE}": 0.08,
    "quality": 0.08,
    "faithfulness": 0.1,
    "completeness": 0.1,
}
"""Of the composite. Answers that fit a prompt count most, then their rank and that they are whole; little noise and
chunks that read well break ties; what a language model makes of passages counts where it was judged."""


def composite(scores: Mapping[str, float]) -> float:
    """One figure of all that was measured; what was not measured has no weight."""
    known = {name: weight for name, weight in WEIGHTS.items() if name in scores}
    total = sum(known.values())
    return sum(scores[name] * weight for name, weight in known.items()) / total if total else 0.0
