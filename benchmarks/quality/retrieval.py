"""Which way of searching finds most answers: legs, fusions, second looks, hierarchy, plans.

Every figure comes from `Index.search`. Settings are chosen by every other question (`chosen`) and judged by the rest
(`judged`), so that no setting is fitted to what it is judged by.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import DATA, progress, save, table, verdict
from benchmarks.quality.indexed import Indexed, Remembering, build
from benchmarks.quality.questions import covered, gains, load, ndcg
from seamline.search.expand import Gate
from seamline.search.options import SearchOptions

SETS = ("chroma", "xquad_en", "codebase", "structmd", "fetaqa_long")
PLAIN = SearchOptions(k=10, gate=None)


class Way(NamedTuple):
    """A way to search."""

    options: SearchOptions
    adaptive: bool = False


LEGS: Mapping[str, Way] = {"dense": Way(replace(PLAIN, legs="dense")), "BM25": Way(replace(PLAIN, legs="bm25"))}


def _linear(fusion: str, alpha: float, lean: float = 0.0) -> Way:
    return Way(replace(PLAIN, fusion=fusion, alpha=alpha, lean=lean))  # type: ignore[arg-type]


def _named(fusion: str, alpha: float, lean: float) -> str:
    return f"{fusion} {alpha}" + (f", lean {lean}" if lean else "")


_GRID = [
    *(("blend", alpha, 0.0) for alpha in (0.3, 0.4, 0.5)),
    *(("blend", alpha, lean) for alpha in (0.5, 0.6) for lean in (0.5, 0.7, 0.9)),
    *(("min-max", alpha, 0.0) for alpha in (0.4, 0.5, 0.6, 0.7)),
    *(("z-score", alpha, 0.0) for alpha in (0.4, 0.5, 0.6, 0.7)),
    *(("share", alpha, 0.0) for alpha in (0.4, 0.5, 0.6)),
    *(("min-max", alpha, lean) for alpha in (0.6, 0.7) for lean in (0.5, 0.7)),
    ("z-score", 0.7, 0.7),
    ("share", 0.7, 0.7),
]

FUSIONS: Mapping[str, Way] = {
    **{f"rrf, k {k}": Way(replace(PLAIN, fusion="rrf", rrf_k=k)) for k in (5, 20, 60)},
    **{_named(*way): _linear(*way) for way in _GRID},
}
DEFAULT = _named(PLAIN.fusion, PLAIN.alpha, PLAIN.lean)
SHOWN = ("rrf, k 60", "min-max 0.6", "share 0.5", "z-score 0.5")
"""Set beside the default and the chosen one: what the specification names, and what was the default before."""

OTHERS: Mapping[str, Way] = {
    "hybrid": Way(PLAIN),
    "hybrid + shadows": Way(replace(PLAIN, gate=Gate())),
    "hybrid + shadows, match 0.3": Way(replace(PLAIN, gate=Gate(match=0.3))),
    "hybrid + shadows, match 0.5": Way(replace(PLAIN, gate=Gate(match=0.5))),
    "hybrid, duplicates kept": Way(replace(PLAIN, collapse=False)),
    "hybrid, legs 10 deep": Way(replace(PLAIN, over=1, least=10)),
    "hybrid, legs 100 deep": Way(replace(PLAIN, least=100)),
    "parents": Way(replace(PLAIN, mode="parents")),
    "summary-first": Way(replace(PLAIN, mode="summary-first")),
    "multi-level": Way(replace(PLAIN, mode="multi-level")),
    "adaptive": Way(PLAIN, adaptive=True),
    "adaptive + shadows": Way(replace(PLAIN, gate=Gate()), adaptive=True),
}

Scores = Any
"""Per question: recall@5, nDCG@5, nDCG@10."""


def scores(indexed: Indexed, way: Way) -> Scores:
    """How well one way answers each question of a set."""
    rows = []
    for question in indexed.set.questions:
        ranked = indexed.ranked(question, way.options, adaptive=way.adaptive)
        gained, ideal = gains(question, ranked[:10]), indexed.ideal(question)
        rows.append(
            (
                covered(question.refs, [ref for refs in ranked[:5] for ref in refs]),
                ndcg(gained, ideal, 5),
                ndcg(gained, ideal, 10),
            )
        )
    return np.array(rows)


Measured = Mapping[str, Sequence[Scores]]
"""Per way, the scores of every set."""


def measure(sets: Sequence[Indexed], ways: Mapping[str, Way]) -> Measured:
    out: dict[str, list[Scores]] = {name: [] for name in ways}
    for indexed in sets:
        for name, way in ways.items():
            progress(f"{indexed.set.name}, limit {indexed.limit}: {name}")
            out[name].append(scores(indexed, way))
    progress("")
    return out


CHOSEN, JUDGED = slice(0, None, 2), slice(1, None, 2)


def show(title: str, sets: Sequence[Indexed], measured: Measured, half: slice) -> None:
    """A table: a row per way, a column per set with recall@5 / nDCG@5 / nDCG@10."""
    rows = []
    for name, per_set in measured.items():
        means = [100 * one[half].mean(axis=0) for one in per_set]
        mean = np.mean(means, axis=0)
        cells = [" / ".join(f"{value:.1f}" for value in one) for one in (*means, mean)]
        rows.append([name, *cells])
    print(f"\n{title}: recall@5 / nDCG@5 / nDCG@10\n")
    print(table(["", *(one.set.name for one in sets), "mean"], rows), flush=True)


def ahead(measured: Measured, name: str, half: slice) -> list[tuple[float, float]]:
    """Per set, how far a way is ahead of the better leg, in recall@5 and nDCG@10."""
    out = []
    for at in range(len(measured[name])):
        own, dense, bm25 = (100 * measured[which][at][half].mean(axis=0) for which in (name, "dense", "BM25"))
        best = np.maximum(dense, bm25)
        out.append((float(own[0] - best[0]), float(own[2] - best[2])))
    return out


def pick(measured: Measured, half: slice) -> list[str]:
    """The fusions, best first: those ahead of both legs on every set come before all others, then by their mean."""

    def key(name: str) -> tuple[bool, float]:
        worst = min(min(pair) for pair in ahead(measured, name, half))
        mean = float(np.mean([one[half][:, (0, 2)].mean() for one in measured[name]]))
        return worst < 0, -mean

    return sorted((name for name in measured if name not in LEGS), key=key)


def interval(measured: Measured, name: str, at: int, half: slice, rounds: int = 2000) -> tuple[float, float, float]:
    """nDCG@10 ahead of the better leg on one set, with the 95% interval of a paired bootstrap."""
    legs = [measured[leg][at][half][:, 2] for leg in LEGS]
    best = max(legs, key=lambda leg: float(leg.mean()))
    differences = 100 * (measured[name][at][half][:, 2] - best)
    rng = np.random.default_rng(7)
    means = rng.choice(differences, (rounds, len(differences))).mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(differences.mean()), float(low), float(high)


def fusions(sets: Sequence[Indexed]) -> bool:
    """Choose a fusion by one half of the questions and judge it by the other; whether the default is ahead there."""
    measured = measure(sets, {**LEGS, **FUSIONS})
    order = pick(measured, CHOSEN)
    show("Half of the questions, to choose by", sets, {name: measured[name] for name in (*LEGS, *order)}, CHOSEN)
    show("The other half, to judge by", sets, {name: measured[name] for name in (*LEGS, *order)}, JUDGED)
    rows = []
    for name in dict.fromkeys((order[0], DEFAULT, *SHOWN)):
        for at, one in enumerate(sets):
            leads = [ahead(measured, name, half)[at] for half in (CHOSEN, JUDGED)]
            mean, low, high = interval(measured, name, at, JUDGED)
            told = [f"{recall:+.1f} / {gain:+.1f}" for recall, gain in leads]
            rows.append([name, one.set.name, *told, f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"])
    print(f"\nAhead of the better leg; chosen: {order[0]}, default: {DEFAULT}\n")
    headers = ["fusion", "set", "chosen by, recall@5 / nDCG@10", "judged by", "nDCG@10 judged, 95%"]
    print(table(headers, rows), flush=True)
    fine = all(min(pair) >= 0 for pair in ahead(measured, DEFAULT, JUDGED))
    print(f"\n{verdict(fine)}: the default ahead of both legs on every set, in the half that is judged")
    return fine


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA.parent / "chunkbench" / "data")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--limits", nargs="+", type=int, default=[512])
    parser.add_argument("--questions", type=int, default=2000, help="per set, evenly spread; all documents stay")
    parser.add_argument("--parts", nargs="+", default=["fusions", "searches"], choices=["fusions", "searches", "dual"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args()
    embedder = Remembering(args.threads)
    fine, figures = True, {}
    for limit in args.limits:
        dual = "dual" in args.parts
        sets = [build(load(args.data / name, args.questions), limit, embedder, dual=dual) for name in args.sets]
        sizes = ", ".join(
            f"{one.set.name} {len(one.chunks)} chunks of {one.tokens:.0f} tokens, {len(one.set.questions)} questions"
            for one in sets
        )
        print(f"\n== limit {limit}: {sizes}", flush=True)
        if "fusions" in args.parts:
            fine &= fusions(sets)
        if "searches" in args.parts or dual:
            measured = measure(sets, {**LEGS, **OTHERS})
            show("Ways to search, all questions", sets, measured, slice(None))
            figures[str(limit)] = {
                name: {one.set.name: per_set[at].mean(axis=0).tolist() for at, one in enumerate(sets)}
                for name, per_set in measured.items()
            }
    save(args.json, "quality.retrieval", figures)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
