"""How much of the answers stands in a prompt of a fixed size: `Index.context` beside the usual top k.

Tokens are counted on what is sent. The context pays for its numbers, sources and delimiters; the top k are chunks one
after the other and nothing else, filled up with further hits as long as they fit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.common import DATA, progress, table, verdict
from benchmarks.quality.indexed import Indexed, Remembering, build, shown
from benchmarks.quality.questions import Question, Ref, covered, load
from benchmarks.quality.retrieval import SETS
from seamline.retrieve.context import WEAK
from seamline.retrieve.options import SearchOptions
from seamline.tokens import load as load_tokenizer

Written = tuple[list[Ref], int]
"""What a prompt shows of documents, and its tokens."""

count = load_tokenizer("o200k_base").count


def top(indexed: Indexed, question: Question, budget: int, *, fill: bool, over: int = 3) -> Written:
    """The best chunks of a hybrid search: as many as the budget has room for on average, or as fit. With `over` 1 the
    legs look as deep as those of a context."""
    indexed.ask(question)
    most = 20 if fill else max(1, int(budget / indexed.tokens))
    refs: list[Ref] = []
    used = 0
    for hit in indexed.index.search(question.text, options=SearchOptions(k=20, over=over, gate=None)).hits[:most]:
        size = count(hit.text)
        if used + size <= budget:
            refs += shown(hit.citations)
            used += size
    return refs, used


def context(
    indexed: Indexed,
    question: Question,
    budget: int,
    *,
    packing: str = "greedy",
    sources: str = "inline",
    weak: float = WEAK,
) -> Written:
    """What `seamline context` prints. Summaries do not count: they are no part of the answer's own text."""
    indexed.ask(question)
    made = indexed.index.context(
        question.text,
        budget=budget,
        packing=packing,  # type: ignore[arg-type]
        sources=sources,  # type: ignore[arg-type]
        weak=weak,
    )
    whole = [one for passage in made.passages if not passage.summary for one in passage.citations]
    return shown(whole), made.tokens


WAYS: Mapping[str, Callable[[Indexed, Question, int], Written]] = {
    "top k": partial(top, fill=False),
    "top k, filled up": partial(top, fill=True),
    "top k, filled up, same legs": partial(top, fill=True, over=1),
    "context": context,
    "context without sources": partial(context, sources="none"),
    "context, filled up": partial(context, weak=0.0),
    "context, exact packing": partial(context, packing="exact"),
}


def fixed(indexed: Indexed) -> tuple[list[float], list[float]]:
    """The top k of every fixed k up to 20, without a budget: mean tokens, and the answers shown, in hundredths."""
    progress(f"{indexed.set.name}: fixed k")
    sizes, recalls = [], []
    for question in indexed.set.questions:
        indexed.ask(question)
        hits = indexed.index.search(question.text, options=SearchOptions(k=20, over=1, gate=None)).hits
        refs = [shown(hit.citations) for hit in hits]
        tokens = np.cumsum([0, *(count(hit.text) for hit in hits), *[0] * (20 - len(hits))])
        sizes.append(tokens)
        recalls.append([covered(question.refs, [ref for one in refs[:k] for ref in one]) for k in range(21)])
    return np.mean(sizes, axis=0).tolist(), (100 * np.mean(recalls, axis=0)).tolist()


def measure(indexed: Indexed, budget: int) -> dict[str, tuple[float, float]]:
    """Per way: the share of the answers that is shown, in hundredths, and the mean tokens."""
    out = {}
    for name, way in WAYS.items():
        progress(f"{indexed.set.name}, {budget} tokens: {name}")
        made = [(question, way(indexed, question, budget)) for question in indexed.set.questions]
        recall = [covered(question.refs, refs) for question, (refs, _) in made]
        out[name] = 100 * float(np.mean(recall)), float(np.mean([tokens for _, (_, tokens) in made]))
    progress("")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA.parent / "chunkbench" / "data")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--limits", nargs="+", type=int, default=[512])
    parser.add_argument("--budgets", nargs="+", type=int, default=[1000, 2000])
    parser.add_argument("--questions", type=int, default=100, help="per set, evenly spread; all documents stay")
    parser.add_argument("--others", action="store_true", help="ask as many of the questions that are else left out")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    embedder = Remembering(args.threads)
    fine = True
    for limit in args.limits:
        data = [load(args.data / name, args.questions, others=args.others) for name in args.sets]
        sets = [build(one, limit, embedder) for one in data]
        curves = [fixed(indexed) for indexed in sets]
        for budget in args.budgets:
            found = [measure(indexed, budget) for indexed in sets]
            rows = [
                [
                    name,
                    *(f"{one[name][0]:.1f} / {one[name][1]:.0f}" for one in found),
                    float(np.mean([one[name][0] for one in found])),
                ]
                for name in WAYS
            ]
            print(f"\nLimit {limit}, budget {budget}: recall / tokens\n")
            print(table(["", *(one.set.name for one in sets), "mean recall"], rows), end="\n\n")
            for name in ("context", "context without sources"):
                for peer in ("top k", "top k, filled up", "top k, filled up, same legs"):
                    ahead = float(np.mean([one[name][0] - one[peer][0] for one in found]))
                    fine &= ahead > 0
                    print(f"{verdict(ahead > 0)}: {name} ahead of {peer} by {ahead:+.1f}", flush=True)
                leads = [
                    one[name][0] - float(np.interp(one[name][1], *curve))
                    for one, curve in zip(found, curves, strict=True)
                ]
                ahead = float(np.mean(leads))
                fine &= ahead > 0
                told = " ".join(f"{lead:+.1f}" for lead in leads)
                print(f"{verdict(ahead > 0)}: {name} ahead of a fixed k at equal tokens by {ahead:+.1f} ({told})")
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
