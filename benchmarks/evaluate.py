"""Does `seamline eval` measure what others measure, are generated questions to be trusted, and what does tuning gain?

    python -m benchmarks.evaluate tokens                  the published token-level scores, three peers
    python -m benchmarks.evaluate generated               strategies ranked by generated and by written questions
    python -m benchmarks.evaluate tune --sets structmd    the default against what tuning finds

The sets are those of chunkbench, beside the data.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from benchmarks.common import need, options, peak_mb, table
from seamline.api.evaluate import (
    PEERS,
    AnswerSpan,
    LabelledQuestion,
    TrialCorpus,
    TrialPlan,
    TrialRunner,
    generate_questions,
    plan_trials,
)
from seamline.api.tune import candidates, tune
from seamline.evaluate.metrics import HEADLINE
from seamline.evaluate.peers import Count, CutSpans, PeerChunker
from seamline.recipe.recipe import Recipe, resize

MARKDOWN = {"structmd", "fetaqa_long"}
SCORES = ("token_recall", "token_precision", "iou")
SEED = 0


def load(folder: Path, most: int) -> tuple[TrialCorpus, list[LabelledQuestion]]:
    """The documents and questions of a set; at most so many of them, spread evenly."""
    texts = {row["id"]: row["text"] for row in _rows(folder / "docs.jsonl")}
    names = {name: name + (_suffix(text) if folder.name == "codebase" else "") for name, text in texts.items()}
    docs = {names[name]: text.encode() for name, text in texts.items()}
    asked = [
        LabelledQuestion(
            str(row["id"]),
            row["question"],
            tuple(AnswerSpan(names[one["doc"]], one["start"], one["end"]) for one in row["refs"]),
        )
        for row in _rows(folder / "queries.jsonl")
    ]
    kept = asked if len(asked) <= most else [asked[at * len(asked) // most] for at in range(most)]
    media_type = "text/markdown" if folder.name in MARKDOWN else None if folder.name == "codebase" else "text/plain"
    return TrialCorpus(docs, media_type=media_type), kept


def _rows(file: Path) -> Iterable[dict[str, Any]]:
    with need(file).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _suffix(text: str) -> str:
    """Of a source file that lost its name: code without it would be read as prose."""
    signs = {".cpp": "#include", ".rs": "fn ", ".py": "def ", ".java": "public class", ".go": "func "}
    return next((suffix for suffix, sign in signs.items() if sign in text), ".ts")


def window(limit: int, count: Count) -> CutSpans:
    """Runs of so many tokens, wherever that ends."""

    def cut(text: str) -> list[tuple[int, int]]:
        out, start = [], 0
        while start < len(text):
            low, high = start + 1, min(len(text), start + 12 * limit)
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if count(text[start:middle]) <= limit else (low, middle - 1)
            out.append((start, low))
            start = low
        return out

    return cut


def tokens(args: argparse.Namespace) -> dict[str, Any]:
    """Token-level recall, precision and IoU of the first five passages on the prose set."""
    cast("dict[str, PeerChunker]", PEERS)["window"] = PeerChunker("window", "seamline", "seamline", window)
    corpus, asked = load(args.sets_folder / "chroma", args.most)
    rows, found = [], {}
    for legs, embedder, limits in (("bm25", "hash", (200, 400)), ("dense", "minilm", (200,))):
        runner = TrialRunner(corpus, legs=legs, embedder=embedder, facts=False)  # type: ignore[arg-type]
        for limit in limits:
            recipe = resize(Recipe(tokenizer="cl100k_base"), limit=limit)
            plans = [TrialPlan(f"{peer} {limit}", recipe, peer) for peer in ("langchain", "llama-index", "window")]
            for plan in [*plans, TrialPlan(f"structural {limit}", recipe)]:
                means = runner.run(plan, asked).means
                figures = {
                    name: 100 * means[f"{name}@{HEADLINE}"] for name in ("token_recall", "token_precision", "iou")
                }
                found[f"{legs} {plan.name}"] = figures
                rows.append(
                    [f"{legs} {plan.name}", f"{means['tokens']:.0f}", *(f"{one:.1f}" for one in figures.values())]
                )
    print(table(["trial", "tokens", "recall", "precision", "IoU"], rows))
    return found


def generated(args: argparse.Namespace) -> dict[str, Any]:
    """The rank correlation of strategies by generated and by written questions."""
    found: dict[str, Any] = {}
    rows = []
    for name in args.sets or ("structmd", "fetaqa_long", "codebase"):
        corpus, written = load(args.sets_folder / name, args.most)
        base = Recipe()
        made = generate_questions(corpus.documents(base), args.most)
        plans = plan_trials(base, ["structural", "semantic", "rechunk"], args.sizes, ["langchain", "llama-index"])
        runner = TrialRunner(corpus, legs="bm25", facts=False)
        both = [*written, *made]
        scores: dict[str, dict[str, list[float]]] = {}
        for plan in plans:
            trial = runner.run(plan, both)
            for metric in ("budget_recall", "ndcg@5", "full@5"):
                column = trial.column(metric)
                halves = [column[: len(written)][side::2] for side in (0, 1)]
                means = [_mean(column[: len(written)]), _mean(column[len(written) :]), *map(_mean, halves)]
                scores.setdefault(metric, {})[plan.name] = means
        kinds: dict[str, int] = {}
        for one in made:
            kinds[one.kind] = kinds.get(one.kind, 0) + 1
        found[name] = {"written": len(written), "generated": kinds, "scores": scores}
        for metric, values in scores.items():
            rho = _spearman([one[0] for one in values.values()], [one[1] for one in values.values()])
            # How well one half of the written questions ranks as the other does: more cannot be asked of others.
            most = _spearman([one[2] for one in values.values()], [one[3] for one in values.values()])
            found[name] |= {f"rho {metric}": rho, f"halves {metric}": most}
            best = [max(values, key=lambda one: values[one][side]) for side in (0, 1)]
            counts = [len(plans), len(written), len(made)]
            rows.append([name, metric, *counts, f"{rho:+.2f}", f"{most:+.2f}", *best])
    heads = ["set", "metric", "trials", "written", "generated", "rho", "halves", "best by written", "best by generated"]
    print(table(heads, rows))
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _spearman(left: Sequence[float], right: Sequence[float]) -> float:
    """The correlation of ranks; ties share theirs."""
    import numpy as np

    def ranks(values: Sequence[float]) -> Any:
        return np.array(
            [sum(one < value for one in values) + sum(one == value for one in values) / 2 for value in values]
        )

    one, other = ranks(left), ranks(right)
    return float(np.corrcoef(one, other)[0, 1]) if one.std() and other.std() else 0.0


def tuning(args: argparse.Namespace) -> dict[str, Any]:
    """What tuning chooses on each set, judged on questions that it did not choose by."""
    found: dict[str, Any] = {}
    for name in args.sets or ("structmd", "chroma"):
        corpus, asked = load(args.sets_folder / name, args.most)
        begun = time.monotonic()
        runner = TrialRunner(corpus, legs=args.legs, facts=False)
        plans = candidates(Recipe(), alphas=args.legs == "hybrid", most=args.candidates, seed=SEED)
        result = tune(runner, plans, asked, seconds=args.seconds)
        found[name] = {**result.to_dict(), "peak_mb": peak_mb()}
        print(f"{name} ({args.legs}, {len(asked)} questions): {result.verdict()}")
        print(
            f"    {result.trials} trials, {time.monotonic() - begun:.0f} s, {peak_mb():.0f} MB"
            f"{', ended early: ' + result.stopped if result.stopped else ''}",
            flush=True,
        )
    return found


PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "tokens": tokens,
    "generated": generated,
    "tune": tuning,
}


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--sets", nargs="*", help="sets of chunkbench")
    parser.add_argument("--most", type=int, default=400, help="questions of a set, and generated ones")
    parser.add_argument("--legs", default="bm25", choices=("bm25", "dense", "hybrid"), help="how tuning searches")
    parser.add_argument("--sizes", nargs="*", type=int, default=[128, 256, 512], help="of `generated`")
    parser.add_argument("--candidates", type=int, default=27)
    parser.add_argument("--seconds", type=float, default=480)
    args = parser.parse_args()
    args.sets_folder = need(args.data.parent / "chunkbench" / "data")
    found = PARTS[args.part](args)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
