"""Does a score mean what it says: of the passages with a score of 0.7, do seven of ten answer the question?

Fits the weights of `seamline.search.score` to every other question of four sets, and judges them by the other questions
and by two sets of other kinds. Questions about something else, drawn from sets of another kind, and words that mean
nothing should find nothing. Every figure comes from `Index.search`.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.common import DATA, progress, save, table, verdict
from benchmarks.quality.indexed import Indexed, Remembering, build
from benchmarks.quality.questions import Question, QuestionSet, covered, load, load_asked
from seamline.embed.bundled import MODELS
from seamline.search.hits import Evidence
from seamline.search.options import LegChoice, SearchOptions
from seamline.search.score import BY_MEANING, BY_WORDS, RELEVANT, WORDS, Calibration

KINDS = {
    "structmd": "documentation",
    "asked": "documentation",
    "codebase": "code",
    "chroma": "talk",
    "fetaqa_long": "encyclopedia",
    "xquad_en": "encyclopedia",
}
JUDGED = ("xquad_en", "asked")
"""Sets that nothing is fitted to."""
NEAR = ({"documentation", "code"}, {"talk", "encyclopedia"})
"""Kinds whose questions may be about the same things."""
ANSWERS = 0.3
"""A passage with this share of the answer counts as one that answers."""
BAR_ERROR, BAR_OTHERS, BAR_REAL = 0.08, 95.0, 3.0
_LETTERS = "bcdfghjklmnpqrstvwxzaeiouy"


class Answer(NamedTuple):
    """What a search gave for one question."""

    shares: np.ndarray
    """`Hit.relative`, best first."""
    evidence: Evidence
    right: np.ndarray
    """Whether each hit answers."""


def search(indexed: Indexed, questions: Sequence[Question], options: SearchOptions) -> list[Answer]:
    """The answers to questions that have one."""
    found = []
    for question in questions:
        indexed.ask(question)
        results = indexed.index.search(question.text, options=options)
        shown = [[indexed.chunks[id] for id in hit.ids] for hit in results.hits]
        right = [bool(question.refs) and covered(question.refs, refs) >= ANSWERS for refs in shown]
        evidence = results.evidence or Evidence(None, 0.0)
        shares = np.array([hit.relative for hit in results.hits])
        found.append(Answer(shares, evidence, np.array(right, bool)))
    return found


def nonsense(rng: random.Random) -> str:
    """A few words that no language has."""
    return " ".join("".join(rng.choices(_LETTERS, k=rng.randint(4, 9))) for _ in range(rng.randint(1, 4)))


def others(sets: Mapping[str, QuestionSet], name: str, rng: random.Random, most: int) -> list[Question]:
    """Questions about something else."""
    apart = [
        other.questions
        for other in sets.values()
        if KINDS[other.name] != KINDS[name] and {KINDS[other.name], KINDS[name]} not in NEAR
    ]
    drawn = [rng.sample(questions, min(len(questions), most // len(apart))) for questions in apart]
    return [Question(question.text, ()) for some in drawn for question in some]


def features(answer: Answer, enough: float, by_meaning: bool) -> np.ndarray:
    """A row per hit: share, and what the topic falls short of."""
    similarity, coverage, unsaid = answer.evidence
    topic = (similarity or 0.0) * by_meaning + WORDS * coverage - unsaid
    return np.array([(share, max(0.0, enough - topic)) for share in answer.shares]).reshape(-1, 2)


def fit(groups: Sequence[tuple[Sequence[Answer], float]], enough: float, by_meaning: bool) -> tuple[Calibration, float]:
    """The logistic regression of the groups, each with its weight, and its loss."""
    rows, right, weights = [], [], []
    for answers, weight in groups:
        hits = sum(len(answer.shares) for answer in answers)
        for answer in answers:
            rows.append(features(answer, enough, by_meaning))
            right.append(answer.right)
            weights.append(np.full(len(answer.shares), weight / max(1, hits)))
    x = np.vstack(rows)
    x = np.column_stack([np.ones(len(x)), x])
    y, w = np.concatenate(right).astype(float), np.concatenate(weights)
    w /= w.sum()
    b = np.zeros(x.shape[1])
    for _ in range(60):  # Newton's method with a trace of ridge
        p = 1 / (1 + np.exp(-x @ b))
        slope = x.T @ (w * (y - p)) - 1e-5 * b
        curve = (x * (w * p * (1 - p))[:, None]).T @ x + 1e-5 * np.eye(len(b))
        b = b + np.linalg.solve(curve, slope)
    p = np.clip(1 / (1 + np.exp(-x @ b)), 1e-9, 1 - 1e-9)
    loss = -float((w * (y * np.log(p) + (1 - y) * np.log(1 - p))).sum())
    return Calibration(float(b[0]), float(b[1]), -float(b[2]), enough), loss


def rate(answers: Sequence[Answer], by: Calibration, by_meaning: bool) -> list[np.ndarray]:
    """The score of each hit."""
    seen = [a.evidence if by_meaning else a.evidence._replace(similarity=None) for a in answers]
    return [np.array([by.probability(s, e) for s in a.shares]) for a, e in zip(answers, seen, strict=True)]


def reliability(scores: np.ndarray, right: np.ndarray) -> tuple[list[list[str]], float]:
    """Scores in tenths beside the share that answers, and the expected calibration error."""
    rows, error = [], 0.0
    tenth = np.minimum((scores * 10).astype(int), 9)
    for n in range(10):
        here = tenth == n
        if here.any():
            said, true = scores[here].mean(), right[here].mean()
            error += here.mean() * abs(said - true)
            rows.append([f"{n / 10:.1f}-{n / 10 + 0.1:.1f}", f"{here.sum():,}", f"{said:.2f}", f"{true:.2f}"])
    return rows, float(error)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA.parent / "chunkbench" / "data")
    parser.add_argument("--corpora", type=Path, default=DATA, help="folder of markdown.jsonl, which `asked` is about")
    parser.add_argument("--model", choices=list(MODELS), default="seam")
    parser.add_argument("--legs", choices=["hybrid", "bm25"], default="hybrid")
    parser.add_argument("--limit", type=int, default=256)
    parser.add_argument("--questions", type=int, default=300, help="of each set, at most (300)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args()
    legs: LegChoice = args.legs
    by_meaning = legs == "hybrid"
    options = SearchOptions(k=10, legs=legs, min_score=0.0, gate=None)
    sets = {
        name: load_asked(data=args.corpora) if name == "asked" else load(args.data / name, args.questions)
        for name in KINDS
    }
    embedder, rng = Remembering(2, args.model), random.Random(13)
    real: dict[str, list[Answer]] = {}
    apart: dict[str, list[Answer]] = {}
    for name, data in sets.items():
        indexed = build(data, args.limit, embedder, hierarchy=False)
        progress(f"{name}: searches")
        real[name] = search(indexed, data.questions, options)
        strange = [*others(sets, name, rng, 120), *(Question(nonsense(rng), ()) for _ in range(60))]
        apart[name] = search(indexed, strange, options)
    progress("")
    fitted = [name for name in KINDS if name not in JUDGED]
    groups = [(real[name][::2], 1.0) for name in fitted] + [(apart[name][::2], 0.5) for name in fitted]
    tried = [fit(groups, enough / 20, by_meaning) for enough in range(2, 20)]
    best, loss = min(tried, key=lambda pair: pair[1])
    print(f"fitted: {best}, loss {loss:.4f}")
    used = BY_MEANING.get(args.model, best) if by_meaning else BY_WORDS
    print(f"shipped: {used}\n")
    scores, right, rows, told = [], [], [], {}
    lost = found_others = asked = strange_asked = 0
    for name in KINDS:
        part = slice(None) if name in JUDGED else slice(1, None, 2)
        rated, off = rate(real[name][part], used, by_meaning), rate(apart[name][part], used, by_meaning)
        truth = [answer.right for answer in real[name][part]]
        scores += rated
        right += truth
        _, error = reliability(np.concatenate(rated), np.concatenate(truth))
        silent = [not len(s) or s.max() < RELEVANT for s in rated]
        answered = [bool(t.any()) for t in truth]
        wrongly = sum(s and a for s, a in zip(silent, answered, strict=True))
        quiet = sum(not len(s) or s.max() < RELEVANT for s in off)
        lost, asked = lost + wrongly, asked + sum(answered)
        found_others, strange_asked = found_others + quiet, strange_asked + len(off)
        told[name] = {
            "error": error,
            "silent": 100 * sum(silent) / len(silent),
            "silent though found": 100 * wrongly / max(1, sum(answered)),
            "others": 100 * quiet / len(off),
        }
        rows.append([name, f"{len(rated)}", f"{error:.3f}", *(f"{v:.1f}" for v in list(told[name].values())[1:])])
    head = ["judged questions of", "questions", "calibration error", "% silent", "% of found", "% of others"]
    print(table(head, rows))
    bins, error = reliability(np.concatenate(scores), np.concatenate(right))
    print(f"\n{table(['score', 'passages', 'mean score', 'share that answers'], bins)}")
    share_lost, share_others = 100 * lost / asked, 100 * found_others / strange_asked
    print(f"\nexpected calibration error {error:.3f}; of {strange_asked} questions about something else or of nonsense")
    print(f"{share_others:.1f}% are told that nothing relevant was found, of {asked} that were found {share_lost:.1f}%")
    fine = error <= BAR_ERROR and share_others >= BAR_OTHERS and share_lost <= BAR_REAL
    print(f"\n{verdict(fine)}: error at most {BAR_ERROR}, others at least {BAR_OTHERS}%, real at most {BAR_REAL}%")
    told["all"] = {"error": error, "others": share_others, "silent though found": share_lost}
    save(args.json, "quality.calibration", told)
    raise SystemExit(0 if fine else 1)


if __name__ == "__main__":
    main()
