"""How much of the answers stands in a prompt of a fixed size: `Index.context` beside the usual top k.

Tokens are counted on what is sent. The context pays for its numbers, sources and delimiters. The top k stand beside it
twice: as chunks one after the other and nothing else, and `written alike`, numbered and with the same short sources.
Half of the questions may be looked at to choose settings, the other half is told apart (`judged`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import DATA, progress, table, verdict
from benchmarks.quality.indexed import Indexed, Remembering, build, shown
from benchmarks.quality.questions import Question, Ref, covered, load
from benchmarks.quality.retrieval import CHOSEN, JUDGED, SETS
from seamline.search.hits import Hit, PromptPassage
from seamline.search.options import SearchOptions
from seamline.search.prompt.render import render
from seamline.tokens import load as load_tokenizer

Written = tuple[list[Ref], int]
"""What a prompt shows of documents, and its tokens."""

count = load_tokenizer("o200k_base").count


def top(
    indexed: Indexed, question: Question, budget: int, *, fill: bool, over: int = 3, alike: bool = False
) -> Written:
    """The best chunks of a hybrid search: as many as the budget has room for on average, or as fit. With `over` 1 the
    legs look as deep as those of a context; `alike`, the chunks are numbered and name their sources."""
    indexed.ask(question)
    most = 20 if fill else max(1, int(budget / indexed.tokens))
    kept: list[Hit] = []
    used = 0
    for hit in indexed.index.search(question.text, options=SearchOptions(k=20, over=over, gate=None)).hits[:most]:
        size = count(written([*kept, hit])) if alike else used + count(hit.text)
        if size <= budget:
            kept.append(hit)
            used = size
    return [ref for hit in kept for ref in shown(hit.citations)], used


def written(hits: Sequence[Hit]) -> str:
    """Hits as a context writes them, but each for itself and best first."""
    return render([PromptPassage(number, hit.text, hit.citations) for number, hit in enumerate(hits, start=1)])


def context(
    indexed: Indexed,
    question: Question,
    budget: int,
    *,
    packing: str = "greedy",
    sources: str = "inline",
    weak: float | None = None,
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
    "top k, filled up, written alike": partial(top, fill=True, over=1, alike=True),
    "context": context,
    "context without sources": partial(context, sources="none"),
    "context, filled up": partial(context, weak=0.0),
    "context, exact packing": partial(context, packing="exact"),
}


class Curve(NamedTuple):
    """What fixed numbers of hits up to 20 show without a budget: a row per question, a column per k."""

    plain: Any
    """Tokens of the chunks alone."""
    alike: Any
    """Tokens where they are numbered and name their sources."""
    recall: Any

    def at(self, tokens: float, half: slice, *, alike: bool = False) -> float:
        """The answers that a fixed k shows with so many tokens on average, in hundredths."""
        sizes = (self.alike if alike else self.plain)[half].mean(axis=0)
        return float(np.interp(tokens, sizes, self.recall[half].mean(axis=0)))


def fixed(indexed: Indexed) -> Curve:
    """The top k of every fixed k up to 20."""
    progress(f"{indexed.set.name}: fixed k")
    plain, alike, recalls = [], [], []
    for question in indexed.set.questions:
        indexed.ask(question)
        hits = indexed.index.search(question.text, options=SearchOptions(k=20, over=1, gate=None)).hits
        refs = [shown(hit.citations) for hit in hits]
        none = [0] * (20 - len(hits))
        plain.append(np.cumsum([0, *(count(hit.text) for hit in hits), *none]))
        alike.append(np.cumsum([0, *_added(hits), *none]))
        recalls.append([covered(question.refs, [ref for one in refs[:k] for ref in one]) for k in range(21)])
    return Curve(np.array(plain), np.array(alike), 100 * np.array(recalls))


def _added(hits: Sequence[Hit]) -> Iterator[int]:
    """Tokens that each hit adds to the text, but for the line ends between them."""
    before = ""
    for k in range(1, len(hits) + 1):
        text = written(hits[:k])
        yield count(text[len(before) :].strip()) if text.startswith(before) else count(text) - count(before)
        before = text


Made = Mapping[str, tuple[Any, Any]]
"""Per way: the answers shown and the tokens of each question."""


def measure(indexed: Indexed, budget: int) -> Made:
    """Per way: the share of the answers that is shown, in hundredths, and the tokens."""
    out = {}
    for name, way in WAYS.items():
        progress(f"{indexed.set.name}, {budget} tokens: {name}")
        made = [(question, way(indexed, question, budget)) for question in indexed.set.questions]
        recall = [100 * covered(question.refs, refs) for question, (refs, _) in made]
        out[name] = np.array(recall), np.array([tokens for _, (_, tokens) in made])
    progress("")
    return out


def leads(name: str, found: Sequence[Made], curves: Sequence[Curve], half: slice, *, alike: bool) -> list[float]:
    """Per set, how far a way is ahead of a fixed k at equal mean tokens."""
    out = []
    for one, curve in zip(found, curves, strict=True):
        recall, tokens = (values[half].mean() for values in one[name])
        out.append(float(recall) - curve.at(float(tokens), half, alike=alike))
    return out


def judge(found: Sequence[Made], curves: Sequence[Curve]) -> bool:
    """Say how far the context is ahead; whether it is, of what is as long."""
    fine = True
    for name in ("context", "context without sources"):
        for alike in (False, True):
            ahead = leads(name, found, curves, slice(None), alike=alike)
            halves = [float(np.mean(leads(name, found, curves, half, alike=alike))) for half in (CHOSEN, JUDGED)]
            mean = float(np.mean(ahead))
            fine &= mean > 0
            told = " ".join(f"{lead:+.1f}" for lead in ahead)
            peer = "a fixed k at equal tokens" + (", written alike," if alike else "")
            print(f"{verdict(mean > 0)}: {name} ahead of {peer} by {mean:+.2f} ({told}; {_told(halves)})")
    for name, peers in PEERS.items():
        for peer in peers:
            lead = float(np.mean([one[name][0].mean() - one[peer][0].mean() for one in found]))
            more = float(np.mean([one[name][1].mean() - one[peer][1].mean() for one in found]))
            fine &= lead > 0 or name not in SAME_SIZE
            mark = f"{verdict(lead > 0)}: " if name in SAME_SIZE else ""
            print(f"{mark}{name} ahead of {peer} by {lead:+.2f}, with {more:+.0f} tokens", flush=True)
    return fine


def _told(halves: Sequence[float]) -> str:
    return "chosen {:+.2f}, judged {:+.2f}".format(*halves)


_FILLED = ("top k, filled up", "top k, filled up, same legs", "top k, filled up, written alike")
PEERS: Mapping[str, Sequence[str]] = {
    "context": ("top k", *_FILLED),
    "context, filled up": _FILLED,
    "context, exact packing": ("context",),
}
SAME_SIZE = {"context, filled up"}
"""What fills the budget as its peers do, so that recall alone decides."""


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
                    *(f"{one[name][0].mean():.1f} / {one[name][1].mean():.0f}" for one in found),
                    float(np.mean([one[name][0].mean() for one in found])),
                ]
                for name in WAYS
            ]
            print(f"\nLimit {limit}, budget {budget}: recall / tokens\n")
            print(table(["", *(one.set.name for one in sets), "mean recall"], rows), end="\n\n")
            fine &= judge(found, curves)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
