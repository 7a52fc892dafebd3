"""How well does a search find answers in the chunks of each strategy, beside peers at equal mean size?

Every contestant cuts all documents of a set at the limit where its chunks own as many tokens on average as those of the
default recipe. The five best chunks of a question count. One half of the questions is there to choose by (`--half
chosen`), the other to judge by.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import DATA, progress, ranks, save, table, verdict
from benchmarks.quality.indexed import Remembering
from benchmarks.quality.questions import QuestionSet, load
from benchmarks.strategies import peers, ranking, recipes
from benchmarks.strategies.measures import COLUMNS, Scores, ahead, answers, by_answer, score
from benchmarks.strategies.sizes import Cut, Sized, around, at, near

SETS = ("chroma", "xquad_en", "codebase", "structmd", "fetaqa_long")
HALVES = {"all": slice(None), "chosen": slice(0, None, 2), "judged": slice(1, None, 2)}
K = 5
Rank = Callable[[Sequence[str], Sequence[str]], list[list[int]]]

PUBLISHED: Mapping[str, str] = {
    "chroma": "~200 tokens, MiniLM: best recall 76.1 (IoU 4.5), best IoU 6.1 (recall 75.2); BM25: recall 82-84.5, IoU "
    "4.9-6.2. ~400 tokens, MiniLM: best recall 76.0; BM25: recall 91-93, IoU 2.8-3.5.",
    "structmd": "200 tokens, BM25: best recall 51.4, IoU 11.6. 400 tokens, BM25: best recall 60.6, IoU 11.1.",
}
"""What chunkbench tells of peers on the full sets; those here are parts of them."""


class Entry(NamedTuple):
    """A contestant on one set at one size, with its scores per question and retriever."""

    name: str
    is_ours: bool
    sized: Sized
    answer: Any
    """Per question, the number of its answer."""
    scores: dict[str, Scores]


def fewer(data: QuestionSet, documents: int) -> QuestionSet:
    """The documents that most questions are about, and the questions about them alone."""
    if not documents:
        return data
    asked = Counter(ref.doc for question in data.questions for ref in question.refs)
    kept = {doc for doc, _ in asked.most_common(documents)}
    questions = [question for question in data.questions if all(ref.doc in kept for ref in question.refs)]
    return QuestionSet(data.name, {doc: text for doc, text in data.docs.items() if doc in kept}, questions)


def contestants(data: QuestionSet, chosen: Sequence[str], rank_file: Path) -> dict[str, tuple[bool, Cut]]:
    """By name, whether it is ours and how it cuts; the default first."""
    own = {name: ours for part in chosen if part != "peers" for name, ours in _PARTS[part].items()}
    out: dict[str, tuple[bool, Cut]] = {
        name: (True, partial(recipes.cut, ours, data))
        for name, ours in ({recipes.DEFAULT: recipes.STRATEGIES[recipes.DEFAULT]} | own).items()
        if not ours.sets or data.name in ours.sets
    }
    if "peers" in chosen:
        out |= {peer.name: (False, partial(peers.cut, peer, data.docs, rank_file)) for peer in peers.installed()}
    return out


_PARTS = {"strategies": recipes.STRATEGIES, "changes": recipes.CHANGES}


def measured(
    data: QuestionSet, limit: int, cuts: Mapping[str, tuple[bool, Cut]], rankers: Mapping[str, Rank], spread: int
) -> list[Entry]:
    """Every contestant at the mean size that the default recipe has at `limit`."""
    entries: list[Entry] = []
    for name, (is_ours, cut) in cuts.items():
        progress(f"{data.name}, limit {limit}: {name}")
        sized = near(cut, data.docs, entries[0].sized.mean, limit) if entries else at(cut, data.docs, limit)
        every = around(cut, data.docs, sized, spread)
        scores = {by: np.mean([_scores(rank, data, one) for one in every], axis=0) for by, rank in rankers.items()}
        entries.append(Entry(name, is_ours, sized, answers(data.questions), scores))
    progress("")
    return entries


def _scores(rank: Rank, data: QuestionSet, sized: Sized) -> Scores:
    return score(data.questions, sized.passages, ranked(rank, data, sized), K)


def ranked(rank: Rank, data: QuestionSet, sized: Sized) -> list[list[int]]:
    """The passages of every question, best first: each by the best of its texts."""
    texts = [(at, text) for at, one in enumerate(sized.passages) for text in (one.searched or one.text, *one.about)]
    found = rank([text for _, text in texts], [question.text for question in data.questions])
    return [list(dict.fromkeys(texts[place][0] for place in order)) for order in found]


def show(entries: Sequence[Entry], half: slice) -> None:
    rows = []
    for entry in entries:
        sized = entry.sized
        row: list[object] = [entry.name, sized.limit, len(sized.passages)]
        row.append(f"{sized.mean:.0f}" + ("" if sized.is_equal else " !"))
        row.append(f"{sized.shown:.0f}")
        for scores in entry.scores.values():
            means = [*scores[half][:, :4].mean(axis=0), _by_answer(entry, scores, half)]
            row.append(" / ".join(f"{100 * value:.1f}" for value in means))
        rows.append(row)
    headers = [
        "",
        "limit",
        "chunks",
        "owns",
        "shows",
        *(f"{by}: recall / precision / IoU / of bodies / recall by answer" for by in entries[0].scores),
    ]
    print(table(headers, rows), flush=True)


def _by_answer(entry: Entry, scores: Scores, half: slice) -> float:
    """Mean recall where every answer counts once, however many questions ask for it."""
    _, answer = np.unique(entry.answer[half], return_inverse=True)
    return float(by_answer(scores[half][:, COLUMNS.index("recall")], answer).mean())


def judge(own: Entry, rivals: Sequence[Entry], half: slice) -> list[tuple[str, str, str]]:
    """One of ours beside the best peer of each measure."""
    rows = []
    for by, scores in own.scores.items():
        for column in ("recall", "iou", "bodies"):
            at = COLUMNS.index(column)
            best = max(rivals, key=lambda rival: float(rival.scores[by][half][:, at].mean()))
            difference = ahead(scores[half], best.scores[by][half], column, own.answer[half])
            told = "pass" if difference.mean >= 0 else "level" if difference.high >= 0 else verdict(False)
            rows.append((f"{by}: {column} beside {best.name}", str(difference), told))
    return rows


def report(name: str, entries: Sequence[Entry], half: slice) -> bool:
    """Print a set; whether the default is nowhere behind the best peer by more than chance."""
    show(entries, half)
    if name in PUBLISHED:
        print(f"\npublished: {PUBLISHED[name]}")
    rivals = [entry for entry in entries if not entry.is_ours and entry.sized.is_equal]
    fine = True
    for own in entries if rivals else ():
        if own.name == recipes.DEFAULT:
            rows = judge(own, rivals, half)
            print("\n" + table([f"{own.name}: ahead by (95%)", "", ""], rows), flush=True)
            fine &= own.name != recipes.DEFAULT or all(told != "FAIL" for *_, told in rows)
    return fine


def _is_asked(name: str, parts: Sequence[str]) -> bool:
    return name == recipes.DEFAULT or any(part in name for part in parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA.parent / "chunkbench" / "data")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--limits", nargs="+", type=int, default=[200, 400, 800])
    parser.add_argument("--questions", type=int, default=400, help="per set, evenly spread; all documents stay")
    parser.add_argument("--documents", type=int, default=0, help="only those that most questions are about; 0 for all")
    parser.add_argument("--parts", nargs="+", default=[*_PARTS, "peers"], choices=[*_PARTS, "peers"])
    parser.add_argument("--only", nargs="+", default=[""], help="contestants whose names hold one of these")
    parser.add_argument("--by", nargs="+", default=["BM25", "dense"], choices=["BM25", "dense"])
    parser.add_argument("--half", default="all", choices=list(HALVES), help="which questions count")
    parser.add_argument("--spread", type=int, default=0, help="also measure at so many limits 1%% apart on each side")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args()
    rankers: dict[str, Rank] = {"BM25": ranking.by_words}
    if "dense" in args.by:
        rankers["dense"] = partial(ranking.by_meaning, Remembering(args.threads))
    rankers = {by: rankers[by] for by in args.by}
    figures: dict[str, object] = {}
    fine = True
    for name in args.sets:
        data = fewer(load(args.data / name, args.questions), args.documents)
        every = contestants(data, args.parts, ranks(args.data.parent))
        cuts = {one: cut for one, cut in every.items() if _is_asked(one, args.only)}
        for limit in args.limits:
            entries = measured(data, limit, cuts, rankers, args.spread)
            told = f"{len(data.docs)} documents, {len(data.questions)} questions, {args.half}"
            print(f"\n== {name}, sizes of the default at limit {limit}; {told}\n", flush=True)
            fine &= report(name, entries, HALVES[args.half])
            figures[f"{name} {limit}"] = {
                entry.name: {by: np.round(100 * scores.mean(axis=0), 3).tolist() for by, scores in entry.scores.items()}
                for entry in entries
            }
    save(args.json, "strategies", figures)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
